use crate::text::edits::{FileChange, FileEdit, Hunk, edits_of, without_old};
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use serde_json::json;

fn brief(path: &str, access: FileAccess) -> ToolCallBrief {
    ToolCallBrief {
        name: "tool".into(),
        call_id: "1".into(),
        path: Some(path.into()),
        access: Some(access),
    }
}

fn only_hunk(edits: &[FileEdit]) -> &Hunk {
    match &edits[0].change {
        FileChange::Hunks(hunks) => &hunks[0],
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_replacement_is_a_hunk() {
    let hunk = Hunk::replacing("a\nb\nc\nd", "a\nx\ny\nd");
    assert_eq!(hunk.diff(), " a\n-b\n-c\n+x\n+y\n d");
    assert_eq!(hunk.resulting(), "a\nx\ny\nd");
    assert!(hunk.adds() && !hunk.only_deletes());
    assert!(Hunk::replacing("a\nb", "a").only_deletes());
    assert!(Hunk::replacing("a", "").only_deletes());
    let same = Hunk::replacing("a", "a");
    assert!(!same.adds() && !same.only_deletes());
    // What repeats is not counted for both ends.
    assert_eq!(Hunk::replacing("a\na", "a").diff(), " a\n-a");
}

#[test]
fn agents_name_their_edits_differently() {
    let edit = brief("a.rs", FileAccess::Edit);
    for arguments in [
        json!({"path": "a.rs", "oldText": "x", "newText": "y"}),
        json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"}),
        json!({"filePath": "a.rs", "oldString": "x", "newString": "y"}),
        json!({"path": "a.rs", "edits": [{"oldText": "x", "newText": "y"}]}),
        json!({"path": "a.rs", "patch": "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y"}),
    ] {
        let edits = edits_of(&arguments.to_string(), &[&edit]);
        assert_eq!(only_hunk(&edits).diff(), "-x\n+y", "{arguments}");
    }
    let write = brief("a.rs", FileAccess::Write);
    let whole = edits_of(r#"{"path": "a.rs", "content": "all"}"#, &[&write]);
    assert_eq!(whole[0].change, FileChange::Whole("all".into()));
    let bare = edits_of(r#"{"path": "a.rs"}"#, &[&edit]);
    assert_eq!(bare[0].change, FileChange::Hunks(Vec::new()));
    assert!(edits_of(r#"{"path": "a.rs"}"#, &[&brief("a.rs", FileAccess::Read)]).is_empty());
    assert!(edits_of("{", &[&edit]).is_empty());
}

const PATCH_TEXT: &str = "*** Begin Patch\n*** Add File: new.rs\n+one\n+two\n\
    *** Update File: old.rs\n*** Move to: moved.rs\n@@ fn a\n x\n-y\n+z\n@@\n-gone\n\
    *** Delete File: dead.rs\n*** End Patch";

#[test]
fn a_patch_is_an_edit_of_each_of_its_files() {
    let shell = json!({"cmd": format!("apply_patch <<'EOF'\n{PATCH_TEXT}\nEOF")});
    let edits = edits_of(&shell.to_string(), &[]);
    let paths: Vec<&str> = edits.iter().map(|edit| edit.path.as_str()).collect();
    assert_eq!(paths, ["new.rs", "moved.rs", "dead.rs"]);
    assert_eq!(edits[0].change, FileChange::Whole("one\ntwo".into()));
    let FileChange::Hunks(hunks) = &edits[1].change else {
        panic!("{edits:?}")
    };
    assert_eq!(hunks[0].resulting(), "x\nz");
    assert!(hunks[1].only_deletes());
    assert_eq!(edits[2].change, FileChange::Deleted);
}

#[test]
fn what_was_replaced_is_taken_out_of_arguments() {
    let one = json!({"path": "a.rs", "oldText": "x", "newText": "y"}).to_string();
    assert_eq!(
        without_old(&one).as_deref(),
        Some(r#"{"path":"a.rs","newText":"y"}"#)
    );
    let several = json!({"path": "a.rs", "edits": [
        {"oldText": "gone", "newText": ""}, {"oldText": "x", "newText": "y"},
    ]});
    assert_eq!(
        without_old(&several.to_string()).as_deref(),
        Some(r#"{"path":"a.rs","edits":[{"newText":"y"}]}"#)
    );
    let patch = json!({"input": PATCH_TEXT}).to_string();
    let left = without_old(&patch).unwrap();
    assert!(left.contains("@@ fn a\\n x\\n+z\\n*** Delete File"));
    assert!(!left.contains("-y") && !left.contains("-gone"));
    assert_eq!(without_old(r#"{"path":"a.rs","content":"all"}"#), None);
}

//! Sessions of pi written for these tests.

use crate::reading::{appended, messages, written_new};
use palimpsest_core::{Context, EntryIx, EntryKind};
use palimpsest_formats::{InMemory, pi::Pi};
use palimpsest_testkit::session::{CompactionSpec, PiSession, Reply};
use palimpsest_write::{Change, Files, Kept, NewCompaction, Refusal};
use serde_json::{Value, json};

fn read(session: &PiSession) -> InMemory {
    InMemory::read(&Pi, "/sessions/a.jsonl", session.to_jsonl().into_bytes())
}

fn at(read: &InMemory, id: &str) -> EntryIx {
    read.session.resolve(id).unwrap()
}

fn texts(read: &InMemory) -> Vec<String> {
    let context = read.context(read.session.active_leaf);
    let all = messages(read, &context);
    all.iter().map(|message| message.text("")).collect()
}

fn compaction(read: &InMemory, after: EntryIx, kept: Kept) -> Change {
    let context: Context = read.context(Some(after));
    Change::Compaction(Box::new(NewCompaction {
        text: "What was done.".into(),
        after,
        tokens_before: context.projected,
        context,
        kept,
        files: Files {
            read: vec!["a.rs".into()],
            modified: vec!["b \"c\".rs".into()],
        },
    }))
}

/// A question with a compaction behind it, and what followed.
fn compacted() -> (PiSession, Vec<String>) {
    let mut session = PiSession::new();
    let mut ids = Vec::new();
    for number in 0..4 {
        ids.push(session.user(&format!("question {number}")));
        ids.push(session.assistant(Reply::new().text(&format!("answer {number}"))));
    }
    ids.push(session.compact(CompactionSpec::new("stored summary").first_kept(&ids[6])));
    ids.push(session.user("and then"));
    ids.push(session.assistant(Reply::new().text("done")));
    (session, ids)
}

#[test]
fn a_replaced_compaction_keeps_what_followed_it() {
    let (session, ids) = compacted();
    let original = read(&session);
    let leaf = original.session.active_leaf;
    let kept = Kept::From(at(&original, &ids[4]));
    let change = compaction(&original, at(&original, &ids[7]), kept);
    let wanted = [
        "What was done.",
        "question 2",
        "answer 2",
        "question 3",
        "answer 3",
        "and then",
        "done",
    ];
    let new = written_new(&original, leaf, &change, 1).unwrap();
    assert_eq!(texts(&new), wanted);
    let parent = &new.session.meta.parent_session;
    assert_eq!(parent.as_deref(), Some("/sessions/a.jsonl"));
    let grown = appended(&original, leaf, &change, 2).unwrap();
    assert_eq!(texts(&grown), wanted);
    assert!(grown.bytes().starts_with(original.bytes()));
    // The stored files are those of the request.
    let summary = grown
        .session
        .entries
        .iter()
        .rev()
        .find_map(|entry| match &entry.kind {
            EntryKind::Compaction(compaction) => Some(compaction),
            _ => None,
        });
    assert_eq!(*summary.unwrap().modified_files[0], *"b \"c\".rs");
}

#[test]
fn entries_kept_out_of_order_follow_the_summary() {
    let (session, ids) = compacted();
    let original = read(&session);
    let kept = Kept::These(vec![at(&original, &ids[0]), at(&original, &ids[7])]);
    let after = at(&original, &ids[7]);
    let change = compaction(&original, after, kept);
    let new = written_new(&original, Some(after), &change, 1).unwrap();
    assert_eq!(texts(&new), ["What was done.", "question 0", "answer 3"]);
    let none = compaction(&original, after, Kept::Nothing);
    let new = appended(&original, Some(after), &none, 1).unwrap();
    assert_eq!(texts(&new), ["What was done."]);
}

#[test]
fn undone_and_edited_compactions() {
    let (session, ids) = compacted();
    let original = read(&session);
    let before = Some(at(&original, &ids[7]));
    assert_eq!(
        texts(&written_new(&original, before, &Change::None, 1).unwrap()).len(),
        8
    );
    let edit = Change::Replace {
        summary: at(&original, &ids[8]),
        text: "edited".into(),
    };
    let wanted = ["edited", "question 3", "answer 3", "and then", "done"];
    let leaf = original.session.active_leaf;
    assert_eq!(
        texts(&written_new(&original, leaf, &edit, 1).unwrap()),
        wanted
    );
    assert_eq!(texts(&appended(&original, leaf, &edit, 1).unwrap()), wanted);
}

#[test]
fn a_branch_summary_stands_under_the_new_leaf() {
    let (session, ids) = compacted();
    let original = read(&session);
    let leaf = at(&original, &ids[1]);
    let change = Change::BranchSummary {
        text: "The branch.".into(),
        from: original.session.active_leaf,
        files: Files::default(),
    };
    for written in [written_new, appended] {
        let new = written(&original, Some(leaf), &change, 3).unwrap();
        assert_eq!(texts(&new), ["question 0", "answer 0", "The branch."]);
        let last = new.session.entry(new.session.active_leaf.unwrap());
        let EntryKind::BranchSummary(summary) = &last.kind else {
            panic!("{:?}", last.kind)
        };
        assert_eq!(summary.from_id.as_ref().unwrap().as_str(), ids[10]);
    }
    // Before the first entry the summary is a root.
    let new = written_new(&original, None, &change, 3).unwrap();
    assert_eq!(texts(&new), ["The branch."]);
    assert_eq!(
        texts(&appended(&original, None, &change, 3).unwrap()),
        ["The branch."]
    );
}

#[test]
fn labels_follow_the_leaf_and_keep_their_entries() {
    let mut session = PiSession::new();
    let first = session.user("one");
    session.label(&first, Some("start"));
    session.assistant(Reply::new().text("two"));
    let original = read(&session);
    let new = written_new(&original, original.session.active_leaf, &Change::None, 1).unwrap();
    assert_eq!(new.session.entries.len(), 3);
    let labels = palimpsest_core::labels::labels(&new.session);
    assert_eq!(labels[0], Some("start"));
    assert_eq!(new.session.entry(EntryIx(1)).parent, Some(EntryIx(0)));
}

#[test]
fn version_1_gets_ids_and_its_first_kept_entry() {
    let mut lines = vec![
        json!({"type":"session","id":"s","timestamp":"2025-12-01T00:00:00.000Z","cwd":"/x","provider":"p","modelId":"m"}),
    ];
    let message = |role: &str, text: &str| {
        json!({"type":"message","timestamp":"2025-12-01T00:00:01.000Z",
               "message":{"role":role,"content":[{"type":"text","text":text}],"timestamp":1}})
    };
    lines.push(message("user", "a"));
    lines.push(message("hookMessage", "b"));
    lines.push(message("user", "c"));
    lines.push(json!({"type":"compaction","timestamp":"2025-12-01T00:00:02.000Z","summary":"sum","firstKeptEntryIndex":2,"tokensBefore":9}));
    lines.push(message("user", "d"));
    let text: String = lines
        .iter()
        .map(|line: &Value| format!("{line}\n"))
        .collect();
    let original = InMemory::read(&Pi, "/sessions/a.jsonl", text.into_bytes());
    let leaf = original.session.active_leaf;
    let new = written_new(&original, leaf, &Change::None, 1).unwrap();
    assert_eq!(texts(&new), ["sum", "b", "c", "d"]);
    assert_eq!(new.session.meta.format_version, Some(3));
    assert!(
        new.session
            .entries
            .iter()
            .all(|entry| entry.id.as_str().len() == 8)
    );
    let refused = appended(&original, leaf, &Change::None, 1).err();
    assert!(
        matches!(refused, Some(Refusal::OldVersion { version: 1 })),
        "{refused:?}"
    );
}

#[test]
fn halves_of_surrogate_pairs_and_numbers_keep_their_spelling() {
    let mut session = PiSession::new();
    session.user("one");
    session.raw_line(r#"{"type":"message","id":"ffffffff","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"\ud834 x","n":1.50,"timestamp":1}}"#);
    let original = read(&session);
    let new = written_new(&original, original.session.active_leaf, &Change::None, 1).unwrap();
    let bytes = String::from_utf8(new.bytes().to_vec()).unwrap();
    assert!(
        bytes.contains(r#""content":"\ud834 x","n":1.50"#),
        "{bytes}"
    );
}

#[test]
fn what_the_agent_would_not_send_is_refused() {
    let (session, ids) = compacted();
    let original = read(&session);
    let leaf = original.session.active_leaf;
    let change = compaction(&original, at(&original, &ids[1]), Kept::Nothing);
    let refused = written_new(&original, leaf, &change, 1).err();
    assert!(
        matches!(refused, Some(Refusal::LaterCompaction { .. })),
        "{refused:?}"
    );
    let refused = written_new(&original, None, &Change::None, 1).err();
    assert!(matches!(refused, Some(Refusal::Empty)), "{refused:?}");
    let edit = Change::Replace {
        summary: at(&original, &ids[0]),
        text: "x".into(),
    };
    let refused = written_new(&original, leaf, &edit, 1).err();
    assert!(
        matches!(refused, Some(Refusal::NoSummary { .. })),
        "{refused:?}"
    );
    let empty = Change::BranchSummary {
        text: " \n".into(),
        from: leaf,
        files: Files::default(),
    };
    let refused = written_new(&original, leaf, &empty, 1).err();
    assert!(
        matches!(refused, Some(Refusal::EmptySummary)),
        "{refused:?}"
    );
}

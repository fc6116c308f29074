//! Indexing real folders: what is read, what is kept, and what is left alone.

mod beside;
mod growth;
mod reported;
mod taken_back;

use super::*;
use palimpsest_store::index::{Field, HitQuery, SessionFilter, SessionSort, Sought};
use proptest::prelude::*;
use std::fs::{self, OpenOptions};
use std::io::Write as _;

const HEADER: &str = r#"{"type":"session","version":3,"id":"s-1","timestamp":"2026-10-01T10:00:00.000Z","cwd":"/home/dev/courier"}"#;

fn message(id: &str, parent: Option<&str>, text: &str) -> String {
    serde_json::json!({
        "type": "message", "id": id, "parentId": parent,
        "timestamp": "2026-10-01T10:00:01.000Z",
        "message": {"role": "user", "content": text, "timestamp": 1},
    })
    .to_string()
}

fn write(path: &Path, lines: &[String]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, text).unwrap();
}

fn append(path: &Path, text: &str) {
    OpenOptions::new()
        .append(true)
        .open(path)
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
}

#[test]
fn a_document_that_did_not_change_is_not_read_again() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("sessions");
    // Documents smaller than their files, and larger ones.
    for (from, to) in [
        ("coder/saved/pages.json", "coder-chat.json"),
        ("copilot-chat/chats/journal.jsonl", "chatSessions/1.jsonl"),
        ("copilot-chat/chats/object.json", "chatSessions/2.json"),
        ("opencode/exports/whole.export.json", "whole.export.json"),
    ] {
        let to = root.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(fixtures.join(from), &to).unwrap();
    }
    let db = IndexDb::init_in_memory().unwrap();
    let first = index(&db, &root);
    assert_eq!((first.sessions, first.failed), (4, Vec::new()));
    let again = index(&db, &root);
    assert_eq!((again.unchanged, again.bytes), (4, 0));
    // The same document from a file of another size.
    let export = root.join("whole.export.json");
    append(&export, "\n\n");
    assert_eq!(index(&db, &root).unchanged, 3);
    assert_eq!(index(&db, &root).unchanged, 4);
}

#[test]
fn what_an_agent_keeps_beside_a_session_is_no_failure() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().join(".xum/sessions/0a1b2c3d4e");
    fs::create_dir_all(&workspace).unwrap();
    fs::copy(
        fixtures.join("mux/valid/linear.jsonl"),
        workspace.join("chat.jsonl"),
    )
    .unwrap();
    let event =
        r#"{"kind":"refinement","workspaceId":"0a1b2c3d4e","data":{},"v":1,"seq":1,"id":"e"}"#;
    fs::write(workspace.join("durable-events.jsonl"), event).unwrap();
    fs::write(workspace.join("headless-usage.jsonl"), "{}\n").unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let report = index(&db, dir.path());
    assert_eq!((report.sessions, report.failed), (1, Vec::new()));
}

#[test]
fn runs_at_the_same_time_share_no_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let (db, _) = IndexDb::open(&dir.path().join("index.db")).unwrap();
    let root = dir.path().join("sessions");
    for at in 0..40 {
        let header = HEADER.replace("s-1", &format!("s-{at}"));
        let lines: Vec<String> = (0..20)
            .map(|own| message(&format!("{at}-{own}"), None, "a barge"))
            .collect();
        write(
            &root.join(format!("{at}.jsonl")),
            &[vec![header], lines].concat(),
        );
    }
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| index(&db, &root))).collect();
        for done in runs {
            assert_eq!(done.join().unwrap().failed, []);
        }
    });
    assert_eq!(db.reader().unwrap().entry_count().unwrap(), 40 * 20);
}

fn index(db: &IndexDb, root: &Path) -> IndexReport {
    run(db, &[root.to_path_buf()], &Control::QUIET).unwrap()
}

/// Everything the index says, without its own numbers and times of files.
fn contents(db: &IndexDb) -> String {
    use std::fmt::Write as _;
    let reader = db.reader().unwrap();
    let filter = SessionFilter::default();
    let mut list = reader
        .sessions(&filter, SessionSort::Title, 0, 1000)
        .unwrap()
        .sessions;
    list.sort_by(|a, b| a.id.cmp(&b.id));
    let mut out = String::new();
    for mut session in list {
        let num = std::mem::replace(&mut session.num, palimpsest_store::index::SessionNum(0));
        writeln!(out, "{session:?}").unwrap();
        for mut entry in reader.entries(num, 0, u64::MAX).unwrap() {
            entry.num = 0;
            entry.session = session.num;
            writeln!(out, "  {entry:?}").unwrap();
        }
        writeln!(out, "  {:?}", reader.warnings(num).unwrap()).unwrap();
        writeln!(out, "  {:?}", reader.summaries(num).unwrap()).unwrap();
        writeln!(out, "  {:?}", reader.files(num).unwrap()).unwrap();
        writeln!(out, "  {:?}", reader.spending(num).unwrap()).unwrap();
        writeln!(out, "  {:?}", reader.own_from(num).unwrap()).unwrap();
    }
    let kinds = [
        "undone", "error", "rejected", "aborted", "reread", "todo", "opentodo", "plan", "subagent",
        "call",
    ];
    for kind in kinds {
        let mut ids = found_by(db, Field::Kind, kind);
        // Sessions are numbered as they are read.
        ids.sort();
        writeln!(out, "{kind}: {ids:?}").unwrap();
    }
    for (field, value) in [
        (Field::File, "py"),
        (Field::File, "md"),
        (Field::File, "rs"),
        (Field::File, "ts"),
        (Field::Command, "cat"),
        (Field::Command, "git"),
    ] {
        let mut ids = found_by(db, field, value);
        ids.sort();
        writeln!(out, "{field:?} {value}: {ids:?}").unwrap();
    }
    for word in ["scout", "explore", "tests", "python3", "add", "plan"] {
        writeln!(out, "{word}: {}", found(db, word)).unwrap();
    }
    for source in reader.sources().unwrap() {
        writeln!(
            out,
            "{} {} {:?}",
            source.path, source.read_to, source.skipped
        )
        .unwrap();
    }
    out
}

/// The ids of the entries with a value of a field, oldest first.
fn found_by(db: &IndexDb, field: Field, text: &str) -> Vec<String> {
    let sought = Sought {
        field,
        text: text.to_owned(),
    };
    let query = HitQuery {
        fields: vec![vec![sought]],
        limit: 1000,
        ..HitQuery::default()
    };
    let mut hits = db.reader().unwrap().hits(&query).unwrap().hits;
    hits.sort_by_key(|hit| (hit.entry.session.0, hit.entry.ix));
    hits.into_iter().map(|hit| hit.entry.entry_id).collect()
}

fn found(db: &IndexDb, word: &str) -> usize {
    let query = HitQuery {
        all: vec![word.to_owned()],
        limit: 1000,
        ..HitQuery::default()
    };
    db.reader().unwrap().hits(&query).unwrap().hits.len()
}

#[test]
fn a_folder_is_indexed_once_and_then_only_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("--home-dev--/a.jsonl");
    write(
        &path,
        &[
            HEADER.into(),
            message("a", None, "parse dates"),
            message("b", Some("a"), "ok"),
        ],
    );
    let db = IndexDb::init_in_memory().unwrap();
    let first = index(&db, dir.path());
    assert_eq!((first.sessions, first.entries, first.unchanged), (1, 2, 0));
    assert_eq!(first.bytes, fs::metadata(&path).unwrap().len());
    assert_eq!(first.changes[0].kind, ChangeKind::New);
    let second = index(&db, dir.path());
    assert_eq!((second.sessions, second.bytes, second.unchanged), (1, 0, 1));
    assert!(second.changes.is_empty());
    assert_eq!(found(&db, "dates"), 1);
    let row = db
        .reader()
        .unwrap()
        .session_by_path(path.to_str().unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(row.project, "courier");
    assert_eq!(row.title.as_deref(), Some("parse dates"));
    assert_eq!(row.leaves, 1);
}

#[test]
fn only_appended_bytes_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    write(&path, &[HEADER.into(), message("a", None, "one")]);
    let db = IndexDb::init_in_memory().unwrap();
    index(&db, dir.path());
    let line = message("b", Some("a"), "two");
    append(&path, &format!("{line}\n"));
    let report = index(&db, dir.path());
    assert_eq!(report.bytes, line.len() as u64 + 1);
    let change = &report.changes[0];
    assert_eq!(
        (change.kind, change.from_ix, change.entries),
        (ChangeKind::Appended, 1, 2)
    );
    assert_eq!(found(&db, "two"), 1);
}

#[test]
fn leaves_are_the_same_where_appended_parents_close_a_circle() {
    let circles = [
        vec![message("b", Some("b"), "two")],
        vec![
            message("b", Some("c"), "two"),
            message("c", Some("b"), "three"),
        ],
    ];
    for appended in circles {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        let mut lines = vec![HEADER.into(), message("a", None, "one")];
        write(&path, &lines);
        let grown = IndexDb::init_in_memory().unwrap();
        index(&grown, dir.path());
        lines.extend(appended);
        write(&path, &lines);
        index(&grown, dir.path());
        let fresh = IndexDb::init_in_memory().unwrap();
        index(&fresh, dir.path());
        let leaves = |db: &IndexDb| {
            let filter = SessionFilter::default();
            let rows = db.reader().unwrap();
            let rows = rows.sessions(&filter, SessionSort::Updated, 0, 9).unwrap();
            rows.sessions
                .iter()
                .map(|row| row.leaves)
                .collect::<Vec<_>>()
        };
        assert_eq!(leaves(&grown), leaves(&fresh));
    }
}

#[test]
fn a_line_is_read_once_it_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    write(&path, &[HEADER.into(), message("a", None, "one")]);
    let db = IndexDb::init_in_memory().unwrap();
    let line = message("b", Some("a"), "two");
    let (start, end) = line.split_at(40);
    append(&path, start);
    assert_eq!(index(&db, dir.path()).entries, 1);
    assert_eq!(
        index(&db, dir.path()).unchanged,
        1,
        "nothing new to look at"
    );
    append(&path, &format!("{end}\n"));
    let report = index(&db, dir.path());
    assert_eq!((report.entries, report.warnings), (2, 0));
}

#[test]
fn a_rewritten_file_is_read_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    write(&path, &[HEADER.into(), message("a", None, "old words")]);
    let db = IndexDb::init_in_memory().unwrap();
    index(&db, dir.path());
    // Longer than before, in the same file: only the hashes tell.
    let new = [
        HEADER.into(),
        message("x", None, "new words"),
        message("y", Some("x"), "more"),
    ];
    write(&path, &new);
    let report = index(&db, dir.path());
    assert_eq!(report.changes[0].kind, ChangeKind::Rewritten);
    assert_eq!(
        (report.entries, found(&db, "old"), found(&db, "new")),
        (2, 0, 1)
    );
    // Shorter, and another session.
    write(&path, &[HEADER.replace("s-1", "s-2")]);
    let report = index(&db, dir.path());
    assert_eq!(
        (report.sessions, report.entries, found(&db, "new")),
        (1, 0, 0)
    );
}

#[test]
fn what_is_gone_is_taken_out_only_below_the_roots() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a/s.jsonl"), dir.path().join("ab/s.jsonl"));
    for path in [&a, &b] {
        write(path, &[HEADER.into(), message("a", None, "word")]);
    }
    let db = IndexDb::init_in_memory().unwrap();
    assert_eq!(index(&db, dir.path()).sessions, 2);
    fs::remove_file(&a).unwrap();
    fs::remove_file(&b).unwrap();
    let report = index(&db, &dir.path().join("a"));
    assert_eq!((report.removed, report.sessions), (1, 1));
    assert_eq!(report.changes[0].kind, ChangeKind::Removed);
    assert_eq!(index(&db, &b).removed, 1, "a file that was a root");
    assert_eq!(found(&db, "word"), 0);
}

#[test]
fn what_is_no_session_is_named_and_does_not_stop_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    write(
        &dir.path().join("good.jsonl"),
        &[HEADER.into(), message("a", None, "word")],
    );
    fs::write(dir.path().join("empty.jsonl"), "").unwrap();
    fs::write(dir.path().join("binary.jsonl"), [0xff, 0xfe, 0, 1, 2]).unwrap();
    fs::write(dir.path().join("other.jsonl"), "{\"a\": 1}\n").unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    for _ in 0..2 {
        let report = index(&db, dir.path());
        assert_eq!(report.sessions, 1);
        let names: Vec<_> = report
            .failed
            .iter()
            .map(|f| f.path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["binary.jsonl", "empty.jsonl", "other.jsonl"]);
    }
    write(&dir.path().join("empty.jsonl"), &[HEADER.into()]);
    let report = index(&db, dir.path());
    assert_eq!((report.sessions, report.failed.len()), (2, 2));
    fs::write(dir.path().join("good.jsonl"), "no longer\n").unwrap();
    let report = index(&db, dir.path());
    assert_eq!(
        (report.sessions, report.failed.len(), found(&db, "word")),
        (1, 2, 0)
    );
    assert_eq!(report.changes[0].kind, ChangeKind::Removed);
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("secret.jsonl");
    write(&path, &[HEADER.into(), message("a", None, "word")]);
    write(&dir.path().join("good.jsonl"), &[HEADER.into()]);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        let note = "skipped: this user may read everything (root)\n";
        std::io::stderr().write_all(note.as_bytes()).unwrap();
        return;
    }
    let db = IndexDb::init_in_memory().unwrap();
    let report = index(&db, dir.path());
    assert_eq!(report.sessions, 1);
    assert_eq!(report.failed[0].path, path);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(index(&db, dir.path()).sessions, 2, "tried again");
}

#[test]
fn long_lines_and_many_chunks_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    let long = format!("needle {} straw", "hay ".repeat(2_000_000));
    let mut lines = vec![HEADER.to_owned(), message("e0", None, &long)];
    for n in 1..3000 {
        let parent = format!("e{}", n - 1);
        lines.push(message(
            &format!("e{n}"),
            Some(&parent),
            &"filler text ".repeat(100),
        ));
    }
    write(&path, &lines);
    let db = IndexDb::init_in_memory().unwrap();
    let report = index(&db, dir.path());
    assert_eq!((report.entries, report.warnings), (3000, 0));
    assert_eq!(
        (found(&db, "needle"), found(&db, "straw")),
        (1, 1),
        "both ends of a long text"
    );
    let reader = db.reader().unwrap();
    let row = reader
        .session_by_path(path.to_str().unwrap())
        .unwrap()
        .unwrap();
    assert_eq!(row.leaves, 1);
    let last = &reader.entries(row.num, 2999, 1).unwrap()[0];
    assert_eq!(last.parent_ix, Some(2998));
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_has_and_can_go_on() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..20 {
        let path = dir.path().join(format!("{n}.jsonl"));
        write(&path, &[HEADER.into(), message("a", None, "word")]);
    }
    let db = IndexDb::init_in_memory().unwrap();
    let begun = AtomicUsize::new(0);
    let control = Control {
        progress: &|progress| {
            begun.fetch_add(usize::from(progress.path.is_some()), Ordering::Relaxed);
        },
        cancelled: &|| begun.load(Ordering::Relaxed) >= 5,
        ..Control::QUIET
    };
    let report = run(&db, &[dir.path().to_path_buf()], &control).unwrap();
    assert!(report.cancelled && report.sessions < 20, "{report:?}");
    let rest = index(&db, dir.path());
    assert_eq!((rest.sessions, rest.unchanged), (20, report.sessions));
}

#[test]
fn a_damaged_index_is_made_anew_on_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("sessions");
    write(
        &root.join("a.jsonl"),
        &[HEADER.into(), message("a", None, "word")],
    );
    let file = dir.path().join("index.db");
    let (db, _) = IndexDb::open(&file).unwrap();
    index(&db, &root);
    drop(db);
    let (db, _) = IndexDb::open(&file).unwrap();
    fs::write(&file, vec![0x5a; 100_000]).unwrap();
    let report = index(&db, &root);
    assert_eq!(
        (report.sessions, report.notices.len()),
        (1, 1),
        "{report:?}"
    );
    assert!(
        report.notices[0].contains("index.db"),
        "{:?}",
        report.notices
    );
}

#[test]
fn sources_are_left_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    // Version 1, which pi itself would rewrite.
    write(&path, &[
        r#"{"type":"session","id":"s","timestamp":"2025-11-01T00:00:00.000Z","cwd":"/x"}"#.into(),
        r#"{"type":"message","timestamp":"2025-11-01T00:00:01.000Z","message":{"role":"user","content":"hi","timestamp":1}}"#.into(),
    ]);
    append(&path, "{\"type\":\"mess");
    let before = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    let db = IndexDb::init_in_memory().unwrap();
    assert_eq!(index(&db, dir.path()).entries, 1);
    let after = (
        fs::read(&path).unwrap(),
        fs::metadata(&path).unwrap().modified().unwrap(),
    );
    assert_eq!(before, after);
}

/// One thing that can happen to a session file.
#[derive(Debug, Clone)]
enum Step {
    /// A message whose parent is the entry that many before, or an unknown one.
    Message(usize, &'static str),
    Name(Option<&'static str>),
    Broken,
    Glued,
    /// Bytes of a line that is completed by the next step.
    Half,
    /// A line without its end.
    Unended,
    RepeatedId,
    /// Everything so far is rewritten with other words.
    Rewrite,
}

fn steps() -> impl Strategy<Value = Vec<(Step, bool)>> {
    let step = prop_oneof![
        8 => (0usize..4, prop::sample::select(vec!["alpha", "beta", "gamma"]))
            .prop_map(|(back, text)| Step::Message(back, text)),
        1 => prop::sample::select(vec![None, Some("named")]).prop_map(Step::Name),
        1 => Just(Step::Broken),
        1 => Just(Step::Glued),
        2 => Just(Step::Half),
        1 => Just(Step::Unended),
        1 => Just(Step::RepeatedId),
        1 => Just(Step::Rewrite),
    ];
    prop::collection::vec((step, any::<bool>()), 1..14)
}

fn lines_for(step: &Step, ids: &mut Vec<String>) -> String {
    let mut next = |back: usize| {
        let parent = match back {
            3 => Some("unknown".to_owned()),
            back => ids.len().checked_sub(back + 1).map(|at| ids[at].clone()),
        };
        let id = format!("id{}", ids.len());
        ids.push(id.clone());
        (id, parent)
    };
    match step {
        Step::Message(back, text) => {
            let (id, parent) = next(*back);
            message(&id, parent.as_deref(), text) + "\n"
        }
        Step::Name(name) => {
            let (id, parent) = next(0);
            let line = serde_json::json!({
                "type": "session_info", "id": id, "parentId": parent, "name": name,
                "timestamp": "2026-10-01T10:00:09.000Z",
            });
            format!("{line}\n")
        }
        Step::Broken => "{\"type\": nonsense\n".to_owned(),
        Step::Glued => {
            let (a, b) = (next(0), next(0));
            message(&a.0, a.1.as_deref(), "left") + &message(&b.0, b.1.as_deref(), "right") + "\n"
        }
        Step::Half => {
            let (id, parent) = next(0);
            message(&id, parent.as_deref(), "half a line") + "\n"
        }
        Step::Unended => {
            let (id, parent) = next(0);
            message(&id, parent.as_deref(), "unended")
        }
        Step::RepeatedId => message("id0", None, "again") + "\n",
        Step::Rewrite => String::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn step_by_step_is_the_same_as_at_once(steps in steps()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        write(&path, &[HEADER.into()]);
        let growing = IndexDb::init_in_memory().unwrap();
        let mut ids = Vec::new();
        for (step, look) in &steps {
            let text = lines_for(step, &mut ids);
            match step {
                Step::Half => {
                    let (start, end) = text.split_at(text.len() / 2);
                    append(&path, start);
                    index(&growing, dir.path());
                    append(&path, end);
                }
                Step::Rewrite => {
                    let all = fs::read_to_string(&path).unwrap();
                    fs::write(&path, all.replace("alpha", "omega and more")).unwrap();
                }
                _ => append(&path, &text),
            }
            if *look {
                index(&growing, dir.path());
            }
        }
        index(&growing, dir.path());
        let fresh = IndexDb::init_in_memory().unwrap();
        index(&fresh, dir.path());
        prop_assert_eq!(contents(&growing), contents(&fresh));
        for word in ["alpha", "beta", "omega", "half", "left", "unended", "again", "named"] {
            prop_assert_eq!(found(&growing, word), found(&fresh, word), "hits for {}", word);
        }
    }
}

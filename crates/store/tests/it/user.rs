use palimpsest_core::{Agent, Failure as _, NextStep, SummaryKind, Usage};
use palimpsest_store::user::{MarkedSession, PromptOrigin, RunFilter, RunRow, RunStatus};
use palimpsest_store::{StoreError, Target, UserDb};
use serde_json::json;
use std::fs;
use std::time::Duration;

fn run(id: &str, started_at_ms: i64) -> RunRow {
    RunRow {
        id: id.to_owned(),
        kind: SummaryKind::Compaction,
        status: RunStatus::Done,
        session_id: "s1".to_owned(),
        session_path: "/sessions/s1.jsonl".to_owned(),
        agent: Agent::PI,
        at_entry_id: Some("abc".to_owned()),
        strategy: "pi".to_owned(),
        params: r#"{"keep_recent_tokens":20000}"#.to_owned(),
        instructions: Some("keep the numbers".to_owned()),
        replaces_prompt: false,
        provider: "offline".to_owned(),
        model: "extractive".to_owned(),
        plan: "{}".to_owned(),
        calls: "[]".to_owned(),
        summary: Some("## Goal".to_owned()),
        details: None,
        usage: Usage {
            input: 5,
            output: 6,
            cost_usd: Some(0.25),
            ..Usage::default()
        },
        error: None,
        started_at_ms,
        finished_at_ms: Some(started_at_ms + 10),
    }
}

fn on(session: &str, entry: Option<&str>) -> Target {
    match entry {
        Some(entry) => Target::entry(session, entry, 1),
        None => Target::session(session),
    }
}

#[test]
fn a_run_comes_back_as_it_was_saved() {
    let db = UserDb::init_in_memory().unwrap();
    let mut first = run("r-1", 100);
    first.status = RunStatus::Running;
    db.save_run(&first).unwrap();
    first.status = RunStatus::Failed;
    first.error = Some("no answer".to_owned());
    db.save_run(&first).unwrap();
    db.save_run(&run("r-2", 200)).unwrap();
    assert_eq!(db.run("r-1").unwrap(), Some(first.clone()));
    assert_eq!(db.run("r-3").unwrap(), None);
    let all = db.runs(&RunFilter::default(), 10).unwrap();
    assert_eq!(
        all.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(),
        ["r-2", "r-1"]
    );
    let failed = RunFilter {
        status: Some(RunStatus::Failed),
        ..RunFilter::default()
    };
    assert_eq!(db.runs(&failed, 10).unwrap(), [first]);
    assert_eq!(db.runs_by_prefix("r-", 10).unwrap().len(), 2);
    assert_eq!(db.runs_by_prefix("r%", 10).unwrap().len(), 0);
    // Nothing is not the beginning of everything: `apply ""` must not take the only run.
    assert_eq!(db.runs_by_prefix("", 10).unwrap().len(), 0);
    assert!(db.delete_run("r-1").unwrap());
    assert!(!db.delete_run("r-1").unwrap());
}

#[test]
fn prompts_are_kept_in_versions() {
    let db = UserDb::init_in_memory().unwrap();
    let other = PromptOrigin::default();
    let origin = PromptOrigin {
        strategy: Some("pi".into()),
        place: Some("first".into()),
        source: None,
    };
    let one = db
        .save_prompt("short", "Be brief.", "h1", &origin, 1)
        .unwrap();
    let two = db
        .save_prompt("short", "Be very brief.", "h2", &other, 2)
        .unwrap();
    let again = db
        .save_prompt("short", "Be brief.", "h1", &other, 3)
        .unwrap();
    db.save_prompt("long", "Tell all.", "h3", &other, 4)
        .unwrap();
    assert_eq!((one.version, two.version), (1, 2));
    assert_eq!(again, one, "the same text is the same version");
    assert_eq!(db.prompt("short", None).unwrap(), Some(two.clone()));
    assert_eq!(db.prompt("short", Some(1)).unwrap(), Some(one.clone()));
    assert_eq!(
        db.prompt_versions("short").unwrap(),
        [two.clone(), one.clone()]
    );
    assert_eq!(one.origin, origin);
    assert_eq!(db.prompt_by_hash("h1").unwrap(), Some(one));
    assert_eq!(db.prompt_by_hash("h9").unwrap(), None);
    let newest = db.prompts().unwrap();
    assert_eq!(newest.iter().map(|p| p.version).collect::<Vec<_>>(), [1, 2]);
    assert!(db.delete_prompt("short").unwrap());
    assert_eq!(db.prompts().unwrap().len(), 1);
}

#[test]
fn labels_stars_and_notes_are_on_sessions_and_entries() {
    let db = UserDb::init_in_memory().unwrap();
    let (whole, part) = (on("s1", None), on("s1", Some("e1")));
    db.add_label(&whole, "good", 1).unwrap();
    db.add_label(&whole, "good", 2).unwrap();
    db.add_label(&part, "good", 3).unwrap();
    db.add_label(&on("s2", None), "bad", 4).unwrap();
    let labels = db.labels(Some("s1")).unwrap();
    let shown: Vec<_> = labels
        .iter()
        .map(|l| (&l.target, l.created_at_ms))
        .collect();
    assert_eq!(
        shown,
        [(&whole, 1), (&part, 3)],
        "the same label twice is one label"
    );
    assert!(db.remove_label(&whole, "good").unwrap());
    assert_eq!(db.labels(None).unwrap().len(), 2);

    db.set_star(&part, true, 1).unwrap();
    db.set_star(&part, true, 2).unwrap();
    db.set_star(&whole, true, 3).unwrap();
    db.set_star(&whole, false, 4).unwrap();
    assert_eq!(
        db.stars()
            .unwrap()
            .iter()
            .map(|s| &s.target)
            .collect::<Vec<_>>(),
        [&part]
    );

    db.set_note(&part, "first", 1).unwrap();
    db.set_note(&part, "second", 2).unwrap();
    assert_eq!(db.notes(Some("s1")).unwrap()[0].text, "second");
    db.set_note(&part, "", 3).unwrap();
    assert!(db.notes(None).unwrap().is_empty());
}

#[test]
fn settings_are_json_by_key() {
    let db = UserDb::init_in_memory().unwrap();
    db.set_setting("roots", Some(&json!(["/a", "/b"]))).unwrap();
    db.set_setting("theme", Some(&json!("dark"))).unwrap();
    db.set_setting("theme", None).unwrap();
    assert_eq!(db.setting("roots").unwrap(), Some(json!(["/a", "/b"])));
    assert_eq!(db.setting("theme").unwrap(), None);
    assert_eq!(db.settings().unwrap().len(), 1);
}

#[test]
fn a_file_is_made_once_and_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/user.db");
    UserDb::open(&path).unwrap().save_run(&run("r", 1)).unwrap();
    let db = UserDb::open(&path).unwrap();
    assert_eq!(db.run("r").unwrap(), Some(run("r", 1)));
}

#[test]
fn opening_an_up_to_date_file_needs_no_write_lock() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("user.db");
    let _first = UserDb::open(&path).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let db = UserDb::open_waiting(&path, Duration::from_millis(20)).unwrap();
    assert_eq!(db.run("r").unwrap(), None);
    let error = db.save_run(&run("r", 1)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("user.db");
    UserDb::open(&path).unwrap().save_run(&run("r", 1)).unwrap();
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("INSERT INTO migrations VALUES (999912312359)")
        .unwrap();
    drop(conn);
    let before = fs::read(&path).unwrap();
    let error = UserDb::open(&path).unwrap_err();
    assert!(
        matches!(
            error,
            StoreError::Newer {
                found: 999_912_312_359,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_damaged_file_is_never_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("user.db");
    let bytes = b"garbage where a database should be, long enough for a header".repeat(90);
    fs::write(&path, &bytes).unwrap();
    let error = UserDb::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::UserDamaged { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.contains("user.db") && message.contains("was left as it is"),
        "{message}"
    );
    assert!(matches!(
        error.next(),
        Some(NextStep::ReplaceDatabase { .. })
    ));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let copies = || -> Vec<_> {
        let files = fs::read_dir(dir.path()).unwrap().flatten();
        let copies = files.map(|file| file.path());
        copies
            .filter(|file| file.to_string_lossy().contains(".damaged-"))
            .collect()
    };
    let [copy] = &copies()[..] else {
        panic!("{:?}", copies())
    };
    assert_eq!(fs::read(copy).unwrap(), bytes);
    assert!(message.contains(&copy.display().to_string()), "{message}");
    UserDb::open(&path).unwrap_err();
    assert_eq!(copies().len(), 1, "each state is copied once");
}

#[test]
fn marks_tell_entries_with_one_id_apart() {
    let db = UserDb::init_in_memory().unwrap();
    let (first, second) = (Target::entry("s", "e", 1), Target::entry("s", "e", 2));
    db.set_note(&first, "one", 1).unwrap();
    db.set_note(&second, "two", 2).unwrap();
    db.add_label(&second, "later", 3).unwrap();
    db.set_star(&second, true, 4).unwrap();
    assert_eq!(db.note(&first).unwrap().unwrap().text, "one");
    assert_eq!(db.note(&second).unwrap().unwrap().text, "two");
    assert!(db.labels_on(&first).unwrap().is_empty());
    assert_eq!(db.labels_on(&second).unwrap()[0].text, "later");
    assert!(!db.is_starred("s").unwrap(), "the star is on an entry");
}

#[test]
fn notes_and_labels_are_found_by_parts_of_their_text() {
    let db = UserDb::init_in_memory().unwrap();
    db.set_note(&on("s1", Some("e")), "The flaky Deadline", 1)
        .unwrap();
    db.set_note(&on("s2", None), "100% sure", 2).unwrap();
    db.add_label(&on("s3", Some("e")), "needs review", 3)
        .unwrap();
    db.add_label(&on("s1", None), "needs review", 4).unwrap();
    db.set_star(&on("s2", None), true, 5).unwrap();
    let texts = |parts: &[&str]| -> Vec<String> {
        let notes = db.notes_with(parts).unwrap();
        notes.into_iter().map(|note| note.text).collect()
    };
    assert_eq!(texts(&["deadline", "FLAKY"]), ["The flaky Deadline"]);
    assert_eq!(texts(&["0%"]), ["100% sure"], "% is a character");
    assert_eq!(texts(&[]).len(), 2);
    assert_eq!(db.sessions_with_note(Some("deadl")).unwrap(), ["s1"]);
    assert_eq!(db.sessions_with_note(None).unwrap(), ["s1", "s2"]);
    assert_eq!(
        db.sessions_with_label(Some("review")).unwrap(),
        ["s1", "s3"]
    );
    assert_eq!(db.starred_sessions().unwrap(), ["s2"]);
    let used = db.label_counts().unwrap();
    assert_eq!(used.len(), 1);
    assert_eq!((used[0].text.as_str(), used[0].uses), ("needs review", 2));
    let marks = db.session_marks().unwrap();
    assert_eq!(marks["s1"].labels, ["needs review"]);
    assert_eq!((marks["s1"].notes, marks["s1"].entry_labels), (1, 0));
    assert!(marks["s2"].starred);
    assert_eq!(marks["s3"].entry_labels, 1);
}

#[test]
fn marks_move_with_their_session() {
    let db = UserDb::init_in_memory().unwrap();
    let session = |id: &str| MarkedSession {
        session_id: id.to_owned(),
        agent: Agent::PI,
        native_id: "native".to_owned(),
        path: format!("/{id}.jsonl"),
    };
    db.keep_marked_session(&session("old")).unwrap();
    db.set_note(&on("old", None), "from before", 1).unwrap();
    db.set_note(&on("old", Some("e")), "kept", 2).unwrap();
    db.set_note(&on("new", None), "here already", 3).unwrap();
    db.set_star(&on("old", None), true, 4).unwrap();
    db.move_marks("old", &session("new")).unwrap();
    assert_eq!(db.marked_sessions().unwrap(), [session("new")]);
    let notes = db.notes(Some("new")).unwrap();
    let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(texts, ["kept", "here already"]);
    assert!(db.is_starred("new").unwrap());
    assert!(db.notes(Some("old")).unwrap().is_empty());
}

#[test]
fn a_database_made_before_marks_had_occurrences_opens_with_all_its_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("user.db");
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch(include_str!("before_occurrences.sql"))
        .unwrap();
    for _ in 0..2 {
        let db = UserDb::open(&path).unwrap();
        assert_eq!(db.starred_sessions().unwrap(), ["s1"]);
        assert_eq!(db.stars().unwrap().len(), 2);
        let note = db.note(&on("s1", Some("e1"))).unwrap().unwrap();
        assert_eq!(
            (note.text.as_str(), note.updated_at_ms),
            ("on an entry", 22)
        );
        let labels = db.labels(Some("s1")).unwrap();
        let shown: Vec<_> = labels
            .iter()
            .map(|label| (label.text.as_str(), &label.target, label.created_at_ms))
            .collect();
        let (whole, part) = (on("s1", None), on("s1", Some("e1")));
        assert_eq!(
            shown,
            [
                ("good", &whole, 31),
                ("good", &part, 32),
                ("again", &part, 33)
            ]
        );
        assert_eq!(db.setting("theme").unwrap(), Some(json!("dark")));
    }
}

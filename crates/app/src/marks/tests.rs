//! Marks over real files and an index.

use super::*;
use crate::options::Options;
use palimpsest_formats::Places;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A session of pi in which the id `twice` is written two times.
fn write_session(path: &Path) {
    let lines = [
        r#"{"type":"session","version":3,"id":"native-1","timestamp":"2026-10-05T10:00:00.000Z","cwd":"/home/dev/app"}"#,
        r#"{"type":"message","id":"first","parentId":null,"timestamp":"2026-10-05T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"fix the parser"}],"timestamp":1}}"#,
        r#"{"type":"message","id":"twice","parentId":"first","timestamp":"2026-10-05T10:00:02.000Z","message":{"role":"user","content":[{"type":"text","text":"one"}],"timestamp":1}}"#,
        r#"{"type":"message","id":"twice","parentId":"first","timestamp":"2026-10-05T10:00:03.000Z","message":{"role":"user","content":[{"type":"text","text":"two"}],"timestamp":1}}"#,
    ];
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, lines.map(|line| format!("{line}\n")).concat()).unwrap();
}

struct Home {
    dir: tempfile::TempDir,
    app: Arc<App>,
    session: PathBuf,
}

impl Home {
    fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        let session = dir.path().join("sessions/one.jsonl");
        write_session(&session);
        let app = start(dir.path());
        let home = Home { dir, app, session };
        home.index();
        home
    }

    fn index(&self) {
        let root = self.dir.path().join("sessions").display().to_string();
        self.app.bring_up_to_date(&[root]).unwrap();
    }

    fn id(&self) -> String {
        let page = self.app.list_sessions("", Default::default()).unwrap();
        page.sessions[0].id.clone()
    }

    fn found(&self, query: &str) -> u64 {
        let page = self.app.list_sessions(query, Default::default());
        page.unwrap().total
    }

    fn marks_found(&self, query: &str) -> Vec<String> {
        let page = self.app.search(query, Default::default(), 0, 50).unwrap();
        page.marks
            .shown
            .into_iter()
            .map(|hit| hit.snippet)
            .collect()
    }
}

fn start(data: &Path) -> Arc<App> {
    let options = Options {
        data_dir: data.join("data"),
        places: Places {
            home: data.join("home"),
            env: Default::default(),
        },
        samples_only: false,
        programs_in: None,
        only_known_programs: false,
    };
    App::start(options, Arc::new(|_| {})).unwrap()
}

fn whole(session: &str) -> MarkPlace<'_> {
    MarkPlace {
        session,
        entry: None,
        ix: None,
    }
}

fn entry<'a>(session: &'a str, entry: &'a str) -> MarkPlace<'a> {
    MarkPlace {
        session,
        entry: Some(entry),
        ix: None,
    }
}

#[test]
fn a_star_is_found_and_survives_a_new_index() {
    let home = Home::new();
    let id = home.id();
    assert_eq!(home.app.star(&id, true).unwrap(), id);
    assert_eq!(home.found("is:starred"), 1);
    assert_eq!(home.found("has:star parser"), 1);
    assert_eq!(home.found("-is:starred"), 0);
    let again = start(home.dir.path());
    fs::remove_file(again.options().index_path()).unwrap();
    let root = home.dir.path().join("sessions").display().to_string();
    again.bring_up_to_date(&[root]).unwrap();
    let page = again.list_sessions("is:starred", Default::default());
    assert_eq!(page.unwrap().total, 1);
    again.star(&id, false).unwrap();
    assert!(!again.session_marks().unwrap().contains_key(&id));
}

#[test]
fn marks_on_entries_with_one_id_stay_apart() {
    let home = Home::new();
    let id = home.id();
    let open = home.app.open(&id).unwrap();
    let twice: Vec<u32> = open
        .session
        .indices()
        .filter(|&ix| open.session.entry(ix).id.as_str() == "twice")
        .map(|ix| ix.0)
        .collect();
    assert_eq!(twice.len(), 2, "{:?}", open.session.warnings);
    for (text, name) in [("on one", "line:2"), ("on two", "line:3")] {
        home.app.save_note(entry(&id, name), text).unwrap();
    }
    let place = MarkPlace {
        session: &id,
        entry: Some("twice"),
        ix: Some(twice[1]),
    };
    let put = home.app.label(place, "  later  on ", true).unwrap();
    assert_eq!(
        (put.target.occurrence, put.labels, put.missing),
        (2, vec!["later on".to_owned()], false)
    );
    let other = home.app.label(place, "sooner", false).unwrap();
    assert_eq!((other.labels.len(), other.missing), (1, true));
    let marks = home.app.marks(&id).unwrap();
    let notes: Vec<_> = marks
        .notes
        .iter()
        .map(|note| (note.mark.text.as_str(), note.ix.map(|ix| ix.0)))
        .collect();
    assert_eq!(
        notes,
        [("on one", Some(twice[0])), ("on two", Some(twice[1]))]
    );
    assert_eq!(marks.labels[0].ix, Some(EntryIx(twice[1])));
    let labelled = home.app.labelled_entries(&open);
    assert_eq!(
        labelled.into_iter().collect::<Vec<_>>(),
        [EntryIx(twice[1])]
    );
}

#[test]
fn a_note_is_found_by_its_words_and_by_filters() {
    let home = Home::new();
    let id = home.id();
    home.app
        .save_note(whole(&id), "Flaky deadline, see CI")
        .unwrap();
    home.app
        .save_note(entry(&id, "first"), "the real cause")
        .unwrap();
    home.app
        .label(entry(&id, "first"), "needs review", true)
        .unwrap();
    for query in [
        "flaky",
        "note:flaky",
        "has:note",
        "label:review",
        "has:label",
        "REVIEW",
    ] {
        assert_eq!(home.found(query), 1, "{query}");
    }
    for query in [
        "note:nothing",
        "label:other",
        "-has:note",
        "-has:label",
        "nothing",
    ] {
        assert_eq!(home.found(query), 0, "{query}");
    }
    assert_eq!(home.marks_found("deadline"), ["Flaky deadline, see CI"]);
    assert_eq!(home.marks_found("note:cause"), ["the real cause"]);
    assert_eq!(home.marks_found("label:review"), ["needs review"]);
    assert_eq!(
        home.marks_found("\"real cause\" agent:pi"),
        ["the real cause"]
    );
    assert!(home.marks_found("deadline -flaky").is_empty());
    assert!(home.marks_found("deadline agent:codex").is_empty());
    let page = home
        .app
        .search("note:cause", Default::default(), 0, 50)
        .unwrap();
    assert!(page.ignored.is_empty(), "{:?}", page.ignored);
    assert_eq!(
        page.marks.shown[0].target.entry_id.as_deref(),
        Some("first")
    );
}

#[test]
fn a_note_is_replaced_and_deleted_and_says_what_was_there() {
    let home = Home::new();
    let id = home.id();
    let save = |text: &str| home.app.save_note(whole(&id), text).unwrap();
    assert_eq!(save("one").before, None);
    assert_eq!(save("two").before.as_deref(), Some("one"));
    let deleted = save("  ");
    assert_eq!(
        (deleted.text, deleted.before.as_deref()),
        (None, Some("two"))
    );
    assert!(home.app.marks(&id).unwrap().notes.is_empty());
    let long = "x".repeat(MOST_NOTE_BYTES + 1);
    assert!(home.app.save_note(whole(&id), &long).is_err());
    assert!(home.app.label(whole(&id), " ", true).is_err());
}

#[test]
fn marks_follow_a_session_whose_file_was_moved() {
    let home = Home::new();
    let old = home.id();
    home.app.star(&old, true).unwrap();
    home.app
        .save_note(entry(&old, "first"), "look here")
        .unwrap();
    let elsewhere = home.dir.path().join("sessions/other/one.jsonl");
    fs::create_dir_all(elsewhere.parent().unwrap()).unwrap();
    fs::rename(&home.session, &elsewhere).unwrap();
    home.index();
    let new = home.id();
    assert_ne!(new, old);
    let marks = home.app.marks(&new).unwrap();
    assert!(marks.starred);
    assert_eq!(marks.notes[0].mark.text, "look here");
    // Moved again, and named by its path before the index knows.
    let third = home.dir.path().join("third.jsonl");
    fs::rename(&elsewhere, &third).unwrap();
    assert!(
        home.app
            .marks(&third.display().to_string())
            .unwrap()
            .starred
    );
}

#[test]
fn marks_of_a_copy_are_its_own() {
    let home = Home::new();
    let first = home.id();
    home.app.star(&first, true).unwrap();
    write_session(&home.dir.path().join("sessions/copy.jsonl"));
    home.index();
    assert_eq!(home.found(""), 2);
    assert_eq!(home.found("is:starred"), 1);
}

//! Sessions that belong together, and how they are named.

use super::*;
use crate::search::taken_back::first_taken_back;
use palimpsest_store::index::SessionRow;
use std::path::{Path, PathBuf};

/// A session of pi with one prompt, whose header may name a parent.
fn written(dir: &Path, file: &str, id: &str, parent: Option<&str>, text: &str) -> PathBuf {
    let header = serde_json::json!({
        "type": "session", "version": 3, "id": id, "timestamp": "2026-10-05T10:00:00.000Z",
        "cwd": "/home/dev/tides", "parentSession": parent,
    });
    let path = dir.join(file);
    fs::write(&path, format!("{header}\n{}", line(1, 0, "user", text))).unwrap();
    path
}

/// An index over these files.
fn over(paths: &[PathBuf]) -> IndexDb {
    let db = IndexDb::init_in_memory().unwrap();
    run(&db, paths, &Control::QUIET).unwrap();
    db
}

fn only<'p>(page: &'p SessionPage, id: &str) -> &'p SessionRow {
    let mut rows = page.sessions.iter();
    rows.find(|row| row.native_id == id).unwrap()
}

#[test]
fn a_fork_names_its_parent_also_where_that_was_moved() {
    let dir = tempfile::tempdir().unwrap();
    let old = "/home/x/.pi/2026-10-05_01a1fbf2-aaaa.jsonl";
    let gone = "/home/x/.pi/2026-10-05_01a1fbf2-cccc.jsonl";
    let db = over(&[
        written(
            dir.path(),
            "moved.jsonl",
            "01a1fbf2-aaaa",
            None,
            "the tides",
        ),
        written(dir.path(), "fork.jsonl", "01a1fbf2-bbbb", Some(old), "plot"),
        written(
            dir.path(),
            "lone.jsonl",
            "01a1fbf2-dddd",
            Some(gone),
            "count",
        ),
    ]);
    let page = listed(&db, "is:fork", SessionSort::Updated);
    assert_eq!(page.total, 2);
    let parent = &page.parents[&only(&page, "01a1fbf2-bbbb").num];
    assert_eq!(
        (&*parent.shown_id, &*parent.title),
        ("01a1fbf2-a…", "the tides")
    );
    assert!(parent.at_ms.is_some());
    assert!(!page.parents.contains_key(&only(&page, "01a1fbf2-dddd").num));
    let reader = db.reader().unwrap();
    let agent = palimpsest_core::Agent::PI;
    let made = reader.sessions_by_parent(agent, "01a1fbf2-aaaa", "/elsewhere", 9);
    let made: Vec<String> = made.unwrap().into_iter().map(|row| row.native_id).collect();
    assert_eq!(made, ["01a1fbf2-bbbb"], "also from the other end");
}

#[test]
fn ids_are_shown_as_far_as_they_differ() {
    let dir = tempfile::tempdir().unwrap();
    let long = "70d782f7-9b1d-4a6e-8c11-0123456789ab";
    let db = over(&[
        written(dir.path(), "a.jsonl", "01a1fbe1-9d3a-74d1", None, "one"),
        written(dir.path(), "b.jsonl", "01a1fbe1-a826-7cc2", None, "two"),
        written(dir.path(), "c.jsonl", long, None, "three"),
        written(dir.path(), "d.jsonl", "d0c40d713f", None, "four"),
        written(dir.path(), "e.jsonl", "twice-0123456789", None, "five"),
        written(dir.path(), "f.jsonl", "twice-0123456789", None, "five"),
        written(dir.path(), "g.jsonl", "words", None, "six"),
    ]);
    let page = listed(&db, "", SessionSort::Updated);
    let shown = |id: &str| page.shown[&only(&page, id).num].as_str();
    assert_eq!(shown("01a1fbe1-9d3a-74d1"), "01a1fbe1-9…");
    assert_eq!(shown("01a1fbe1-a826-7cc2"), "01a1fbe1-a…");
    assert_eq!(shown(long), "70d782f7…");
    assert_eq!(shown("d0c40d713f"), "d0c40d713f");
    for id in ["twice-0123456789", "words"] {
        let row = only(&page, id);
        let own = shown(id).trim_end_matches('…');
        assert!(row.id.starts_with(own), "{own} of {}", row.id);
    }
    // Whatever is shown leads to one session.
    let reader = db.reader().unwrap();
    for row in &page.sessions {
        let shown = page.shown[&row.num].trim_end_matches('…');
        let found = reader.sessions_by_prefix(shown, 9).unwrap();
        assert_eq!(found.len(), 1, "{shown}");
        assert_eq!(found[0].id, row.id, "{shown}");
    }
}

#[test]
fn a_session_is_named_by_its_id_and_by_its_file() {
    let dir = tempfile::tempdir().unwrap();
    let id = "70d782f7-9b1d-4a6e";
    let db = over(&[
        written(dir.path(), "33-b1e1e1b51d-0.jsonl", id, None, "the tides"),
        written(
            dir.path(),
            "other.jsonl",
            "cc90f662-2c5b",
            None,
            "the tides",
        ),
    ]);
    for name in ["70d782f7", "70d782f7…", "33-b1e1e1b51d", "b1e1e1"] {
        let page = search(
            &db,
            None,
            &format!("tides session:{name}"),
            HitSort::Newest,
            0,
            9,
        );
        let page = page.unwrap();
        assert_eq!((page.hits.len(), page.ignored), (1, vec![]), "{name}");
        assert_eq!(
            listed(&db, &format!("session:{name}"), SessionSort::Updated).total,
            1
        );
        let named = search(&db, None, name, HitSort::Newest, 0, 9)
            .unwrap()
            .named;
        assert_eq!(named.len(), 1, "{name}");
    }
    // A word that many texts have is a name only where it is the whole one.
    let named = |name: &str| {
        search(&db, None, name, HitSort::Newest, 0, 9)
            .unwrap()
            .named
            .len()
    };
    assert_eq!(named("33-b1e1e1b51d-0"), 1);
    assert_eq!((named("jsonl"), named("tides")), (0, 0));
    assert_eq!(hits(&db, "tides -session:70d782f7").len(), 1);
    let reader = db.reader().unwrap();
    let files = |name: &str| reader.sessions_by_file(name, 9).unwrap().len();
    assert_eq!(
        (files("other"), files("other.jsonl"), files("oth")),
        (1, 1, 0)
    );
    assert_eq!((files("b1e1e1"), files("B1E1E1"), files("")), (1, 0, 0));
}

#[test]
fn copies_of_a_file_give_a_hit_once() {
    let dir = tempfile::tempdir().unwrap();
    let first = written(dir.path(), "one.jsonl", "70d782f7-9b1d", None, "the tides");
    let copy = dir.path().join("backup.jsonl");
    fs::copy(&first, &copy).unwrap();
    let other = written(dir.path(), "two.jsonl", "cc90f662-2c5b", None, "the tides");
    // A copy that was edited says something else.
    let edited = dir.path().join("edited.jsonl");
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&edited, text.replace("the tides", "my tides")).unwrap();
    for files in [[&first, &edited, &copy], [&first, &copy, &edited]] {
        let db = over(&files.map(Clone::clone));
        let page = search(&db, None, "tides", HitSort::Newest, 0, 9).unwrap();
        let also: usize = page.hits.iter().map(|hit| hit.also_in.len()).sum();
        assert_eq!((page.hits.len(), also), (2, 1));
    }
    // The order in which files come into the index changes nothing.
    for files in [[&first, &copy, &other], [&other, &copy, &first]] {
        let db = over(&files.map(Clone::clone));
        for sort in [HitSort::Newest, HitSort::Oldest, HitSort::Relevance] {
            let page = search(&db, None, "tides", sort, 0, 9).unwrap();
            assert_eq!(page.hits.len(), 2, "{sort:?}");
            let mut copied = page.hits.iter().filter(|hit| !hit.also_in.is_empty());
            let shown = copied.next().unwrap();
            assert!(shown.path.ends_with("backup.jsonl"), "{}", shown.path);
            assert_eq!((shown.also_in.len(), copied.count()), (1, 0), "{sort:?}");
            assert!(page.total.is_none_or(|total| total == 2), "{sort:?}");
        }
        let page = search(&db, None, "tides", HitSort::Oldest, 0, 1).unwrap();
        assert_eq!((page.hits.len(), page.more), (1, true));
    }
}

/// Hits with the words next to each other come first, and what is said once there is not said again
/// behind them.
#[test]
fn copies_of_a_first_hit_are_not_listed_behind_it() {
    let dir = tempfile::tempdir().unwrap();
    let first = written(dir.path(), "one.jsonl", "70d782f7-9b1d", None, "slow tides");
    let copy = dir.path().join("backup.jsonl");
    fs::copy(&first, &copy).unwrap();
    let apart = written(
        dir.path(),
        "two.jsonl",
        "cc90f662-2c5b",
        None,
        "tides are slow",
    );
    let db = over(&[first, copy, apart]);
    for (limit, ids) in [(9, 2), (2, 2), (1, 1)] {
        let page = search(&db, None, "slow tides", HitSort::Newest, 0, limit).unwrap();
        let snippets: Vec<&str> = page.hits.iter().map(|hit| &*hit.snippet).collect();
        assert_eq!(snippets, ["slow tides", "tides are slow"][..ids]);
        assert_eq!((page.together, page.more), (1, ids == 1));
        assert!(page.hits[0].path.ends_with("backup.jsonl"));
        assert!(page.hits[0].is_first && page.hits.iter().skip(1).all(|hit| !hit.is_first));
        assert_eq!((page.hits[0].also_in.len(), page.total), (1, Some(2)));
    }
    let rest = search(&db, None, "slow tides", HitSort::Newest, 1, 9).unwrap();
    assert_eq!((rest.hits.len(), rest.together), (1, 0));
    assert_eq!(rest.hits[0].snippet, "tides are slow");
}

#[test]
fn a_copy_found_later_takes_the_place_of_a_first_hit() {
    let dir = tempfile::tempdir().unwrap();
    let first = written(dir.path(), "one.jsonl", "70d782f7-9b1d", None, "slow tides");
    let db = over(&[first]);
    let page = search(&db, None, "slow tides", HitSort::Newest, 0, 9).unwrap();
    let mut shown = page.hits[0].clone();
    shown.is_first = true;
    let reader = db.reader().unwrap();
    let hit = reader.session_by_id(&shown.session_id).unwrap().unwrap();
    let entry = reader.entries(hit.num, shown.ix, 1).unwrap().remove(0);
    let key = |text: &str| CopyKey::of(&hit, &entry, text);
    let (mut on_page, mut hits) = (OnPage::default(), Vec::new());
    on_page.push(&mut hits, 1, key("slow tides"), shown.clone());
    let copy = |name: &str| EntryHit {
        session_id: name.to_owned(),
        path: format!("{}.{name}", shown.path),
        is_first: false,
        ..shown.clone()
    };
    // What was edited is another hit.
    assert!(
        on_page
            .merge(&mut hits, 2, &key("other tides"), copy("edited"))
            .is_some()
    );
    assert!(
        on_page
            .merge(&mut hits, 3, &key("slow tides"), copy("later"))
            .is_none()
    );
    let earlier = EntryHit {
        path: String::from("/"),
        ..copy("earlier")
    };
    assert!(
        on_page
            .merge(&mut hits, 4, &key("slow tides"), earlier)
            .is_none()
    );
    assert_eq!((hits.len(), on_page.merged()), (1, 2));
    assert_eq!((&*hits[0].session_id, hits[0].is_first), ("earlier", true));
    assert_eq!(hits[0].also_in.len(), 2);
    assert!([1, 3, 4].iter().all(|&number| on_page.has(number)) && !on_page.has(2));
}

/// A thread of Codex whose second turn was edited: the first file holds what was taken back.
#[test]
fn an_edited_turn_of_a_thread_is_found_as_taken_back() {
    let thread = "01a1fbe1-9d3a-74d1-8e3b-9a21c276241c";
    let header = |base: serde_json::Value| {
        serde_json::json!({"timestamp": "2026-11-21T02:13:49.515Z", "type": "session_meta",
            "payload": {"id": thread, "timestamp": "2026-11-21T02:13:49.515Z", "cwd": "/w",
            "originator": "o", "cli_version": "0.169.0", "source": "vscode", "history_base": base}})
    };
    let prompt = |second: u32, text: &str| {
        serde_json::json!({"timestamp": format!("2026-11-21T02:13:{second}.123Z"),
            "type": "response_item", "payload": {"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": text}]}})
    };
    let file = |from: u32, lines: Vec<serde_json::Value>| {
        let lines = lines.into_iter().zip(from..).map(|(mut line, ordinal)| {
            line["ordinal"] = ordinal.into();
            format!("{line}\n")
        });
        lines.collect::<String>()
    };
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("sessions/2026/11/21");
    fs::create_dir_all(&dir).unwrap();
    let first = dir.join(format!("rollout-2026-11-21T02-13-49-{thread}.jsonl"));
    let lines = [
        header(serde_json::Value::Null),
        prompt(50, "Count the barges"),
        prompt(51, "Paint them"),
    ];
    fs::write(&first, file(0, lines.into())).unwrap();
    let other = "01a1fbe1-a42c-7a21-9b95-e673867f9ea8";
    let second = dir.join(format!(
        "rollout-2026-11-21T02-13-51-{thread}_{other}.jsonl"
    ));
    let base = serde_json::json!({"thread_id": thread, "end_ordinal_exclusive": 2});
    fs::write(
        &second,
        file(2, vec![header(base), prompt(55, "Sell them")]),
    )
    .unwrap();
    let db = over(&[first.clone(), second.clone()]);
    let page = listed(&db, "has:undone", SessionSort::Updated);
    assert_eq!(page.total, 2);
    for row in &page.sessions {
        assert_eq!(page.taken_back[&row.num], "Paint them");
    }
    assert_eq!(listed(&db, "-has:undone", SessionSort::Updated).total, 0);
    // No entry is marked in its file: the session is named by who asks for such entries.
    let found = search(&db, None, "kind:undone", HitSort::Newest, 0, 10).unwrap();
    let [named] = &*found.named else {
        panic!("{:?}", found.named);
    };
    assert_eq!(named.kind, NamedKind::TakenBack);
    assert!(
        named
            .about
            .starts_with("without “Paint them”, continued in "),
        "{}",
        named.about
    );
    // Words that mean this kind lead to it.
    let worded = search(&db, None, "taken back", HitSort::Newest, 0, 10).unwrap();
    let change = &worded.wider.changes[0];
    assert_eq!(
        (change.query.as_str(), change.total),
        ("kind:undone", Some(1))
    );
    let narrower = search(&db, None, "kind:undone Count", HitSort::Newest, 0, 10).unwrap();
    assert!(narrower.named.is_empty());
    // In the first file all from this prompt on is marked, in the second one nothing.
    let reader = db.reader().unwrap();
    let from = |path: &Path| {
        let path = path.to_str().unwrap();
        let row = page.sessions.iter().find(|row| row.path == path).unwrap();
        first_taken_back(&reader, &row.id).unwrap()
    };
    assert_eq!(from(&first), Some(2));
    assert_eq!(from(&second), None);
}

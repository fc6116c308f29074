//! Lists of sessions.

use super::*;

#[test]
fn sessions_are_listed_by_words_of_their_row() {
    let (_dir, db) = indexed(&[
        ("alpha", &[("user", "please fix the date parser")]),
        ("beta", &[("user", "Parser of mails")]),
    ]);
    let titles = |query: &str| -> Vec<String> {
        let page = listed(&db, query, SessionSort::Title);
        page.sessions.into_iter().map(|row| row.project).collect()
    };
    assert_eq!(titles(""), ["beta", "alpha"]);
    assert_eq!(titles("parser"), ["beta", "alpha"]);
    assert_eq!(titles("ALPHA"), ["alpha"]);
    assert_eq!(titles("title:mails"), ["beta"]);
    let options = ListOptions {
        offset: 1,
        limit: Some(1),
        ..by(SessionSort::Updated)
    };
    let page = sessions(&db, None, "parser -mail -x", options).unwrap();
    assert_eq!(
        (
            page.total,
            page.sessions.len(),
            page.groups.len(),
            page.ignored.len()
        ),
        (2, 1, 2, 0)
    );
}

#[test]
fn titles_of_the_user_are_shown_found_and_sorted() {
    let (_dir, db) = indexed(&[
        ("alpha", &[("user", "please fix the date parser")]),
        ("beta", &[("user", "Parser of mails")]),
    ]);
    let user = UserDb::init_in_memory().unwrap();
    let all = |query: &str, sort| sessions(&db, Some(&user), query, by(sort)).unwrap();
    let alpha = all("alpha", SessionSort::Updated).sessions[0].id.clone();
    user.set_title(&alpha, Some("A dates story"), 1).unwrap();
    let titles = |query: &str| -> Vec<String> {
        let rows = all(query, SessionSort::Title).sessions.into_iter();
        rows.filter_map(|row| row.title).collect()
    };
    assert_eq!(titles(""), ["A dates story", "Parser of mails"]);
    assert_eq!(titles("story"), ["A dates story"]);
    assert_eq!(titles("title:story"), ["A dates story"]);
    let page = search(&db, Some(&user), "please", HitSort::Newest, 0, 5).unwrap();
    assert_eq!(page.hits[0].title, "A dates story");
    user.set_title(&alpha, None, 2).unwrap();
    assert_eq!(titles("story"), Vec::<String>::new());
}

/// A session of pi whose entries are written as given: role, time and text.
fn written(
    dir: &std::path::Path,
    name: &str,
    entries: &[(&str, &str, &str)],
) -> std::path::PathBuf {
    let mut all = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{name}\",\
         \"timestamp\":\"{}\",\"cwd\":\"/home/dev/tides\"}}\n",
        entries[0].1
    );
    for (ix, (role, at, text)) in entries.iter().enumerate() {
        let parent = ix.checked_sub(1).map(|parent| format!("e{parent}"));
        let entry = serde_json::json!({
            "type": "message", "id": format!("e{ix}"), "parentId": parent, "timestamp": at,
            "message": {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1},
        });
        all += &format!("{entry}\n");
    }
    let path = dir.join(format!("{name}.jsonl"));
    fs::write(&path, all).unwrap();
    path
}

#[test]
fn a_time_means_the_entries_written_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let path = written(
        dir.path(),
        "tides",
        &[
            ("user", "2026-10-01T10:00:00.000Z", "first words"),
            ("assistant", "2026-10-20T10:00:00.000Z", "last words"),
        ],
    );
    run(&db, &[path], &Control::QUIET).unwrap();
    for (query, entries) in [
        ("before:2026-10-10", 1),
        ("after:2026-10-10", 1),
        ("after:2026-10-01 before:2026-10-21", 2),
        // The session was begun before and went on after, and rested in between.
        ("after:2026-10-05 before:2026-10-10", 0),
        ("before:2026-10-01", 0),
        ("after:2026-10-21", 0),
    ] {
        assert_eq!(
            hits(&db, &format!("words {query}")).len(),
            entries,
            "{query}"
        );
        let listed = listed(&db, query, SessionSort::Updated);
        assert_eq!(listed.total, u64::from(entries > 0), "{query}");
    }
}

#[test]
fn a_copy_of_a_beginning_is_a_fork_and_says_where_it_differs() {
    let dir = tempfile::tempdir().unwrap();
    let first = ("user", "2026-10-01T10:00:00.120Z", "read the tides");
    let reply = ("assistant", "2026-10-01T10:00:05.500Z", "They are read.");
    let source = [
        first,
        reply,
        ("user", "2026-10-01T10:01:00.250Z", "now plot them"),
    ];
    let fork = [
        first,
        reply,
        ("user", "2026-10-01T11:00:00.330Z", "now count them"),
    ];
    let whole = [
        first,
        reply,
        source[2],
        ("user", "2026-10-02T09:00:00.410Z", "and print"),
    ];
    let files = [("b", &source[..]), ("a", &fork[..]), ("c", &whole[..])];
    let paths = files.map(|(name, entries)| written(dir.path(), name, entries));
    // The same whatever is read first.
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let db = IndexDb::init_in_memory().unwrap();
        for at in order {
            run(&db, &[paths[at].clone()], &Control::QUIET).unwrap();
        }
        let page = listed(&db, "is:fork", SessionSort::Created);
        let mut forks: Vec<(&str, &str)> = page
            .sessions
            .iter()
            .map(|row| (&*row.native_id, &*page.differs[&row.num]))
            .collect();
        forks.sort_unstable();
        assert_eq!(
            forks,
            [("a", "now count them"), ("c", "and print")],
            "{order:?}"
        );
    }
}

#[test]
fn labels_of_the_agent_are_found_with_those_of_the_user() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let path = written(
        dir.path(),
        "tides",
        &[("user", "2026-10-01T10:00:00.000Z", "words")],
    );
    let label = serde_json::json!({
        "type": "label", "id": "l1", "parentId": "e0", "timestamp": "2026-10-01T10:01:00.000Z",
        "targetId": "e0", "label": "good place",
    });
    let mut text = fs::read_to_string(&path).unwrap();
    text += &format!("{label}\n");
    fs::write(&path, text).unwrap();
    run(&db, &[path], &Control::QUIET).unwrap();
    let user = UserDb::init_in_memory().unwrap();
    let total = |query: &str| {
        let page = sessions(&db, Some(&user), query, by(SessionSort::Updated)).unwrap();
        assert!(page.not_understood.is_empty(), "{query}");
        page.total
    };
    assert_eq!((total("label:good"), total("label:bad")), (1, 0));
    assert_eq!((total("has:label"), total("-has:label")), (1, 0));
    let page = search(&db, Some(&user), "label:place", HitSort::Newest, 0, 5).unwrap();
    let hit = &page.marks.shown[0];
    assert!(hit.by_agent);
    assert_eq!(hit.target.entry_id.as_deref(), Some("e0"));
    assert_eq!(hit.snippet, "good place");
}

#[test]
fn two_files_of_one_session_name_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let db = IndexDb::init_in_memory().unwrap();
    let entry = ("user", "2026-10-05T10:00:00.123Z", "look");
    let first = written(dir.path(), "one", &[entry]);
    let other = written(dir.path(), "two", &[entry]);
    let copy = dir.path().join("backup.jsonl");
    fs::copy(&first, &copy).unwrap();
    run(&db, &[first, other, copy], &Control::QUIET).unwrap();
    let page = listed(&db, "", SessionSort::Updated);
    let pairs: Vec<(&str, Option<&str>)> = page
        .sessions
        .iter()
        .map(|row| {
            let id = page.copies.get(&row.num);
            let named = id.and_then(|id| page.sessions.iter().find(|own| own.id == *id));
            (name_of(&row.path), named.map(|own| name_of(&own.path)))
        })
        .collect();
    let mut pairs = pairs;
    pairs.sort_unstable();
    assert_eq!(
        pairs,
        [
            ("backup.jsonl", Some("one.jsonl")),
            ("one.jsonl", Some("backup.jsonl")),
            ("two.jsonl", None)
        ]
    );
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

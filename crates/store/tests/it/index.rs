use crate::sample::{add, entry, index, session};
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Agent, LinkKind};
use palimpsest_store::IndexDb;
use palimpsest_store::index::{FileUse, NewEntry, SessionFilter, SessionSort, SourceRow};

#[test]
fn lists_are_filtered_sorted_and_paged() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for n in 0..30_u64 {
        let mut row = session(&format!("s{n:02}"));
        row.updated_at_ms = Some(1_000 + i64::try_from(n).unwrap());
        row.project = if n % 2 == 0 { "even" } else { "odd" }.to_owned();
        row.compactions = n % 3;
        row.entries = 100 - n;
        let num = writer.put_session(&row).unwrap();
        let path = if n == 7 {
            "src/lexer_100%.rs"
        } else {
            "src/main.rs"
        }
        .to_owned();
        let file = FileUse {
            path,
            access: FileAccess::Edit,
            uses: 2,
            last_ix: 4,
        };
        writer.add_file(num, &file).unwrap();
        writer.add_file(num, &file).unwrap();
    }
    writer.commit().unwrap();
    let reader = db.reader().unwrap();
    let ids = |filter: &SessionFilter, sort, offset, limit| -> (Vec<String>, u64) {
        let list = reader.sessions(filter, sort, offset, limit).unwrap();
        (
            list.sessions.into_iter().map(|row| row.id).collect(),
            list.total,
        )
    };
    let all = SessionFilter::default();
    let (page, total) = ids(&all, SessionSort::Updated, 2, 2);
    assert_eq!(
        (page, total),
        (vec!["s27".to_owned(), "s26".to_owned()], 30)
    );
    assert_eq!(ids(&all, SessionSort::Entries, 0, 1).0, ["s00"]);
    let odd = SessionFilter {
        projects: vec!["odd".to_owned()],
        has_compaction: Some(true),
        after_ms: Some(1_005),
        before_ms: Some(1_011),
        ..SessionFilter::default()
    };
    assert_eq!(ids(&odd, SessionSort::Created, 0, 10).0, ["s07", "s05"]);
    for (touched, count) in [("lexer_100%", 1), ("100_", 0), ("src/", 30)] {
        let filter = SessionFilter {
            touched: vec![touched.to_owned()],
            ..SessionFilter::default()
        };
        assert_eq!(ids(&filter, SessionSort::Title, 0, 1).1, count, "{touched}");
    }
    let groups = reader.session_groups(&all).unwrap();
    let counts: Vec<_> = groups
        .iter()
        .map(|g| (g.project.as_str(), g.sessions))
        .collect();
    assert_eq!(counts, [("odd", 15), ("even", 15)]);
    let files = reader
        .files(reader.session_by_id("s07").unwrap().unwrap().num)
        .unwrap();
    assert_eq!((files[0].uses, files.len()), (4, 1), "uses are summed");
}

#[test]
fn of_equal_copies_the_same_one_is_listed_whichever_was_read_first() {
    for order in [["/s/1.json", "/s/2.json"], ["/s/2.json", "/s/1.json"]] {
        let db = IndexDb::init_in_memory().unwrap();
        let writer = db.writer().unwrap();
        for path in order {
            let mut row = session(path);
            row.path = path.to_owned();
            row.native_id = "chat".to_owned();
            writer.put_session(&row).unwrap();
        }
        let agent = session("any").agent;
        writer.commit().unwrap();
        let filter = SessionFilter {
            newest_copy_of: vec![agent],
            ..SessionFilter::default()
        };
        let reader = db.reader().unwrap();
        let list = reader.sessions(&filter, SessionSort::Updated, 0, 10);
        let paths: Vec<String> = list
            .unwrap()
            .sessions
            .into_iter()
            .map(|row| row.path)
            .collect();
        assert_eq!(paths, ["/s/2.json"], "{order:?}");
    }
}

#[test]
fn sources_are_written_and_forgotten_with_their_session() {
    let db = index(&[("a", &["needle"])]);
    let writer = db.writer().unwrap();
    let a = writer.session_by_id("a").unwrap().unwrap();
    let source = SourceRow {
        path: a.path.clone(),
        agent: Agent::PI,
        size: 10,
        mtime_ns: -5,
        inode: u64::MAX,
        head_hash: u64::MAX - 1,
        tail_hash: 3,
        read_to: 9,
        session: Some(a.num),
        skipped: None,
        beside: None,
    };
    writer.put_source(&source, "{}").unwrap();
    writer.put_beside(&a.path, Some("[1]")).unwrap();
    let beside = Some("[1]".to_owned());
    assert_eq!(
        writer.source(&a.path).unwrap(),
        Some(SourceRow { beside, ..source }),
        "every bit comes back"
    );
    let state = writer.source_state(&a.path).unwrap();
    assert_eq!(state.as_deref(), Some("{}"));
    assert_eq!(writer.session_by_path(&a.path).unwrap(), Some(a.clone()));
    writer.remove_source(&a.path).unwrap();
    writer.commit().unwrap();
    let reader = db.reader().unwrap();
    assert!(reader.sources().unwrap().is_empty());
    assert!(reader.session(a.num).unwrap().is_none());
    assert_eq!(reader.entry_count().unwrap(), 0);
}

#[test]
fn parents_are_found_and_corrected() {
    let db = index(&[("a", &["one", "two", "three"])]);
    let writer = db.writer().unwrap();
    let a = writer.session_by_id("a").unwrap().unwrap().num;
    assert_eq!(
        writer.entry_by_id(a, "e", 2).unwrap().unwrap().ix,
        1,
        "the last before"
    );
    assert!(writer.has_children(a, 0, 2).unwrap());
    assert!(
        !writer.has_children(a, 1, 2).unwrap(),
        "its child is not before"
    );
    writer.set_parent(a, 1, None).unwrap();
    assert!(!writer.has_children(a, 0, 2).unwrap());
    assert_eq!(writer.entries(a, 1, 1).unwrap()[0].parent_ix, None);
}

#[test]
fn copies_are_found_by_an_entry_in_the_same_project() {
    let db = index(&[("original", &["one", "two"]), ("empty", &[])]);
    let writer = db.writer().unwrap();
    for (id, project, agent) in [
        ("copy", "parser", Agent::PI),
        ("elsewhere", "other", Agent::PI),
        ("foreign", "parser", Agent::named("codex")),
    ] {
        let mut row = session(id);
        row.project = project.to_owned();
        row.agent = agent;
        add(&writer, &row, &["one"]);
    }
    writer.commit().unwrap();
    let reader = db.reader().unwrap();
    let with = |entry: &str, but: &str| -> Vec<String> {
        let found = reader.sessions_with_entry(Agent::PI, "parser", entry, but, 9);
        found.unwrap().into_iter().map(|(id, _)| id).collect()
    };
    assert_eq!(with("e", "copy"), ["original"]);
    assert_eq!(with("e", "original"), ["copy"]);
    assert!(with("other", "copy").is_empty());
}

#[test]
fn a_project_is_found_by_any_folder_and_a_fork_by_the_session_it_names() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    let mut below = session("below");
    below.root = Some("/home/dev/acme/parser".to_owned());
    below.cwd = below.root.clone();
    // pi's header names the session that was forked and says nothing else.
    let mut fork = session("fork");
    fork.parent_session = Some("native-below".to_owned());
    let mut subagent = session("subagent");
    subagent.parent_session = Some("native-below".to_owned());
    subagent.parent_kind = Some(LinkKind::SubagentOf);
    for row in [&below, &fork, &subagent] {
        add(&writer, row, &["text"]);
    }
    writer.commit().unwrap();
    let ids = |filter: &SessionFilter| -> Vec<String> {
        let list = db.reader().unwrap();
        let list = list.sessions(filter, SessionSort::Title, 0, 10).unwrap();
        list.sessions.into_iter().map(|row| row.id).collect()
    };
    for (name, found) in [
        ("acme", 1),
        ("dev", 3),
        ("parser", 3),
        ("acm", 0),
        ("ACME", 1),
    ] {
        let filter = SessionFilter {
            projects: vec![name.to_owned()],
            ..SessionFilter::default()
        };
        assert_eq!(ids(&filter).len(), found, "{name}");
    }
    let forks = |is_fork| SessionFilter {
        is_fork: Some(is_fork),
        ..SessionFilter::default()
    };
    assert_eq!(ids(&forks(true)), ["fork"]);
    assert_eq!(ids(&forks(false)), ["below", "subagent"]);
}

#[test]
fn files_are_copies_of_one_session_only_where_they_name_it() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    let named = |id: &str, native: &str| {
        let mut row = session(id);
        row.native_id = native.to_owned();
        row
    };
    let rows = [
        named("one", "native"),
        named("copy", "native"),
        named("nameless", ""),
        named("another", ""),
    ];
    for row in &rows {
        add(&writer, row, &["text"]);
    }
    writer.commit().unwrap();
    let reader = db.reader().unwrap();
    let list = reader.sessions(&SessionFilter::default(), SessionSort::Title, 0, 10);
    let listed = list.unwrap().sessions;
    let copies = reader.copies(&listed).unwrap();
    let copied = listed.iter().filter(|row| copies.contains_key(&row.num));
    let mut copied: Vec<&str> = copied.map(|row| &*row.id).collect();
    copied.sort_unstable();
    assert_eq!(copied, ["copy", "one"]);
    let files = |native: &str| reader.files_of(Agent::PI, native, 9).unwrap().len();
    assert_eq!((files("native"), files("")), (2, 0));
}

#[test]
fn ids_are_known_only_in_their_own_session_however_many_are_asked_for() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    let a = add(&writer, &session("a"), &[]);
    let b = add(&writer, &session("b"), &[]);
    for (ix, (session, id)) in [(a, "first"), (a, "second"), (b, "third")]
        .into_iter()
        .enumerate()
    {
        let row = NewEntry {
            entry_id: id,
            ..entry(u32::try_from(ix).unwrap(), "")
        };
        writer.add_entry(session, &row).unwrap();
    }
    for others in 0..8 {
        let unknown: Vec<String> = (0..others).map(|n| format!("unknown-{n}")).collect();
        let asked = |id: &'static str| unknown.iter().map(String::as_str).chain([id]).collect();
        assert!(writer.has_any_id(a, &asked("second")).unwrap(), "{others}");
        assert!(!writer.has_any_id(a, &asked("third")).unwrap(), "{others}");
        assert!(writer.has_any_id(b, &asked("third")).unwrap(), "{others}");
    }
}

#[test]
fn an_index_tells_which_agents_it_has() {
    let db = index(&[("a", &["text"])]);
    let reader = db.reader().unwrap();
    assert!(reader.has_agent(Agent::PI).unwrap());
    assert!(!reader.has_agent(Agent::named("other")).unwrap());
}

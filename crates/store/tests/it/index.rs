use crate::sample::{add, entry, index, session};
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Agent, LinkKind};
use palimpsest_store::index::{FileUse, HitQuery, NewEntry, SessionFilter, SessionSort, SourceRow};
use palimpsest_store::{IndexDb, Notice, StoreError};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn words(all: &[&str], none: &[&str]) -> HitQuery {
    let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    HitQuery {
        all: list(all),
        none: list(none),
        limit: 10,
        ..HitQuery::default()
    }
}

/// Positions of the hits, as `session number:position`.
fn found(db: &IndexDb, query: &HitQuery) -> Vec<String> {
    let hits = db.reader().unwrap().hits(query).unwrap();
    hits.iter()
        .map(|hit| format!("{}:{}", hit.entry.session.0, hit.entry.ix))
        .collect()
}

#[test]
fn words_are_found_last_read_first() {
    let db = index(&[
        ("a", &["Parser fails", "fix the parser"]),
        ("b", &["a parser of dates"]),
    ]);
    assert_eq!(found(&db, &words(&["parser"], &[])), ["2:0", "1:1", "1:0"]);
    assert_eq!(found(&db, &words(&["PARSER", "fix"], &[])), ["1:1"]);
    assert_eq!(found(&db, &words(&["parser"], &["dates"])), ["1:1", "1:0"]);
    assert_eq!(found(&db, &words(&["pars*"], &["fix", "dates"])), ["1:0"]);
    assert!(found(&db, &words(&[], &["dates"])).is_empty());
    assert_eq!(
        found(&db, &words(&["of-dates"], &[])),
        ["2:0"],
        "several words in one"
    );
}

#[test]
fn nothing_in_a_word_is_taken_for_syntax() {
    let db = index(&[("a", &["plain text"])]);
    for (word, is_found) in [
        ("\"", true),
        ("text\" OR \"", false),
        ("AND", false),
        ("NEAR(a b)", false),
        ("(", true),
        ("*", true),
        ("text:plain", true),
        ("-", true),
        ("", true),
    ] {
        let hits = found(&db, &words(&[word, "plain"], &[]));
        assert_eq!(!hits.is_empty(), is_found, "{word}: {hits:?}");
    }
}

#[test]
fn words_of_all_scripts_are_found() {
    let db = index(&[("a", &["Die GRÖSSE ändern", "日本語のテスト"])]);
    assert_eq!(found(&db, &words(&["grösse", "Ändern"], &[])), ["1:0"]);
    assert_eq!(found(&db, &words(&["本語"], &[])), ["1:1"]);
}

#[test]
fn pages_of_hits_follow_each_other() {
    let texts = vec!["same word"; 25];
    let db = index(&[("a", &texts)]);
    let mut query = words(&["same"], &[]);
    let mut seen = Vec::new();
    loop {
        let hits = db.reader().unwrap().hits(&query).unwrap();
        let Some(last) = hits.last() else { break };
        query.before = Some(last.place());
        seen.extend(hits.iter().map(|hit| hit.entry.ix));
    }
    assert_eq!(seen, (0..25).rev().collect::<Vec<u32>>());
}

#[test]
fn hits_come_in_the_order_of_their_times() {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for (name, times) in [("a", [5, 30]), ("b", [20, 10])] {
        add(&writer, &session(name), &[]);
        let num = writer.session_by_id(name).unwrap().unwrap().num;
        for (ix, at_ms) in (0..).zip(times) {
            let written = NewEntry {
                at_ms: Some(at_ms),
                ..entry(ix, "a needle")
            };
            writer.add_entry(num, &written).unwrap();
        }
    }
    let undated = NewEntry {
        at_ms: None,
        ..entry(2, "a needle")
    };
    let num = writer.session_by_id("b").unwrap().unwrap().num;
    writer.add_entry(num, &undated).unwrap();
    writer.commit().unwrap();
    let mut query = words(&["needle"], &[]);
    assert_eq!(found(&db, &query), ["1:1", "2:0", "2:1", "1:0", "2:2"]);
    // Page by page.
    query.limit = 2;
    let mut seen = Vec::new();
    loop {
        let hits = db.reader().unwrap().hits(&query).unwrap();
        let Some(last) = hits.last() else { break };
        query.before = Some(last.place());
        seen.extend(hits.iter().map(|hit| (hit.entry.session.0, hit.entry.ix)));
    }
    assert_eq!(seen, [(1, 1), (2, 0), (2, 1), (1, 0), (2, 2)]);
}

#[test]
fn hits_are_the_same_whether_few_or_many_sessions_pass() {
    same_hits(0);
}

#[test]
fn hits_are_the_same_where_the_words_are_in_too_many_entries_to_sort() {
    same_hits(20_001);
}

/// `others`: entries with the word in a session that no filter lets pass.
fn same_hits(others: u32) {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for n in 0..200 {
        let mut row = session(&format!("s{n:03}"));
        row.agent = if n % 10 == 0 {
            Agent::named("codex")
        } else {
            Agent::PI
        };
        add(&writer, &row, &["Needle in a haystack"]);
    }
    // An older session goes on after newer ones were read.
    let old = writer.session_by_id("s000").unwrap().unwrap();
    writer
        .add_entry(old.num, &entry(1, "another needle"))
        .unwrap();
    let mut aside = session("aside");
    aside.agent = Agent::named("opencode");
    add(&writer, &aside, &[]);
    let aside = writer.session_by_id("aside").unwrap().unwrap().num;
    for ix in 0..others {
        writer
            .add_entry(aside, &entry(ix, "one needle more"))
            .unwrap();
    }
    writer.commit().unwrap();
    let agent = |agent| HitQuery {
        filter: SessionFilter {
            agents: vec![agent],
            ..SessionFilter::default()
        },
        limit: 500,
        ..words(&["needle"], &[])
    };
    let mut everything = found(
        &db,
        &HitQuery {
            limit: 50_000,
            ..words(&["needle"], &[])
        },
    );
    everything.retain(|hit| !hit.starts_with(&format!("{}:", aside.0)));
    let few = found(&db, &agent(Agent::named("codex")));
    let many = found(&db, &agent(Agent::PI));
    assert_eq!((few.len(), many.len(), everything.len()), (21, 180, 201));
    assert_eq!(few[0], format!("{}:1", old.num.0), "read last");
    let in_order = |part: &[String]| {
        let mut all = everything.iter();
        part.iter().all(|hit| all.any(|other| other == hit))
    };
    assert!(
        in_order(&few) && in_order(&many),
        "both ways keep the order of all hits"
    );
    let page = found(
        &db,
        &HitQuery {
            limit: 5,
            ..agent(Agent::named("codex"))
        },
    );
    assert_eq!(page, few[..5], "a page is the beginning of the whole");
}

#[test]
fn what_was_cleared_is_not_found() {
    let db = index(&[("a", &["needle"]), ("b", &["needle"])]);
    let writer = db.writer().unwrap();
    let a = writer.session_by_id("a").unwrap().unwrap();
    writer.remove_session(a.num).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&db, &words(&["needle"], &[])), ["2:0"]);
    assert_eq!(db.reader().unwrap().entry_count().unwrap(), 1);
}

#[test]
fn a_dropped_writer_leaves_nothing() {
    let db = index(&[("a", &["one"])]);
    let writer = db.writer().unwrap();
    add(&writer, &session("b"), &["two"]);
    drop(writer);
    assert!(db.reader().unwrap().session_by_id("b").unwrap().is_none());
    assert!(found(&db, &words(&["two"], &[])).is_empty());
}

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
fn an_index_that_was_made_again_says_so_until_it_is_filled() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    let unfilled = |index: &IndexDb| index.is_unfilled();
    assert!(!unfilled(&IndexDb::open(&path).unwrap().0), "a new one");
    fs::write(&path, vec![0x5a; 8192]).unwrap();
    let (made, notice) = IndexDb::open(&path).unwrap();
    assert!(notice.is_some() && unfilled(&made));
    drop(made);
    // The program that made it was killed.
    let (again, notice) = IndexDb::open(&path).unwrap();
    assert!(notice.is_none() && unfilled(&again));
    again.set_filled();
    drop(again);
    assert!(!unfilled(&IndexDb::open(&path).unwrap().0));
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
        state: "{}".to_owned(),
        session: Some(a.num),
        skipped: None,
    };
    writer.put_source(&source).unwrap();
    assert_eq!(
        writer.source(&a.path).unwrap(),
        Some(source),
        "every bit comes back"
    );
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
fn a_file_is_kept_between_runs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/er/index.db");
    let (db, notice) = IndexDb::open(&path).unwrap();
    assert_eq!(notice, None);
    let writer = db.writer().unwrap();
    add(&writer, &session("a"), &["needle"]);
    writer.commit().unwrap();
    drop(db);
    let (db, notice) = IndexDb::open(&path).unwrap();
    assert_eq!(notice, None);
    assert_eq!(found(&db, &words(&["needle"], &[])), ["1:0"]);
}

#[test]
fn an_index_of_another_version_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    let (db, _) = IndexDb::open(&path).unwrap();
    let writer = db.writer().unwrap();
    add(&writer, &session("a"), &["needle"]);
    writer.commit().unwrap();
    drop(db);
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("PRAGMA user_version = 999").unwrap();
    drop(conn);
    let (db, notice) = IndexDb::open(&path).unwrap();
    assert_eq!(
        notice,
        Some(Notice::OtherVersion {
            path: path.clone(),
            found: 999
        })
    );
    assert_eq!(db.reader().unwrap().entry_count().unwrap(), 0);
    assert_eq!(IndexDb::open(&path).unwrap().1, None, "said once");
}

#[test]
fn a_damaged_index_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    for (name, damage) in [
        (
            "text.db",
            b"this is no database, and it is long enough to be looked at".repeat(100),
        ),
        (
            "header.db",
            [b"SQLite format 3\0".as_slice(), &[0x55; 5000]].concat(),
        ),
    ] {
        let path = dir.path().join(name);
        fs::write(&path, damage).unwrap();
        let (db, notice) = IndexDb::open(&path).unwrap();
        let notice = notice.expect(name);
        assert_eq!(notice, Notice::Damaged { path: path.clone() });
        assert!(notice.to_string().contains(name), "{notice}");
        db.writer().unwrap().commit().unwrap();
    }
}

/// An index with pages that opening does not look at.
fn large(path: &Path) -> IndexDb {
    let (db, _) = IndexDb::open(path).unwrap();
    let writer = db.writer().unwrap();
    let num = add(&writer, &session("a"), &["needle"]);
    for ix in 1..3000 {
        let entry_id = if ix > 2000 {
            "late-entry"
        } else {
            "early-entry"
        };
        writer
            .add_entry(
                num,
                &NewEntry {
                    entry_id,
                    ..entry(ix, "")
                },
            )
            .unwrap();
    }
    writer.commit().unwrap();
    db
}

/// Overwrites every page that holds entries late in the session, so that opening sees nothing.
fn damage_late(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let mut damaged = 0;
    for page in bytes.chunks_mut(4096).skip(1) {
        if page.windows(6).any(|at| at == b"late-e") {
            page.fill(0x5a);
            damaged += 1;
        }
    }
    assert!(damaged > 0);
    fs::write(path, bytes).unwrap();
}

#[test]
fn damage_met_on_the_way_is_an_error_and_can_be_mended() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    drop(large(&path));
    damage_late(&path);
    // Nobody noted how the file was left, as with one of an older version.
    fs::remove_file(dir.path().join("index.db.users")).unwrap();
    let (db, notice) = IndexDb::open(&path).unwrap();
    assert_eq!(notice, None, "no start looks at every page");
    let a = palimpsest_store::index::SessionNum(1);
    let error = db.reader().unwrap().entries(a, 0, 5000).unwrap_err();
    assert!(matches!(error, StoreError::IndexDamaged { .. }), "{error}");
    assert_eq!(db.rebuild().unwrap(), Notice::Damaged { path });
    let writer = db.writer().unwrap();
    add(&writer, &session("a"), &["needle"]);
    writer.commit().unwrap();
    assert_eq!(found(&db, &words(&["needle"], &[])), ["1:0"]);
}

#[test]
fn an_index_that_something_else_wrote_to_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    drop(large(&path));
    for start in 0..2 {
        let (db, notice) = IndexDb::open(&path).unwrap();
        assert_eq!(notice, None, "start {start}");
        db.writer().unwrap().commit().unwrap();
        // As a program ends that does not drop it.
        db.close();
        drop(db);
    }
    // Within a value, so that no page is broken.
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(6).position(|at| at == b"late-e").unwrap();
    bytes[at] = b'L';
    fs::write(&path, bytes).unwrap();
    let (db, notice) = IndexDb::open(&path).unwrap();
    assert_eq!(notice, Some(Notice::Changed { path: path.clone() }));
    assert_eq!(db.reader().unwrap().entry_count().unwrap(), 0);
    drop(db);
    assert_eq!(IndexDb::open(&path).unwrap().1, None, "said once");
}

#[test]
fn every_page_is_looked_at_after_an_unclean_stop() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    let db = large(&path);
    // What is there when the program is killed: the log was not written back.
    let killed = |name: &str, is_damaged: bool| {
        let folder = dir.path().join(name);
        fs::create_dir(&folder).unwrap();
        for file in ["index.db", "index.db-wal", "index.db.users"] {
            fs::copy(dir.path().join(file), folder.join(file)).unwrap();
        }
        let path = folder.join("index.db");
        // A part of the pages is in the file itself.
        let mut bytes = fs::read(folder.join("index.db-wal")).unwrap();
        assert!(!bytes.is_empty());
        if is_damaged {
            fs::write(folder.join("index.db-wal"), &bytes[..40]).unwrap();
            bytes = fs::read(&path).unwrap();
            let (from, to) = (8192.min(bytes.len()), bytes.len());
            bytes[from..to].fill(0x5a);
            fs::write(&path, bytes).unwrap();
        }
        IndexDb::open(&path).unwrap()
    };
    // So that the file has pages beside the log.
    let mut writer = db.writer().unwrap();
    for round in 0..60 {
        let num = add(&writer, &session(&format!("s{round}")), &["needle"]);
        for ix in 1..2000 {
            writer
                .add_entry(num, &entry(ix, "words to look for"))
                .unwrap();
        }
        writer.commit().unwrap();
        writer = db.writer().unwrap();
    }
    drop(writer);
    let (whole, notice) = killed("whole", false);
    assert_eq!(notice, None);
    assert!(whole.reader().unwrap().entry_count().unwrap() > 100_000);
    let (_, notice) = killed("damaged", true);
    assert!(matches!(notice, Some(Notice::Damaged { .. })), "{notice:?}");
    // Another program that opens it meanwhile does not look, as it was not left.
    assert_eq!(IndexDb::open(&path).unwrap().1, None);
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("precious.db");
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("CREATE TABLE precious (x); INSERT INTO precious VALUES (1);")
        .unwrap();
    drop(conn);
    let before = fs::read(&path).unwrap();
    let error = IndexDb::open(&path).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_locked_index_says_who_to_wait_for() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    let (one, _) = IndexDb::open(&path).unwrap();
    let (two, _) = IndexDb::open_waiting(&path, Duration::from_millis(20)).unwrap();
    let held = one.writer().unwrap();
    let error = two.writer().unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("index.db"), "{error}");
    two.reader().unwrap().sources().unwrap();
    drop(held);
    two.writer().unwrap().commit().unwrap();
}

#[test]
fn writers_of_one_process_take_turns() {
    let db = IndexDb::init_in_memory().unwrap();
    std::thread::scope(|scope| {
        for n in 0..4 {
            let db = &db;
            scope.spawn(move || {
                for m in 0..10 {
                    let writer = db.writer().unwrap();
                    writer.put_session(&session(&format!("{n}-{m}"))).unwrap();
                    writer.commit().unwrap();
                }
            });
        }
    });
    let all = SessionFilter::default();
    let list = db
        .reader()
        .unwrap()
        .sessions(&all, SessionSort::Updated, 0, 0)
        .unwrap();
    assert_eq!(list.total, 40);
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
fn several_first_starts_at_once_make_one_index() {
    for _ in 0..8 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("share/index.db");
        let starts: Vec<_> = (0..4)
            .map(|_| {
                let path = path.clone();
                std::thread::spawn(move || IndexDb::open(&path).map(|(_, notice)| notice))
            })
            .collect();
        for start in starts {
            assert_eq!(start.join().unwrap().unwrap(), None);
        }
    }
}

#[test]
fn a_value_of_another_type_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    let (db, _) = IndexDb::open(&path).unwrap();
    let writer = db.writer().unwrap();
    add(&writer, &session("a"), &["needle"]);
    writer.commit().unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other
        .execute_batch("UPDATE entries SET ix = 'no number'")
        .unwrap();
    let found = db.reader().unwrap().hits(&words(&["needle"], &[]));
    assert!(
        matches!(found, Err(StoreError::IndexDamaged { .. })),
        "{found:?}"
    );
    other.execute_batch("DROP TABLE entries").unwrap();
    let found = db.reader().unwrap().hits(&words(&["needle"], &[]));
    assert!(
        matches!(found, Err(StoreError::IndexDamaged { .. })),
        "{found:?}"
    );
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

/// Sessions whose entries all hold one word, newer ones indexed before older ones.
fn frequent(sessions: i64, entries: u32) -> IndexDb {
    let db = IndexDb::init_in_memory().unwrap();
    let writer = db.writer().unwrap();
    for at in 0..sessions {
        // 7 and the number of sessions have no common factor, so every rank occurs once.
        let rank = (at * 7) % sessions;
        let begun = rank * 1_000;
        let mut row = session(&format!("s{at}"));
        row.created_at_ms = Some(begun);
        row.updated_at_ms = Some(begun + i64::from(entries));
        let num = writer.put_session(&row).unwrap();
        for ix in 0..entries {
            let said = NewEntry {
                at_ms: Some(begun + i64::from(ix)),
                ..entry(ix, "frequent word")
            };
            writer.add_entry(num, &said).unwrap();
        }
    }
    writer.commit().unwrap();
    db
}

#[test]
fn hits_of_a_frequent_word_come_by_time_page_after_page() {
    // The second is spread over more sessions than are looked into one by one.
    for (sessions, entries) in [(25, 100), (1_250, 2)] {
        let db = frequent(sessions, entries);
        let reader = db.reader().unwrap();
        let mut query = words(&["frequent"], &[]);
        query.limit = 60;
        let mut times = Vec::new();
        loop {
            let page = reader.hits(&query).unwrap();
            times.extend(page.iter().map(|hit| hit.entry.at_ms.unwrap()));
            query.before = page.last().map(|hit| hit.place());
            if (page.len() as u64) < query.limit {
                break;
            }
        }
        let mut expected: Vec<i64> = (0..sessions)
            .flat_map(|rank| (0..i64::from(entries)).map(move |ix| rank * 1_000 + ix))
            .collect();
        expected.reverse();
        assert_eq!(times, expected, "{sessions} sessions");
    }
}

#[test]
fn hits_of_a_frequent_word_keep_to_the_sessions_asked_for() {
    let db = frequent(25, 100);
    let mut query = words(&["frequent"], &[]);
    query.limit = 150;
    query.filter.sets = vec![palimpsest_store::index::SessionSet {
        ids: vec!["s3".into(), "s4".into()],
        inside: true,
    }];
    let hits = db.reader().unwrap().hits(&query).unwrap();
    let times: Vec<i64> = hits.iter().map(|hit| hit.entry.at_ms.unwrap()).collect();
    // Ranks 21 and 3.
    let expected: Vec<i64> = (21_000..21_100).rev().chain((3_050..3_100).rev()).collect();
    assert_eq!(times, expected);
}

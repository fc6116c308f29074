use crate::hits::{found, words};
use crate::sample::{add, entry, session};
use palimpsest_store::index::{NewEntry, SessionFilter, SessionSort};
use palimpsest_store::{IndexDb, Notice, StoreError};
use std::fs;
use std::path::Path;
use std::time::Duration;

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
fn an_index_whose_mark_is_damaged_is_built_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    drop(IndexDb::open(&path).unwrap());
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("PRAGMA application_id = 77;").unwrap();
    drop(conn);
    let (_, notice) = IndexDb::open(&path).unwrap();
    assert!(matches!(notice, Some(Notice::Damaged { .. })), "{notice:?}");
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

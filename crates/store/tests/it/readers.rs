//! Reading connections that are used for one question after another.

use crate::hits::{found, words};
use crate::sample::{add, session};
use palimpsest_store::IndexDb;
use std::fs;
use std::path::Path;

fn with(path: &Path, id: &str, text: &str) -> IndexDb {
    let (db, _) = IndexDb::open(path).unwrap();
    put(&db, id, text);
    db
}

fn put(db: &IndexDb, id: &str, text: &str) {
    let writer = db.writer().unwrap();
    add(&writer, &session(id), &[text]);
    writer.commit().unwrap();
}

#[test]
fn what_is_written_between_two_questions_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let db = with(&dir.path().join("index.db"), "a", "needle");
    let needle = words(&["needle"], &[]);
    assert_eq!(found(&db, &needle), ["1:0"]);
    put(&db, "b", "needle");
    assert_eq!(found(&db, &needle), ["2:0", "1:0"]);
}

#[test]
fn a_file_that_took_the_place_of_another_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let (path, other) = (dir.path().join("index.db"), dir.path().join("other.db"));
    let db = with(&path, "a", "needle");
    assert_eq!(found(&db, &words(&["needle"], &[])), ["1:0"]);
    drop(with(&other, "b", "thread"));
    db.close();
    fs::rename(&other, &path).unwrap();
    assert_eq!(found(&db, &words(&["needle"], &[])), [""; 0]);
    assert_eq!(found(&db, &words(&["thread"], &[])), ["1:0"]);
}

#[test]
fn the_log_is_written_into_the_file_when_the_index_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.db");
    let db = with(&path, "a", "needle");
    let log = dir.path().join("index.db-wal");
    assert_eq!(found(&db, &words(&["needle"], &[])), ["1:0"]);
    assert!(log.exists(), "in use");
    db.close();
    assert!(!log.exists(), "closed");
    // A question that comes late leaves no connection open.
    assert_eq!(found(&db, &words(&["needle"], &[])), ["1:0"]);
    drop(db);
    assert_eq!(
        found(&IndexDb::open(&path).unwrap().0, &words(&["needle"], &[])),
        ["1:0"]
    );
}

#[test]
fn a_reader_can_answer_from_one_state_of_the_index() {
    let dir = tempfile::tempdir().unwrap();
    let db = with(&dir.path().join("index.db"), "a", "needle");
    let needle = words(&["needle"], &[]);
    let reader = db.reader().unwrap();
    let count = || reader.hits(&needle).unwrap().hits.len();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(count(), 1);
    put(&db, "b", "needle");
    assert_eq!(count(), 1, "written since");
    assert!(reader.snapshot().is_err(), "one is open");
    assert_eq!(count(), 1, "and it stays open");
    drop(snapshot);
    assert_eq!(count(), 2);
    // The connection goes back to the others, and its next question sees what is written by then.
    let late = db.reader().unwrap();
    let kept = late.snapshot().unwrap();
    assert_eq!(late.hits(&needle).unwrap().hits.len(), 2);
    drop((kept, reader));
    drop(late);
    put(&db, "c", "needle");
    assert_eq!(found(&db, &needle).len(), 3);
    // One whose transaction was not ended does not go back.
    let left = db.reader().unwrap();
    std::mem::forget(left.snapshot().unwrap());
    assert_eq!(left.hits(&needle).unwrap().hits.len(), 3);
    drop(left);
    put(&db, "d", "needle");
    assert_eq!(found(&db, &needle).len(), 4);
}

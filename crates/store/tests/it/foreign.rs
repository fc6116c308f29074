//! Another program's database: read as of one moment, while its owner writes, leaving no trace.
//!
//! The owner is this test program started a second time, because locks of one process do not
//! hold within it.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use palimpsest_store::foreign::query;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

const ROLE: &str = "PALIMPSEST_TEST_OWNER";
const FILE: &str = "PALIMPSEST_TEST_DATABASE";

/// The other program. Says `ready`, does what its role demands until its input ends, then says
/// how often it was refused.
#[test]
fn owner() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let path = std::env::var(FILE).unwrap();
    let mut out = std::io::stdout();
    let db = Connection::open(path).unwrap();
    db.busy_timeout(std::time::Duration::ZERO).unwrap();
    let mut refused = 0;
    match role.as_str() {
        "holds-log" => {
            db.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
                 CREATE TABLE t (a); INSERT INTO t VALUES ('in the log only');",
            )
            .unwrap();
        }
        "holds-exclusive-mode" => {
            db.execute_batch(
                "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;
                 CREATE TABLE t (a); INSERT INTO t VALUES (1);",
            )
            .unwrap();
        }
        "holds-lock" => {
            db.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1); BEGIN EXCLUSIVE;")
                .unwrap();
        }
        "holds-half-a-write" => {
            db.execute_batch(
                "CREATE TABLE t (a); INSERT INTO t VALUES (1); PRAGMA cache_size = 2; BEGIN;
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                 INSERT INTO t SELECT hex(zeroblob(200)) FROM n;",
            )
            .unwrap();
        }
        "writes" => {
            // A hundred accounts on as many pages, whose sum never changes.
            db.execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 7;
                 PRAGMA synchronous = OFF;
                 CREATE TABLE account (id INTEGER PRIMARY KEY, amount, pad);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                 INSERT INTO account SELECT i, 100, zeroblob(3000) FROM n;",
            )
            .unwrap();
        }
        other => panic!("no such role: {other}"),
    }
    writeln!(out, "\nready").unwrap();
    let (ended, input) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        let _ = ended.send(());
    });
    if role == "writes" {
        let mut step = 0i64;
        while input.try_recv().is_err() {
            step += 1;
            let (from, to) = (step * 37 % 100 + 1, step * 59 % 100 + 1);
            let moved = db.execute_batch(&format!(
                "BEGIN IMMEDIATE;
                 UPDATE account SET amount = amount - 1 WHERE id = {from};
                 UPDATE account SET amount = amount + 1 WHERE id = {to};
                 COMMIT;"
            ));
            if moved.is_err() {
                refused += 1;
            }
            if step % 5 == 0 {
                std::thread::sleep(std::time::Duration::from_millis(3));
            }
        }
    } else {
        input.recv().unwrap();
    }
    writeln!(out, "\nrefused {refused}").unwrap();
    out.flush().unwrap();
    // Without closing: the log stays as it is.
    std::process::exit(0);
}

struct Owner {
    process: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Owner {
    fn start(role: &str, database: &Path) -> Owner {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "foreign::owner", "--nocapture"])
            .env(ROLE, role)
            .env(FILE, database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut owner = Owner { process, output };
        owner.wait_for("ready");
        owner
    }

    fn wait_for(&mut self, word: &str) -> String {
        let mut line = String::new();
        while self.output.read_line(&mut line).unwrap() > 0 {
            if line.starts_with(word) {
                return line.trim().to_owned();
            }
            line.clear();
        }
        panic!("the owner ended without saying '{word}'");
    }

    fn end(mut self) -> String {
        drop(self.process.stdin.take());
        let last = self.wait_for("refused");
        self.process.wait().unwrap();
        last
    }
}

type Listing = BTreeMap<PathBuf, (u64, SystemTime, Vec<u8>)>;

/// Name, size, time and content of every file in a folder.
fn state(folder: &Path) -> Listing {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|item| {
            let path = item.unwrap().path();
            let meta = path.metadata().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            (path, (meta.len(), meta.modified().unwrap(), bytes))
        })
        .collect()
}

fn one(database: &Path, sql: &str) -> std::io::Result<Vec<Vec<Value>>> {
    Ok(query(database, &[(sql, &[])])?.remove(0))
}

#[test]
fn rows_that_are_only_in_the_log_are_seen_and_no_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("opencode.db");
    let owner = Owner::start("holds-log", &database);
    let before = state(folder.path());
    assert_eq!(before.len(), 3, "the owner has its log open");
    let rows = one(&database, "SELECT a FROM t").unwrap();
    assert_eq!(rows, [[json!("in the log only")]]);
    assert_eq!(state(folder.path()), before);
    assert_eq!(owner.end(), "refused 0");
    // The owner is gone and has left its log behind.
    let before = state(folder.path());
    assert_eq!(one(&database, "SELECT a FROM t").unwrap().len(), 1);
    assert_eq!(state(folder.path()), before);
}

#[test]
fn answers_are_of_one_moment_and_the_owner_is_never_refused() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("opencode.db");
    let owner = Owner::start("writes", &database);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let all = "SELECT sum(amount) FROM account";
        let some = "SELECT sum(amount) FROM account WHERE id <= ?1";
        let rest = "SELECT sum(amount) FROM account WHERE id > ?1";
        let half = ["50".to_owned()];
        let answers = match query(&database, &[(all, &[]), (some, &half), (rest, &half)]) {
            Ok(answers) => answers,
            Err(error) if error.kind() == ErrorKind::ResourceBusy => continue,
            Err(error) => panic!("{error}"),
        };
        let number = |answer: usize| answers[answer][0][0].as_i64().unwrap();
        assert_eq!(number(0), 10_000);
        assert_eq!(number(1) + number(2), 10_000);
        seen.insert(number(1));
    }
    assert!(seen.len() > 1, "nothing was written meanwhile");
    let names: Vec<_> = state(folder.path()).into_keys().collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(owner.end(), "refused 0");
}

#[test]
fn a_locked_database_is_readable() {
    for role in ["holds-lock", "holds-exclusive-mode"] {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("opencode.db");
        let owner = Owner::start(role, &database);
        let before: Vec<_> = state(folder.path()).into_keys().collect();
        let rows = one(&database, "SELECT a FROM t").unwrap();
        assert_eq!(rows, [[json!(1)]], "{role}");
        let after: Vec<_> = state(folder.path()).into_keys().collect();
        assert_eq!(before, after, "{role}");
        assert_eq!(owner.end(), "refused 0");
    }
}

#[test]
fn a_half_written_database_says_to_try_again() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("opencode.db");
    let owner = Owner::start("holds-half-a-write", &database);
    let before = state(folder.path());
    assert_eq!(before.len(), 2, "a rollback journal is there");
    let error = one(&database, "SELECT a FROM t").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceBusy);
    assert!(
        error.to_string().contains("not finished a write"),
        "{error}"
    );
    assert_eq!(state(folder.path()), before);
    assert_eq!(owner.end(), "refused 0");
}

#[test]
fn a_closed_database_in_wal_mode_gets_no_log() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("a name with ? and % and #.db");
    let db = Connection::open(&database).unwrap();
    db.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a, b);")
        .unwrap();
    db.execute("INSERT INTO t VALUES (?1, ?2)", (1.5, b"\xffx".as_slice()))
        .unwrap();
    drop(db);
    let before = state(folder.path());
    assert_eq!(before.len(), 1);
    let rows = one(&database, "SELECT a, b, NULL FROM t").unwrap();
    assert_eq!(rows, [[json!(1.5), json!("\u{fffd}x"), Value::Null]]);
    assert_eq!(state(folder.path()), before);
}

#[test]
fn what_cannot_be_answered_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("x.db");
    let missing = one(&database, "SELECT 1").unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(!database.exists());
    std::fs::write(&database, "no database at all, ".repeat(100)).unwrap();
    let other = one(&database, "SELECT * FROM t").unwrap_err();
    assert_eq!(other.kind(), ErrorKind::InvalidData);
    assert!(other.to_string().contains("x.db"), "{other}");
    std::fs::write(&database, "").unwrap();
    let table = one(&database, "SELECT * FROM t").unwrap_err();
    assert_eq!(table.kind(), ErrorKind::InvalidInput);
    assert!(table.to_string().contains("no such table"), "{table}");
    let write = one(&database, "CREATE TABLE t (a)").unwrap_err();
    assert_eq!(write.kind(), ErrorKind::InvalidInput);
    assert_eq!(std::fs::read(&database).unwrap(), b"");
}

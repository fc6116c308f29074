//! OpenCode's sessions as they are put together from trees, exports and rows.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use crate::common::told::told_session;
use palimpsest_core::context::ReportedSize;
use palimpsest_formats::account::account;
use palimpsest_formats::assembly::{Query, Rows};
use palimpsest_formats::opencode::OpenCode;
use palimpsest_formats::{Assembly, Disk, InMemory, SessionFormat, Stamp};
use serde_json::{Value, json};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/opencode")
}

/// The machine's files; the database is what a test makes of it.
struct Files<F>(F);

fn no_database(_: &Path, _: &[Query]) -> io::Result<Vec<Rows>> {
    panic!("no database is asked for here")
}

impl<F: Fn(&Path, &[Query]) -> io::Result<Vec<Rows>> + Send + Sync> Disk for Files<F> {
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = std::fs::read(path)?;
        bytes.truncate(usize::try_from(at_most).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let listing = std::fs::read_dir(folder)?;
        let mut paths: Vec<PathBuf> = listing.map(|item| item.unwrap().path()).collect();
        paths.sort();
        Ok(paths)
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let meta = std::fs::metadata(path)?;
        let since = meta.modified()?.duration_since(UNIX_EPOCH).unwrap();
        Ok(Stamp {
            size: meta.len(),
            mtime_ns: since.as_nanos() as i64,
        })
    }

    fn query(&self, database: &Path, queries: &[Query]) -> io::Result<Vec<Rows>> {
        (self.0)(database, queries)
    }
}

fn assembly(path: &Path) -> &'static dyn Assembly {
    OpenCode.assembly(path, b"SQLite format 3\0").unwrap()
}

/// The session in words, with every line accounted for.
fn told(ours: &InMemory, bytes: &[u8]) -> String {
    let accounted = account(&ours.session, bytes);
    assert_eq!(accounted.lost, [0u32; 0], "lines that nothing is known of");
    told_session(ours)
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(format!("opencode-{name}"), text);
    });
}

/// Reads what is put together from `path`; the snapshot names the files with their lines.
fn assembled(path: &Path, name: &str) {
    let disk = Files(no_database);
    let head = disk.read(path, 65536).unwrap();
    assert!(OpenCode.is_candidate(path), "{}", path.display());
    assert!(OpenCode.sniff(path, &head), "{}", path.display());
    let found = assembly(path).sessions(path, &disk).unwrap();
    assert_eq!(found.len(), 1);
    let address = &found[0].address;
    assert_eq!(Path::new(address), path);
    let document = assembly(path).document(address, &disk).unwrap();
    let ours = InMemory::assembled(&OpenCode, assembly(path), address, &disk).unwrap();
    let mut out = String::new();
    for part in &ours.session.parts {
        let shown = Path::new(&part.path).strip_prefix(folder()).unwrap();
        writeln!(out, "{} {}", part.line, shown.display()).unwrap();
        assert!(part.offset == 0 || document.bytes[part.offset as usize - 1] == b'\n');
    }
    out.push_str(&told(&ours, &document.bytes));
    snapshot(name, &out);
}

#[test]
fn a_tree_of_files_is_one_session() {
    let tree = folder().join("trees/1.1/storage/session/global/ses_0001.json");
    assembled(&tree, "tree-1.1");
    let project = folder().join("trees/0.5/project/home-ada-tally");
    let old = project.join("storage/session/info/ses_0001.json");
    assembled(&old, "tree-0.5");
}

#[test]
fn a_tree_changes_its_stamp_with_its_last_message() {
    let home = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = home.path().join("storage").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    let file = put("session/global/ses_1.json", r#"{"id":"ses_1"}"#);
    let disk = Files(no_database);
    let stamp = || assembly(&file).sessions(&file, &disk).unwrap()[0].stamp;
    let mut seen = vec![stamp()];
    for (path, text) in [
        (
            "message/ses_1/msg_1.json",
            r#"{"id":"msg_1","role":"user"}"#,
        ),
        ("part/msg_1/prt_1.json", r#"{"type":"text","text":"a"}"#),
        (
            "part/msg_1/prt_1.json",
            r#"{"type":"text","text":"a and b"}"#,
        ),
        ("message/ses_1/msg_2.json", r#"{"id":"msg_2"}"#),
    ] {
        put(path, text);
        seen.push(stamp());
        let (newest, before) = seen.split_last().unwrap();
        assert!(!before.contains(newest), "after {path}");
    }
    let signs = assembly(&file).signs(&file.to_string_lossy());
    assert_eq!(
        signs,
        [file.clone(), home.path().join("storage/message/ses_1")]
    );
}

#[test]
fn exports() {
    assembled(&folder().join("exports/whole.export.json"), "export-whole");
    assembled(&folder().join("exports/cut.export.json"), "export-cut");
}

/// Answers like a database with these tables, by what a statement asks for.
fn rows(database: &Path, queries: &[Query]) -> io::Result<Vec<Rows>> {
    assert_eq!(database, Path::new("/data/opencode.db"));
    let columns = |table: &str, names: &[&str]| -> Rows {
        names
            .iter()
            .map(|name| vec![json!(table), json!(name)])
            .collect()
    };
    let session = [
        "id",
        "directory",
        "title",
        "revert",
        "time_created",
        "time_updated",
    ];
    let answer = |query: &Query| -> Rows {
        let asks = |words: &str| query.sql.contains(words);
        if asks("pragma_table_info") {
            assert!(query.values.is_empty());
            let mut all = columns("session", &session);
            all.extend(columns("message", &["id", "session_id", "data"]));
            all.extend(columns("part", &["id", "message_id", "session_id", "data"]));
            all.extend(columns("todo", &["content"]));
            return all;
        }
        if asks("FROM session s") {
            assert!(!asks("event_sequence"), "a table that is not there");
            let row = |id, counts: i64| {
                vec![
                    json!(id),
                    json!(50),
                    json!(70),
                    json!(counts),
                    json!(3),
                    json!(60),
                ]
            };
            return vec![row("ses_1", 2), row("ses_2", 0)];
        }
        if asks("WHERE 0") {
            return Vec::new();
        }
        if query.values != ["ses_1"] {
            return Vec::new();
        }
        if asks("FROM session WHERE") {
            assert!(asks("\"directory\"") && !asks("agent"));
            let revert = r#"{"messageID":"msg_2"}"#;
            return vec![vec![
                json!("ses_1"),
                json!("/w"),
                json!("T"),
                json!(revert),
                json!(1),
                json!(2),
            ]];
        }
        let message = |role: &str| json!({"role": role, "time": {"created": 5}}).to_string();
        if asks("FROM message") {
            return vec![
                vec![json!("msg_1"), json!(message("user"))],
                vec![json!("msg_2"), json!(message("assistant"))],
            ];
        }
        if asks("FROM part") {
            let part = |id, of, text| {
                vec![
                    json!(id),
                    json!(of),
                    json!(format!(r#"{{"type":"text","text":"{text}"}}"#)),
                ]
            };
            return vec![
                part("prt_3", "msg_0", "orphan"),
                part("prt_1", "msg_1", "ask"),
                part("prt_2", "msg_2", "tell"),
            ];
        }
        assert!(asks("FROM todo"), "{}", query.sql);
        vec![vec![json!("x"), json!("pending"), json!("low"), json!(9)]]
    };
    Ok(queries.iter().map(answer).collect())
}

#[test]
fn rows_become_a_document() {
    let path = Path::new("/data/opencode.db");
    let disk = Files(rows);
    let found = assembly(path).sessions(path, &disk).unwrap();
    let stamps: Vec<_> = found
        .iter()
        .map(|one| (one.address.as_str(), one.stamp.size, one.stamp.mtime_ns))
        .collect();
    assert_eq!(
        stamps,
        [
            ("/data/opencode.db#ses_1", 75, 60_000_000),
            ("/data/opencode.db#ses_2", 73, 60_000_000)
        ]
    );
    let document = assembly(path).document(&found[0].address, &disk).unwrap();
    let text = String::from_utf8(document.bytes.clone()).unwrap();
    let ids: Vec<String> = text
        .lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            record
                .get("id")
                .and_then(Value::as_str)
                .unwrap_or("todo")
                .to_owned()
        })
        .collect();
    assert_eq!(
        ids,
        ["ses_1", "msg_1", "prt_1", "msg_2", "prt_2", "prt_3", "todo"]
    );
    assert!(text.starts_with(
        r#"{"id":"ses_1","directory":"/w","title":"T","revert":{"messageID":"msg_2"},"#
    ));
    let ours = InMemory::assembled(&OpenCode, assembly(path), &found[0].address, &disk).unwrap();
    assert_eq!(account(&ours.session, &document.bytes).lost, [0u32; 0]);
    let leaf = ours.session.active_leaf.unwrap();
    assert_eq!(ours.session.entry(leaf).id.as_str(), "msg_1");
    assert_eq!(
        ours.session.warnings.len(),
        1,
        "{:?}",
        ours.session.warnings
    );
    assert_eq!(
        assembly(path).signs(&found[0].address),
        [path, Path::new("/data/opencode.db-wal")]
    );
}

#[test]
fn an_address_that_leads_nowhere_says_so() {
    let path = Path::new("/data/opencode.db");
    let disk = Files(rows);
    let gone = assembly(path)
        .document("/data/opencode.db#ses_9", &disk)
        .unwrap_err();
    assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    assert!(gone.to_string().contains("ses_9"), "{gone}");
    let which = assembly(path)
        .document("/data/opencode.db", &disk)
        .unwrap_err();
    assert_eq!(which.kind(), io::ErrorKind::InvalidInput);
    assert!(OpenCode.assembly(path, b"").is_none(), "not yet a database");
    let empty = Files(|_: &Path, queries: &[Query]| Ok(vec![Rows::new(); queries.len()]));
    assert_eq!(assembly(path).sessions(path, &empty).unwrap(), []);
}

#[test]
fn the_reported_size_is_of_the_newest_reply_after_the_summary() {
    let path = folder().join("valid/1.18-compactions-with-tail.jsonl");
    let ours = InMemory::read(&OpenCode, "x", std::fs::read(path).unwrap());
    let at = |id: &str| ours.session.by_id()[id];
    let reported = |id: &str| ours.context(Some(at(id))).reported;
    assert_eq!(
        reported("msg_0006"),
        None,
        "a summary tells of another context"
    );
    assert_eq!(reported("msg_0007"), None, "so does a reply that was kept");
    let expected = ReportedSize {
        tokens: 105 + 6,
        usage_tokens: 105,
        trailing_tokens: 6,
        entry: at("msg_0008"),
    };
    assert_eq!(reported("msg_0009"), Some(expected));
}

#[test]
fn policy_is_the_usable_window() {
    let policy = OpenCode.policy(200_000);
    assert_eq!((policy.threshold, policy.reserve), (167_999, 32_000));
    assert_eq!(policy.keep_recent, 15_000);
    assert_eq!(OpenCode.policy(40_000).keep_recent, 2_000);
    assert_eq!(OpenCode.policy(8_000).threshold, 0);
}

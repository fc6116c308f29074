//! Sessions that depend on other files and on each other: an index follows every change there.

use super::{contents, index};
use palimpsest_store::IndexDb;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose sessions are made from several files each, among the fixtures of the readers.
const FOLDERS: [&str; 4] = [
    "factory-droid/valid",
    "mux/homes",
    "opencode/trees/0.5",
    "opencode/trees/1.1",
];

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in fs::read_dir(folder).unwrap().flatten() {
        if item.path().is_dir() {
            found.extend(files_below(&item.path()));
        } else {
            found.push(item.path());
        }
    }
    found.sort();
    found
}

fn fresh(root: &Path) -> String {
    let db = IndexDb::init_in_memory().unwrap();
    index(&db, root);
    contents(&db)
}

#[test]
fn a_file_beside_a_session_may_come_change_and_go() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    for folder in FOLDERS {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join(folder.split('/').next().unwrap());
        let from = fixtures.join(folder);
        for file in files_below(&from) {
            let to = root.join(file.strip_prefix(&from).unwrap());
            write(&to, &fs::read(&file).unwrap());
        }
        let growing = IndexDb::init_in_memory().unwrap();
        index(&growing, &root);
        let whole = contents(&growing);
        for file in files_below(&root) {
            let bytes = fs::read(&file).unwrap();
            let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
            let half = lines[..lines.len() / 2].concat();
            fs::remove_file(&file).unwrap();
            index(&growing, &root);
            assert_eq!(contents(&growing), fresh(&root), "without {file:?}");
            write(&file, &half);
            index(&growing, &root);
            assert_eq!(contents(&growing), fresh(&root), "half of {file:?}");
            write(&file, &bytes);
            index(&growing, &root);
            let after = contents(&growing);
            // Without their own times, sessions have those of their files.
            let timeless = |text: &str| {
                let words = text.split_inclusive(", ");
                let is_time = |word: &&str| word.starts_with("updated_at_ms");
                words.filter(|word| !is_time(word)).collect::<String>()
            };
            assert_eq!(timeless(&after), timeless(&whole), "with {file:?} again");
        }
    }
}

/// Records of Claude Code in one session, each with its time in milliseconds.
fn session(id: &str, said: &[(i64, &str)]) -> String {
    let mut parent = None;
    let mut text = String::new();
    for (at, (ms, words)) in said.iter().enumerate() {
        let uuid = format!("{at}-{ms}");
        let record = json!({
            "type": "user", "uuid": uuid, "parentUuid": parent, "sessionId": id,
            "timestamp": format!("2026-03-01T10:00:{:02}.{:03}Z", ms / 1000, ms % 1000),
            "cwd": "/home/dev/courier", "version": "2.1.0",
            "message": {"role": "user", "content": words},
        });
        text.push_str(&format!("{record}\n"));
        parent = Some(uuid);
    }
    text
}

#[test]
fn what_shares_a_beginning_is_related_in_whatever_order_it_comes_and_goes() {
    let begin = (1_001, "Look at the barge.");
    let own = [
        ("a", session("a", &[begin, (2_001, "one"), (3_001, "two")])),
        (
            "b",
            session("b", &[begin, (2_001, "one"), (9_001, "three")]),
        ),
        ("c", session("c", &[begin, (20_001, "four")])),
    ];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let dir = tempfile::tempdir().unwrap();
        let path = |at: usize| dir.path().join(format!("{}.jsonl", own[at].0));
        let growing = IndexDb::init_in_memory().unwrap();
        let same = |what: &str| {
            index(&growing, dir.path());
            assert_eq!(contents(&growing), fresh(dir.path()), "{order:?}, {what}");
        };
        for at in order {
            // The first line alone, then the rest.
            let (first, _) = own[at].1.split_once('\n').unwrap();
            write(&path(at), format!("{first}\n").as_bytes());
            same("begun");
            write(&path(at), own[at].1.as_bytes());
            same("grown");
        }
        assert!(contents(&growing).contains("SharesBeginning"));
        for at in order {
            fs::remove_file(path(at)).unwrap();
            same("gone");
        }
    }
}

/// A zstd frame with one block that is not compressed (RFC 8878, 3.1.1).
fn frame(text: &[u8]) -> Vec<u8> {
    let size = u32::try_from(text.len()).unwrap().to_le_bytes();
    let block = u32::try_from(text.len() << 3 | 1).unwrap().to_le_bytes();
    [b"\x28\xb5\x2f\xfd\xa0", &size[..], &block[..3], text].concat()
}

#[test]
fn a_file_that_was_damaged_is_no_longer_a_session() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
    let text = fs::read(fixtures.join("codex/valid/paginated.jsonl")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let name = "rollout-2026-01-01T00-00-00-0199a000-0000-7000-8000-000000000001.jsonl.zst";
    let path = dir.path().join("sessions").join(name);
    let frame = frame(&text);
    write(&path, &frame);
    let db = IndexDb::init_in_memory().unwrap();
    assert_eq!(index(&db, dir.path()).sessions, 1);
    // The frame's own header stays.
    let damaged = [&frame[..6], &[0xff; 40]].concat();
    write(&path, &damaged);
    let report = index(&db, dir.path());
    assert_eq!((report.sessions, report.failed.len()), (0, 0));
    let again = index(&db, dir.path());
    assert!(again.failed[0].reason.contains("damaged"), "{again:?}");
    assert_eq!(contents(&db), fresh(dir.path()));
}

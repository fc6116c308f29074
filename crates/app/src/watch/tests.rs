//! Watching real folders. What is waited for comes or the test fails after a long time; nothing
//! is said about how soon.

use super::*;
use crate::index::ChangeKind;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::mpsc;

const PATIENCE: Duration = Duration::from_secs(20);

const HEADER: &str = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\
                      \"timestamp\":\"2026-10-05T10:00:00.000Z\",\"cwd\":\"/x\"}\n";

fn entry(id: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":null,\
         \"timestamp\":\"2026-10-05T10:00:00.000Z\",\
         \"message\":{{\"role\":\"user\",\"content\":\"hi\",\"timestamp\":1}}}}\n"
    )
}

fn watching(roots: &[&Path]) -> (Watcher, mpsc::Receiver<WatchEvent>, IndexDb) {
    let db = IndexDb::init_in_memory().unwrap();
    let roots: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
    index::run(&db, &roots, &Control::QUIET).unwrap();
    let (sender, events) = mpsc::channel();
    let watcher = Watcher::start(db.clone(), Arc::default(), roots, move |event| {
        sender.send(event).ok();
    });
    // The watch has to stand before the test writes.
    std::thread::sleep(Duration::from_millis(300));
    (watcher, events, db)
}

/// The next change of `path` to `entries` entries.
fn await_change(events: &mpsc::Receiver<WatchEvent>, path: &Path, entries: u64) -> Changed {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match events.recv_timeout(left) {
            Ok(WatchEvent::Changed(change)) if change.path == path && change.entries == entries => {
                return change;
            }
            Ok(_) => {}
            Err(_) => panic!("no change of {} to {entries} entries", path.display()),
        }
    }
}

#[test]
fn a_session_that_grows_is_told_with_its_new_entries() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    fs::write(&path, HEADER.to_owned() + &entry("a")).unwrap();
    let (_watcher, events, db) = watching(&[dir.path()]);
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(entry("b").as_bytes()).unwrap();
    let change = await_change(&events, &path, 2);
    assert_eq!((change.kind, change.from_ix), (ChangeKind::Appended, 1));
    assert_eq!(
        db.reader().unwrap().entry_count().unwrap(),
        2,
        "the index knows already"
    );
    fs::remove_file(&path).unwrap();
    assert_eq!(await_change(&events, &path, 0).kind, ChangeKind::Removed);
}

#[test]
fn a_small_file_beside_a_session_stands_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let all = ["workspace.yaml", "1.settings.json", "notes.yaml"].map(at);
    for file in &all {
        fs::write(file, "name: x").unwrap();
    }
    let mut found = candidates(&all);
    found.sort();
    assert_eq!(found, ["1.jsonl", "events.jsonl"].map(at));
}

#[test]
fn new_folders_are_watched_too() {
    let dir = tempfile::tempdir().unwrap();
    let (_watcher, events, _db) = watching(&[dir.path()]);
    let folder = dir.path().join("--home-dev--");
    fs::create_dir(&folder).unwrap();
    let first = folder.join("a.jsonl");
    fs::write(&first, HEADER.to_owned() + &entry("a")).unwrap();
    assert_eq!(await_change(&events, &first, 1).kind, ChangeKind::New);
    let second = folder.join("b.jsonl");
    fs::write(&second, HEADER.replace("\"s\"", "\"t\"") + &entry("a")).unwrap();
    await_change(&events, &second, 1);
    OpenOptions::new()
        .append(true)
        .open(&second)
        .unwrap()
        .write_all(entry("b").as_bytes())
        .unwrap();
    await_change(&events, &second, 2);
}

#[test]
fn a_root_may_appear_later() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("agent/sessions");
    let (_watcher, events, _db) = watching(&[&root]);
    fs::create_dir_all(&root).unwrap();
    let path = root.join("a.jsonl");
    fs::write(&path, HEADER.to_owned() + &entry("a")).unwrap();
    await_change(&events, &path, 1);
    OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(entry("b").as_bytes())
        .unwrap();
    await_change(&events, &path, 2);
}

#[test]
fn a_change_waits_for_another_program_that_writes_and_is_not_lost() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl");
    fs::write(&path, HEADER.to_owned() + &entry("a")).unwrap();
    let (index, short) = (dir.path().join("index.db"), Duration::from_millis(50));
    let (db, _) = IndexDb::open_waiting(&index, short).unwrap();
    let roots = vec![path.clone()];
    index::run(&db, &roots, &Control::QUIET).unwrap();
    let (sender, events) = mpsc::channel();
    let _watcher = Watcher::start(db.clone(), Arc::default(), roots, move |event| {
        sender.send(event).ok();
    });
    std::thread::sleep(Duration::from_millis(300));
    let (other, _) = IndexDb::open_waiting(&index, short).unwrap();
    let writer = other.writer().unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(entry("b").as_bytes()).unwrap();
    // Many times as long as a writer waits for a lock.
    std::thread::sleep(short * 20);
    let said = events.recv_timeout(PATIENCE).unwrap();
    let WatchEvent::Notice(said) = said else {
        panic!("{said:?}")
    };
    assert!(
        said.contains("waiting") && said.contains("index.db"),
        "{said}"
    );
    drop(writer);
    await_change(&events, &path, 2);
}

#[test]
fn a_folder_that_cannot_be_watched_is_polled() {
    let mut watched = WatchedRoots::new(vec!["/a".into(), "/a/b".into(), "/c".into()]);
    assert_eq!(watched.roots(), [PathBuf::from("/a"), PathBuf::from("/c")]);
    assert_eq!(
        watched.next_poll(),
        None,
        "nothing to do while all is watched"
    );
    watched.watch(None);
    assert_eq!(watched.polled(), watched.roots());
    assert!(watched.next_poll().is_some());
}

#[test]
fn a_full_system_is_polled_and_said_once() {
    let mut burst = Burst::default();
    burst.add(Err(notify::Error::new(ErrorKind::MaxFilesWatch)));
    assert!(burst.full && burst.everything);
    let mut watched = WatchedRoots::new(vec!["/a".into()]);
    assert!(watched.poll_all().is_some());
    assert!(watched.poll_all().is_none());
    assert_eq!(watched.polled(), watched.roots());
}

#[test]
fn reading_is_no_change() {
    use notify::event::{AccessKind, AccessMode, ModifyKind};
    let event = |kind: EventKind| Ok(Event::new(kind).add_path("/a.jsonl".into()));
    let mut burst = Burst::default();
    burst.add(event(EventKind::Access(AccessKind::Close(
        AccessMode::Read,
    ))));
    assert_eq!(burst, Burst::default());
    burst.add(event(EventKind::Modify(ModifyKind::Any)));
    assert_eq!(burst.files.len(), 1);
}

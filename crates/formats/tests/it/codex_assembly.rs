//! Rollouts that are compressed or go on where another file stops.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use crate::codex_disk::MadeUp;
use palimpsest_core::{LinkKind, Role};
use palimpsest_formats::account::account;
use palimpsest_formats::codex::Codex;
use palimpsest_formats::{Document, InMemory, SessionFormat};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use std::path::Path;

const THREAD: &str = "019caa00-0000-7000-8000-00000000000a";
const FORK: &str = "019cbb00-0000-7000-8000-00000000000b";
const DAY: &str = "/home/ada/.codex/sessions/2026/03/01";

/// A file being written.
struct File {
    bytes: Vec<u8>,
    next: u64,
}

impl File {
    /// A thread's file; with `base`, one that goes on after so much of another thread's.
    fn begin(thread: &str, base: Option<(&str, u64, usize)>) -> File {
        let mut header = json!({"id": thread, "cwd": "/home/ada/mill", "cli_version": "0.169.0"});
        if let Some((other, ordinal, offset)) = base {
            header["history_base"] = json!({"thread_id": other, "end_ordinal_exclusive": ordinal,
                "end_byte_offset": offset});
            if other != thread {
                header["forked_from_id"] = json!(other);
            }
        }
        let mut file = File {
            bytes: Vec::new(),
            next: base.map_or(0, |(_, ordinal, _)| ordinal),
        };
        file.add("session_meta", header);
        file
    }

    fn add(&mut self, kind: &str, payload: Value) {
        let record = json!({"timestamp": "2026-03-01T10:00:00Z", "ordinal": self.next,
            "type": kind, "payload": payload});
        self.next += 1;
        self.bytes.extend(format!("{record}\n").into_bytes());
    }

    fn turn(&mut self, text: &str, tokens: u64) {
        let message = |role: &str, kind: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
        self.add("response_item", message("user", "input_text", text));
        let answer = format!("{text}!");
        self.add(
            "response_item",
            message("assistant", "output_text", &answer),
        );
        let usage = json!({"input_tokens": tokens, "output_tokens": 1, "total_tokens": tokens + 1});
        self.add(
            "token_usage_record",
            json!({"usage": usage, "thread_token_usage": usage}),
        );
    }
}

fn path(time: &str, ids: &str) -> String {
    format!("{DAY}/rollout-2026-03-01T{time}-{ids}.jsonl")
}

fn document(disk: &MadeUp, address: &str) -> Document {
    let head = &disk.0[Path::new(address)];
    let assembly = Codex.assembly(Path::new(address), head).unwrap();
    let sessions = assembly.sessions(Path::new(address), disk).unwrap();
    assert_eq!(sessions.len(), 1);
    assembly.document(&sessions[0].address, disk).unwrap()
}

fn read(disk: &MadeUp, address: &str) -> InMemory {
    let head = &disk.0[Path::new(address)];
    assert!(Codex.sniff(Path::new(address), head));
    let assembly = Codex.assembly(Path::new(address), head).unwrap();
    let ours = InMemory::assembled(&Codex, assembly, address, disk).unwrap();
    let bytes = document(disk, address).bytes;
    assert_eq!(account(&ours.session, &bytes).lost, Vec::<u32>::new());
    ours
}

/// The user's words in the context at the leaf.
fn asked(ours: &InMemory) -> Vec<String> {
    let context = ours.context(ours.session.active_leaf);
    let users = context.items.iter().filter(|item| item.role == Role::User);
    users
        .map(|item| {
            let message = ours.format.item_message(&ours.session, item, ours);
            message.unwrap().text("")
        })
        .collect()
}

fn spent(ours: &InMemory) -> u64 {
    let usage = ours
        .session
        .entries
        .iter()
        .filter_map(|entry| entry.spent());
    usage.map(|usage| usage.input).sum()
}

/// A thread of three turns, and how much of it there is after the second.
fn three_turns() -> (File, u64, usize) {
    let mut parent = File::begin(THREAD, None);
    parent.turn("one", 10);
    parent.turn("two", 20);
    let (ordinal, offset) = (parent.next, parent.bytes.len());
    parent.turn("three", 30);
    (parent, ordinal, offset)
}

fn disk(files: Vec<(String, Vec<u8>)>) -> MadeUp {
    MadeUp(
        files
            .into_iter()
            .map(|(path, bytes)| (path.into(), bytes))
            .collect(),
    )
}

#[test]
fn plain_rollouts_are_read_as_they_are() {
    let (parent, _, _) = three_turns();
    let name = path("10-00-00", THREAD);
    assert!(Codex.assembly(Path::new(&name), &parent.bytes).is_none());
}

#[test]
fn a_fork_goes_on_after_its_parents_beginning() {
    let (parent, ordinal, offset) = three_turns();
    // Where the byte named is not the end of a record, the ordinal tells.
    for offset in [offset, offset - 7, 0, usize::MAX >> 12] {
        let mut fork = File::begin(FORK, Some((THREAD, ordinal, offset)));
        fork.turn("other", 40);
        let own = path("11-00-00", FORK);
        // The parent was archived meanwhile.
        let archived = format!(
            "/home/ada/.codex/archived_sessions/rollout-2026-03-01T10-00-00-{THREAD}.jsonl"
        );
        let disk = disk(vec![
            (archived.clone(), parent.bytes.clone()),
            (own.clone(), fork.bytes),
        ]);
        let ours = read(&disk, &own);
        assert_eq!(asked(&ours), ["one", "two", "other"]);
        let meta = &ours.session.meta;
        assert_eq!(
            (&*meta.native_id, meta.parent_session.as_deref()),
            (FORK, Some(THREAD))
        );
        assert_eq!(meta.parent_kind, Some(LinkKind::ForkedFrom));
        let parts: Vec<&str> = ours.session.parts.iter().map(|part| &*part.path).collect();
        assert_eq!(parts, [archived.as_str(), own.as_str()]);
        assert_eq!(ours.session.parts[1].line, 7);
        assert_eq!(spent(&ours), 40, "the parent's usage is the parent's");
        assert!(ours.session.warnings.is_empty());
        let joint = ours
            .session
            .entries
            .iter()
            .find(|entry| entry.source.line == 7);
        let joint = joint.unwrap();
        assert_eq!(joint.id.as_str(), FORK);
        assert!(joint.parent.is_some());
    }
}

#[test]
fn a_thread_edited_twice_is_one_chain() {
    let (first, ordinal, offset) = three_turns();
    let mut second = File::begin(THREAD, Some((THREAD, ordinal, offset)));
    second.turn("edited", 40);
    let (end, bytes) = (second.next, second.bytes.len());
    second.turn("dropped", 50);
    let mut third = File::begin(THREAD, Some((THREAD, end, bytes)));
    third.turn("edited again", 60);
    let names = [
        path("10-00-00", THREAD),
        path(
            "11-00-00",
            &format!("{THREAD}_019cbb00-0000-7000-8000-000000000001"),
        ),
        path(
            "12-00-00",
            &format!("{THREAD}_019cbb00-0000-7000-8000-000000000002"),
        ),
    ];
    let files = names
        .clone()
        .into_iter()
        .zip([first.bytes, second.bytes, third.bytes]);
    let disk = disk(files.collect());
    let ours = read(&disk, &names[2]);
    assert_eq!(asked(&ours), ["one", "two", "edited", "edited again"]);
    assert_eq!(ours.session.meta.parent_kind, Some(LinkKind::Continues));
    let parts: Vec<&str> = ours.session.parts.iter().map(|part| &*part.path).collect();
    assert_eq!(parts, names.each_ref().map(String::as_str));
    assert_eq!(spent(&ours), 60);
    assert_eq!(
        asked(&read(&disk, &names[1])),
        ["one", "two", "edited", "dropped"]
    );
}

#[test]
fn without_its_parent_a_fork_is_shown_alone_and_says_so() {
    let mut fork = File::begin(FORK, Some((THREAD, 7, 99)));
    fork.turn("other", 40);
    let own = path("11-00-00", FORK);
    let ours = read(&disk(vec![(own.clone(), fork.bytes)]), &own);
    assert_eq!(asked(&ours), ["other"]);
    assert!(ours.session.parts.is_empty());
    assert!(ours.session.warnings[0].reason.contains(THREAD));
}

#[test]
fn threads_that_name_each_other_end() {
    let one = File::begin(THREAD, Some((FORK, 1, 0)));
    let other = File::begin(FORK, Some((THREAD, 2, 0)));
    let names = [path("10-00-00", THREAD), path("11-00-00", FORK)];
    let disk = disk(
        names
            .clone()
            .into_iter()
            .zip([one.bytes, other.bytes])
            .collect(),
    );
    for name in names {
        assert!(
            !read(&disk, &name).session.meta.native_id.is_empty(),
            "{name}"
        );
    }
}

#[test]
fn compressed_rollouts_are_unfolded() {
    let (parent, ordinal, offset) = three_turns();
    let compressed = compress_to_vec(parent.bytes.as_slice(), CompressionLevel::Fastest);
    let name = format!("{}.zst", path("10-00-00", THREAD));
    let mut fork = File::begin(FORK, Some((THREAD, ordinal, offset)));
    fork.turn("other", 40);
    let own = path("11-00-00", FORK);
    let mut disk = disk(vec![(name.clone(), compressed), (own.clone(), fork.bytes)]);
    assert_eq!(asked(&read(&disk, &name)), ["one", "two", "three"]);
    assert_eq!(asked(&read(&disk, &own)), ["one", "two", "other"]);
    // Beside its plain form a compressed file is none.
    let plain = path("10-00-00", THREAD);
    disk.0.insert(plain.into(), parent.bytes);
    let head = disk.0[Path::new(&name)].clone();
    let assembly = Codex.assembly(Path::new(&name), &head).unwrap();
    assert_eq!(assembly.sessions(Path::new(&name), &disk).unwrap(), []);
}

#[test]
fn a_damaged_compressed_rollout_is_shown_as_far_as_it_goes_or_refused() {
    let (parent, _, _) = three_turns();
    let compressed = compress_to_vec(parent.bytes.as_slice(), CompressionLevel::Fastest);
    let name = format!("{}.zst", path("10-00-00", THREAD));
    for end in 4..compressed.len() {
        let disk = disk(vec![(name.clone(), compressed[..end].to_vec())]);
        let assembly = Codex
            .assembly(Path::new(&name), &compressed[..end])
            .unwrap();
        match assembly.document(&name, &disk) {
            Ok(document) => assert!(parent.bytes.starts_with(&document.bytes)),
            Err(error) => assert!(error.to_string().contains(&name)),
        }
    }
}

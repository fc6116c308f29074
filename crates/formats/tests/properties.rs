//! Reading in pieces gives what reading at once gives, and no content makes reading fail.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use palimpsest_core::{Agent, Bodies, Session};
use palimpsest_formats::account::account;
use palimpsest_formats::{InMemory, Reading, SessionFormat, claude_code::ClaudeCode, pi::Pi};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// The formats whose fixtures are sessions as files.
const FORMATS: [&dyn SessionFormat; 2] = [&Pi, &ClaudeCode];

type Fixture = (&'static dyn SessionFormat, Vec<u8>);

fn fixtures() -> Vec<Fixture> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut files = Vec::new();
    for format in FORMATS {
        for kind in ["valid", "invalid"] {
            let folder = all.join(format.agent().name()).join(kind);
            for item in std::fs::read_dir(folder).unwrap() {
                files.push((item.unwrap().path(), format));
            }
        }
    }
    files.sort_by(|(a, _), (b, _)| a.cmp(b));
    files
        .iter()
        .map(|(path, format)| (*format, std::fs::read(path).unwrap()))
        .collect()
}

/// Everything that can be seen of a session, as text.
fn told(session: &Session) -> String {
    format!("{session:#?}")
}

/// Reads `bytes` as they come in: cut at `cuts`, unread bytes offered again with the next piece.
fn read_in_pieces(
    format: &dyn SessionFormat,
    bytes: &[u8],
    cuts: &BTreeSet<usize>,
    growing: bool,
) -> Reading {
    let mut reading = Reading::new(format.agent(), "x");
    let mut start = 0;
    for &end in cuts
        .iter()
        .filter(|&&cut| cut < bytes.len())
        .chain([&bytes.len()])
    {
        let last = end == bytes.len();
        start += format.read(&mut reading, &bytes[start..end], last || growing);
        assert_eq!(reading.state.offset, start as u64);
    }
    reading
}

/// Reads, and asks everything that can be asked.
fn use_all(format: &'static dyn SessionFormat, bytes: &[u8]) -> InMemory {
    let ours = InMemory::read(format, "x", bytes.to_vec());
    format.sniff(Path::new(""), bytes);
    for ix in ours.session.indices() {
        ours.body(ix).unwrap();
        let context = ours.context(Some(ix));
        for item in &context.items {
            ours.format
                .item_message(&ours.session, item, &ours)
                .unwrap();
            let shares: u64 = item.by_category.iter().map(|(_, share)| share).sum();
            assert_eq!(shares, item.estimate);
        }
        let sum: u64 = context.items.iter().map(|item| item.estimate).sum();
        assert_eq!(sum, context.estimated);
    }
    ours
}

proptest! {
    #[test]
    fn any_pieces_equal_one_go(
        which in 0usize..128,
        cuts in prop::collection::btree_set(0usize..6000, 0..12),
    ) {
        let files = fixtures();
        let (format, bytes) = &files[which % files.len()];
        let whole = read_in_pieces(*format, bytes, &BTreeSet::new(), false);
        let pieces = read_in_pieces(*format, bytes, &cuts, false);
        prop_assert_eq!(told(&whole.session), told(&pieces.session));
        prop_assert_eq!(&whole.state, &pieces.state);
        prop_assert_eq!(&whole.partial_line, &pieces.partial_line);
    }

    #[test]
    fn a_growing_file_equals_the_grown_one(
        which in 0usize..128,
        cuts in prop::collection::btree_set(0usize..6000, 0..12),
    ) {
        let files: Vec<Fixture> =
            fixtures().into_iter().filter(|(format, bytes)| !told_glued(*format, bytes)).collect();
        let (format, bytes) = &files[which % files.len()];
        let whole = read_in_pieces(*format, bytes, &BTreeSet::new(), false);
        // The reader is asked each time as if the file ended there.
        let grown = read_in_pieces(*format, bytes, &cuts, true);
        prop_assert_eq!(told(&whole.session), told(&grown.session));
        prop_assert_eq!(&whole.state, &grown.state);
        prop_assert_eq!(&whole.partial_line, &grown.partial_line);
    }

    #[test]
    fn a_damaged_line_never_fails_and_is_accounted_for(
        which in 0usize..128,
        line in 0usize..24,
        at in 0usize..800,
        damage in prop_oneof![
            Just(Damage::Truncate),
            any::<u8>().prop_filter("line end", |&b| b != b'\n').prop_map(Damage::Byte),
            Just(Damage::Glue),
            prop::collection::vec(any::<u8>().prop_filter("line end", |&b| b != b'\n'), 1..20)
                .prop_map(Damage::Insert),
        ],
    ) {
        let files = fixtures();
        let (format, bytes) = &files[which % files.len()];
        let bytes = damaged(bytes, line, at, &damage);
        let ours = use_all(*format, &bytes);
        prop_assert_eq!(account(&ours.session, &bytes).lost, Vec::<u32>::new());
    }

    #[test]
    fn a_truncated_file_never_fails_and_is_accounted_for(which in 0usize..128, at in 0usize..9000) {
        let files = fixtures();
        let (format, bytes) = &files[which % files.len()];
        let bytes = &bytes[..at.min(bytes.len())];
        let ours = use_all(*format, bytes);
        prop_assert_eq!(account(&ours.session, bytes).lost, Vec::<u32>::new());
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for format in FORMATS {
            let ours = use_all(format, &bytes);
            prop_assert_eq!(account(&ours.session, &bytes).lost, Vec::<u32>::new());
        }
    }
}

#[derive(Debug, Clone)]
enum Damage {
    Truncate,
    Byte(u8),
    Glue,
    Insert(Vec<u8>),
}

fn damaged(bytes: &[u8], line: usize, at: usize, damage: &Damage) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let line = line % lines.len();
    let at = if lines[line].is_empty() {
        0
    } else {
        at % lines[line].len()
    };
    match damage {
        Damage::Truncate => lines[line].truncate(at),
        Damage::Byte(byte) => {
            if let Some(place) = lines[line].get_mut(at) {
                *place = *byte;
            }
        }
        Damage::Glue if line + 1 < lines.len() => {
            let next = lines.remove(line + 1);
            lines[line].extend(next);
        }
        Damage::Glue => {}
        Damage::Insert(more) => {
            lines[line].splice(at..at, more.iter().copied());
        }
    }
    lines.join(&b'\n')
}

fn told_glued(format: &'static dyn SessionFormat, bytes: &[u8]) -> bool {
    let session = InMemory::read(format, "x", bytes.to_vec()).session;
    session
        .warnings
        .iter()
        .any(|warning| warning.reason.contains("on one line"))
}

#[test]
fn a_record_glued_to_one_already_read_takes_both_back() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pi/invalid/glued-v1.jsonl");
    let bytes = std::fs::read(file).unwrap();
    let joint = bytes.windows(2).position(|pair| pair == b"}{").unwrap() + 1;
    let whole = read_in_pieces(&Pi, &bytes, &BTreeSet::new(), false);
    let grown = read_in_pieces(&Pi, &bytes, &BTreeSet::from([joint]), true);
    assert_eq!(told(&whole.session), told(&grown.session));
    assert_eq!(whole.state, grown.state);
}

#[test]
fn reading_is_taken_up_again_from_a_kept_state() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pi/valid/v3-all-records.jsonl");
    let bytes = std::fs::read(file).unwrap();
    let whole = read_in_pieces(&Pi, &bytes, &BTreeSet::new(), false);
    let half = bytes.len() / 2;
    let mut first = Reading::new(Agent::PI, "x");
    let read = Pi.read(&mut first, &bytes[..half], false);
    let resume = palimpsest_formats::Resume {
        state: first.state,
        meta: first.session.meta.clone(),
    };
    let mut second = Reading::resume(resume);
    Pi.read(&mut second, &bytes[read..], true);
    assert_eq!(whole.session.meta, second.session.meta);
    assert_eq!(whole.state, second.state);
    let count = first.session.entries.len();
    assert_eq!(
        whole.session.entries.len(),
        count + second.session.entries.len()
    );
    let joint = &second.session.entries[0];
    assert_eq!(joint.parent, None);
    assert_eq!(
        joint.missing_parent.as_ref(),
        first.session.entries.last().map(|last| &last.id)
    );
    for (one, two) in whole.session.entries[count..]
        .iter()
        .zip(&second.session.entries)
    {
        assert_eq!(
            (&one.id, one.source, &one.messages),
            (&two.id, two.source, &two.messages)
        );
    }
}

#[test]
fn a_line_of_fifty_megabytes_is_one_entry() {
    let text = "0123456789abcdef".repeat(50 * 1024 * 1024 / 16);
    let bytes = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"big\",\"timestamp\":\"2026-01-01T00:00:00Z\"}}\n\
         {{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{{\"role\":\"toolResult\",\
         \"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n\
         {{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"a\",\"message\":{{\"role\":\"user\",\
         \"content\":\"small\"}}}}\n"
    );
    let ours = InMemory::read(&Pi, "big", bytes.into_bytes());
    assert_eq!(ours.session.warnings, []);
    assert_eq!(ours.session.entries.len(), 2);
    assert_eq!(ours.session.entries[0].estimate(), text.len() as u64 / 4);
    assert!(ours.session.entries[0].preview.len() <= 160);
    assert_eq!(ours.session.entries[1].estimate(), 2);
}

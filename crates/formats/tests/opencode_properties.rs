//! No content makes reading OpenCode's documents fail, and reading them in pieces gives what
//! reading them at once gives.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use palimpsest_core::{Bodies, Session};
use palimpsest_formats::account::account;
use palimpsest_formats::opencode::{AGENT, OpenCode};
use palimpsest_formats::{InMemory, Reading, SessionFormat};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

fn fixtures(kinds: &[&str]) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/opencode");
    let mut files = Vec::new();
    for kind in kinds {
        for item in std::fs::read_dir(folder.join(kind)).unwrap() {
            files.push(item.unwrap().path());
        }
    }
    files.sort();
    files
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

fn told(session: &Session) -> String {
    format!("{session:#?}")
}

/// Reads `bytes` as they come in: cut at `cuts`, unread bytes offered again with the next piece.
fn read_in_pieces(bytes: &[u8], cuts: &BTreeSet<usize>) -> Reading {
    let mut reading = Reading::new(AGENT, "x");
    let mut start = 0;
    for &end in cuts
        .iter()
        .filter(|&&cut| cut < bytes.len())
        .chain([&bytes.len()])
    {
        start += OpenCode.read(
            &mut reading,
            &bytes[start..end.max(start)],
            end == bytes.len(),
        );
        assert_eq!(reading.state.offset, start as u64);
    }
    reading
}

/// Reads, and asks everything that can be asked.
fn use_all(bytes: &[u8]) {
    let ours = InMemory::read(&OpenCode, "x", bytes.to_vec());
    OpenCode.sniff(Path::new("x.json"), bytes);
    let accounted = account(&ours.session, bytes);
    assert_eq!(accounted.lost, [0u32; 0]);
    assert_eq!(
        accounted.entries as usize,
        ours.session.entries.len(),
        "one line begins one entry"
    );
    for ix in ours.session.indices() {
        ours.body(ix).unwrap();
        let context = ours.context(Some(ix));
        let mut sum = 0;
        for item in &context.items {
            ours.format
                .item_message(&ours.session, item, &ours)
                .unwrap();
            let shares: u64 = item.by_category.iter().map(|(_, share)| share).sum();
            assert_eq!(shares, item.estimate);
            sum += item.estimate;
        }
        assert_eq!(sum, context.estimated);
    }
}

#[derive(Debug, Clone)]
enum Damage {
    Truncate,
    Remove,
    Repeat,
    Glue,
    Insert(Vec<u8>),
}

fn damaged(bytes: &[u8], line: usize, at: usize, damage: &Damage) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes
        .split(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let line = line % lines.len();
    let at = at % lines[line].len().max(1);
    match damage {
        Damage::Truncate => lines[line].truncate(at),
        Damage::Remove => drop(lines.remove(line)),
        Damage::Repeat => lines.insert(line, lines[line].clone()),
        Damage::Glue if line + 1 < lines.len() => {
            let next = lines.remove(line + 1);
            lines[line].extend(next);
        }
        Damage::Glue => {}
        Damage::Insert(more) => {
            let end = (at + more.len()).min(lines[line].len());
            lines[line].splice(at..end, more.iter().copied());
        }
    }
    lines.join(&b'\n')
}

fn no_line_end() -> impl Strategy<Value = u8> {
    any::<u8>().prop_filter("line end", |&byte| byte != b'\n')
}

proptest! {
    #[test]
    fn any_pieces_equal_one_go(
        which in 0usize..64,
        cuts in prop::collection::btree_set(0usize..9000, 0..12),
    ) {
        let files = fixtures(&["valid", "invalid"]);
        let bytes = &files[which % files.len()];
        let whole = read_in_pieces(bytes, &BTreeSet::new());
        let pieces = read_in_pieces(bytes, &cuts);
        prop_assert_eq!(told(&whole.session), told(&pieces.session));
        prop_assert_eq!(&whole.state, &pieces.state);
        prop_assert_eq!(&whole.partial_line, &pieces.partial_line);
    }

    #[test]
    fn a_damaged_line_never_fails_and_is_accounted_for(
        which in 0usize..64,
        line in 0usize..60,
        at in 0usize..800,
        damage in prop_oneof![
            Just(Damage::Truncate),
            Just(Damage::Remove),
            Just(Damage::Repeat),
            Just(Damage::Glue),
            prop::collection::vec(no_line_end(), 1..20).prop_map(Damage::Insert),
        ],
    ) {
        let files = fixtures(&["valid"]);
        use_all(&damaged(&files[which % files.len()], line, at, &damage));
    }

    #[test]
    fn a_value_of_another_type_never_fails(
        which in 0usize..64,
        place in 0usize..400,
        value in prop_oneof![
            Just("null"), Just("true"), Just("-1"), Just("1e300"), Just("\"x\""), Just("[]"),
            Just("{}"), Just("[{}]"), Just("{\"id\":1}"), Just("18446744073709551615"),
            Just("-9223372036854775808"),
        ],
    ) {
        let files = fixtures(&["valid"]);
        let text = String::from_utf8(files[which % files.len()].clone()).unwrap();
        // After a colon that is followed by a string or a number, that value is another one.
        let colons: Vec<usize> = text.match_indices("\":").map(|(at, _)| at + 2).collect();
        let at = colons[place % colons.len()];
        let rest = &text[at..];
        let end = match rest.strip_prefix('"') {
            Some(string) => string.find('"').map_or(rest.len(), |end| end + 2),
            None => rest.find([',', '}', '\n']).unwrap_or(rest.len()),
        };
        let changed = format!("{}{value}{}", &text[..at], &rest[end..]);
        use_all(changed.as_bytes());
    }

    #[test]
    fn any_cut_of_a_file_is_read(which in 0usize..64, at in 0usize..9000) {
        let files = fixtures(&["valid"]);
        let bytes = &files[which % files.len()];
        use_all(&bytes[..at.min(bytes.len())]);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        use_all(&bytes);
    }
}

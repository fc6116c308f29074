//! Reading in pieces gives what reading at once gives, and no content makes reading fail.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use crate::common::damage::{damage, damaged, value, with_value};
use crate::common::{
    FORMATS, Fixture, assert_same, fixtures, fixtures_of, read_in_pieces, read_whole, use_all,
};
use palimpsest_core::{Agent, Bodies, Entry, EntryIx};
use palimpsest_formats::claude_code::ClaudeCode;
use palimpsest_formats::codex::Codex;
use palimpsest_formats::copilot::Copilot;
use palimpsest_formats::factory_droid::FactoryDroid;
use palimpsest_formats::pi::Pi;
use palimpsest_formats::{InMemory, Reading, Resume, SessionFormat};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static ALL: LazyLock<Vec<Fixture>> = LazyLock::new(|| fixtures(&["valid", "invalid"]));

/// Sources that can be read at any moment of being written: neither a record glued to one already
/// read, nor Codex's announcements, which wait for what they announce, nor OpenCode's documents,
/// which are made whole.
static GROWING: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let kinds = ["valid", "invalid"];
    let mut files = fixtures_of(&Pi, &kinds);
    files.extend(fixtures_of(&ClaudeCode, &kinds));
    files.extend(fixtures_of(&Copilot, &kinds));
    files.extend(fixtures_of(&FactoryDroid, &kinds));
    files.retain(|file| {
        let warnings = file.read().session.warnings;
        !warnings
            .iter()
            .any(|warning| warning.reason.contains("on one line"))
    });
    files
});

fn one_of(files: &[Fixture], which: usize) -> &Fixture {
    &files[which % files.len()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_pieces_equal_one_go(
        which in 0usize..512,
        cuts in prop::collection::btree_set(0usize..12_000, 0..12),
    ) {
        let file = one_of(&ALL, which);
        let whole = read_whole(file.format, &file.bytes);
        let pieces = read_in_pieces(file.format, &file.bytes, &cuts, false);
        assert_same(&whole, &pieces, &file.stem());
    }

    #[test]
    fn a_growing_file_equals_the_grown_one(
        which in 0usize..512,
        cuts in prop::collection::btree_set(0usize..6000, 0..12),
    ) {
        let file = one_of(&GROWING, which);
        let whole = read_whole(file.format, &file.bytes);
        let grown = read_in_pieces(file.format, &file.bytes, &cuts, true);
        assert_same(&whole, &grown, &file.stem());
    }

    #[test]
    fn a_damaged_line_never_fails_and_is_accounted_for(
        which in 0usize..512,
        line in 0usize..80,
        at in 0usize..2000,
        damage in damage(),
    ) {
        let file = one_of(&ALL, which);
        use_all(file.format, &damaged(&file.bytes, line, at, &damage));
    }

    #[test]
    fn a_value_of_another_type_never_fails(
        which in 0usize..512,
        place in 0usize..400,
        value in value(),
    ) {
        let file = one_of(&ALL, which);
        let text = String::from_utf8_lossy(&file.bytes);
        use_all(file.format, with_value(&text, place, value).as_bytes());
    }

    #[test]
    fn a_truncated_file_never_fails_and_is_accounted_for(which in 0usize..512, at in 0usize..20_000) {
        let file = one_of(&ALL, which);
        use_all(file.format, &file.bytes[..at % (file.bytes.len() + 1)]);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for format in FORMATS {
            use_all(*format, &bytes);
        }
    }
}

#[test]
fn a_record_glued_to_one_already_read_takes_both_back() {
    let files = fixtures_of(&Pi, &["invalid"]);
    let file = files.iter().find(|file| file.stem() == "glued-v1").unwrap();
    let joint = file
        .bytes
        .windows(2)
        .position(|pair| pair == b"}{")
        .unwrap()
        + 1;
    let whole = read_whole(&Pi, &file.bytes);
    let grown = read_in_pieces(&Pi, &file.bytes, &BTreeSet::from([joint]), true);
    assert_same(&whole, &grown, "glued-v1");
}

/// A rollout read at every line end as if it ended there, as it is when the agent is watched.
#[test]
fn a_rollout_that_grows_line_by_line_equals_the_grown_one() {
    // Of several events in a row before their item (2025) only the last is waited for.
    let mut files = fixtures_of(&Codex, &["valid"]);
    files.retain(|file| file.stem() != "legacy-2025");
    for file in files {
        let bytes = &file.bytes;
        let mut grown = Reading::new(Codex.agent(), "x");
        let mut start = 0;
        for end in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            start += Codex.read(&mut grown, &bytes[start..=end.0], true);
            // What is kept between two looks is the session and the state, nothing else.
            let mut next = Reading::new(Codex.agent(), "");
            next.session = grown.session.clone();
            next.state = grown.state.clone();
            grown = next;
        }
        Codex.read(&mut grown, &bytes[start..], true);
        assert_same(&read_whole(&Codex, bytes), &grown, &file.stem());
    }
}

/// Taken up again from a kept state, without the entries before: the rest is the same.
#[test]
fn reading_is_taken_up_again_from_a_kept_state() {
    let mut files = fixtures_of(&Pi, &["valid"]);
    files.retain(|file| file.stem() == "v3-all-records");
    files.extend(fixtures_of(&Codex, &["valid"]));
    files.extend(fixtures_of(&Copilot, &["valid"]));
    for Fixture {
        format,
        path,
        bytes,
    } in files
    {
        let whole = read_whole(format, &bytes);
        for half in (0..bytes.len()).step_by(bytes.len() / 5 + 1).skip(1) {
            let about = format!("{} at {half}", path.display());
            let mut first = Reading::new(format.agent(), "x");
            let read = format.read(&mut first, &bytes[..half], false);
            let state = serde_json::to_string(&first.state).unwrap();
            let mut second = Reading::resume(Resume {
                state: serde_json::from_str(&state).unwrap(),
                meta: first.session.meta.clone(),
            });
            format.read(&mut second, &bytes[read..], true);
            assert_eq!(whole.session.meta, second.session.meta, "{about}");
            assert_eq!(whole.state.offset, second.state.offset, "{about}");
            let count = first.session.entries.len();
            let usage = |entries: &[Entry]| -> u64 {
                let used = entries.iter().filter_map(|entry| entry.usage);
                used.map(|usage| usage.total).sum()
            };
            let resumed = usage(&first.session.entries) + usage(&second.session.entries);
            assert_eq!(resumed, usage(&whole.session.entries), "{about}");
            let rest = &whole.session.entries[count..];
            for (one, two) in rest.iter().zip(&second.session.entries) {
                let (one, two) = ((&one.id, one.source), (&two.id, two.source));
                assert_eq!(one, two, "{about}");
            }
            let joint = second.session.entries.first();
            let parent = rest.first().and_then(|entry| entry.parent);
            let before = parent.map(|ix| &whole.session.entry(ix).id);
            assert_eq!(
                joint.and_then(|entry| entry.missing_parent.as_ref()),
                before.filter(|_| joint.is_some()),
                "{about}"
            );
        }
    }
}

/// A result that is written twice belongs to a call that is not remembered any more.
#[test]
fn a_second_result_of_a_call_before_a_resumed_reading_leads_back() {
    let call = "{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\",\"name\":\"shell\",\
                \"arguments\":\"{}\",\"call_id\":\"c1\"}}\n";
    let result = |call: &str| {
        format!(
            "{{\"type\":\"response_item\",\"payload\":{{\"type\":\"function_call_output\",\
             \"call_id\":\"{call}\",\"output\":\"x\"}}}}\n"
        )
    };
    let header = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"s\"}}\n";
    let first = read_whole(&Codex, [header, call, &result("c1")].concat().as_bytes());
    let resumed = |rest: &str| {
        let mut second = Reading::resume(Resume {
            state: first.state.clone(),
            meta: first.session.meta.clone(),
        });
        Codex.read(&mut second, rest.as_bytes(), true);
        second.needs_whole
    };
    assert!(resumed(&result("c1")));
    assert!(!resumed(&result("of-no-call")));
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
    assert_eq!(ours.session.meta.agent, Agent::PI);
    assert_eq!(ours.session.warnings, []);
    assert_eq!(ours.session.entries.len(), 2);
    assert_eq!(ours.session.entries[0].estimate(), text.len() as u64 / 4);
    assert!(ours.session.entries[0].preview.len() <= 160);
    assert_eq!(ours.session.entries[1].estimate(), 2);
}

#[test]
fn a_rollout_s_line_of_three_megabytes_is_one_entry() {
    let text = "0123456789abcdef".repeat(3 * 1024 * 1024 / 16);
    let bytes = format!(
        "{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"big\"}}}}\n\
         {{\"type\":\"response_item\",\"payload\":{{\"type\":\"function_call_output\",\
         \"id\":\"a\",\"call_id\":\"c\",\"output\":\"{text}\"}}}}\n"
    );
    let ours = InMemory::read(&Codex, "x", bytes.into_bytes());
    let entry = &ours.session.entries[1];
    assert_eq!(entry.estimate(), 3 * 1024 * 1024 / 4);
    assert!(entry.preview.len() <= 160);
    assert_eq!(
        ours.body(EntryIx::new(1)).unwrap().messages[0].text(""),
        text
    );
}

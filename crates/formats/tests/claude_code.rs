//! Claude Code's sessions read in parts: what an index resumes and what a window refreshes is what
//! reading at once gives.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use palimpsest_core::{EntryIx, Session};
use palimpsest_formats::claude_code::{AGENT, ClaudeCode};
use palimpsest_formats::{InMemory, Reading, Resume, SessionFormat};
use std::path::Path;

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code/valid");
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|item| {
            let path = item.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

fn read(name: &str, bytes: &[u8]) -> Reading {
    let mut reading = Reading::new(AGENT, name);
    assert_eq!(ClaudeCode.read(&mut reading, bytes, true), bytes.len());
    reading
}

/// The offsets behind the lines of `bytes`.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).collect()
}

fn parent_of(session: &Session, ix: EntryIx) -> Option<&str> {
    let entry = session.entry(ix);
    let parent = entry.parent.map(|parent| session.entry(parent).id.as_str());
    parent.or(entry.missing_parent.as_ref().map(|id| id.as_str()))
}

#[test]
fn a_refreshed_session_is_the_whole_one() {
    for (name, bytes) in fixtures() {
        let whole = read(&name, &bytes);
        for cut in line_ends(&bytes) {
            let first = read(&name, &bytes[..cut]);
            let mut second = Reading::new(AGENT, &name);
            second.session = first.session;
            second.state = first.state;
            ClaudeCode.read(&mut second, &bytes[cut..], true);
            let told = format!("{:#?}", second.session);
            assert_eq!(told, format!("{:#?}", whole.session), "{name} cut at {cut}");
            assert_eq!(second.state, whole.state, "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_resumed_reading_links_to_what_was_read_before() {
    for (name, bytes) in fixtures() {
        let whole = read(&name, &bytes);
        for cut in line_ends(&bytes) {
            let first = read(&name, &bytes[..cut]);
            let before = first.session.entries.len();
            let mut second = Reading::resume(Resume {
                state: first.state,
                meta: first.session.meta,
            });
            ClaudeCode.read(&mut second, &bytes[cut..], true);
            let at = format!("{name} cut at {cut}");
            assert_eq!(second.session.meta, whole.session.meta, "{at}");
            // Where somebody went back further than the newest turn, the stored parent stands.
            let goes_back = ["rewound.jsonl", "sidechains-inside.jsonl", "repeated.jsonl"];
            if goes_back.contains(&name.as_str()) {
                continue;
            }
            for ix in second.session.indices() {
                let same = EntryIx::new(before + ix.get());
                assert_eq!(
                    parent_of(&second.session, ix),
                    parent_of(&whole.session, same),
                    "{at}, {}",
                    second.session.entry(ix).id
                );
                let (ours, theirs) = (second.session.entry(ix), whole.session.entry(same));
                assert_eq!((&ours.id, ours.usage), (&theirs.id, theirs.usage), "{at}");
                let tools = |session: &Session, ix| -> Vec<_> {
                    let sizes = session.entry(ix).messages.iter();
                    sizes.map(|size| size.tool_name.clone()).collect()
                };
                assert_eq!(
                    tools(&second.session, ix),
                    tools(&whole.session, same),
                    "{at}"
                );
            }
        }
    }
}

/// An invalid fixture, whole, and at every line end refreshed to the whole.
fn invalid(name: &str) -> InMemory {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code/invalid");
    let bytes = std::fs::read(folder.join(name)).unwrap();
    let whole = read(name, &bytes);
    for cut in line_ends(&bytes) {
        let first = read(name, &bytes[..cut]);
        let mut second = Reading::new(AGENT, name);
        second.session = first.session;
        second.state = first.state;
        ClaudeCode.read(&mut second, &bytes[cut..], true);
        let (one, two) = (&second.session, &whole.session);
        assert_eq!(format!("{one:#?}"), format!("{two:#?}"), "{name} at {cut}");
    }
    InMemory::read(&ClaudeCode, name, bytes)
}

/// The ids of the entries a context is made of.
fn sent(ours: &InMemory, at: &str) -> Vec<String> {
    let ids = ours.session.by_id();
    let items = ours.context(Some(ids[at])).items;
    let entries = items.iter().flat_map(|item| &item.entries);
    let ids = entries.map(|&ix| ours.session.entry(ix).id.to_string());
    ids.collect()
}

#[test]
fn a_missing_parent_is_guessed_while_the_process_goes_on() {
    let ours = invalid("missing-parents.jsonl");
    let (forks, roots) = (ours.tree.leaves().len(), ours.tree.roots().len());
    assert_eq!((forks, roots), (1, 1));
    let guessed = ours.session.entries.iter();
    let guessed = guessed.filter(|entry| entry.has_guessed_parent());
    let guessed: Vec<&str> = guessed.map(|entry| entry.id.as_str()).collect();
    assert_eq!(guessed, ["p1", "p2", "p3"]);
    assert_eq!(ours.session.warnings.len(), 3);
    // What the summary stands for, and what the process goes on with.
    assert_eq!(sent(&ours, "p2"), ["u1", "r1", "t1", "r2"]);
    assert_eq!(sent(&ours, "r4"), ["s1", "r3", "u2", "r4"]);
}

#[test]
fn a_missing_parent_cuts_the_conversation_for_the_next_process() {
    let ours = invalid("missing-parents.jsonl");
    let last = sent(&ours, "r5");
    assert_eq!(last, ["u2", "r4", "m1", "k1", "o1", "u3", "r5"]);
    let restarts: Vec<&str> = ours
        .session
        .restarts
        .iter()
        .map(|&ix| ours.session.entry(ix).id.as_str())
        .collect();
    assert_eq!(restarts, ["u3"]);
}

#[test]
fn a_session_opens_on_a_conversation_whatever_its_last_record_names() {
    let ours = invalid("ends-without-parent.jsonl");
    let items = ours.context(ours.session.active_leaf).items;
    assert_eq!(items.len(), 2);
    let ours = invalid("taken-up-without-parent.jsonl");
    assert_eq!(ours.tree.roots().len(), 2);
    let items = ours.context(ours.session.active_leaf).items;
    assert_eq!(items.len(), 2);
    let reasons: Vec<&str> = ours
        .session
        .warnings
        .iter()
        .map(|warning| warning.reason.as_str())
        .collect();
    assert_eq!(reasons.len(), 1);
    assert!(reasons[0].contains("started again"), "{reasons:?}");
}

#[test]
fn a_compaction_without_a_span_says_so() {
    let ours = invalid("begins-compacted.jsonl");
    let reason = &ours.session.warnings[0].reason;
    assert!(reason.contains("summarizes is not in the file"), "{reason}");
    assert_eq!(ours.session.warnings.len(), 1);
}

#[test]
fn the_threshold_is_that_of_the_agent() {
    // 2.0.53 to 2.1.197, for windows of 200,000 and 1,000,000 tokens.
    assert_eq!(ClaudeCode.policy(200_000).threshold, 167_000);
    assert_eq!(ClaudeCode.policy(1_000_000).threshold, 967_000);
}

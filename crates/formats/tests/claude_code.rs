//! Claude Code's sessions read in parts: what an index resumes and what a window refreshes is what
//! reading at once gives.

#![allow(
    clippy::unwrap_used,
    reason = "a fixture that cannot be read fails its test"
)]

use palimpsest_core::{EntryIx, Session};
use palimpsest_formats::claude_code::{AGENT, ClaudeCode};
use palimpsest_formats::{Reading, Resume, SessionFormat};
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

#[test]
fn the_threshold_is_that_of_the_agent() {
    // 2.0.53 to 2.1.197, for windows of 200,000 and 1,000,000 tokens.
    assert_eq!(ClaudeCode.policy(200_000).threshold, 167_000);
    assert_eq!(ClaudeCode.policy(1_000_000).threshold, 967_000);
}

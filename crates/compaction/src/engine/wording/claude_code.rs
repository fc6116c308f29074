//! Claude Code: the JavaScript in its package or its program (2.1.329). A prompt is known by the
//! names of the sections that it asks for.

use super::frame::{Part, Raw};
use super::js::Literals;

/// The first section of every summary.
const FIRST_SECTION: &str = "Primary Request and Intent";
pub(super) const ANCHORS: &[&str] = &[FIRST_SECTION];

/// A prompt asks for both of them.
const TAGS: [&str; 2] = ["<analysis>", "<summary>"];
/// The last section of the summary of what stands before an entry.
const UP_TO_SECTION: &str = "Context for Continuing Work";
/// What the summary of what stands behind an entry is about.
const FROM_WORD: &str = "RECENT";

pub(super) fn read(pieces: &[Vec<u8>]) -> Vec<Raw> {
    let mut found = Vec::new();
    for piece in pieces {
        let source = String::from_utf8_lossy(piece);
        for (literal, words) in Literals::of(&source).texts() {
            if !words.contains(FIRST_SECTION) || !TAGS.iter().all(|tag| words.contains(tag)) {
                continue;
            }
            let strategy = if words.contains(UP_TO_SECTION) {
                "claude-code-up-to"
            } else if words.contains(FROM_WORD) {
                "claude-code-from"
            } else {
                "claude-code"
            };
            // Claude Code sends the same request with and without an earlier summary.
            for place in ["first", "update"] {
                found.push(Raw {
                    strategy: strategy.to_owned(),
                    place,
                    // Names of a minified bundle mean nothing, but lead to the place.
                    setting: format!("constant {}", literal.name),
                    words: words.clone(),
                    part: Part::Request,
                });
            }
        }
    }
    found
}

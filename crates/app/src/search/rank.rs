//! How well an entry answers a query: what a person or a summary says about the words goes before
//! a tool's output that has them among thousands of others.

use super::found::EntryHit;
use super::matching::{Pattern, count_in};
use palimpsest_core::{RecordKind, Role};

/// Occurrences of one word beyond this say nothing more.
const MOST_COUNTED: usize = 12;
/// Bytes of a text over which occurrences are not yet rare: a long paragraph.
const PARAGRAPH_BYTES: f64 = 600.0;
/// What a word in the title of the session adds.
const IN_TITLE: f64 = 0.5;
/// By how much words that stand next to each other say more than the same words apart.
const TOGETHER: f64 = 2.0;

/// The relevance of an entry with this text; larger is better. `phrase` is all words in a row.
pub(super) fn relevance(
    hit: &EntryHit,
    text: &str,
    wanted: &[Pattern],
    phrase: Option<&Pattern>,
) -> f64 {
    let words: f64 = wanted
        .iter()
        .map(|pattern| (1.0 + count_in(text, pattern, MOST_COUNTED) as f64).ln())
        .sum();
    let length = 1.0 + (1.0 + text.len() as f64 / PARAGRAPH_BYTES).ln();
    let in_title = wanted.iter().filter(|own| own.is_in(&hit.title)).count();
    let together = phrase.is_some_and(|phrase| phrase.is_in(text));
    let together = if together { TOGETHER } else { 1.0 };
    together * weight(hit) * words / length + IN_TITLE * in_title as f64
}

/// How much of what such an entry says was meant to be read.
fn weight(hit: &EntryHit) -> f64 {
    match (hit.kind, hit.role) {
        (RecordKind::Compaction | RecordKind::BranchSummary, _) => 1.5,
        // What a subagent was told and said is mostly said again in its result.
        _ if hit.in_subagent => 0.6,
        (RecordKind::ToolResult, _) | (_, Some(Role::Tool)) => 0.6,
        (_, Some(Role::User)) => 1.6,
        (_, Some(Role::Assistant)) => 1.2,
        (_, Some(Role::System)) => 0.5,
        _ => 0.8,
    }
}

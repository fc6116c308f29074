//! What the model says: choices, causes and states it found, and things it left to do.

use crate::candidate::{Registry, role_weight};
use crate::requests::sentence_key;
use crate::span::Part;
use crate::{prose, words};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// How many ranks lighter a sentence is that describes rather than concludes.
const DESCRIBED: i32 = 2;

/// Longest item taken from a list of what is left to do, in bytes.
const MAX_ITEM_BYTES: usize = 300;

/// Items under a line like "Next steps:" or "Remaining work": the list ends at the next line that is
/// neither an item nor empty.
fn left_to_do(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut within = false;
    for line in words::lines(text) {
        let content = text[line.clone()].trim();
        let is_item = content.starts_with(['-', '*', '•']) && !content.starts_with("**")
            || content
                .split_once(['.', ')'])
                .is_some_and(|(number, rest)| {
                    !number.is_empty()
                        && number.bytes().all(|b| b.is_ascii_digit())
                        && rest.starts_with(' ')
                });
        if within && is_item {
            let range = words::trim(text, line.clone());
            let end = words::floor_boundary(text, range.end.min(range.start + MAX_ITEM_BYTES));
            let done = content.contains("[x]") || content.contains('✅') || content.contains("~~");
            if prose::says_something(&text[range.start..end]) && !done {
                out.push(range.start..end);
            }
        } else if !content.is_empty() {
            let lower = content.trim_matches(['#', '*', ':', ' ']).to_lowercase();
            within = lower.len() <= 60
                && (content.ends_with([':', '*']) || content.starts_with('#'))
                && [
                    "next step",
                    "remaining",
                    "todo",
                    "to do",
                    "to-do",
                    "still open",
                    "still missing",
                    "left to do",
                    "not done",
                    "pending",
                    "follow-up",
                    "follow up",
                ]
                .iter()
                .any(|cue| lower.contains(cue));
        }
    }
    out
}

/// Reads a text of the model sentence by sentence.
pub(crate) fn read(registry: &mut Registry, part: &Part<'_>) {
    let left = left_to_do(part.text);
    for range in &left {
        let key = sentence_key(&part.text[range.clone()]);
        registry.add(FactKind::Todo, key, part, range.clone(), role_weight::EDIT);
    }
    for range in prose::sentences_of(part.text, &words::prose(part.text)) {
        if left
            .iter()
            .any(|item| item.start <= range.start && range.end <= item.end)
        {
            continue;
        }
        let sentence = &part.text[range.clone()];
        // What leads up to a list says nothing by itself.
        let leads = sentence.trim_end_matches(['*', ' ']).ends_with(':')
            && sentence.split_whitespace().count() <= 8;
        if leads {
            continue;
        }
        let before = part.text[..range.start].trim_end_matches(['`', '*', ' ']);
        // A heading names what follows, and "now let me use x instead:" what is done next.
        // Cells of a table say nothing alone.
        if before.ends_with('#') || sentence.starts_with('|') || prose::announces(sentence) {
            continue;
        }
        let cues = prose::cues(sentence);
        let kind = if before.ends_with("[ ]") {
            FactKind::Todo
        } else if prose::is_plan(sentence) {
            continue;
        } else if cues.todo {
            FactKind::Todo
        } else if cues.decision {
            FactKind::Decision
        } else if prose::finds(sentence) {
            FactKind::Finding
        } else {
            continue;
        };
        let firm = kind == FactKind::Todo || prose::is_firm(sentence);
        let index = registry.add(kind, sentence_key(sentence), part, range, role_weight::EDIT);
        if !firm {
            registry.facts[index].lighter = DESCRIBED;
        }
    }
}

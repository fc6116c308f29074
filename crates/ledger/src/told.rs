//! What the model says: choices, causes and states it found, and things it left to do.

use crate::candidate::{Registry, role_weight};
use crate::requests::sentence_key;
use crate::span::Part;
use crate::{prose, words};
use palimpsest_core::ledger::FactKind;

/// Reads a text of the model sentence by sentence.
pub(crate) fn read(registry: &mut Registry, part: &Part<'_>) {
    for range in prose::sentences_of(part.text, &words::prose(part.text)) {
        let sentence = &part.text[range.clone()];
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
        registry.add(kind, sentence_key(sentence), part, range, role_weight::EDIT);
    }
}

//! What the previous summary told, as far as it still holds.

use crate::offline::extractive::items::collector::{BEFORE, Collector, STATE_LABELS};
use crate::offline::extractive::previous::{Previous, Slot};
use crate::offline::extractive::story::Story;
use palimpsest_ledger::words;
use std::collections::HashSet;

/// Share of an open item's content words that what happened must have to count as its completion.
// Our choice, without a measurement.
const COMPLETES: f64 = 0.6;

/// Most items of the previous summary's context, the last ones.
const MAX_CRITICAL: usize = 14;

/// Words by which a sentence tells that something is finished.
const FINISHED: [&str; 14] = [
    "done",
    "finished",
    "complete",
    "completed",
    "implemented",
    "added",
    "fixed",
    "works",
    "passes",
    "pass",
    "merged",
    "removed",
    "created",
    "resolved",
];

/// Carries the items of the previous summary over; what the span finished is done.
pub fn carry_over(made: &mut Collector<'_>, story: &Story, previous: &Previous) {
    let finished: Vec<HashSet<String>> = story
        .sentences
        .iter()
        .filter(|(_, said)| words::words(said).any(|word| FINISHED.contains(&word.text.as_str())))
        .map(|(_, said)| said.as_str())
        .chain(story.commits.iter().map(|commit| commit.subject.as_str()))
        .map(|said| words::content_words(said).into_iter().collect())
        .collect();
    let is_finished = |text: &str| {
        let content = words::content_words(text);
        // One word in common, such as "tests", finishes nothing.
        content.len() >= 2
            && finished.iter().any(|said| {
                let shared = content.iter().filter(|word| said.contains(*word)).count();
                shared as f64 >= COMPLETES * content.len() as f64
            })
    };
    let passes = |text: &str| {
        story.commands.iter().any(|command| {
            command.failure.is_none() && text.contains(&format!("`{}`", command.command))
        })
    };
    let total = previous.items.len().max(1);
    let critical = previous.under(Slot::Critical).count();
    let mut passed_by = 0;
    for (order, (slot, text)) in previous.items.iter().enumerate() {
        if *slot == Slot::Goal || STATE_LABELS.iter().any(|label| text.starts_with(label)) {
            continue;
        }
        // A long summary would fill the page with what it was made from.
        if *slot == Slot::Critical {
            passed_by += 1;
            if passed_by + MAX_CRITICAL <= critical {
                continue;
            }
        }
        // Older items come first in a list and are dropped first.
        let age = 0.6 + 0.4 * (order as f64 + 1.0) / total as f64;
        let (slot, weight) = match slot {
            // Below most that is new of its kind, such as 60 for demands and 26 for decisions.
            Slot::Goal | Slot::Constraints => (Slot::Constraints, 56.0),
            Slot::Done => (Slot::Done, 18.0),
            Slot::InProgress | Slot::Next if is_finished(text) => (Slot::Done, 26.0),
            Slot::Blocked if passes(text) || is_finished(text) => (Slot::Done, 22.0),
            Slot::InProgress => (Slot::InProgress, 30.0),
            Slot::Blocked => (Slot::Blocked, 34.0),
            Slot::Decisions => (Slot::Decisions, 22.0),
            Slot::Next => (Slot::Next, 24.0),
            Slot::Critical => (Slot::Critical, 16.0),
        };
        made.add(slot, text.clone(), weight * age, BEFORE + order, false);
    }
}

//! What is wanted, what limits it, and what was decided.

use crate::offline::extractive::items::collector::{
    BEFORE, Collector, MAX_EACH, REQUEST_UNITS, SENTENCE_UNITS, STATE_LABELS, asked, asks,
    in_own_words, quote,
};
use crate::offline::extractive::previous::{Previous, Slot};
use crate::offline::extractive::story::Story;
use palimpsest_core::ledger::FactKind;
use palimpsest_ledger::extract::Candidate;

/// The first request of all and the latest.
pub fn goal(made: &mut Collector<'_>, story: &Story, previous: &Previous) {
    let asks = asks(story);
    let mut has_goal = false;
    for (order, text) in previous.under(Slot::Goal).enumerate() {
        if !STATE_LABELS.iter().any(|label| text.starts_with(label)) {
            made.add(Slot::Goal, text.to_owned(), 110.0, BEFORE + order, true);
            has_goal = true;
        }
    }
    let Some((first, rest)) = asks.split_first() else {
        return;
    };
    let mut latest = rest.last();
    // The previous summary tells the first request of all; the first one here came later.
    if has_goal {
        latest = latest.or(Some(first));
    } else {
        let text = in_own_words(&first.ask, REQUEST_UNITS);
        made.add(Slot::Goal, text, 120.0, made.at(first.item), true);
    }
    if let Some(latest) = latest {
        let text = format!("Latest request: {}", asked(latest, SENTENCE_UNITS));
        made.add(Slot::Goal, text, 100.0, made.at(latest.item), true);
    }
}

/// Sentences of one kind of facts.
pub fn quotes(
    made: &mut Collector<'_>,
    facts: &[Candidate],
    kind: FactKind,
    slot: Slot,
    weight: f64,
) {
    // The newest are kept when there are many.
    let all: Vec<_> = facts.iter().filter(|fact| fact.kind == kind).collect();
    for fact in all.iter().rev().take(MAX_EACH).rev() {
        let text = quote(&fact.surfaces[0]);
        let weight = weight * made.recency(fact.last_item);
        made.add(slot, text, weight, made.at(fact.first_item), true);
    }
}

/// What was chosen, with the reason where one was given.
pub fn decisions(made: &mut Collector<'_>, facts: &[Candidate]) {
    let all: Vec<_> = facts
        .iter()
        .filter(|fact| fact.kind == FactKind::Decision)
        .collect();
    for fact in all.iter().rev().take(MAX_EACH) {
        let sentence = quote(&fact.surfaces[0]);
        // pi's form for decisions: the choice in bold, then its rationale.
        let text = [" because ", " since ", ", so that ", " as it "]
            .iter()
            .find_map(|joint| {
                let (choice, reason) = sentence.split_once(joint)?;
                Some(format!(
                    "**{}**: {}{}",
                    bare(choice),
                    joint.trim_matches([',', ' ']),
                    format_args!(" {reason}")
                ))
            })
            .unwrap_or(sentence);
        let weight = 26.0 * made.recency(fact.last_item);
        made.add(
            Slot::Decisions,
            text,
            weight,
            made.at(fact.first_item),
            true,
        );
    }
}

/// Text without markdown emphasis, which would not nest.
fn bare(text: &str) -> String {
    text.replace("**", "")
}

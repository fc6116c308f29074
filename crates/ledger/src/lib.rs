//! The ledger: what a summary kept of the messages it replaced, what it dropped, what it added,
//! and which of the dropped things were needed later.
//!
//! Everything is deterministic and offline. [`build`] takes the facts of the span ([`extract`]),
//! looks for each in the summary ([`evidence`]), lists what the summary has and its sources do not
//! ([`introduced`]), and holds the dropped facts against what really came after ([`later`]).
//! [`build_with_scores`] adds measures of the summary as a whole. [`diff`] lays two summaries side
//! by side.
//!
//! The cue words are English; identifiers, commands and errors are found in any language.

mod authored;
pub mod candidate;
mod carried;
mod command_traces;
pub mod commands;
mod complaints;
mod diagnostics;
pub mod diff;
mod documents;
pub mod errors;
pub mod evidence;
pub mod extract;
mod figures;
mod files;
pub mod grusky;
pub mod identifiers;
mod input;
pub mod introduced;
mod known_names;
pub mod later;
mod lists;
pub mod matching;
mod meaning;
pub mod pasted;
pub mod prose;
mod repairs;
mod requests;
mod retold;
mod reviews;
pub mod scores;
mod scripts;
mod segments;
mod sentences;
pub mod span;
mod statements;
mod tasks;
pub mod test_counts;
mod told;
mod tool_action;
mod voices;
pub mod words;

pub use input::LedgerInput;
pub use scores::{Scores, Sections};
pub use span::{Span, SpanItem};

use palimpsest_core::estimate::text_tokens;
use palimpsest_core::ledger::{Fact, FactDetails, FactKind, FactStatus, Ledger, Totals};
use std::collections::BTreeMap;

/// Builds the ledger of a summary.
pub fn build(input: &LedgerInput<'_>) -> Ledger {
    assemble(input).0
}

/// Builds the ledger of a summary and scores it; `headings` are the section titles the strategy
/// requires, without `#` (none for a strategy without a template).
pub fn build_with_scores(input: &LedgerInput<'_>, headings: &[&str]) -> (Ledger, Scores) {
    let (ledger, candidates, distinct) = assemble(input);
    let scores = scores::scores(input, &candidates, &ledger, distinct, headings);
    (ledger, scores)
}

fn assemble(input: &LedgerInput<'_>) -> (Ledger, Vec<extract::Candidate>, usize) {
    let candidates = extract::extract(&input.span);
    let needed = later::find(&candidates, &input.span, &input.kept_tail, &input.later);
    // What was only shown is no loss unless somebody came back to it.
    let (candidates, needed): (Vec<_>, Vec<_>) = candidates
        .into_iter()
        .zip(needed)
        .filter(|(fact, needed)| fact.standing >= extract::Standing::Noticed || !needed.is_empty())
        .unzip();
    let found = evidence::find(input.summary, &candidates);
    let tail: Vec<_> = input
        .kept_tail
        .parts()
        .map(|part| introduced::decoded(part.kind, part.text))
        .collect();
    let in_tail = evidence::find(&tail.join("\n"), &candidates);
    let others: Vec<&str> = input
        .previous_summary
        .into_iter()
        .chain(input.instructions)
        .collect();
    let stated = introduced::find(input.summary, &input.span, &others);
    let facts: Vec<Fact> = candidates
        .iter()
        .zip(found)
        .zip(in_tail)
        .zip(needed)
        .enumerate()
        .map(
            |(index, (((candidate, evidence), tail), needed_later))| Fact {
                id: format!("f{}", index + 1),
                kind: candidate.kind,
                text: candidate.text.clone(),
                places: candidate.places.clone(),
                count: candidate.count,
                weight: candidate.weight,
                status: evidence.status,
                evidence: evidence.ranges,
                in_kept_tail: matches!(tail.status, FactStatus::Verbatim | FactStatus::Mentioned),
                needed_later,
                details: FactDetails {
                    missing: evidence.missing,
                    difference: evidence.difference,
                    ..candidate.details.clone()
                },
            },
        )
        .collect();
    let totals = totals(input, &facts, &candidates);
    (
        Ledger {
            facts,
            introduced: stated.introduced,
            totals,
        },
        candidates,
        stated.distinct,
    )
}

fn totals(input: &LedgerInput<'_>, facts: &[Fact], candidates: &[extract::Candidate]) -> Totals {
    let mut by_kind: BTreeMap<FactKind, [usize; 4]> = BTreeMap::new();
    let mut changed: BTreeMap<FactKind, usize> = BTreeMap::new();
    let (mut weight, mut kept) = (0.0, 0.0);
    for (fact, candidate) in facts.iter().zip(candidates) {
        let (slot, share) = match fact.status {
            FactStatus::Verbatim => (Some(0), 1.0),
            FactStatus::Mentioned => (Some(1), 1.0),
            FactStatus::Changed => (None, 0.5),
            FactStatus::Partial => (Some(2), 0.5),
            FactStatus::Dropped => (Some(3), 0.0),
        };
        let counts = by_kind.entry(fact.kind).or_default();
        match slot {
            Some(slot) => counts[slot] += 1,
            None => *changed.entry(fact.kind).or_default() += 1,
        }
        // No summary has to keep what was only noticed.
        if candidate.standing == extract::Standing::Said {
            weight += fact.weight;
            kept += share * fact.weight;
        }
    }
    let texts: Vec<_> = input
        .span
        .parts()
        .map(|part| introduced::decoded(part.kind, part.text))
        .collect();
    let extractive = grusky::measure(texts.iter().map(AsRef::as_ref), input.summary);
    let span_tokens = input.span_tokens.unwrap_or_else(|| input.span.estimate());
    Totals {
        by_kind: by_kind.into_iter().collect(),
        changed: changed.into_iter().collect(),
        retention: if weight > 0.0 {
            Some(kept / weight)
        } else {
            (!input.span.items.is_empty()).then_some(1.0)
        },
        compression_ratio: if span_tokens == 0 {
            0.0
        } else {
            text_tokens(input.summary) as f64 / span_tokens as f64
        },
        coverage: extractive.coverage,
        density: extractive.density,
        // What the kept tail still shows was not lost, whatever the summary did.
        needed_later: facts
            .iter()
            .filter(|fact| {
                fact.status == FactStatus::Dropped
                    && !fact.in_kept_tail
                    && !fact.needed_later.is_empty()
            })
            .count(),
    }
}

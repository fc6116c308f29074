//! The facts of a span, taken once, on which any number of summaries are measured.
//!
//! Two summaries can be compared only on the same facts. Where strategies keep tails of different
//! lengths, the span of the universe is what at least one of them takes out of the context, and each
//! summary is measured together with the tail that its own strategy keeps.

use crate::extract::{self, Candidate, Standing};
use crate::held::HeldFacts;
use crate::input::LedgerInput;
use crate::span::Span;
use crate::{evidence, introduced, later, totals};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactDetails, FactStatus, Ledger};

/// The facts of a span with their later uses.
#[derive(Debug)]
pub struct Universe<'a> {
    span: Span<'a>,
    candidates: Vec<Candidate>,
    needed: Vec<Vec<EntryIx>>,
}

impl<'a> Universe<'a> {
    /// The facts of `span`; `kept` is what every summary leaves in the context beside it, and
    /// `after` what came afterwards.
    pub fn of(span: Span<'a>, kept: &Span<'_>, after: &Span<'_>) -> Universe<'a> {
        let candidates = extract::extract(&span);
        let needed = later::find(&candidates, &span, kept, after);
        // What was only shown is no loss unless somebody came back to it.
        let (candidates, needed) = candidates
            .into_iter()
            .zip(needed)
            .filter(|(fact, needed)| fact.standing >= Standing::Noticed || !needed.is_empty())
            .unzip();
        Universe {
            span,
            candidates,
            needed,
        }
    }

    /// The facts before they are held against a summary, in the order of a ledger's facts.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The ledger of a summary on these facts. Of `input` the summary, the texts that it may quote and
    /// the kept tail count; its span and what came later are those of the universe.
    pub fn ledger(&self, input: &LedgerInput<'_>) -> Ledger {
        let candidates = &self.candidates;
        let found = evidence::find(input.summary, candidates);
        let tail: Vec<_> = input
            .kept_tail
            .parts()
            .map(|part| introduced::decoded(part.kind, part.text))
            .collect();
        let in_tail = evidence::find(&tail.join("\n"), candidates);
        let others: Vec<&str> = input
            .previous_summary
            .into_iter()
            .chain(input.instructions)
            .collect();
        let introduced = introduced::find(input.summary, &self.span, &others);
        let facts: Vec<Fact> = candidates
            .iter()
            .zip(found)
            .zip(in_tail)
            .zip(&self.needed)
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
                    in_kept_tail: matches!(
                        tail.status,
                        FactStatus::Verbatim | FactStatus::Mentioned
                    ),
                    needed_later: needed_later.clone(),
                    details: FactDetails {
                        missing: evidence.missing,
                        difference: evidence.difference,
                        ..candidate.details.clone()
                    },
                },
            )
            .collect();
        let input = LedgerInput {
            span: self.span,
            ..*input
        };
        Ledger {
            totals: totals::totals(&input, &facts, candidates),
            facts,
            introduced: introduced.introduced,
        }
    }

    /// What the next request holds of these facts, by a ledger of this universe.
    pub fn held(&self, ledger: &Ledger) -> HeldFacts {
        HeldFacts::of(ledger, &self.candidates)
    }
}

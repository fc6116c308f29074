//! The facts of a span, taken once, on which any number of summaries are measured.
//!
//! Two summaries can be compared only on the same facts. Where strategies keep tails of different
//! lengths, the span of the universe is what at least one of them takes out of the context, and each
//! summary is measured together with the tail that its own strategy keeps.

use crate::beside::at_once;
use crate::by_model::{self, ModelFact};
use crate::extract::{self, Candidate, Standing};
use crate::grusky::{self, Extractiveness};
use crate::held::HeldFacts;
use crate::input::LedgerInput;
use crate::span::{ReadSpan, Span};
use crate::{evidence, introduced, later, leaning, looked_up, met, totals};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactDetails, Introduced, Ledger};

/// The facts of a span with their later uses.
#[derive(Debug)]
pub struct Universe<'a> {
    span: Span<'a>,
    candidates: Vec<Candidate>,
    needed: Vec<Vec<EntryIx>>,
    nothing_after: bool,
    /// What only a model found, apart: no figure depends on whether one was asked.
    by_model: Vec<Candidate>,
    needed_by_model: Vec<Vec<EntryIx>>,
}

impl<'a> Universe<'a> {
    /// The facts of `span`; `kept` is what every summary leaves in the context beside it, and
    /// `after` what came afterwards. Of the facts that a model found, those count that stand in the
    /// span; one that rules found as well is marked as found by both.
    pub fn of(
        span: Span<'a>,
        kept: &Span<'_>,
        after: &Span<'_>,
        found: &[ModelFact],
    ) -> Universe<'a> {
        Universe::beside(span, kept, after, found, |_| ()).0
    }

    /// The same, with what `work` makes of the span: it is made while one fact after the other is noted,
    /// which only one thread can do.
    pub(crate) fn beside<T: Send>(
        span: Span<'a>,
        kept: &Span<'_>,
        after: &Span<'_>,
        found: &[ModelFact],
        work: impl Fn(&Span<'a>) -> T + Sync,
    ) -> (Universe<'a>, T) {
        let nothing_after = after.items.is_empty();
        let read = ReadSpan::of(&span);
        let readings = extract::readings(&read);
        let facts = || {
            let after = ReadSpan::of(after);
            let mut candidates = extract::extract_noted(&span, &read, readings);
            candidates.extend(looked_up::names(&candidates, &read, &after));
            let needed = later::find_read(&candidates, &read, kept, &after);
            // What was only shown is no loss unless somebody came back to it.
            let (mut candidates, needed): (Vec<_>, Vec<_>) = candidates
                .into_iter()
                .zip(needed)
                .filter(|(fact, needed)| fact.standing >= Standing::Noticed || !needed.is_empty())
                .unzip();
            let by_model = by_model::take(&mut candidates, &span, found);
            let needed_by_model = later::find_read(&by_model, &read, kept, &after);
            (candidates, needed, by_model, needed_by_model)
        };
        let (facts, made) = at_once(facts, || work(&span));
        let (candidates, needed, by_model, needed_by_model) = facts;
        let universe = Universe {
            span,
            candidates,
            needed,
            nothing_after,
            by_model,
            needed_by_model,
        };
        (universe, made)
    }

    /// The facts that rules found, before they are held against a summary, in the order of a
    /// ledger's facts.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The ledger of a summary on these facts. Of `input` the summary, the texts that it may quote and
    /// the kept tail count; its span and what came later are those of the universe.
    pub fn ledger(&self, input: &LedgerInput<'_>) -> Ledger {
        let tail = tail_of(input);
        let of_summary = || OfSummary::read(input, &self.span, &tail);
        let held = || held_against(input.summary, &tail, &self.candidates, &self.needed);
        let (of_summary, facts) = at_once(of_summary, held);
        self.summed(input, &tail, of_summary, facts)
    }

    /// The same where the summary was read already; `tail` is [`tail_of`] of the input.
    pub(crate) fn ledger_of(
        &self,
        input: &LedgerInput<'_>,
        tail: &str,
        of_summary: OfSummary,
    ) -> Ledger {
        let facts = held_against(input.summary, tail, &self.candidates, &self.needed);
        self.summed(input, tail, of_summary, facts)
    }

    fn summed(
        &self,
        input: &LedgerInput<'_>,
        tail: &str,
        of_summary: OfSummary,
        mut facts: Vec<Fact>,
    ) -> Ledger {
        let OfSummary {
            introduced,
            extractive,
        } = of_summary;
        let input = LedgerInput {
            span: self.span,
            ..*input
        };
        let totals = totals::totals(
            &input,
            &facts,
            &self.candidates,
            extractive,
            self.nothing_after,
        );
        if !self.by_model.is_empty() {
            let more = held_against(input.summary, tail, &self.by_model, &self.needed_by_model);
            let first_items = self.candidates.iter().chain(&self.by_model);
            let mut placed: Vec<_> = first_items
                .map(|fact| fact.first_item)
                .zip(facts.into_iter().chain(more))
                .collect();
            // Stable: the order that rules gave stays.
            placed.sort_by_key(|(item, fact)| {
                let first = &fact.places[0];
                (*item, first.message, first.block, first.range.start)
            });
            facts = placed.into_iter().map(|(_, fact)| fact).collect();
        }
        for (index, fact) in facts.iter_mut().enumerate() {
            fact.id = format!("f{}", index + 1);
        }
        Ledger {
            totals,
            facts,
            introduced,
        }
    }

    /// What the next request holds of these facts, by a ledger of this universe.
    pub fn held(&self, ledger: &Ledger) -> HeldFacts {
        HeldFacts::of(ledger, &self.candidates)
    }
}

/// What a summary shows beside the facts of its span.
pub(crate) struct OfSummary {
    introduced: Vec<Introduced>,
    extractive: Extractiveness,
}

impl OfSummary {
    /// Reads the summary of `input` beside `span`; `tail` is [`tail_of`] of the input.
    pub fn read(input: &LedgerInput<'_>, span: &Span<'_>, tail: &str) -> OfSummary {
        let span = introduced::decoded_parts(span);
        // What stands beside the summary in the context is not made up.
        let others: Vec<&str> = input
            .previous_summary
            .into_iter()
            .chain(input.instructions)
            .chain([tail])
            .collect();
        let texts = span.iter().map(|(_, text)| text.as_ref());
        OfSummary {
            extractive: grusky::measure(texts, input.summary),
            introduced: introduced::find(input.summary, &span, &others),
        }
    }
}

/// The texts of the kept tail, one below the other.
pub(crate) fn tail_of(input: &LedgerInput<'_>) -> String {
    let parts = input.kept_tail.parts();
    let texts: Vec<_> = parts
        .map(|part| introduced::decoded(part.kind, part.text))
        .collect();
    texts.join("\n")
}

/// Facts with what a summary and the kept tail show of them; their ids are not given yet.
fn held_against(
    summary: &str,
    tail: &str,
    candidates: &[Candidate],
    needed: &[Vec<EntryIx>],
) -> Vec<Fact> {
    let (found, in_tail) = at_once(
        || evidence::find(summary, candidates),
        || evidence::stand_in_tail(tail, candidates),
    );
    let all = candidates.iter().zip(found).zip(in_tail).zip(needed);
    let facts = all.map(|(((candidate, evidence), in_kept_tail), needed_later)| {
        let (text, own_words) = leaning::shown(candidate);
        Fact {
            id: String::new(),
            kind: candidate.kind,
            text,
            places: candidate.places.clone(),
            count: candidate.count,
            weight: candidate.weight,
            status: evidence.status,
            evidence: evidence.ranges,
            in_kept_tail,
            needed_later: needed_later.clone(),
            details: FactDetails {
                missing: evidence.missing,
                difference: evidence.difference,
                minor: candidate.standing != Standing::Said,
                told_otherwise: evidence.echo,
                own_words,
                ..candidate.details.clone()
            },
        }
    });
    let mut facts: Vec<Fact> = facts.collect();
    met::mark(&mut facts, candidates);
    facts
}

//! Sums over a ledger.

use crate::concern::is_missed;
use crate::extract::{Candidate, Standing};
use crate::grusky::Extractiveness;
use crate::input::LedgerInput;
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::ledger::{Counted, Fact, FactKind, FactStatus, Totals};
use std::collections::BTreeMap;

/// The sums over `facts`, which stand for `candidates`, one for one; `extractive` tells how much of the
/// summary is copied from the span, `nothing_after` that no entry follows that could need a fact.
pub(crate) fn totals(
    input: &LedgerInput<'_>,
    facts: &[Fact],
    candidates: &[Candidate],
    extractive: Extractiveness,
    nothing_after: bool,
) -> Totals {
    let mut by_kind: BTreeMap<FactKind, [usize; 4]> = BTreeMap::new();
    let mut changed: BTreeMap<FactKind, usize> = BTreeMap::new();
    let mut counted = Counted::default();
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
        if candidate.standing == Standing::Said {
            counted.facts += 1;
            counted.kept += usize::from(share == 1.0);
            counted.half += usize::from(share == 0.5);
            counted.weight += fact.weight;
            counted.kept_weight += share * fact.weight;
        }
    }
    let span_tokens = input.span_tokens.unwrap_or_else(|| input.span.estimate());
    Totals {
        by_kind: by_kind.into_iter().collect(),
        changed: changed.into_iter().collect(),
        counted: Some(counted),
        retention: if counted.weight > 0.0 {
            Some(counted.kept_weight / counted.weight)
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
        needed_later: facts.iter().filter(|fact| is_missed(fact)).count(),
        nothing_after,
    }
}

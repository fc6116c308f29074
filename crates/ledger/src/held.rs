//! What the next request still holds of the facts: the summary, and the tail kept beside it.

use crate::extract::{Candidate, Standing};
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, Ledger};
use std::collections::BTreeMap;

/// How much a partly kept or changed fact counts, as in the ledger's retention.
const HALF: f64 = 0.5;

/// Facts by where the next request holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// All.
    pub facts: usize,
    /// Those that the summary has in full.
    pub in_summary: usize,
    /// Those that only the kept tail has.
    pub in_tail: usize,
    /// Those of which the summary has a part, and the tail nothing.
    pub partial: usize,
    /// Those that the summary has with another meaning and the tail does not have.
    pub changed: usize,
    /// Those that neither has.
    pub lost: usize,
}

/// Where the next request holds one fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holding {
    /// The summary has it in full.
    Summary,
    /// Only the kept tail has it.
    Tail,
    /// The summary has a part of it.
    Partial,
    /// The summary has it with another meaning.
    Changed,
    /// Neither has it.
    Lost,
}

impl Holding {
    /// Where the next request holds `fact`.
    pub fn of(fact: &Fact) -> Holding {
        match fact.status {
            FactStatus::Verbatim | FactStatus::Mentioned => Holding::Summary,
            _ if fact.in_kept_tail => Holding::Tail,
            FactStatus::Partial => Holding::Partial,
            FactStatus::Changed => Holding::Changed,
            FactStatus::Dropped => Holding::Lost,
        }
    }
}

impl Held {
    fn count(&mut self, holding: Holding) {
        self.facts += 1;
        match holding {
            Holding::Summary => self.in_summary += 1,
            Holding::Tail => self.in_tail += 1,
            Holding::Partial => self.partial += 1,
            Holding::Changed => self.changed += 1,
            Holding::Lost => self.lost += 1,
        }
    }

    /// The share still held, 0 to 1, where a partly kept or changed fact counts half; `None` where
    /// there is no fact.
    pub fn share(&self) -> Option<f64> {
        let held = (self.in_summary + self.in_tail) as f64;
        let halves = HALF * (self.partial + self.changed) as f64;
        (self.facts > 0).then(|| (held + halves) / self.facts as f64)
    }
}

/// What the next request holds of a universe of facts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeldFacts {
    /// Of the facts that were really used again later.
    pub needed_later: Held,
    /// By kind, without what was only noticed: no summary has to keep that.
    pub by_kind: BTreeMap<FactKind, Held>,
    /// Facts that the summary states with another meaning, whatever the tail has.
    pub changed: usize,
}

impl HeldFacts {
    /// Counts the facts of `ledger` that rules found, which stand for `candidates`, one for one.
    pub(crate) fn of(ledger: &Ledger, candidates: &[Candidate]) -> HeldFacts {
        let mut held = HeldFacts::default();
        let by_rules = ledger
            .facts
            .iter()
            .filter(|fact| fact.details.found_by.by_rules());
        for (fact, candidate) in by_rules.zip(candidates) {
            let holding = Holding::of(fact);
            if !fact.needed_later.is_empty() {
                held.needed_later.count(holding);
            }
            if candidate.standing == Standing::Said {
                held.by_kind.entry(fact.kind).or_default().count(holding);
            }
            held.changed += usize::from(fact.status == FactStatus::Changed);
        }
        held
    }
}

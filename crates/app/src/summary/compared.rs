//! Ledgers of several summaries held against each other.

use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, FoundBy, Ledger};
use palimpsest_ledger::Holding;
use std::collections::HashMap;

/// What a comparison of ledgers found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparedLedgers {
    /// Facts that at least two ledgers have with different statuses, or that only the kept tail of
    /// some has, weightiest first.
    pub differing: Vec<DifferingFact>,
    /// How many facts are held alike by all ledgers that have them, which are two at least; those
    /// that only a model found are not counted.
    pub same: u64,
}

/// A fact that the summaries treat differently.
#[derive(Debug, Clone, PartialEq)]
pub struct DifferingFact {
    /// What kind of thing it is.
    pub kind: FactKind,
    /// Its text.
    pub text: String,
    /// Its status in each ledger, in their order; `None` in one that does not have it.
    pub statuses: Vec<Option<FactStatus>>,
    /// True for each ledger whose kept tail has it.
    pub in_tail: Vec<bool>,
    /// Who found it, in the first ledger that has it.
    pub found_by: FoundBy,
    /// True when entries after one of the compactions needed it.
    pub needed_later: bool,
    /// Its weight: the largest of those in the ledgers.
    pub weight: f64,
    /// The entry of its first place, in the first ledger that has it.
    pub entry: Option<EntryIx>,
}

impl ComparedLedgers {
    /// Compares ledgers fact by fact. A fact that only one has is left out: the spans of the
    /// others do not hold it, so nothing was promised about it there.
    pub fn of(ledgers: &[&Ledger]) -> ComparedLedgers {
        // The map has no order; facts come in that of their first ledger.
        let mut order: Vec<(FactKind, &str)> = Vec::new();
        let mut found: HashMap<(FactKind, &str), Vec<Option<&Fact>>> = HashMap::new();
        for (at, ledger) in ledgers.iter().enumerate() {
            for fact in &ledger.facts {
                // Ids are numbers within one ledger, so facts are the same by kind and text.
                let key = (fact.kind, fact.text.as_str());
                let sides = found.entry(key).or_insert_with(|| {
                    order.push(key);
                    vec![None; ledgers.len()]
                });
                sides[at] = Some(fact);
            }
        }
        let mut compared = ComparedLedgers::default();
        for key in order {
            let sides = &found[&key];
            let known: Vec<&Fact> = sides.iter().flatten().copied().collect();
            let [first, others @ ..] = known.as_slice() else {
                continue;
            };
            if others.is_empty() {
                continue;
            }
            let is_same = |fact: &&Fact| {
                fact.status == first.status && Holding::of(fact) == Holding::of(first)
            };
            if others.iter().all(is_same) {
                compared.same += u64::from(first.details.found_by.by_rules());
                continue;
            }
            compared.differing.push(DifferingFact {
                kind: first.kind,
                text: first.text.clone(),
                statuses: sides
                    .iter()
                    .map(|fact| fact.map(|fact| fact.status))
                    .collect(),
                in_tail: sides
                    .iter()
                    .map(|fact| fact.is_some_and(|fact| fact.in_kept_tail))
                    .collect(),
                found_by: first.details.found_by,
                needed_later: known.iter().any(|fact| !fact.needed_later.is_empty()),
                weight: known.iter().map(|fact| fact.weight).fold(0.0, f64::max),
                entry: first.places.first().map(|place| place.entry),
            });
        }
        let by_weight = |a: &DifferingFact, b: &DifferingFact| b.weight.total_cmp(&a.weight);
        compared.differing.sort_by(by_weight);
        compared
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::ledger::{FactDetails, SourcePlace};

    fn fact(text: &str, status: FactStatus, weight: f64) -> Fact {
        Fact {
            id: String::new(),
            kind: FactKind::Path,
            text: text.to_owned(),
            places: vec![SourcePlace {
                entry: EntryIx(7),
                message: 0,
                block: 0,
                range: 0..1,
            }],
            count: 1,
            weight,
            status,
            evidence: Vec::new(),
            in_kept_tail: false,
            needed_later: Vec::new(),
            details: FactDetails::default(),
        }
    }

    fn ledger(facts: Vec<Fact>) -> Ledger {
        Ledger {
            facts,
            ..Ledger::default()
        }
    }

    #[test]
    fn facts_with_different_fates_come_weightiest_first() {
        let left = ledger(vec![
            fact("a", FactStatus::Verbatim, 1.0),
            fact("b", FactStatus::Dropped, 3.0),
            fact("same", FactStatus::Partial, 9.0),
            fact("alone", FactStatus::Dropped, 9.0),
        ]);
        let right = ledger(vec![
            fact("b", FactStatus::Verbatim, 3.0),
            fact("a", FactStatus::Dropped, 1.0),
            fact("same", FactStatus::Partial, 9.0),
        ]);
        let third = ledger(vec![fact("a", FactStatus::Dropped, 2.0)]);
        let compared = ComparedLedgers::of(&[&left, &right, &third]);
        let found: Vec<_> = compared
            .differing
            .iter()
            .map(|fact| (fact.text.as_str(), fact.statuses.as_slice(), fact.weight))
            .collect();
        assert_eq!(
            found,
            [
                (
                    "b",
                    &[Some(FactStatus::Dropped), Some(FactStatus::Verbatim), None][..],
                    3.0
                ),
                (
                    "a",
                    &[
                        Some(FactStatus::Verbatim),
                        Some(FactStatus::Dropped),
                        Some(FactStatus::Dropped)
                    ][..],
                    2.0
                ),
            ]
        );
        assert_eq!(compared.same, 1);
        assert_eq!(compared.differing[0].entry, Some(EntryIx(7)));
    }

    #[test]
    fn what_only_a_model_found_is_marked_and_in_no_sum() {
        let by_model = |text: &str, status| Fact {
            details: FactDetails {
                found_by: FoundBy::Model,
                ..FactDetails::default()
            },
            ..fact(text, status, 1.0)
        };
        let left = ledger(vec![
            by_model("same", FactStatus::Verbatim),
            by_model("differs", FactStatus::Verbatim),
        ]);
        let right = ledger(vec![
            by_model("same", FactStatus::Verbatim),
            by_model("differs", FactStatus::Dropped),
        ]);
        let compared = ComparedLedgers::of(&[&left, &right]);
        assert_eq!(compared.same, 0);
        assert_eq!(compared.differing.len(), 1);
        assert_eq!(compared.differing[0].found_by, FoundBy::Model);
    }
}

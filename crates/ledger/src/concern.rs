//! The three questions that the first screen of a summary answers, and which facts answer them.

use crate::candidate::least;
use crate::{slight, words};
use palimpsest_core::ledger::{Concern, Fact, FactKind, FactStatus, FileRole, TaskState};

/// The question that a fact answers. What the kept tail shows is not lost.
pub fn concern(fact: &Fact) -> Concern {
    // What another fact tells as well is missed there, and what the summary may tell in other words is looked at last.
    let is_lost = is_gone(fact) && fact.details.told_otherwise.is_none();
    if !fact.details.found_by.by_rules() {
        Concern::Model
    } else if is_lost && is_own(fact) {
        Concern::Own
    } else if is_missed(fact) {
        Concern::Missed
    } else if is_lost && bears_load(fact) {
        Concern::Risk
    } else {
        Concern::Rest
    }
}

/// True for a fact that the context after the compaction does not have as it was.
fn is_gone(fact: &Fact) -> bool {
    matches!(fact.status, FactStatus::Dropped | FactStatus::Changed) && !fact.in_kept_tail
}

/// True for a fact that is in neither the summary nor the kept tail and was needed later. What is
/// lighter than the least kind is not missed.
pub fn is_missed(fact: &Fact) -> bool {
    !fact.needed_later.is_empty() && may_be_missed(fact.status, fact.in_kept_tail, fact.weight)
}

/// The same of a fact that was needed later, by what became of it and what it weighs.
pub(crate) fn may_be_missed(status: FactStatus, in_kept_tail: bool, weight: f64) -> bool {
    status == FactStatus::Dropped && !in_kept_tail && weight >= SLIGHT
}

/// How many facts answer each question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Concerns {
    /// What the user asked for or ruled out in the span itself: what is lost or changed, and what is
    /// still there. What is gone and was settled is neither.
    pub said: usize,
    /// Those of it that are lost or changed.
    pub own: usize,
    /// Dropped and needed later.
    pub missed: usize,
    /// Lost, and later work may need it.
    pub risk: usize,
    /// Found only by a model.
    pub model: usize,
    /// All others.
    pub rest: usize,
}

/// Counts the facts of a ledger by the question that each answers.
pub fn concerns(facts: &[Fact]) -> Concerns {
    let mut counts = Concerns::default();
    for fact in facts {
        let answered = concern(fact);
        *match answered {
            Concern::Own => &mut counts.own,
            Concern::Missed => &mut counts.missed,
            Concern::Risk => &mut counts.risk,
            Concern::Model => &mut counts.model,
            Concern::Rest => &mut counts.rest,
        } += 1;
        let settled = is_gone(fact) && answered != Concern::Own;
        counts.said += usize::from(answered != Concern::Model && is_own(fact) && !settled);
    }
    counts
}

/// True for what the user asked for or ruled out, in the span itself.
fn is_own(fact: &Fact) -> bool {
    let kind = matches!(fact.kind, FactKind::UserRequest | FactKind::Constraint);
    // A settled question, or a word that drove the model on, is three ranks lighter and weighs less than any task.
    kind && fact.details.generation == 0 && fact.weight >= least(FactKind::Todo) + 0.01
}

/// Weight below which a fact is lighter than the least kind: a comment that the code still has.
pub(crate) const SLIGHT: f64 = 1.0;

/// Most content words of a choice that does not say what it is about ("Not worth the effort.").
const BARE: usize = 4;

/// True for a choice of a few words that names nothing: a word with a capital behind the first is a name ("Redis").
fn is_bare(fact: &Fact) -> bool {
    let is_name = |word: &str| word.len() > 1 && word.starts_with(char::is_uppercase);
    !fact.text.split_whitespace().skip(1).any(is_name)
        && !slight::is_specific(&fact.text)
        && words::content_words(&fact.text).len() <= BARE
}

/// True for what later work builds on. A choice that was only thought of, or reported as done, is shown by the code.
fn bears_load(fact: &Fact) -> bool {
    fact.weight >= SLIGHT
        && !fact.details.minor
        && match fact.kind {
            FactKind::Decision => fact.details.generation == 0 && !is_bare(fact),
            // An error that went away, or that follows from another one, is lighter than its kind; so is a file outside
            // of the project.
            FactKind::Error => {
                fact.details.generation == 0
                    && fact.weight >= least(fact.kind)
                    && fact.details.is_late
            }
            FactKind::Path => {
                fact.details.file_role == Some(FileRole::Edited) && fact.weight >= least(fact.kind)
            }
            FactKind::Todo => fact.details.task == Some(TaskState::Open),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::EntryIx;
    use palimpsest_core::ledger::{FactDetails, FoundBy, ToldOtherwise};

    fn fact(kind: FactKind, status: FactStatus) -> Fact {
        Fact {
            id: String::new(),
            kind,
            text: "keep `rows`".to_owned(),
            places: Vec::new(),
            count: 1,
            weight: 20.0,
            status,
            evidence: Vec::new(),
            in_kept_tail: false,
            needed_later: Vec::new(),
            details: FactDetails::default(),
        }
    }

    #[test]
    fn missed_is_what_was_dropped_whole_needed_later_and_weighs_enough() {
        let needed = Fact {
            needed_later: vec![EntryIx(3)],
            ..fact(FactKind::Symbol, FactStatus::Dropped)
        };
        assert!(is_missed(&needed));
        let light = Fact {
            weight: SLIGHT / 2.0,
            ..needed.clone()
        };
        let in_tail = Fact {
            in_kept_tail: true,
            ..needed.clone()
        };
        let partly = Fact {
            status: FactStatus::Partial,
            ..needed
        };
        for other in [light, in_tail, partly] {
            assert!(!is_missed(&other), "{other:?}");
        }
    }

    #[test]
    fn a_fact_answers_the_first_question_that_it_can() {
        let dropped = |kind| fact(kind, FactStatus::Dropped);
        let request = dropped(FactKind::UserRequest);
        assert_eq!(concern(&request), Concern::Own);
        let needed = Fact {
            needed_later: vec![EntryIx(3)],
            ..dropped(FactKind::Symbol)
        };
        assert_eq!(concern(&needed), Concern::Missed);
        assert_eq!(concern(&dropped(FactKind::Decision)), Concern::Risk);
        assert_eq!(concern(&dropped(FactKind::Symbol)), Concern::Rest);
        let found_by = |found_by| Fact {
            details: FactDetails {
                found_by,
                ..FactDetails::default()
            },
            ..dropped(FactKind::Decision)
        };
        assert_eq!(concern(&found_by(FoundBy::Model)), Concern::Model);
        assert_eq!(concern(&found_by(FoundBy::Both)), Concern::Risk);
        let minor = Fact {
            details: FactDetails {
                minor: true,
                ..FactDetails::default()
            },
            ..dropped(FactKind::Decision)
        };
        assert_eq!(concern(&minor), Concern::Rest);
        let slight = Fact {
            weight: 0.5,
            ..dropped(FactKind::Decision)
        };
        assert_eq!(concern(&slight), Concern::Rest);
        let kept = fact(FactKind::Constraint, FactStatus::Verbatim);
        assert_eq!(concern(&kept), Concern::Rest);
        let in_tail = Fact {
            in_kept_tail: true,
            ..request
        };
        assert_eq!(concern(&in_tail), Concern::Rest);
    }

    #[test]
    fn the_counts_hold_every_fact_once_and_what_the_user_said_besides() {
        let said = |status, generation| Fact {
            details: FactDetails {
                generation,
                ..FactDetails::default()
            },
            ..fact(FactKind::UserRequest, status)
        };
        let found_by_a_model = Fact {
            details: FactDetails {
                found_by: FoundBy::Model,
                ..FactDetails::default()
            },
            ..fact(FactKind::Constraint, FactStatus::Dropped)
        };
        let facts = [
            said(FactStatus::Dropped, 0),
            said(FactStatus::Verbatim, 0),
            // An earlier summary said it, not this span.
            said(FactStatus::Dropped, 1),
            found_by_a_model,
            fact(FactKind::Decision, FactStatus::Dropped),
            // Gone, and settled: neither lost nor still there.
            Fact {
                details: FactDetails {
                    told_otherwise: Some(ToldOtherwise::Outcome),
                    ..FactDetails::default()
                },
                ..said(FactStatus::Dropped, 0)
            },
        ];
        let expected = Concerns {
            said: 2,
            own: 1,
            missed: 0,
            risk: 1,
            model: 1,
            rest: 3,
        };
        assert_eq!(concerns(&facts), expected);
    }

    #[test]
    fn of_files_the_edited_and_of_tasks_the_open_bear_load() {
        let with = |kind, details| Fact {
            details,
            ..fact(kind, FactStatus::Dropped)
        };
        let role = |file_role| FactDetails {
            file_role: Some(file_role),
            ..FactDetails::default()
        };
        let task = |task| FactDetails {
            task: Some(task),
            ..FactDetails::default()
        };
        let of = |kind, details| concern(&with(kind, details));
        assert_eq!(of(FactKind::Path, role(FileRole::Edited)), Concern::Risk);
        assert_eq!(of(FactKind::Path, role(FileRole::Read)), Concern::Rest);
        assert_eq!(of(FactKind::Todo, task(TaskState::Open)), Concern::Risk);
        assert_eq!(of(FactKind::Todo, task(TaskState::Closed)), Concern::Rest);
    }
}

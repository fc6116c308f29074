//! How right a ledger is about what was lost and needed later: of the needs that somebody found by
//! reading what came after a summary those that it claims, and of its claims those that are needs.

use crate::labels::{Fate, Label};
use crate::matching::{Found, pairs, score};
use crate::report::{Share, fate_of, is_same};
use std::fmt;

/// The figures of one or several compactions.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    /// Of the facts that were lost and needed, those that the ledger claims.
    pub found: Share,
    /// Of its claims that a label judges, those that were needed.
    pub right: Share,
    /// Claims that no label judges.
    pub unjudged: usize,
}

/// What a label says of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Wrong,
    Unjudged,
}

impl Needs {
    /// Measures a ledger against the labels of one compaction.
    pub fn add(&mut self, labels: &[Label], found: &[Found]) {
        for (label, pair) in labels.iter().zip(pairs(labels, found)) {
            // A need that a claim pointed to says nothing of those that were missed.
            if was_needed(label) && !label.claim {
                self.found.add(pair.is_some_and(|at| claims(&found[at])));
            }
        }
        for fact in found.iter().filter(|fact| claims(fact)) {
            match verdict(labels, fact) {
                Verdict::Unjudged => self.unjudged += 1,
                verdict => self.right.add(verdict == Verdict::Right),
            }
        }
    }
}

/// True for a fact that was lost and that something after the summary needed.
fn was_needed(label: &Label) -> bool {
    label.fate != Fate::Kept && label.needed_line.is_some()
}

/// True for a fact that the ledger says was lost and needed.
fn claims(fact: &Found) -> bool {
    fact.needed && !fact.in_tail && fate_of(fact) != Fate::Kept
}

fn verdict(labels: &[Label], fact: &Found) -> Verdict {
    let mut of_fact = labels.iter().filter(|label| score(label, fact).is_some());
    let mut judged = of_fact.clone();
    if of_fact.any(was_needed) {
        Verdict::Right
    } else if judged.next().is_some() {
        Verdict::Wrong
    } else {
        Verdict::Unjudged
    }
}

/// The labels of several draws on one compaction, each need once.
pub fn together(draws: &[&[Label]]) -> Vec<Label> {
    let mut all: Vec<Label> = Vec::new();
    for draw in draws {
        let before = all.len();
        for label in *draw {
            let known = |other: &Label| was_needed(other) && is_same(label, other);
            if !(was_needed(label) && all[..before].iter().any(known)) {
                all.push(label.clone());
            }
        }
    }
    all
}

/// The needs and the claims, line by line: only for looking at, as it holds texts of the sample.
pub fn listed(labels: &[Label], found: &[Found]) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for (label, pair) in labels.iter().zip(pairs(labels, found)) {
        let Some(again) = label.needed_line.filter(|_| was_needed(label)) else {
            continue;
        };
        let says = match pair.map(|at| &found[at]) {
            None => "no fact".to_owned(),
            Some(fact) if claims(fact) => "found".to_owned(),
            Some(fact) => format!(
                "{}{}{}: {}",
                fact.status,
                if fact.in_tail { ", in the tail" } else { "" },
                if fact.needed { ", needed" } else { "" },
                one_line(&fact.text)
            ),
        };
        let (kind, line, quote) = (label.kind.name(), label.line, one_line(&label.quote));
        out += &format!("  need   {kind} {line} at {again}: {quote} [{says}]\n");
    }
    for fact in found.iter().filter(|fact| claims(fact)) {
        let verdict = match verdict(labels, fact) {
            Verdict::Right => "right   ",
            Verdict::Wrong => "wrong   ",
            Verdict::Unjudged => "unjudged",
        };
        let (kind, at, text) = (&fact.kind, &fact.needed_at, one_line(&fact.text));
        let (line, status) = (
            fact.lines.first().copied().unwrap_or_default(),
            &fact.status,
        );
        out += &format!("  claim  {verdict} {kind} {line} {status} at {at:?}: {text}\n");
    }
    out
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "found {}, claims right {}, {} not judged",
            self.found, self.right, self.unjudged
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Kind;
    use palimpsest_core::ledger::Concern;

    fn label(quote: &str, needed_line: Option<usize>) -> Label {
        Label {
            line: 4,
            quote: quote.to_owned(),
            kind: Kind::File,
            role: None,
            importance: 2,
            fate: Fate::Dropped,
            generation: 0,
            needed_line,
            heavy: false,
            outside: false,
            thinking: false,
            claim: needed_line.is_none(),
        }
    }

    fn claimed(text: &str) -> Found {
        Found {
            kind: "path".to_owned(),
            text: text.to_owned(),
            own_words: text.to_owned(),
            lines: vec![4],
            weight: 1.0,
            status: "dropped".to_owned(),
            needed: true,
            needed_at: vec![9],
            in_tail: false,
            concern: Concern::Rest,
            shown: String::new(),
        }
    }

    #[test]
    fn claims_are_right_wrong_or_not_judged() {
        let labels = [label("src/a.rs", Some(9)), label("src/b.rs", None)];
        let found = [
            claimed("src/a.rs"),
            claimed("src/b.rs"),
            claimed("src/c.rs"),
        ];
        let mut needs = Needs::default();
        needs.add(&labels, &found);
        assert_eq!((needs.found.right, needs.found.of), (1, 1));
        assert_eq!((needs.right.right, needs.right.of), (1, 2));
        assert_eq!(needs.unjudged, 1);
    }

    #[test]
    fn what_the_tail_shows_is_not_claimed() {
        let kept = Found {
            in_tail: true,
            ..claimed("src/a.rs")
        };
        let mut needs = Needs::default();
        needs.add(&[label("src/a.rs", Some(9))], &[kept]);
        assert_eq!((needs.found.right, needs.found.of), (0, 1));
        assert_eq!((needs.right.of, needs.unjudged), (0, 0));
    }

    #[test]
    fn a_need_of_two_draws_counts_once() {
        let (one, other) = ([label("src/a.rs", Some(9))], [label("a.rs", Some(7))]);
        assert_eq!(together(&[&one, &other]).len(), 1);
    }
}

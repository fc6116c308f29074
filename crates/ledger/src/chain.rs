//! What became of each fact over all compactions of a session (D14): born, carried, changed, lost.
//!
//! A fact is looked for in the words in which it was first said, and no longer once it was lost
//! and nobody said it again.

use crate::beside::at_once;
use crate::candidate::{Candidate, Standing};
use crate::concern::may_be_missed;
use crate::{LedgerInput, Span, evidence, extract, later, universe};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{FactKind, FactStatus};
use rustc_hash::FxHashMap as HashMap;

/// Most facts followed of one span, the heaviest.
pub const MOST_OF_SPAN: usize = 400;

/// What a compaction did with a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCell {
    /// What its summary shows.
    pub status: FactStatus,
    /// True when its span says the fact, for the first time or again.
    pub said: bool,
    /// True when its kept tail still shows it.
    pub in_kept_tail: bool,
    /// Entries up to the next compaction that needed a fact which is in neither the summary nor the kept
    /// tail; none of a fact that is too light to be missed.
    pub needed_later: Vec<EntryIx>,
}

impl ChainCell {
    /// True when the next context has the fact, wholly or in part.
    pub fn is_there(&self) -> bool {
        self.status != FactStatus::Dropped || self.in_kept_tail
    }
}

/// A fact and its life.
#[derive(Debug, Clone, PartialEq)]
pub struct Life {
    /// The fact as its first span has it.
    pub fact: Candidate,
    /// The compaction whose span says it first, from 0.
    pub born: usize,
    /// One cell for each compaction from `born` on; it ends with the one that lost the fact for good.
    pub cells: Vec<ChainCell>,
}

impl Life {
    /// The compaction that lost it, where it is lost at the end.
    pub fn died(&self) -> Option<usize> {
        let last = self.cells.iter().rposition(ChainCell::is_there);
        let there = last.map_or(0, |at| at + 1);
        (there < self.cells.len()).then_some(self.born + there)
    }

    /// True when something needed it after it was lost.
    pub fn was_needed(&self) -> bool {
        self.cells.iter().any(|cell| !cell.needed_later.is_empty())
    }
}

/// The facts that a span says, the heaviest, without those that an earlier summary carried: these are
/// followed in their first words. It needs no chain, so that spans can be read at the same time.
pub fn said(span: &Span<'_>) -> Vec<Candidate> {
    let mut own: Vec<Candidate> = extract::extract(span)
        .into_iter()
        .filter(|fact| fact.details.generation == 0 && fact.standing == Standing::Said)
        .collect();
    own.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    own.truncate(MOST_OF_SPAN);
    own
}

/// The lives of facts while compactions are added in the order of the path.
#[derive(Debug, Default)]
pub struct Chain {
    /// The lives so far, first born first.
    pub lives: Vec<Life>,
    /// Number of compactions added.
    pub compactions: usize,
    known: HashMap<(FactKind, String), usize>,
}

impl Chain {
    /// Adds the next compaction.
    pub fn add(&mut self, input: &LedgerInput<'_>) {
        self.add_said(said(&input.span), input);
    }

    /// Adds the next compaction, whose span says `own`, as [`said`] gives it.
    pub fn add_said(&mut self, own: Vec<Candidate>, input: &LedgerInput<'_>) {
        let column = self.compactions;
        self.compactions += 1;
        let mut said = vec![false; self.lives.len()];
        for fact in own {
            let key = (fact.kind, fact.key.clone());
            match self.known.get(&key) {
                Some(&at) => said[at] = true,
                None => {
                    self.known.insert(key, self.lives.len());
                    said.push(true);
                    self.lives.push(Life {
                        fact,
                        born: column,
                        cells: Vec::new(),
                    });
                }
            }
        }
        let is_alive = |at: &usize| {
            let life = &self.lives[*at];
            said[*at] || life.cells.last().is_some_and(ChainCell::is_there)
        };
        let alive: Vec<usize> = (0..self.lives.len()).filter(is_alive).collect();
        let facts: Vec<Candidate> = alive
            .iter()
            .map(|&at| self.lives[at].fact.clone())
            .collect();
        let in_summary = || evidence::find(input.summary, &facts);
        let in_tail = || {
            let tail = universe::tail_of(input);
            evidence::stand_in_tail(&tail, &facts)
        };
        let needed = || later::find(&facts, &input.span, &input.kept_tail, &input.later);
        let (in_summary, (in_tail, needed)) = at_once(in_summary, || at_once(in_tail, needed));
        let found = in_summary.into_iter().zip(in_tail).zip(needed);
        for (at, ((summary, in_kept_tail), needed)) in alive.into_iter().zip(found) {
            let life = &mut self.lives[at];
            // Between its loss and the span that says it again the fact is nowhere.
            while life.born + life.cells.len() < column {
                life.cells.push(ChainCell {
                    status: FactStatus::Dropped,
                    said: false,
                    in_kept_tail: false,
                    needed_later: Vec::new(),
                });
            }
            let missed = may_be_missed(summary.status, in_kept_tail, life.fact.weight);
            life.cells.push(ChainCell {
                status: summary.status,
                said: said[at],
                in_kept_tail,
                needed_later: if missed { needed } else { Vec::new() },
            });
        }
    }

    /// Of the facts of the first span, the share that each compaction's context still has, by
    /// number.
    pub fn decay(&self) -> Vec<f64> {
        let first: Vec<&Life> = self.lives.iter().filter(|life| life.born == 0).collect();
        let share = |column: usize| {
            let there = |life: &&&Life| life.cells.get(column).is_some_and(ChainCell::is_there);
            first.iter().filter(there).count() as f64 / first.len().max(1) as f64
        };
        (0..self.compactions).map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SpanItem;
    use palimpsest_core::{Block, Message, Role};

    fn user(text: &str) -> Message {
        Message {
            role: Role::User,
            native_role: "user",
            blocks: vec![Block::Text(text.to_owned())],
            tool: None,
            sent: true,
        }
    }

    /// A chain of compactions, each the words of the user and the summary of them.
    fn chain(steps: &[(&str, &str, &str)]) -> Chain {
        let mut chain = Chain::default();
        for (at, (said, summary, later)) in steps.iter().enumerate() {
            let (said, later) = (user(said), user(later));
            let item = |entry: usize, message| SpanItem {
                entry: EntryIx(u32::try_from(entry).unwrap()),
                message_index: 0,
                message,
                at_ms: None,
            };
            let span = [item(10 * at, &said)];
            let after = [item(10 * at + 5, &later)];
            chain.add(&LedgerInput {
                span: Span { items: &span },
                span_tokens: None,
                summary,
                previous_summary: None,
                instructions: None,
                kept_tail: Span { items: &[] },
                later: Span { items: &after },
                by_model: &[],
            });
        }
        chain
    }

    fn life<'a>(chain: &'a Chain, words: &str) -> &'a Life {
        let found = chain
            .lives
            .iter()
            .find(|life| life.fact.text.contains(words));
        found.unwrap_or_else(|| panic!("no fact with '{words}' in {:?}", chain.lives))
    }

    #[test]
    fn a_fact_is_followed_until_a_summary_loses_it() {
        let chain = chain(&[
            (
                "Never rename the id column. Always run the linter first.",
                "Never rename the id column. Always run the linter first.",
                "",
            ),
            (
                "Please sort the report by date.",
                "Never rename the id column. Sort the report by date.",
                "",
            ),
            (
                "Go on with the next part.",
                "The report is sorted by date.",
                "",
            ),
        ]);
        let rule = life(&chain, "rename");
        assert_eq!((rule.born, rule.died()), (0, Some(2)));
        let statuses: Vec<FactStatus> = rule.cells.iter().map(|cell| cell.status).collect();
        use FactStatus::{Dropped, Verbatim};
        assert_eq!(statuses, [Verbatim, Verbatim, Dropped]);
        let linter = life(&chain, "linter");
        assert_eq!((linter.died(), linter.cells.len()), (Some(1), 2));
        let sort = life(&chain, "sort the report");
        assert_eq!((sort.born, sort.died()), (1, None));
        let decay = chain.decay();
        assert_eq!(decay.len(), 3);
        assert!(decay[0] > decay[1] && decay[1] > decay[2], "{decay:?}");
    }

    #[test]
    fn a_fact_that_is_said_again_lives_again() {
        let rule = "Never rename the id column.";
        let chain = chain(&[
            (rule, "Nothing.", rule),
            ("Sort the report by date.", "Sort the report by date.", ""),
            (rule, rule, ""),
        ]);
        let life = life(&chain, "rename");
        assert_eq!(life.died(), None);
        let said: Vec<bool> = life.cells.iter().map(|cell| cell.said).collect();
        assert_eq!(said, [true, false, true]);
        // The user had to say it again after the first loss.
        assert_eq!(life.cells[0].needed_later, [EntryIx(5)]);
        assert!(life.was_needed());
    }

    #[test]
    fn only_what_neither_summary_nor_tail_has_is_missed() {
        let missed = |steps: &[(&str, &str, &str)], words: &str| {
            let chain = chain(steps);
            !life(&chain, words).cells[0].needed_later.is_empty()
        };
        let rule = "Never rename the id column.";
        assert!(missed(&[(rule, "Nothing.", rule)], "rename"));
        // The summary turned the rule round: it is changed, and the ledger counts it there.
        let changed = "Always rename the id column.";
        assert!(!missed(&[(rule, changed, rule)], "rename"));
        assert!(!missed(&[(rule, rule, rule)], "rename"));
    }
}

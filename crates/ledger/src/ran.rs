//! What commands weigh that did more than look.
//!
//! They are noticed more than their kind says: of 38 such commands in labelled stretches people find 28 worth a line,
//! of those that ran more than once 13 of 14. Of 126 that stood among the heaviest facts of real spans judges found
//! 102 worth one; most of the others were runs of a check that another run told as well.

use crate::candidate::{Candidate, Standing};
use crate::removed::Removed;
use crate::span::{Call, Part};
use crate::{commands, outcome, programs, scripts};
use palimpsest_core::ledger::FactKind;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::cmp::Reverse;

/// How many ranks more a command weighs that ran once, and one that ran more often.
const ONCE: i32 = 2;
const OFTEN: i32 = 3;

/// Subcommands of git that move the working copy between branches and leave nothing by themselves: worth a line in
/// none of four.
const MOVING: [&str; 4] = ["checkout", "switch", "stash", "restore"];

/// How often commands failed, by their keys, while outputs are read in order.
#[derive(Default)]
pub(crate) struct Failures(HashMap<String, usize>);

impl Failures {
    /// Notes a call that failed. That a check fails is what it was run for, and of a chain the first commands may have
    /// gone well.
    pub(crate) fn note(&mut self, call: &Call<'_>, output: &Part<'_>) {
        let Some(script) = call.script.as_deref().filter(|_| !call.looks_only) else {
            return;
        };
        let failed =
            output.is_error || outcome::exit_code(output.text).is_some_and(|code| code != 0);
        if failed
            && !outcome::is_check(script)
            && let [deed] = &scripts::deeds(script)[..]
        {
            *self.0.entry(scripts::key(&deed.name)).or_default() += 1;
        }
    }

    /// True for a command that failed whenever it ran.
    fn are_all_of(&self, fact: &Candidate) -> bool {
        self.0
            .get(&fact.key)
            .is_some_and(|times| *times >= fact.said)
    }
}

/// Makes commands heavier that did more than look; of several runs of one program with other arguments only the one
/// that ran most often, or last, and none that left nothing behind.
pub(crate) fn weigh(facts: &mut [Candidate], failures: &Failures, removed: &Removed) {
    let ran = |fact: &Candidate| {
        fact.kind == FactKind::Command
            && fact.standing == Standing::Said
            && !failures.are_all_of(fact)
            && !removed.only_deals_with(&fact.key)
    };
    let mut order: Vec<usize> = (0..facts.len()).filter(|&at| ran(&facts[at])).collect();
    order.sort_by_key(|&at| Reverse((facts[at].said, facts[at].last_item)));
    let mut known = HashSet::default();
    for at in order {
        let fact = &mut facts[at];
        let words = commands::words_of(&fact.key);
        let heavier = match words.as_slice() {
            ["git", sub, ..] if MOVING.contains(sub) => 0,
            // The text that is sent to a server is a fact of its own.
            ["gh" | "glab", "api", ..] => 0,
            // Commits and pull requests are one thing each.
            ["git" | "gh" | "glab", ..] => by_runs(fact.said),
            _ => match programs::program_of(&fact.key) {
                Some(program) if !known.insert(program.clone()) => 0,
                _ => by_runs(fact.said),
            },
        };
        fact.lighter -= heavier;
    }
}

fn by_runs(runs: usize) -> i32 {
    if runs > 1 { OFTEN } else { ONCE }
}

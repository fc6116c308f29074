//! Fixes that were tried or thought of one after the other: of those that name the same thing, and of those between two
//! prompts of which one names nothing, the last one tells what was done.

use crate::candidate::{Candidate, Standing, role_weight};
use crate::content::Content;
use palimpsest_core::ledger::FactKind;
use rustc_hash::FxHashSet as HashSet;

/// How many ranks lighter an earlier fix is: of the five fixes of one session that were judged by hand only the last one
/// was worth a line.
const EARLIER: i32 = 2;

/// Fewest letters of a name by which two fixes are about one thing.
const NAME_LETTERS: usize = 5;

/// Turns by which a model tells a fix.
#[rustfmt::skip]
const FIXING: &[&str] = &[
    "the fix is", "simplest fix", "best fix", "right fix", "better fix", "cleaner fix", "proper fix", "fix would be",
    "the solution is", "simplest solution", "best solution", "better solution", "cleanest solution",
];

/// Makes each fix lighter that a later one takes the place of; no share counts it.
pub(crate) fn demote(facts: &mut [Candidate]) {
    let is_fix = |fact: &Candidate| {
        let lower = fact.text.to_lowercase();
        fact.kind == FactKind::Decision
            && fact.standing == Standing::Said
            && fact.role < role_weight::USER
            && fact.details.generation == 0
            && FIXING.iter().any(|turn| lower.contains(turn))
    };
    let mut fixes: Vec<usize> = (0..facts.len()).filter(|&at| is_fix(&facts[at])).collect();
    if fixes.len() < 2 {
        return;
    }
    let place = |at: usize| {
        facts[at]
            .places
            .first()
            .map_or(0, |place| place.range.start)
    };
    fixes.sort_by_key(|&at| (facts[at].first_item, place(at)));
    let mut prompts: Vec<usize> = facts
        .iter()
        .filter(|fact| {
            matches!(fact.kind, FactKind::UserRequest | FactKind::Constraint)
                && fact.role >= role_weight::USER
        })
        .map(|fact| fact.first_item)
        .collect();
    prompts.sort_unstable();
    let turn = |at: usize| prompts.partition_point(|&prompt| prompt <= facts[at].first_item);
    let named: Vec<HashSet<String>> = fixes
        .iter()
        .map(|&at| {
            let names = Content::of(&facts[at].text).names.into_iter();
            names.filter(|name| name.len() >= NAME_LETTERS).collect()
        })
        .collect();
    let turns: Vec<usize> = fixes.iter().map(|&at| turn(at)).collect();
    for nth in 0..fixes.len() {
        // Two bugs may be mended in one turn: where both fixes name something, they must share a name.
        let has_later = (nth + 1..fixes.len()).any(|later| {
            let is_told_apart = !named[nth].is_empty() && !named[later].is_empty();
            !named[nth].is_disjoint(&named[later]) || turns[nth] == turns[later] && !is_told_apart
        });
        if has_later {
            facts[fixes[nth]].lighter += EARLIER;
            facts[fixes[nth]].standing = Standing::Noticed;
        }
    }
}

//! Requests whose outcome a summary keeps: it tells what came of them, not that they were asked.

use crate::candidate::{Candidate, Standing, role_weight};
use palimpsest_core::ledger::{Fact, FactKind, FactStatus, ToldOtherwise};

/// Fewest facts that came of a request for their fates to tell something.
const LEAST: usize = 2;

/// Share of them that the summary has.
const KEPT: f64 = 0.5;

/// Marks each dropped request that was settled in the span and of whose turn the summary keeps half of the facts.
pub(crate) fn mark(facts: &mut [Fact], candidates: &[Candidate]) {
    let mut prompts: Vec<usize> = candidates
        .iter()
        .filter(|own| is_of_user(own))
        .map(|own| own.first_item)
        .collect();
    prompts.sort_unstable();
    prompts.dedup();
    let mut came: Vec<(usize, bool)> = candidates
        .iter()
        .zip(facts.iter())
        .filter(|(own, _)| !is_of_user(own) && own.standing == Standing::Said)
        .map(|(own, fact)| {
            let kept = matches!(fact.status, FactStatus::Verbatim | FactStatus::Mentioned);
            (own.first_item, kept)
        })
        .collect();
    came.sort_unstable();
    for (fact, own) in facts.iter_mut().zip(candidates) {
        if fact.kind != FactKind::UserRequest
            || fact.status != FactStatus::Dropped
            || !is_of_user(own)
        {
            continue;
        }
        // A request is settled where the user went on to something else.
        let asked = own.last_item;
        let Some(&next) = prompts.get(prompts.partition_point(|&at| at <= asked)) else {
            continue;
        };
        let from = came.partition_point(|&(at, _)| at <= asked);
        let to = came.partition_point(|&(at, _)| at < next);
        let outcome = &came[from..to.max(from)];
        let kept = outcome.iter().filter(|(_, kept)| *kept).count();
        if outcome.len() >= LEAST && kept as f64 >= KEPT * outcome.len() as f64 {
            fact.details
                .told_otherwise
                .get_or_insert(ToldOtherwise::Outcome);
        }
    }
}

fn is_of_user(own: &Candidate) -> bool {
    matches!(own.kind, FactKind::UserRequest | FactKind::Constraint)
        && own.role >= role_weight::USER
        && own.details.generation == 0
}

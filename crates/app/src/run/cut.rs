//! Where a plan cuts, for the ledger of its run.

use super::planned::Planned;
use crate::summary::{SummaryCut, later_entries, span_tokens};
use palimpsest_compaction::Plan;
use palimpsest_compaction::select::Fate;
use palimpsest_core::EntryIx;

/// Where a plan cuts, in the ledger's terms.
pub(super) fn cut_of_plan(planned: &Planned, plan: &Plan) -> SummaryCut {
    let summarized = plan.summarized.iter().chain(&plan.turn_prefix).copied();
    // What a plan made smaller first is counted as it was: that is what the summary stands for.
    let away = |position: usize| {
        let fate = plan.items.get(position).map(|item| item.fate);
        matches!(fate, Some(Fate::Summarized | Fate::TurnPrefix))
    };
    let span_tokens = Some(span_tokens(&planned.context, away));
    let dropped = dropped(plan);
    if let Some(part) = &plan.branch {
        let pair = (part.from, part.to);
        let cut = SummaryCut::of_branch(&planned.open, pair, summarized.collect(), &plan.kept);
        return SummaryCut {
            span_tokens,
            dropped,
            ..cut
        };
    }
    SummaryCut {
        summarized: summarized.collect(),
        span_tokens,
        kept: plan.kept.clone(),
        previous: plan.previous_compaction,
        first_kept: plan.first_kept,
        later: later_entries(&planned.open, plan.at),
        dropped,
        stands_on: Some(plan.at),
        left_for: None,
    }
}

/// The entries of which the next request has neither a summary nor the whole.
fn dropped(plan: &Plan) -> Vec<EntryIx> {
    let mut dropped = plan.dropped.clone();
    dropped.extend(plan.changes.iter().filter_map(|change| change.entry));
    dropped.extend(plan.branch.iter().flat_map(|part| &part.over_budget));
    dropped
}

//! What matters most for the last request stays, chosen by recency, importance and relevance
//! (Generative Agents, arXiv 2304.03442, applied to a session).

use crate::memory::score::choose;
use crate::memory::score::scores;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::selection::Selection;
use crate::workpiece::draft::Draft;
use crate::workpiece::memory_stream::{ImportanceSource, MemoryStream};
use crate::workpiece::observe::Stream;
use crate::workpiece::sized_context::SizedContext;
use std::ops::Range;

impl MemoryStream {
    /// Exchanges stay by score while they fit; the last request and the last exchange are what is
    /// being continued, so they stay in any case. What does not stay is left out. Where a model says
    /// how important they are, only those that stay in any case do, as scores are not known yet.
    pub(super) fn select(&self, sized: &SizedContext<'_>) -> Result<Selection, PlanError> {
        let start = sized.start();
        let input = sized.input;
        // As nothing is chosen yet, nothing has been made smaller.
        let draft = Draft::new(input, &sized.with_fates(|_| Fate::Kept));
        let stream = Stream::of(sized, &draft)?;
        let observations = &stream.observations;
        let size = |own: &Range<usize>| -> u64 { own.clone().map(|at| sized.tokens(at)).sum() };
        let mut stays = vec![false; observations.len()];
        let asked = observations
            .iter()
            .rposition(|own| sized.is_prompt(own.positions.start));
        let last = observations.len().checked_sub(1);
        asked
            .into_iter()
            .chain(last)
            .for_each(|at| stays[at] = true);
        let mut left = self.budget_tokens;
        for (own, _) in observations.iter().zip(&stays).filter(|own| *own.1) {
            // What stays in any case may be more than the budget.
            left = left.saturating_sub(size(&own.positions));
        }
        if self.importance_source == ImportanceSource::Heuristic {
            let memories = self.memories(sized, &stream, &stays)?;
            let scores = scores(&memories, self.decay, self.weights());
            let sizes: Vec<u64> = observations
                .iter()
                .map(|own| size(&own.positions))
                .collect();
            let most = self.top_exchanges as usize;
            for at in choose(&scores, &sizes, &stays, most, left) {
                stays[at] = true;
            }
        }
        let is_kept = |position: usize| {
            let at = observations.partition_point(|own| own.positions.end <= position);
            stays.get(at).copied().unwrap_or(true)
        };
        Ok(sized.with_fates(|position| match position {
            _ if position < start => Fate::Dropped,
            _ if is_kept(position) => Fate::Kept,
            _ => Fate::Summarized,
        }))
    }
}

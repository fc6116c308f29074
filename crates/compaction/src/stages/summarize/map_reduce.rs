//! Segments of equal size summarized at the same time, then put together by one more call (the Zed
//! fork kask, by other people's notes of its specification).

use crate::stages::summarize::open_calls::OpenCalls;
use crate::stages::summarize::slices::Slices;
use crate::text::shorter::without_middle;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::estimate::UNITS_PER_TOKEN;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::transcript::written::Written;
use palimpsest_core::json::utf16_len;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a token where none were measured, or none that are to be trusted (kask).
const USUAL_BYTES_PER_TOKEN: f64 = 2.0;
/// Measured bytes of a token that are trusted (kask).
const TRUSTED_BYTES_PER_TOKEN: std::ops::RangeInclusive<f64> = 1.0..=4.0;

/// Parameters of the method. Prompts: `system`, `slice`, `stitch_system`, `stitch` and
/// `slice_heading`, as where segments are cut at a fixed size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MapReduce {
    /// Tokens that may be sent to the model.
    pub capacity_tokens: u64,
    /// Bytes of a token as measured at this model; from 1.0 to 4.0 it is trusted, any other, and 0
    /// for not measured, counts as 2.0.
    pub bytes_per_token: f64,
    /// Share of the capacity that a call may fill (kask: 85).
    pub budget_percent: u64,
    /// Most tokens of the summary of a segment.
    pub slice_output_tokens: u64,
    /// Most tokens of the last call's summary.
    pub final_output_tokens: u64,
}

impl Default for MapReduce {
    fn default() -> Self {
        MapReduce {
            capacity_tokens: 200_000,
            bytes_per_token: 0.0,
            budget_percent: 85,
            slice_output_tokens: 2_000,
            final_output_tokens: 4_000,
        }
    }
}

impl MapReduce {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens("capacity_tokens", "input limit of the model").at_least(1.0),
        ParamDoc::new(
            "bytes_per_token",
            ParamType::Number,
            "measured bytes per token; values outside 1 to 4 count as 2",
        )
        .unit("bytes"),
        ParamDoc::new(
            "budget_percent",
            ParamType::Integer,
            "share of that limit for one call",
        )
        .within(1.0, 100.0)
        .unit("%"),
        ParamDoc::tokens("slice_output_tokens", "output limit for a segment").at_least(1.0),
        ParamDoc::tokens("final_output_tokens", "output limit of the last call").at_least(1.0),
    ];

    /// Most bytes of the conversation in a call; at least 1.
    pub(crate) fn budget_bytes(&self) -> u64 {
        let bytes = if TRUSTED_BYTES_PER_TOKEN.contains(&self.bytes_per_token) {
            self.bytes_per_token
        } else {
            USUAL_BYTES_PER_TOKEN
        };
        let share = self.budget_percent as f64 / 100.0;
        // At least 1, as segments are counted by dividing by it.
        ((self.capacity_tokens as f64 * bytes * share) as u64).max(1)
    }

    pub(super) fn needed(&self) -> Vec<Needed> {
        self.slices().needed()
    }

    fn slices(&self) -> Slices {
        Slices {
            slice_output_tokens: self.slice_output_tokens,
            final_output_tokens: self.final_output_tokens,
            ..Slices::default()
        }
    }

    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, PlanError> {
        let mut span: Vec<usize> = job.history.clone();
        span.extend(&job.turn_prefix);
        let mut written = job.transcript.write(job.draft, &span)?;
        let between = job.transcript.separator().len() as u64;
        let budget = self.budget_bytes();
        let blocks = blocks(job, &written);
        for block in &blocks {
            let own = &written[block.clone()];
            if size(own, between) > budget {
                let shown = elided(job, own, between, budget)?;
                written[block.clone()].clone_from_slice(&shown);
            }
        }
        let sizes: Vec<u64> = blocks
            .iter()
            .map(|block| size(&written[block.clone()], between))
            .collect();
        let segments: Vec<Range<usize>> = balanced(&sizes, budget)
            .into_iter()
            .map(|own| blocks[own.start].start..blocks[own.end - 1].end)
            .collect();
        Ok(self.slices().stitched(job, &written, &segments, span))
    }
}

/// Bytes of messages with what stands behind each.
fn size(written: &[Written], between: u64) -> u64 {
    written.iter().map(|own| own.bytes + between).sum()
}

/// The messages between which no tool call is open, as ranges of `written`.
fn blocks(job: &Job<'_>, written: &[Written]) -> Vec<Range<usize>> {
    let input = job.draft.input;
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut open = OpenCalls::default();
    for (at, own) in written.iter().enumerate() {
        let item = &input.context.items[own.item];
        let goes_on = open.any() || own.is_tool_result;
        match blocks.last_mut() {
            Some(block) if goes_on => block.end = at + 1,
            _ => blocks.push(at..at + 1),
        }
        open.see(input, item);
    }
    blocks
}

/// Messages that belong together and are more than `budget` bytes: the longest lose their middle
/// until all fit.
fn elided(
    job: &Job<'_>,
    written: &[Written],
    between: u64,
    budget: u64,
) -> Result<Vec<Written>, PlanError> {
    let room = budget.saturating_sub(between * written.len() as u64);
    let most = level(written.iter().map(|own| own.bytes).collect(), room);
    let transcript = job.transcript;
    let mut shown = written.to_vec();
    for own in shown.iter_mut().filter(|own| own.bytes > most) {
        // A plan that only counts has not read these texts yet.
        let whole = transcript.write_out(job.draft, &[own.item])?;
        let Some(whole) = whole.first() else { continue };
        let Some(text) = without_middle(&whole.text, most as usize) else {
            continue;
        };
        let said = utf16_len(&text);
        own.tokens = own.tokens.min(said.div_ceil(UNITS_PER_TOKEN));
        own.units = said;
        own.bytes = text.len() as u64;
        own.text = if job.draft.only_counts {
            Arc::default()
        } else {
            Arc::new(text)
        };
    }
    Ok(shown)
}

/// The level to which the largest of `sizes` must come down so that all are `room` together.
fn level(mut sizes: Vec<u64>, room: u64) -> u64 {
    sizes.sort_unstable();
    let mut left = room;
    let count = sizes.len() as u64;
    for (at, own) in (0..count).zip(&sizes) {
        let share = left / (count - at);
        if *own > share {
            return share;
        }
        left -= own;
    }
    u64::MAX
}

/// Segments of about the same size, in order: two where all fits into `budget`, else as few as fit.
/// One is larger than that only where a single size is.
fn balanced(sizes: &[u64], budget: u64) -> Vec<Range<usize>> {
    let mut left: u64 = sizes.iter().sum();
    let mut count = left.div_ceil(budget).max(2);
    let mut segments = Vec::new();
    let mut start = 0;
    while start < sizes.len() {
        let aim = left / count;
        let (mut sum, mut end) = (sizes[start], start + 1);
        while let Some(next) = sizes.get(end) {
            let more = sum + next;
            if more > budget || (count > 1 && more.abs_diff(aim) > sum.abs_diff(aim)) {
                break;
            }
            (sum, end) = (more, end + 1);
        }
        segments.push(start..end);
        left -= sum;
        // Counted again, because a block that cannot be divided may have left more than planned.
        count = (count - 1).max(left.div_ceil(budget)).max(1);
        start = end;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_budget_is_85_percent_at_two_bytes_unless_a_trusted_number_is_measured() {
        let budget = |bytes_per_token: f64| {
            let own = MapReduce {
                capacity_tokens: 1_000,
                bytes_per_token,
                ..MapReduce::default()
            };
            own.budget_bytes()
        };
        assert_eq!([budget(0.0), budget(0.99), budget(4.01)], [1_700; 3]);
        assert_eq!([budget(1.0), budget(3.0), budget(4.0)], [850, 2_550, 3_400]);
        assert_eq!(MapReduce::default().budget_bytes(), 340_000);
    }

    #[test]
    fn what_fits_is_halved_and_what_does_not_is_cut_as_seldom_as_possible() {
        assert_eq!(balanced(&[10; 10], 100), [0..5, 5..10]);
        assert_eq!(balanced(&[10; 10], 99), [0..5, 5..10]);
        assert_eq!(balanced(&[10; 12], 50), [0..4, 4..8, 8..12]);
        assert_eq!(balanced(&[90, 5, 5], 100), [0..1, 1..3]);
        assert_eq!(balanced(&[5, 5, 90], 100), [0..2, 2..3]);
        assert_eq!(balanced(&[7], 100).len(), 1);
        assert!(balanced(&[], 100).is_empty());
    }

    #[test]
    fn the_longest_come_down_to_one_level() {
        assert_eq!(level(vec![10, 500, 300], 100), 45);
        assert_eq!(level(vec![10, 20], 30), u64::MAX);
    }

    proptest! {
        #[test]
        fn segments_part_the_whole_and_fit(
            sizes in prop::collection::vec(1_u64..50, 0..60),
            budget in 50_u64..200,
        ) {
            let segments = balanced(&sizes, budget);
            let flat: Vec<usize> = segments.iter().cloned().flatten().collect();
            prop_assert_eq!(flat, (0..sizes.len()).collect::<Vec<_>>());
            let sums: Vec<u64> = segments.iter().map(|own| sizes[own.clone()].iter().sum()).collect();
            prop_assert!(sums.iter().all(|sum| *sum <= budget));
            prop_assert!(sizes.len() < 2 || segments.len() > 1);
            // A limit that is twice the largest size is hardly ever in the way of balance.
            let least = sizes.iter().sum::<u64>().div_ceil(budget).max(2);
            prop_assert!(segments.len() as u64 <= 2 * least);
        }

        #[test]
        fn all_are_within_the_room_at_the_level(
            sizes in prop::collection::vec(0_u64..500, 1..20),
            room in 0_u64..3_000,
        ) {
            let most = level(sizes.clone(), room);
            prop_assert!(sizes.iter().map(|own| (*own).min(most)).sum::<u64>() <= room);
        }
    }
}

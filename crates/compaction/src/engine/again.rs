//! The next plan when a summary is too long for its kept tail: the summary and a part of the tail
//! are summarized again (aider). The split of the tail follows from its own size alone, so every
//! plan of the chain can be made in advance; each continues from the summary of the previous one.

use crate::engine::draw_up::{Subject, draw_up};
use crate::engine::files::files;
use crate::engine::preset::data::Preset;
use crate::plan::fallback::SUMMARY_BEFORE;
use crate::plan::planned::{Plan, PlannedFallback};
use crate::vocabulary::cause::Cause;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;

/// Gives `plan` the chain of plans that take over one after the other, where its choice has one.
pub(crate) fn add(
    preset: &Preset,
    sized: &SizedContext<'_>,
    plan: &mut Plan,
) -> Result<(), PlanError> {
    add_from(preset, sized, plan, 0)
}

fn add_from(
    preset: &Preset,
    sized: &SizedContext<'_>,
    plan: &mut Plan,
    depth: u64,
) -> Result<(), PlanError> {
    let before = Selection {
        fates: plan.items.iter().map(|item| item.fate).collect(),
        kept: plan.kept.clone(),
        first_kept: plan.first_kept,
        turn_start: plan.turn_start,
    };
    let Some(again) = preset.select.again(sized, &before, depth) else {
        return Ok(());
    };
    let input = sized.input;
    let mut subject = Subject {
        at: plan.at,
        selection: preset.summarize.method.covered(sized, &again.selection),
        previous_compaction: plan.previous_compaction,
        // Stands for a text that is unknown until the plan before has run.
        previous_summary: Some(SUMMARY_BEFORE.to_owned()),
        files: None,
        branch: None,
        stays: 0,
    };
    let in_summary = |fate: Fate| matches!(fate, Fate::Summarized | Fate::TurnPrefix);
    let covered: Vec<usize> = before
        .fates
        .iter()
        .zip(&subject.selection.fates)
        .enumerate()
        .filter(|(_, (before, now))| in_summary(**before) || in_summary(**now))
        .map(|(at, _)| at)
        .collect();
    // Of both spans: this summary takes the place of the one before.
    subject.files = Some(files(preset, input, &covered, plan.previous_compaction)?);
    let Some(mut next) = draw_up(preset, input, subject)? else {
        return Ok(());
    };
    // This summary also covers what the one before it covered.
    for at in covered {
        next.items[at].fate = Fate::Summarized;
    }
    next.count();
    add_from(preset, sized, &mut next, depth + 1)?;
    plan.fallbacks.push(PlannedFallback {
        on: vec![Cause::OverLimit],
        meaning: if next.kept.is_empty() {
            "summarizes the summary and the whole kept tail again".to_owned()
        } else {
            "summarizes the summary and the older part of the kept tail again".to_owned()
        },
        takes_summary: true,
        limit_tokens: again.limit_tokens,
        plan: Box::new(next),
    });
    Ok(())
}

//! The plan of a preset: the four stages one after the other, then its fallbacks.

use crate::engine::draw_up::{Subject, draw_up};
use crate::engine::preset::data::Preset;
use crate::engine::{again, fallback, notes};
use crate::plan::planned::{NothingToDo, PlanOutcome};
use crate::stages::select::Select;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::input::PlanInput;
use crate::workpiece::sized_context::{SizedContext, stands_on_compaction};
use palimpsest_core::{BodyError, ItemKind};

/// Plans with a preset, its fallbacks as well. Where a call cannot be made to fit and a fallback
/// is for that, its plan is the plan.
pub fn plan(preset: &Preset, input: &PlanInput<'_>) -> Result<PlanOutcome, PlanError> {
    let mut outcome = match plan_itself(preset, input) {
        Err(PlanError::OverBudget {
            call,
            tokens,
            limit,
        }) => {
            let too_large = PlanError::OverBudget {
                call,
                tokens,
                limit,
            };
            return fallback::instead(preset, too_large, |other| plan(other, input));
        }
        other => other?,
    };
    if let PlanOutcome::Compaction(own) = &mut outcome {
        let others = fallback::plans(preset, |other| match plan(other, input)? {
            PlanOutcome::Compaction(plan) => Ok(Some(plan)),
            PlanOutcome::Nothing { .. } => Ok(None),
        })?;
        own.fallbacks.extend(others);
    }
    Ok(outcome)
}

/// The plan of a preset without its fallbacks, but with the plans that follow from its choice.
fn plan_itself(preset: &Preset, input: &PlanInput<'_>) -> Result<PlanOutcome, PlanError> {
    let nothing = |reason| Ok(PlanOutcome::Nothing { reason });
    let Some(&at) = input.context.path.last() else {
        return nothing(NothingToDo::Empty);
    };
    // pi refuses this as well ("Already compacted").
    if stands_on_compaction(input) {
        return nothing(NothingToDo::AlreadyCompacted);
    }
    let sized = SizedContext::new(input);
    let chosen = preset.select.select(&sized)?;
    let selection = preset.summarize.method.covered(&sized, &chosen);
    let left = notes::left_as_is(&chosen, &selection);
    let subject = Subject {
        at,
        selection,
        previous_compaction: sized.previous_entry(),
        previous_summary: previous_text(&sized)?,
        files: None,
        branch: None,
        stays: 0,
    };
    Ok(match draw_up(preset, input, subject)? {
        Some(mut plan) => {
            plan.notes.extend(left);
            again::add(preset, &sized, &mut plan)?;
            PlanOutcome::Compaction(Box::new(plan))
        }
        None => PlanOutcome::Nothing {
            reason: nothing_because(&preset.select, &sized),
        },
    })
}

/// Why a choice failed.
fn nothing_because(select: &Select, sized: &SizedContext<'_>) -> NothingToDo {
    match select {
        Select::Everything(own) if own.min_messages > 0 && sized.previous.is_some() => {
            NothingToDo::CompactedRecently
        }
        Select::KeepAll(_) => NothingToDo::NothingCleared,
        Select::CutAt(_) | Select::FromEntry(_) | Select::Entries(_) => NothingToDo::NothingChosen,
        _ => NothingToDo::TooSmall,
    }
}

/// The text of the summary that is carried on.
fn previous_text(sized: &SizedContext<'_>) -> Result<Option<String>, BodyError> {
    let Some(at) = sized.previous else {
        return Ok(None);
    };
    let input = sized.input;
    let mut summaries = input.context.items[sized.entries[at].items.clone()]
        .iter()
        .filter(|item| item.kind == ItemKind::CompactionSummary);
    match summaries.next() {
        Some(item) => Ok(Some(input.messages.message(item)?.text(""))),
        // A compaction that only cleared something. `draw_up` takes an empty text for none.
        None => Ok(Some(String::new())),
    }
}

/// The texts whose vectors `preset` needs for a plan on `input` and which `input` does not have
/// yet; none when the plan can be made as it is. A later stage may need more once these are there,
/// so ask again with them. Fails where planning would.
pub fn wanted_texts(preset: &Preset, input: &PlanInput<'_>) -> Result<Vec<String>, PlanError> {
    match plan(preset, input) {
        Err(PlanError::NoVectors { texts }) => Ok(texts),
        Err(other) => Err(other),
        Ok(PlanOutcome::Compaction(_) | PlanOutcome::Nothing { .. }) => Ok(Vec::new()),
    }
}

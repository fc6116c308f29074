//! The fallbacks of a preset as plans.

use crate::engine::preset::data::Preset;
use crate::plan::planned::{Plan, PlanOutcome, PlannedFallback};
use crate::stages::summarize::fallback::Fallback;
use crate::vocabulary::cause::Cause;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::params::ParamError;

/// A plan for each fallback of `preset` whose way leads anywhere, as `plan` makes it. One that is
/// over the limit of a call's input is of no help and left out, and so is one without a summary for
/// a branch summary.
pub(crate) fn plans(
    preset: &Preset,
    plan: impl Fn(&Preset) -> Result<Option<Box<Plan>>, PlanError>,
) -> Result<Vec<PlannedFallback>, PlanError> {
    let mut planned = Vec::new();
    for (fallback, rest) in with_rest(preset) {
        let made = match plan(&fallback.preset(preset, rest)?) {
            Err(PlanError::OverBudget { .. } | PlanError::NoSummary { .. }) | Ok(None) => continue,
            Ok(Some(made)) => made,
            Err(error) => return Err(error),
        };
        planned.push(PlannedFallback {
            on: fallback.on.clone(),
            meaning: fallback.meaning.clone(),
            takes_summary: false,
            limit_tokens: fallback.limit_tokens,
            plan: made,
        });
    }
    Ok(planned)
}

/// The plan of the first fallback that is for overflow and leads anywhere, which says why it is
/// there; else the error.
pub(crate) fn instead(
    preset: &Preset,
    too_large: PlanError,
    plan: impl Fn(&Preset) -> Result<PlanOutcome, PlanError>,
) -> Result<PlanOutcome, PlanError> {
    let for_overflow =
        with_rest(preset).filter(|(fallback, _)| fallback.on.contains(&Cause::Overflow));
    for (fallback, rest) in for_overflow {
        if let PlanOutcome::Compaction(mut own) = plan(&fallback.preset(preset, rest)?)? {
            let note = format!("{too_large}; fallback: {}.", fallback.meaning);
            own.notes.insert(0, note);
            return Ok(PlanOutcome::Compaction(own));
        }
    }
    Err(too_large)
}

/// Each fallback with those behind it.
// Only those behind it, so that a chain of fallbacks ends.
fn with_rest(preset: &Preset) -> impl Iterator<Item = (&Fallback, &[Fallback])> {
    let all = &preset.summarize.fallbacks;
    all.iter()
        .enumerate()
        .map(|(at, fallback)| (fallback, &all[at + 1..]))
}

impl Fallback {
    /// The preset that takes over from `preset`; its own fallbacks are `rest`, those that come
    /// after this one. Fails when it is missing or cannot be set like that.
    pub(crate) fn preset(&self, preset: &Preset, rest: &[Fallback]) -> Result<Preset, PlanError> {
        let mut other = match &self.strategy {
            Some(name) => Preset::known(name)?.clone(),
            None => preset.clone(),
        };
        other.summarize.fallbacks = Vec::new();
        let mut other =
            other
                .with(&self.set)
                .map_err(|reason: ParamError| PlanError::Fallback {
                    preset: preset.name.clone(),
                    meaning: self.meaning.clone(),
                    reason: Box::new(reason),
                })?;
        other.summarize.fallbacks = rest.to_vec();
        Ok(other)
    }
}

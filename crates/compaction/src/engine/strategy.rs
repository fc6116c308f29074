//! The strategies by name.

pub use crate::vocabulary::needs::Needs;

use crate::engine::branch;
use crate::engine::branch::plan::{BranchInput, BranchOutcome};
use crate::engine::planning;
use crate::engine::preset::as_set::PresetAsSet;
use crate::engine::preset::data::Preset;
use crate::engine::preset::settings::is_structure;
use crate::plan::planned::{Plan, PlanOutcome};
use crate::vocabulary::error::PlanError;
use crate::vocabulary::input::PlanInput;
use crate::vocabulary::params::ParamSpec;
use serde::Serialize;
use serde_json::{Map, Value};

/// What a strategy is, for listings and forms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strategy<'a> {
    /// Its name.
    pub name: &'a str,
    /// One line.
    pub description: &'a str,
    /// Where its rules come from.
    pub source: &'a str,
    /// What cannot be told from how the agent behaves and is assumed, in sentences.
    pub assumed: &'a [String],
    /// What it needs to run.
    pub needs: Needs,
    /// Its parameters.
    pub params: Vec<ParamSpec>,
    /// The kind of each of its stages.
    pub stages: StageNames,
}

/// The kinds that a preset names for its stages, as they are written in its file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StageNames {
    /// What is summarized and what is kept.
    pub select: String,
    /// What is made smaller without a model, step by step.
    pub reduce: Vec<String>,
    /// Which calls are made.
    pub summarize: String,
    /// What the next request contains, in order.
    pub next: Vec<String>,
}

impl StageNames {
    /// The kinds of a preset's stages.
    pub fn of(preset: &Preset) -> StageNames {
        StageNames {
            select: kind(&preset.select),
            reduce: preset.reduce.iter().map(kind).collect(),
            summarize: kind(&preset.summarize.method),
            next: preset.assemble.next.iter().map(kind).collect(),
        }
    }
}

/// The `kind` under which a stage is written.
fn kind<T: Serialize>(stage: &T) -> String {
    // From the stored form, so that names here and in files cannot differ.
    let value = serde_json::to_value(stage).unwrap_or_default();
    value["kind"].as_str().unwrap_or_default().to_owned()
}

impl<'a> Strategy<'a> {
    /// What a preset is.
    pub fn of(preset: &'a Preset) -> Strategy<'a> {
        Strategy {
            name: &preset.name,
            description: &preset.description,
            source: &preset.source,
            assumed: &preset.assumed,
            needs: preset.needs,
            params: preset.specs(),
            stages: StageNames::of(preset),
        }
    }
}

/// Every built-in strategy with its parameters.
pub fn strategies() -> Vec<Strategy<'static>> {
    Preset::built_in().map(Strategy::of).collect()
}

/// Plans with the strategy called `name`; `settings` are the parameters that differ from its
/// defaults.
pub fn plan(
    name: &str,
    settings: &Map<String, Value>,
    input: &PlanInput<'_>,
) -> Result<PlanOutcome, PlanError> {
    plan_with(&Preset::known(name)?.as_set(settings)?, input)
}

/// Plans with a preset as it is set. The parameters of the plan name the stages, kinds and prompts
/// that were set as well, so that all can be set again.
pub fn plan_with(preset: &PresetAsSet, input: &PlanInput<'_>) -> Result<PlanOutcome, PlanError> {
    let mut outcome = planning::plan(&preset.preset, input)?;
    if let PlanOutcome::Compaction(plan) = &mut outcome {
        name_structure(plan, &preset.settings);
    }
    Ok(outcome)
}

fn name_structure(plan: &mut Plan, settings: &Map<String, Value>) {
    let named = settings.iter().filter(|(name, _)| is_structure(name));
    let named = named.map(|(name, value)| (name.clone(), value.clone()));
    plan.params.extend(named.collect::<Vec<_>>());
}

/// Plans the summary of a branch with the strategy called `name`, as [`branch::preset_for`] has
/// it work on branches; `settings` are the parameters that differ from its defaults.
pub fn plan_branch(
    name: &str,
    settings: &Map<String, Value>,
    input: &BranchInput<'_>,
) -> Result<BranchOutcome, PlanError> {
    let preset = branch::preset_for(Preset::known(name)?).as_set(settings)?;
    plan_branch_with(&preset, input)
}

/// Plans the summary of a branch with a preset as it is set; before the settings it was made to work
/// on branches by [`branch::preset_for`].
pub fn plan_branch_with(
    preset: &PresetAsSet,
    input: &BranchInput<'_>,
) -> Result<BranchOutcome, PlanError> {
    let mut outcome = branch::plan(&preset.preset, input)?;
    if let BranchOutcome::Summary { plan, .. } = &mut outcome {
        name_structure(plan, &preset.settings);
    }
    Ok(outcome)
}

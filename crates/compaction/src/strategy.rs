//! The strategies by name.

use crate::params::{OutputLimit, ParamSpec, PiParams, pi_schema};
use crate::pi;
use crate::plan::{PlanError, PlanInput, PlanOutcome};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a strategy is, for listings and forms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Strategy {
    /// Its name.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
    /// Where its rules come from.
    pub source: &'static str,
    /// What it needs to run.
    pub needs: Needs,
    /// Its parameters.
    pub params: Vec<ParamSpec>,
}

/// What a strategy needs to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// A model, or the offline summarizer in its place.
    Summarizer,
    /// Nothing but this machine.
    Nothing,
}

/// Limit of an extractive summary in tokens (our choice: a tenth of what pi keeps verbatim).
const EXTRACTIVE_TOKENS: u64 = 2_000;
/// What stands for the history that `truncate` leaves out.
const LEFT_OUT: &str = "Earlier messages were left out.";

struct Known {
    name: &'static str,
    description: &'static str,
    source: &'static str,
    needs: Needs,
    defaults: fn() -> PiParams,
}

const KNOWN: [Known; 4] = [
    Known {
        name: "pi",
        description: "a structured checkpoint of everything before the recent conversation",
        source: "pi 1.5.2",
        needs: Needs::Summarizer,
        defaults: PiParams::default,
    },
    Known {
        name: "pi-0.87",
        description: "the same as pi 0.87 did it: reasoning included, output limited",
        source: "pi 0.87.1",
        needs: Needs::Summarizer,
        defaults: PiParams::v0_87,
    },
    Known {
        name: "extractive",
        description: "pi's cut; the summary is put together from the conversation's own words",
        source: "Palimpsest",
        needs: Needs::Nothing,
        defaults: extractive_defaults,
    },
    Known {
        name: "truncate",
        description: "pi's cut; what is cut off leaves only its file lists",
        source: "Palimpsest",
        needs: Needs::Nothing,
        defaults: PiParams::default,
    },
];

fn extractive_defaults() -> PiParams {
    PiParams {
        max_output_tokens: OutputLimit::Tokens(EXTRACTIVE_TOKENS),
        ..PiParams::default()
    }
}

/// Every strategy with its parameters.
pub fn strategies() -> Vec<Strategy> {
    KNOWN
        .iter()
        .map(|known| Strategy {
            name: known.name,
            description: known.description,
            source: known.source,
            needs: known.needs,
            params: pi_schema(&(known.defaults)()),
        })
        .collect()
}

/// Plans with the strategy called `name`; `settings` are the parameters that differ from its
/// defaults.
pub fn plan(
    name: &str,
    settings: &Map<String, Value>,
    input: &PlanInput<'_>,
) -> Result<PlanOutcome, PlanError> {
    let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
        let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
        return Err(PlanError::UnknownStrategy {
            name: name.to_owned(),
            known: names.join(", "),
        });
    };
    let params = (known.defaults)().with(settings)?;
    let mut outcome = pi::plan(input, name, &params)?;
    if let PlanOutcome::Compaction(plan) = &mut outcome
        && name == "truncate"
    {
        plan.calls.clear();
        let carried = plan
            .previous_summary
            .clone()
            .filter(|_| params.reuse_previous_summary);
        plan.fixed_history = Some(carried.unwrap_or_else(|| LEFT_OUT.to_owned()));
        let summary = plan.assemble(&[]).unwrap_or_default();
        plan.estimated_tokens_after = plan.tokens_after(&summary);
    }
    Ok(outcome)
}

//! pi's compaction: where it cuts, and its parameters as one type.

pub(crate) mod cut;

pub use crate::summarize::{BRANCH_INTRO, COMPACTION_INTRO, serialize};
pub use cut::{Cut, plain_cut};

use crate::engine;
use crate::params::PiParams;
use crate::plan::{PlanError, PlanInput, PlanOutcome};
use crate::preset::Preset;

/// Whether pi would start compacting by itself (strictly more than what the reserve leaves).
pub fn should_compact(context_tokens: u64, window: u64, reserve_tokens: u64) -> bool {
    i128::from(context_tokens) > i128::from(window) - i128::from(reserve_tokens)
}

/// Plans a compaction of the context by pi's rules, under the name `strategy`.
pub fn plan(
    input: &PlanInput<'_>,
    strategy: &str,
    params: &PiParams,
) -> Result<PlanOutcome, PlanError> {
    let mut preset = Preset::known("pi")?.with(&params.to_map())?;
    strategy.clone_into(&mut preset.name);
    engine::plan(&preset, input)
}

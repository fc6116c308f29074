//! What a planned strategy needs to run, and whether the provider chosen has it.

use super::planning::Planned;
use crate::error::{AppError, Result};
use palimpsest_compaction::plan::Worker;
use palimpsest_compaction::strategy::Needs;
use palimpsest_compaction::summarize::Method;
use palimpsest_compaction::{Plan, PlannedCall, Preset};
use palimpsest_llm::ProviderKind;

/// What `preset` needs as it is set: what it says of itself, unless the settings switch it to
/// another method, which the offline summarizer can run. Reflections are written by a model,
/// whatever preset is switched to them.
pub(super) fn needs_as_set(preset: &Preset, as_set: &Preset) -> Needs {
    let method = |preset: &Preset| std::mem::discriminant(&preset.summarize.method);
    match preset.needs {
        _ if matches!(as_set.summarize.method, Method::Reflect(_)) => Needs::Model,
        Needs::Model if method(preset) != method(as_set) => Needs::Summarizer,
        other => other,
    }
}

impl Planned {
    /// Fails where the plan has calls that only a model can answer and none was chosen.
    pub(super) fn can_run(self) -> Result<Planned> {
        let offline = self.provider.config.kind == ProviderKind::Offline;
        let asks = self.plan.as_deref().is_some_and(asks_a_model);
        if offline && asks && self.needs == Needs::Model {
            return Err(AppError::NeedsModel {
                strategy: self.record.strategy,
            });
        }
        Ok(self)
    }
}

/// Whether a model answers a call of the plan, or of one that may take over from it.
pub(super) fn asks_a_model(plan: &Plan) -> bool {
    let by_model = |call: &PlannedCall| matches!(call.worker, Worker::Model | Worker::Weak);
    let mut others = plan.fallbacks.iter();
    plan.calls.iter().any(by_model) || others.any(|own| asks_a_model(&own.plan))
}

//! What a planned strategy needs to run, and whether the provider chosen has it.

use palimpsest_compaction::plan::Worker;
use palimpsest_compaction::strategy::Needs;
use palimpsest_compaction::summarize::Method;
use palimpsest_compaction::{Plan, PlannedCall, Preset};

/// What `preset` needs as it is set: what it says of itself, unless the settings switch it to
/// another method, which the offline summarizer can run. Reflections are written by a model,
/// whatever preset is switched to them.
pub(super) fn needs_as_set(preset: &Preset, as_set: &Preset) -> Needs {
    // Parameters of a method may be changed freely; only another method has other needs.
    let method = |preset: &Preset| std::mem::discriminant(&preset.summarize.method);
    match preset.needs {
        _ if matches!(as_set.summarize.method, Method::Reflect(_)) => Needs::Model,
        Needs::Model if method(preset) != method(as_set) => Needs::Summarizer,
        other => other,
    }
}

/// Whether a model answers a call of the plan, or of one that may take over from it.
pub(super) fn asks_a_model(plan: &Plan) -> bool {
    let by_model = |call: &PlannedCall| matches!(call.worker, Worker::Model | Worker::Weak);
    let mut others = plan.fallbacks.iter();
    plan.calls.iter().any(by_model) || others.any(|own| asks_a_model(&own.plan))
}

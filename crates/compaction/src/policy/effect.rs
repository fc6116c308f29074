//! What a policy's preset does to a context, as far as sizes go.

use crate::engine::preset::data::Preset;
use crate::policy::beside::Beside;
use crate::policy::clear::Clearing;
use crate::policy::data::Policy;
use crate::policy::trigger::{Limits, Line};
use crate::stages::select::Select;
use crate::stages::summarize::Method;

/// What a policy's preset does to a context.
pub(crate) enum Effect {
    Compact(Compaction),
    Clear(Clearing),
}

/// A preset's work, as far as sizes go.
pub(crate) struct Compaction {
    pub select: Select,
    /// Tokens of a summary that is not written by a model.
    pub fixed_summary: Option<u64>,
    /// What goes on beside the summary.
    pub beside: Beside,
}

/// Tokens of a sentence that stands for what was left out (our guess).
const FIXED_SUMMARY_TOKENS: u64 = 20;

impl Effect {
    pub(crate) fn of(policy: &Policy, line: &Line, limits: &Limits) -> Option<Effect> {
        let select = policy.choice(line, limits)?;
        let preset = Preset::named(&policy.preset)?;
        if matches!(select, Select::KeepAll(_)) {
            return Clearing::of(preset).map(Effect::Clear);
        }
        let fixed_summary = match &preset.summarize.method {
            Method::Fixed(_) => Some(FIXED_SUMMARY_TOKENS),
            _ => None,
        };
        let own = Compaction {
            select,
            fixed_summary,
            beside: Beside::of(preset),
        };
        Some(Effect::Compact(own))
    }
}

//! Runs replayed: their summaries made again from what was kept, without any model.

use super::kept::RunRecord;
use super::planned::PlanSpec;
use super::record::CallRecord;
use crate::error::{AppError, Result};
use crate::providers::OFFLINE;
use crate::workspace::App;
use palimpsest_compaction::branch::preset_for;
use palimpsest_core::NextStep;
use palimpsest_core::call::ModelReply;
use palimpsest_store::user::RunStatus;

/// What replaying a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The run.
    pub run_id: String,
    /// The summary made again.
    pub summary: String,
    /// True when it is the kept one, byte for byte.
    pub same: bool,
    /// Where the first difference is, in bytes of both.
    pub differs_at: Option<usize>,
    /// Number of calls whose replies were used.
    pub calls: usize,
    /// True when recovery from overflow had made calls smaller than planned.
    pub adapted: bool,
    /// Whether planning again, on the session as it is now, gives the very prompts that were
    /// planned then; `None` when it cannot be planned again (the session is gone, the strategy
    /// is not known any more).
    pub same_prompts: Option<bool>,
}

impl App {
    /// Replays a finished run from its recorded replies.
    ///
    /// Fails for a run that has no whole summary, for one that was kept before it was kept how
    /// replies make the summary, and when a reply is one the plan's rules refuse.
    pub fn replay(&self, name: &str) -> Result<Replayed> {
        let run = self.run_named(name)?;
        let refuse = |why: &str| {
            let message = format!("the run {} cannot be replayed, because {why}", run.row.id);
            AppError::bad_request(message, NextStep::RunAgain)
        };
        let kept = match (run.row.status, &run.row.summary) {
            (RunStatus::Done, Some(summary)) => summary.clone(),
            _ => {
                return Err(refuse("it has no complete summary"));
            }
        };
        if run.details.edited.is_some() {
            return Err(refuse("its text was edited by hand"));
        }
        let recipe = run.details.recipe.as_ref().ok_or_else(|| {
            refuse("an older version of Palimpsest saved it without what a replay needs")
        })?;
        // A refused reply that was asked for again took no part in the summary.
        let used = run.calls.iter().filter(|call| !call.superseded);
        let replies: Vec<ModelReply> = used.map(|call| call.reply()).collect();
        let summary = recipe
            .replay(&replies)
            .map_err(|reason| refuse(&reason.to_string()))?;
        Ok(Replayed {
            differs_at: first_difference(&summary, &kept),
            same: summary == kept,
            summary,
            calls: replies.len(),
            adapted: run.details.adapted.is_some(),
            same_prompts: self.same_prompts(&run),
            run_id: run.row.id,
        })
    }

    fn same_prompts(&self, run: &RunRecord) -> Option<bool> {
        let branch = run.plan.branch.as_ref();
        let preset = self.preset(&run.row.strategy).ok()?;
        // A branch is planned with a choice of its own, and so with other parameters.
        let preset = match branch {
            Some(_) => preset_for(&preset),
            None => preset.into_owned(),
        };
        let spec = PlanSpec {
            session: run.row.session_path.clone(),
            at: run.row.at_entry_id.clone().filter(|_| branch.is_none()),
            to: branch.map(|branch| branch.to_id.clone()),
            from: branch.and_then(|branch| branch.from_id.clone()),
            strategy: Some(run.row.strategy.clone()),
            set: preset.as_recorded(&run.plan.params),
            instructions: run.row.instructions.clone(),
            replace_prompt: run.row.replaces_prompt,
            // Prompts do not depend on who answers them, and the provider may be gone.
            provider: Some(OFFLINE.to_owned()),
            ..PlanSpec::default()
        };
        let planned = self.plan(&spec).ok()?;
        let Some(plan) = &planned.plan else {
            return Some(false);
        };
        let prompts = |call: &CallRecord| (call.system.clone(), call.prompt.clone());
        let now = plan.calls.iter().map(|call| prompts(&CallRecord::of(call)));
        Some(now.eq(run.plan.calls.iter().map(prompts)))
    }
}

/// Where two texts differ first, in bytes; `None` where they are the same.
pub(crate) fn first_difference(one: &str, other: &str) -> Option<usize> {
    let at = one
        .bytes()
        .zip(other.bytes())
        .position(|(one, other)| one != other);
    at.or_else(|| (one.len() != other.len()).then(|| one.len().min(other.len())))
}

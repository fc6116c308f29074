//! Judgements made again from their stored replies.

use super::executing::to_json;
use super::kept::Judgement;
use super::planning::JudgeSpec;
use crate::error::{AppError, Result};
use crate::run::{Replayed, first_difference};
use crate::workspace::App;
use palimpsest_core::NextStep;
use palimpsest_judge::{Call, What};

impl App {
    /// Makes the result of a finished judgement again from its recorded replies, without a model and
    /// without its session.
    pub fn replay_judgement(&self, name: &str) -> Result<(What, Replayed)> {
        let judgement = self.judgement(name)?;
        let id = judgement.row.id.clone();
        let refuse = |why: &str| {
            let message = format!("the judgement {id} cannot be replayed, because {why}");
            AppError::bad_request(message, NextStep::RunAgain)
        };
        let Some(kept) = &judgement.row.result else {
            return Err(refuse("it has no result"));
        };
        let replies = judgement.replies();
        let outcome = judgement.plan.outcome(&replies);
        let again = to_json(&outcome.map_err(|error| refuse(&error.to_string()))?)?;
        let replayed = Replayed {
            run_id: id,
            same: again == *kept,
            differs_at: first_difference(&again, kept),
            summary: again,
            calls: replies.len(),
            adapted: false,
            same_prompts: self.same_questions(&judgement),
        };
        Ok((judgement.spec.what, replayed))
    }

    /// Whether planning again gives the prompts that were sent; `None` when it cannot be planned.
    fn same_questions(&self, judgement: &Judgement) -> Option<bool> {
        let spec = JudgeSpec {
            session: judgement.row.session_path.clone(),
            ..judgement.spec.clone()
        };
        let planned = self.plan_judgement(&spec).ok()?;
        let prompts = |call: &Call| (call.system.clone(), call.prompt.clone());
        let now = planned.plan.calls.iter().map(prompts);
        Some(now.eq(judgement.plan.calls.iter().map(prompts)))
    }
}

//! Runs from recorded replies: the same plan and the same replies give the same bytes.

use crate::execution::accept::accept;
use crate::execution::outcome::RunFailure;
use crate::plan::planned::Plan;
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::slot::PromptPart;
use crate::vocabulary::summarizer::{CallContext, CallObserver, SummarizeError, Summarizer};
use async_trait::async_trait;
use palimpsest_core::call::ModelReply;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// The summary that `replies`, one per call and in their order, make of `plan`, after the same
/// rules as in a run. The plan of a run in which calls were made smaller is that of its outcome.
pub fn replay(plan: &Plan, replies: &[ModelReply]) -> Result<String, RunFailure> {
    // Replies are recorded as they came; joining depends on the preset's rules.
    let joined = replies
        .iter()
        .map(|reply| plan.replies.joined(reply.clone()));
    let replies: Vec<ModelReply> = joined.collect();
    for (number, reply) in replies.iter().enumerate().take(plan.calls.len()) {
        accept(plan, number, reply)?;
    }
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    Ok(plan.assemble(&texts)?)
}

/// What of a plan is needed to make its summary of replies, to be kept with a run. Prompts, items
/// and what the next request would be are left out, but for prompts that a reply chooses from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    plan: Plan,
    /// The messages in each call's prompt, which a plan does not write down itself.
    parts: Vec<Vec<PromptPart>>,
}

impl Recipe {
    /// The recipe of a plan; of a run in which calls were made smaller, that of its outcome.
    pub fn of(plan: &Plan) -> Recipe {
        let mut plan = plan.clone();
        // These are most of a plan's size, and a summary is put together without them.
        plan.items = Vec::new();
        plan.changes = Vec::new();
        plan.next = Vec::new();
        plan.fallbacks = Vec::new();
        let mut parts = Vec::with_capacity(plan.calls.len());
        for call in &mut plan.calls {
            // The reply names messages of the prompt, which the summary then quotes.
            let chooses = matches!(call.form, ReplyForm::Chosen { .. });
            if !chooses {
                call.system = String::new();
                call.prompt = String::new();
                call.parts = Vec::new();
                call.slots = Vec::new();
                call.conversation = 0..0;
            }
            // Not stored, so it is emptied: a recipe must equal the one that is read back.
            call.units = 0;
            parts.push(std::mem::take(&mut call.parts));
        }
        Recipe { plan, parts }
    }

    /// The summary that `replies`, one per call and in their order, make, after the same rules
    /// as in the run; fails on the first reply that these refuse.
    pub fn replay(&self, replies: &[ModelReply]) -> Result<String, RunFailure> {
        let mut plan = self.plan.clone();
        for (call, parts) in plan.calls.iter_mut().zip(&self.parts) {
            call.parts.clone_from(parts);
        }
        replay(&plan, replies)
    }
}

/// A summarizer that gives recorded replies again, by the number of the call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    replies: Vec<ModelReply>,
}

impl Recorded {
    /// With the replies in the order of the plan's calls.
    pub fn new(replies: Vec<ModelReply>) -> Recorded {
        Recorded { replies }
    }
}

#[async_trait]
impl Summarizer for Recorded {
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError> {
        if cancel.is_cancelled() {
            return Err(SummarizeError::Cancelled);
        }
        let Some(reply) = self.replies.get(context.index) else {
            let message = format!("no reply was recorded for call {}", context.index);
            return Err(SummarizeError::Failed(message.into()));
        };
        // A reader of the run sees the reply as if a model had sent it.
        observer.text(&reply.text);
        Ok(reply.clone())
    }
}

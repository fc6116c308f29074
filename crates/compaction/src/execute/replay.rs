//! Runs from recorded replies: the same plan and the same replies give the same bytes.

use super::run::{RunFailure, accept};
use super::{CallContext, CallObserver, SummarizeError, Summarizer};
use crate::plan::Plan;
use async_trait::async_trait;
use palimpsest_core::call::ModelReply;
use tokio_util::sync::CancellationToken;

/// The summary that `replies`, one per call and in their order, make of `plan`, after the same
/// rules as in a run. The plan of a run in which calls were made smaller is that of its outcome.
pub fn replay(plan: &Plan, replies: &[ModelReply]) -> Result<String, RunFailure> {
    for (number, reply) in replies.iter().enumerate().take(plan.calls.len()) {
        accept(plan, number, reply)?;
    }
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    Ok(plan.assemble(&texts)?)
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
            let message = format!(
                "no reply was recorded for call {}; run the plan instead of replaying it",
                context.index
            );
            return Err(SummarizeError::Failed(message));
        };
        observer.text(&reply.text);
        Ok(reply.clone())
    }
}

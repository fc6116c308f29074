//! What answers a call: a model behind a provider, a program, or code on this machine.

use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::files::FileLists;
use crate::vocabulary::input::Instructions;
use async_trait::async_trait;
use palimpsest_core::Problem;
use palimpsest_core::call::ModelReply;
use palimpsest_ledger::Span;
use tokio_util::sync::CancellationToken;

/// Makes one summary: a model behind a provider, or a program on this machine.
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// Answers one call. Returns [`SummarizeError::Cancelled`] soon after `cancel` fires.
    async fn call(
        &self,
        context: &CallContext<'_>,
        observer: &dyn CallObserver,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, SummarizeError>;
}

/// Everything a summarizer may look at for one call. A model gets `call.system` and
/// `call.prompt`; a summarizer without a model works on the rest.
#[derive(Debug, Clone, Copy)]
pub struct CallContext<'a> {
    /// The call as it is sent, replies of earlier calls in their places.
    pub call: &'a PlannedCall,
    /// Its number in the plan, from 0.
    pub index: usize,
    /// The messages to summarize.
    pub span: Span<'a>,
    /// The summary to carry on: the plan's previous one, or the reply of an earlier call.
    pub previous_summary: Option<&'a str>,
    /// The user's custom instructions.
    pub instructions: &'a Instructions,
    /// Files read and modified in all that is summarized; they are appended to the summary by the
    /// plan, so a summarizer need not list them.
    pub files: &'a FileLists,
}

/// Hears how a call goes on.
pub trait CallObserver: Send + Sync {
    /// Some more of the reply's text.
    fn text(&self, _text: &str) {}
    /// The call will be tried again: attempt number (from 2), wait in milliseconds, and why.
    fn retry(&self, _attempt: u32, _delay_ms: u64, _reason: &str) {}
}

/// Why a call was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SummarizeError {
    /// The user stopped it.
    #[error("cancelled")]
    Cancelled,
    /// It failed; the text says what happened and what to do.
    #[error("{0}")]
    Failed(Problem),
    /// The call does not fit the model's window; the text says so.
    #[error("{0}")]
    Overflow(Problem),
}

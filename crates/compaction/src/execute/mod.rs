//! Carrying out a plan: its calls through a summarizer, its replies into a summary.

mod attempts;
mod material;
mod replay;
mod run;

pub use attempts::{Attempt, execute};
pub use material::{Material, Spoken};
pub use replay::{Recipe, Recorded, replay};
pub use run::{RunError, RunFailure, RunOutcome, Writer};

use crate::files::FileLists;
use crate::plan::{Instructions, PlannedCall, PlannedFallback, Purpose};
use async_trait::async_trait;
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
    /// The user's own instructions.
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

/// An observer that does not listen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl CallObserver for Unobserved {}
impl RunObserver for Unobserved {}

/// Hears how a run goes on; calls are numbered from 0.
pub trait RunObserver: Send + Sync {
    /// A call begins.
    fn started(&self, _call: usize, _purpose: Purpose) {}
    /// It is sent to this model; `None` is the one that was chosen.
    fn asks(&self, _call: usize, _model: Option<&str>) {}
    /// Some more of a reply's text.
    fn text(&self, _call: usize, _text: &str) {}
    /// A call will be tried again.
    fn retry(&self, _call: usize, _attempt: u32, _delay_ms: u64, _reason: &str) {}
    /// A call has been answered.
    fn finished(&self, _call: usize, _reply: &ModelReply) {}
    /// The plan came to nothing, and a fallback takes over: calls are numbered from 0 again.
    fn fell_back(&self, _to: &PlannedFallback, _reason: &str) {}
}

struct OneCall<'a> {
    run: &'a dyn RunObserver,
    call: usize,
}

impl CallObserver for OneCall<'_> {
    fn text(&self, text: &str) {
        self.run.text(self.call, text);
    }
    fn retry(&self, attempt: u32, delay_ms: u64, reason: &str) {
        self.run.retry(self.call, attempt, delay_ms, reason);
    }
}

/// Why a call was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SummarizeError {
    /// The user stopped it.
    #[error("cancelled")]
    Cancelled,
    /// It failed; the text says what happened and what to do.
    #[error("{0}")]
    Failed(String),
    /// The call does not fit the model's window; the text says so.
    #[error("{0}")]
    Overflow(String),
}

//! Carrying out a plan: its calls through a summarizer, its replies into a summary.

use crate::files::FileLists;
use crate::plan::{AssembleError, Instructions, ItemMessages, Plan, PlannedCall, Purpose};
use async_trait::async_trait;
use palimpsest_core::call::{ModelReply, StopReason};
use palimpsest_core::{BodyError, Context, EntryIx, Message, Session, Usage};
use palimpsest_ledger::{Span, SpanItem};
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
    /// The call as planned.
    pub call: &'a PlannedCall,
    /// The messages to summarize.
    pub span: Span<'a>,
    /// The summary to carry on, for a call about history.
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
    /// Some more of a reply's text.
    fn text(&self, _call: usize, _text: &str) {}
    /// A call will be tried again.
    fn retry(&self, _call: usize, _attempt: u32, _delay_ms: u64, _reason: &str) {}
    /// A call has been answered.
    fn finished(&self, _call: usize, _reply: &ModelReply) {}
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
}

/// The messages of a plan's calls, loaded.
#[derive(Debug, Clone, Default)]
pub struct Material {
    calls: Vec<Vec<Spoken>>,
}

/// One message with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Spoken {
    /// The entry.
    pub entry: EntryIx,
    /// Which message of the entry.
    pub message_index: usize,
    /// The message as the model got it.
    pub message: Message,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
}

impl Spoken {
    /// The message as the ledger takes it.
    pub fn as_span_item(&self) -> SpanItem<'_> {
        SpanItem {
            entry: self.entry,
            message_index: self.message_index,
            message: &self.message,
            at_ms: self.at_ms,
        }
    }
}

impl Material {
    /// Loads the messages that the calls of `plan` are about.
    pub fn load(
        plan: &Plan,
        session: &Session,
        context: &Context,
        messages: &dyn ItemMessages,
    ) -> Result<Material, BodyError> {
        let mut calls = Vec::with_capacity(plan.calls.len());
        for call in &plan.calls {
            let mut spoken = Vec::with_capacity(call.items.len());
            for item in call
                .items
                .iter()
                .filter_map(|&position| context.items.get(position))
            {
                let Some(&entry) = item.entries.first() else {
                    continue;
                };
                spoken.push(Spoken {
                    entry,
                    message_index: item.message_index,
                    message: messages.message(item)?,
                    at_ms: session.entry(entry).at_ms,
                });
            }
            calls.push(spoken);
        }
        Ok(Material { calls })
    }

    /// Material from messages that are already at hand, one list per call.
    pub fn from_calls(calls: Vec<Vec<Spoken>>) -> Material {
        Material { calls }
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The summary.
    pub summary: String,
    /// The replies, in the order of the plan's calls.
    pub replies: Vec<ModelReply>,
    /// The sum of their usage.
    pub usage: Usage,
    /// Estimated tokens of the context with the summary in place.
    pub tokens_after: u64,
}

/// Why a run came to nothing; what was answered before that is kept, as it has been paid for.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct RunError {
    /// What happened.
    pub reason: RunFailure,
    /// The replies before it.
    pub replies: Vec<ModelReply>,
}

/// What can go wrong in a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFailure {
    /// The user stopped it.
    #[error("the run was cancelled; nothing was kept as a summary")]
    Cancelled,
    /// A call failed.
    #[error("{} failed: {message}", told(*.purpose))]
    Failed {
        /// Which call.
        purpose: Purpose,
        /// What happened and what to do.
        message: String,
    },
    /// A reply ended at the output limit (refused since pi 0.84.3).
    #[error(
        "{} is incomplete: the reply ran into its limit; allow more output tokens or keep more of \
         the conversation", told(*.0)
    )]
    Incomplete(Purpose),
    /// A reply called a tool instead of answering.
    #[error("{} tried to call a tool; try again or choose another model", told(*.0))]
    ToolCall(Purpose),
    /// The model refused.
    #[error("{} was refused by the model; choose another model or other instructions", told(*.0))]
    Refused(Purpose),
    /// A reply without text.
    #[error("{} has no text; try again or choose another model", told(*.0))]
    Empty(Purpose),
    /// The replies do not fit the plan.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
}

fn told(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::History => "the summary of the history",
        Purpose::TurnPrefix => "the summary of the split turn's beginning",
        Purpose::Branch => "the summary of the branch",
    }
}

/// Makes the calls of `plan` one after the other, history first, and puts the summary together.
pub async fn execute(
    plan: &Plan,
    material: &Material,
    summarizer: &dyn Summarizer,
    observer: &dyn RunObserver,
    cancel: &CancellationToken,
) -> Result<RunOutcome, RunError> {
    let mut replies = Vec::with_capacity(plan.calls.len());
    for (index, call) in plan.calls.iter().enumerate() {
        let spoken = material
            .calls
            .get(index)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let items: Vec<SpanItem<'_>> = spoken.iter().map(Spoken::as_span_item).collect();
        let carries_on = call.purpose == Purpose::History;
        let context = CallContext {
            call,
            span: Span { items: &items },
            previous_summary: plan.previous_summary.as_deref().filter(|_| carries_on),
            instructions: &plan.instructions,
            files: &plan.files,
        };
        match answer(&context, index, summarizer, observer, cancel).await {
            Ok(reply) => replies.push(reply),
            Err(reason) => return Err(RunError { reason, replies }),
        }
    }
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    let summary = match plan.assemble(&texts) {
        Ok(summary) => summary,
        Err(error) => {
            return Err(RunError {
                reason: error.into(),
                replies,
            });
        }
    };
    let mut usage = Usage::default();
    replies.iter().for_each(|reply| usage.add(&reply.usage));
    let tokens_after = plan.tokens_after(&summary);
    Ok(RunOutcome {
        summary,
        replies,
        usage,
        tokens_after,
    })
}

/// Makes one call and refuses a reply that is not a whole summary.
pub async fn answer(
    context: &CallContext<'_>,
    index: usize,
    summarizer: &dyn Summarizer,
    observer: &dyn RunObserver,
    cancel: &CancellationToken,
) -> Result<ModelReply, RunFailure> {
    let purpose = context.call.purpose;
    if cancel.is_cancelled() {
        return Err(RunFailure::Cancelled);
    }
    observer.started(index, purpose);
    let one = OneCall {
        run: observer,
        call: index,
    };
    let reply = match summarizer.call(context, &one, cancel).await {
        Ok(reply) => reply,
        Err(SummarizeError::Cancelled) => return Err(RunFailure::Cancelled),
        Err(SummarizeError::Failed(message)) => {
            return Err(RunFailure::Failed { purpose, message });
        }
    };
    observer.finished(index, &reply);
    match reply.stop {
        StopReason::Length => Err(RunFailure::Incomplete(purpose)),
        StopReason::ToolCall => Err(RunFailure::ToolCall(purpose)),
        StopReason::Refusal => Err(RunFailure::Refused(purpose)),
        _ if reply.text.trim().is_empty() => Err(RunFailure::Empty(purpose)),
        _ => Ok(reply),
    }
}

//! Carrying out a plan: its calls through a summarizer, its replies into a summary.

use super::{
    Attempt, CallContext, Material, OneCall, RunObserver, Spoken, SummarizeError, Summarizer,
};
use crate::offline::OfflineSummarizer;
use crate::plan::{AssembleError, BuildsOn, Plan, PlannedCall, Worker, estimate};
use crate::summarize::{Cause, FormError, ReplyRules};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use palimpsest_core::Usage;
use palimpsest_core::call::{ModelReply, StopReason};
use palimpsest_ledger::{Span, SpanItem};
use tokio_util::sync::CancellationToken;

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The summary.
    pub summary: String,
    /// The replies, in the order of the plan's calls.
    pub replies: Vec<ModelReply>,
    /// The sum of their usage, of that of replies which were refused before them, and of that of
    /// `attempts`.
    pub usage: Usage,
    /// The plan as it was carried out, when calls had to be made smaller or a fallback took over:
    /// replaying needs this one.
    pub adapted: Option<Box<Plan>>,
    /// What was tried before and came to nothing, in its order.
    pub attempts: Vec<Attempt>,
    /// Estimated tokens of the context with the summary in place.
    pub tokens_after: u64,
}

/// Why a run came to nothing; what was answered before that is kept, as it has been paid for.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct RunError {
    /// What happened.
    pub reason: RunFailure,
    /// The accepted replies by the number of their call, in that order.
    pub replies: Vec<(usize, ModelReply)>,
    /// What was tried before and came to nothing as well, in its order.
    pub attempts: Vec<Attempt>,
}

impl RunError {
    fn new(reason: RunFailure, replies: Vec<(usize, ModelReply)>) -> RunError {
        RunError {
            reason,
            replies,
            attempts: Vec::new(),
        }
    }
}

/// What can go wrong in a run. `call` is the call in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFailure {
    /// The user stopped it.
    #[error("the run was cancelled; nothing was kept as a summary")]
    Cancelled,
    /// A call failed.
    #[error("{call} failed: {message}")]
    Failed {
        /// Which call.
        call: String,
        /// What happened and what to do.
        message: String,
    },
    /// A call does not fit the model's window, and nothing more can be left out of it.
    #[error("{call} does not fit the model's window: {message}")]
    Overflow {
        /// Which call.
        call: String,
        /// What the provider said and what to do.
        message: String,
    },
    /// A reply ended at the output limit (refused since pi 0.84.3).
    #[error(
        "{call} is incomplete: the reply ran into its limit; allow more output tokens or keep \
         more of the conversation"
    )]
    Incomplete {
        /// Which call.
        call: String,
    },
    /// A reply called a tool instead of answering.
    #[error("{call} tried to call a tool; try again or choose another model")]
    ToolCall {
        /// Which call.
        call: String,
    },
    /// The model refused.
    #[error("{call} was refused by the model; choose another model or other instructions")]
    Refused {
        /// Which call.
        call: String,
    },
    /// A reply without text.
    #[error("{call} has no text; {}", .writer.for_an_empty_reply())]
    Empty {
        /// Which call.
        call: String,
        /// Who was to write it.
        writer: Writer,
    },
    /// A reply does not have the form that was asked for.
    #[error("{call} cannot be used: {reason}; {}", .writer.for_another_form())]
    Form {
        /// Which call.
        call: String,
        /// Who was to write it.
        writer: Writer,
        /// What is wrong with it.
        reason: FormError,
    },
    /// A reply is larger than it may be (GitHub Copilot Chat).
    #[error("{call} is too large: {tokens} tokens where {limit} are allowed; ask for less")]
    TooLarge {
        /// Which call.
        call: String,
        /// Its size in tokens.
        tokens: u64,
        /// The most it may have.
        limit: u64,
    },
    /// The context would be larger with the summary than it was (Gemini CLI).
    #[error(
        "the summary makes the context larger: {after} tokens where there were {before}; summarize \
         more or keep less"
    )]
    Inflated {
        /// Tokens before.
        before: u64,
        /// Tokens it would have.
        after: u64,
    },
    /// A program is to answer, but none is named.
    #[error(
        "{call} is for a program but none is named; set 'command' to the program and its \
         arguments, such as [\"./summarize.py\"]"
    )]
    NoProgram {
        /// Which call.
        call: String,
    },
    /// The calls wait for each other.
    #[error("the plan's calls wait for each other; report the strategy that made it")]
    Circular,
    /// The replies do not fit the plan.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
}

impl RunFailure {
    /// What a fallback may be for; `None` where no other way would help.
    pub fn cause(&self) -> Option<Cause> {
        Some(match self {
            RunFailure::Overflow { .. } => Cause::Overflow,
            RunFailure::Failed { .. } => Cause::Failed,
            RunFailure::Incomplete { .. }
            | RunFailure::ToolCall { .. }
            | RunFailure::Refused { .. }
            | RunFailure::Empty { .. }
            | RunFailure::Form { .. }
            | RunFailure::TooLarge { .. } => Cause::Unusable,
            RunFailure::Inflated { .. } => Cause::Inflated,
            RunFailure::Cancelled
            | RunFailure::NoProgram { .. }
            | RunFailure::Circular
            | RunFailure::Assemble(_) => return None,
        })
    }
}

/// Who was to answer a call, for the advice when the answer cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// A model, or the program that stands in for one.
    Model,
    /// The user's own program, which gets the plan.
    Program,
}

impl Writer {
    fn for_an_empty_reply(self) -> &'static str {
        match self {
            Writer::Model => "try again or choose another model",
            Writer::Program => "have the program print a summary that is not empty",
        }
    }

    fn for_another_form(self) -> &'static str {
        match self {
            Writer::Model => "try again, or choose a model that keeps to the form",
            Writer::Program => "correct what the program prints",
        }
    }
}

/// Looks whether a reply may be used as a summary by the plan's rules.
pub(super) fn accept(plan: &Plan, number: usize, reply: &ModelReply) -> Result<(), RunFailure> {
    let call = || plan.calls[number].label();
    let writer = match plan.calls[number].worker {
        Worker::External => Writer::Program,
        _ => Writer::Model,
    };
    let rules = &plan.replies;
    let cleaned = rules.cleaned(&reply.text);
    match reply.stop {
        StopReason::Refusal => return Err(RunFailure::Refused { call: call() }),
        StopReason::Length if !rules.accept_truncated => {
            return Err(RunFailure::Incomplete { call: call() });
        }
        StopReason::ToolCall if !rules.accept_tool_call => {
            return Err(RunFailure::ToolCall { call: call() });
        }
        _ => {}
    }
    if rules.refuse_json && ReplyRules::is_json_object(&cleaned) {
        return Err(RunFailure::ToolCall { call: call() });
    }
    let text = plan.read_reply(number, &reply.text).map_err(|reason| {
        let call = call();
        RunFailure::Form {
            call,
            writer,
            reason,
        }
    })?;
    if text.trim().is_empty() && !rules.accept_empty {
        // All that came was reasoning (Coder's newest code).
        if reply.stop == StopReason::Length {
            return Err(RunFailure::Incomplete { call: call() });
        }
        return Err(RunFailure::Empty {
            call: call(),
            writer,
        });
    }
    let missing = rules.missing(&text);
    // Questions, ratings and the like are no summary yet.
    if !missing.is_empty() && plan.is_in_summary(number) {
        let missing = missing.join(", ");
        let reason = FormError::Lacks { missing };
        return Err(RunFailure::Form {
            call: call(),
            writer,
            reason,
        });
    }
    let tokens = estimate(&text);
    if rules.max_reply_tokens > 0 && tokens > rules.max_reply_tokens {
        return Err(RunFailure::TooLarge {
            call: call(),
            tokens,
            limit: rules.max_reply_tokens,
        });
    }
    Ok(())
}

/// The run so far.
struct Running<'a> {
    planned: &'a Plan,
    /// The plan with what had to be left out of its calls.
    plan: Plan,
    replies: Vec<Option<ModelReply>>,
    started: Vec<bool>,
    /// How far each call has been made smaller, in attempts of the rule for overflow.
    smaller: Vec<usize>,
    /// How often each call has failed, or had its reply refused.
    failed: Vec<u64>,
    /// What replies that were refused have cost.
    refused: Usage,
}

/// A call on its way: its number, and what came of it.
type Answer = (usize, Result<ModelReply, SummarizeError>);

/// Makes the calls of `plan`, each as soon as those it waits for are answered and not more at the
/// same time than the plan allows, and puts the summary together. When one fails or `cancel`
/// fires the others are cancelled, and what was answered is kept in the error. Fallbacks are not
/// looked at.
pub(super) async fn attempt(
    plan: &Plan,
    material: &Material,
    summarizer: &dyn Summarizer,
    observer: &dyn RunObserver,
    cancel: &CancellationToken,
) -> Result<RunOutcome, RunError> {
    check_programs(plan).map_err(|reason| RunError::new(reason, Vec::new()))?;
    let stop = cancel.child_token();
    let mut running = Running::new(plan);
    let mut pending = FuturesUnordered::new();
    let mut failure = None;
    loop {
        while failure.is_none()
            && running.has_room(pending.len())
            && let Some(number) = running.next_ready()
        {
            if cancel.is_cancelled() {
                failure = Some(RunFailure::Cancelled);
                break;
            }
            running.started[number] = true;
            observer.started(number, plan.calls[number].purpose);
            let call = running.sent(number);
            observer.asks(number, call.model.as_deref());
            let previous = running.builds_on(number);
            pending.push(make(
                number, call, previous, plan, material, summarizer, observer, &stop,
            ));
        }
        let Some((number, answer)) = pending.next().await else {
            break;
        };
        if let Err(reason) = running.take(number, answer, observer) {
            stop.cancel();
            failure.get_or_insert(reason);
        }
    }
    running.finish(failure)
}

/// Refuses a plan whose calls are for a program that is not named.
pub(super) fn check_programs(plan: &Plan) -> Result<(), RunFailure> {
    match plan.calls.iter().find(|call| call.lacks_program()) {
        Some(call) => Err(RunFailure::NoProgram { call: call.label() }),
        None => Ok(()),
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "a future must own or borrow each of these by itself"
)]
async fn make(
    number: usize,
    call: PlannedCall,
    previous: Option<String>,
    plan: &Plan,
    material: &Material,
    summarizer: &dyn Summarizer,
    observer: &dyn RunObserver,
    stop: &CancellationToken,
) -> Answer {
    let items: Vec<SpanItem<'_>> = material
        .call(number)
        .iter()
        .map(Spoken::as_span_item)
        .collect();
    let context = CallContext {
        call: &call,
        index: number,
        span: Span { items: &items },
        previous_summary: previous.as_deref(),
        instructions: &plan.instructions,
        files: &plan.files,
    };
    let one = OneCall {
        run: observer,
        call: number,
    };
    let answer = match call.worker {
        Worker::Model | Worker::Weak | Worker::External => {
            summarizer.call(&context, &one, stop).await
        }
        Worker::Offline => OfflineSummarizer.call(&context, &one, stop).await,
    };
    (number, answer)
}

impl<'a> Running<'a> {
    fn new(plan: &'a Plan) -> Running<'a> {
        let count = plan.calls.len();
        Running {
            planned: plan,
            plan: plan.clone(),
            replies: vec![None; count],
            started: vec![false; count],
            smaller: vec![0; count],
            failed: vec![0; count],
            refused: Usage::default(),
        }
    }

    fn has_room(&self, pending: usize) -> bool {
        let most = self.plan.max_concurrent;
        most == 0 || (pending as u64) < most
    }

    fn next_ready(&self) -> Option<usize> {
        (0..self.started.len()).find(|&number| {
            let answered = |&before: &usize| matches!(self.replies.get(before), Some(Some(_)));
            !self.started[number] && self.plan.calls[number].after.iter().all(answered)
        })
    }

    fn cleaned(&self, number: usize) -> Option<String> {
        let reply = self.replies.get(number)?.as_ref()?;
        // Replies were accepted before they are quoted.
        self.plan.read_reply(number, &reply.text).ok()
    }

    fn sent(&self, number: usize) -> PlannedCall {
        self.plan.sent(number, &|from| self.cleaned(from))
    }

    fn builds_on(&self, number: usize) -> Option<String> {
        match self.plan.calls[number].builds_on {
            BuildsOn::Nothing => None,
            BuildsOn::Previous => self.plan.previous_summary.clone(),
            BuildsOn::Reply(from) => self.cleaned(from),
        }
    }

    fn take(
        &mut self,
        number: usize,
        answer: Result<ModelReply, SummarizeError>,
        observer: &dyn RunObserver,
    ) -> Result<(), RunFailure> {
        let call = || self.plan.calls[number].label();
        match answer {
            Ok(reply) => {
                let reply = self.plan.replies.joined(reply);
                observer.finished(number, &reply);
                if let Err(reason) = accept(&self.plan, number, &reply) {
                    self.refused.add(&reply.usage);
                    return self.once_more(number, reason, observer);
                }
                self.replies[number] = Some(reply);
                Ok(())
            }
            Err(SummarizeError::Cancelled) => Err(RunFailure::Cancelled),
            Err(SummarizeError::Failed(message)) => {
                let call = call();
                self.once_more(number, RunFailure::Failed { call, message }, observer)
            }
            // The chosen model may have a larger window: it is asked before anything is left out.
            Err(SummarizeError::Overflow(message))
                if self.plan.calls[number].worker == Worker::Weak =>
            {
                let call = call();
                self.ask_chosen(number, RunFailure::Overflow { call, message }, observer)
            }
            Err(SummarizeError::Overflow(message)) => {
                let original = &self.planned.calls[number];
                let rule = &self.plan.overflow;
                let (before, most) = (self.smaller[number], rule.attempts(original));
                if before >= most {
                    let call = call();
                    return Err(RunFailure::Overflow { call, message });
                }
                let attempt = rule.next_attempt(original, before, &message).min(most);
                let smaller = rule.smaller(original, attempt);
                self.smaller[number] = attempt;
                self.plan.make_smaller(number, original, &smaller);
                self.started[number] = false;
                observer.retry(number, attempt as u32 + 1, 0, &message);
                Ok(())
            }
        }
    }

    /// Has a call made again that failed for this reason, as often as the plan allows.
    fn once_more(
        &mut self,
        number: usize,
        reason: RunFailure,
        observer: &dyn RunObserver,
    ) -> Result<(), RunFailure> {
        let failed = &mut self.failed[number];
        *failed += 1;
        if *failed >= self.plan.attempts.max(1) {
            return self.ask_chosen(number, reason, observer);
        }
        observer.retry(number, *failed as u32 + 1, 0, &reason.to_string());
        self.started[number] = false;
        Ok(())
    }

    /// Has a call made by the chosen model that came to nothing for this reason with the weaker
    /// one; any other has failed.
    fn ask_chosen(
        &mut self,
        number: usize,
        reason: RunFailure,
        observer: &dyn RunObserver,
    ) -> Result<(), RunFailure> {
        let call = &mut self.plan.calls[number];
        if call.worker != Worker::Weak {
            return Err(reason);
        }
        call.worker = Worker::Model;
        call.model = None;
        let again = format!("{reason}; the chosen model is asked instead of the weaker one");
        observer.retry(number, self.failed[number].max(1) as u32 + 1, 0, &again);
        self.failed[number] = 0;
        self.started[number] = false;
        Ok(())
    }

    fn finish(self, failure: Option<RunFailure>) -> Result<RunOutcome, RunError> {
        let adapted = self.smaller.iter().any(|&attempt| attempt > 0);
        let all = self.replies.iter().all(Option::is_some);
        let reason = match failure {
            None if !all => Some(RunFailure::Circular),
            other => other,
        };
        let replies = self.replies.into_iter().enumerate();
        let replies: Vec<(usize, ModelReply)> = replies
            .filter_map(|(at, reply)| Some((at, reply?)))
            .collect();
        if let Some(reason) = reason {
            return Err(RunError::new(reason, replies));
        }
        let texts: Vec<&str> = replies
            .iter()
            .map(|(_, reply)| reply.text.as_str())
            .collect();
        let summary = match self.plan.assemble(&texts) {
            Ok(summary) => summary,
            Err(error) => {
                return Err(RunError::new(error.into(), replies));
            }
        };
        let tokens_after = self.plan.tokens_after(&summary);
        let before = self.plan.tokens_before;
        if self.plan.replies.refuse_inflated && tokens_after > before {
            let reason = RunFailure::Inflated {
                before,
                after: tokens_after,
            };
            return Err(RunError::new(reason, replies));
        }
        let mut usage = self.refused;
        replies
            .iter()
            .for_each(|(_, reply)| usage.add(&reply.usage));
        Ok(RunOutcome {
            tokens_after,
            summary,
            replies: replies.into_iter().map(|(_, reply)| reply).collect(),
            usage,
            adapted: adapted.then(|| Box::new(self.plan)),
            attempts: Vec::new(),
        })
    }
}

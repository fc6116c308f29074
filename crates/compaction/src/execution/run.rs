//! Carrying out a plan: its calls through a summarizer, its replies into a summary.

use crate::execution::accept::accept;
use crate::execution::messages::{CallMessages, Spoken};
use crate::execution::not_a_summary::{NotASummary, not_a_summary};
use crate::execution::observer::{OneCall, RunObserver};
use crate::execution::outcome::{RunError, RunFailure, RunOutcome, Said};
use crate::offline::summarizer::OfflineSummarizer;
use crate::plan::planned::Plan;
use crate::vocabulary::call::{BuildsOn, PlannedCall, Worker};
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::summarizer::{CallContext, SummarizeError, Summarizer};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use palimpsest_core::Usage;
use palimpsest_core::call::ModelReply;
use palimpsest_ledger::{Span, SpanItem};
use tokio_util::sync::CancellationToken;

/// The run so far.
struct Running<'a> {
    planned: &'a Plan,
    /// The plan with what had to be left out of its calls.
    plan: Plan,
    replies: Vec<Option<ModelReply>>,
    started: Vec<bool>,
    /// How far each call has been made smaller, in attempts of the rule for overflow.
    smaller: Vec<usize>,
    /// How often each call did not fit.
    overflowed: Vec<usize>,
    /// How often each call has failed, or had its reply refused.
    failed: Vec<u64>,
    /// What replies that were refused have cost.
    refused: Usage,
}

/// A call on its way: its number, and what came of it.
pub(crate) type Answer = (usize, Result<ModelReply, SummarizeError>);

/// Makes the calls of `plan`, each as soon as those it waits for are answered and not more at the
/// same time than the plan allows, and puts the summary together. When one fails or `cancel`
/// fires the others are cancelled, and what was answered is kept in the error. Fallbacks are not
/// looked at.
pub(crate) async fn attempt(
    plan: &Plan,
    messages: &CallMessages,
    summarizer: &dyn Summarizer,
    observer: &dyn RunObserver,
    cancel: &CancellationToken,
) -> Result<RunOutcome, RunError> {
    check_programs(plan).map_err(|reason| RunError::new(reason, Vec::new()))?;
    // A child, so that one failure stops the other calls and leaves the caller's token alone.
    let stop = cancel.child_token();
    let mut running = Running::new(plan);
    let mut pending = FuturesUnordered::new();
    let mut failure = None;
    loop {
        // After a failure no call is started; those under way end by the token.
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
                number, call, previous, plan, messages, summarizer, observer, &stop,
            ));
        }
        let Some((number, answer)) = pending.next().await else {
            break;
        };
        if let Err(reason) = running.take(number, answer, observer) {
            stop.cancel();
            // The first failure is the cause; later ones come from cancelling the other calls.
            failure.get_or_insert(reason);
        }
    }
    running.finish(failure)
}

/// Refuses a plan whose calls are for a program that is not named.
pub(crate) fn check_programs(plan: &Plan) -> Result<(), RunFailure> {
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
    messages: &CallMessages,
    summarizer: &dyn Summarizer,
    observer: &dyn RunObserver,
    stop: &CancellationToken,
) -> Answer {
    let items: Vec<SpanItem<'_>> = messages
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
        // The host decides how each of these is reached.
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
            overflowed: vec![0; count],
            failed: vec![0; count],
            refused: Usage::default(),
        }
    }

    fn has_room(&self, pending: usize) -> bool {
        let most = self.plan.max_concurrent;
        // 0 is no limit.
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
                // A reply that is refused was paid for, so it is shown and counted like the others.
                observer.finished(number, &reply);
                if let Err(reason) = accept(&self.plan, number, &reply) {
                    self.refused.add(&reply.usage);
                    return self.once_more(number, reason, observer);
                }
                // Not when a run is replayed: what an earlier version took stays taken.
                if let Some(what) = self.not_a_summary(number, &reply) {
                    self.refused.add(&reply.usage);
                    let call = call();
                    let said = Said::of(&reply);
                    let reason = RunFailure::NotASummary { call, what, said };
                    return self.once_more(number, reason, observer);
                }
                self.replies[number] = Some(reply);
                Ok(())
            }
            Err(SummarizeError::Cancelled) => Err(RunFailure::Cancelled),
            Err(SummarizeError::Failed(problem)) => {
                let call = call();
                let problem = Box::new(problem);
                self.once_more(number, RunFailure::Failed { call, problem }, observer)
            }
            // The chosen model may have a larger window: it is asked before anything is left out.
            Err(SummarizeError::Overflow(problem))
                if self.plan.calls[number].worker == Worker::Weak =>
            {
                let call = call();
                let problem = Box::new(problem);
                self.ask_chosen(number, RunFailure::Overflow { call, problem }, observer)
            }
            Err(SummarizeError::Overflow(problem)) => {
                // From the whole call each time, so that leaving out twice does not add up.
                let original = &self.planned.calls[number];
                let rule = &self.plan.overflow;
                let (before, most) = (self.smaller[number], rule.attempts(original));
                if before >= most {
                    let call = call();
                    let problem = Box::new(problem);
                    return Err(RunFailure::Overflow { call, problem });
                }
                let tried = self.overflowed[number];
                self.overflowed[number] += 1;
                // The gap that a provider names can be larger than all that may be left out.
                let attempt = rule
                    .next_fitting(original, before, tried, &problem.message)
                    .min(most);
                let smaller = rule.smaller(original, attempt);
                let of = (rule.most_attempts(original) as u32 + 1).max(tried as u32 + 2);
                self.smaller[number] = attempt;
                self.plan.make_smaller(number, original, &smaller);
                // Has `next_ready` choose it again.
                self.started[number] = false;
                // From 2 on: the first attempt was the call itself.
                observer.again(number, tried as u32 + 2, of, &problem.message);
                Ok(())
            }
        }
    }

    /// What the reply to a call whose text goes into the summary is in place of one.
    fn not_a_summary(&self, number: usize, reply: &ModelReply) -> Option<NotASummary> {
        let call = &self.plan.calls[number];
        let writes = match call.form {
            ReplyForm::Text | ReplyForm::Summary => self.plan.is_in_summary(number),
            _ => false,
        };
        let is_model = matches!(call.worker, Worker::Model | Worker::Weak);
        if !writes || !is_model {
            return None;
        }
        let text = self.plan.read_reply(number, &reply.text).ok()?;
        let conversation = call.prompt.get(call.conversation.clone());
        let previous = self.plan.previous_summary.as_deref();
        not_a_summary(&text, conversation.unwrap_or_default(), previous)
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
        let of = u32::try_from(self.plan.attempts).unwrap_or(u32::MAX);
        observer.again(number, *failed as u32 + 1, of, &reason.to_string());
        self.started[number] = false;
        Ok(())
    }

    /// Has a call made by the chosen model that failed for this reason with the weaker
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
        let again = format!("{reason} (the chosen model is asked instead of the weaker one)");
        let next = self.failed[number].max(1) as u32 + 1;
        observer.again(number, next, next, &again);
        // The chosen model has as many attempts as the weaker one had.
        self.failed[number] = 0;
        self.started[number] = false;
        Ok(())
    }

    fn finish(self, failure: Option<RunFailure>) -> Result<RunOutcome, RunError> {
        let adapted = self.smaller.iter().any(|&attempt| attempt > 0);
        let all = self.replies.iter().all(Option::is_some);
        let reason = match failure {
            // No call is ready, none is under way, and some have no reply.
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
        // Last, as it takes the finished summary (Gemini CLI).
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

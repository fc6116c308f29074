//! A plan carried out with its fallbacks: when a run fails, the plan made beforehand
//! for that takes over. Which one it is follows from the plan and the answers alone, so that the
//! same plan and the same answers always end in the same summary.

use crate::execution::messages::CallMessages;
use crate::execution::observer::RunObserver;
use crate::execution::outcome::{Attempt, RunError, RunOutcome};
use crate::execution::run::attempt;
use crate::plan::planned::Plan;
use crate::vocabulary::cause::Cause;
use crate::vocabulary::estimate::estimate;
use crate::vocabulary::summarizer::Summarizer;
use palimpsest_core::Usage;
use std::borrow::Cow;
use tokio_util::sync::CancellationToken;

/// Carries out `plan`: its calls through `summarizer`, its replies into a summary; and where that
/// fails, the first of its fallbacks that is for the reason, and so on. A run that was
/// cancelled ends. What was tried before is kept in the outcome or the error.
pub async fn execute(
    plan: &Plan,
    messages: &CallMessages,
    summarizer: &dyn Summarizer,
    observer: &dyn RunObserver,
    cancel: &CancellationToken,
) -> Result<RunOutcome, RunError> {
    let mut current = Cow::Borrowed(plan);
    let mut loaded = Cow::Borrowed(messages);
    let mut attempts: Vec<Attempt> = Vec::new();
    loop {
        let ended = attempt(&current, &loaded, summarizer, observer, cancel).await;
        // A run that the user stops also ends as a failure of its calls; it must not start
        // others.
        let cause = cause(&current, &ended).filter(|_| !cancel.is_cancelled());
        let Some((cause, number)) =
            cause.and_then(|cause| Some((cause, current.fallback_on(cause)?)))
        else {
            // Only a fallback is owned; it is stored because replaying needs the plan that ran.
            let adapted = matches!(current, Cow::Owned(_)).then(|| current.into_owned());
            return with_attempts(ended, adapted, attempts);
        };
        let fallback = &current.fallbacks[number];
        let (reason, replies, summary) = match ended {
            Ok(done) => {
                let reason = format!(
                    "the summary has {} tokens; with the kept tail it reaches the limit of {}",
                    estimate(&done.summary),
                    fallback.limit_tokens
                );
                // The summary was good but too long: its replies were paid for.
                let replies = done.replies.into_iter().enumerate().collect();
                (reason, replies, Some(done.summary))
            }
            Err(error) => (error.reason.to_string(), error.replies, None),
        };
        observer.fell_back(fallback, &reason);
        attempts.push(Attempt {
            cause,
            reason,
            then: fallback.meaning.clone(),
            replies,
        });
        let next = fallback.taking_over(summary.as_deref());
        loaded = Cow::Owned(loaded.fallback(number));
        current = Cow::Owned(next);
    }
}

/// What a fallback may be for, after a run of `plan` ended like this.
fn cause(plan: &Plan, ended: &Result<RunOutcome, RunError>) -> Option<Cause> {
    match ended {
        Ok(done) => {
            let carried_out = done.adapted.as_deref().unwrap_or(plan);
            carried_out
                .is_over_limit(&done.summary)
                .then_some(Cause::OverLimit)
        }
        Err(error) => error.reason.cause(),
    }
}

fn with_attempts(
    ended: Result<RunOutcome, RunError>,
    carried_out: Option<Plan>,
    attempts: Vec<Attempt>,
) -> Result<RunOutcome, RunError> {
    let mut before = Usage::default();
    let replies = attempts.iter().flat_map(|attempt| &attempt.replies);
    replies.for_each(|(_, reply)| before.add(&reply.usage));
    match ended {
        Ok(mut done) => {
            done.usage.add(&before);
            done.adapted = done.adapted.or(carried_out.map(Box::new));
            done.attempts = attempts;
            Ok(done)
        }
        Err(mut error) => {
            error.attempts = attempts;
            Err(error)
        }
    }
}

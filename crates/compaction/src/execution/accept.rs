//! Whether a reply may be used.

use crate::execution::outcome::{RunFailure, Said, Writer};
use crate::plan::cleaning::ReplyRules;
use crate::plan::planned::Plan;
use crate::vocabulary::call::Worker;
use crate::vocabulary::error::FormError;
use crate::vocabulary::estimate::estimate;
use palimpsest_core::call::{ModelReply, StopReason};

/// Looks whether a reply may be used as a summary by the plan's rules.
pub(crate) fn accept(plan: &Plan, number: usize, reply: &ModelReply) -> Result<(), RunFailure> {
    let call = || plan.calls[number].label();
    let writer = match plan.calls[number].worker {
        Worker::External => Writer::Program,
        _ => Writer::Model,
    };
    let incomplete = || RunFailure::Incomplete {
        call: call(),
        limit: plan.calls[number].max_output_tokens,
    };
    let rules = &plan.replies;
    let cleaned = rules.cleaned(&reply.text);
    match reply.stop {
        StopReason::Refusal => {
            return Err(RunFailure::Refused {
                call: call(),
                said: Said::of(reply),
            });
        }
        // pi before 0.84.3 stored such a reply, so it is a rule of the preset.
        StopReason::Length if !rules.accept_truncated => {
            return Err(incomplete());
        }
        StopReason::ToolCall if !rules.accept_tool_call => {
            return Err(RunFailure::ToolCall { call: call() });
        }
        _ => {}
    }
    // A tool call that the model wrote as text (Mux).
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
            return Err(incomplete());
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

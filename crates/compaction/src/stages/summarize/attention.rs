//! One call that ranks messages: it keeps the named ones verbatim and drops the others (OpenHands
//! V0, the condenser `llm_attention`).
//!
//! The original leaves the chosen events in their places. Which they are is known only after the
//! reply, so here the summary is made of their texts.

use crate::plan::form::numbered;
use crate::vocabulary::call::{Purpose, Step};
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::job::{Job, Outline};
use palimpsest_core::BodyError;
use palimpsest_core::json::utf16_len;
use serde::{Deserialize, Serialize};

/// Parameters of the method. Prompts: `system` and `first`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Attention {
    /// Messages that stay. OpenHands goes from more than 100 down to 50, of which the first stays
    /// in any case.
    pub choose_messages: u64,
}

impl Default for Attention {
    fn default() -> Self {
        Attention {
            choose_messages: 49,
        }
    }
}

impl Attention {
    pub(super) const DOCS: &'static [ParamDoc] = &[ParamDoc::new(
        "choose_messages",
        ParamType::Integer,
        "maximum number of messages the model may keep",
    )
    .at_least(1.0)
    .unit("messages")];

    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, BodyError> {
        let transcript = job.transcript;
        let span: Vec<usize> = job
            .history
            .iter()
            .chain(&job.turn_prefix)
            .copied()
            .collect();
        let mut written = transcript.write(job.draft, &span)?;
        for own in &mut written {
            // Where texts are only counted there is nothing to put a number round.
            own.units += utf16_len(&numbered(own.item, ""));
            if !own.text.is_empty() {
                own.text = numbered(own.item, &own.text).into();
            }
        }
        let values = job
            .values()
            .conversation(transcript.join(&written))
            .text("count", &self.choose_messages.to_string());
        let mut call = job.call(Purpose::History, Step::Whole, "first", &values);
        call.items = span;
        call.form = ReplyForm::Chosen {
            most: self.choose_messages,
        };
        // The reply only names messages, so an earlier summary goes on as it is.
        let mut outline = job.carried_on();
        if !outline.summary.is_empty() {
            outline.summary.push(SummaryPart::Text("\n\n".to_owned()));
        }
        outline.summary.push(SummaryPart::Reply(0));
        outline.calls.push(call);
        Ok(outline)
    }
}

//! One call about the whole span, which brings a previous summary up to date where there is one;
//! for a split turn a second call about its beginning; and, where asked for, one more that looks
//! the summary over.

use crate::vocabulary::call::{BuildsOn, PlannedCall, Purpose, Step, Worker};
use crate::vocabulary::estimate::estimate;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::form::ReplyForm;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{OutputLimit, ParamDoc, ParamType};
use crate::vocabulary::prompt::{Chunk, Conversation};
use crate::vocabulary::request::RequestForm;
use crate::vocabulary::summary::SummaryPart;
use crate::workpiece::chunks::{chunks, summary_parts};
use crate::workpiece::job::{Job, Outline};
use crate::workpiece::template::Values;
use crate::workpiece::transcript::messages::{self, Shown};
use palimpsest_core::{BodyError, ItemKind, Role};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Parameters of the method; the defaults are those of pi 1.5.
///
/// Prompts: `system`, `first`, `update` (when there is a previous summary), `turn_prefix`,
/// `joined` and `no_history` (when turns are split), `check` (with `self_check`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Single {
    /// Most tokens a summary may have.
    pub max_output_tokens: OutputLimit,
    /// What becomes of the beginning of a split turn.
    pub turn_prefix: TurnCalls,
    /// Whether a split turn without new history keeps the previous summary (pi 0.87 and
    /// later) or loses it.
    pub reuse_previous_summary: bool,
    /// Whether custom instructions also go into the request for the turn prefix (pi 1.4).
    pub instructions_in_turn_prefix: bool,
    /// Whether a second call looks for what the first left out and writes the summary again
    /// (Gemini CLI 0.61).
    pub self_check: bool,
    /// Fields that the reply must have as a JSON object; they become sections (OpenHands'
    /// `structured`, which has a tool called with them). None is a reply in words.
    pub fields: Vec<String>,
    /// Whether the call shows what stays as well, at its place, so that all of the context stands
    /// before the request (OpenHands' condenser inside the agent's cached prompt).
    pub show_kept: bool,
    /// With `request` = `conversation`: whether the call shows the replies and tool results of what
    /// stays, without what came behind them (Claude Code 2.1.329 by itself: the round stays and is
    /// in the request, the attachments and the prompt after it are not).
    pub show_last_round: bool,
    /// Who writes.
    pub worker: Worker,
}

/// What becomes of the beginning of a split turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnCalls {
    /// A call of its own, made after that about history (pi 0.80.4 and later).
    InOrder,
    /// A call of its own, made at the same time (pi before 0.80.4).
    Parallel,
    /// It is part of the history.
    Together,
}

impl Default for Single {
    fn default() -> Self {
        Single {
            max_output_tokens: OutputLimit::MODEL,
            turn_prefix: TurnCalls::InOrder,
            reuse_previous_summary: true,
            instructions_in_turn_prefix: true,
            self_check: false,
            fields: Vec::new(),
            show_kept: false,
            show_last_round: false,
            worker: Worker::Model,
        }
    }
}

impl Single {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::new(
            "max_output_tokens",
            ParamType::IntegerOrWord,
            "output limit of a summary: a number, 'model' for the limit of the model, or \
             'reserve' for a share of the reserve",
        )
        .at_least(1.0)
        .unit("tokens")
        .words(&["model", "reserve"]),
        ParamDoc::word(
            "turn_prefix",
            &["in_order", "parallel", "together"],
            "summarize the turn prefix after the history, in parallel, or together with it",
        ),
        ParamDoc::yes_no(
            "reuse_previous_summary",
            "keep the previous summary if only a turn prefix is new",
        ),
        ParamDoc::yes_no(
            "instructions_in_turn_prefix",
            "repeat custom instructions in the request for a turn prefix",
        ),
        ParamDoc::yes_no("self_check", "check the summary with a second call"),
        ParamDoc::new(
            "fields",
            ParamType::Texts,
            "fields of the JSON reply; empty means a text reply",
        ),
        ParamDoc::yes_no(
            "show_kept",
            "include the kept tail, so that the whole context comes before the request",
        ),
        ParamDoc::yes_no(
            "show_last_round",
            "in a request as conversation, include the replies and tool results of the kept tail",
        ),
        ParamDoc::word(
            "worker",
            &["model", "weak", "offline"],
            "the summarizer: the chosen model, the weak model with the chosen one as fallback, \
             or the offline summarizer",
        ),
    ];

    pub(super) fn needed(&self) -> Vec<Needed> {
        let mut needed: Vec<Needed> = vec![
            ("system", &[]),
            ("first", &["conversation"]),
            ("update", &["conversation", "previous_summary"]),
        ];
        if self.turn_prefix != TurnCalls::Together {
            needed.push(("turn_prefix", &["conversation"]));
            needed.push(("joined", &["history", "turn_prefix"]));
            needed.push(("no_history", &[]));
        }
        if self.self_check {
            needed.push(("check", &["reply"]));
        }
        needed
    }

    pub(super) fn outline(&self, job: &Job<'_>) -> Result<Outline, BodyError> {
        let reserve = job.reserve_tokens;
        let together = self.turn_prefix == TurnCalls::Together;
        let mut history = job.history.clone();
        if together {
            history.extend(&job.turn_prefix);
        }
        let splits = !together && !job.turn_prefix.is_empty();
        let mut outline = Outline::default();
        // pi makes no call for an empty history.
        if splits && history.is_empty() {
            let carried = job.previous.filter(|_| self.reuse_previous_summary);
            let text = match carried {
                Some(previous) => previous.to_owned(),
                None => job.text("no_history", &Values::default()),
            };
            outline.summary.push(SummaryPart::Text(text.clone()));
            outline.fixed_history = Some(text);
        } else {
            let prompt = if job.previous.is_some() {
                "update"
            } else {
                "first"
            };
            let (mut call, conversation) =
                self.written(job, Purpose::History, prompt, job.values(), history)?;
            call.max_output_tokens = self.max_output_tokens.for_history(reserve);
            if job.previous.is_some() {
                call.builds_on = BuildsOn::Previous;
            }
            outline.summary.push(SummaryPart::Reply(0));
            outline.calls.push(call);
            if self.self_check {
                self.check(job, conversation, &mut outline);
            }
        }
        if splits {
            self.split_turn(job, &mut outline)?;
        }
        Ok(outline)
    }

    fn form(&self) -> ReplyForm {
        if self.fields.is_empty() {
            ReplyForm::Text
        } else {
            ReplyForm::Fields {
                fields: self.fields.clone(),
            }
        }
    }

    fn split_turn(&self, job: &Job<'_>, outline: &mut Outline) -> Result<(), BodyError> {
        let own = Some(job.draft.input.instructions).filter(|_| self.instructions_in_turn_prefix);
        let values = Values::default().instructions(own);
        let positions = job.turn_prefix.clone();
        let (mut call, _) =
            self.written(job, Purpose::TurnPrefix, "turn_prefix", values, positions)?;
        let reserve = job.reserve_tokens;
        call.max_output_tokens = self.max_output_tokens.for_turn_prefix(reserve);
        if self.turn_prefix == TurnCalls::InOrder {
            call.after = (0..outline.calls.len()).collect();
        }
        let values = Values::default()
            .chunks("history", chunks(&outline.summary))
            .chunks("turn_prefix", vec![Chunk::Reply(outline.calls.len())]);
        outline.calls.push(call);
        outline.summary = summary_parts(job.prompts.template("joined").render(&values));
        Ok(())
    }

    /// Adds the call that looks over the reply of the last one and takes its place.
    fn check(&self, job: &Job<'_>, conversation: Arc<Conversation>, outline: &mut Outline) {
        let Some(first) = outline.calls.last() else {
            return;
        };
        let number = outline.calls.len() - 1;
        let mut call = match job.request {
            RequestForm::Transcript => {
                let values = job
                    .values()
                    // Quoted, so that no message can be left out of it.
                    .chunks("conversation", vec![Chunk::Quoted(conversation)])
                    .chunks("reply", vec![Chunk::Reply(number)]);
                job.call(Purpose::History, Step::Check, "check", &values)
            }
            RequestForm::Conversation => {
                // The reply stands before the request as what it is, so the request does not quote it.
                let name = if job.prompts.contains_key("check_reply") {
                    "check_reply"
                } else {
                    "check"
                };
                let values = job.values();
                let (purpose, step) = (Purpose::History, Step::Check);
                let quoted = Some(number);
                job.call_in_conversation(purpose, step, name, &values, &conversation, quoted)
            }
        };
        call.max_output_tokens = first.max_output_tokens;
        call.items = first.items.clone();
        call.builds_on = BuildsOn::Reply(number);
        call.worker = self.worker;
        call.form = self.form();
        outline.summary = vec![SummaryPart::Reply(number + 1)];
        outline.calls.push(call);
    }

    fn written(
        &self,
        job: &Job<'_>,
        purpose: Purpose,
        prompt: &str,
        values: Values<'_>,
        positions: Vec<usize>,
    ) -> Result<(PlannedCall, Arc<Conversation>), BodyError> {
        let (mut call, conversation) = match job.request {
            RequestForm::Transcript => {
                let transcript = job.transcript;
                let written = if self.show_kept && purpose == Purpose::History {
                    transcript.write(job.draft, &job.with_kept(&positions))?
                } else {
                    transcript.write(job.draft, &positions)?
                };
                let conversation = Arc::new(transcript.join(&written));
                let values = values.conversation(Arc::clone(&conversation));
                let call = job.call(purpose, Step::Whole, prompt, &values);
                (call, conversation)
            }
            RequestForm::Conversation => {
                let shown = self.shown(job, purpose, &positions);
                let conversation = Arc::new(messages::write(job.draft, &shown)?);
                let values = values.conversation(Arc::clone(&conversation));
                let step = Step::Whole;
                let call =
                    job.call_in_conversation(purpose, step, prompt, &values, &conversation, None);
                (call, conversation)
            }
        };
        call.items = positions;
        call.worker = self.worker;
        call.form = self.form();
        debug_assert!(call.input_tokens >= estimate(call.conversation()) || call.items.is_empty());
        debug_assert!(
            call.items
                .iter()
                .all(|&at| job.draft.pieces[at].fate != Fate::Kept)
        );
        Ok((call, conversation))
    }

    /// The messages of a request as conversation: what is summarized, and in the request for the
    /// history the summary before, what the agent tells its model under a role of its own (Codex'
    /// developer messages), and what is shown of what stays.
    fn shown(&self, job: &Job<'_>, purpose: Purpose, positions: &[usize]) -> Vec<Shown> {
        let (items, pieces) = (&job.draft.input.context.items, &job.draft.pieces);
        let is_answered = |at: &usize| matches!(items[*at].role, Role::Assistant | Role::Tool);
        let last = (job.stays..items.len()).rev().find(is_answered);
        let mut shown: Vec<Shown> = positions
            .iter()
            .map(|&at| Shown { at, is_bare: false })
            .collect();
        if purpose == Purpose::History {
            shown.extend((job.stays..items.len()).filter_map(|at| {
                let item = &items[at];
                let in_round =
                    Some(at) <= last && matches!(item.role, Role::Assistant | Role::Tool);
                let is_shown = match pieces[at].fate {
                    Fate::Carried => item.kind == ItemKind::CompactionSummary,
                    Fate::System => item.sent && item.native_role == DEVELOPER,
                    Fate::Kept => self.show_kept || (self.show_last_round && in_round),
                    Fate::Summarized | Fate::TurnPrefix | Fate::Dropped => false,
                };
                let is_kept = pieces[at].fate == Fate::Kept && !self.show_kept;
                let is_bare = is_kept && item.role == Role::Tool;
                (is_shown && !job.draft.is_gone(at)).then_some(Shown { at, is_bare })
            }));
        }
        shown.sort_by_key(|one| one.at);
        shown
    }
}

/// The role of what Codex tells its model beside the user's words.
const DEVELOPER: &str = "developer";

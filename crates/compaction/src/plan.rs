//! The plan of a compaction: everything that would be done, before anything is.

use crate::files::FileLists;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{BodyError, Context, ContextItem, EntryIx, Message, Session};
use serde::Serialize;
use serde_json::{Map, Value};
use std::ops::Range;

/// Gives the messages of a context's items; a format's `item_message` behind a closure.
pub trait ItemMessages {
    /// The message of `item` as the model gets it, edits applied.
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError>;
}

impl<F: Fn(&ContextItem) -> Result<Message, BodyError>> ItemMessages for F {
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError> {
        self(item)
    }
}

/// What a plan is made from.
#[derive(Clone, Copy)]
pub struct PlanInput<'a> {
    /// The session.
    pub session: &'a Session,
    /// The context at the entry where the compaction would be made.
    pub context: &'a Context,
    /// The texts.
    pub messages: &'a dyn ItemMessages,
    /// The user's own instructions.
    pub instructions: &'a Instructions,
}

/// The user's own instructions for a summary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Instructions {
    /// The text; blank means none.
    pub text: Option<String>,
    /// True when the text takes the place of the built-in request instead of following it.
    pub replace: bool,
}

impl Instructions {
    /// The text, unless it is blank.
    pub fn given(&self) -> Option<&str> {
        self.text
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }
}

/// What planning came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PlanOutcome {
    /// A compaction.
    Compaction(Box<Plan>),
    /// Nothing can be made smaller here.
    Nothing {
        /// Why.
        reason: NothingToDo,
    },
}

/// Why there is nothing to compact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NothingToDo {
    /// The context is empty.
    Empty,
    /// The entry stood on is itself a compaction.
    AlreadyCompacted,
    /// Everything would be kept.
    TooSmall,
}

impl NothingToDo {
    /// The reason in words.
    pub fn message(self) -> &'static str {
        match self {
            NothingToDo::Empty => "the context is empty here; choose a later entry",
            NothingToDo::AlreadyCompacted => {
                "this entry is a compaction itself; choose an entry after it"
            }
            NothingToDo::TooSmall => {
                "everything fits into the part that is kept; choose a later entry or keep less"
            }
        }
    }
}

/// Why no plan can be made.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PlanError {
    /// A text cannot be had.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A parameter is wrong.
    #[error(transparent)]
    Params(#[from] crate::params::ParamError),
    /// No strategy of that name.
    #[error("no strategy '{name}'; there are: {known}")]
    UnknownStrategy {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

/// A compaction as it would be done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// Name of the strategy.
    pub strategy: String,
    /// Its parameters by name.
    pub params: Map<String, Value>,
    /// The entry stood on.
    pub at: EntryIx,
    /// The agent's own idea of the context's size before, in tokens.
    pub tokens_before: u64,
    /// The first entry that stays; it may be one without a message, such as a label.
    pub first_kept: EntryIx,
    /// The entry that starts the turn which is split.
    pub turn_start: Option<EntryIx>,
    /// True when the cut falls inside a turn.
    pub is_split_turn: bool,
    /// Entries with a message that go into the summary of history, in context order.
    pub summarized: Vec<EntryIx>,
    /// Entries with a message that go into the summary of the split turn's beginning.
    pub turn_prefix: Vec<EntryIx>,
    /// All entries that stay, from `first_kept` on.
    pub kept: Vec<EntryIx>,
    /// The compaction whose summary is carried on.
    pub previous_compaction: Option<EntryIx>,
    /// Its summary.
    pub previous_summary: Option<String>,
    /// Files named by the summarized messages and the previous compaction.
    pub files: FileLists,
    /// The calls to be made, in order.
    pub calls: Vec<PlannedCall>,
    /// Text that stands for the history when no call is made for it.
    pub fixed_history: Option<String>,
    /// Estimated tokens of what stays: system prompt and kept entries.
    pub kept_tokens: u64,
    /// Estimated tokens of the context afterwards. The summary is not written yet: it is taken to
    /// be an eighth of what it summarizes, within 200 and 2,000 tokens per call (our guess).
    pub estimated_tokens_after: u64,
    /// The user's own instructions.
    pub instructions: Instructions,
}

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Summarizes history.
    History,
    /// Summarizes the beginning of a turn whose end is kept.
    TurnPrefix,
    /// Summarizes a branch that is left.
    Branch,
}

/// One call to a summarizer, complete.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedCall {
    /// What it is for.
    pub purpose: Purpose,
    /// The system prompt.
    pub system: String,
    /// The user message: these very bytes are sent.
    pub prompt: String,
    /// Where the serialized conversation lies in `prompt`, in bytes.
    pub conversation: Range<usize>,
    /// Most tokens of the reply; `None` leaves it to the model.
    pub max_output_tokens: Option<u64>,
    /// Tokens sent, by pi's estimate (UTF-16 units divided by four) of both prompts.
    pub input_tokens: u64,
    /// Positions in the context's items of the messages it summarizes (for a branch, which has
    /// no context of its own: in the list of chosen items).
    pub items: Vec<usize>,
}

impl PlannedCall {
    /// The serialized conversation.
    pub fn conversation(&self) -> &str {
        self.prompt
            .get(self.conversation.clone())
            .unwrap_or_default()
    }
}

/// Tokens of a text by pi's estimate.
pub fn estimate(text: &str) -> u64 {
    utf16_len(text).div_ceil(4)
}

/// Why replies do not make a summary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// Not one reply per call.
    #[error("the plan has {calls} calls but {replies} replies were given")]
    Count {
        /// Calls of the plan.
        calls: usize,
        /// Replies given.
        replies: usize,
    },
}

/// The heading under which a split turn's beginning stands in a summary (pi 0.31 to 1.5).
const TURN_LABEL: &str = "**Turn Context (split turn):**";

impl Plan {
    /// The summary that `replies`, one per call and in their order, make.
    pub fn assemble(&self, replies: &[&str]) -> Result<String, AssembleError> {
        if replies.len() != self.calls.len() {
            let (calls, replies) = (self.calls.len(), replies.len());
            return Err(AssembleError::Count { calls, replies });
        }
        let reply = |purpose: Purpose| {
            let mut pairs = self.calls.iter().zip(replies);
            pairs
                .find(|(call, _)| call.purpose == purpose)
                .map(|(_, reply)| *reply)
        };
        let history = reply(Purpose::History).or(self.fixed_history.as_deref());
        let mut summary = history.unwrap_or_default().to_owned();
        if let Some(prefix) = reply(Purpose::TurnPrefix) {
            summary.push_str(&format!("\n\n---\n\n{TURN_LABEL}\n\n{prefix}"));
        }
        summary.push_str(&self.files.blocks());
        Ok(summary)
    }

    /// Estimated tokens of the context with `summary` in place.
    pub fn tokens_after(&self, summary: &str) -> u64 {
        self.kept_tokens + estimate(summary)
    }
}

//! The plan of a compaction: everything that would be done, before anything is.

mod call;
mod facts;
mod fallback;
mod guess;
mod named;
mod retry;

pub use call::{BuildsOn, PlannedCall, Program, PromptPart, Purpose, ReplySlot, Step, Worker};
pub(crate) use facts::{Answered, Weight, item_subject, kept, question};
pub use facts::{Fact, FactKey};
pub use fallback::{PlannedFallback, SUMMARY_BEFORE};
pub(crate) use named::{by_utf16, file_calls};
pub use retry::Retry;

use crate::assemble::NextItem;
use crate::branch::BranchPart;
use crate::files::FileLists;
use crate::rate::Memories;
use crate::reflect::{Fill, Reflection, Replies};
use crate::select::Fate;
use crate::summarize::{FormError, Overflow, ReplyRules, Smaller};
use crate::vectors::Vectors;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{BodyError, Context, ContextItem, EntryIx, Message, Session};
use serde::Serialize;
use serde_json::{Map, Value};

/// Gives the messages of a context's items; a format's `item_message` behind a closure.
pub trait ItemMessages {
    /// The message of `item` as the model gets it, edits applied.
    fn message(&self, item: &ContextItem) -> Result<Message, BodyError>;

    /// What was worked out under this key before, or else by `make`. Whoever plans the same
    /// session again and again keeps such facts: a cut that is dragged asks for most of them with
    /// every step. Keeping none, or forgetting any of them, changes nothing but the time a plan
    /// takes.
    fn kept(
        &self,
        _key: FactKey,
        make: &mut dyn FnMut() -> Result<Fact, BodyError>,
    ) -> Result<Fact, BodyError> {
        make()
    }

    /// True when nobody will read or send the prompts of the plan: the conversations in them are
    /// then counted and left out. All else of the plan is the same.
    fn only_counts(&self) -> bool {
        false
    }
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
    /// Vectors of texts; `None` where no embedding model is set up.
    pub vectors: Option<&'a dyn Vectors>,
}

/// The user's own instructions for a summary.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
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
    /// The strategy only clears, and its rules clear nothing.
    NothingCleared,
    /// The entries that were named leave nothing to summarize.
    NothingChosen,
    /// Too little was said since the compaction before (Roo Code).
    CompactedRecently,
}

impl NothingToDo {
    /// The reason in words, with what to do next; `is_last` where no entry follows the one stood on,
    /// so that none can be chosen.
    pub fn message(self, is_last: bool) -> &'static str {
        match (self, is_last) {
            (NothingToDo::Empty, false) => "the context is empty here; choose a later entry",
            (NothingToDo::Empty, true) => {
                "the context is empty, and no entry follows; choose another branch or session"
            }
            (NothingToDo::AlreadyCompacted, false) => {
                "this entry is a compaction itself; choose an entry after it"
            }
            (NothingToDo::AlreadyCompacted, true) => {
                "this entry is a compaction itself, and none follows it; do the compaction again"
            }
            (NothingToDo::TooSmall, false) => {
                "everything fits into the part that is kept; choose a later entry or keep less"
            }
            (NothingToDo::TooSmall, true) => {
                "everything fits into the part that is kept; keep less"
            }
            (NothingToDo::NothingCleared, false) => {
                "the rules of this strategy clear nothing here; choose a later entry, or set them \
                 to spare less"
            }
            (NothingToDo::NothingCleared, true) => {
                "the rules of this strategy clear nothing here; set them to spare less"
            }
            (NothingToDo::NothingChosen, _) => {
                "the entries chosen leave nothing to summarize; choose others that the context \
                 here holds, after the compaction before"
            }
            (NothingToDo::CompactedRecently, false) => {
                "too little was said since the compaction before; choose a later entry, or ask for \
                 fewer messages"
            }
            (NothingToDo::CompactedRecently, true) => {
                "too little was said since the compaction before; ask for fewer messages"
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
    /// A preset cannot be used.
    #[error(transparent)]
    Preset(#[from] crate::preset::PresetError),
    /// A call would be larger than what may be sent, whatever is left out of it.
    #[error(
        "{call} needs {tokens} tokens but at most {limit} may be sent; allow more input or \
         summarize less"
    )]
    OverBudget {
        /// Which call, in words.
        call: String,
        /// Its size in tokens.
        tokens: u64,
        /// The limit in tokens.
        limit: u64,
    },
    /// A fallback of a preset cannot be made.
    #[error("the fallback of the preset {preset} ({meaning}) cannot be made: {reason}")]
    Fallback {
        /// The preset.
        preset: String,
        /// What the fallback is for.
        meaning: String,
        /// What is wrong.
        reason: crate::params::ParamError,
    },
    /// Texts are to be compared by their vectors, which have not been computed.
    #[error(
        "{} texts are to be compared by an embedding model, and none is set up; choose one in the \
         settings (a provider with its model, or a file of word vectors), or compare by words",
        texts.len()
    )]
    NoVectors {
        /// The texts, each once.
        texts: Vec<String>,
    },
    /// The strategy needs the user's own instructions.
    #[error(
        "{strategy} needs to be told what its summary is for; give the goal as instructions, such \
         as what the next conversation is to do, or set require_instructions to false"
    )]
    NoInstructions {
        /// The strategy.
        strategy: String,
    },
    /// A branch is to be summarized by a strategy that makes no summary of what it takes.
    #[error(
        "the strategy {strategy} writes no summary, so nothing would be told of what is left \
         behind; choose one that summarizes, such as pi-branch, or extractive, which needs no model"
    )]
    NoSummary {
        /// The strategy.
        strategy: String,
    },
    /// No strategy of that name.
    #[error("no strategy '{name}'; there are: {known}")]
    UnknownStrategy {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

/// A compaction, or the summary of a branch, as it would be done.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Plan {
    /// Name of the strategy.
    pub strategy: String,
    /// Its parameters by name.
    pub params: Map<String, Value>,
    /// The entry stood on.
    pub at: EntryIx,
    /// The agent's own idea of the context's size before, in tokens: where it trusts what a
    /// provider reported that, with an estimate of what came after.
    pub tokens_before: u64,
    /// The size before on the basis of the size after: the estimates of all messages, without what
    /// no session holds. For the summary of a branch that of the context that is left.
    pub estimated_tokens_before: u64,
    /// The first entry of the tail that stays, which may be one without a message, such as a
    /// label; `None` when no tail stays.
    pub first_kept: Option<EntryIx>,
    /// The entry that starts the turn which is split.
    pub turn_start: Option<EntryIx>,
    /// True when the cut falls inside a turn.
    pub is_split_turn: bool,
    /// Entries with a message that go into the summary of history, in context order.
    pub summarized: Vec<EntryIx>,
    /// Entries with a message that go into the summary of the split turn's beginning.
    pub turn_prefix: Vec<EntryIx>,
    /// All entries that stay: the tail from `first_kept` on, and before it what stays besides.
    pub kept: Vec<EntryIx>,
    /// Entries with a message that are neither kept nor summarized.
    pub dropped: Vec<EntryIx>,
    /// What becomes of each item of the context, by position.
    #[serde(skip)]
    pub items: Vec<PlannedItem>,
    /// What was made smaller without a model.
    #[serde(skip_deserializing)]
    pub changes: Vec<Change>,
    /// The compaction whose summary is carried on.
    pub previous_compaction: Option<EntryIx>,
    /// Its summary.
    pub previous_summary: Option<String>,
    /// Files named by the summarized messages and the previous compaction.
    pub files: FileLists,
    /// The calls to be made; which wait for which is in [`PlannedCall::after`].
    pub calls: Vec<PlannedCall>,
    /// Most calls made at the same time; 0 is no limit.
    pub max_concurrent: u64,
    /// What is done with a reply before it is used.
    pub replies: ReplyRules,
    /// What is done when a call does not fit the model's window.
    pub overflow: Overflow,
    /// How often a call is made that fails, or whose reply is refused.
    #[serde(default)]
    pub attempts: u64,
    /// Seconds that one request of a call may take; 0 leaves it to the provider.
    #[serde(default)]
    pub call_timeout_seconds: u64,
    /// Text that stands for the history when no call is made for it.
    pub fixed_history: Option<String>,
    /// What reflections are made from, where the summary is made of them.
    pub reflection: Option<Box<Reflection>>,
    /// What is retrieved from once a model has rated it, where one is asked to.
    #[serde(default)]
    pub memories: Option<Box<Memories>>,
    /// The summary as it is stored: texts, and the replies between them.
    pub summary: Vec<SummaryPart>,
    /// What the next request would contain, in order.
    #[serde(skip_deserializing)]
    pub next: Vec<NextItem>,
    /// Estimated tokens of what stays beside the summary.
    pub kept_tokens: u64,
    /// Estimated tokens of the context afterwards. The summary is not written yet: it is taken to
    /// be an eighth of what it summarizes, within 200 and 2,000 tokens per call (our guess).
    pub estimated_tokens_after: u64,
    /// True when that is more than the estimate before: there is nothing to gain here. Of a branch's summary:
    /// when it may be longer than what it tells of.
    pub may_grow: bool,
    /// The user's own instructions.
    pub instructions: Instructions,
    /// The plans that take over when a run of this one comes to nothing, the first that fits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<PlannedFallback>,
    /// What is to be said of this plan beside what it shows, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The branch, where this is the plan of a branch's summary: `items` are then positions in
    /// the context gone on in with the branch's messages behind it.
    pub branch: Option<BranchPart>,
}

/// An item of the context in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedItem {
    /// The entry it comes from.
    pub entry: Option<EntryIx>,
    /// What becomes of it.
    pub fate: Fate,
    /// Estimated tokens, as the reduce stage left it.
    pub tokens: u64,
}

/// A piece of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryPart {
    /// Text that is known already.
    Text(String),
    /// The reply of the call with this number.
    Reply(usize),
    /// What follows from the reply of the call with this number and those before it.
    Filled(usize, Fill),
    /// One text where messages stay behind the summary, another where none do.
    ByTail {
        /// Whether any stay.
        stays: bool,
        /// What is said then.
        with: String,
        /// What is said otherwise.
        without: String,
    },
}

impl SummaryPart {
    /// The text, where it is known without any reply.
    pub fn known(&self) -> Option<&str> {
        match self {
            SummaryPart::Text(text) => Some(text),
            SummaryPart::ByTail {
                stays,
                with,
                without,
            } => Some(if *stays { with } else { without }),
            SummaryPart::Reply(_) | SummaryPart::Filled(..) => None,
        }
    }
}

/// An item of the context that was made smaller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Position in the context's items.
    pub item: usize,
    /// The entry it comes from.
    pub entry: Option<EntryIx>,
    /// Name of the reduce step that did it.
    pub by: &'static str,
    /// Estimated tokens before.
    pub tokens_before: u64,
    /// Estimated tokens after; 0 when it was taken out.
    pub tokens_after: u64,
}

/// Tokens of a text by pi's estimate.
pub fn estimate(text: &str) -> u64 {
    utf16_len(text).div_ceil(UNITS_PER_TOKEN)
}

/// UTF-16 units that pi's estimate takes for one token.
pub(crate) const UNITS_PER_TOKEN: u64 = 4;

/// Tokens a reply is taken to have while it is not written (our guess: what models write when
/// they are asked for a checkpoint).
pub const ASSUMED_REPLY_TOKENS: u64 = 2_000;

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
    /// A reply does not have the form it must have.
    #[error("the reply of {call} cannot be used: {reason}")]
    Form {
        /// Which call, in words.
        call: String,
        /// What is wrong.
        reason: FormError,
    },
}

impl Plan {
    /// The summary that `replies`, one per call and in their order, make.
    pub fn assemble(&self, replies: &[&str]) -> Result<String, AssembleError> {
        if replies.len() != self.calls.len() {
            let (calls, replies) = (self.calls.len(), replies.len());
            return Err(AssembleError::Count { calls, replies });
        }
        let mut summary = String::new();
        for part in &self.summary {
            match part {
                SummaryPart::Text(_) | SummaryPart::ByTail { .. } => {
                    summary.push_str(part.known().unwrap_or_default());
                }
                SummaryPart::Reply(call) => {
                    let reply = replies.get(*call).copied().unwrap_or_default();
                    let text = self.read_reply(*call, reply);
                    summary.push_str(&text.map_err(|reason| AssembleError::Form {
                        call: self.calls[*call].label(),
                        reason,
                    })?);
                }
                SummaryPart::Filled(_, fill) => {
                    let cleaned = |call: usize| Some(self.replies.cleaned(replies.get(call)?));
                    let text = self.follows(*fill, &cleaned);
                    summary.push_str(&text.unwrap_or_default());
                }
            }
        }
        Ok(summary)
    }

    /// The call with this number as it is sent: replies, and what follows from them, in the places
    /// kept for them. Places whose replies are not there stay marked.
    pub fn sent(&self, number: usize, reply: &Replies<'_>) -> PlannedCall {
        let mut call = self.calls[number].filled(reply);
        for at in (0..call.slots.len()).rev() {
            let ReplySlot { range, fill, .. } = call.slots[at].clone();
            if let Some(text) = self.follows(fill, reply) {
                call.replace(range, &text);
                call.slots.remove(at);
            }
        }
        call
    }

    /// What goes to a place, by the plan and the replies so far alone.
    fn follows(&self, fill: Fill, replies: &Replies<'_>) -> Option<String> {
        match fill {
            Fill::Memories => self.memories.as_ref()?.text(replies),
            _ => self.reflection.as_ref()?.text(fill, replies),
        }
    }

    /// What the reply of the call with this number says: cleaned, and taken out of its form.
    pub fn read_reply(&self, call: usize, reply: &str) -> Result<String, FormError> {
        let cleaned = self.replies.cleaned(reply);
        match self.calls.get(call) {
            Some(planned) => planned.form.read(planned, &cleaned),
            None => Ok(cleaned),
        }
    }

    /// Whether the reply of the call with this number stands in the summary as it is.
    pub fn is_in_summary(&self, call: usize) -> bool {
        self.summary.contains(&SummaryPart::Reply(call))
    }

    /// Estimated tokens of the context with `summary` in place.
    pub fn tokens_after(&self, summary: &str) -> u64 {
        self.kept_tokens + estimate(summary)
    }

    /// Works out the spans and sizes that follow from the items' fates.
    pub(crate) fn count(&mut self) {
        let entries = |fate: Fate| {
            let items = self.items.iter().filter(|item| item.fate == fate);
            let mut entries: Vec<EntryIx> = items.filter_map(|item| item.entry).collect();
            entries.dedup();
            entries
        };
        self.summarized = entries(Fate::Summarized);
        self.turn_prefix = entries(Fate::TurnPrefix);
        self.dropped = entries(Fate::Dropped);
        // System text stays beside the summary; texts that are added are sent as well. What stays
        // only as part of such a text is counted there.
        let mut is_sent = vec![false; self.items.len()];
        for next in &self.next {
            if let NextItem::Kept { item, .. } = next {
                is_sent[*item] = true;
            }
        }
        let stays = |at: usize, item: &PlannedItem| match item.fate {
            Fate::System => true,
            Fate::Kept => is_sent[at],
            _ => false,
        };
        let items = self.items.iter().enumerate();
        let items = items.filter(|(at, item)| stays(*at, item));
        let items: u64 = items.map(|(_, item)| item.tokens).sum();
        let texts = self.next.iter().map(|item| match item {
            NextItem::Text { tokens, .. } => *tokens,
            NextItem::Kept { .. } | NextItem::Summary { .. } => 0,
        });
        self.kept_tokens = items + texts.sum::<u64>();
        self.estimated_tokens_after = self.kept_tokens + self.guessed_summary_tokens();
        self.may_grow = match &self.branch {
            Some(part) => self.guessed_summary_tokens() > part.taken_tokens,
            None => self.estimated_tokens_after > self.estimated_tokens_before,
        };
    }

    /// Makes the call with this number as small as `smaller` says, from what it was `planned` as.
    /// Items that are left out are lost, or kept where the plan's rule for overflow says so.
    pub(crate) fn make_smaller(&mut self, call: usize, planned: &PlannedCall, smaller: &Smaller) {
        // Of a branch nothing can stay.
        let keeps = self.overflow.keeps() && self.branch.is_none();
        // The chosen model may have been asked instead of the weaker one already.
        let now = std::mem::take(&mut self.calls[call]);
        self.calls[call] = PlannedCall {
            worker: now.worker,
            model: now.model,
            ..smaller.of(planned)
        };
        // What another call still asks about is not lost.
        let mut is_out = vec![false; self.items.len()];
        smaller
            .leave_out
            .iter()
            .for_each(|&item| is_out[item] = true);
        for &item in self.calls.iter().flat_map(|other| &other.items) {
            is_out[item] = false;
        }
        let mut kept_here: Vec<(usize, u64)> = Vec::new();
        for &at in &smaller.leave_out {
            // An attempt before may have let it stay already.
            if !is_out[at] || self.items[at].fate == Fate::Kept {
                continue;
            }
            let item = &mut self.items[at];
            item.fate = if keeps { Fate::Kept } else { Fate::Dropped };
            if keeps && let Some(entry) = item.entry {
                self.kept.push(entry);
                self.first_kept = Some(self.first_kept.map_or(entry, |first| first.min(entry)));
                kept_here.push((at, item.tokens));
            }
        }
        if !kept_here.is_empty() {
            // On a path a later entry has the larger position.
            self.kept.sort_unstable();
            self.kept.dedup();
            kept_here.sort_unstable();
            self.keep_next(&kept_here);
            let next = self.next.iter_mut().filter_map(fallback::parts).flatten();
            for part in self.summary.iter_mut().chain(next) {
                if let SummaryPart::ByTail { stays, .. } = part {
                    *stays = true;
                }
            }
        }
        self.count();
    }

    /// Puts items, with their tokens, among those that stay in the next request.
    fn keep_next(&mut self, items: &[(usize, u64)]) {
        let mut items = items.iter().copied().peekable();
        let kept = |(item, tokens)| NextItem::Kept { item, tokens };
        let mut next = Vec::with_capacity(self.next.len() + items.len());
        for own in std::mem::take(&mut self.next) {
            if let NextItem::Kept { item, .. } = own {
                while let Some(earlier) = items.next_if(|(at, _)| *at < item) {
                    next.push(kept(earlier));
                }
            }
            next.push(own);
        }
        next.extend(items.map(kept));
        self.next = next;
    }
}

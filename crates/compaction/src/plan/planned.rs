//! The plan of a compaction: everything that would be done, before anything is.

use crate::plan::cleaning::ReplyRules;
use crate::plan::derived::Derived;
use crate::plan::overflow::Overflow;
use crate::vocabulary::branch::BranchPart;
use crate::vocabulary::call::PlannedCall;
use crate::vocabulary::cause::Cause;
use crate::vocabulary::files::FileLists;
use crate::vocabulary::input::Instructions;
use crate::vocabulary::next::NextItem;
use crate::vocabulary::summary::{Change, PlannedItem, SummaryPart};
use palimpsest_core::EntryIx;
use palimpsest_core::NextStep;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The result of planning.
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
    /// The reason in words.
    pub fn message(self) -> &'static str {
        match self {
            NothingToDo::Empty => "the context is empty",
            NothingToDo::AlreadyCompacted => "this entry is a compaction",
            NothingToDo::TooSmall => "the whole context fits into the part that is kept",
            NothingToDo::NothingCleared => "the rules of this strategy clear nothing here",
            NothingToDo::NothingChosen => "the chosen entries leave nothing to summarize",
            NothingToDo::CompactedRecently => {
                "there are too few messages since the last compaction"
            }
        }
    }

    /// What to do next; `is_last` where no entry follows the one stood on, so that none can be
    /// chosen.
    pub fn next(self, is_last: bool) -> NextStep {
        let later = !is_last;
        match self {
            NothingToDo::Empty if is_last => NextStep::ChooseBranch,
            NothingToDo::AlreadyCompacted if is_last => NextStep::Redo,
            NothingToDo::Empty | NothingToDo::AlreadyCompacted => NextStep::ChooseLater,
            NothingToDo::TooSmall => NextStep::KeepLess {
                later,
                setting: None,
            },
            NothingToDo::NothingCleared => NextStep::SpareLess { later },
            NothingToDo::NothingChosen => NextStep::ChooseEntries,
            NothingToDo::CompactedRecently => NextStep::AskFewer { later },
        }
    }
}

/// A compaction, or the summary of a branch, as it would be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// What replies are read against, where what follows from them is more than a reply as it is.
    #[serde(flatten)]
    pub derived: Derived,
    /// The summary as it is stored: texts, and the replies between them.
    pub summary: Vec<SummaryPart>,
    /// What the next request would contain, in order.
    #[serde(skip_deserializing)]
    pub next: Vec<NextItem>,
    /// Estimated tokens of what stays beside the summary.
    pub kept_tokens: u64,
    /// Estimated tokens of the context afterwards. The summary is not written yet: it is assumed to
    /// be an eighth of what it summarizes, within 200 and 2,000 tokens per call (our guess).
    pub estimated_tokens_after: u64,
    /// True when that is more than the estimate before: there is nothing to gain here. Of a branch's summary:
    /// when it may be longer than what it tells of.
    pub may_grow: bool,
    /// The user's custom instructions.
    pub instructions: Instructions,
    /// The plans that take over when a run of this one fails, the first that fits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<PlannedFallback>,
    /// What is to be said of this plan beside what it shows, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The branch, where this is the plan of a branch's summary: `items` are then positions in the
    /// context at the target entry with the branch's messages behind it.
    pub branch: Option<BranchPart>,
}

/// A plan that takes over from another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedFallback {
    /// What leads to it.
    pub on: Vec<Cause>,
    /// What is done then, in a few words.
    pub meaning: String,
    /// True when it goes on from the summary that came of the plan before, which its prompts have
    /// in the place of [`SUMMARY_BEFORE`].
    pub takes_summary: bool,
    /// With [`Cause::OverLimit`]: tokens below which the summary and the messages that stay must
    /// be together; 0 is no limit.
    pub limit_tokens: u64,
    /// The plan.
    pub plan: Box<Plan>,
}

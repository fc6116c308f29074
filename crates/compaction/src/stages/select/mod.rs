//! The first stage: what is summarized, what is kept, and what is lost.

mod cut_at;
pub(crate) mod drop_share;
mod entries;
pub(crate) mod everything;
mod fill_drain;
pub(crate) mod first_and_last;
mod fitting_tail;
mod from_entry;
mod half_tail;
mod keep_all;
mod keep_recent;
mod keep_share;
mod last_messages;
mod last_tool_uses;
pub(crate) mod left_behind;
mod memory_stream;
mod notes_tail;
mod old_tool_pairs;
pub(crate) mod pi_cut;
pub(crate) mod prompt_tail;
pub(crate) mod turn_tail;
mod user_messages;
pub(crate) mod window_share;

pub use cut_at::CutAt;
pub use drop_share::DropShare;
pub use entries::Entries;
pub use everything::Everything;
pub use fill_drain::FillDrain;
pub use first_and_last::FirstAndLast;
pub use fitting_tail::FittingTail;
pub use from_entry::{Direction, FromEntry};
pub use half_tail::HalfTail;
pub use keep_all::KeepAll;
pub use keep_recent::{KeepRecent, RangeStart};
pub use keep_share::KeepShare;
pub use last_messages::LastMessages;
pub use last_tool_uses::LastToolUses;
pub use left_behind::{Budget, BudgetRule, LeftBehind};
pub use notes_tail::NotesTail;
pub use old_tool_pairs::OldToolPairs;
pub use prompt_tail::PromptTail;
pub use turn_tail::{TailRule, TailTokens, TailTurns, TurnTail, TurnsWord};
pub use user_messages::UserMessages;
pub use window_share::WindowShare;

pub use crate::vocabulary::fate::Fate;
pub use crate::vocabulary::selection::{Again, Selection};
pub use crate::workpiece::memory_stream::{ImportanceSource, MemoryStream};
pub use crate::workpiece::sized_context::SizedContext;
pub use crate::workpiece::sizes::Sizes;

use crate::vocabulary::error::PlanError;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::ParamDoc;
use serde::{Deserialize, Serialize};

/// A way to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Select {
    /// A tail of a given size stays.
    KeepRecent(KeepRecent),
    /// All is summarized.
    Everything(Everything),
    /// All stays.
    KeepAll(KeepAll),
    /// The newest messages that fit stay.
    FittingTail(FittingTail),
    /// One side of an entry is summarized.
    FromEntry(FromEntry),
    /// A tail beside running notes stays.
    NotesTail(NotesTail),
    /// The newest turns that fit stay.
    TurnTail(TurnTail),
    /// The last messages stay.
    LastMessages(LastMessages),
    /// The newest share stays.
    KeepShare(KeepShare),
    /// The oldest share goes.
    DropShare(DropShare),
    /// A share goes that depends on the window.
    WindowShare(WindowShare),
    /// The first and the last messages stay.
    FirstAndLast(FirstAndLast),
    /// A tail stays that has the last prompt.
    PromptTail(PromptTail),
    /// A tail of at most half a limit stays.
    HalfTail(HalfTail),
    /// What is above a drain line goes once a fill line is reached.
    FillDrain(FillDrain),
    /// What matters most for the last request stays.
    MemoryStream(MemoryStream),
    /// What is before an entry is summarized.
    CutAt(CutAt),
    /// Named entries are summarized.
    Entries(Entries),
    /// What the user said stays.
    UserMessages(UserMessages),
    /// The last tool uses stay.
    LastToolUses(LastToolUses),
    /// Old tool calls with their results are summarized.
    OldToolPairs(OldToolPairs),
    /// What is left behind is summarized, the newest that fits.
    LeftBehind(LeftBehind),
}

impl Select {
    /// What is chosen of `sized`. Fails when a text that the choice needs cannot be had, or its
    /// vector.
    pub fn select(&self, sized: &SizedContext<'_>) -> Result<Selection, PlanError> {
        Ok(match self {
            Select::WindowShare(own) => own.select(sized)?,
            Select::MemoryStream(own) => own.select(sized)?,
            Select::KeepAll(own) => own.select(sized),
            Select::FromEntry(own) => own.select(sized),
            Select::CutAt(own) => own.select(sized),
            Select::Entries(own) => own.select(sized),
            Select::UserMessages(own) => own.select(sized),
            Select::LastToolUses(own) => own.select(sized),
            Select::OldToolPairs(own) => own.select(sized),
            Select::LeftBehind(own) => own.select(sized),
            // These need sizes alone, and policies use them too.
            Select::KeepRecent(_)
            | Select::Everything(_)
            | Select::FittingTail(_)
            | Select::NotesTail(_)
            | Select::TurnTail(_)
            | Select::LastMessages(_)
            | Select::KeepShare(_)
            | Select::DropShare(_)
            | Select::FirstAndLast(_)
            | Select::PromptTail(_)
            | Select::HalfTail(_)
            | Select::FillDrain(_) => self
                .by_size(sized)
                .unwrap_or_else(|| sized.with_fates(|_| Fate::Summarized)),
        })
    }

    /// What is chosen of a context that is known by its sizes; `None` for a choice that names
    /// entries or reads texts.
    pub(crate) fn by_size(&self, sizes: &Sizes) -> Option<Selection> {
        Some(match self {
            Select::KeepRecent(own) => own.select(sizes),
            Select::Everything(own) => own.select(sizes),
            Select::FittingTail(own) => own.select(sizes),
            Select::NotesTail(own) => own.select(sizes),
            Select::TurnTail(own) => own.select(sizes),
            Select::LastMessages(own) => own.select(sizes),
            Select::KeepShare(own) => own.select(sizes),
            Select::DropShare(own) => own.select(sizes),
            Select::WindowShare(own) => own.by_size(sizes),
            Select::FirstAndLast(own) => own.select(sizes),
            Select::PromptTail(own) => own.select(sizes),
            Select::HalfTail(own) => own.select(sizes),
            Select::FillDrain(own) => own.select(sizes),
            Select::KeepAll(_)
            | Select::FromEntry(_)
            | Select::MemoryStream(_)
            | Select::CutAt(_)
            | Select::Entries(_)
            | Select::UserMessages(_)
            | Select::LastToolUses(_)
            | Select::OldToolPairs(_)
            | Select::LeftBehind(_) => return None,
        })
    }

    /// The prompts it needs, with the places they must have.
    pub fn needed(&self) -> Vec<Needed> {
        match self {
            Select::MemoryStream(own) => own.needed(),
            _ => Vec::new(),
        }
    }

    /// The choice that is made of what stayed when its summary and what stays are together over
    /// the limit of the choice, after so many such choices before; `None` when there is no limit.
    pub fn again(&self, sized: &SizedContext<'_>, before: &Selection, depth: u64) -> Option<Again> {
        match self {
            Select::HalfTail(own) => own.again(sized, before, depth),
            _ => None,
        }
    }

    /// Which two of its parameters contradict each other, and what must hold.
    pub fn clash(&self) -> Option<String> {
        match self {
            Select::TurnTail(own) => own.clash(),
            Select::NotesTail(own) => own.clash(),
            _ => None,
        }
    }

    /// Its parameters.
    pub fn docs(&self) -> &'static [ParamDoc] {
        match self {
            Select::KeepRecent(_) => KeepRecent::DOCS,
            Select::Everything(_) => Everything::DOCS,
            Select::KeepAll(_) => KeepAll::DOCS,
            Select::FittingTail(_) => FittingTail::DOCS,
            Select::FromEntry(_) => FromEntry::DOCS,
            Select::NotesTail(_) => NotesTail::DOCS,
            Select::TurnTail(_) => TurnTail::DOCS,
            Select::LastMessages(_) => LastMessages::DOCS,
            Select::KeepShare(_) => KeepShare::DOCS,
            Select::DropShare(_) => DropShare::DOCS,
            Select::WindowShare(_) => WindowShare::DOCS,
            Select::FirstAndLast(_) => FirstAndLast::DOCS,
            Select::PromptTail(_) => PromptTail::DOCS,
            Select::HalfTail(_) => HalfTail::DOCS,
            Select::FillDrain(_) => FillDrain::DOCS,
            Select::MemoryStream(_) => MemoryStream::DOCS,
            Select::CutAt(_) => CutAt::DOCS,
            Select::Entries(_) => Entries::DOCS,
            Select::UserMessages(_) => UserMessages::DOCS,
            Select::LastToolUses(_) => LastToolUses::DOCS,
            Select::OldToolPairs(_) => OldToolPairs::DOCS,
            Select::LeftBehind(_) => LeftBehind::DOCS,
        }
    }
}

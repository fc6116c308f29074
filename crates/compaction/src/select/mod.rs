//! The first stage: what is summarized, what is kept, and what is lost.

mod cut_at;
mod drop_share;
mod entries;
mod everything;
mod fill_drain;
mod first_and_last;
mod fitting_tail;
mod from_entry;
mod half_tail;
mod keep_all;
mod keep_recent;
mod keep_share;
mod last_messages;
mod last_tool_uses;
mod left_behind;
mod memory_stream;
mod notes_tail;
mod old_tool_pairs;
mod prompt_tail;
mod turn_tail;
mod user_messages;
mod window_share;

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
pub use memory_stream::{ImportanceSource, MemoryStream};
pub use notes_tail::NotesTail;
pub use old_tool_pairs::OldToolPairs;
pub(crate) use old_tool_pairs::pairs_only;
pub use prompt_tail::PromptTail;
pub(crate) use prompt_tail::Sized as SizedContext;
pub use turn_tail::{TailRule, TailTokens, TailTurns, TurnTail, TurnsWord};
pub use user_messages::UserMessages;
pub use window_share::WindowShare;

use crate::params::ParamDoc;
use crate::pi::cut::{Seen, seen};
use crate::plan::{PlanError, PlanInput};
use crate::preset::Needed;
use palimpsest_core::{ContextItem, EntryIx, EntryKind, ItemKind, Role};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

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

/// What becomes of an item of the context. Every item has one fate, so that the spans of a plan
/// always part the context among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// A system prompt, which always stays.
    System,
    /// The summary of an earlier compaction, which the new one takes the place of.
    Carried,
    /// Goes into the summary of history.
    Summarized,
    /// Goes into the summary of the split turn's beginning.
    TurnPrefix,
    /// Stays as it is.
    Kept,
    /// Neither stays nor is summarized.
    Dropped,
}

/// What was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// The fate of each item of the context, by position.
    pub fates: Vec<Fate>,
    /// The entries that stay, those without a message included.
    pub kept: Vec<EntryIx>,
    /// The first of the tail that stays.
    pub first_kept: Option<EntryIx>,
    /// The entry that starts the turn which is split.
    pub turn_start: Option<EntryIx>,
}

/// The context as the select stage sees it.
pub struct Scene<'a> {
    /// What the plan is made from.
    pub input: &'a PlanInput<'a>,
    /// Its entries in the order of the context, with the items each contributes.
    pub(crate) entries: Vec<Seen>,
    /// Position in `entries` of the compaction whose summary is carried on.
    pub previous: Option<usize>,
    /// By position in `entries`: calls before it are still without their results.
    awaits_results: Vec<bool>,
}

impl<'a> Scene<'a> {
    /// Looks at the context of `input`.
    pub fn new(input: &'a PlanInput<'a>) -> Scene<'a> {
        let entries = seen(input.session, &input.context.selected, &input.context.items);
        // The newest compaction is the only one with a message in a context.
        let previous = entries
            .iter()
            .position(|seen| seen.is_compaction && !seen.items.is_empty());
        let awaits_results = awaits_results(input, &entries);
        Scene {
            input,
            entries,
            previous,
            awaits_results,
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Where the conversation begins: after the previous compaction, when that comes first.
    pub fn start(&self) -> usize {
        match self.previous {
            Some(at) if self.entries[..at].iter().all(|seen| seen.items.is_empty()) => at + 1,
            _ => 0,
        }
    }

    /// The entry at `position`.
    pub fn entry(&self, position: usize) -> EntryIx {
        self.entries[position].entry
    }

    /// Whether the entry at `position` has a message.
    pub fn is_visible(&self, position: usize) -> bool {
        !self.entries[position].items.is_empty()
    }

    /// The entry of the previous compaction.
    pub fn previous_entry(&self) -> Option<EntryIx> {
        self.previous.map(|at| self.entries[at].entry)
    }

    /// Whether a cut may fall before the entry at `position`, so that no tool result is parted
    /// from its call: results stand behind their call, with other calls between them where an
    /// agent stores each call by itself (Codex).
    pub fn may_cut_before(&self, position: usize) -> bool {
        if self.awaits_results.get(position) == Some(&true) {
            return false;
        }
        let items = self.entries.get(position).map(|seen| seen.items.clone());
        let mut roles = items
            .into_iter()
            .flatten()
            .map(|item| self.input.context.items[item].role);
        roles.all(|role| role != Role::Tool)
    }

    /// Estimated tokens of the entry at `position`.
    pub fn tokens(&self, position: usize) -> u64 {
        let items = self.entries[position].items.clone();
        items
            .map(|item| self.input.context.items[item].estimate)
            .sum()
    }

    /// Tools that the entry at `position` calls, as far as its messages are in the context.
    pub fn tool_calls(&self, position: usize) -> u64 {
        let seen = &self.entries[position];
        match seen.items.is_empty() {
            true => 0,
            false => self.input.session.entry(seen.entry).tool_calls.len() as u64,
        }
    }

    /// Whether the entry at `position` is something the user wrote.
    pub fn is_prompt(&self, position: usize) -> bool {
        let mut items = self.entries[position].items.clone();
        items.any(|item| {
            let item = &self.input.context.items[item];
            item.role == Role::User && item.kind == ItemKind::Message
        })
    }

    /// Whether the entry at `position` is something the model wrote.
    pub(crate) fn is_reply(&self, position: usize) -> bool {
        let mut items = self.entries[position].items.clone();
        items.any(|item| self.input.context.items[item].role == Role::Assistant)
    }

    /// Whether the entry at `position` begins a turn.
    pub fn starts_turn(&self, position: usize) -> bool {
        let starts = |seen: &Seen| seen.starts_turn;
        self.entries.get(position).is_some_and(starts)
    }

    /// The id of the entry at `position`.
    pub fn id(&self, position: usize) -> &'a str {
        let session = self.input.session;
        session.entry(self.entries[position].entry).id.as_str()
    }

    /// The last position of the entry with this id.
    pub fn position_of(&self, id: &str) -> Option<usize> {
        (0..self.len()).rev().find(|&at| self.id(at) == id)
    }

    /// The nearest position from `position` back at which a cut may fall.
    pub fn cut_at_or_before(&self, position: usize) -> usize {
        (0..=position)
            .rev()
            .find(|&at| self.may_cut_before(at))
            .unwrap_or(0)
    }

    /// The selection in which each entry has the fate that `fate` gives by its position. System
    /// items and the previous summary have theirs anyway.
    pub fn with_fates(&self, fate: impl Fn(usize) -> Fate) -> Selection {
        let items = &self.input.context.items;
        let mut fates = vec![Fate::Dropped; items.len()];
        let mut kept = Vec::new();
        // An entry stands at several places where its items do, as what Codex keeps of the user's
        // words before a compaction and its summary.
        let mut listed = HashSet::new();
        for (position, seen) in self.entries.iter().enumerate() {
            let own = fate(position);
            if own == Fate::Kept && listed.insert(seen.entry) {
                kept.push(seen.entry);
            }
            for item in seen.items.clone() {
                fates[item] = if items[item].role == Role::System {
                    Fate::System
                } else if seen.is_compaction {
                    Fate::Carried
                } else {
                    own
                };
            }
        }
        // What is sent but not stored belongs to no entry; it is the system prompt and the tools.
        for (item, fate) in items.iter().zip(&mut fates) {
            if item.entries.is_empty() {
                *fate = Fate::System;
            }
        }
        Selection {
            fates,
            kept,
            first_kept: None,
            turn_start: None,
        }
    }

    /// The selection that summarizes `start..history_end`, then the beginning of a turn up to
    /// `first_kept`, and keeps the rest.
    pub fn tail(&self, start: usize, turn_start: Option<usize>, first_kept: usize) -> Selection {
        let history_end = turn_start.unwrap_or(first_kept);
        let mut selection = self.with_fates(|position| {
            if position < start {
                Fate::Dropped
            } else if position < history_end {
                Fate::Summarized
            } else if position < first_kept {
                Fate::TurnPrefix
            } else {
                Fate::Kept
            }
        });
        let at = |position: Option<usize>| Some(self.entries.get(position?)?.entry);
        selection.first_kept = at(Some(first_kept));
        selection.turn_start = at(turn_start);
        selection
    }
}

/// For each entry whether calls before it are still without their results. What the user says ends
/// the wait: results of interrupted calls never come.
fn awaits_results(input: &PlanInput<'_>, entries: &[Seen]) -> Vec<bool> {
    let mut open = 0_usize;
    let awaits = |seen: &Seen| {
        let items = &input.context.items[seen.items.clone()];
        let is_said =
            |item: &ContextItem| item.role == Role::User && item.kind == ItemKind::Message;
        if items.iter().any(is_said) {
            open = 0;
        }
        let awaits = open > 0;
        for item in items {
            match item.role {
                Role::Assistant => open += input.session.entry(seen.entry).tool_calls.len(),
                Role::Tool => open = open.saturating_sub(1),
                Role::User | Role::System => {}
            }
        }
        awaits
    };
    entries.iter().map(awaits).collect()
}

/// A choice that follows another whose summary turned out too long.
pub struct Again {
    /// What is chosen of what stayed.
    pub selection: Selection,
    /// Tokens below which the summary and what stays had to be together.
    pub limit_tokens: u64,
}

impl Selection {
    /// Positions of the items with this fate, in order.
    pub fn items(&self, fate: Fate) -> Vec<usize> {
        (0..self.fates.len())
            .filter(|&item| self.fates[item] == fate)
            .collect()
    }
}

impl Select {
    /// What is chosen of `scene`. Fails when a text that the choice needs cannot be had, or its
    /// vector.
    pub fn select(&self, scene: &Scene<'_>) -> Result<Selection, PlanError> {
        Ok(match self {
            Select::KeepRecent(own) => own.select(scene),
            Select::Everything(own) => own.select(scene),
            Select::KeepAll(own) => own.select(scene),
            Select::FittingTail(own) => own.select(scene),
            Select::FromEntry(own) => own.select(scene),
            Select::NotesTail(own) => own.select(scene),
            Select::TurnTail(own) => own.select(scene),
            Select::LastMessages(own) => own.select(scene),
            Select::KeepShare(own) => own.select(scene),
            Select::DropShare(own) => own.select(scene),
            Select::WindowShare(own) => own.select(scene)?,
            Select::FirstAndLast(own) => own.select(scene),
            Select::PromptTail(own) => own.select(scene),
            Select::HalfTail(own) => own.select(scene),
            Select::FillDrain(own) => own.select(scene),
            Select::MemoryStream(own) => own.select(scene)?,
            Select::CutAt(own) => own.select(scene),
            Select::Entries(own) => own.select(scene),
            Select::UserMessages(own) => own.select(scene),
            Select::LastToolUses(own) => own.select(scene),
            Select::OldToolPairs(own) => own.select(scene),
            Select::LeftBehind(own) => own.select(scene),
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
    pub fn again(&self, scene: &Scene<'_>, before: &Selection, depth: u64) -> Option<Again> {
        match self {
            Select::HalfTail(own) => own.again(scene, before, depth),
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

/// True when the entry stood on is a compaction itself.
pub(crate) fn stands_on_compaction(input: &PlanInput<'_>) -> bool {
    let at = input.context.path.last();
    at.is_some_and(|&at| matches!(input.session.entry(at).kind, EntryKind::Compaction(_)))
}

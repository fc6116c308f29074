//! A context by sizes alone: what a choice asks that reads no text. The context of a plan is looked
//! at in this way, and so is the one that a policy has on its walk along a path, so that a choice
//! has one rule for both.

use crate::vocabulary::fate::Fate;
use crate::vocabulary::selection::Selection;
use crate::workpiece::seen::Seen;
use palimpsest_core::EntryIx;
use std::collections::HashSet;

/// A context by sizes.
pub struct Sizes {
    /// Its entries in the order of the context, with the items each contributes.
    pub(crate) entries: Vec<Seen>,
    /// Position in `entries` of the compaction whose summary is carried on.
    pub previous: Option<usize>,
    /// By item: whether it is the system prompt or what else is always sent.
    pub(crate) is_system: Vec<bool>,
    /// Size of the context in tokens, by the agent's own idea.
    pub context_tokens: u64,
    /// Of these, tokens of what is no message: the system prompt, the tools, and what estimates are
    /// off by.
    pub besides_tokens: u64,
    /// First position of an entry that was written after the compaction before.
    pub(crate) after_previous: usize,
    /// Positions from which on nothing follows but an attempt of pi's that failed.
    pub(crate) failed_from: Vec<usize>,
}

/// True for an entry that is not part of the conversation behind a compaction.
fn is_passed(seen: &Seen) -> bool {
    seen.items.is_empty() || seen.is_compaction
}

impl Sizes {
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
            Some(at) if self.entries[..at].iter().all(is_passed) => at + 1,
            _ => 0,
        }
    }

    /// The entry at `position`.
    pub fn entry(&self, position: usize) -> EntryIx {
        self.entries[position].entry
    }

    /// Whether the entry at `position` was written after the compaction before. What that kept may
    /// stand behind what came later (Claude Code's reminders go before a prompt that stayed).
    pub(crate) fn is_since_previous(&self, position: usize) -> bool {
        match self.previous_entry() {
            Some(previous) if previous != EntryIx(u32::MAX) => self.entry(position) > previous,
            _ => position >= self.after_previous,
        }
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
    /// from its call.
    pub fn may_cut_before(&self, position: usize) -> bool {
        let seen = self.entries.get(position);
        seen.is_none_or(|seen| seen.may_cut)
    }

    /// Estimated tokens of the entry at `position`.
    pub fn tokens(&self, position: usize) -> u64 {
        self.entries[position].tokens
    }

    /// Tools that the entry at `position` calls, as far as its messages are in the context.
    pub fn tool_calls(&self, position: usize) -> u64 {
        self.entries[position].calls
    }

    /// Whether the entry at `position` is something the user wrote.
    pub fn is_prompt(&self, position: usize) -> bool {
        self.entries[position].is_prompt
    }

    /// Whether the entry at `position` is something the model wrote.
    pub(crate) fn is_reply(&self, position: usize) -> bool {
        self.entries[position].is_reply
    }

    /// Whether the entry at `position` begins a turn.
    pub fn starts_turn(&self, position: usize) -> bool {
        let starts = |seen: &Seen| seen.starts_turn;
        self.entries.get(position).is_some_and(starts)
    }

    /// The nearest position from `position` back at which a cut may fall.
    pub fn cut_at_or_before(&self, position: usize) -> usize {
        (0..=position)
            .rev()
            .find(|&at| self.may_cut_before(at))
            .unwrap_or(0)
    }

    /// Positions of the entries with a message, from the previous compaction on.
    pub(crate) fn messages(&self) -> Vec<usize> {
        let own = self.start()..self.len();
        own.filter(|&at| !self.entries[at].items.is_empty())
            .collect()
    }

    /// The selection in which each entry has the fate that `fate` gives by its position. System
    /// items and the previous summary have theirs anyway.
    pub fn with_fates(&self, fate: impl Fn(usize) -> Fate) -> Selection {
        // What is sent but not stored belongs to no entry; it is the system prompt and the tools.
        let unseen = |is_system: &bool| {
            if *is_system {
                Fate::System
            } else {
                Fate::Dropped
            }
        };
        let mut fates: Vec<Fate> = self.is_system.iter().map(unseen).collect();
        let mut kept = Vec::new();
        // An entry stands at several places where its items do, as what Codex keeps of the user's
        // words before a compaction and its summary.
        let mut listed = HashSet::new();
        for (position, seen) in self.entries.iter().enumerate() {
            let own = fate(position);
            if own == Fate::Kept && listed.insert(seen.entry) {
                kept.push(seen.entry);
            }
            for item in seen.items.clone().filter(|&item| !self.is_system[item]) {
                fates[item] = if seen.is_compaction {
                    Fate::Carried
                } else {
                    own
                };
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

    /// The selection that keeps the first `head` of `messages` and those from `tail` on. Results
    /// stay with their call, so the beginning may keep more, and so may the end.
    pub(crate) fn without_middle(&self, messages: &[usize], head: usize, tail: usize) -> Selection {
        let begins = |at: &usize| {
            messages
                .get(*at)
                .is_none_or(|&own| self.may_cut_before(own))
        };
        let head = match head {
            0 => 0,
            some => (some..=messages.len()).find(begins).unwrap_or(some),
        };
        let tail = (head..=tail.max(head)).rev().find(begins).unwrap_or(head);
        let position = |at: usize| messages.get(at).copied().unwrap_or(self.len());
        let (from, to) = (position(head), position(tail));
        let start = self.start();
        let mut selection = self.with_fates(|at| match at {
            _ if at < start => Fate::Dropped,
            _ if (from..to).contains(&at) => Fate::Summarized,
            _ => Fate::Kept,
        });
        selection.first_kept = self.entries.get(to).map(|seen| seen.entry);
        selection
    }
}

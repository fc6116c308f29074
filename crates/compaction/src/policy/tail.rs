//! What a preset's choice keeps of the context that a walk along a path has.
//!
//! The context is a beginning and a tail of the path's steps with a summary between them. The rule is
//! the preset's own, by sizes. What only texts can tell plays no part: an attempt of pi's that failed,
//! files that were read again.

use crate::policy::growth::{Step, StepKind};
use crate::stages::select::Select;
use crate::vocabulary::fate::Fate;
use crate::workpiece::seen::Seen;
use crate::workpiece::sizes::Sizes;
use palimpsest_core::EntryIx;
use std::ops::Range;

/// The context before a choice: `steps[..head]`, the summary, `steps[tail..end]`.
#[derive(Clone, Copy)]
pub(super) struct Walked<'a> {
    /// The path.
    pub steps: &'a [Step<'a>],
    /// Where the beginning that stayed ends.
    pub head: usize,
    /// Where the tail begins.
    pub tail: usize,
    /// Where it ends.
    pub end: usize,
    /// Tokens of the summary that stands between the two, where one does.
    pub summary: Option<u64>,
    /// Tokens of the context.
    pub context: u64,
    /// Of these, tokens of what is sent beside the steps and the summary.
    pub besides: u64,
}

/// Where the beginning that stays ends, and where the tail that stays begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ends {
    /// End of the beginning.
    pub head: usize,
    /// Begin of the tail.
    pub tail: usize,
}

impl Walked<'_> {
    /// What `select` keeps.
    pub fn ends(&self, select: &Select) -> Ends {
        let sizes = self.sizes();
        let Some(selection) = select.by_size(&sizes) else {
            // What names entries or reads texts: no agent's policy runs such a choice.
            return Ends {
                head: 0,
                tail: self.end,
            };
        };
        let goes = |seen: &Seen| {
            let fate = selection.fates[seen.items.start];
            matches!(fate, Fate::Summarized | Fate::TurnPrefix)
        };
        let first = sizes.entries.iter().position(goes);
        let last = sizes.entries.iter().rposition(goes);
        let (Some(first), Some(last)) = (first, last) else {
            return Ends {
                head: self.head,
                tail: self.tail,
            };
        };
        Ends {
            // Only at the root does what stays before the first that goes become a beginning.
            head: match self.tail {
                0 => first,
                _ => first.min(self.head),
            },
            tail: match self.step_at(last) {
                Some(step) if last >= self.head => step + 1,
                _ => self.tail,
            },
        }
    }

    /// The step at a position of the context; `None` for the summary.
    fn step_at(&self, position: usize) -> Option<usize> {
        let Some(behind) = position.checked_sub(self.head) else {
            return Some(position);
        };
        match self.summary {
            None => Some(self.tail + behind),
            Some(_) => Some(self.tail + behind.checked_sub(1)?),
        }
    }

    /// The context as a choice sees it.
    fn sizes(&self) -> Sizes {
        let mut items = 0;
        let mut next = |messages: u64| -> Range<usize> {
            let start = items;
            items += messages as usize;
            start..items
        };
        let mut entries = Vec::with_capacity(self.head + 1 + self.end - self.tail);
        for step in &self.steps[..self.head] {
            entries.push(seen(step, next(step.messages)));
        }
        let previous = self.summary.map(|tokens| {
            entries.push(summary(tokens, next(1)));
            self.head
        });
        for step in &self.steps[self.tail..self.end] {
            entries.push(seen(step, next(step.messages)));
        }
        Sizes {
            entries,
            previous,
            is_system: vec![false; items],
            context_tokens: self.context,
            besides_tokens: self.besides,
            after_previous: previous.map_or(0, |at| at + 1),
            failed_from: Vec::new(),
        }
    }
}

/// A step as a choice sees it.
fn seen(step: &Step<'_>, items: Range<usize>) -> Seen {
    let is_reply = step.kind == StepKind::Reply;
    let is_prompt = step.kind == StepKind::Prompt;
    Seen {
        entry: step.ix,
        items,
        tokens: step.size,
        is_compaction: false,
        may_cut: step.may_cut,
        is_prompt,
        is_reply,
        ends_with_reply: is_reply && step.behind_reply == 0,
        is_last_word: is_reply && step.calls == 0,
        calls: step.calls as u64,
        texts: step.texts,
        starts_turn: is_prompt,
        // pi cuts anywhere but before a result, also inside a turn.
        pi_may_cut: step.kind != StepKind::Result,
        as_user: is_prompt || step.kind == StepKind::Injected,
    }
}

/// The summary as a choice sees it: a compaction that no entry of the path is.
fn summary(tokens: u64, items: Range<usize>) -> Seen {
    Seen {
        entry: EntryIx(u32::MAX),
        items,
        tokens,
        is_compaction: true,
        may_cut: true,
        is_prompt: false,
        is_reply: false,
        ends_with_reply: false,
        is_last_word: false,
        calls: 0,
        texts: 0,
        starts_turn: false,
        pi_may_cut: false,
        as_user: true,
    }
}

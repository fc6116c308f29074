//! What a preset's choice keeps, from sizes alone.
//!
//! The rules are those of [`crate::select`], which work on a whole context with its texts. Here the
//! context is a beginning and a tail of a path's steps with a summary between them, and a choice is
//! where the two end. What only texts can tell is passed over, such as an attempt of pi's that failed.

use super::growth::{Step, StepKind};
use crate::select::{
    DropShare, Everything, FirstAndLast, PromptTail, Select, SizedContext, TailTurns, WindowShare,
};

/// The context before a choice: `steps[..head]`, the summary, `steps[tail..end]`.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    /// The path.
    pub steps: &'a [Step<'a>],
    /// Where the beginning that stayed ends.
    pub head: usize,
    /// Where the tail begins.
    pub tail: usize,
    /// Where it ends.
    pub end: usize,
    /// True when a summary stands between the two.
    pub summarized: bool,
    /// Tokens of the context.
    pub context: u64,
    /// Of these, tokens of what is sent beside the steps and the summary.
    pub besides: u64,
}

/// Where the beginning that stays ends, and where the tail that stays begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kept {
    /// End of the beginning.
    pub head: usize,
    /// Begin of the tail.
    pub tail: usize,
}

impl Scene<'_> {
    /// What `select` keeps.
    pub fn kept(&self, select: &Select) -> Kept {
        let tail = match select {
            Select::KeepRecent(own) => self.recent(own.keep_recent_tokens),
            Select::Everything(own) => self.everything(own),
            Select::KeepAll(_) => self.tail,
            Select::FittingTail(own) => self.fitting(own.fitting_tokens),
            Select::NotesTail(own) => {
                let mut texts = 0;
                let from = self.back(|step, tokens| {
                    let enough =
                        tokens >= own.tail_min_tokens && texts >= own.tail_min_text_messages;
                    texts += step.texts;
                    !enough && tokens < own.tail_max_tokens
                });
                self.cut_at_or_before(from)
            }
            Select::TurnTail(own) => self.turns(own.budget(), own.tail_turns),
            Select::LastMessages(own) => {
                let mut left = own.count;
                let from = self.back(|step, tokens| {
                    if own.suffix_tokens > 0 {
                        return tokens + step.size <= own.suffix_tokens;
                    }
                    let fits = step.messages <= left;
                    left = left.saturating_sub(step.messages);
                    fits
                });
                match own.past_results {
                    true => self.cut_at_or_after(from),
                    false => self.cut_at_or_before(from),
                }
            }
            Select::KeepShare(own) => self.share(own.keep_share),
            Select::PromptTail(own) => self.prompt_tail(own),
            Select::HalfTail(own) => self.half(own.history_limit_tokens, own.min_messages),
            Select::FillDrain(own) => {
                let from = self.back(|step, tokens| tokens + step.size <= own.drain_tokens);
                self.cut_at_or_after(from)
            }
            Select::DropShare(own) => return self.drop_share(own),
            Select::WindowShare(own) => {
                // Repeated reads, which Cline drops first, are not seen by size.
                let limit = WindowShare::limit_for(own.window_tokens);
                let is_far_over = self.tokens(self.tail, self.end) / 2 > limit;
                return self.drop_share(&DropShare {
                    drop_share: if is_far_over { 0.75 } else { 0.5 },
                    keep_first_messages: own.keep_first_messages,
                    even_count: true,
                });
            }
            Select::FirstAndLast(own) => return self.first_and_last(own),
            // What names entries or reads texts: no agent's policy runs such a choice.
            _ => self.end,
        };
        // A beginning that stayed is part of what these summarize.
        let head = match tail == self.tail {
            true => self.head,
            false => 0,
        };
        Kept { head, tail }
    }

    /// The first of the newest steps for which `takes`, asked with the tokens of those taken
    /// before, says yes.
    fn back(&self, mut takes: impl FnMut(&Step<'_>, u64) -> bool) -> usize {
        let mut from = self.end;
        let mut tokens = 0;
        while from > self.tail && takes(&self.steps[from - 1], tokens) {
            from -= 1;
            tokens += self.steps[from].size;
        }
        from
    }

    /// The nearest step from `at` back at which a cut may fall.
    fn cut_at_or_before(&self, at: usize) -> usize {
        if at >= self.end {
            return self.end;
        }
        let mut earlier = (self.tail..=at).rev();
        earlier
            .find(|&at| self.steps[at].may_cut)
            .unwrap_or(self.tail)
    }

    /// The nearest step from `at` on at which a cut may fall.
    fn cut_at_or_after(&self, at: usize) -> usize {
        let mut later = at..self.end;
        later.find(|&at| self.steps[at].may_cut).unwrap_or(self.end)
    }

    /// Nothing stays, but what the choice says of recent tokens or of a prompt without an answer.
    fn everything(&self, own: &Everything) -> usize {
        if ((self.end - self.tail) as u64) < own.min_messages {
            return self.tail;
        }
        if own.keep_recent_tokens > 0 {
            return self.recent(own.keep_recent_tokens);
        }
        match self.last_prompt() {
            Some(prompt) if own.keep_last_prompt && prompt + 1 == self.end => prompt,
            _ => self.end,
        }
    }

    /// Where the target ends the tail it is the next cut, where the recent tokens do the one before.
    fn prompt_tail(&self, own: &PromptTail) -> usize {
        let most = own.most(SizedContext {
            context: self.context,
            besides: self.besides,
            pairs: self.pairs(),
        });
        let mut is_full = false;
        let from = self.back(|step, tokens| {
            let wanted = tokens < own.keep_recent_tokens;
            is_full = wanted && tokens + step.size > most;
            wanted && !is_full
        });
        let from = from.min(self.last_prompt().unwrap_or(from));
        match is_full {
            true => self.cut_at_or_after(from),
            false => self.cut_at_or_before(from),
        }
    }

    /// Prompts of the tail that have an answer.
    fn pairs(&self) -> u64 {
        let mut pairs = 0;
        let mut asked = false;
        for step in &self.steps[self.tail..self.end] {
            match step.kind {
                StepKind::Prompt => asked = true,
                StepKind::Reply if asked => {
                    pairs += 1;
                    asked = false;
                }
                _ => {}
            }
        }
        pairs
    }

    fn last_prompt(&self) -> Option<usize> {
        let mut newest = (self.tail..self.end).rev();
        newest.find(|&at| self.steps[at].kind == StepKind::Prompt)
    }

    /// pi's cut: the nearest step that is no result from where the budget is reached on, else the
    /// last one.
    fn recent(&self, budget: u64) -> usize {
        let may = |at: &usize| self.steps[*at].kind != StepKind::Result;
        let mut sum = 0;
        for at in (self.tail..self.end).rev() {
            sum += self.steps[at].size;
            if self.steps[at].size > 0 && sum >= budget {
                let later = (at..self.end).find(may);
                let last = || (self.tail..at).rev().find(may);
                return later.or_else(last).unwrap_or(self.tail);
            }
        }
        self.tail
    }

    /// The earliest cut behind which everything fits.
    fn fitting(&self, budget: u64) -> usize {
        let from = self.back(|step, tokens| tokens + step.size <= budget);
        self.cut_at_or_after(from)
    }

    /// Whole turns, the newest, and the end of the first that does not fit.
    fn turns(&self, budget: u64, turns: TailTurns) -> usize {
        let mut turns_left = match turns {
            TailTurns::Turns(turns) => turns,
            TailTurns::Word(_) => u64::MAX,
        };
        let (mut kept, mut sum) = (self.end, 0);
        let mut split = self.end;
        for at in (self.tail..self.end).rev() {
            if turns_left == 0 {
                return kept;
            }
            let step = &self.steps[at];
            sum += step.size;
            if sum > budget {
                return split;
            }
            if step.kind == StepKind::Prompt {
                kept = at;
                split = at;
                turns_left -= 1;
            } else if step.may_cut {
                split = at;
            }
        }
        // Nothing is left to summarize: then all of it is.
        match kept == self.tail {
            true => self.end,
            false => kept,
        }
    }

    /// The first prompt before which the share to summarize is reached.
    fn share(&self, keep: f64) -> usize {
        let all: u64 = self.tokens(self.tail, self.end);
        let enough = all as f64 * (1.0 - keep);
        let (mut before, mut split) = (0, self.tail);
        for at in self.tail..self.end {
            if self.steps[at].kind == StepKind::Prompt {
                if before as f64 >= enough && before > 0 {
                    return at;
                }
                split = at;
            }
            before += self.steps[at].size;
        }
        let last = self.steps[self.tail..self.end]
            .iter()
            .rev()
            .find(|own| own.size > 0);
        match last.is_some_and(|own| own.kind == StepKind::Reply && own.calls == 0) {
            true => self.end,
            false => split,
        }
    }

    fn half(&self, limit: u64, least: u64) -> usize {
        let count = self.end - self.tail;
        if (count as u64) < least {
            return self.end;
        }
        if self.tokens(self.tail, self.end) <= limit {
            return self.tail;
        }
        let mut split = self.end;
        let mut sum = 0;
        while split > self.tail {
            sum += self.steps[split - 1].size;
            if sum >= limit / 2 {
                break;
            }
            split -= 1;
        }
        let ends_with_reply = |split: usize| {
            let before = &self.steps[split - 1];
            let is_reply = before.kind == StepKind::Reply && before.behind_reply == 0;
            is_reply && (split == self.end || self.steps[split].may_cut)
        };
        while split > self.tail + 1 && !ends_with_reply(split) {
            split -= 1;
        }
        match split <= self.tail + 1 {
            true => self.end,
            false => split,
        }
    }

    fn drop_share(&self, own: &DropShare) -> Kept {
        let count = self.count();
        let head = (own.keep_first_messages as usize).min(count);
        let share = own.drop_share.clamp(0.0, 1.0);
        let mut gone = ((count - head) as f64 * share).floor() as usize;
        if own.even_count {
            gone -= gone % 2;
        }
        self.without_middle(head, head + gone)
    }

    fn first_and_last(&self, own: &FirstAndLast) -> Kept {
        let count = self.count();
        let target = own.target(count as u64) as usize;
        let head = (own.keep_first_messages as usize).min(count);
        if target >= count {
            return Kept {
                head: self.head,
                tail: self.tail,
            };
        }
        let beside = (own.keep_first_messages + own.summary_messages) as usize;
        self.without_middle(head, count - target.saturating_sub(beside))
    }

    /// Number of messages: the steps, and the summary where it stands between them.
    fn count(&self) -> usize {
        self.head + self.between() + (self.end - self.tail)
    }

    fn between(&self) -> usize {
        usize::from(self.summarized && self.head > 0)
    }

    /// Keeps the first `head` messages and those from `from` on. Results stay with their call.
    fn without_middle(&self, head: usize, from: usize) -> Kept {
        let before = self.head + self.between();
        let may_begin = |at: &usize| *at == self.end || self.steps[*at].may_cut;
        let new_head = match head {
            0 => 0,
            _ if self.head > 0 => self.head,
            some => (self.tail + some..=self.end)
                .find(may_begin)
                .unwrap_or(self.end),
        };
        let tail = (self.tail + from.saturating_sub(before)).min(self.end);
        let first = match self.head > 0 {
            true => self.tail,
            false => new_head.max(self.tail),
        };
        let tail = (first..=tail.max(first)).rev().find(may_begin);
        Kept {
            head: new_head,
            tail: tail.unwrap_or(first),
        }
    }

    /// Estimated tokens of a stretch.
    fn tokens(&self, from: usize, to: usize) -> u64 {
        self.steps[from..to].iter().map(|step| step.size).sum()
    }
}

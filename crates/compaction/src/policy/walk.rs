//! The context on the way along a path, as sums.

use crate::policy::data::Counting;
use crate::policy::effect::{Compaction, Effect};
use crate::policy::growth::{Growth, StepKind};
use crate::policy::tail::Walked;
use crate::vocabulary::estimate::ASSUMED_REPLY_TOKENS;

/// What a policy's context holds: the steps before `head`, a summary, the steps from `tail` to
/// `end`.
pub(crate) struct Walk<'a> {
    growth: &'a Growth<'a>,
    /// Sums over the steps before each position.
    sums: Vec<Sums>,
    head: usize,
    tail: usize,
    end: usize,
    /// Tokens of the summary and of what is put in beside it.
    summary: Option<u64>,
    /// Tokens taken out of steps that are still there.
    cleared: u64,
    /// Steps with tool results that are still whole, oldest first.
    results: Vec<usize>,
    /// Tokens sent besides.
    besides: u64,
    next_besides: usize,
    last_usage: Option<u64>,
    last_request: Option<u64>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    size: u64,
    extra: i64,
    messages: u64,
    prompts: u64,
}

/// What a firing did, in entries.
pub(crate) struct Done {
    /// Entries that are gone or cleared.
    pub gone: usize,
    /// Entries that are there as before.
    pub kept: usize,
}

impl<'a> Walk<'a> {
    pub fn new(growth: &'a Growth<'a>) -> Walk<'a> {
        // Sums up to each step, so that no size on the way needs a loop.
        let mut sum = Sums::default();
        let mut sums = Vec::with_capacity(growth.steps.len() + 1);
        sums.push(sum);
        for step in &growth.steps {
            sum.size += step.size;
            sum.extra += step.extra;
            sum.messages += step.messages;
            if step.kind == StepKind::Prompt {
                sum.prompts += step.size;
            }
            sums.push(sum);
        }
        Walk {
            growth,
            sums,
            head: 0,
            tail: 0,
            end: 0,
            summary: None,
            cleared: 0,
            results: Vec::new(),
            besides: 0,
            next_besides: 0,
            last_usage: None,
            last_request: None,
        }
    }

    /// Takes the step at `at` into the context; steps come one after the other.
    pub fn step(&mut self, at: usize) {
        let steps = &self.growth.steps;
        let step = &steps[at];
        self.end = at + 1;
        while let Some(&(position, tokens)) = self.growth.besides.get(self.next_besides) {
            if position > at {
                break;
            }
            self.besides = tokens;
            self.next_besides += 1;
        }
        if step.kind == StepKind::Result || step.behind_reply > 0 {
            self.results.push(at);
        }
        if step.kind == StepKind::Reply {
            let with_reply = self.total().saturating_sub(step.behind_reply);
            // A reply that is stored piece by piece is one request, whose size the first piece tells.
            let goes_on = at > 0 && steps[at - 1].kind == StepKind::Reply && self.tail < at;
            if !goes_on || self.last_request.is_none() {
                let stored = step.size.saturating_sub(step.behind_reply);
                let reply = step.reply.unwrap_or(stored);
                self.last_request = Some(with_reply.saturating_sub(reply));
            }
            self.last_usage = Some(with_reply);
        }
    }

    /// Size of the context in tokens.
    pub fn total(&self) -> u64 {
        let (head, tail, end) = self.places();
        let extra = head.extra + end.extra - tail.extra;
        (self.besides + self.estimate()).saturating_add_signed(extra)
    }

    /// Number of messages; a summary is one.
    pub fn messages(&self) -> u64 {
        let (head, tail, end) = self.places();
        head.messages + end.messages - tail.messages + u64::from(self.summary.is_some())
    }

    /// What the policy counts now; `None` when it rests on a report and there is none since the
    /// last firing.
    pub fn count(&self, counting: Counting) -> Option<u64> {
        match counting {
            Counting::LastUsage => self.last_usage,
            Counting::LastRequest => self.last_request,
            Counting::UsageAndTrailing => Some(self.total()),
            Counting::Estimate => Some(self.estimate()),
            Counting::RequestEstimate => Some(self.besides + self.estimate()),
        }
    }

    /// Does what the policy's preset does; `None` when it finds nothing to do.
    pub fn fire(&mut self, effect: &Effect) -> Option<Done> {
        let done = match effect {
            Effect::Compact(own) => self.compact(own)?,
            Effect::Clear(own) => {
                let steps = &self.growth.steps[..self.end];
                let (gone, saved) = own.clear(steps, &mut self.results)?;
                self.cleared += saved;
                let kept = self.end - gone;
                Done { gone, kept }
            }
        };
        // The last report is about a context that no longer exists; agents wait for the next one.
        self.last_usage = None;
        self.last_request = None;
        Some(done)
    }

    fn compact(&mut self, own: &Compaction) -> Option<Done> {
        let context = Walked {
            steps: &self.growth.steps,
            head: self.head,
            tail: self.tail,
            end: self.end,
            summary: self.summary,
            context: self.total(),
            // With the corrections by what providers reported.
            besides: self.total().saturating_sub(self.estimate()),
        };
        let kept = context.ends(&own.select);
        let before = self.head + self.end - self.tail;
        let after = kept.head + self.end - kept.tail;
        if after >= before {
            return None;
        }
        let tokens = |head: usize, tail: usize| {
            self.sums[head].size + self.sums[self.end].size - self.sums[tail].size
        };
        let gone = tokens(self.head, self.tail).saturating_sub(tokens(kept.head, kept.tail));
        let asked = gone + self.summary.unwrap_or(0);
        // As long as a plan assumes a summary to be (`Plan::estimated_tokens_after`).
        let written = || (asked / 8).clamp(200, ASSUMED_REPLY_TOKENS);
        let summary = own.fixed_summary.unwrap_or_else(written);
        let steps = &self.growth.steps;
        // From the root on: what the user said goes on again at every compaction.
        let prompts = self.sums[kept.tail].prompts;
        let beside = own.beside.tokens(
            &steps[self.tail..kept.tail],
            &steps[kept.tail..self.end],
            prompts,
        );
        self.head = kept.head;
        self.tail = kept.tail;
        self.summary = Some(summary + beside);
        Some(Done {
            gone: before - after,
            kept: after,
        })
    }

    fn estimate(&self) -> u64 {
        let (head, tail, end) = self.places();
        let steps = head.size + end.size - tail.size;
        (self.summary.unwrap_or(0) + steps).saturating_sub(self.cleared)
    }

    fn places(&self) -> (Sums, Sums, Sums) {
        (
            self.sums[self.head],
            self.sums[self.tail],
            self.sums[self.end],
        )
    }
}

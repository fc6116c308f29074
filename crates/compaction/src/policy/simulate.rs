//! Where a policy would have fired along a path, and what that would have cost.

use crate::policy::data::{Check, Counting, Policy};
use crate::policy::effect::Effect;
use crate::policy::growth::{Growth, Step, StepKind};
use crate::policy::trigger::{Limits, Line, Off};
use crate::policy::walk::Walk;
use palimpsest_core::EntryIx;

/// What a policy would have done along a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Its line; why it has none.
    pub line: Result<Line, Off>,
    /// Where it would have fired, in order.
    pub fires: Vec<Fire>,
    /// Largest context on the way, in tokens; what comes after a stop is not looked at.
    pub peak_tokens: u64,
    /// Where it would have given up.
    pub stop: Option<Stop>,
}

/// A compaction that would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fire {
    /// The last entry of the context that is compacted: where `plan` would have to stand.
    pub at: EntryIx,
    /// Its position on the path.
    pub position: usize,
    /// When it was looked at.
    pub check: Check,
    /// True when it was the second line that was reached.
    pub forced: bool,
    /// Size of the context before, in tokens.
    pub tokens_before: u64,
    /// Estimated size after, in tokens: what stays, and a summary of the length that a plan takes
    /// it to have.
    pub tokens_after: u64,
    /// Entries that are summarized, dropped or cleared.
    pub summarized: usize,
    /// Entries that stay.
    pub kept: usize,
}

impl Fire {
    /// Tokens that are gone: size before less size after.
    pub fn lost_tokens(&self) -> u64 {
        self.tokens_before.saturating_sub(self.tokens_after)
    }
}

/// Where a policy gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    /// The entry.
    pub at: EntryIx,
    /// Why.
    pub why: StopReason,
}

/// Why a policy gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The agent's own guard against compacting all the time.
    Thrash,
    /// What stays is above the line again and again, so nothing is gained.
    NoRoom,
}

impl StopReason {
    /// The reason in words.
    pub fn message(self) -> &'static str {
        match self {
            StopReason::Thrash => {
                "the agent stops here: its context was full again immediately, several times in \
                 a row"
            }
            StopReason::NoRoom => {
                "the simulation stops here: after 20 compactions in a row the context is still \
                 above the threshold"
            }
        }
    }
}

/// Compactions in a row that leave the context above the line before the walk ends (our choice).
const MOST_IN_VAIN: u64 = 20;

impl Course {
    /// Tokens lost by all of it.
    pub fn lost_tokens(&self) -> u64 {
        self.fires.iter().map(Fire::lost_tokens).sum()
    }
}

/// Walks `growth` with `policy`.
///
/// It starts at the root with nothing compacted. Where the policy fires, the context becomes what
/// its preset keeps and a summary as long as a plan takes it to be (an eighth of what it stands
/// for, within 200 and 2,000 tokens); then it grows on by the entries that follow. The session's
/// own compactions play no part. The time is linear in the path and in what each firing looks at.
pub fn simulate(policy: &Policy, limits: &Limits, growth: &Growth<'_>) -> Course {
    let mut course = Course {
        line: policy.line(limits),
        fires: Vec::new(),
        peak_tokens: 0,
        stop: None,
    };
    let effect = match &course.line {
        Ok(line) => Effect::of(policy, line, limits),
        Err(_) => None,
    };
    if course.line.is_ok() && effect.is_none() {
        course.line = Err(Off::NoPreset(policy.preset.clone()));
    }
    let forced = policy.forced.as_ref();
    let forced = forced.and_then(|own| Some((policy.forced_line(limits)?.ok()?, own)));
    let mut walk = Walk::new(growth);
    let mut guard = Guard::default();
    for at in 0..growth.steps.len() {
        walk.step(at);
        // Before the checks: the peak is what a request would have had.
        course.peak_tokens = course.peak_tokens.max(walk.total());
        let (Ok(line), Some(effect)) = (&course.line, &effect) else {
            continue;
        };
        guard.turns += u64::from(growth.steps[at].kind == StepKind::Prompt);
        let is_last = growth.ends_compacted && at + 1 == growth.steps.len();
        let looked = is_last.then_some(policy.checks.first().copied()).flatten();
        for check in checks(&growth.steps, at).chain(looked) {
            let Some(mut count) = walk.count(policy.counting) else {
                continue;
            };
            let stored = growth.stored_at_end.filter(|_| is_last).unwrap_or(0);
            count = count.max(stored);
            let messages = walk.messages();
            let own = policy.checks.contains(&check) && line.condition.is_met(count, messages);
            let is_forced = forced.as_ref().is_some_and(|(line, own)| {
                own.checks.contains(&check) && line.condition.is_met(count, messages)
            });
            if !own && !is_forced {
                continue;
            }
            let before = walk.total().max(stored);
            course.peak_tokens = course.peak_tokens.max(before);
            let Some(done) = walk.fire(effect) else {
                continue;
            };
            course.fires.push(Fire {
                at: growth.steps[at].ix,
                position: growth.steps[at].position,
                check,
                forced: !own,
                tokens_before: before,
                tokens_after: walk.total(),
                summarized: done.gone,
                kept: done.kept,
            });
            // These two are empty right after a firing; the whole context tells whether the line
            // is still met.
            let left = match policy.counting {
                Counting::LastUsage | Counting::LastRequest => {
                    walk.count(Counting::UsageAndTrailing)
                }
                other => walk.count(other),
            };
            // Clearing goes on result by result and need not come below the line.
            let compacts = matches!(effect, Effect::Compact(_));
            let again =
                compacts && left.is_some_and(|left| line.condition.is_met(left, walk.messages()));
            course.stop = guard.after(policy, again).map(|why| Stop {
                at: growth.steps[at].ix,
                why,
            });
            break;
        }
        if course.stop.is_some() {
            break;
        }
    }
    course
}

/// The moments after the step at `at` at which agents look.
fn checks(steps: &[Step<'_>], at: usize) -> impl Iterator<Item = Check> {
    let step = &steps[at];
    let next = steps.get(at + 1).map(|own| own.kind);
    let is_reply = step.kind == StepKind::Reply;
    let has_results = step.kind == StepKind::Result || step.behind_reply > 0;
    // A reply may be stored piece by piece.
    let ends_reply = is_reply && next != Some(StepKind::Reply);
    let goes_on = next.is_none() || next == Some(StepKind::Reply);
    // Its results are still to come.
    let waits = is_reply && step.calls > 0 && !has_results;
    let turn_ends = next.is_none() || next == Some(StepKind::Prompt);
    [
        (ends_reply || (is_reply && has_results)).then_some(Check::AfterStep),
        // Where the results of the newest calls are not in the file, the agent looks all the same,
        // and results only add to the size.
        ((has_results && goes_on) || (waits && next.is_none())).then_some(Check::BetweenTools),
        (is_reply && turn_ends && !waits && !has_results).then_some(Check::AfterRun),
        (next == Some(StepKind::Prompt)).then_some(Check::BeforePrompt),
        (!is_reply && !has_results && goes_on).then_some(Check::BeforeRequest),
    ]
    .into_iter()
    .flatten()
}

/// When a policy gives up.
#[derive(Default)]
struct Guard {
    turns: u64,
    fired_at_turn: Option<u64>,
    quick: u64,
    in_vain: u64,
}

impl Guard {
    fn after(&mut self, policy: &Policy, again: bool) -> Option<StopReason> {
        if let Some(thrash) = policy.thrash {
            let is_quick = self
                .fired_at_turn
                .is_some_and(|last| self.turns - last <= thrash.turns);
            self.quick = if is_quick { self.quick + 1 } else { 0 };
            if self.quick >= thrash.times {
                return Some(StopReason::Thrash);
            }
        }
        self.fired_at_turn = Some(self.turns);
        self.in_vain = if again { self.in_vain + 1 } else { 0 };
        (self.in_vain >= MOST_IN_VAIN).then_some(StopReason::NoRoom)
    }
}

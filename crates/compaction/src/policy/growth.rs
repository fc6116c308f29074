//! How a context grows along a path, by sizes alone.

use palimpsest_core::entry::{FileAccess, MessageSize, ToolCallBrief};
use palimpsest_core::usage::MOST_TOKENS;
use palimpsest_core::{Category, Entry, EntryIx, EntryKind, Role, Session};
use std::collections::VecDeque;

/// What an entry is to a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Something the user wrote.
    Prompt,
    /// Something put in under the user's name.
    Injected,
    /// A reply of the model.
    Reply,
    /// The result of a tool.
    Result,
}

/// An entry with messages.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    /// The entry.
    pub ix: EntryIx,
    /// Its position on the path.
    pub position: usize,
    /// What it is.
    pub kind: StepKind,
    /// Its tokens by the agent's own estimate.
    pub size: u64,
    /// What the provider's report adds to the estimates since the report before; may be negative.
    pub extra: i64,
    /// Of `size`, what stands behind the reply in the same entry (results of its calls).
    pub behind_reply: u64,
    /// Tokens of the reply in the provider's report, where the report counts: its stored text is
    /// often smaller, because reasoning is not stored.
    pub reply: Option<u64>,
    /// Its messages.
    pub messages: u64,
    /// Of these, messages with text by the user or the model.
    pub texts: u64,
    /// Number of tools it calls.
    pub calls: usize,
    /// True when no result of a call would be parted from its call by a cut before it.
    pub may_cut: bool,
    /// The tool whose result it is.
    pub tool: Option<&'a str>,
    /// The file whose content it is: the result of a call that read one.
    pub read: Option<&'a str>,
    /// True for a result that says that its tool failed.
    pub failed: bool,
    /// What its calls change, in their order.
    pub edits: Vec<Edited<'a>>,
}

/// A change that a call makes to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edited<'a> {
    /// The file.
    pub path: &'a str,
    /// Tokens of the call: its part of what all calls of the reply have.
    pub tokens: u64,
    /// True when the file is written whole.
    pub is_whole: bool,
}

/// A path as a policy sees it: what each entry added to the context, as if nothing had ever been
/// made smaller.
///
/// Compactions of the session and what they cleared are skipped. Sizes are the agent's own
/// estimates, corrected by what providers reported: the first report tells what is sent besides
/// the entries (system prompt, tools), each later one what the estimates since the one before were
/// off by. The first report after a compaction corrects nothing, because it also speaks of the
/// summary. What an agent put in again after a compaction of its own stays in.
#[derive(Debug, Clone, Default)]
pub struct Growth<'a> {
    /// The entries with messages, root to leaf.
    pub steps: Vec<Step<'a>>,
    /// Tokens sent besides them once the step at this position is there: what no file holds, and
    /// system messages that are stored. Ascending positions.
    pub besides: Vec<(usize, u64)>,
    /// True where the agent compacted automatically behind the last step, so that it looked there,
    /// whatever the records show of that moment.
    pub ends_compacted: bool,
    /// The size that the agent stored of the context there: what it held against its threshold.
    pub stored_at_end: Option<u64>,
}

impl<'a> Growth<'a> {
    /// The growth along `path`, root first.
    pub fn along(session: &'a Session, path: &[EntryIx]) -> Growth<'a> {
        Growth::walked(session, path, Meter::default())
    }

    /// The growth along `path` as the agent that wrote it counted its context: a clearing shows in
    /// the next report, and a reply counts as its blocks where the stored output is smaller (of two
    /// thirds of the replies of Claude Code 2.0.76 to 2.1.42 the file holds 8 tokens or less).
    pub fn recorded(session: &'a Session, path: &[EntryIx]) -> Growth<'a> {
        let meter = Meter {
            as_recorded: true,
            ..Meter::default()
        };
        Growth::walked(session, path, meter)
    }

    fn walked(session: &'a Session, path: &[EntryIx], mut meter: Meter) -> Growth<'a> {
        let mut growth = Growth::default();
        let mut calls = Calls::default();
        let mut system = 0;
        for (position, &ix) in path.iter().enumerate() {
            let entry = session.entry(ix);
            match &entry.kind {
                EntryKind::Compaction(_) => {
                    meter.forget();
                    meter.compacted = true;
                    continue;
                }
                // The agent counts from the last report on, so that a clearing shows only in the next
                // one: Claude Code 2.1.20 compacted at 176,700 tokens right behind a clearing of
                // 38,535, and at 157,925 behind one of 27,012, with a threshold of 155,000.
                EntryKind::Clearing(_) if meter.as_recorded => continue,
                EntryKind::Clearing(_) => {
                    meter.forget();
                    continue;
                }
                EntryKind::ContextEdit {
                    target: Some(target),
                    estimate,
                    ..
                } => {
                    // pi trusts a report only behind the newest edit (since 0.87).
                    meter.forget();
                    growth.edit(*target, *estimate);
                    continue;
                }
                // A message that is shown and not sent adds nothing.
                _ if !entry.messages.iter().any(|own| own.sent) => continue,
                _ => {}
            }
            let is_system = entry.messages.iter().all(|own| own.role == Role::System);
            if is_system {
                system += entry.estimate();
                meter.total += entry.estimate() as i64;
            } else {
                let step = growth.step(entry, (position, ix), &mut calls);
                meter.add(entry, step);
            }
            let besides = system + meter.overhead;
            let known = growth.besides.last().map_or(0, |(_, tokens)| *tokens);
            if besides != known {
                // A report comes with its step; a system message is sent with the next one.
                let position = growth.steps.len().saturating_sub(usize::from(!is_system));
                growth.besides.push((position, besides));
            }
        }
        growth
    }

    fn step(
        &mut self,
        entry: &'a Entry,
        (position, ix): (usize, EntryIx),
        calls: &mut Calls<'a>,
    ) -> &mut Step<'a> {
        let first = entry.role().unwrap_or(Role::User);
        let kind = match (first, &entry.kind) {
            (Role::Assistant, _) => StepKind::Reply,
            (Role::Tool, _) => StepKind::Result,
            (Role::User, EntryKind::Message(_)) => StepKind::Prompt,
            _ => StepKind::Injected,
        };
        if kind == StepKind::Prompt {
            // A prompt ends the turn: calls that still wait get no result.
            calls.open.clear();
        }
        let may_cut = calls.open.is_empty() && kind != StepKind::Result;
        let mut step = Step {
            ix,
            position,
            kind,
            size: entry.estimate(),
            extra: 0,
            behind_reply: 0,
            reply: None,
            messages: entry.messages.len() as u64,
            texts: 0,
            calls: entry.tool_calls.len(),
            may_cut,
            tool: None,
            read: None,
            failed: kind == StepKind::Result && entry.is_error,
            edits: edits(entry),
        };
        // Before the messages: results may stand in the same entry.
        if kind == StepKind::Reply {
            let reads = entry.tool_calls.iter().map(|call| match call.access {
                Some(FileAccess::Read) => call.path.as_deref(),
                _ => None,
            });
            calls.open.extend(reads);
        }
        for message in &entry.messages {
            match message.role {
                Role::Tool => {
                    step.tool = message.tool_name.as_deref().or(step.tool);
                    // In the order of the calls, as no ids are looked at here.
                    step.read = calls.open.pop_front().flatten().or(step.read);
                    if kind == StepKind::Reply {
                        step.behind_reply += message.estimate;
                    }
                }
                Role::User => step.texts += 1,
                Role::Assistant => {
                    let mut units = message.units.iter();
                    let has_text = units.any(|(own, _)| *own == Category::AssistantText);
                    step.texts += u64::from(has_text);
                }
                Role::System => {}
            }
        }
        self.steps.push(step);
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    /// An edit of what the model sees of an entry: from now on it has another size.
    fn edit(&mut self, target: EntryIx, estimate: u64) {
        // Edits are few and mostly of what was just said.
        let found = self.steps.iter_mut().rev().find(|step| step.ix == target);
        if let Some(step) = found {
            step.size = estimate;
            step.behind_reply = step.behind_reply.min(estimate);
        }
    }
}

/// What the calls of `entry` change. Calls of one reply are assumed to be of one size.
fn edits(entry: &Entry) -> Vec<Edited<'_>> {
    let changes = |own: &&ToolCallBrief| {
        let is_change = matches!(own.access, Some(FileAccess::Edit | FileAccess::Write));
        own.path.is_some() && is_change
    };
    if !entry.tool_calls.iter().any(|own| changes(&own)) {
        return Vec::new();
    }
    let tokens: u64 = entry.messages.iter().map(tokens_of_calls).sum();
    let each = tokens / entry.tool_calls.len() as u64;
    let edits = entry.tool_calls.iter().filter(changes);
    let edits = edits.filter_map(|own| {
        Some(Edited {
            path: own.path.as_deref()?,
            tokens: each,
            is_whole: own.access == Some(FileAccess::Write),
        })
    });
    edits.collect()
}

/// Of a message's tokens, those of its calls.
fn tokens_of_calls(message: &MessageSize) -> u64 {
    let units = |of: Option<Category>| -> u64 {
        let own = message.units.iter();
        let own = own.filter(|(category, _)| of.is_none_or(|of| of == *category));
        own.map(|(_, units)| units).sum()
    };
    let part = message.estimate * units(Some(Category::ToolCalls));
    part.checked_div(units(None)).unwrap_or(0)
}

/// Calls that wait for their results, each with the file it reads.
#[derive(Default)]
pub(crate) struct Calls<'a> {
    open: VecDeque<Option<&'a str>>,
}

/// What providers reported against what was estimated.
#[derive(Default)]
struct Meter {
    /// Size of the context by estimates since the last report, and that report.
    total: i64,
    overhead: u64,
    /// True once a report was used.
    calibrated: bool,
    /// True after a compaction: the next report is taken as it is.
    forgets: bool,
    /// True once there was a compaction.
    compacted: bool,
    /// True where sizes are counted as the agent of the session counts them.
    as_recorded: bool,
}

impl Meter {
    fn forget(&mut self) {
        self.forgets = true;
    }

    fn add(&mut self, entry: &Entry, step: &mut Step<'_>) {
        // A report speaks of the reply and not of the results behind it.
        self.total += (step.size - step.behind_reply) as i64;
        if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
            let mut said = usage.context_tokens() as i64;
            let request = said - usage.output.min(MOST_TOKENS) as i64;
            if self.as_recorded {
                let reply = (step.size - step.behind_reply).min(MOST_TOKENS);
                said += reply.saturating_sub(usage.output) as i64;
            }
            if self.forgets {
                self.forgets = false;
            } else if self.calibrated {
                step.extra = said - self.total;
                step.reply = u64::try_from(said - request).ok();
            } else if !self.compacted {
                step.reply = u64::try_from(said - request).ok();
                // Where the estimates exceed the report nothing is sent besides; the step takes
                // the difference.
                self.overhead = u64::try_from(said - self.total).unwrap_or(0);
                step.extra = (said - self.total).min(0);
            }
            self.calibrated = true;
            self.total = said;
        }
        self.total += step.behind_reply as i64;
    }
}

//! A context whose items have the sizes that providers reported.

use super::after::Learned;
use super::measure::{Measure, request};
use super::next_report::reply_below;
use super::total::total;
use crate::SessionFormat;
use crate::reading::GivenAgain;
use palimpsest_core::context::ReportedSize;
use palimpsest_core::{Context, ContextItem, EntryIx, EntryKind, ItemKind, Session, Tree};

/// A growth from one request to the next that is so many times the estimate of what was added, or
/// that part of it, does not tell the items' sizes: something was cleared or added besides.
const FAR: u64 = 8;

/// On what the size of a context rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeBasis {
    /// On the newest report, plus estimates of what follows it.
    Reported,
    /// On earlier reports: the context changed since.
    Forecast,
    /// On estimates: nothing was reported.
    Estimated,
}

/// Something in a context that the session does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// Its size in tokens.
    pub tokens: u64,
    /// What it is made of, where that is known.
    pub given: Vec<GivenAgain>,
}

/// The context at an entry, with its size and those of its parts.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredContext {
    /// The context; its `reported` is absent where the newest report is of another context.
    pub context: Context,
    /// The size of the whole in tokens.
    pub tokens: u64,
    /// On what it rests.
    pub basis: SizeBasis,
    /// What is sent with every request and not recorded: the system prompt and the tools.
    pub prefix: u64,
    /// What the agent sends again since the newest compaction and does not record.
    pub given_again: Part,
    /// The size of each item in tokens: its share of what was reported.
    pub items: Vec<u64>,
}

impl MeasuredContext {
    /// The context at `at`.
    pub fn at(
        format: &dyn SessionFormat,
        session: &Session,
        tree: &Tree,
        at: Option<EntryIx>,
    ) -> MeasuredContext {
        MeasuredContext::made(format, session, tree, at, false)
    }

    /// The context at `at`; behind a compaction without a reply on the path, its size is taken from
    /// the first request below.
    pub fn with_next_report(
        format: &dyn SessionFormat,
        session: &Session,
        tree: &Tree,
        at: Option<EntryIx>,
    ) -> MeasuredContext {
        MeasuredContext::made(format, session, tree, at, true)
    }

    fn made(
        format: &dyn SessionFormat,
        session: &Session,
        tree: &Tree,
        at: Option<EntryIx>,
        looks_ahead: bool,
    ) -> MeasuredContext {
        let mut context = format.context(session, tree, at);
        let measure = Measure::along(format, session, &context.path);
        let place = |entry: EntryIx| context.path.iter().rposition(|&ix| ix == entry);
        let is_older = |size: &ReportedSize| place(size.entry) < measure.changed;
        context.reported = context.reported.filter(|size| !is_older(size));
        match context.reported {
            Some(size) => {
                let tokens = carried_on(session, &context, &measure, size);
                shared_out(session, context, &measure, tokens)
            }
            None => {
                let mut made = estimated(format, session, tree, context, &measure);
                if looks_ahead {
                    made.take_next_report(session, tree, &measure);
                }
                made
            }
        }
    }

    /// Tokens of the size that no report holds: estimates of what was added since the newest one.
    pub fn estimated_since(&self) -> u64 {
        match self.context.reported {
            Some(newest) => self.tokens.saturating_sub(newest.usage_tokens),
            None => 0,
        }
    }

    /// Takes the size from the first request below, without what was added for it below.
    fn take_next_report(&mut self, session: &Session, tree: &Tree, measure: &Measure) {
        let Some(summary) = self.context.compaction else {
            return;
        };
        let Some(at) = self.context.at else { return };
        let Some((reply, request)) = reply_below(session, tree, at) else {
            return;
        };
        let path = tree.path(reply);
        let from = path.iter().position(|&ix| ix == at);
        let added = from.map_or(&[][..], |from| &path[from + 1..path.len() - 1]);
        let added = total(added.iter().map(|&ix| session.entry(ix).estimate()));
        let tokens = request.saturating_sub(measure.scaled(added));
        if path.contains(&summary) {
            self.become_size(tokens, measure);
            self.given_again.given.clear();
            self.basis = SizeBasis::Reported;
        }
    }

    /// Makes the parts add up to `tokens`: what the items do not explain is given again, or where no
    /// report told the size of the system prompt and the tools it is theirs. Items that are too large
    /// shrink.
    fn become_size(&mut self, tokens: u64, measure: &Measure) {
        self.tokens = tokens;
        let held = total(self.items.iter().copied());
        if !measure.is_told {
            self.prefix = tokens.saturating_sub(held);
        }
        self.prefix = self.prefix.min(tokens);
        let rest = tokens - self.prefix;
        self.given_again.tokens = rest.saturating_sub(held);
        if held > rest {
            scale_to(&mut self.items, held, rest);
            // Rounding leaves a token here and there.
            self.prefix = tokens - total(self.items.iter().copied());
        }
    }
}

/// Without a report of this context: what earlier ones tell.
fn estimated(
    format: &dyn SessionFormat,
    session: &Session,
    tree: &Tree,
    context: Context,
    measure: &Measure,
) -> MeasuredContext {
    let items: Vec<u64> = context
        .items
        .iter()
        .map(|item| likely(item, measure))
        .collect();
    let prefix = if measure.is_current { 0 } else { measure.fixed };
    let (given, learned) = match context.compaction {
        Some(summary) => {
            let end = context.path.iter().position(|&ix| ix == summary);
            let above = end.map_or(&[][..], |end| &context.path[..=end]);
            (
                format.given_again(session, above),
                Learned::along(format, session, tree, above),
            )
        }
        None => (Vec::new(), Learned::default()),
    };
    let given_again = Part {
        tokens: total(given.iter().map(|given| given.tokens)),
        given,
    };
    let basis = if prefix > 0 {
        SizeBasis::Forecast
    } else {
        SizeBasis::Estimated
    };
    let held = total(items.iter().copied());
    let tokens = total([prefix, given_again.tokens, held]);
    let mut made = MeasuredContext {
        tokens,
        basis,
        prefix,
        given_again,
        items,
        context,
    };
    let expected = learned.applied(tokens);
    if expected != tokens {
        made.become_size(expected, measure);
    }
    made
}

fn likely(item: &ContextItem, measure: &Measure) -> u64 {
    match item.kind {
        ItemKind::CompactionSummary | ItemKind::BranchSummary => {
            measure.scaled_prose(item.estimate)
        }
        _ => measure.scaled(item.estimate),
    }
}

/// The size now: the newest request, its reply, and what was added since.
///
/// The reply counts as its blocks where the stored output is smaller: of two thirds of the replies
/// of Claude Code (2.0.76 to 2.1.42) the file holds an output of 8 tokens or less, written before
/// the reply had ended.
fn carried_on(session: &Session, context: &Context, measure: &Measure, size: ReportedSize) -> u64 {
    let items = &context.items;
    let is_reply = |item: &ContextItem| item.entries.contains(&size.entry);
    let Some(at) = items.iter().position(is_reply) else {
        return size.tokens;
    };
    let Some(request) = request(session.entry(size.entry)) else {
        return size.tokens;
    };
    let output = size.usage_tokens.saturating_sub(request);
    let reply = output.max(measure.scaled(items[at].estimate));
    let added = total(items[at + 1..].iter().map(|item| item.estimate));
    let size_now = total([request, reply, measure.scaled(added)]);
    size_now.saturating_sub(cleared_since(session, &context.path, size.entry))
}

/// Tokens of the results that were cleared on `path` behind `report`: of what it counted, they are
/// no longer sent. The agent's own number goes before the estimates of the results.
fn cleared_since(session: &Session, path: &[EntryIx], report: EntryIx) -> u64 {
    let behind = path.iter().rev().take_while(|&&ix| ix != report);
    let saved = behind.filter_map(|&ix| match &session.entry(ix).kind {
        EntryKind::Clearing(told) => {
            let results = told.results.iter();
            let estimated = || total(results.map(|&own| session.entry(own).estimate()));
            Some(told.tokens_saved.unwrap_or_else(estimated))
        }
        _ => None,
    });
    total(saved)
}

/// Shares the reported size out: between two requests grew what was added between them.
fn shared_out(
    session: &Session,
    context: Context,
    measure: &Measure,
    tokens: u64,
) -> MeasuredContext {
    let mut items: Vec<u64> = context
        .items
        .iter()
        .map(|item| likely(item, measure))
        .collect();
    let place = |entry: EntryIx| context.path.iter().rposition(|&ix| ix == entry);
    let mut first = None;
    let mut before: Option<(usize, u64)> = None;
    for (position, item) in context.items.iter().enumerate() {
        let Some(&reply) = item.entries.first() else {
            continue;
        };
        let is_current = place(reply) > measure.changed;
        let Some(request) = request(session.entry(reply)).filter(|_| is_current) else {
            continue;
        };
        if let Some((from, smaller)) = before {
            share(
                &mut items[from..position],
                &context.items[from..position],
                request,
                smaller,
            );
        }
        first.get_or_insert((position, request));
        before = Some((position, request));
    }
    let (upto, request) = first.unwrap_or((context.items.len(), tokens));
    let held = total(items[..upto].iter().copied());
    let besides = request.saturating_sub(held);
    // The estimates were too large, so nothing is left for what is not recorded.
    if held > request {
        scale_to(&mut items[..upto], held, request);
    }
    let mut prefix = besides;
    let mut given_again = Part::default();
    if context.compaction.is_some() && measure.fixed > 0 {
        prefix = besides.min(measure.fixed);
        given_again.tokens = besides - prefix;
    }
    // Whatever the differences do not explain is of what is not recorded.
    let held = total(items.iter().copied());
    let sum = total([prefix, given_again.tokens, held]);
    let missing = tokens.saturating_sub(sum);
    let surplus = sum.saturating_sub(tokens);
    prefix = prefix.saturating_add(missing).saturating_sub(surplus);
    let rest = tokens.saturating_sub(total([prefix, given_again.tokens]));
    if held > rest {
        scale_to(&mut items, held, rest);
    }
    MeasuredContext {
        tokens,
        basis: SizeBasis::Reported,
        prefix,
        given_again,
        items,
        context,
    }
}

/// Gives `tokens` the growth from `smaller` to `request` by their estimates.
fn share(tokens: &mut [u64], items: &[ContextItem], request: u64, smaller: u64) {
    let estimated = total(items.iter().map(|item| item.estimate));
    let Some(growth) = request.checked_sub(smaller).filter(|growth| *growth > 0) else {
        return;
    };
    if growth > estimated.saturating_mul(FAR) || estimated > growth.saturating_mul(FAR) {
        return;
    }
    for (tokens, item) in tokens.iter_mut().zip(items) {
        *tokens = part_of(item.estimate, growth, estimated);
    }
}

/// Scales `tokens`, which are `sum` together, to `wanted`.
fn scale_to(tokens: &mut [u64], sum: u64, wanted: u64) {
    for tokens in tokens {
        *tokens = part_of(*tokens, wanted, sum);
    }
}

/// `tokens` of `whole` as the same share of `of`.
fn part_of(tokens: u64, of: u64, whole: u64) -> u64 {
    // In 128 bits: the product of two reported sizes may not fit 64.
    let part = u128::from(tokens) * u128::from(of) / u128::from(whole.max(1));
    u64::try_from(part).unwrap_or(u64::MAX)
}

//! How large a context is behind a compaction.

use super::measure::{Measure, request};
use crate::SessionFormat;
use palimpsest_core::{EntryIx, EntryKind, ItemKind, Session, Tree};

/// Most tokens by which an earlier compaction corrects a forecast; more has a cause of its own, such
/// as a long prompt behind it.
const MOST_LEARNED: u64 = 8_000;

/// The size of the context behind a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AfterCompaction {
    /// Tokens of the next request: as its provider reported, or as forecast.
    pub tokens: u64,
    /// True where no request was reported before the next compaction.
    pub is_forecast: bool,
    /// Likely tokens of the summary in it.
    pub summary: u64,
}

impl AfterCompaction {
    /// The size behind the compaction whose summary stands at `summary`: what the first request
    /// below it reported, else the forecast.
    pub fn of(
        format: &dyn SessionFormat,
        session: &Session,
        tree: &Tree,
        summary: EntryIx,
    ) -> AfterCompaction {
        match reported_below(session, tree, summary) {
            Some(tokens) => {
                let measure = Measure::along(format, session, &tree.path(summary));
                AfterCompaction {
                    tokens,
                    is_forecast: false,
                    summary: measure.scaled_prose(session.entry(summary).estimate()),
                }
            }
            None => AfterCompaction::forecast(format, session, tree, summary),
        }
    }

    /// The size that the first request below the summary reported, before the next compaction; `None`
    /// where there is none. Many compactions can be asked for: nothing above the summary is read.
    pub fn reported(session: &Session, tree: &Tree, summary: EntryIx) -> Option<u64> {
        reported_below(session, tree, summary)
    }

    /// The size that the next request will have, from what stands above the summary and from the
    /// summary itself. Where an earlier compaction on the path was followed by more or less than
    /// its forecast, the difference is expected again.
    pub fn forecast(
        format: &dyn SessionFormat,
        session: &Session,
        tree: &Tree,
        summary: EntryIx,
    ) -> AfterCompaction {
        let path = tree.path(summary);
        let mut forecast = AfterCompaction::counted(format, session, tree, &path, summary);
        if let Some((earlier, reported)) = reported_before(session, &path) {
            let upto = tree.path(earlier);
            let then = AfterCompaction::counted(format, session, tree, &upto, earlier).tokens;
            let more = reported.saturating_sub(then).min(MOST_LEARNED);
            let less = then.saturating_sub(reported).min(MOST_LEARNED);
            forecast.tokens = (forecast.tokens + more).saturating_sub(less);
        }
        forecast
    }

    /// The sum of the parts that are known.
    fn counted(
        format: &dyn SessionFormat,
        session: &Session,
        tree: &Tree,
        path: &[EntryIx],
        summary: EntryIx,
    ) -> AfterCompaction {
        let measure = Measure::along(format, session, path);
        let context = format.context(session, tree, Some(summary));
        let is_summary = |kind| kind == ItemKind::CompactionSummary;
        let sent = context.items.iter().filter(|item| item.sent);
        let (mut prose, mut rest) = (0, 0);
        for item in sent {
            if is_summary(item.kind) {
                prose += item.estimate;
            } else {
                rest += item.estimate;
            }
        }
        let again = format.given_again(session, path);
        // Not scaled: these sizes were fitted to reports already.
        let again: u64 = again.iter().map(|given| given.tokens).sum();
        let summary = measure.scaled_prose(prose);
        AfterCompaction {
            tokens: measure.fixed + summary + measure.scaled(rest) + again,
            is_forecast: true,
            summary,
        }
    }
}

/// The newest compaction above the end of `path` behind which a request was reported, with the size
/// of the first.
fn reported_before(session: &Session, path: &[EntryIx]) -> Option<(EntryIx, u64)> {
    let mut first = None;
    for &ix in path[..path.len().saturating_sub(1)].iter().rev() {
        let entry = session.entry(ix);
        first = request(entry).or(first);
        if matches!(entry.kind, EntryKind::Compaction(_))
            && let Some(first) = first
        {
            return Some((ix, first));
        }
    }
    None
}

/// The size of the first request below `summary` and above the next compaction.
fn reported_below(session: &Session, tree: &Tree, summary: EntryIx) -> Option<u64> {
    reply_below(session, tree, summary).map(|(_, tokens)| tokens)
}

/// The first reply below `at` and above the next compaction, with the size of its request.
pub(super) fn reply_below(session: &Session, tree: &Tree, at: EntryIx) -> Option<(EntryIx, u64)> {
    let mut waiting: Vec<EntryIx> = tree.children(at).iter().rev().copied().collect();
    while let Some(ix) = waiting.pop() {
        let entry = session.entry(ix);
        // A subagent's requests are of another context.
        if entry.sidechain || matches!(entry.kind, EntryKind::Compaction(_)) {
            continue;
        }
        if let Some(tokens) = request(entry) {
            return Some((ix, tokens));
        }
        waiting.extend(tree.children(ix).iter().rev());
    }
    None
}

//! How large a context is behind a compaction.

use super::measure::{Measure, request};
use super::total::total;
use crate::SessionFormat;
use palimpsest_core::{EntryIx, EntryKind, ItemKind, Session, Tree};

/// Most tokens by which an earlier compaction corrects a forecast; more has a cause of its own, such
/// as a long prompt behind it.
const MOST_LEARNED: u64 = 8_000;

/// The size of the context behind a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AfterCompaction {
    /// Tokens of the context there: by what the provider reported of the next request, or as
    /// forecast.
    pub tokens: u64,
    /// True where no request was reported before the next compaction.
    pub is_forecast: bool,
    /// Likely tokens of the summary in it.
    pub summary: u64,
}

impl AfterCompaction {
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
        let learned = Learned::along(format, session, tree, &path);
        forecast.tokens = learned.applied(forecast.tokens);
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
                prose = total([prose, item.estimate]);
            } else {
                rest = total([rest, item.estimate]);
            }
        }
        let again = format.given_again(session, path);
        // Not scaled: these sizes were fitted to reports already.
        let again: u64 = total(again.iter().map(|given| given.tokens));
        let summary = measure.scaled_prose(prose);
        AfterCompaction {
            tokens: total([measure.fixed, summary, measure.scaled(rest), again]),
            is_forecast: true,
            summary,
        }
    }
}

/// By how much an earlier compaction was followed by another size than its forecast, in tokens; one
/// of both is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Learned {
    more: u64,
    less: u64,
}

impl Learned {
    /// What the path to a compaction tells, which stands at its end.
    pub(super) fn along(
        format: &dyn SessionFormat,
        session: &Session,
        tree: &Tree,
        path: &[EntryIx],
    ) -> Learned {
        let Some((earlier, reported)) = reported_before(session, path) else {
            return Learned::default();
        };
        let upto = tree.path(earlier);
        let then = AfterCompaction::counted(format, session, tree, &upto, earlier).tokens;
        Learned {
            more: reported.saturating_sub(then).min(MOST_LEARNED),
            less: then.saturating_sub(reported).min(MOST_LEARNED),
        }
    }

    /// A forecast with the difference expected again.
    pub(super) fn applied(self, forecast: u64) -> u64 {
        forecast.saturating_add(self.more).saturating_sub(self.less)
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

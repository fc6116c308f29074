//! What the providers' reports along a path say of the context at its end.

use crate::session::OpenSession;
use palimpsest_core::{Entry, EntryIx, EntryKind, Role};

/// What is known of a context's size from what was reported on the way to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Measure {
    /// Tokens sent with every request beside the session's messages (the system prompt and the
    /// tools, where the file does not hold them): what the first trusted report is above the
    /// estimates of what was sent then. 0 where nothing was reported before the first compaction
    /// or edit, and where the estimates are above the report.
    pub fixed: u64,
    /// The newest compaction or edit on the path, as its place from 0: usage that was reported
    /// before it is of another context (pi 0.87 and later trusts no such usage).
    pub changed: Option<usize>,
    /// True when the context at the end of the path was reported, but for what was added since.
    pub is_current: bool,
}

impl Measure {
    /// The measure of `path`, root first.
    pub fn along(open: &OpenSession, path: &[EntryIx]) -> Measure {
        let mut measure = Measure::default();
        let mut sent = Some(0);
        for (position, &ix) in path.iter().enumerate() {
            let entry = open.session.entry(ix);
            if changes(entry) {
                measure.changed = Some(position);
                measure.is_current = false;
                sent = None;
                continue;
            }
            if let Some(reported) = reported(entry) {
                if let Some(sent) = sent.take() {
                    measure.fixed = reported.saturating_sub(sent + to_the_reply(entry));
                }
                measure.is_current = true;
            }
            sent = sent.map(|sent| sent + entry.estimate());
        }
        measure
    }

    /// The tokens beside the messages that a size of `reported` tokens, which the agent took for
    /// messages of `estimated` tokens, has to be shared out with: none where the report is not
    /// above the estimates, so that an estimate is held against an estimate.
    pub fn fixed_in(&self, reported: u64, estimated: u64) -> u64 {
        if self.is_current && reported <= estimated {
            0
        } else {
            self.fixed
        }
    }
}

/// True for an entry after which the context is another.
fn changes(entry: &Entry) -> bool {
    matches!(
        entry.kind,
        EntryKind::Compaction(_) | EntryKind::ContextEdit { .. }
    )
}

fn reported(entry: &Entry) -> Option<u64> {
    let usage = entry.usage.filter(|_| entry.usage_trusted)?;
    Some(usage.context_tokens())
}

/// The estimate of an entry without the results that some agents store with the calls: a report
/// is of the request and the reply.
fn to_the_reply(entry: &Entry) -> u64 {
    let own = entry.messages.iter();
    let own = own.filter(|message| message.role != Role::Tool);
    own.map(|message| message.estimate).sum()
}

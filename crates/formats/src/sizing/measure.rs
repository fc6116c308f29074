//! What the providers' reports along a path say of the context at its end.

use super::total::total;
use crate::SessionFormat;
use crate::reading::FirstReport;
use palimpsest_core::{Entry, EntryIx, EntryKind, Session};

/// Estimated tokens between reports that are enough to tell the scale of the estimates.
const ENOUGH_TOKENS: u64 = 2_000;
/// Scales beyond these come from damaged or made-up reports.
const SCALES: std::ops::RangeInclusive<f64> = 0.5..=2.5;
/// The scale of prose is at most this: summaries have 3.5 characters a token where source code has
/// 2.8 (13 real compactions by Claude Code), and estimates take both for four.
const PROSE_SCALE: f64 = 8.0 / 7.0;

/// What is known of a context's size from what was reported on the way to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// Tokens sent with every request beside the session's messages (the system prompt and the
    /// tools, where the file does not hold them): what the first trusted report is above the
    /// estimates of what was sent then. 0 where nothing was reported before the first compaction
    /// or edit, and where the estimates are above the report.
    pub fixed: u64,
    /// True where a report told `fixed`: of 0 tokens without one nothing is known.
    pub is_told: bool,
    /// The newest compaction or edit on the path, as its place from 0: usage that was reported
    /// before it is of another context (pi 0.87 and later trusts no such usage).
    pub changed: Option<usize>,
    /// True when the context at the end of the path was reported, but for what was added since.
    pub is_current: bool,
    /// Reported tokens for each estimated one, from the differences between requests; 1 where
    /// too little was reported.
    pub scale: f64,
}

impl Default for Measure {
    fn default() -> Self {
        Measure {
            fixed: 0,
            is_told: false,
            changed: None,
            is_current: false,
            scale: 1.0,
        }
    }
}

impl Measure {
    /// The measure of `path`, root first.
    pub fn along(format: &dyn SessionFormat, session: &Session, path: &[EntryIx]) -> Measure {
        let mut measuring = Measuring::default();
        for (position, &ix) in path.iter().enumerate() {
            let entry = session.entry(ix);
            measuring.take(position, entry, entry.estimate());
        }
        measuring.measure(format)
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

    /// The likely size in tokens of messages that the agent estimates at `estimated`.
    pub fn scaled(&self, estimated: u64) -> u64 {
        scaled(estimated, self.scale)
    }

    /// The likely size in tokens of prose that the agent estimates at `estimated`.
    pub fn scaled_prose(&self, estimated: u64) -> u64 {
        (estimated as f64 * self.scale.min(PROSE_SCALE)).round() as u64
    }
}

/// A measure while its path is walked.
pub(super) struct Measuring {
    measure: Measure,
    /// Estimates of what was sent with the first request, until it is reported.
    sent: Option<u64>,
    first: Option<FirstReport>,
    since: Since,
}

impl Default for Measuring {
    fn default() -> Self {
        Measuring {
            measure: Measure::default(),
            sent: Some(0),
            first: None,
            since: Since::default(),
        }
    }
}

impl Measuring {
    /// Walks over the next entry of the path, at `position` from 0, with its estimate.
    pub(super) fn take(&mut self, position: usize, entry: &Entry, estimate: u64) {
        if changes(entry) {
            self.measure.changed = Some(position);
            self.measure.is_current = false;
            self.sent = None;
            self.since.forget();
            return;
        }
        if let Some(request) = request(entry) {
            // Only the first report tells the part beside the messages; later ones hold what
            // estimates miss.
            if let Some(sent) = self.sent.take() {
                self.first = Some(FirstReport {
                    request,
                    sent,
                    least_cached: None,
                });
            }
            if let Some(first) = &mut self.first {
                let cached = entry.usage.map(|usage| usage.cache_read);
                let cached = cached.filter(|tokens| *tokens > 0);
                // What is always cached is the prompt and the tools, so the least is nearest
                // to them.
                let both = first.least_cached.into_iter().chain(cached);
                first.least_cached = both.min();
            }
            self.measure.is_current = true;
            self.since.report(request);
        }
        self.sent = self.sent.map(|sent| total([sent, estimate]));
        self.since.estimated = total([self.since.estimated, estimate]);
    }

    /// What [`Measure::scaled`] is by the measure of what was walked.
    pub(super) fn scaled(&self, estimated: u64) -> u64 {
        scaled(estimated, self.since.scale())
    }

    /// The measure of what was walked.
    pub(super) fn measure(&self, format: &dyn SessionFormat) -> Measure {
        let first = self.first.as_ref();
        Measure {
            fixed: first.map_or(0, |first| format.beside_messages(first)),
            is_told: first.is_some(),
            scale: self.since.scale(),
            ..self.measure
        }
    }
}

fn scaled(estimated: u64, scale: f64) -> u64 {
    (estimated as f64 * scale).round() as u64
}

/// Reports and estimates since the context changed last.
#[derive(Default)]
struct Since {
    reported: Option<u64>,
    estimated: u64,
    grown: u64,
    grown_estimated: u64,
}

impl Since {
    fn forget(&mut self) {
        self.reported = None;
        self.estimated = 0;
    }

    fn report(&mut self, request: u64) {
        // A request that became smaller was cleared of something, and tells nothing of scale.
        if let Some(growth) = self.reported.and_then(|before| request.checked_sub(before)) {
            self.grown = total([self.grown, growth]);
            self.grown_estimated = total([self.grown_estimated, self.estimated]);
        }
        self.reported = Some(request);
        self.estimated = 0;
    }

    fn scale(&self) -> f64 {
        if self.grown_estimated < ENOUGH_TOKENS {
            return 1.0;
        }
        let scale = self.grown as f64 / self.grown_estimated as f64;
        scale.clamp(*SCALES.start(), *SCALES.end())
    }
}

/// True for an entry after which the context is another.
pub(super) fn changes(entry: &Entry) -> bool {
    matches!(
        entry.kind,
        EntryKind::Compaction(_) | EntryKind::ContextEdit { .. }
    )
}

/// The size in tokens of the request that an entry answers, where a trusted usage tells.
pub(super) fn request(entry: &Entry) -> Option<u64> {
    let usage = entry.usage.filter(|_| entry.usage_trusted)?;
    // Without the reply, whose stored size is often too small.
    Some(usage.context_tokens().saturating_sub(usage.output))
}

//! Sizes and thresholds of real sessions against what their providers reported and where their
//! agents compacted.
//!
//! Each figure is computed from what stands above an entry: the usage it is compared with, and
//! everything later, plays no part in it.

use crate::OracleError;
use palimpsest_app::MachineDisk;
use palimpsest_app::view::policies::{Limits, adapted, followed};
use palimpsest_compaction::policy::Policy;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{EntryIx, EntryKind};
use palimpsest_formats::{AfterCompaction, Disk as _, InMemory, MeasuredContext, SizeBasis, sniff};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How much of a file's beginning tells whose it is.
const HEAD_BYTES: u64 = 64 << 10;
/// A boundary is predicted where the threshold is reached at most so many lines before it.
pub const NEAR_LINES: u32 = 12;
/// The window where a session does not tell its own.
const WINDOW: u64 = 200_000;

/// What one file says.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    /// Relative errors of the size before each reply, in file order.
    pub replies: Vec<f64>,
    /// Forecasts of the size after each compaction.
    pub compactions: Vec<Forecast>,
    /// Predictions of the automatic compactions.
    pub boundaries: Vec<Prediction>,
}

/// The size after a compaction, from what stands above it and its summary.
#[derive(Debug, Clone, Copy)]
pub struct Forecast {
    /// 0-based line of the summary.
    pub line: u32,
    /// Our size in tokens.
    pub ours: u64,
    /// What the next request reported, in tokens.
    pub reported: u64,
}

/// Where the policy of the agent fires, held against a real boundary.
#[derive(Debug, Clone, Copy)]
pub struct Prediction {
    /// 0-based line of the summary's boundary.
    pub line: u32,
    /// The threshold used, in tokens.
    pub threshold: u64,
    /// Number of earlier compactions it was learned from.
    pub learned_from: u32,
    /// Our size before the boundary, in tokens.
    pub size: u64,
    /// 0-based line of the entry at which the policy first fires since the compaction before.
    pub predicted: Option<u32>,
    /// True where the walk of the policy fires by itself. False where only the size right before the
    /// boundary is above the threshold: the results of the newest calls are not in the file, so the
    /// walk sees no moment at which the agent looks, and the place is the boundary's own.
    pub is_walked: bool,
}

impl Prediction {
    /// True where the policy fires close enough before the boundary.
    pub fn is_near(&self) -> bool {
        let lines = self.predicted.map(|line| self.line.abs_diff(line));
        lines.is_some_and(|lines| lines <= NEAR_LINES)
    }
}

impl Forecast {
    /// The relative error.
    pub fn error(&self) -> f64 {
        relative(self.ours, self.reported)
    }
}

fn relative(ours: u64, reported: u64) -> f64 {
    ours.abs_diff(reported) as f64 / reported.max(1) as f64
}

/// The value below which `share` of `values` lie; `None` for no values.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * share).round() as usize).copied()
}

/// The real sessions of the samples, sorted by name.
pub fn real_samples(shared: &Path) -> Vec<PathBuf> {
    let folder = shared.join("samples/claude-code/real");
    let mut files = MachineDisk.list(&folder).unwrap_or_default();
    files.sort();
    files
}

/// Measures one file; `None` for a file that is no session, or one of several in a file.
pub fn measure(path: &Path) -> Result<Option<Measured>, OracleError> {
    let unreadable = |source| OracleError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let head = MachineDisk.read(path, HEAD_BYTES).map_err(unreadable)?;
    let Some(format) = sniff(path, &head) else {
        return Ok(None);
    };
    let address = path.to_string_lossy();
    let ours = match format.assembly(path, &head) {
        None => InMemory::read(format, &address, crate::read(path)?),
        Some(assembly) => match InMemory::assembled(format, assembly, &address, &MachineDisk) {
            Ok(ours) => ours,
            Err(_) => return Ok(None),
        },
    };
    Ok(Some(of_session(&ours)))
}

/// Measures a session.
pub fn of_session(ours: &InMemory) -> Measured {
    let mut measured = Measured::default();
    let mut forecast = HashSet::new();
    for ix in ours.session.indices() {
        let entry = ours.session.entry(ix);
        if let EntryKind::Compaction(told) = &entry.kind
            && told.trigger == Some(Trigger::Auto)
        {
            measured.boundaries.extend(predict(ours, ix));
        }
        let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) else {
            continue;
        };
        let reported = usage.context_tokens().saturating_sub(usage.output);
        let parent = ours.tree.parent(ix);
        let before = MeasuredContext::at(ours.format, &ours.session, &ours.tree, parent);
        let summary = before.context.compaction;
        match summary.filter(|_| before.basis != SizeBasis::Reported) {
            None => measured.replies.push(relative(before.tokens, reported)),
            // Only the first reply behind a compaction tells its size.
            Some(summary) if forecast.insert(summary) => {
                let after =
                    AfterCompaction::forecast(ours.format, &ours.session, &ours.tree, summary);
                measured.compactions.push(Forecast {
                    line: ours.session.entry(summary).source.line,
                    ours: after.tokens,
                    reported,
                });
            }
            Some(_) => {}
        }
    }
    measured
}

/// Where the policy of the agent fires before the compaction at `summary`.
fn predict(ours: &InMemory, summary: EntryIx) -> Option<Prediction> {
    let is_boundary = |ix: EntryIx| {
        let kind = &ours.session.entry(ix).kind;
        // Where the agent decided to compact: Claude Code's boundary, Copilot's beginning.
        let marks = ["compact_boundary", "session.compaction_start"];
        matches!(kind, EntryKind::Custom { custom_type } if marks.contains(&&**custom_type))
    };
    let path = ours.tree.path(summary);
    let boundary = path.iter().rposition(|&ix| is_boundary(ix));
    let boundary = boundary.unwrap_or(path.len() - 1);
    let at = *path[..boundary].last()?;
    let name = ours.session.meta.agent.name();
    let policy = Policy::known(name).ok()?;
    let window = ours.format.window(&ours.session, &ours.tree, Some(at));
    let window = window.unwrap_or(WINDOW);
    let limits = Limits {
        window: Some(window),
        ..Limits::default()
    };
    let budget = ours
        .format
        .policy_at(&ours.session, &ours.tree, Some(at), window);
    let adapted = adapted(policy, &limits, &budget);
    let policy = adapted.as_ref().unwrap_or(policy);
    let context = ours.context(Some(at));
    let estimated = |ix| ours.context(Some(ix)).estimated;
    let course = followed(policy, &limits, &ours.session, &context.path, &estimated);
    let since = context.compaction;
    let fire = course.fires.iter().find(|fire| Some(fire.at) > since);
    // The results of the newest calls may not be in the file: the next request would fire.
    let size = MeasuredContext::at(ours.format, &ours.session, &ours.tree, Some(at)).tokens;
    let is_full = size.max(context.projected) >= budget.threshold;
    let predicted = fire.map(|fire| fire.at).or_else(|| is_full.then_some(at));
    let line = |ix: EntryIx| ours.session.entry(ix).source.line;
    Some(Prediction {
        is_walked: fire.is_some(),
        line: line(path[boundary]),
        threshold: budget.threshold,
        learned_from: budget.learned_from,
        size,
        predicted: predicted.map(line),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_the_list() {
        let values = [4.0, 1.0, 3.0, 2.0, 5.0];
        assert_eq!(quantile(&values, 0.5), Some(3.0));
        assert_eq!(quantile(&values, 0.9), Some(5.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_prediction_is_near_within_twelve_lines() {
        let at = |predicted| Prediction {
            line: 100,
            threshold: 1,
            learned_from: 0,
            size: 1,
            predicted,
            is_walked: true,
        };
        assert!(at(Some(88)).is_near());
        assert!(!at(Some(87)).is_near());
        assert!(!at(None).is_near());
    }
}

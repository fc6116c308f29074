//! Context size over a path.

use crate::session::OpenSession;
use palimpsest_core::{EntryIx, EntryKind, Role, SummaryKind};
use palimpsest_formats::SizeBasis;

/// The context size right after one entry of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Position on the path.
    pub position: usize,
    /// The entry.
    pub ix: EntryIx,
    /// Tokens: a trusted reported usage where the entry has one, else the size before plus what the
    /// entry adds by its scaled estimate.
    pub tokens: u64,
    /// True when `tokens` was reported by the provider.
    pub reported: bool,
}

/// A compaction or branch summary on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Position on the path.
    pub position: usize,
    /// The entry.
    pub ix: EntryIx,
    /// What it is.
    pub kind: SummaryKind,
    /// Context size before it, in tokens: as its agent recorded it, else that of the entry above.
    pub before: u64,
    /// True where `before` is an estimate: nothing was reported.
    pub before_is_estimate: bool,
    /// Context size after it, in tokens.
    pub after: u64,
    /// True where `after` is a forecast: no request was reported before the next compaction.
    pub is_forecast: bool,
}

/// The sizes over the path to `at`.
pub fn timeline(open: &OpenSession, at: Option<EntryIx>) -> (Vec<Point>, Vec<Mark>) {
    let path = at.map(|at| open.tree.path(at)).unwrap_or_default();
    let mut points: Vec<Point> = Vec::with_capacity(path.len());
    let mut marks = Vec::new();
    let mut before = SizeBasis::Estimated;
    for (position, (&ix, size)) in path.iter().zip(open.sizes_along(&path)).enumerate() {
        let entry = open.session.entry(ix);
        if let Some(kind) = entry.kind.summary() {
            let recorded = recorded_before(open, ix);
            marks.push(Mark {
                position,
                ix,
                kind,
                before: recorded.unwrap_or_else(|| points.last().map_or(0, |point| point.tokens)),
                before_is_estimate: recorded.is_none() && before == SizeBasis::Estimated,
                after: size.tokens,
                is_forecast: size.basis != SizeBasis::Reported,
            });
        }
        before = size.basis;
        points.push(Point {
            position,
            ix,
            tokens: size.tokens,
            reported: entry.usage.is_some() && entry.usage_trusted,
        });
    }
    (points, marks)
}

/// The size of a context before its compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    /// Tokens.
    pub tokens: u64,
    /// True where they are an estimate: neither the agent nor the provider recorded them.
    pub is_estimate: bool,
}

fn recorded_before(open: &OpenSession, ix: EntryIx) -> Option<u64> {
    match &open.session.entry(ix).kind {
        EntryKind::Compaction(told) => told.tokens_before,
        _ => None,
    }
}

/// The size before the compaction `ix`: as its agent recorded it, else the last point of the path
/// above it. `None` in a session whose contexts would take too long, and where the file has nothing of
/// the conversation above it.
pub fn before_compaction(open: &OpenSession, ix: EntryIx) -> Option<Before> {
    if let Some(tokens) = recorded_before(open, ix) {
        return Some(Before {
            tokens,
            is_estimate: false,
        });
    }
    if !open.sizes_summaries() {
        return None;
    }
    let path = open.tree.path(ix);
    let mut above = path.iter().filter(|own| **own != ix);
    let has_source = above.any(|own| {
        let messages = &open.session.entry(*own).messages;
        messages.iter().any(|message| message.role != Role::System)
    });
    if !has_source {
        return None;
    }
    let (_, marks) = timeline(open, Some(ix));
    marks.last().map(|mark| Before {
        tokens: mark.before,
        is_estimate: mark.before_is_estimate,
    })
}

/// Thins `points` to about `most`, keeping first, last, and the highest and lowest of every
/// stretch, so that peaks and the drops after them survive.
pub fn thin(points: &[Point], most: usize) -> Vec<Point> {
    if points.len() <= most || most < 4 {
        return points.to_vec();
    }
    // Two points stay of each stretch.
    let stretch = points.len().div_ceil(most / 2);
    let mut kept = Vec::with_capacity(most + 2);
    for part in points.chunks(stretch) {
        let low = part.iter().min_by_key(|point| point.tokens);
        let high = part.iter().max_by_key(|point| point.tokens);
        let mut both: Vec<Point> = low.into_iter().chain(high).copied().collect();
        both.sort_by_key(|point| point.position);
        both.dedup();
        kept.extend(both);
    }
    let ends = [points.first(), points.last()];
    kept.extend(ends.into_iter().flatten().copied());
    kept.sort_by_key(|point| point.position);
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_whose_entries_are_gone_has_no_size_before_its_compaction() {
        let fixture = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../formats/tests/fixtures/mux/valid/replaced.jsonl"
        );
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".mux/sessions/ws");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("chat.jsonl");
        std::fs::copy(fixture, &path).unwrap();
        let open = OpenSession::read(&path).unwrap();
        let is_compaction =
            |ix: &EntryIx| matches!(open.session.entry(*ix).kind, EntryKind::Compaction(_));
        let compaction = open.session.indices().find(is_compaction).unwrap();
        assert_eq!(before_compaction(&open, compaction), None);
    }

    #[test]
    fn thinning_keeps_ends_and_peaks() {
        let points: Vec<Point> = (0..10_000)
            .map(|i| Point {
                position: i,
                ix: EntryIx::new(i),
                tokens: if i == 4_321 {
                    1_000_000
                } else {
                    (i % 7) as u64
                },
                reported: false,
            })
            .collect();
        let thinned = thin(&points, 500);
        assert!(thinned.len() <= 502, "{} points left", thinned.len());
        assert_eq!(thinned.first(), points.first());
        assert_eq!(thinned.last(), points.last());
        assert!(
            thinned.iter().any(|point| point.position == 4_321),
            "the peak is gone"
        );
    }
}

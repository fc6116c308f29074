//! The size of the context behind each entry of a path.

use super::measure::{Measure, Measuring, changes, request};
use super::measured::{MeasuredContext, SizeBasis};
use super::total::total;
use crate::SessionFormat;
use palimpsest_core::usage::MOST_TOKENS;
use palimpsest_core::{EntryIx, EntryKind, Session, Tree};

/// The size of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeAlong {
    /// Tokens of the whole.
    pub tokens: u64,
    /// On what they rest.
    pub basis: SizeBasis,
}

/// What the size rests on while the path goes on.
enum Base {
    Report {
        request: u64,
        output: u64,
        reply: u64,
    },
    Context {
        size: SizeAlong,
    },
}

/// What is known of the sizes along a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Along {
    /// The size of the context behind each entry, root first.
    pub sizes: Vec<SizeAlong>,
    /// The measure of the whole path.
    pub measure: Measure,
}

/// The sizes along `path`, root first, with its measure.
pub fn along(
    format: &dyn SessionFormat,
    session: &Session,
    tree: &Tree,
    path: &[EntryIx],
) -> Along {
    let mut measuring = Measuring::default();
    let mut base = Base::Context {
        size: SizeAlong {
            tokens: 0,
            basis: SizeBasis::Estimated,
        },
    };
    let (mut added, mut cleared) = (0, 0);
    let mut sizes = Vec::with_capacity(path.len());
    for (position, &ix) in path.iter().enumerate() {
        let entry = session.entry(ix);
        let estimate = entry.estimate();
        measuring.take(position, entry, estimate);
        if changes(entry) {
            let made = MeasuredContext::with_next_report(format, session, tree, Some(ix));
            let size = SizeAlong {
                tokens: made.tokens,
                basis: made.basis,
            };
            base = Base::Context { size };
            (added, cleared) = (0, 0);
        } else if let Some(request) = request(entry) {
            base = Base::Report {
                request,
                output: entry.usage.map_or(0, |usage| usage.output.min(MOST_TOKENS)),
                reply: estimate,
            };
            (added, cleared) = (0, 0);
        } else if let EntryKind::Clearing(told) = &entry.kind {
            let results = told.results.iter();
            let estimated = || total(results.map(|&own| session.entry(own).estimate()));
            cleared = total([cleared, told.tokens_saved.unwrap_or_else(estimated)]);
        } else {
            added = total([added, estimate]);
        }
        let (start, basis) = match &base {
            Base::Report {
                request,
                output,
                reply,
            } => (
                request.saturating_add((*output).max(measuring.scaled(*reply))),
                SizeBasis::Reported,
            ),
            Base::Context { size } => (size.tokens, size.basis),
        };
        let tokens = start.saturating_add(measuring.scaled(added));
        let tokens = tokens.saturating_sub(cleared);
        sizes.push(SizeAlong { tokens, basis });
    }
    Along {
        sizes,
        measure: measuring.measure(format),
    }
}

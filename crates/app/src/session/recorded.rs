//! Sizes fitted to what agents recorded before compactions.
//!
//! Behind the last report before a compaction sizes are estimates, and the agent counted for itself:
//! Claude Code records `preTokens` at the boundary, pi `tokensBefore`. The recorded size is the one that
//! lists show, so the estimates between the report and the compaction are stretched or shrunk to end
//! there.

use palimpsest_core::{EntryIx, EntryKind, Session};
use palimpsest_formats::SizeAlong;

/// Fits the sizes along `path`, root first, to the sizes that compactions on it record.
pub(super) fn fit_to_recorded(session: &Session, path: &[EntryIx], sizes: &mut [SizeAlong]) {
    // The last place with a report since the last compaction, and its size.
    let mut reported: Option<usize> = None;
    for (at, &ix) in path.iter().enumerate() {
        let entry = session.entry(ix);
        if let EntryKind::Compaction(told) = &entry.kind {
            if let (Some(from), Some(recorded)) = (reported, told.tokens_before)
                && let Some(between) = sizes.get_mut(from..at)
            {
                fit(between, recorded);
            }
            reported = None;
        } else if entry.usage.is_some() && entry.usage_trusted {
            reported = Some(at);
        }
    }
}

/// Fits sizes of which the first is reported, so that the last one is `recorded`.
fn fit(sizes: &mut [SizeAlong], recorded: u64) {
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else {
        return;
    };
    let (base, end) = (first.tokens, last.tokens);
    // A recorded size below the report is of something else, such as the messages alone. Where results
    // were cleared in between, nothing tells whether the recorded size is the one before or after that
    // (Claude Code 2.1.20 counts without what it cleared).
    let is_smaller = |two: &[SizeAlong]| two[1].tokens < two[0].tokens;
    if recorded < base || end <= base || sizes.windows(2).any(is_smaller) {
        return;
    }
    let (wanted, known) = (u128::from(recorded - base), u128::from(end - base));
    for size in &mut sizes[1..] {
        let added = u128::from(size.tokens.saturating_sub(base)) * wanted / known;
        size.tokens = base.saturating_add(u64::try_from(added).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_formats::SizeBasis;

    fn fitted(tokens: &[u64], recorded: u64) -> Vec<u64> {
        let basis = SizeBasis::Reported;
        let mut sizes: Vec<SizeAlong> = tokens
            .iter()
            .map(|&tokens| SizeAlong { tokens, basis })
            .collect();
        fit(&mut sizes, recorded);
        sizes.into_iter().map(|size| size.tokens).collect()
    }

    #[test]
    fn estimates_end_at_the_recorded_size() {
        assert_eq!(fitted(&[100, 120, 200], 150), [100, 110, 150]);
        assert_eq!(fitted(&[100, 120, 200], 300), [100, 140, 300]);
        assert_eq!(fitted(&[100, 120, 200], 100), [100, 100, 100]);
        // Less than was reported; nothing added.
        assert_eq!(fitted(&[100, 120, 200], 90), [100, 120, 200]);
        assert_eq!(fitted(&[100, 100], 150), [100, 100]);
        // Something was cleared in between.
        assert_eq!(fitted(&[100, 220, 180], 150), [100, 220, 180]);
        assert_eq!(fitted(&[], 150), [0; 0]);
        assert_eq!(
            fitted(&[1, u64::MAX, u64::MAX], u64::MAX),
            [1, u64::MAX, u64::MAX]
        );
    }
}

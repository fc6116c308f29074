//! How much summaries of repeated runs agree (D16).

use super::line::{Amount, FigureLine, Measured};
use crate::introduced;
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::FactKind;
use rustc_hash::FxHashSet as HashSet;
use std::collections::BTreeMap;

/// D16: the mean of what two summaries of the same span share of their identifiers, over all pairs.
/// One summary, or none with identifiers, is not measured.
pub fn stability(summaries: &[&str]) -> Measured {
    if summaries.len() < 2 {
        return Measured::absent(
            Figure::Stability,
            "There is one run of this strategy at this cut. Run it again to measure the agreement.",
        );
    }
    let sets: Vec<HashSet<(FactKind, String)>> = summaries
        .iter()
        .map(|summary| {
            let stated = introduced::stated(summary).into_iter();
            stated.map(|own| (own.kind, own.key)).collect()
        })
        .collect();
    let (mut pairs, mut sum) = (0, 0.0);
    for (at, one) in sets.iter().enumerate() {
        for other in &sets[at + 1..] {
            let either = one.union(other).count();
            if either > 0 {
                pairs += 1;
                sum += one.intersection(other).count() as f64 / either as f64;
            }
        }
    }
    if pairs == 0 {
        return Measured::absent(Figure::Stability, "No summary contains an identifier.");
    }
    let mut out = Measured::new(Figure::Stability);
    out.value("Shared identifiers", Amount::Share(sum / f64::from(pairs)));
    out.value("Runs", Amount::Count(summaries.len() as u64));
    let mut counts: BTreeMap<&(FactKind, String), usize> = BTreeMap::new();
    for own in sets.iter().flatten() {
        *counts.entry(own).or_default() += 1;
    }
    let differing = counts.into_iter().filter(|(_, count)| *count < sets.len());
    out.lines = differing
        .map(|((_, key), count)| FigureLine {
            text: key.clone(),
            note: format!("in {count} of {} summaries", sets.len()),
            ..FigureLine::default()
        })
        .collect();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_common_identifiers_over_all_pairs() {
        // Two of three in common.
        let one = "`read_row` and `write_row` in src/rows.rs";
        let other = "`read_row` in src/rows.rs";
        let found = stability(&[one, other]);
        let Amount::Share(share) = found.values[0].amount else {
            panic!("{found:?}");
        };
        assert!((share - 2.0 / 3.0).abs() < 1e-9);
        assert_eq!(found.lines.len(), 1);
        assert_eq!(found.lines[0].note, "in 1 of 2 summaries");
        assert!(stability(&[one]).absent.is_some());
        assert!(stability(&["none here", "nor here"]).absent.is_some());
    }
}

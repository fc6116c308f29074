//! How often the intervals are right: experiments on simulated replies, whose true difference is
//! known.
//!
//! A simulated reply keeps each fact of a kind with a chance of its own cut, so that replies vary. In
//! a planted experiment the replies of the second row drop all facts of the kind in one of five
//! replies.

use crate::random::Random;
use crate::table::{Cell, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// The figure that is simulated.
const METRIC: &str = "retention.constraint";
/// Facts of the kind at a cut: at least, and at most.
const FACTS: (usize, usize) = (3, 12);
/// Chance that a reply keeps a fact: at least, and at most.
const KEPT: (f64, f64) = (0.6, 0.95);
/// Share of replies in which the planted difference drops the kind.
const PLANTED: f64 = 0.2;

/// The size of the simulated experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Cuts.
    pub cuts: usize,
    /// Repeats of each row at each cut.
    pub repeats: usize,
    /// Experiments with the planted difference.
    pub planted: usize,
    /// Experiments without a difference.
    pub equal: usize,
}

impl Default for Size {
    fn default() -> Self {
        Size {
            cuts: 20,
            // One reply in five loses the kind: with 120 replies that is told from chance.
            repeats: 6,
            planted: 100,
            equal: 1_000,
        }
    }
}

/// What the experiments came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Their size.
    pub size: Size,
    /// The seed of the first.
    pub seed: u64,
    /// Planted experiments whose interval is below zero.
    pub found: usize,
    /// Experiments without a difference whose interval holds zero.
    pub hold_zero: usize,
    /// Share of these.
    pub hold_zero_share: f64,
}

impl Calibration {
    /// True when 90 % of the planted differences were found and 92 to 98 % of the other intervals
    /// hold zero.
    pub fn is_right(&self) -> bool {
        self.found * 10 >= self.size.planted * 9 && (0.92..=0.98).contains(&self.hold_zero_share)
    }
}

/// Repeats experiments of `size` from `seed` on.
pub fn calibrate(size: Size, seed: u64) -> Calibration {
    let low_and_high = |number: usize, planted: bool| {
        let own = seed.wrapping_mul(1_000_003).wrapping_add(number as u64);
        let names = ["as it is", "changed"].map(str::to_owned);
        let table = Table::of(&cells(size, planted, own), &names, &[], own);
        let found = table.differences.first();
        found.and_then(|found| Some((found.low?, found.high?)))
    };
    let found = (0..size.planted)
        .filter_map(|number| low_and_high(number, true))
        .filter(|(_, high)| *high < 0.0)
        .count();
    let hold_zero = (0..size.equal)
        .filter_map(|number| low_and_high(size.planted + number, false))
        .filter(|(low, high)| *low <= 0.0 && 0.0 <= *high)
        .count();
    Calibration {
        size,
        seed,
        found,
        hold_zero,
        hold_zero_share: hold_zero as f64 / size.equal.max(1) as f64,
    }
}

/// The cells of one simulated experiment.
fn cells(size: Size, planted: bool, seed: u64) -> Vec<Cell> {
    let mut random = Random::new(seed);
    let mut cells = Vec::new();
    for cut in 0..size.cuts {
        let facts = FACTS.0 + random.below(FACTS.1 - FACTS.0 + 1);
        let chance = KEPT.0 + random.share() * (KEPT.1 - KEPT.0);
        for row in 0..2 {
            for repeat in 0..size.repeats {
                let dropped = planted && row == 1 && random.share() < PLANTED;
                let kept = (0..facts).filter(|_| random.share() < chance).count();
                let kept = if dropped { 0 } else { kept };
                let share = kept as f64 / facts as f64;
                cells.push(Cell {
                    row,
                    cut,
                    repeat,
                    figures: BTreeMap::from([(METRIC.to_owned(), share)]),
                });
            }
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_differences_are_found_and_others_are_not() {
        let found = calibrate(Size::default(), 15);
        assert!(found.found >= 90, "{found:?}");
        assert!((920..=980).contains(&found.hold_zero), "{found:?}");
        assert!(found.is_right());
        assert_eq!(calibrate(Size::default(), 15), found, "the same for a seed");
    }

    #[test]
    fn a_broken_interval_is_noticed() {
        // Two cuts are too few for an interval, so nothing is found and nothing holds zero.
        let size = Size {
            cuts: 2,
            ..Size::default()
        };
        assert!(!calibrate(size, 15).is_right());
    }
}

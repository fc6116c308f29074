//! How long ago a memory was last looked at.

use serde::{Deserialize, Serialize};

/// What age is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecencyRule {
    /// Hours (the paper).
    Hours,
    /// Places in the order of last access, the latest first (the reference code, which by mistake
    /// goes the other way round: see `recency_reversed`).
    Rank,
    /// Entries, as sessions are short.
    EntryDistance,
}

/// When a memory was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Position in the session.
    pub position: usize,
    /// Unix milliseconds.
    pub at_ms: Option<i64>,
}

/// A rule and its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recency {
    /// What age is counted in.
    pub rule: RecencyRule,
    /// True counts from the oldest instead of from the latest.
    pub reversed: bool,
}

const MS_PER_HOUR: f64 = 3_600_000.0;

impl Recency {
    /// The age of each memory, seen from `now`: hours, places or entries.
    pub fn ages(self, seen: &[Seen], now: Seen) -> Vec<f64> {
        let mut ages: Vec<f64> = match self.rule {
            RecencyRule::Hours => {
                // A damaged record can claim any time.
                let passed = |seen: &Seen| Some(now.at_ms?.saturating_sub(seen.at_ms?));
                let hours = |seen: &Seen| Some(passed(seen)? as f64 / MS_PER_HOUR);
                // Without a time it counts as just seen, like one that lies later than `now`.
                let known = |seen: &Seen| hours(seen).map_or(0.0, |hours| hours.max(0.0));
                seen.iter().map(known).collect()
            }
            RecencyRule::EntryDistance => seen
                .iter()
                .map(|seen| now.position.saturating_sub(seen.position) as f64)
                .collect(),
            RecencyRule::Rank => {
                let mut order: Vec<usize> = (0..seen.len()).collect();
                // Equal positions keep the order of the memories.
                order.sort_by_key(|&at| (std::cmp::Reverse(seen[at].position), at));
                let mut ages = vec![0.0; seen.len()];
                for (rank, at) in order.into_iter().enumerate() {
                    // From 1, as the reference code counts.
                    ages[at] = rank as f64 + 1.0;
                }
                ages
            }
        };
        if self.reversed {
            let oldest = ages.iter().copied().fold(0.0, f64::max);
            ages.iter_mut().for_each(|age| *age = oldest - *age);
        }
        ages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_damaged_records_have_an_age() {
        let at = |ms| Seen {
            position: 0,
            at_ms: Some(ms),
        };
        let hours = Recency {
            rule: RecencyRule::Hours,
            reversed: false,
        };
        let ages = hours.ages(&[at(i64::MIN), at(i64::MAX)], at(1));
        assert!(ages[0] > 1e12 && ages[1] == 0.0, "{ages:?}");
    }

    #[test]
    fn each_rule_counts_its_own() {
        let seen = [(0, 0), (9, 7_200_000), (4, 3_600_000)].map(|(position, ms)| Seen {
            position,
            at_ms: Some(ms),
        });
        let now = Seen {
            position: 10,
            at_ms: Some(10_800_000),
        };
        let ages = |rule, reversed| Recency { rule, reversed }.ages(&seen, now);
        assert_eq!(ages(RecencyRule::Hours, false), [3.0, 1.0, 2.0]);
        assert_eq!(ages(RecencyRule::EntryDistance, false), [10.0, 1.0, 6.0]);
        assert_eq!(ages(RecencyRule::Rank, false), [3.0, 1.0, 2.0]);
        assert_eq!(ages(RecencyRule::Rank, true), [0.0, 2.0, 1.0]);
        assert_eq!(ages(RecencyRule::Hours, true), [0.0, 2.0, 1.0]);
    }

    #[test]
    fn without_times_all_are_of_one_age() {
        let seen = [Seen {
            position: 1,
            at_ms: None,
        }; 2];
        let rule = RecencyRule::Hours;
        let recency = Recency {
            rule,
            reversed: false,
        };
        assert_eq!(recency.ages(&seen, seen[0]), [0.0, 0.0]);
    }
}

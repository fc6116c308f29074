//! Bootstrap intervals of a mean: values are drawn again with replacement, and the middle 95 % of the
//! means are the interval.
//!
//! With few values the plain percentile interval is too narrow: of 20 it holds the true mean in about
//! 92 % of experiments. The percentiles are therefore moved outwards by the quantile of Student's t and
//! the factor sqrt(n / (n - 1)) (Hesterberg 2015, "What teachers should know about the bootstrap",
//! expanded percentile interval).

use crate::random::Random;

/// Means drawn.
const DRAWS: usize = 2_000;
/// Fewest values of which an interval is made.
pub const FEWEST: usize = 3;
/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_985;

/// An interval that holds the mean with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// True when it holds `value`.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The interval of the mean of `values`; `None` for fewer than [`FEWEST`].
pub fn of_mean(values: &[f64], seed: u64) -> Option<Interval> {
    let count = values.len();
    if count < FEWEST {
        return None;
    }
    let mut random = Random::new(seed);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let drawn = (0..count).map(|_| values[random.below(count)]);
            drawn.sum::<f64>() / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let outward = (count as f64 / (count - 1) as f64).sqrt() * student(count - 1);
    let tail = below_normal(-outward);
    Some(Interval {
        low: quantile(&means, tail),
        high: quantile(&means, 1.0 - tail),
    })
}

/// The quantile of sorted values, between neighbours by their distance.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// The quantile of Student's t for 95 %, by its expansion in the degrees of freedom (Abramowitz and
/// Stegun 26.7.5); exact to 0.01 from three degrees on.
fn student(degrees: usize) -> f64 {
    let (n, z) = (degrees as f64, Z);
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / n + second / n.powi(2) + third / n.powi(3)
}

/// The share of the normal distribution below `x` (Abramowitz and Stegun 7.1.26, error below 2e-7).
fn below_normal(x: f64) -> f64 {
    let scaled = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * scaled);
    let series = ((((1.061_405_429 * t - 1.453_152_027) * t + 1.421_413_741) * t - 0.284_496_736)
        * t
        + 0.254_829_592)
        * t;
    let erf = 1.0 - series * (-scaled * scaled).exp();
    if x < 0.0 {
        (1.0 - erf) / 2.0
    } else {
        (1.0 + erf) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, wanted) in [(4, 2.776), (9, 2.262), (19, 2.093), (99, 1.984)] {
            let found = student(degrees);
            assert!((found - wanted).abs() < 0.01, "{degrees}: {found}");
        }
        for (x, wanted) in [(-1.96, 0.025), (0.0, 0.5), (1.0, 0.8413)] {
            assert!((below_normal(x) - wanted).abs() < 1e-4, "{x}");
        }
    }

    #[test]
    fn an_interval_is_around_the_mean_and_the_same_for_a_seed() {
        let values: Vec<f64> = (0..20).map(|n| f64::from(n % 5)).collect();
        let found = of_mean(&values, 7).unwrap_or(Interval {
            low: f64::NAN,
            high: f64::NAN,
        });
        assert!(found.contains(2.0), "{found:?}");
        // By hand: 2.093 * 1.451 / sqrt(20) = 0.68 on both sides.
        assert!((found.high - found.low - 1.36).abs() < 0.15, "{found:?}");
        assert_eq!(of_mean(&values, 7), Some(found));
        assert_eq!(of_mean(&values[..2], 7), None);
        let same = of_mean(&[0.0; 20], 7);
        assert_eq!(
            same,
            Some(Interval {
                low: 0.0,
                high: 0.0
            })
        );
    }
}

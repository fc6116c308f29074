//! The numbers that a parameter may be.

use serde::Serialize;
use serde_json::Value;

/// The numbers that a parameter may be, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// The least.
    pub least: f64,
    /// The most; `None` where there is none but the one for every number.
    pub most: Option<f64>,
}

/// The most that any number may be: the largest whole number up to which all are exact in
/// JavaScript, which is what the window reads; sums and small multiples of it are no trouble here.
const LARGEST: f64 = 9_007_199_254_740_991.0;

impl Range {
    /// No negative numbers.
    pub const NOT_NEGATIVE: Range = Range::from(0.0);

    /// Any number from `least` on.
    pub const fn from(least: f64) -> Range {
        Range { least, most: None }
    }

    /// Any number between these.
    pub const fn within(least: f64, most: f64) -> Range {
        Range {
            least,
            most: Some(most),
        }
    }

    /// Whether `value` is one of these numbers. What is no number is none of them.
    pub fn holds(&self, value: &Value) -> bool {
        let most = self.most.unwrap_or(LARGEST);
        value
            .as_f64()
            .is_some_and(|number| (self.least..=most).contains(&number))
    }

    /// The numbers in words, for somebody who gave `value`: `0 to 1`, `1 or more`.
    pub fn words_for(&self, value: &Value) -> String {
        let least = self.least;
        match self.most {
            Some(most) => format!("{least} to {most}"),
            None if value.as_f64().is_some_and(|number| number > LARGEST) => {
                format!("{least} to {LARGEST}")
            }
            None => self.to_string(),
        }
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.most {
            Some(most) => write!(f, "{} to {most}", self.least),
            None => write!(f, "{} or more", self.least),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_ends_belong_to_a_range() {
        let share = Range::within(0.0, 1.0);
        for (value, held) in [
            (json!(0), true),
            (json!(1.0), true),
            (json!(1.001), false),
            (json!(-0.001), false),
            (json!("0.5"), false),
        ] {
            assert_eq!(share.holds(&value), held, "{value}");
        }
        assert_eq!(share.to_string(), "0 to 1");
    }

    #[test]
    fn no_number_is_larger_than_can_be_told_exactly() {
        let some = Range::from(1.0);
        assert!(some.holds(&json!(9_007_199_254_740_991_u64)));
        assert!(!some.holds(&json!(u64::MAX)));
        assert_eq!(some.words_for(&json!(0)), "1 or more");
        assert_eq!(some.words_for(&json!(u64::MAX)), "1 to 9007199254740991");
    }
}

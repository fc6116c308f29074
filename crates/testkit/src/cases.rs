//! Tests over many cases, where the first failure hides none of the others.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `test` on every case, and panics at the end with the names of all that failed. What each
/// failure says is printed when it happens. Panics where there are no cases.
pub fn each<T: Display>(cases: impl IntoIterator<Item = T>, test: impl Fn(&T)) {
    let mut count = 0;
    let mut failed = Vec::new();
    for case in cases {
        count += 1;
        if catch_unwind(AssertUnwindSafe(|| test(&case))).is_err() {
            failed.push(case.to_string());
        }
    }
    assert!(count > 0, "there are no cases");
    assert!(
        failed.is_empty(),
        "{} of {count} cases failed: {}",
        failed.len(),
        failed.join(", ")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_failures_are_named() {
        let odd = || each(1..=5, |number| assert!(number % 2 == 0, "{number} is odd"));
        let said = catch_unwind(odd).unwrap_err();
        let said = said.downcast_ref::<String>().map(String::as_str);
        assert_eq!(said, Some("3 of 5 cases failed: 1, 3, 5"));
    }
}

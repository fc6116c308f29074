//! Which figures are worth keeping.

use crate::candidate::{Candidate, Standing, role_weight};

/// True for a figure that says something beyond its line: a port, a version, an amount of money, an
/// issue, the outcome of tests, and a measure that the user spoke of or that was said twice. How
/// long a run took, counters and single measures in passing say nothing later.
pub(crate) fn tells(fact: &Candidate) -> bool {
    let key = fact.key.as_str();
    if fact.standing == Standing::Shown {
        return true;
    }
    // `#3` is the third thing of some list, `#1432` an issue.
    if let Some(number) = key.strip_prefix('#') {
        return number.len() >= 3;
    }
    if key.starts_with("port ") || key.starts_with('$') {
        return true;
    }
    if fact.role >= role_weight::USER {
        return true;
    }
    let (figure, unit) = key.split_once(' ').unwrap_or((key, ""));
    match unit {
        "passed" | "failed" => true,
        // A version.
        "" => true,
        // Durations of runs and sums of things.
        "s" | "ms" | "ns" | "us" | "min" | "h" | "lines" | "files" | "tests" | "%" | "chars"
        | "characters" | "items" | "errors" | "warnings" | "messages" | "attempts" | "points"
        | "x" => fact.said >= 2 && figure.len() >= 2,
        _ => true,
    }
}

//! Verdicts and sums of runners: lines that say that something failed, and not what.

use crate::turns::Turns;

/// "3 failed", "FAIL", "FAILED", "FAIL<tab>package 0.3s", "Found 12 errors.": a verdict or a sum.
pub(crate) fn counts_only(line: &str) -> bool {
    let bare = line.trim_matches(|c: char| !c.is_alphanumeric());
    let mut words =
        bare.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '(' | ')' | '='));
    let first = words.next().unwrap_or_default();
    let verdict = matches!(first, "FAIL" | "FAILED" | "FAILURE")
        && !line.contains("::")
        && bare.split_whitespace().count() <= 4;
    let lower = bare.to_ascii_lowercase();
    let counted = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| {
            word.bytes().next().is_some_and(|b| b.is_ascii_digit())
                || matches!(
                    word,
                    "failed"
                        | "failing"
                        | "failure"
                        | "failures"
                        | "passed"
                        | "error"
                        | "errors"
                        | "tests"
                        | "test"
                        | "suites"
                        | "files"
                        | "found"
                        | "in"
                        | "total"
                        | "skipped"
                        | "warnings"
                        | "warning"
                        | "s"
                        | "ms"
                        | "with"
                        | "and"
                        | "result"
                        | "fail"
                        | "issues"
                        | "problems"
                )
        });
    verdict || counted
}

/// The word of a runner for what failed.
pub(crate) const VERDICT: &str = "FAIL";

/// `FAIL<tab>example.org/a/b<tab>0.3s`, `FAIL src/rows.test.ts`: a verdict with the package or file.
pub(crate) fn names_failed(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some(VERDICT) && words.next().is_some_and(|name| name.contains(['/', '.']))
}

/// Sums by which no test failed.
static NONE_FAILED: Turns = Turns::anywhere(&[
    "0 failures",
    "0 failed",
    "failures: 0",
    "fail 0\n",
    "\nok (",
    "build successful",
    "\nok  ",
    "\nok \t",
    "\npass\n",
    "tests passed",
]);

/// True where tests ran and none of them failed.
pub(crate) fn all_passed(text: &str) -> bool {
    let counts = crate::test_counts::counts(text);
    let failed = counts.iter().any(|(_, key)| key.ends_with("failed"));
    let passed = counts.iter().any(|(_, key)| key.ends_with("passed"));
    let said_so = || NONE_FAILED.stand_in(&text.to_ascii_lowercase());
    !failed && !text.contains(VERDICT) && (passed || said_so())
}

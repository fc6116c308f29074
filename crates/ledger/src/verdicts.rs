//! Verdicts and sums of runners: lines that say that something failed, and not what.

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

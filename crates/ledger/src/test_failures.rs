//! Tests that failed, as the lines of test runners tell it: the verdict on a test, and the sum of a
//! run. Agents mark few of these outputs as failed, because the command behind a pipe went well.
//!
//! The lines are those of cargo, nextest, pytest, unittest, go test, gotestsum, Jest, Vitest, Mocha,
//! AVA, TAP, node --test, Bun, Deno, Playwright, RSpec, minitest, ExUnit, JUnit under Maven and
//! Gradle, ScalaTest, PHPUnit, Pest, .NET, CTest, GoogleTest and XCTest.

use crate::tool_action::{ToolAction, shows_output};
use aho_corasick::AhoCorasick;
use palimpsest_core::terminal::without_sequences;
use std::ops::Range;
use std::sync::LazyLock;

/// One of these is in every line that tells of a failed test.
static CUES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let cues = [
        "fail",
        "Fail",
        "FAIL",
        "not ok ",
        " error in ",
        " errors in ",
    ];
    AhoCorasick::new(cues).ok()
});

/// Outputs longer than this are looked through at both ends: runs end with their sum.
const END_BYTES: usize = 128 << 10;
/// More lines with a cue are a log.
const MOST_LINES: usize = 2_000;
/// The verdict stands at the beginning of a line; a message may follow.
const MOST_LINE_BYTES: usize = 400;

/// True for a tool whose results are what a command printed.
pub fn runs_commands(tool: &str) -> bool {
    ToolAction::of(tool) == ToolAction::Shell || shows_output(tool)
}

/// The first line of an output that tells of a failed test.
pub fn failed_test(output: &str) -> Option<Range<usize>> {
    if output.len() <= 2 * END_BYTES {
        return failed_in(output);
    }
    let first = &output[..output.floor_char_boundary(END_BYTES)];
    let last = output.ceil_char_boundary(output.len() - END_BYTES);
    failed_in(first).or_else(|| {
        let found = failed_in(&output[last..])?;
        Some(found.start + last..found.end + last)
    })
}

fn failed_in(text: &str) -> Option<Range<usize>> {
    let mut passed = 0;
    let mut looked_at = 0;
    for cue in CUES.as_ref()?.find_iter(text) {
        if cue.start() < passed {
            continue;
        }
        let start = text[..cue.start()].rfind('\n').map_or(0, |at| at + 1);
        let rest = &text[cue.start()..];
        let end = rest.find('\n').map_or(text.len(), |at| cue.start() + at);
        if tells_of_failed_test(&text[start..end]) {
            return Some(start..end);
        }
        passed = end;
        looked_at += 1;
        if looked_at >= MOST_LINES {
            break;
        }
    }
    None
}

fn tells_of_failed_test(line: &str) -> bool {
    let line = &line[..line.floor_char_boundary(line.len().min(MOST_LINE_BYTES))];
    let plain = without_sequences(line);
    let line = without_time(plain.trim());
    is_verdict(line) || is_sum(line)
}

/// A line without what a log of a CI service puts in front: job, step and time.
fn without_time(line: &str) -> &str {
    let is_time = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() >= 20 && bytes[4] == b'-' && bytes[10] == b'T' && bytes.ends_with(b"Z")
    };
    let Some(time) = line.split_whitespace().take(6).find(|word| is_time(word)) else {
        return line;
    };
    line.split_once(time).map_or(line, |(_, rest)| rest.trim())
}

/// True for the verdict on a test, a file of tests or a run.
fn is_verdict(line: &str) -> bool {
    // cargo and libtest, phpunit, .NET, CTest, Gradle, xcodebuild, npm, GoogleTest, Bun.
    const BEGIN: [&str; 12] = [
        "test result: FAILED",
        "--- FAIL: ",
        "=== FAIL: ",
        "FAILURES!",
        "Test Run Failed",
        "The following tests FAILED",
        "There were failing tests",
        "** TEST FAILED **",
        "npm ERR! Test failed",
        "npm error Test failed",
        "[  FAILED  ]",
        "(fail) ",
    ];
    if BEGIN.iter().any(|begin| line.starts_with(begin)) {
        return true;
    }
    // pytest: `FAILED path::test`. unittest: `FAILED (failures=1)`. Deno: `FAILED | 1 passed`.
    if let Some(rest) = line.strip_prefix("FAILED ") {
        let first = rest.split_whitespace().next().unwrap_or_default();
        return first.contains("::")
            || first.contains(".py")
            || first.contains('\\')
            || rest.starts_with("(failures=")
            || rest.starts_with("(errors=")
            || rest.starts_with("| ");
    }
    // go test: `FAIL` for a run, `FAIL<tab>package` for a package. Jest and Vitest: `FAIL path`.
    // nextest: `FAIL [   0.005s] crate test`. unittest and automake: `FAIL: name`.
    if let Some(rest) = line.strip_prefix("FAIL") {
        let named = rest.trim_start();
        let is_path =
            |word: &str| word.contains('/') || word.contains(".test.") || word.contains(".spec.");
        return match rest.chars().next() {
            None => true,
            Some('\t') => true,
            Some(':') => rest[1..].starts_with(' '),
            Some(' ') => {
                named.starts_with('[') || named.split_whitespace().next().is_some_and(is_path)
            }
            _ => false,
        };
    }
    if let Some(rest) = line.strip_prefix("not ok ") {
        // TAP counts what is still to be done, and what was left out, as no failure.
        let lower = rest.to_ascii_lowercase();
        let counts = rest.starts_with(|c: char| c.is_ascii_digit());
        return counts && !lower.contains("# todo") && !lower.contains("# skip");
    }
    let ends = |end: &str| line.ends_with(end);
    // libtest, unittest with -v; pytest with -v; Gradle; XCTest.
    (line.starts_with("test ") || line.contains(" (")) && (ends("... FAILED") || ends("... FAIL"))
        || line.contains("::")
            && (ends(" FAILED") || line.contains(" FAILED [") || line.contains(" FAILED  "))
        || line.contains(" > ") && ends(" FAILED")
        || line.starts_with("Test Case '") && line.contains("' failed (")
}

/// What tests are called before a count of those that failed.
const TESTS: [&str; 10] = [
    "test",
    "tests",
    "spec",
    "specs",
    "scenario",
    "scenarios",
    "example",
    "examples",
    "file",
    "files",
];
/// Words beside which a count of failures is the sum of a run.
const BESIDE: [&str; 21] = [
    "passed",
    "passing",
    "pass",
    "succeeded",
    "skipped",
    "pending",
    "ignored",
    "total",
    "tests",
    "test",
    "examples",
    "example",
    "assertions",
    "runs",
    "run",
    "specs",
    "completed",
    "failures",
    "scenarios",
    "warnings",
    "deselected",
];

/// What the sum of a run begins with where nothing else says that it is one.
const SUM_BEGINS: [&str; 7] = ["tests", "test", "#", "ℹ", "executed", "done", "summary"];

/// A sum without what frames it: rows of `=`, brackets and bars that stand alone.
fn parts_of(line: &str) -> Vec<&str> {
    let tells = |part: &&str| part.contains(char::is_alphanumeric) || ["#", "ℹ"].contains(part);
    line.split_whitespace().filter(tells).collect()
}

/// A part of a sum without punctuation around it, in lower case.
fn word_of(part: &str) -> String {
    match part.trim_matches(|c: char| !c.is_alphanumeric()) {
        "" => part.to_owned(),
        word => word.to_ascii_lowercase(),
    }
}

/// True for the sum of a run in which a test failed.
fn is_sum(line: &str) -> bool {
    let parts = parts_of(line);
    let words: Vec<String> = parts.iter().map(|part| word_of(part)).collect();
    let is = |at: usize, known: &[&str]| {
        let word = words.get(at);
        word.is_some_and(|word| known.contains(&word.as_str()))
    };
    let is_failed = |at: usize| is(at, &["failed", "failing", "failure", "failures", "fail"]);
    // A count stands before its word, with nothing behind it: `1 failed`, `(0 unexpected)`, `50% tests`.
    let count = |at: usize| {
        let part = parts.get(at)?.trim_start_matches(['(', '[']);
        part.strip_suffix('%').unwrap_or(part).parse::<u64>().ok()
    };
    let value = |at: usize| words.get(at)?.parse::<u64>().ok();
    let is_key = |at: usize| parts.get(at).is_some_and(|part| part.ends_with(':'));
    // The checks of a pull request.
    if words.iter().any(|word| word == "checks") {
        return false;
    }
    let begins = is(0, &SUM_BEGINS);
    let mut failed: Option<Range<usize>> = None;
    let mut beside = false;
    for at in 0..parts.len() {
        beside |= (count(at).is_some() && is(at + 1, &BESIDE)) || (is_key(at) && is(at, &BESIDE));
        let named = at + 1 + usize::from(is(at + 1, &TESTS));
        if count(at).is_some_and(|count| count > 0) && is_failed(named) {
            failed.get_or_insert(at..named + 1);
        }
        // `Failures: 1` of Maven, `# fail 1` of TAP.
        let keyed = is_key(at) || begins && count(at.wrapping_sub(1)).is_none();
        if keyed && is_failed(at) && value(at + 1).is_some_and(|value| value > 0) {
            failed.get_or_insert(at..at + 2);
        }
        // pytest, where a file of tests cannot be imported: `1 error in 0.12s`.
        let counts = count(at).is_some_and(|count| count > 0) && is(at + 1, &["error", "errors"]);
        let seconds = parts.get(at + 3).and_then(|part| part.strip_suffix('s'));
        let in_seconds =
            seconds.is_some_and(|part| part.contains('.') && part.parse::<f64>().is_ok());
        if counts && is(at + 2, &["in"]) && in_seconds {
            return true;
        }
    }
    let Some(failed) = failed else { return false };
    if beside || begins && failed.start > 0 {
        return true;
    }
    // Mocha, Bun and Playwright print the count alone.
    let is_alone =
        failed.end == parts.len() || is(failed.end, &["in"]) && parts.len() <= failed.end + 2;
    failed.start == 0 && count(0).is_some() && is_alone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(output: &str) -> Option<&str> {
        failed_test(output).map(|range| &output[range])
    }

    #[test]
    fn every_runner_tells_of_a_failed_test() {
        for output in [
            "test result: FAILED. 14 passed; 2 failed; 0 ignored",
            "test parse::tests::empty ... FAILED",
            "        FAIL [   0.005s] tally parse::tests::empty",
            "     Summary [   0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped",
            "FAILED tests/test_dates.py::test_week - AssertionError: 3 != 4",
            "tests/test_dates.py::test_week FAILED                  [ 50%]",
            "========= 1 failed, 3 passed in 0.12s =========",
            "1 failed, 3 passed in 0.12s",
            "========= 1 error in 0.12s =========",
            "FAILED (failures=1)",
            "FAIL: test_week (tests.test_dates.Dates.test_week)",
            "test_week (tests.test_dates.Dates) ... FAIL",
            "--- FAIL: TestWeek (0.00s)",
            "    --- FAIL: TestWeek/short (0.00s)",
            "FAIL\tgithub.com/dev/tally/dates\t0.005s",
            "FAIL",
            "test\tTests\t2026-02-10T03:46:54.2518969Z --- FAIL: TestWeek (0.00s)",
            "DONE 12 tests, 1 failure in 0.340s",
            "Tests:       1 failed, 4 passed, 5 total",
            "\u{1b}[1m\u{1b}[31m FAIL \u{1b}[39m\u{1b}[22m src/dates.test.ts > week",
            "      Tests  1 failed | 3 passed (4)",
            "  1 failing",
            "not ok 3 - week",
            "# fail 1",
            "ℹ fail 2",
            "(fail) week > is short [0.10ms]",
            " 1 fail",
            "FAILED | 1 passed | 1 failed (3ms)",
            "  1 failed",
            "5 examples, 1 failure",
            "3 runs, 3 assertions, 1 failures, 0 errors, 0 skips",
            "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0",
            "5 tests completed, 1 failed",
            "DatesTest > week() FAILED",
            "Tests: succeeded 3, failed 1, canceled 0, ignored 0, pending 0",
            "Tests: 5, Assertions: 6, Failures: 1.",
            "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4",
            "50% tests passed, 1 tests failed out of 2",
            "[  FAILED  ] Dates.Week (0 ms)",
            "[         1 tests failed          ]",
            "Executed 3 tests, with 1 failure (0 unexpected) in 0.010 seconds",
        ] {
            assert_eq!(told(output), Some(output), "{output}");
            let around = format!("running\n{output}\nend\n");
            assert_eq!(told(&around), Some(output), "in lines: {output}");
        }
    }

    #[test]
    fn other_lines_are_no_failed_tests() {
        for output in [
            "test result: ok. 12 passed; 0 failed; 0 ignored",
            "========= 3 passed in 0.12s =========",
            "Tests:       5 passed, 5 total",
            "  0 failing",
            "# fail 0",
            " 0 fail",
            "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
            "Failed to connect to localhost port 8080",
            "fatal: failed to push some refs",
            "error: build failed",
            "FAILED to start the server",
            "1 out of 3 hunks FAILED -- saving rejects",
            "dates_test.go:12:\t\tt.Fatalf(\"--- FAIL: week\")",
            "If a test failed before, 3 more are run.",
            "Found 3 errors in 2 files (checked 10 source files)",
            "ok=3 changed=1 unreachable=0 failed=1",
            "1 failing, 0 successful, 0 skipped, and 0 pending checks",
            "not ok: the file is missing",
            "not ok 3 - week # TODO later",
            "FAILOVER to the second server",
            "2 failed login attempts",
        ] {
            assert_eq!(told(output), None, "{output}");
        }
    }

    #[test]
    fn a_long_output_is_looked_through_at_its_ends() {
        let line = "--- FAIL: TestWeek (0.00s)";
        let noise = "a line of a log\n".repeat(40_000);
        assert_eq!(told(&format!("{noise}{line}\n")), Some(line));
        assert_eq!(told(&format!("{line}\n{noise}")), Some(line));
        assert_eq!(told(&noise), None);
    }

    #[test]
    fn tools_that_run_commands() {
        for tool in [
            "Bash",
            "exec_command",
            "write_stdin",
            "run_shell_command",
            "BashOutput",
        ] {
            assert!(runs_commands(tool), "{tool}");
        }
        for tool in ["Read", "Grep", "Task", ""] {
            assert!(!runs_commands(tool), "{tool}");
        }
    }
}

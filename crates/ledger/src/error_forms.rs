//! Failures that a line reports by its form rather than by a word: announced by the line before, in
//! a box, as JSON, by the rule that a linter names.

use crate::turns::Turns;
use crate::words;
use serde_json::Value;
use std::ops::Range;

/// Length of what a program with several processes puts in front of a line: `[rank0]: text` (PyTorch).
pub(crate) fn process(line: &str) -> usize {
    let Some(rest) = line.strip_prefix("[rank") else {
        return 0;
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && rest[digits..].starts_with("]: ") {
        "[rank".len() + digits + "]: ".len()
    } else {
        0
    }
}

/// Length of the border that a box puts in front of a line (`│ Error: text`, `| text`); 0 for the row of
/// a table.
pub(crate) fn border(line: &str) -> usize {
    let trimmed = line.trim_start();
    let Some(rest) = ['│', '┃', '║']
        .iter()
        .find_map(|bar| trimmed.strip_prefix(*bar))
    else {
        return 0;
    };
    if rest.trim_end().contains(['│', '┃', '║']) && !rest.trim_end().ends_with(['│', '┃', '║'])
    {
        return 0;
    }
    line.len() - rest.trim_start().len()
}

/// True for a line that says that the next one tells what failed: `Error:`, `Failure:`, `error during
/// build:`, `thread 'a' panicked at src/a.rs:3:5:`, `a.hs:3:5: error: [GHC-1]`.
pub(crate) fn announces_next(line: &str) -> bool {
    let line = line.trim();
    // Most lines are done with here: each line of every output is asked.
    if !line.ends_with([':', ']']) {
        // GoogleTest's place of a failure, and the frame of pre-commit round what a hook printed.
        return line.ends_with(": Failure") || line.starts_with("- exit code: ");
    }
    let lower = line.to_ascii_lowercase();
    let coded = lower
        .rsplit_once("error: [")
        .is_some_and(|(_, code)| code.ends_with(']') && !code.contains(' '));
    if coded {
        return true;
    }
    if !lower.ends_with(':') {
        return false;
    }
    let brief = lower.split_whitespace().count() <= 4;
    let fails = [
        "error",
        "failure",
        "failed",
        "failed to compile",
        "exception",
        "went wrong",
        "caused by",
    ]
    .iter()
    .any(|cue| lower.contains(cue));
    lower.contains("panicked at ") || brief && fails && !lower.contains("failures:")
}

/// True for a line that what [`announces_next`] may announce: not a heading, a listing or the frame of
/// a trace.
pub(crate) fn may_be_announced(line: &str) -> bool {
    let words = line.split_whitespace().count();
    words >= 2
        // A heading has few words; a message may go on in the next line.
        && (!line.ends_with(':') || line.ends_with("]:") || words >= 4)
        && !line.starts_with(['#', '<', '{', '[', '|', '-', '+', '*', '>', '('])
        && !line.starts_with("at ")
        && !line.starts_with("npm ")
        && !line.starts_with("File \"")
}

/// True for a line that only announces the next ones: `Failure:`, `error during build:`, `Traceback:`, or
/// says that all of it failed: `BUILD FAILED in 4s`.
pub(crate) fn is_label(line: &str) -> bool {
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    let brief = lower.split_whitespace().count() <= 4;
    let label = lower.ends_with(':')
        && brief
        && !lower[..lower.len() - 1].contains([':', '/', '.', '(', '\'', '"', '`']);
    let verdict = matches!(lower.as_str(), "build failed." | "test run failed.");
    label
        || verdict
        || lower.starts_with("build failed in ")
        || lower.ends_with(": test")
        || lower.contains("!!!!!!!!")
}

/// Turns by which nothing failed, unless a figure goes on in front of them ("10 errors", "2.0 failed to load").
const NONE_OF: &[&str] = &[
    "0 error",
    "no error",
    "0 failure",
    "no failure",
    "0 failed",
    "without error",
    "errors: 0",
    "failed: 0",
    "failures: 0",
    "error: 0",
    "failed 0",
    "error rate",
];

static NONE_TURNS: Turns = Turns::anywhere(NONE_OF);

/// "0 errors", "no errors", "error: 0", "failed: 0", "0 failed".
pub(crate) fn counts_none(lower: &str) -> bool {
    if !NONE_TURNS.stand_in(lower) {
        return false;
    }
    let none_of = NONE_OF.iter().any(|cue| {
        lower
            .match_indices(cue)
            .any(|(at, _)| !lower[..at].ends_with(|c: char| c.is_ascii_digit() || c == '.'))
    });
    none_of && !lower.contains("fatal")
}

/// What stands for nothing behind a label.
const NOTHING: [&str; 7] = ["(none)", "none", "null", "(empty)", "n/a", "nil", "\"\""];

/// What git says to do below an error of a pull or a merge, as an error of its own (git 2.47).
const GIT_ADVICE: [&str; 2] = ["please commit ", "please move or remove "];

/// True for a line, in lower case, that says that there is no error, or what git says to do about the one above it:
/// `Error: (none)`, `error: Please commit or stash them.`
pub(crate) fn tells_none(lower: &str) -> bool {
    let said = ["error", "errors", "stderr", "exception"]
        .iter()
        .find_map(|label| lower.strip_prefix(label)?.strip_prefix(':'));
    said.is_some_and(|said| {
        let said = said.trim().trim_end_matches([',', '.']);
        NOTHING.contains(&said) || GIT_ADVICE.iter().any(|begin| said.starts_with(begin))
    })
}

/// Words of failure that are counted in sums.
#[rustfmt::skip]
const COUNTED: &[&str] = &["error", "errors", "failed", "failure", "failures", "failing", "exceptions"];

/// True for a sum in a sentence, in lower case ("compiled with 1 error in 90 ms", "3 examples, 1
/// failure"): each word of failure stands behind a figure.
pub(crate) fn counts_each(lower: &str) -> bool {
    let marks = ['(', ')', '[', ']', ',', '.', ';', '|'];
    let words: Vec<&str> = lower
        .split_whitespace()
        .map(|word| word.trim_matches(marks))
        .filter(|word| !word.is_empty())
        .collect();
    let is_figure = |at: usize| {
        let figure = words.get(at);
        figure.is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut cues = 0;
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_end_matches(':');
        if COUNTED.contains(&bare) {
            // "2 previous errors".
            let counted = at > 0 && is_figure(at - 1) || at > 1 && is_figure(at - 2);
            if !counted || bare.len() < word.len() {
                return false;
            }
            cues += 1;
        }
    }
    cues > 0
}

/// True for a line that names what failed in the form of a tool: Jest (`● a › b`), RSpec (`rspec ./a_spec.rb:3
/// # name`), Kotlin (`e: file:///a.kt:3:1 text`), rustfmt (`Diff in a.rs:3:`), Ansible and git (`fatal: `),
/// an error code of Node's tools (`ERR_PNPM_...`), ESLint's and stylelint's rows (`3:1  ✖  text`), Jest's
/// matcher (`expect(received).toBe(expected)`), headings of Scala and Elm (`-- NAMING ERROR -- a.elm`), Elixir's exception (`** (Name) text`), the verdict on a named test
/// (`[FAIL: text] name`, `not ok 2 - name`), git's conflicts, what PostgreSQL and apt add (`DETAIL:`, `E: `), the rows of
/// sqlfluff and hadolint, pytest's assertions, the signal that ended a program (`Killed`).
pub(crate) fn names_failure(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_place = || {
        first
            .split_once(':')
            .is_some_and(|(row, column)| digits(row) && digits(column))
    };
    (line.starts_with("● ") && line.contains(" › "))
        || (line.starts_with("rspec ./") && line.contains(" # "))
        || line.starts_with("e: file:")
        || line.starts_with("e: /")
        || (line.starts_with("Diff in ") && line.ends_with(':'))
        || line.starts_with("fatal: ")
        || (first.starts_with("ERR_") && first.len() > 8 && line.len() > first.len() + 8)
        || (is_place()
            && line.trim_start()[first.len()..]
                .trim_start()
                .starts_with(['✖', '×', '✘']))
        || (line.starts_with('^') && line.contains(" SC") && line.contains("): "))
        || line.starts_with("expect(received)")
        || line.starts_with("thrown: \"")
        || (line.starts_with("-- ") && (line.contains(" Error: ") || line.contains(" ERROR --")))
        || (line.starts_with("** (") && line.contains(") "))
        || ((line.starts_with("[FAIL") || line.starts_with("FAIL: "))
            && line.split_whitespace().count() >= 3)
        || line.starts_with("CONFLICT (")
        // What PostgreSQL and apt say of it.
        || ((line.starts_with("DETAIL:") || line.starts_with("E: "))
            && line.split_whitespace().count() >= 4)
        || is_short_trace(first, line)
        // pytest's line of an assertion, sqlfluff's rows, hadolint's of a file that it reads.
        || line.strip_prefix("E ").is_some_and(|said| said.trim_start().starts_with("assert "))
        || (line.starts_with("L:") && line.contains("| P:"))
        || first.strip_prefix("-:").is_some_and(digits) && begins_with_rule(line[first.len()..].trim_start())
        || is_failed_point(line)
        || is_signal(line)
}

/// `tests/test_a.py:88: assert 3 == 4`: what pytest prints of a failure with `--tb=line`.
fn is_short_trace(first: &str, line: &str) -> bool {
    first
        .strip_suffix(':')
        .and_then(|place| place.rsplit_once(".py:"))
        .is_some_and(|(_, row)| !row.is_empty() && row.bytes().all(|b| b.is_ascii_digit()))
        && line[first.len()..].trim_start().starts_with("assert ")
}

/// `not ok 2 - name`, unless it is still to be done or was left out.
fn is_failed_point(line: &str) -> bool {
    line.strip_prefix("not ok ").is_some_and(|rest| {
        let lower = rest.to_ascii_lowercase();
        rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.split_whitespace().count() >= 2
            && !lower.contains("# todo")
            && !lower.contains("# skip")
    })
}

/// What a shell prints of a program that a signal ended.
pub(crate) const SIGNALS: [&str; 6] = [
    "Killed",
    "Terminated",
    "Aborted",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
];

/// `Killed`, `Killed: 9`, `Aborted (core dumped)`, also with the script's line and the process in front.
pub(crate) fn is_signal(line: &str) -> bool {
    let said = match line.split_once(": line ") {
        Some((_, rest)) => rest
            .split_once(": ")
            .map_or(rest, |(_, said)| said)
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '),
        None => line,
    };
    SIGNALS.iter().any(|signal| {
        said.strip_prefix(signal).is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with(" (core dumped)")
                || rest.starts_with(": ") && rest.len() <= 4
                || rest.starts_with("  ") && said.len() < line.len()
        })
    })
}

/// True for a line that begins with the code of a rule, as linters write it above the place
/// (`F841 Local variable is never used`).
pub(crate) fn begins_with_rule(line: &str) -> bool {
    let Some((code, said)) = line.split_once(' ') else {
        return false;
    };
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = code.len() - letters;
    (1..=4).contains(&letters)
        && (3..=5).contains(&digits)
        && code[letters..].bytes().all(|b| b.is_ascii_digit())
        && said.split_whitespace().count() >= 3
}

/// True for a line of JSON with which a server or a tool says that it failed.
pub(crate) fn is_failed_answer(line: &str) -> bool {
    let line = line.trim();
    if !line.starts_with('{') || !line.ends_with('}') {
        return false;
    }
    let Ok(Value::Object(answer)) = serde_json::from_str(line) else {
        return false;
    };
    let says = |value: &Value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Array(all) => !all.is_empty(),
        _ => false,
    };
    let status = ["statusCode", "status_code", "status", "code"]
        .iter()
        .filter_map(|key| answer.get(*key)?.as_u64())
        .any(|status| (400..600).contains(&status));
    let failed = ["error", "errors", "detail"]
        .iter()
        .any(|key| answer.get(*key).is_some_and(says));
    let refused = answer.get("success").and_then(Value::as_bool) == Some(false);
    failed && !answer.contains_key("data") || status && answer.len() > 1 || refused
}

/// Where the message stands in a box of diagnostics that an editor hands to the model:
/// `✘ [Line 3:5] Cannot find name 'x' [2304] (ts)`.
pub(crate) fn diagnostic(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let rest = trimmed
        .trim_start_matches(['✘', '✖', '×', '❌', '•', '-', ' '])
        .trim_start();
    let (place, said) = rest.strip_prefix("[Line ")?.split_once("] ")?;
    let is_place = place.bytes().all(|b| b.is_ascii_digit() || b == b':');
    let is_warning = trimmed.starts_with(['⚠', 'ℹ', '★']);
    (is_place && !is_warning && said.split_whitespace().count() >= 2)
        .then(|| line.len() - said.len())
}

/// Calls by which pasted code prints or throws a message that never came.
const SAYING_CALLS: &[&str] = &[
    "echo \"",
    "echo '",
    "print(",
    "printf",
    "println",
    "console.log(",
    "console.error(",
    "throw ",
    "raise ",
    "panic!(",
    "bail!(",
];

/// How far in front of a message the beginning of its line is looked for, in bytes: lines of code are short.
const LINE_BYTES: usize = 200;

/// True for a message that a line of code would print.
pub(crate) fn is_in_code(text: &str, range: &Range<usize>) -> bool {
    let from = words::floor_boundary(text, range.start.saturating_sub(LINE_BYTES));
    let line = match text[from..range.start].rfind('\n') {
        Some(at) => from + at + 1,
        None if from == 0 => 0,
        None => return false,
    };
    let begin = text[line..range.end].trim_start();
    SAYING_CALLS.iter().any(|call| begin.starts_with(call))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_stand_in_front_of_lines() {
        assert_eq!(process("[rank0]: RuntimeError: no rows"), "[rank0]: ".len());
        assert_eq!(process("[rank]: RuntimeError"), 0);
        assert_eq!(process("[rank0] rows"), 0);
    }

    #[test]
    fn boxes_are_told_from_tables() {
        for (line, len) in [
            ("│ Error: no such thing", "│ ".len()),
            ("  │   on main.tf line 3", "  │   ".len()),
            ("│ a │ b", 0),
            ("plain text", 0),
        ] {
            assert_eq!(border(line), len, "for {line:?}");
        }
    }

    #[test]
    fn some_lines_announce_the_next() {
        for (line, is) in [
            ("Failure:", true),
            ("error during build:", true),
            ("thread 'a' panicked at src/a.rs:3:5:", true),
            ("src/A.hs:3:5: error: [GHC-88464]", true),
            ("failures:", false),
            ("I tried it again and then got an error:", false),
            ("Error: no such row", false),
        ] {
            assert_eq!(announces_next(line), is, "for {line}");
        }
    }

    #[test]
    fn tools_name_what_failed_in_their_forms() {
        for (line, is) in [
            ("● rows › sorts them", true),
            ("● app.service - App", false),
            ("rspec ./spec/a_spec.rb:15 # Row is sorted", true),
            ("e: file:///a/B.kt:18:21 Unresolved reference: c", true),
            ("Diff in /app/src/a.rs:12:", true),
            ("fatal: [web1]: FAILED! => {\"msg\": \"none\"}", true),
            ("ERR_PNPM_OUTDATED_LOCKFILE  The lockfile is old", true),
            ("12:3  ✖  Unexpected row", true),
            ("** (RuntimeError) no row 9", true),
            ("[FAIL: row is taken] test_row() (gas: 31)", true),
            ("not ok 2 - splits a row", true),
            ("not ok 3 - joins rows # TODO", false),
            ("Killed", true),
            ("run.sh: line 3:  812 Killed                  ./rows", true),
            ("Killed the old server", false),
            ("12:3 is the place", false),
            ("CONFLICT (add/add): Merge conflict in rows.txt", true),
            ("DETAIL:  Key (row)=(9) is already there", true),
            ("E: Package 'rows' is no longer there", true),
            ("tests/test_rows.py:8: assert 3 == 4", true),
            ("tests/test_rows.py:8: rows", false),
        ] {
            assert_eq!(names_failure(line), is, "for {line}");
        }
        assert!(begins_with_rule("F841 Local variable `a` is never used"));
        assert!(!begins_with_rule("HTTP 404 not found here"));
    }

    #[test]
    fn labels_and_sums_report_nothing() {
        for (line, is) in [
            ("Failed examples:", true),
            ("BUILD FAILED in 4s", true),
            ("a.py:3: error:", false),
        ] {
            assert_eq!(is_label(line), is, "for {line}");
        }
        assert!(counts_each(
            "svelte-check found 1 error and 0 warnings in 1 file"
        ));
        assert!(counts_each(
            "❯ tests/queue.test.ts (3 tests | 1 failed) 14ms"
        ));
        assert!(!counts_each("app/models.py:31: error: incompatible types"));
        assert!(!counts_each("error: aborting due to 1 previous error"));
    }

    #[test]
    fn answers_that_failed_say_so() {
        for (line, is) in [
            (r#"{"statusCode":400,"message":"no name"}"#, true),
            (r#"{"error":"relation \"rows\" does not exist"}"#, true),
            (r#"{"success":false}"#, true),
            (r#"{"status":"ok","errors":[],"failed":0}"#, false),
            (r#"{"id":4,"error":null}"#, false),
            (r#"{"code":200,"message":"fine"}"#, false),
        ] {
            assert_eq!(is_failed_answer(line), is, "for {line}");
        }
    }

    #[test]
    fn diagnostics_of_an_editor_are_read() {
        let line = "  ✘ [Line 3:5] Cannot find name 'x'. [2304] (ts)";
        assert_eq!(
            diagnostic(line).map(|at| &line[at..]),
            Some("Cannot find name 'x'. [2304] (ts)")
        );
        assert_eq!(diagnostic("  ⚠ [Line 3:5] 'x' is unused"), None);
        assert_eq!(diagnostic("[Link] text"), None);
    }

    #[test]
    fn a_message_in_code_never_came() {
        let text = "make it like this:\n    echo \"Error: no rows\"\nError: no rows\nThe tests throw `Error: no rows`";
        for (at, is) in [(0, true), (1, false), (2, false)] {
            let (start, found) = text.match_indices("Error").nth(at).unwrap();
            assert_eq!(is_in_code(text, &(start..start + found.len())), is);
        }
        let lines = crate::errors::error_lines(text, false);
        assert!(
            !lines.iter().any(|line| is_in_code(text, line)),
            "{lines:?}"
        );
    }
}

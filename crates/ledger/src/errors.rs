//! Error messages in output: which lines they are, and when two are the same.

use crate::diagnostics::{self, Output};
use crate::levels::{self, Framed, tells_level};
use crate::located::behind_place;
use crate::shown_lines::{advises, is_essay, is_frame, is_listing, looks_like_code};
use crate::turns::Turns;
use crate::verdicts::{VERDICT, all_passed, counts_only, names_failed};
use crate::{complaints, error_cues, error_forms, escapes, expectations, failed_runs};
use std::ops::Range;

/// Most error lines taken from one output; a failing build repeats itself beyond that.
pub const MAX_PER_OUTPUT: usize = 20;

/// Longest line, in bytes, that is taken for a message; longer ones are data.
const MAX_LINE_BYTES: usize = 500;

/// The same of a line that begins with the class of an exception (`torch.OutOfMemoryError: CUDA out of memory...`).
const MAX_MESSAGE_BYTES: usize = 1_500;

/// The error lines of `text`, as byte ranges without white space round them; see [`is_error_line`].
/// With `failed` (the tool reported failure) and no such line, the most telling line stands for the failure (see
/// [`failed_runs::telling`]); an exit code says nothing. Where tests ran and none failed, words of failure are names
/// of tests and what they print.
pub fn error_lines(text: &str, failed: bool) -> Vec<Range<usize>> {
    let bare = escapes::bare(text);
    let found = error_lines_in(&bare.text, failed).into_iter();
    found.map(|range| bare.original(&range)).collect()
}

/// The error lines of a text without escape sequences.
fn error_lines_in(text: &str, failed: bool) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let output = Output::of(text);
    let mut ahead = Ahead::Nothing;
    let mut framed_by_npm = Framed::default();
    let traces = text.contains(TRACEBACK);
    for line in crate::words::lines(text) {
        if out.len() == MAX_PER_OUTPUT {
            break;
        }
        let bare = &text[line.start + error_forms::process(&text[line.clone()])..line.end];
        let announced = ahead.takes(bare);
        ahead = ahead.behind(bare, traces);
        // What is announced may lead up to the next line itself.
        if announced && bare.ends_with(':') {
            ahead = Ahead::Message;
        }
        let range = framed(text, line);
        let content = &text[range.clone()];
        let shown = announced || output.reports(content);
        // Most lines are done with here.
        let below = framed_by_npm.is_below(content);
        match tells_level(content) {
            Some(false) => continue,
            Some(true) if content.len() <= MAX_LINE_BYTES => {
                out.push(range);
                continue;
            }
            _ => {}
        }
        if below && !reports(&content[levels::level(content)..]) {
            continue;
        }
        if !shown && !error_cues::may_report(content) || !tells(content) {
            continue;
        }
        // What only announces tells nothing by itself.
        if shown || reports(content) {
            // Some programs say the same again in a sentence of their own.
            let said = content
                .rsplit_once("error: ")
                .map_or(content, |(_, said)| said);
            let again = |known: &Range<usize>| {
                said.len() < content.len() && text[known.clone()].ends_with(said)
            };
            if !out.iter().any(again) {
                out.push(range.clone());
            }
        }
    }
    if !failed
        && !out.is_empty()
        && all_passed(text)
        && !out.iter().any(|at| is_plain_failure(&text[at.clone()]))
    {
        out.clear();
    }
    for range in &mut out {
        *range = expectations::with_values(text, range.clone());
    }
    // Of a failed test and its parts the test is named.
    let tests: Vec<String> = out
        .iter()
        .filter_map(|range| text[range.clone()].strip_prefix("--- FAIL: "))
        .map(|test| format!("--- FAIL: {}/", test.split(' ').next().unwrap_or_default()))
        .collect();
    out.retain(|range| {
        !tests
            .iter()
            .any(|test| text[range.clone()].starts_with(test.as_str()))
    });
    // A verdict that names what failed is all that is left of a run whose head was cut off.
    if out.is_empty() && text.contains(VERDICT) {
        let verdict = crate::words::lines(text).filter_map(|line| telling(text, line));
        out.extend(
            verdict
                .filter(|line| names_failed(&text[line.clone()]))
                .last(),
        );
    }
    // Where only consequences and sums were found, the cause is looked for as well.
    if failed && !out.iter().any(|at| is_plain_failure(&text[at.clone()])) {
        let lines: Vec<Range<usize>> = crate::words::lines(text)
            .filter_map(|line| telling(text, line))
            .collect();
        let causes = failed_runs::telling(text, &lines, output.shows_usage, out.is_empty());
        out.extend(causes);
        out.sort_by_key(|range| range.start);
        out.dedup();
        out.truncate(MAX_PER_OUTPUT);
    }
    // Git names each conflict, and then says that there are some.
    if out
        .iter()
        .any(|range| text[range.clone()].starts_with("CONFLICT"))
    {
        out.retain(|range| !text[range.clone()].starts_with("Automatic merge failed"));
    }
    out
}

/// The first line of a trace of Python.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// What the lines before a line say of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ahead {
    Nothing,
    /// The line tells what failed.
    Message,
    /// The first line of a trace of Python that is not indented tells what failed.
    EndOfTrace,
}

impl Ahead {
    /// True for a line that is told ahead to be the message of a failure.
    fn takes(self, line: &str) -> bool {
        let content = line.trim();
        match self {
            Ahead::Nothing => false,
            Ahead::Message => {
                // GHC writes its messages as items.
                error_forms::may_be_announced(content)
                    && (!is_listing(content) || content.starts_with("• "))
                    && !content.ends_with(['{', ';', '(', ','])
            }
            Ahead::EndOfTrace => !line.starts_with([' ', '\t']) && content.contains(": "),
        }
    }

    /// What is ahead behind a line; `traces` is true where the output has a trace of Python.
    fn behind(self, line: &str, traces: bool) -> Ahead {
        let content = line.trim();
        let within =
            self == Ahead::EndOfTrace && (content.is_empty() || line.starts_with([' ', '\t']));
        if within || traces && content.contains(TRACEBACK) {
            Ahead::EndOfTrace
        } else if content.is_empty() || content.chars().all(|c| !c.is_alphanumeric()) {
            self
        } else if error_forms::announces_next(content) {
            Ahead::Message
        } else {
            Ahead::Nothing
        }
    }
}

/// The first line of a tool's complaint, for tools that run nothing: what failed stands there, and
/// what it was given follows. Tags round it are left out.
pub fn complaint(text: &str) -> Option<Range<usize>> {
    crate::words::lines(text).find_map(|line| {
        let range = telling(text, line)?;
        let content = &text[range.clone()];
        let start = match content.strip_prefix('<') {
            // Behind the tag; a `<` that nothing closes begins none.
            Some(tag) => tag
                .find('>')
                .map_or(range.start, |end| range.start + end + 2),
            None => range.start,
        };
        let end = text[start..range.end]
            .find("</")
            .map_or(range.end, |at| start + at);
        (end > start + 3).then_some(start..end)
    })
}

/// A line that says something, without white space round it.
fn telling(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let range = framed(text, line);
    tells(&text[range.clone()]).then_some(range)
}

/// A line without the frame of a log or a box, and without white space round it.
fn framed(text: &str, line: Range<usize>) -> Range<usize> {
    let start = line.start + diagnostics::log_prefix(&text[line.clone()]);
    let start = start + diagnostics::colours(&text[start..line.end]);
    let start = start + error_forms::border(&text[start..line.end]);
    let start = start + error_forms::process(&text[start..line.end]);
    let whole = &text[start..line.end];
    let start = start + (whole.len() - whole.trim_start().len());
    start..start + whole.trim().len()
}

/// True for a line that begins with the class of an exception and what it says.
fn begins_with_class(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(class, _)| {
        class.len() <= 80
            && (class.ends_with("Error") || class.ends_with("Exception"))
            && class
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':'))
    })
}

/// True for a line that says something by itself.
fn tells(content: &str) -> bool {
    let most = if begins_with_class(content) {
        MAX_MESSAGE_BYTES
    } else {
        MAX_LINE_BYTES
    };
    if content.len() < 4 || content.len() > most {
        return false;
    }
    let lower = content.to_ascii_lowercase();
    let code = lower.strip_prefix("error: ").unwrap_or(&lower);
    content.chars().any(char::is_alphabetic)
        && lower != "(no output)"
        && !code.starts_with("exit code ")
        && !only_announces(&lower)
}

/// Most words of a line in which "errors" reports some.
const MAX_BRIEF_WORDS: usize = 8;

/// Words that report a failure.
const CUES: [&str; 11] = [
    "error",
    "errors",
    "err!",
    "exception",
    "exceptions",
    "failed",
    "failure",
    "fatal",
    "panic",
    "panicked",
    "traceback",
];

/// True for a line that reports a failure.
///
/// That is a line of a compiler or linter (`file:line:col: text`, whatever its words), a failed
/// test by its name, or a line in which a word reports a failure (`error`, `exception`, `failed`,
/// `fatal`, `panic`), an error code (`E0308`, `TS2345`, `ENOENT`, `TypeError`), or a turn
/// like "command not found". Source code, listings with line numbers, changes (`+`, `-`), Markdown,
/// tables, data, sums and counts are none.
pub fn is_error_line(line: &str) -> bool {
    !only_announces(&line.to_ascii_lowercase()) && reports(line)
}

/// True for a line that tells a failure in its first words: `error: text`, `TypeError: text`, `file:3:5: text`.
fn is_plain_failure(line: &str) -> bool {
    let line = &line[levels::clock(line)..];
    let first = line.split_whitespace().next().unwrap_or_default();
    let word = first.split([':', '[', '(']).next().unwrap_or_default();
    let cue = CUES.iter().any(|cue| cue.eq_ignore_ascii_case(word));
    (cue || error_code(word).is_some()) && first.len() > word.len()
        || behind_place(line).is_some()
        || levels::level(line) > 0
        || error_forms::names_failure(line) && !error_forms::is_signal(line)
        || line.starts_with("CONFLICT")
        || line.starts_with('{')
}

/// `error handling: enabled`, `validation error count: 1`: a name of some words, and one word for its value.
fn is_assignment(lower: &str) -> bool {
    let Some((name, value)) = lower.split_once(": ") else {
        return false;
    };
    let last = name.rsplit(' ').next().unwrap_or_default();
    let counted = value.trim().bytes().all(|b| b.is_ascii_digit());
    name.contains(' ')
        && !value.trim().contains(' ')
        && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b' ')
        && (counted || CUES.iter().any(|cue| name.starts_with(cue)))
        && !CUES.contains(&last)
}

/// True where the word before `behind` is a part of a name: `fail-fast`, `error_count`, `error.css`.
fn is_named(behind: &str) -> bool {
    behind.starts_with(['-', '_', '('])
        || behind
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

/// True where the word before `behind` is measured: `error 0.41`, `error: 0.021`.
fn is_measured(behind: &str) -> bool {
    let figure = behind.trim_start_matches([':', ' ']);
    let figure = figure.split(' ').next().unwrap_or_default();
    figure.len() < behind.len()
        && figure.split_once('.').is_some_and(|(whole, part)| {
            let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            digits(whole) && digits(part)
        })
}

/// The same of a line that does not only announce.
fn reports(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    if error_forms::counts_none(&lower) || error_forms::tells_none(&lower) || counts_only(line) {
        return false;
    }
    if let Some(said) = behind_place(line) {
        let said = said.trim_start().to_ascii_lowercase();
        return !["note:", "help:", "info:", "in function", "included from"]
            .iter()
            .any(|start| said.starts_with(start));
    }
    if lower.starts_with("note: ") {
        return false;
    }
    if error_forms::names_failure(line) || error_forms::is_failed_answer(line) {
        return true;
    }
    let clock = levels::clock(line);
    let level = levels::level(&line[clock..]);
    let (line, lower) = (&line[clock + level..], &lower[clock + level..]);
    let is_framed = clock + level > 0;
    if is_framed && (behind_place(line).is_some() || error_forms::names_failure(line)) {
        return true;
    }
    if error_forms::is_label(line) && !complaints::report(lower)
        || levels::is_quiet_log(line)
        || error_forms::counts_each(lower)
        || is_frame(line)
        || is_assignment(lower)
    {
        return false;
    }
    // What git refused to push or fetch stands beside an arrow.
    if line.starts_with("! [") {
        return lower.contains("rejected]");
    }
    // `test parses_failed ... ok`, `✓ reports an error`, `check for conflicts....Passed`.
    let passed = lower.ends_with(" ok")
        || lower.ends_with("...passed")
        || lower.starts_with(['✓', '✔', '√'])
        || lower.starts_with("ok ")
        // GoogleTest.
        || lower.starts_with("[ run ")
        || lower.starts_with("[       ok");
    let leads_on = ["to see ", "see ", "please ", "hint: "]
        .iter()
        .any(|start| lower.starts_with(start));
    if levels::is_warning(line) || is_recap(lower) || leads_on || SCORES.stand_in(lower) {
        return false;
    }
    if line.starts_with(['×', '✖', '✘', '✗', '❌']) && line.split_whitespace().count() >= 3
    {
        return true;
    }
    if passed
        || line.starts_with('^')
        || is_listing(line)
        || looks_like_code(line)
        || is_essay(line)
    {
        return false;
    }
    // What stands behind the level of a failure is the message.
    if level > 0 {
        return !line.is_empty() && !advises(line) && !counts_only(line);
    }
    let brief = line.split_whitespace().count() <= MAX_BRIEF_WORDS;
    // `thiserror` and `parses_failed` name things, they report nothing.
    crate::words::raw_words(lower).any(|word| {
        let end = word.end;
        // "errors" in a sentence speaks of some.
        let several = lower[word.clone()].ends_with("ors") || lower[word.clone()].ends_with("ons");
        CUES.contains(&&lower[word.clone()])
            && !lower[..word.start].ends_with(['-', '_'])
            && !is_named(&lower[end..])
            && !is_measured(&lower[end..])
            && (!several || lower[end..].starts_with(':') || brief)
    }) || lower.starts_with("--- fail: ")
        || complaints::report(lower)
        || error_code(line).is_some()
}

/// Figures that have the word in their name.
static SCORES: Turns = Turns::anywhere(&[
    "absolute error",
    "squared error",
    "standard error",
    "percentage error",
    "relative error",
    "reconstruction error",
]);

/// `web1 : ok=4 changed=3 failed=0`: the sums of one machine (Ansible).
fn is_recap(lower: &str) -> bool {
    lower.contains("ok=") && lower.contains("failed=")
}

/// Turns of sums and of lines that lead up to a message.
static SUMS: Turns = Turns::anywhere(&[
    "could not compile `",
    "detailed explanations",
    "for more information about this error",
    "for more information about an error",
    "oops! something went wrong",
    "unable to find image",
    "to rerun pass",
    "aborting due to",
    "failures:",
    "error trace:",
    "some errors were emitted",
    "test result:",
    "] error ",
    "exited with code",
    "exit status ",
    "completed with exit code",
    "command failed with exit code",
    // Droid's shell.
    "command failed (exit code",
    // The exception stands at the end of the trace.
    "traceback (most recent call last)",
    "returned non-zero exit",
    "compilation aborted",
    "compilation terminated",
    "build failed with an exception",
    // Gradle.
    "execution failed for task",
    "error occurred while ",
    "failed with errors in ",
    "solving environment: ",
    "background on this error",
    "curl failed to verify",
    "root cause (first observed",
]);

/// Lines in which a tool says that something failed, and its own circumstances, but not what:
/// npm's (10) frame round a script's output, the sums of cargo and make, warnings, and a sentence
/// that leads up to a message.
fn only_announces(lower: &str) -> bool {
    if let Some(said) = ["npm error", "npm err!"]
        .iter()
        .find_map(|start| lower.strip_prefix(start))
    {
        let said = said.trim_start();
        let numbered = said
            .strip_prefix("code ")
            .is_some_and(|code| code.bytes().all(|b| b.is_ascii_digit()));
        return numbered
            || [
                "path ",
                "workspace ",
                "location ",
                "command ",
                "cwd ",
                "signal ",
                "errno ",
                "syscall ",
                "lifecycle script",
                "a complete log",
                "in workspace",
                "at location",
            ]
            .iter()
            .any(|start| said.starts_with(start));
    }
    SUMS.stand_in(lower)
        || (["npm warn", "warning", "warn ", "[warn"]
            .iter()
            .any(|start| lower.starts_with(start))
            && !lower.contains("code style issues")
            && !lower.contains("data race")
            && !lower.contains(" failed to "))
        || (lower.ends_with("error:") && lower.split_whitespace().count() > 3)
        || is_leading_sentence(lower)
}

/// "During handling of the above exception, another exception occurred:": words alone, and a colon at their end.
fn is_leading_sentence(lower: &str) -> bool {
    lower.strip_suffix(':').is_some_and(|said| {
        said.split(' ').count() >= 5
            && said
                .bytes()
                .all(|b| b.is_ascii_lowercase() || matches!(b, b' ' | b',' | b'\''))
            && ["exception", "error", "failure", "failed"]
                .iter()
                .any(|cue| said.contains(cue))
    })
}

/// Error codes of operating systems and of npm that outputs name.
#[rustfmt::skip]
const ERRNO: &[&str] = &[
    "E2BIG", "EACCES", "EADDRINUSE", "EADDRNOTAVAIL", "EAGAIN", "EAI_AGAIN", "EBADF", "EBUSY",
    "ECHILD", "ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EEXIST", "EHOSTUNREACH", "EINTEGRITY",
    "EINTR", "EINVAL", "EIO", "EISDIR", "ELIFECYCLE", "ELOOP", "EMFILE", "ENETUNREACH", "ENOENT",
    "ENOEXEC", "ENOMEM", "ENOSPC", "ENOTDIR", "ENOTEMPTY", "ENOTFOUND", "EPERM", "EPIPE",
    "EPROTO", "ERESOLVE", "EROFS", "ESRCH", "ETARGET", "ETIMEDOUT", "EUSAGE", "EXDEV",
];

/// The code or exception class a message names: `E0308`, `TS2345`, `ENOENT`, `TypeError`.
pub fn error_code(line: &str) -> Option<&str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .find(|word| {
            let bytes = word.as_bytes();
            let digits = bytes
                .iter()
                .rev()
                .take_while(|b| b.is_ascii_digit())
                .count();
            let letters = bytes.len() - digits;
            let numbered = matches!(letters, 1 | 2)
                && (3..=5).contains(&digits)
                && bytes[..letters].iter().all(u8::is_ascii_uppercase)
                && matches!(bytes[0], b'E' | b'T' | b'C' | b'R');
            let class = bytes.first().is_some_and(u8::is_ascii_uppercase)
                && ["Error", "Exception"]
                    .iter()
                    .any(|end| word.strip_suffix(end).is_some_and(|name| name.len() >= 2));
            let errno = ERRNO.binary_search(word).is_ok();
            numbered || class || errno
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_code_and_from_good_news() {
        for (line, is) in [
            ("error[E0308]: mismatched types", true),
            ("TypeError: x is not a function", true),
            ("test a::b ... FAILED", true),
            ("connect ECONNREFUSED 127.0.0.1:5432", true),
            ("3 failed, 0 errors", false),
            ("FAIL", false),
            ("FAIL\tgithub.com/a/b\t0.31s", false),
            ("--- FAIL: TestReadsHalves (0.02s)", true),
            ("Found 12 errors.", false),
            (
                "pkg/a/b.go:258:72: (*T).Read - result 1 is always nil (unparam)",
                true,
            ),
            ("src/a.ts(3,1): name is unused", true),
            ("  12:5  error  name is unused  no-unused-vars", true),
            ("src/a.rs:3:5: note: defined here", false),
            ("x, err := open()", false),
            ("func outputHook(reason string) error", false),
            ("Default() (int, error)", false),
            ("216 │ * @throws Error if no key is set", false),
            ("assertion `left == right` failed", true),
            ("exception: no such row", true),
            ("type mismatch: expected u8, failed at x", true),
            ("assert(error == nil)", false),
            ("53→ echo \"Error: no input\"", false),
            ("+    panic(\"error\")", false),
            ("- Handles errors (command not found)", false),
            ("4. EVALUATE: no error for THIS text", false),
            ("=== RUN TestShowsError", false),
            ("ID: 27 | Created: x | Body: drops the error", false),
            ("[main b5cf65b] fix: an error in b", false),
            ("(eval):1: command not found: lintx", true),
            ("test result: ok. 12 passed; 0 failed", false),
            ("test result: FAILED. 5 passed; 1 failed", false),
            ("Found 0 errors.", false),
            ("    if (error) {", false),
            ("12: const error = await run();", false),
            ("all good", false),
            ("test parses_payout_failed ... ok", false),
            ("✓ shows an error", false),
            ("   Compiling thiserror v2.0.17", false),
            ("    tries_again_after_a_server_error", false),
            ("82 |         self.failed(&lease).await;", false),
            ("npm error path /home/me/app", false),
            (
                "npm error Lifecycle script `check` failed with error:",
                false,
            ),
            ("npm error code 2", false),
            ("npm error code E404", true),
            ("npm error Missing script: \"chekc\"", true),
            (
                "error: could not compile `app` (lib) due to 2 previous errors",
                false,
            ),
            ("make: *** [Makefile:3: all] Error 2", false),
            ("npm warn deprecated x: use native DOMException", false),
            ("I tried it and got this error:", false),
            ("unknown shorthand flag: 'q' in -q", true),
            ("accepts at most 1 arg(s), received 2", true),
            ("./a.go:3:2: undefined: load", true),
            ("fatal: not a git repository (or any parent)", true),
            ("! [rejected]        main -> main (non-fast-forward)", true),
            ("ModuleNotFoundError: No module named 'rows'", true),
            ("sqlite3: near line 1: no such table: rows", true),
            ("gh: Not Found (HTTP 404)", true),
            ("HTTP/1.1 200 OK", false),
            (
                "Aim: end a merge that stopped because of type errors after main changed",
                false,
            ),
            ("Found type errors in rows", true),
            ("##[error]Process completed with exit code 1.", false),
            ("would reformat src/rows.py", true),
            ("^ unexpected token \"x\"", false),
        ] {
            assert_eq!(is_error_line(line), is, "for {line:?}");
        }
    }

    #[test]
    fn a_complaint_is_what_stands_between_its_tags() {
        for (text, is) in [
            ("<error>File not found</error>", "File not found"),
            ("<\u{2134d}bc", "<\u{2134d}bc"),
            ("<\u{2134d}>b\u{e4}cd", "b\u{e4}cd"),
        ] {
            assert_eq!(complaint(text).map(|at| &text[at]), Some(is), "{text:?}");
        }
    }

    #[test]
    fn a_failure_without_a_message_is_its_last_line() {
        let text = "step one\nstep two broke\n\n";
        assert_eq!(&text[error_lines(text, true)[0].clone()], "step two broke");
        assert!(error_lines(text, false).is_empty());
        let cut = "ok  \texample.org/a\t0.1s\nFAIL\texample.org/b\t0.3s\nFAIL\n";
        assert_eq!(
            &cut[error_lines(cut, false)[0].clone()],
            "FAIL\texample.org/b\t0.3s"
        );
        let silent = "(no output)\n\nCommand exited with code 1";
        assert!(error_lines(silent, true).is_empty());
    }

    #[test]
    fn codes_are_found() {
        assert_eq!(error_code("error[E0308]: no"), Some("E0308"));
        assert_eq!(error_code("src/a.ts: error TS2345: no"), Some("TS2345"));
        assert_eq!(error_code("a ReferenceError: x"), Some("ReferenceError"));
        assert_eq!(error_code("plain Error: x"), None);
    }

    #[test]
    fn what_stands_beside_a_failure_is_none() {
        let text = "Gathering Facts.....Passed\nweb1 : ok=4 changed=3 failed=1\nmean absolute error of rows: 0.4\n\
                    To see why this failed, please read rows.log\non main.tf line 4, in resource \"a\" \"errors\":";
        assert!(error_lines(text, false).is_empty());
    }

    #[test]
    fn a_trace_of_one_process_of_several_ends_with_its_message() {
        let long = "rows ".repeat(150);
        let text = format!(
            "[rank0]: Traceback (most recent call last):\n[rank0]:   File \"a.py\", line 3, in run\n\
             [rank0]:     read(row)\n[rank0]: torch.OutOfMemoryError: no memory for {long}"
        );
        let found = error_lines(&text, true);
        let found: Vec<&str> = found.into_iter().map(|at| &text[at]).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("torch.OutOfMemoryError: "));
    }
}

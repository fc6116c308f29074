//! How tools print what failed: the frame of a log, boxes of linters, failures of tests, rules.

use crate::{complaints, error_forms, identifiers};

/// The rules that a message names, under which summaries tell it: `G306`, `TS2345`, and what stands
/// in brackets at its end (`(wrapcheck)`, `[no-unused-vars]`).
pub(crate) fn rules(line: &str) -> Vec<String> {
    let mut out: Vec<String> = identifiers::rule_codes(line)
        .map(|range| line[range].to_owned())
        .collect();
    let end = line.trim_end();
    let inner = [('(', ')'), ('[', ']')]
        .into_iter()
        .find_map(|(open, close)| {
            let inner = end.strip_suffix(close)?;
            Some(&inner[inner.rfind(open)? + 1..])
        });
    if let Some(rule) = inner.filter(|rule| {
        rule.len() >= 5
            && rule
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-/@".contains(&b))
            && rule.bytes().any(|b| b.is_ascii_alphabetic())
    }) {
        out.push(rule.to_owned());
    }
    out
}

/// Length of what a server puts in front of each line of a log: the job, the step and the time
/// (`lint<tab>Run linter<tab>2026-01-02T03:04:05.6789Z text`).
pub(crate) fn log_prefix(line: &str) -> usize {
    let mut at = 0;
    for _ in 0..2 {
        match line[at..].find('\t') {
            Some(tab) => at += tab + 1,
            None => return 0,
        }
    }
    let time = line[at..].split(' ').next().unwrap_or_default();
    let is_time = time.len() >= 20
        && time.ends_with('Z')
        && time.as_bytes()[4] == b'-'
        && time.as_bytes()[10] == b'T';
    if is_time { at + time.len() } else { 0 }
}

/// Length of the white space and the codes of terminal colours that a line begins with, with or without
/// their escape character.
pub(crate) fn colours(line: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\u{1b}']).len();
        let code = rest[blank..].strip_prefix('[').and_then(|code| {
            let end = code.find('m')?;
            let is_code = code[..end].bytes().all(|b| b.is_ascii_digit() || b == b';');
            (is_code && end > 0).then_some(blank + 1 + end + 1)
        });
        match code {
            Some(len) => at += len,
            None => return at,
        }
    }
}

/// True for the complaint of a program under its name: `gh: Not Found`.
pub(crate) fn complains(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, said)| {
        (2..=20).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b))
            && said.split_whitespace().count() >= 2
    })
}

/// What an output shows as a whole, in whose light its lines are read.
pub(crate) struct Output {
    /// A linter draws a line behind each place and tells what is wrong below it.
    is_boxed: bool,
    /// Tests failed.
    has_failed_tests: bool,
    /// Testify tells in rows what was wrong (`Error:`, `Messages:`).
    has_rows: bool,
    /// A linter writes the rule and the message above the place.
    has_places_below: bool,
    /// Gradle tells what went wrong in items.
    tells_in_items: bool,
    /// A program explains how it is called, behind what was wrong with the call.
    pub shows_usage: bool,
}

/// Words by which the message of a failed test says what was wrong.
const EXPECTING: [&str; 12] = [
    "not found",
    "expected",
    "expect ",
    "got ",
    "got:",
    "should",
    "want",
    "unexpected",
    "failed",
    "mismatch",
    "must ",
    "error",
];

impl Output {
    pub fn of(text: &str) -> Output {
        Output {
            is_boxed: text.contains("\u{2501}\u{2501}\u{2501}\u{2501}"),
            has_failed_tests: text.contains("--- FAIL"),
            has_rows: text.contains("Error Trace:"),
            has_places_below: text.contains("\n  --> ") || text.contains("\n   --> "),
            tells_in_items: text.contains("* What went wrong:"),
            shows_usage: ["Usage:", "usage:", "Usage of "]
                .iter()
                .any(|usage| text.contains(usage)),
        }
    }

    /// True for a line that reports a failure in this output: `! text` in a box, and
    /// `file_test.go:12: text` of a failed test.
    pub fn reports(&self, line: &str) -> bool {
        if self.is_boxed && line.starts_with("! ") {
            return line.split_whitespace().count() >= 4;
        }
        if self.has_rows
            && let Some((name, said)) = line.split_once(':')
            && matches!(name, "Error" | "Messages")
        {
            return said.split_whitespace().count() >= 2;
        }
        if self.tells_in_items
            && let Some(said) = line.strip_prefix("> ")
        {
            return complaints::report(&said.to_ascii_lowercase());
        }
        if self.has_places_below && error_forms::begins_with_rule(line) {
            return true;
        }
        if !self.has_failed_tests {
            return false;
        }
        let Some((place, said)) = line.split_once(": ") else {
            return false;
        };
        let is_place = place.rsplit_once(':').is_some_and(|(file, row)| {
            file.contains('.')
                && !file.contains(' ')
                && !row.is_empty()
                && row.bytes().all(|b| b.is_ascii_digit())
        });
        let lower = said.to_ascii_lowercase();
        is_place && EXPECTING.iter().any(|word| lower.contains(word))
    }
}

/// Turns by which a program refuses how it was called.
#[rustfmt::skip]
const REFUSALS: &[&str] = &[
    "unknown flag", "unknown shorthand flag", "unknown option", "unrecognized option", "unrecognized argument",
    "unrecognised option", "invalid option", "illegal option", "bad option", "invalid usage", "unknown command",
    "unknown subcommand", "no such subcommand", "unexpected argument", "unknown argument", "unknown switch",
    "missing required argument", "too many arguments", "not found (http 404)", "no such option",
    // What a shell says of a line that it cannot read.
    "missing the terminator", "not a valid statement separator", "missing closing '",
];

/// True for what a shell says, in lower case, of a script that stands in the call itself and that it cannot read (bash
/// 3.2 and 5.2, zsh 5.9).
fn cannot_be_read(lower: &str) -> bool {
    let says = |turns: [&str; 2]| turns.iter().any(|turn| lower.contains(turn));
    lower.contains("-c: line ") && says(["syntax error", "unexpected eof"])
        || lower.contains("(eval):") && says(["parse error", "unmatched"])
}

/// True for a line by which a program refuses how it was called ("unknown flag: --rows").
pub(crate) fn refuses_call(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    REFUSALS.iter().any(|turn| lower.contains(turn)) || cannot_be_read(&lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::error_lines;

    fn lines(text: &str, failed: bool) -> Vec<&str> {
        error_lines(text, failed)
            .into_iter()
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn colours_are_left_out() {
        for (line, len) in [
            ("\u{1b}[36;1mecho", 7),
            ("[36;1m echo \"a\"", 6),
            ("[mail] text", 0),
            ("text", 0),
        ] {
            assert_eq!(colours(line), len, "for {line:?}");
        }
    }

    #[test]
    fn rules_of_messages_are_named() {
        for (line, expected) in [
            (
                "a.go:3:1: G306: Expect permissions 0600 or less (gosec)",
                vec!["G306", "gosec"],
            ),
            ("a.ts(3,1): error TS2345: no such thing", vec!["TS2345"]),
            (
                "3:1 error 'x' is never used [no-unused-vars]",
                vec!["no-unused-vars"],
            ),
            ("it failed (see above)", vec![]),
        ] {
            assert_eq!(rules(line), expected, "for {line}");
        }
    }

    #[test]
    fn tools_print_failures_in_their_ways() {
        for (text, failed, expected) in [
            (
                "lint\tRun linter\t2026-01-02T03:04:05.6789Z src/a.go:3:1: x is unused\nlint\tDone\t2026-01-02T03:04:05.6789Z ok",
                false,
                vec!["src/a.go:3:1: x is unused"],
            ),
            (
                "src/a.ts:3:1 lint/unused \u{2501}\u{2501}\u{2501}\u{2501}\n\n  ! This import is unused.\n  \u{d7} expected a semicolon here",
                false,
                vec![
                    "! This import is unused.",
                    "\u{d7} expected a semicolon here",
                ],
            ),
            (
                "=== RUN TestRow\n    row_test.go:7: rows: 3\n    row_test.go:9: row 3 not found\n--- FAIL: TestRow (0.1s)",
                false,
                vec!["row_test.go:9: row 3 not found", "--- FAIL: TestRow (0.1s)"],
            ),
            (
                "gh: Not Found (HTTP 404)\n{\n  \"message\": \"Not Found\"\n}",
                true,
                vec!["gh: Not Found (HTTP 404)"],
            ),
            (
                "accepts at most 1 arg(s), received 2\n\nUsage:  tool api <endpoint>\n  more flags here",
                true,
                vec!["accepts at most 1 arg(s), received 2"],
            ),
        ] {
            assert_eq!(lines(text, failed), expected, "for {text}");
        }
    }
}

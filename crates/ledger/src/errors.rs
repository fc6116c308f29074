//! Error messages in output: which lines they are, and when two are the same.

use std::ops::Range;

/// Most error lines taken from one output; a failing build repeats itself beyond that.
pub const MAX_PER_OUTPUT: usize = 20;

/// Longest line, in bytes, that is taken for a message; longer ones are data.
const MAX_LINE_BYTES: usize = 500;

/// The error lines of `text`, as byte ranges without white space round them.
///
/// A line counts when it has `error`, `exception`, `failed`, `failure`, `fatal`, `panic` or an
/// error code (`E0308`, `TS2345`, `ENOENT`), is not a line of source code and does not count zero
/// errors. With `failed` (the tool reported failure) and no such line, the last line that says
/// anything stands for the failure; an exit code says nothing.
pub fn error_lines(text: &str, failed: bool) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut last = None;
    for line in crate::words::lines(text) {
        let content = text[line.clone()].trim();
        if content.len() < 4 || content.len() > MAX_LINE_BYTES {
            continue;
        }
        let start = line.start + (text[line.clone()].len() - text[line].trim_start().len());
        let range = start..start + content.len();
        if out.len() < MAX_PER_OUTPUT && is_error_line(content) {
            out.push(range.clone());
        }
        let lower = content.to_ascii_lowercase();
        if content.chars().any(char::is_alphabetic)
            && lower != "(no output)"
            && !only_announces(&lower)
        {
            last = Some(range);
        }
    }
    if out.is_empty() && failed {
        out.extend(last);
    }
    out
}

/// True for a line that reports a failure (see [`error_lines`]).
pub fn is_error_line(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let named = [
        "error",
        "exception",
        "failed",
        "failure",
        "fatal",
        "panic",
        "traceback",
    ]
    .iter()
    .any(|cue| lower.contains(cue))
        || lower.contains("command not found")
        || lower.contains("no such file")
        || lower.contains("permission denied")
        || error_code(line).is_some();
    named && !counts_none(&lower) && !looks_like_code(line) && !only_announces(&lower)
}

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
    [
        "could not compile `",
        "detailed explanations",
        "for more information about this error",
        "to rerun pass",
        "aborting due to",
        "failures:",
        "] error ",
        "exited with code",
        "exit status ",
    ]
    .iter()
    .any(|sum| lower.contains(sum))
        || ["npm warn", "warning", "warn ", "[warn"]
            .iter()
            .any(|start| lower.starts_with(start))
        || (lower.ends_with("error:") && lower.split_whitespace().count() > 3)
}

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
            let errno = bytes.len() >= 5
                && bytes[0] == b'E'
                && bytes.iter().all(u8::is_ascii_uppercase)
                && !word.starts_with("ERROR")
                && !matches!(
                    *word,
                    "ELSE"
                        | "EMPTY"
                        | "ENABLE"
                        | "ENABLED"
                        | "EXISTS"
                        | "EVERY"
                        | "EVENT"
                        | "EVENTS"
                        | "EXIT"
                        | "EXPECT"
                        | "EXAMPLE"
                        | "EXPORT"
                        | "EXTRA"
                        | "EARLY"
                );
            numbered || class || errno
        })
}

/// "0 errors", "no errors", "error: 0", "failed: 0", "0 failed".
fn counts_none(lower: &str) -> bool {
    let none_of = [
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
    ]
    .iter()
    .any(|cue| {
        lower
            .match_indices(cue)
            .any(|(at, _)| !lower[..at].ends_with(|c: char| c.is_ascii_digit()))
    });
    // "3 failed, 0 errors" counts something after all.
    none_of && !lower.contains("fatal") && !some_failed(lower)
}

fn some_failed(lower: &str) -> bool {
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    words.windows(2).any(|pair| {
        let positive = pair[0].parse::<u64>().is_ok_and(|count| count > 0);
        positive && (pair[1].starts_with("fail") || pair[1].starts_with("error"))
    }) || lower.contains("result: failed")
}

/// Source code, listings and diffs mention errors without having any.
fn looks_like_code(line: &str) -> bool {
    let line = line.trim();
    let body = line
        .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-' | '|' | '→'))
        .trim_start();
    let ends = ["{", "};", ");", "}", "=> {", "(", ","]
        .iter()
        .any(|end| body.ends_with(end));
    let begins = [
        "//",
        "/*",
        "* ",
        "fn ",
        "pub ",
        "let ",
        "const ",
        "import ",
        "export ",
        "class ",
        "def ",
        "return ",
        "if ",
        "} ",
        "function ",
        "use ",
        "#[",
        "@@",
        "+ ",
        "- ",
        "catch",
        "throw ",
        "await ",
        "async ",
        "private ",
        "public ",
        "static ",
        "struct ",
        "enum ",
        "impl ",
        "match ",
        "raise ",
        "except",
        "expect(",
    ]
    .iter()
    .any(|start| body.starts_with(start));
    ends || begins || body.contains(" => ") || body.contains("=> ") && body.contains('(')
}

/// A message with what varies between two appearances masked: digits become `#`, hexadecimal
/// addresses `0x#`, white space is collapsed, case is lowered.
pub fn mask(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message.trim();
    while let Some(c) = rest.chars().next() {
        let taken = if let Some(hex) = rest.strip_prefix("0x") {
            out.push_str("0x#");
            2 + hex.bytes().take_while(u8::is_ascii_hexdigit).count()
        } else if c.is_ascii_digit() {
            out.push('#');
            rest.bytes().take_while(u8::is_ascii_digit).count()
        } else if c.is_whitespace() {
            out.push(' ');
            rest.len() - rest.trim_start().len()
        } else {
            out.extend(c.to_lowercase());
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
    out
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
            ("3 failed, 0 errors", true),
            ("test result: ok. 12 passed; 0 failed", false),
            ("Found 0 errors.", false),
            ("    if (error) {", false),
            ("12: const error = await run();", false),
            ("all good", false),
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
        ] {
            assert_eq!(is_error_line(line), is, "for {line:?}");
        }
    }

    #[test]
    fn a_failure_without_a_message_is_its_last_line() {
        let text = "step one\nstep two broke\n\n";
        assert_eq!(&text[error_lines(text, true)[0].clone()], "step two broke");
        assert!(error_lines(text, false).is_empty());
        let silent = "(no output)\n\nCommand exited with code 1";
        assert!(error_lines(silent, true).is_empty());
    }

    #[test]
    fn masked_messages_meet() {
        assert_eq!(
            mask("Panic at 0x7ffe12 line  12"),
            mask("panic at 0x1 line 99")
        );
    }

    #[test]
    fn codes_are_found() {
        assert_eq!(error_code("error[E0308]: no"), Some("E0308"));
        assert_eq!(error_code("src/a.ts: error TS2345: no"), Some("TS2345"));
        assert_eq!(error_code("a ReferenceError: x"), Some("ReferenceError"));
        assert_eq!(error_code("plain Error: x"), None);
    }
}

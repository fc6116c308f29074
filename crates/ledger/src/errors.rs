//! Error messages in output: which lines they are, and when two are the same.

use std::ops::Range;

/// Most error lines taken from one output; a failing build repeats itself beyond that.
pub const MAX_PER_OUTPUT: usize = 20;

/// Longest line, in bytes, that is taken for a message; longer ones are data.
const MAX_LINE_BYTES: usize = 500;

/// The error lines of `text`, as byte ranges without white space round them.
///
/// A line counts when it has the word `error`, `exception`, `failed`, `failure`, `fatal`, `panic`,
/// or an error code (`E0308`, `TS2345`, `ENOENT`), is not a line of source code and does not count zero
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

/// Words that report a failure.
const CUES: [&str; 12] = [
    "error",
    "errors",
    "err",
    "exception",
    "exceptions",
    "failed",
    "failure",
    "failures",
    "fatal",
    "panic",
    "panicked",
    "traceback",
];

/// True for a line that reports a failure (see [`error_lines`]).
pub fn is_error_line(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    // `thiserror` and `parses_failed` name things, they report nothing.
    let named = crate::words::raw_words(&lower).any(|word| CUES.contains(&&lower[word]))
        || lower.contains("command not found")
        || lower.contains("no such file")
        || lower.contains("permission denied")
        || error_code(line).is_some();
    // `test parses_failed ... ok`, `✓ reports an error`.
    let passed =
        lower.ends_with(" ok") || lower.starts_with(['✓', '✔', '√']) || lower.starts_with("ok ");
    named && !passed && !counts_none(&lower) && !looks_like_code(line) && !only_announces(&lower)
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
        "test result:",
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
    let ends = ["{", ";", "}", "=> {", "(", ","]
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
        "= note:",
        "= help:",
    ]
    .iter()
    .any(|start| body.starts_with(start));
    ends || begins || body.contains(" => ") || body.contains("=> ") && body.contains('(')
}

/// A message with what varies between two appearances masked: folders of paths are left out,
/// digits become `#`, hexadecimal addresses `0x#`, white space is collapsed, case is lowered. Of a
/// line of a log the time and the values of `key=value` are left out.
pub fn mask(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let logged = crate::pasted::starts_with_time(message);
    for word in message.split_whitespace() {
        if !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        match word.split_once('=') {
            Some((key, _)) if logged => {
                out.push_str(key);
                out.push('=');
            }
            _ if logged && word.contains(':') && word.starts_with(|c: char| c.is_ascii_digit()) => {
            }
            _ if word.contains("://") => mask_word(word, &mut out),
            _ => mask_word(word.rsplit('/').next().unwrap_or(word), &mut out),
        }
    }
    out
}

fn mask_word(word: &str, out: &mut String) {
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let taken = if let Some(hex) = rest.strip_prefix("0x") {
            out.push_str("0x#");
            2 + hex.bytes().take_while(u8::is_ascii_hexdigit).count()
        } else if c.is_ascii_digit() {
            out.push('#');
            rest.bytes().take_while(u8::is_ascii_digit).count()
        } else {
            out.extend(c.to_lowercase());
            c.len_utf8()
        };
        rest = &rest[taken..];
    }
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
        assert_eq!(
            mask("../app/src/a.ts(25,16): error TS2345: no"),
            mask("src/a.ts(7,1): error TS2345: no")
        );
        assert_eq!(
            mask("2026-10-14T08:40:00.898Z WARN relay: attempt failed tenant=a id=e_1"),
            mask("2026-10-14T08:41:11.000Z WARN relay: attempt failed tenant=b id=f_9")
        );
        assert_ne!(mask("error: no a"), mask("error: no b"));
    }

    #[test]
    fn codes_are_found() {
        assert_eq!(error_code("error[E0308]: no"), Some("E0308"));
        assert_eq!(error_code("src/a.ts: error TS2345: no"), Some("TS2345"));
        assert_eq!(error_code("a ReferenceError: x"), Some("ReferenceError"));
        assert_eq!(error_code("plain Error: x"), None);
    }
}

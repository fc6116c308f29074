//! What a single line of a message is by its form alone.

use crate::{prose, shown_lines, words};

/// A line longer than this, in bytes, with hardly a sentence end or a space in it is data.
const LONG_LINE_BYTES: usize = 300;

/// Share of signs among the characters of a line from which it is code or data.
const SIGNS_SHARE: f64 = 0.22;

/// What a line of a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing but white space.
    Blank,
    /// Reads like something a person writes.
    Words,
    /// Says nothing by its form.
    Unclear,
    /// Pasted.
    Material,
    /// Pasted in a fence or a tag, which says where it ends.
    Wrapped,
}

/// Judges one line.
pub(super) fn judge(line: &str) -> Line {
    let content = line.trim();
    if content.is_empty() {
        return Line::Blank;
    }
    if is_output(line)
        || is_trace(content)
        || is_data(content)
        || is_of_commit(content)
        || is_usage(line)
        || is_changed_code(line)
    {
        return Line::Material;
    }
    let sentence = reads_like_words(content);
    if is_code(content) && !sentence {
        return Line::Material;
    }
    let listed =
        content.starts_with(['-', '*', '•']) || content.starts_with(|c: char| c.is_ascii_digit());
    if line.starts_with(['\t', ' '])
        && !listed
        && !sentence
        && line.len() - line.trim_start().len() >= 4
    {
        return Line::Unclear;
    }
    if sentence { Line::Words } else { Line::Unclear }
}

/// True for a line of a program's help: a heading of it alone (`Flags:`), or an option with what it does.
fn is_usage(line: &str) -> bool {
    let content = line.trim_end();
    let heading = matches!(
        content,
        "Usage:"
            | "USAGE:"
            | "Flags:"
            | "Global Flags:"
            | "Options:"
            | "OPTIONS:"
            | "Arguments:"
            | "Available Commands:"
            | "Commands:"
    );
    let option = content.strip_prefix("  ").is_some_and(|rest| {
        let rest = rest.trim_start();
        let named = rest.starts_with("--")
            || rest.starts_with('-') && rest[1..].starts_with(|c: char| c.is_ascii_alphanumeric());
        named && rest.contains("  ")
    });
    heading || option
}

/// True for a line of a diff that shows code: behind its sign the code keeps its indentation.
fn is_changed_code(line: &str) -> bool {
    let indented = |rest: &str, least: usize| {
        rest.starts_with('\t') || rest.len() - rest.trim_start_matches(' ').len() >= least
    };
    // A list may be written with several blanks behind its dash.
    line.strip_prefix('+').is_some_and(|rest| indented(rest, 2))
        || line.strip_prefix('-').is_some_and(|rest| indented(rest, 4))
}

/// True for a line that leads up to what a program printed: "it throws the following error:".
pub(super) fn announces_output(line: &str) -> bool {
    let Some(said) = line.trim_end().strip_suffix(':') else {
        return false;
    };
    let said = said.to_lowercase();
    let mut named = said.split(|c: char| !c.is_alphanumeric());
    named.any(|word| {
        matches!(
            word,
            "error"
                | "errors"
                | "output"
                | "log"
                | "logs"
                | "trace"
                | "message"
                | "prints"
                | "printed"
        )
    })
}

/// True for a line with which git shows a commit: its hash, its author, its date.
fn is_of_commit(content: &str) -> bool {
    let hash = content.strip_prefix("commit ").map(|rest| {
        let hash = rest.split_whitespace().next().unwrap_or_default();
        hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit())
    });
    hash == Some(true)
        || content.starts_with("Author: ") && content.contains('@')
        || content
            .strip_prefix("Date: ")
            .is_some_and(|date| date.bytes().any(|b| b.is_ascii_digit()))
}

/// Three plain words of which one is a little word, a question, the announcement of something
/// (`I get:`), or a script of its own.
fn reads_like_words(content: &str) -> bool {
    if content
        .chars()
        .filter(|c| c.is_alphabetic() && !c.is_ascii())
        .count()
        * 3
        > content.chars().count()
    {
        return true;
    }
    let plain = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
    };
    let all: Vec<&str> = content.split_whitespace().collect();
    let plain_words: Vec<&str> = all.iter().copied().filter(|word| plain(word)).collect();
    let little = plain_words
        .iter()
        .filter(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.len() <= 6 && words::is_stop_word(&word.to_lowercase())
        })
        .count();
    let mostly = 2 * plain_words.len() >= all.len();
    let asks = content.ends_with('?') && mostly;
    // "fix it", "run this"; "build finished" is what programs say.
    let orders = mostly
        && little >= 1
        && all
            .first()
            .is_some_and(|word| prose::is_imperative(&word.to_lowercase()));
    let announces = content.ends_with(':') && plain_words.len() == all.len() && all.len() <= 4;
    mostly && plain_words.len() >= 3 && (little >= 1 || plain_words.len() >= 5)
        || asks && all.len() >= 2
        || announces
        || orders
}

/// What programs print: prompts, times, levels, places, test results, diffs, tables.
fn is_output(line: &str) -> bool {
    let content = line.trim();
    let prompt = content.starts_with("$ ")
        || content.starts_with("➜ ")
        || content.starts_with("❯ ")
        || content.starts_with(">>> ")
        || content.starts_with("PS C:\\")
        || shown_lines::is_shell_prompt(content);
    let level = content.split_whitespace().take(4).any(|word| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
        matches!(
            word,
            "INFO" | "WARN" | "WARNING" | "ERROR" | "DEBUG" | "TRACE" | "FATAL"
        )
    }) && starts_with_time(content)
        || [
            "INFO ", "WARN ", "ERROR ", "DEBUG ", "TRACE ", "FATAL ", "[INFO]", "[WARN]",
            "[ERROR]", "[DEBUG]",
        ]
        .iter()
        .any(|level| content.starts_with(level));
    let tool = [
        "npm ERR!",
        "npm error",
        "npm warn",
        "error[",
        "error: ",
        "warning: ",
        "fatal: ",
        "panic: ",
        "thread '",
        "test result:",
        "running ",
        "diff --git ",
        "index ",
        "@@ ",
        "+++ ",
        "--- a/",
        "PASS ",
        "FAIL ",
        "✓ ",
        "✗ ",
        "✕ ",
        "√ ",
        "ok - ",
        "not ok ",
        "make: ",
        "make[",
        "Traceback (",
        "Caused by:",
        "= note:",
        "= help:",
        "Command exited with",
    ]
    .iter()
    .any(|start| content.starts_with(start) && !reads_like_instruction(content, start));
    let tested = content.starts_with("test ") && content.contains(" ... ");
    let quoted = content.starts_with("> ");
    let drawn = content
        .chars()
        .filter(|c| matches!(c, '\u{2500}'..='\u{259f}'))
        .count()
        >= 2;
    let table = content.starts_with('|') && content.ends_with('|') && content.len() > 2;
    let crossed = content.len() >= 3
        && content.starts_with(['+', '=', '-', '*', '#', '_', '~'])
        && content
            .chars()
            .all(|c| matches!(c, '+' | '-' | '=' | '*' | '#' | '_' | '~' | ' '));
    prompt
        || level
        || tool
        || has_figures(content)
        || tested
        || quoted
        || drawn
        || table
        || crossed
        || starts_with_time(content)
        || starts_with_place(content)
        || numbered_code(content)
}

/// Fewest pairs of a name and a figure of a line that begins with one and has little else.
const PAIRS: usize = 3;

/// Names with figures in a row (`row=22 rate=43 q=2.5`), or the object of a program in brackets (`[tone @ 0x1a]`).
fn has_figures(content: &str) -> bool {
    if content.starts_with('[') && content.contains(" @ 0x") {
        return true;
    }
    let begins = content.split_whitespace().next();
    if !begins.is_some_and(|word| word.contains('=')) {
        return false;
    }
    let (mut pairs, mut others) = (0, 0);
    let mut words = content.split_whitespace();
    while let Some(word) = words.next() {
        let Some((name, value)) = word.split_once('=') else {
            others += 1;
            continue;
        };
        let value = if value.is_empty() {
            words.next().unwrap_or_default()
        } else {
            value
        };
        let named =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        pairs += usize::from(named && value.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
    }
    pairs >= PAIRS && pairs >= others
}

/// "running" and "index" begin sentences too.
fn reads_like_instruction(content: &str, start: &str) -> bool {
    match start {
        "running " => content
            .split_whitespace()
            .nth(1)
            .is_none_or(|count| count.parse::<u32>().is_err()),
        "index " => !content.contains(".."),
        _ => false,
    }
}

/// `2025-12-09T00:20`, `[12:03:44]`, `12:03:44.120`, `Dec  9 00:20:16`.
pub(crate) fn starts_with_time(content: &str) -> bool {
    let words = content.split_whitespace().take(3);
    words.enumerate().any(|(at, word)| {
        let word = word.trim_matches(['[', ']', '(', ')', ',']);
        let clock = |text: &str| {
            let mut parts = text.splitn(3, ':');
            let two = |part: Option<&str>| {
                part.is_some_and(|part| {
                    part.len() >= 2 && part.bytes().take(2).all(|b| b.is_ascii_digit())
                })
            };
            two(parts.next()) && two(parts.next()) && two(parts.next())
        };
        let date = word.len() >= 10
            && word.bytes().take(4).all(|b| b.is_ascii_digit())
            && word.as_bytes()[4] == b'-'
            && word.as_bytes()[7] == b'-'
            && word.contains(['T', ':']);
        (at == 0 && date) || clock(word)
    })
}

/// `src/a.rs:12:5: ...`, `--> src/a.rs:12`, `src/a.ts(3,1): ...`.
fn starts_with_place(content: &str) -> bool {
    let content = content.strip_prefix("--> ").unwrap_or(content);
    let first = content.split_whitespace().next().unwrap_or_default();
    let pathlike = |path: &str| path.contains('.') && !path.contains("://") && path.len() >= 3;
    if let Some((path, rest)) = first.split_once(':') {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let colons = rest[digits..].starts_with(':');
        // A bare `src/a.rs:12 is wrong` is how a person names a place.
        return pathlike(path)
            && digits > 0
            && colons
            && (rest.ends_with(':') || first.len() == content.len());
    }
    if let Some((path, rest)) = first.split_once('(') {
        return pathlike(path)
            && rest.bytes().next().is_some_and(|b| b.is_ascii_digit())
            && rest.trim_end_matches(':').ends_with(')')
            && rest.contains(',');
    }
    false
}

/// `  12 | code`, `12→code`, `12: code`: a listing with line numbers.
fn numbered_code(content: &str) -> bool {
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &content[digits..];
    let bar = rest.trim_start();
    digits > 0
        && (bar.starts_with('|')
            || bar.starts_with('→')
            || (rest.starts_with(':') && is_code(bar[1..].trim())))
        || digits == 0 && content.starts_with("| ") && content.contains('^')
}

/// A frame of a stack trace.
fn is_trace(content: &str) -> bool {
    let frame = content.strip_prefix("at ").is_some_and(|rest| {
        rest.contains('(') && rest.contains([':', '.']) && rest.ends_with(')') || {
            let place = rest.rsplit(':').next().unwrap_or_default();
            !place.is_empty() && rest.contains(':') && place.bytes().all(|b| b.is_ascii_digit())
        }
    });
    let python = content.starts_with("File \"") && content.contains("\", line ");
    let numbered = content.split_once(": ").is_some_and(|(number, rest)| {
        number.len() <= 3
            && number.bytes().all(|b| b.is_ascii_digit())
            && rest.contains("::")
            && !number.is_empty()
    });
    let class = content.split_once(": ").is_some_and(|(name, _)| {
        !name.contains(' ') && (name.ends_with("Error") || name.ends_with("Exception"))
    });
    frame || python || numbered || class || content == "^" || content.starts_with("^^")
}

/// JSON, markup, base64, and lines too dense to be sentences.
fn is_data(content: &str) -> bool {
    let opens = |starts: &[&str]| starts.iter().any(|start| content.starts_with(start));
    let ends = content.ends_with(['{', '}', '[', ']', ',', '"']) || content.contains("\": ");
    let json = opens(&["{\"", "[{", "[\"", "{ \""]) && ends
        || opens(&["\"", "},", "],", "}", "]"]) && ends && !reads_like_words(content);
    let markup = content.starts_with('<') && content.ends_with('>') && content.len() > 2;
    let spaces = content.bytes().filter(|b| *b == b' ').count();
    let dense = content.len() > LONG_LINE_BYTES
        && (spaces * 16 < content.len() && content.is_ascii() || signs(content) > SIGNS_SHARE);
    json || markup || dense
}

/// A line of a program.
pub(super) fn is_code(content: &str) -> bool {
    if content.len() < 2 {
        return matches!(content, "{" | "}" | ")" | "]" | ";");
    }
    let ends = [
        "{", "};", ");", "}", "=>", "(", ";", "},", "),", "],", "[", "\\",
    ]
    .iter()
    .any(|end| content.ends_with(end));
    let begins = [
        "fn ",
        "pub ",
        "let ",
        "const ",
        "import ",
        "export ",
        "class ",
        "def ",
        "return ",
        "function ",
        "#[",
        "#include",
        "//",
        "/*",
        "*/",
        "async ",
        "private ",
        "public ",
        "static ",
        "struct ",
        "enum ",
        "impl ",
        "var ",
        "@",
        "if (",
        "for (",
        "while (",
        "} ",
        "SELECT ",
        "INSERT ",
        "UPDATE ",
    ]
    .iter()
    .any(|start| content.starts_with(start));
    let dense = content.len() >= 10 && signs(content) > SIGNS_SHARE;
    (ends && signs(content) > 0.08) || (begins && signs(content) > 0.1) || dense
}

/// Share of signs that sentences do not have, nor their markdown.
fn signs(content: &str) -> f64 {
    let (mut signs, mut all) = (0usize, 0usize);
    for c in content.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        signs += usize::from(
            !c.is_alphanumeric()
                && !matches!(c, '.' | ',' | '\'' | '?' | '!' | '-' | '*' | '#' | '`')
                && c.is_ascii(),
        );
    }
    signs as f64 / all.max(1) as f64
}

/// True for a line four columns or a tab in.
pub(super) fn is_indented(line: &str) -> bool {
    line.starts_with('\t') || line.starts_with("    ")
}

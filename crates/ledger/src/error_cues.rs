//! What a line must have before it can report a failure.
//!
//! Every line of every output is asked whether it reports one, by some thirty rules, and nearly all
//! lines report none. Whatever reports a failure has one of the marks that are looked for here, all at
//! once.

use crate::complaints::{PHRASES, STATUSES};
use crate::{error_forms, levels};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::{LazyLock, OnceLock};

/// The stems of the words that report a failure, and of the classes of errors; what stands in a place in words.
const STEMS: &[&str] = &[
    "error",
    "err!",
    "exception",
    "fail",
    "fatal",
    "panic",
    "traceback",
    " line ",
];

/// How lines begin that a tool marks as a failure.
const BEGINNINGS: &[&str] = &[
    "! [",
    "\u{25cf} ",
    "rspec ./",
    "e: file:",
    "e: /",
    "Diff in ",
    "ERR_",
    "^",
    "{",
    "\u{d7}",
    "\u{2716}",
    "\u{2718}",
    "\u{2717}",
    "\u{274c}",
    "expect(received)",
    "thrown: ",
    "-- ",
    "** (",
    "not ok ",
    "CONFLICT (",
    "DETAIL:",
    "E assert",
    "E  ",
    "L:",
    "-:",
    "• ",
    "> ",
    "E: ",
];

static BUILT: OnceLock<Option<AhoCorasick>> = OnceLock::new();

/// False for a line that reports no failure, whatever the rules say; the line has no white space round it.
pub(crate) fn may_report(line: &str) -> bool {
    begins_as_failure(line)
        || levels::clock(line) > 0
        || may_be_place(line)
        || has_cue(line)
        || may_have_code(line)
}

/// How lines begin that report a failure.
fn beginnings() -> impl Iterator<Item = &'static str> {
    BEGINNINGS.iter().chain(&error_forms::SIGNALS).copied()
}

static FIRST_BYTES: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut table = [false; 256];
    for byte in beginnings().filter_map(|start| start.bytes().next()) {
        table[usize::from(byte)] = true;
    }
    table
});

/// True for a line that starts with one of [`beginnings`]. The first byte is checked first, because
/// most lines already fail there.
fn begins_as_failure(line: &str) -> bool {
    let first = line.bytes().next();
    first.is_some_and(|byte| FIRST_BYTES[usize::from(byte)])
        && beginnings().any(|start| line.starts_with(start))
}

/// True for a line whose first word may be a place: `file:12:5:`, `file(12,5):`, `12:5`.
fn may_be_place(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let bytes = first.as_bytes();
    bytes
        .windows(2)
        .any(|pair| matches!(pair[0], b':' | b'(' | b'[') && pair[1].is_ascii_digit())
}

/// True where a word or a turn of a failure may stand. A searcher that cannot be built finds one in
/// every line.
fn has_cue(line: &str) -> bool {
    let built = BUILT.get_or_init(|| {
        let cues = STEMS.iter().chain(PHRASES).chain(STATUSES);
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            // One list, made once: the larger table is worth it.
            .kind(Some(AhoCorasickKind::DFA))
            .build(cues)
            .ok()
    });
    built.as_ref().is_none_or(|built| built.is_match(line))
}

/// True where a word may be the code of an error: `ENOENT`, `E0308`, `TS2345`. Classes of errors have a
/// cue in their names.
fn may_have_code(line: &str) -> bool {
    let bytes = line.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut before = b' ';
    for (at, &byte) in bytes.iter().enumerate() {
        if matches!(byte, b'E' | b'T' | b'C' | b'R') && !is_word(before) {
            let behind = &bytes[at + 1..];
            let next = behind.first().copied().unwrap_or_default();
            let numbered = behind.get(usize::from(next.is_ascii_uppercase())..);
            let is_numbered = numbered
                .and_then(|digits| digits.get(..3))
                .is_some_and(|digits| digits.iter().all(u8::is_ascii_digit));
            // Those of systems are of capitals, digits and `_`.
            if is_numbered || byte == b'E' && (next.is_ascii_uppercase() || next.is_ascii_digit()) {
                return true;
            }
        }
        before = byte;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::is_error_line;
    use proptest::prelude::*;

    #[test]
    fn ordinary_lines_have_no_mark() {
        for line in [
            "test row::reads_3_1 ... ok",
            "Compiling rows v0.1.0 (/home/me/rows)",
            "12  let rows = reads(3, \"name\");",
            "README and TODO are there",
        ] {
            assert!(!may_report(line), "for {line}");
        }
    }

    /// Pieces of lines with which tools report failures, and of lines that report none.
    const PIECES: &[&str] = &[
        "a.rs:3:5:",
        "a.ts(3,1):",
        "12:3",
        "12:",
        "error",
        "Errors:",
        "err!",
        "TypeError",
        "E0308",
        "TS2345",
        "C4996",
        "ENOENT",
        "E2BIG",
        "failed",
        "FAIL",
        "--- FAIL: ",
        "fatal: ",
        "panicked",
        "HTTP 404",
        "status: 503",
        "http/1.1 502",
        "command not found",
        "undefined:",
        "\u{25cf} rows",
        " \u{203a} ",
        "rspec ./a_spec.rb",
        " # it",
        "e: /a.kt",
        "Diff in a.rs:",
        "ERR_PNPM_X",
        "\u{2716}",
        "\u{d7}",
        "^",
        " SC2086",
        "): ",
        "{\"error\":\"x\"}",
        "! [",
        "rejected]",
        "2026-01-02 10:11:12,4",
        "ok",
        "the row",
        "is sorted",
        "x = 3",
        "a.sh: line 3: ",
        "10:11:12 ",
        "[error] ",
        "not ok 2 ",
        "** (X) ",
        "Killed",
        "\u{274c}",
        "\u{e4}",
        " ",
        "  ",
        ":",
        ".",
    ];

    proptest! {
        #[test]
        fn what_reports_a_failure_has_a_mark(
            picked in proptest::collection::vec((0..PIECES.len(), any::<bool>()), 1..7)
        ) {
            let mut line = String::new();
            for (piece, space) in picked {
                line.push_str(PIECES[piece]);
                if space {
                    line.push(' ');
                }
            }
            let line = line.trim();
            prop_assert!(may_report(line) || !is_error_line(line), "{line:?}");
        }
    }
}

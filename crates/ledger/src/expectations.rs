//! What a failed expectation compared: the line that says that two values differ is the same for every test, and the
//! values stand below it.

use std::ops::Range;

/// Lines that only say that two values differ: of Jest, Vitest and Bun, of Rust, of testify.
const DIFFER: [&str; 5] = [
    "expect(received)",
    "expect(actual)",
    "left == right",
    "left != right",
    "Not equal:",
];

/// Names of the values below such a line.
const VALUES: [&str; 7] = [
    "expected", "received", "actual", "left", "right", "got", "want",
];

/// Most lines, empty ones included, between such a line and the last of its values.
const MAX_LINES: usize = 6;

/// Longest line of a value, in bytes: longer ones are dumps.
const MAX_VALUE_BYTES: usize = 300;

/// The message at `range` of `text` with the values that it compares.
pub(crate) fn with_values(text: &str, range: Range<usize>) -> Range<usize> {
    let says = &text[range.clone()];
    if !DIFFER.iter().any(|turn| says.contains(turn)) {
        return range;
    }
    let mut end = range.end;
    let mut at = range.end;
    for line in text[range.end..].split_inclusive('\n').take(MAX_LINES + 1) {
        let content = line.trim();
        if content.len() > MAX_VALUE_BYTES {
            break;
        }
        if is_value(content) {
            end = at + line.trim_end().len();
        } else if !content.is_empty() {
            break;
        }
        at += line.len();
    }
    range.start..end
}

/// True for `Expected: 1`, `left: 1`, `Received: "a"`.
fn is_value(line: &str) -> bool {
    line.split_once(':').is_some_and(|(name, value)| {
        let name = name.trim().to_lowercase();
        !value.trim().is_empty() && VALUES.contains(&name.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_belong_to_their_message() {
        for (text, whole) in [
            (
                "error: expect(received).toBe(expected)\n\nExpected: 4\nReceived: 3\n\n  at rows.ts:4",
                "error: expect(received).toBe(expected)\n\nExpected: 4\nReceived: 3",
            ),
            (
                "assertion `left == right` failed\n  left: 1\n right: 2\nnote: run with",
                "assertion `left == right` failed\n  left: 1\n right: 2",
            ),
            ("error: no rows\nleft: 1", "error: no rows"),
            (
                "error: expect(received).toBe(expected)\n    at rows.ts:4\nExpected: 4",
                "error: expect(received).toBe(expected)",
            ),
        ] {
            let first = text.find('\n').unwrap_or(text.len());
            assert_eq!(&text[with_values(text, 0..first)], whole);
        }
    }
}

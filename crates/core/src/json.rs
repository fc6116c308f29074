//! JSON text as JavaScript would print it, because the agents estimate sizes on that text.

use serde_json::Value;
use std::fmt::Write as _;

/// Prints `value` as `JSON.stringify(value)` would: compact, keys in insertion order except that
/// integer-like keys come first in ascending order (ECMAScript `OrdinaryOwnPropertyKeys`),
/// numbers in JavaScript's shortest form.
pub fn stringify(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// Number of UTF-16 code units, JavaScript's `length`.
pub fn utf16_len(text: &str) -> u64 {
    // A character has one byte that continues no other, and two units when it has four bytes.
    sum_of_bytes::<112>(text, |byte| {
        u8::from(byte & 0xc0 != 0x80) + u8::from(byte >= 0xf0)
    })
}

/// The sum of what each byte of `text` counts.
///
/// In blocks of `BLOCK` bytes, whose sum must fit a byte: so the compiler takes many bytes at a time,
/// and prompts are tens of megabytes. A multiple of 16 leaves nothing over in a block.
pub fn sum_of_bytes<const BLOCK: usize>(text: &str, of_byte: impl Fn(u8) -> u8) -> u64 {
    let sum = |block: &[u8]| u64::from(block.iter().map(|byte| of_byte(*byte)).sum::<u8>());
    let (blocks, rest) = text.as_bytes().as_chunks::<BLOCK>();
    blocks.iter().map(|block| sum(block)).sum::<u64>() + sum(rest)
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_value(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            // JavaScript lists integer-like keys first and in ascending order, whatever the order
            // they were set in.
            let mut indexed: Vec<(u32, &str)> = map
                .keys()
                .filter_map(|key| Some((array_index(key)?, key.as_str())))
                .collect();
            indexed.sort_unstable();
            let named = map
                .keys()
                .map(String::as_str)
                .filter(|key| array_index(key).is_none());
            out.push('{');
            for (i, key) in indexed.iter().map(|(_, key)| *key).chain(named).enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_value(out, &map[key]);
            }
            out.push('}');
        }
    }
}

/// The value of `key` as an array index: canonical decimal below 2^32 - 1.
fn array_index(key: &str) -> Option<u32> {
    let index: u32 = key.parse().ok()?;
    (index != u32::MAX && index.to_string() == key).then_some(index)
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            // `JSON.stringify` escapes control characters below U+0020 only; U+007F and U+2028
            // stay as they are.
            c if c < ' ' => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// JavaScript has only doubles: integers beyond 2^53 lose digits, and exponents appear from
/// 1e21 up and below 1e-6 (ECMAScript `Number::toString`).
fn write_number(out: &mut String, number: &serde_json::Number) {
    // Integers of JSON go through a double as well, because `JSON.parse` of the agent has done
    // the same.
    let Some(double) = number.as_f64() else {
        let _ = write!(out, "{number}");
        return;
    };
    // Negative zero prints as `0` in JavaScript and as `-0` in Rust.
    if double == 0.0 {
        out.push('0');
        return;
    }
    let scientific = format!("{double:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        out.push_str(&scientific);
        return;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // 1e-6 prints as 0.000001 and 1e-7 as 1e-7; 1e20 in digits and 1e21 as 1e+21.
    if (-6..21).contains(&exponent) {
        // Rust's `Display` for f64 never uses an exponent and is shortest round-trip as well.
        let _ = write!(out, "{double}");
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{mantissa}e{sign}{}", exponent.abs());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn js(text: &str) -> String {
        stringify(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn lengths_are_those_of_javascript() {
        for (text, length) in [("", 0), ("a", 1), ("ä€", 2), ("😀", 2), ("a😀ä", 4)] {
            assert_eq!(utf16_len(text), length, "{text}");
        }
        for text in ["x".repeat(1_000), "😀".repeat(1_000), "aä€😀".repeat(333)] {
            assert_eq!(utf16_len(&text), text.encode_utf16().count() as u64);
        }
    }

    #[test]
    fn numbers_print_as_in_javascript() {
        // Expected values are what Node 20 prints for JSON.stringify(JSON.parse(x)).
        for (input, printed) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("1e21", "1e+21"),
            ("123456789012345680000", "123456789012345680000"),
            ("1e-7", "1e-7"),
            ("0.000001", "0.000001"),
            ("9007199254740993", "9007199254740992"),
            ("2.50", "2.5"),
        ] {
            assert_eq!(js(input), printed, "for {input}");
        }
    }

    #[test]
    fn integer_like_keys_come_first() {
        assert_eq!(
            js(r#"{"b":1,"10":2,"2":3,"01":4}"#),
            r#"{"2":3,"10":2,"b":1,"01":4}"#
        );
    }

    #[test]
    fn length_counts_utf16_units() {
        assert_eq!(utf16_len("aé𝄞"), 4);
    }
}

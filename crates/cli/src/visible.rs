//! The door to the terminal: text of sessions, of providers and of paths cannot command it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text with its control characters made visible, so that a terminal shows them and does nothing.
///
/// Escape sequences can clear the screen, change the title or write to the clipboard (OSC 52);
/// bidirectional controls reorder what is read (CVE-2021-42574). Line ends and tabs stay. C0
/// controls and DEL become their pictures (`␛`), all others `<U+202E>`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(commands) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            _ if !commands(c) => out.push(c),
            // The block of control pictures begins with that of U+0000.
            '\0'..='\x1f' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\x7f' => out.push('\u{2421}'),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(out, "<U+{:04X}>", c as u32);
            }
        }
    }
    Cow::Owned(out)
}

/// The same for a JSON document, where a program must get the characters as they are: they are
/// escaped. Only strings hold such characters; JSON itself escapes those below U+0020.
pub fn escaped(json: &str) -> Cow<'_, str> {
    if !json.chars().any(commands) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if commands(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// True for a character that a terminal obeys or that changes the order of others.
fn commands(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // C0, DEL and C1.
        _ if c.is_control() => true,
        // Marks, embeddings, overrides and isolates of bidirectional text.
        '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2066}'..='\u{2069}' => true,
        // Line and paragraph separators, which some terminals take for line ends.
        '\u{2028}' | '\u{2029}' => true,
        // Tags, which are never seen.
        '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_sequences_and_reordering_are_seen() {
        assert_eq!(
            visible("plain\ttext\nécole 日本"),
            "plain\ttext\nécole 日本"
        );
        assert_eq!(visible("\x1b]52;c;cm0=\x07"), "␛]52;c;cm0=␇");
        assert_eq!(
            visible("a\u{202e}b\u{9b}2J\x7f\r"),
            "a<U+202E>b<U+009B>2J␡␍"
        );
        assert_eq!(visible("x\u{e0041}"), "x<U+E0041>");
    }

    proptest! {
        #[test]
        fn nothing_that_commands_is_left(text in any::<String>()) {
            prop_assert!(!visible(&text).chars().any(commands));
            let json = serde_json::to_string(&text).unwrap();
            let escaped = escaped(&json);
            prop_assert!(!escaped.chars().any(commands));
            prop_assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
        }
    }
}

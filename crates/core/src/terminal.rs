//! The sequences that programs print for a terminal.

use std::borrow::Cow;

/// What a sequence begins with.
pub const ESCAPE: char = '\u{1b}';

/// `text` without terminal sequences.
pub fn without_sequences(text: &str) -> Cow<'_, str> {
    let Some(at) = text.find(ESCAPE) else {
        return Cow::Borrowed(text);
    };
    let (before, mut rest) = text.split_at(at);
    let mut out = before.to_owned();
    while !rest.is_empty() {
        if rest.starts_with(ESCAPE) {
            rest = sequence(rest).1;
            continue;
        }
        let end = rest.find(ESCAPE).unwrap_or(rest.len());
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    Cow::Owned(out)
}

/// What follows the sequence that `text` begins with, and its codes where it sets a style
/// (`ESC [ … m`).
pub fn sequence(text: &str) -> (Option<&str>, &str) {
    let body = text.strip_prefix(ESCAPE).unwrap_or(text);
    match body.chars().next() {
        Some('[') => {
            let inside = &body[1..];
            let is_final = |c: char| ('@'..='~').contains(&c);
            let Some(end) = inside.find(|c| is_final(c) || c == ESCAPE || c == '\n') else {
                return (None, "");
            };
            let last = inside[end..].chars().next().filter(|&c| is_final(c));
            let after = &inside[end + last.map_or(0, char::len_utf8)..];
            ((last == Some('m')).then_some(&inside[..end]), after)
        }
        // A title or a link: up to the bell or the string terminator.
        Some(']') => {
            let end = body.find(['\u{7}', ESCAPE, '\n']).unwrap_or(body.len());
            let after = &body[end..];
            let after = after.strip_prefix('\u{7}').unwrap_or(after);
            (None, after.strip_prefix("\u{1b}\\").unwrap_or(after))
        }
        // A character set has one more character.
        Some('(' | ')') => (None, behind(behind(body))),
        // What is no part of a sequence stays.
        Some(c) if c.is_control() => (None, body),
        Some(_) => (None, behind(body)),
        None => (None, ""),
    }
}

/// `text` without its first character.
fn behind(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_is_left() {
        assert_eq!(without_sequences("plain"), "plain");
        assert_eq!(
            without_sequences("\u{1b}[1;31mred\u{1b}[0m é\u{1b}]0;title\u{7}!\u{1b}[3"),
            "red é!"
        );
        assert_eq!(without_sequences("\u{1b}"), "");
    }
}

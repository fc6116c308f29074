//! Text that JavaScript reads and a strict parser does not.

use std::borrow::Cow;

/// Replaces every `\uXXXX` escape that is half of a surrogate pair by `\ufffd`, in place: JSON
/// text keeps its length, and the half still counts as one UTF-16 unit.
pub(crate) fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut lone = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        match unit_at(bytes, at) {
            Some(0xD800..=0xDBFF) => {
                if matches!(unit_at(bytes, at + 6), Some(0xDC00..=0xDFFF)) {
                    at += 12;
                } else {
                    lone.push(at);
                    at += 6;
                }
            }
            Some(0xDC00..=0xDFFF) => {
                lone.push(at);
                at += 6;
            }
            // Any other escape: skip the backslash and the escaped character.
            _ => at = (at + 2).min(bytes.len()),
        }
    }
    if lone.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut fixed = text.to_owned();
    for at in lone {
        // Of equal length, so that offsets and sizes stay those of the file.
        fixed.replace_range(at + 2..at + 6, "fffd");
    }
    Cow::Owned(fixed)
}

/// The unit of a `\uXXXX` escape beginning at `at`.
fn unit_at(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    let hex = escape.strip_prefix(b"\\u")?;
    let hex = std::str::from_utf8(hex)
        .ok()
        .filter(|hex| !hex.starts_with('+'))?;
    u32::from_str_radix(hex, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::replace_lone_surrogates;

    #[test]
    fn only_halves_are_replaced() {
        for (text, fixed) in [
            (r#""\ud834\udd1e""#, r#""\ud834\udd1e""#),
            (r#""\ud834x""#, r#""\ufffdx""#),
            (r#""\udd1e\ud834""#, r#""\ufffd\ufffd""#),
            (r#""\\ud834""#, r#""\\ud834""#),
            (r#""\ud834\ud834\udd1e""#, r#""\ufffd\ud834\udd1e""#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\\", "\\"),
            ("\"\\é", "\"\\é"),
        ] {
            assert_eq!(replace_lone_surrogates(text), fixed);
        }
    }
}

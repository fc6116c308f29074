//! Between byte offsets (Rust) and UTF-16 offsets (JavaScript).

use crate::wire::TextRange;
use std::ops::Range;

/// Number of UTF-16 units.
pub fn utf16_len(text: &str) -> u64 {
    palimpsest_core::json::utf16_len(text)
}

/// Translates byte offsets of one text into UTF-16 offsets in O(log n) each.
pub struct Utf16Offsets {
    /// Byte offset and UTF-16 offset after every non-ASCII character.
    steps: Vec<(usize, u64)>,
}

impl Utf16Offsets {
    /// Prepares for `text`.
    pub fn new(text: &str) -> Utf16Offsets {
        let mut steps = Vec::new();
        let mut units = 0;
        let mut last = 0;
        // Only characters outside ASCII move the two offsets apart, and texts have few of them.
        for (at, c) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
            units += (at - last) as u64 + c.len_utf16() as u64;
            last = at + c.len_utf8();
            steps.push((last, units));
        }
        Utf16Offsets { steps }
    }

    /// The UTF-16 offset of a byte offset.
    pub fn at(&self, byte: usize) -> u64 {
        // Behind the last step all characters have one byte and one unit.
        let before = self.steps.partition_point(|&(end, _)| end <= byte);
        match before.checked_sub(1).and_then(|i| self.steps.get(i)) {
            Some(&(end, units)) => units + (byte - end) as u64,
            None => byte as u64,
        }
    }

    /// A byte range as a UTF-16 range.
    pub fn range(&self, range: &Range<usize>) -> TextRange {
        TextRange {
            start: self.at(range.start),
            end: self.at(range.end),
        }
    }
}

/// The part of `text` from `offset` on, at most `limit` UTF-16 units long, never splitting a
/// character.
pub fn utf16_slice(text: &str, offset: u64, limit: u64) -> &str {
    let mut units = 0;
    let mut start = text.len();
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        if start == text.len() && units >= offset {
            start = at;
        }
        let next = units + c.len_utf16() as u64;
        // A character of two units that crosses the limit is left out whole.
        if next > offset.saturating_add(limit) {
            end = at;
            break;
        }
        units = next;
    }
    text.get(start..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_agree_with_encode_utf16() {
        let text = "aé𝄞b\u{2028}c";
        let offsets = Utf16Offsets::new(text);
        for (at, _) in text.char_indices() {
            let expected = text[..at].encode_utf16().count() as u64;
            assert_eq!(offsets.at(at), expected, "at byte {at}");
        }
        assert_eq!(offsets.at(text.len()), utf16_len(text));
    }

    #[test]
    fn slices_join_to_the_whole() {
        let text = "aé𝄞b𝄞𝄞c";
        let mut joined = String::new();
        while utf16_len(&joined) < utf16_len(text) {
            let part = utf16_slice(text, utf16_len(&joined), 2);
            assert!(!part.is_empty(), "no progress after '{joined}'");
            joined.push_str(part);
        }
        assert_eq!(joined, text);
    }
}

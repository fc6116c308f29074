//! Texts cut to a length.

/// The longest beginning of `text` that has at most `units` UTF-16 units, and whether half of a
/// character would fit behind it.
pub(crate) fn head(text: &str, units: u64) -> (&str, bool) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        let width = c.len_utf16() as u64;
        if used + width > units {
            return (&text[..at], used < units);
        }
        used += width;
    }
    (text, false)
}

/// The beginning and the end of `text` with the number of bytes between them, `most` bytes together
/// where the words between them fit into that; `None` when it has no more.
pub(crate) fn without_middle(text: &str, most: usize) -> Option<String> {
    if text.len() <= most {
        return None;
    }
    let words = |gone: usize| format!("\n[... {gone} bytes left out ...]\n");
    // For the longest mark there can be.
    let room = most.saturating_sub(words(text.len()).len());
    let head = text.floor_char_boundary(room.div_ceil(2));
    let tail = text.ceil_char_boundary(text.len() - room / 2);
    let words = words(tail - head);
    Some(format!("{}{words}{}", &text[..head], &text[tail..]))
}

//! What counts as a word, the same for the index and for queries.
//!
//! A word is a run of letters and digits, in any script, case ignored; everything else separates,
//! `_`, `.` and `/` included, so that `read` finds `read_file` and `file.rs` is found by either
//! part. Scripts written without spaces (Chinese, Japanese, Thai and others) are taken character
//! by character. SQLite's `ascii` tokenizer then only has to split at what is left between.

use std::borrow::Cow;

/// The words of `text`, in order, folded as the index folds them.
pub fn terms(text: &str) -> Vec<String> {
    searchable(text)
        .split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect()
}

/// `text` in the form in which the tokenizer finds its words. ASCII, which nearly all text is,
/// is left alone.
pub(super) fn searchable(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else if is_unspaced(c) {
            out.extend([' ', c, ' ']);
        } else if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !is_mark(c) {
            out.push(' ');
        }
    }
    Cow::Owned(out)
}

/// Scripts whose words are not set apart by spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0e00}'..='\u{0eff}'      // Thai, Lao
        | '\u{1000}'..='\u{109f}'    // Burmese
        | '\u{1780}'..='\u{17ff}'    // Khmer
        | '\u{3040}'..='\u{30ff}'    // Hiragana, Katakana
        | '\u{3400}'..='\u{4dbf}'    // Han
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3134f}'
    )
}

/// Combining accents and joiners: part of the word they stand in, and not distinctive.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::terms;

    #[test]
    fn words_are_letters_and_digits() {
        assert_eq!(
            terms("let x_1 = Read.file(\"a/b\");"),
            ["let", "x", "1", "read", "file", "a", "b"]
        );
        assert_eq!(terms("Größe — „ÖL“ e\u{301}t"), ["größe", "öl", "et"]);
        assert_eq!(terms("日本 go"), ["日", "本", "go"]);
        assert!(terms(" ─│ ... ").is_empty());
    }
}

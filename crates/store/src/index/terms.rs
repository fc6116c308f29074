//! What counts as a word, the same for the index and for queries.
//!
//! A word is a run of letters and digits, in any script, case ignored; everything else separates,
//! `_`, `.` and `/` included, so that `read` finds `read_file` and `file.rs` is found by either
//! part. Scripts written without spaces (Chinese, Japanese, Thai and others) are taken character
//! by character. SQLite's `ascii` tokenizer then only has to split at what is left between.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

/// The words of `text`, in order, folded as the index folds them.
pub fn terms(text: &str) -> Vec<String> {
    in_terms(&searchable(text))
        .map(str::to_ascii_lowercase)
        .collect()
}

/// The words of a [`searchable`] text; their ASCII letters are not folded yet.
pub(super) fn in_terms(searchable: &str) -> impl Iterator<Item = &str> {
    searchable
        .split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Calls `each` with the place and the folded form of every word of `text`, until it breaks. The
/// words are those of [`terms`].
pub fn each_term(text: &str, mut each: impl FnMut(Range<usize>, &str) -> ControlFlow<()>) {
    let mut word = String::new();
    let mut start = 0;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let part = Part::of(c);
        if matches!(part, Part::Alone | Part::Between) && !word.is_empty() {
            if each(start..end, &word).is_break() {
                return;
            }
            word.clear();
        }
        match part {
            Part::Letter => {
                if word.is_empty() {
                    start = at;
                }
                end = at + c.len_utf8();
                // ASCII first: nearly all text is, and the general lower case looks in tables.
                if c.is_ascii() {
                    word.push(c.to_ascii_lowercase())
                } else {
                    word.extend(c.to_lowercase())
                }
            }
            // The mark is part of the place that is highlighted and not of the word.
            Part::Mark => {
                end = if word.is_empty() {
                    end
                } else {
                    at + c.len_utf8()
                }
            }
            Part::Alone => {
                if each(at..at + c.len_utf8(), c.encode_utf8(&mut [0; 4])).is_break() {
                    return;
                }
            }
            Part::Between => {}
        }
    }
    if !word.is_empty() {
        // Nothing follows that a break could spare.
        let _ = each(start..end, &word);
    }
}

/// True where all words of `text` are of ASCII letters and digits: everything else in it separates.
pub fn is_plain(text: &str) -> bool {
    let mut rest = text;
    loop {
        let mut chars = rest[ascii_len(rest)..].chars();
        match chars.next() {
            None => return true,
            Some(c) if matches!(Part::of(c), Part::Between) => rest = chars.as_str(),
            Some(_) => return false,
        }
    }
}

/// What a character is to the words around it.
enum Part {
    Letter,
    /// Belongs to the word before it and does not count.
    Mark,
    /// A word by itself.
    Alone,
    Between,
}

impl Part {
    fn of(c: char) -> Part {
        if c.is_ascii() {
            return if c.is_ascii_alphanumeric() {
                Part::Letter
            } else {
                Part::Between
            };
        }
        match c {
            c if is_unspaced(c) => Part::Alone,
            c if c.is_alphanumeric() => Part::Letter,
            c if is_mark(c) => Part::Mark,
            _ => Part::Between,
        }
    }
}

/// `text` in the form in which the tokenizer finds its words. ASCII, which nearly all text is,
/// is left alone.
pub(super) fn searchable(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    // Most of such a text is ASCII as well, with an arrow or a dash in it. SQLite's tokenizer folds
    // ASCII itself.
    loop {
        let (ascii, other) = rest.split_at(ascii_len(rest));
        out.push_str(ascii);
        let mut chars = other.chars();
        let Some(c) = chars.next() else {
            return Cow::Owned(out);
        };
        match Part::of(c) {
            Part::Letter => out.extend(c.to_lowercase()),
            Part::Alone => out.extend([' ', c, ' ']),
            Part::Mark => {}
            Part::Between => out.push(' '),
        }
        rest = chars.as_str();
    }
}

/// How many bytes of ASCII `text` begins with.
fn ascii_len(text: &str) -> usize {
    // In steps that the compiler looks at as one.
    const STEP: usize = 16;
    let (steps, _) = text.as_bytes().as_chunks::<STEP>();
    let whole = steps.iter().take_while(|step| step.is_ascii()).count() * STEP;
    let rest = text.as_bytes()[whole..].iter();
    whole + rest.take_while(|byte| byte.is_ascii()).count()
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
    use super::{each_term, is_plain, terms};
    use std::ops::ControlFlow;

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

    #[test]
    fn arrows_and_lines_are_plain() {
        assert!(is_plain("a → b ── c… “d”"));
        assert!(is_plain(""));
        for text in ["Größe", "日", "e\u{301}", "a \u{212a}", "x\u{200b}y"] {
            assert!(!is_plain(text), "{text:?}");
        }
    }

    #[test]
    fn words_are_the_same_wherever_they_stand() {
        for word in ["a", "é", "日", "e\u{301}", "—", "ÖL→x", "𝄞"] {
            let alone = terms(word);
            for before in 0..40 {
                let text = format!("{} {word} {}", "x".repeat(before), "y".repeat(40 - before));
                let found = terms(&text);
                let is_filler = |term: &&String| !term.trim_matches(['x', 'y']).is_empty();
                let found: Vec<&String> = found.iter().filter(is_filler).collect();
                let alone: Vec<&String> = alone.iter().filter(is_filler).collect();
                assert_eq!(found, alone, "{text:?}");
            }
        }
    }

    #[test]
    fn places_are_those_of_the_words() {
        for text in [
            "let x_1 = Read.file(\"a/b\");",
            "Größe — „ÖL“ e\u{301}t",
            "日本 go本x",
            "\u{301}a İstanbul ǅ ﬁn ½ ②x",
            "",
        ] {
            let mut found = Vec::new();
            each_term(text, |range, term| {
                assert_eq!(terms(&text[range]).concat(), term, "in {text:?}");
                found.push(term.to_owned());
                ControlFlow::Continue(())
            });
            assert_eq!(found, terms(text), "in {text:?}");
        }
    }
}

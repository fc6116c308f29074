//! Finding words in a text whose words are all of ASCII letters and digits, which nearly all texts are.
//!
//! The words need not be folded one by one: the rarest letter of a word is looked for, and compared around
//! it. Folding every word was a quarter of the time of a search for words in a row.

use memchr::memchr2_iter;
use std::ops::{ControlFlow, Range};

/// Words in a row stand so close together in a stored record, if not more than a line of dashes or
/// the names of some fields are between them.
const CLOSE_BYTES: usize = 40;

/// Words that follow each other, in lower case.
#[derive(Clone, Copy)]
pub(super) struct Row<'p> {
    pub(super) words: &'p [String],
    /// The last one is only the beginning of a word.
    pub(super) open: bool,
}

impl<'p> Row<'p> {
    /// The end of the words where they begin at `start`.
    fn end_at(&self, text: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        for (nth, word) in self.words.iter().enumerate() {
            if nth > 0 {
                let between = text[at..].iter().position(u8::is_ascii_alphanumeric)?;
                at += between;
            }
            let end = at + word.len();
            if !text.get(at..end)?.eq_ignore_ascii_case(word.as_bytes()) {
                return None;
            }
            at = end;
            let is_last = nth + 1 == self.words.len();
            let rest = text[at..].iter();
            let more = rest.take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if more > 0 && !(is_last && self.open) {
                return None;
            }
            at += more;
        }
        Some(at)
    }

    /// True where each word begins within [`CLOSE_BYTES`] behind the one before it, as a part of a word
    /// or a whole one.
    pub(super) fn may_be_in(&self, raw: &[u8]) -> bool {
        // Of equally rare words the longer one: all digits are equally rare.
        let rarity = |word: &str| (rarest(word.as_bytes()).1, word.len());
        let words = self.words.iter().enumerate();
        let Some((at, word)) = words.max_by_key(|(_, word)| rarity(word)) else {
            return false;
        };
        let reach = |words: &[String]| -> usize {
            let lengths = words.iter().map(|word| CLOSE_BYTES + word.len());
            lengths.sum()
        };
        let (before, behind) = (reach(&self.words[..at]), reach(&self.words[at..]));
        // All words stand around the rarest one. Ranges that overlap are searched once.
        let mut around: Option<Range<usize>> = None;
        for start in parts(raw, word) {
            let own = start.saturating_sub(before)..raw.len().min(start + behind);
            match &mut around {
                Some(last) if own.start <= last.end => last.end = own.end,
                Some(last) if self.is_close_in(&raw[last.clone()]) => return true,
                _ => around = Some(own),
            }
        }
        around.is_some_and(|last| self.is_close_in(&raw[last]))
    }

    /// The same of a part of a record.
    fn is_close_in(&self, raw: &[u8]) -> bool {
        let Some((first, rest)) = self.words.split_first() else {
            return false;
        };
        parts(raw, first).any(|start| {
            let mut at = start + first.len();
            rest.iter().all(|word| {
                let close = raw.len().min(at + CLOSE_BYTES + word.len());
                let next = parts(&raw[at..close], word).next();
                at += next.map_or(0, |next| next + word.len());
                next.is_some()
            })
        })
    }

    /// The places of the words, overlapping ones included.
    fn places<'t>(self, text: &'t [u8]) -> impl Iterator<Item = Range<usize>> + use<'t, 'p> {
        // No words are nowhere.
        let first = self.words.first().into_iter();
        let starts = first.flat_map(move |word| parts(text, word));
        starts.filter_map(move |start| {
            let begins = start == 0 || !text[start - 1].is_ascii_alphanumeric();
            let end = begins.then(|| self.end_at(text, start)).flatten()?;
            Some(start..end)
        })
    }
}

/// Where a word begins in a text, as a part of a longer one as well.
fn parts<'t, 'p>(text: &'t [u8], word: &'p str) -> impl Iterator<Item = usize> + use<'t, 'p> {
    let word = word.as_bytes();
    let (at, _) = rarest(word);
    let letter = word.get(at).copied().unwrap_or(u8::MAX);
    memchr2_iter(letter, letter.to_ascii_uppercase(), text).filter_map(move |found| {
        let start = found.checked_sub(at)?;
        let part = text.get(start..start + word.len())?;
        part.eq_ignore_ascii_case(word).then_some(start)
    })
}

/// The place of the letter of a word that is rarest in English, because every place of it in a text is
/// looked at, and how rare it is.
fn rarest(word: &[u8]) -> (usize, usize) {
    // Digits and what else is not in it are rarer still.
    const BY_FREQUENCY: &[u8] = b"etaoinsrhldcumfpgwybvkxjqz";
    let rank = |byte: u8| {
        let known = BY_FREQUENCY.iter().position(|&own| own == byte);
        known.unwrap_or(BY_FREQUENCY.len())
    };
    let letters = word.iter().enumerate();
    letters
        .map(|(at, &byte)| (at, rank(byte)))
        .max_by_key(|&(_, rank)| rank)
        .unwrap_or_default()
}

/// Calls `each` with the place of every match of any of `rows` in a plain text and the number of the
/// row, in the order of their ends.
pub(super) fn each_match(
    text: &str,
    rows: &[Row<'_>],
    mut each: impl FnMut(Range<usize>, usize) -> ControlFlow<()>,
) {
    let mut places: Vec<_> = rows
        .iter()
        .map(|row| row.places(text.as_bytes()).peekable())
        .collect();
    loop {
        let ends = places.iter_mut().enumerate();
        let ends = ends.filter_map(|(number, own)| Some((own.peek()?.end, number)));
        let Some((_, number)) = ends.min() else {
            return;
        };
        let place = places.get_mut(number).and_then(Iterator::next);
        if place.is_some_and(|place| each(place, number).is_break()) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Row;

    fn may_be_in(raw: &str, words: &[&str]) -> bool {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let row = Row {
            words: &words,
            open: false,
        };
        row.may_be_in(raw.as_bytes())
    }

    #[test]
    fn words_in_a_row_stand_close_together_in_a_record() {
        let words = ["read", "the", "file"];
        for raw in [
            r#"{"text":"Read the file"}"#,
            r#"{"text":"read\nthe\n\n- FILE"}"#,
            r#"{"arguments":"{\"a\":\"x read\",\"b\":\"the\\nfile\"}"}"#,
            r#"[{"type":"text","text":"Read the"},{"type":"text","text":"file"}]"#,
            // Enough to read the record; what counts is its text.
            "already there, profile",
            "file, the, read the file, file",
        ] {
            assert!(may_be_in(raw, &words), "{raw}");
        }
        // Words of which one stands in many places.
        let zeros = "0 ".repeat(2_000);
        assert!(may_be_in(&format!("{zeros}1 {zeros}"), &["1", "0", "0"]));
        assert!(!may_be_in(&zeros, &["1", "0", "0"]));
        let far = format!("read the {} file", "x".repeat(50));
        for raw in ["", "read", "the file, read", &far] {
            assert!(!may_be_in(raw, &words), "{raw}");
        }
        assert!(!may_be_in("anything", &[]));
    }
}

//! Escape sequences of terminals (`ESC [ 31 m`) in what programs print.

use std::borrow::Cow;
use std::ops::Range;

const ESCAPE: char = '\u{1b}';

/// A text without escape sequences, and where its places are in the text it was made of.
pub(crate) struct Bare<'a> {
    /// The text without them.
    pub text: Cow<'a, str>,
    /// Where a piece begins, in `text` and in the original.
    pieces: Vec<(usize, usize)>,
}

/// `text` without escape sequences.
pub(crate) fn bare(text: &str) -> Bare<'_> {
    if !text.contains(ESCAPE) {
        return Bare {
            text: Cow::Borrowed(text),
            pieces: vec![(0, 0)],
        };
    }
    let mut out = String::with_capacity(text.len());
    let mut pieces = vec![(0, 0)];
    let mut at = 0;
    while let Some(found) = text[at..].find(ESCAPE) {
        out.push_str(&text[at..at + found]);
        at += found + sequence(&text[at + found..]);
        pieces.push((out.len(), at));
    }
    out.push_str(&text[at..]);
    Bare {
        text: Cow::Owned(out),
        pieces,
    }
}

impl Bare<'_> {
    /// The range of the original that holds what `range` of the bare text holds.
    pub fn original(&self, range: &Range<usize>) -> Range<usize> {
        let last = range.end.saturating_sub(1).max(range.start);
        let end = self.place(last) + (range.end - last);
        self.place(range.start)..end
    }

    fn place(&self, at: usize) -> usize {
        let piece = self.pieces.partition_point(|(start, _)| *start <= at);
        let (start, original) = self.pieces[piece.saturating_sub(1)];
        original + (at - start)
    }
}

/// Length in bytes of the escape sequence that `text` begins with: behind `ESC [` parameters and a final
/// byte (ECMA-48, section 5.4); of others the escape alone.
fn sequence(text: &str) -> usize {
    let behind = &text[ESCAPE.len_utf8()..];
    let Some(inner) = behind.strip_prefix('[') else {
        return ESCAPE.len_utf8();
    };
    let parameters = inner
        .bytes()
        .take_while(|byte| (0x20..0x40).contains(byte))
        .count();
    let ends = inner.as_bytes().get(parameters).is_some_and(u8::is_ascii);
    ESCAPE.len_utf8() + 1 + parameters + usize::from(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_left_out_and_places_stay_known() {
        let text = "[ci]\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m töne failed\u{1b}";
        let own = bare(text);
        assert_eq!(own.text, "[ci] ERROR töne failed");
        let at = own.text.find("ERROR").unwrap();
        let range = own.original(&(at..own.text.len()));
        assert_eq!(&text[range], "ERROR\u{1b}[0m töne failed");
        for plain in ["", "no escape"] {
            let own = bare(plain);
            assert_eq!(own.text, plain);
            assert_eq!(own.original(&(0..plain.len())), 0..plain.len());
        }
        for cut in ["\u{1b}", "\u{1b}[", "\u{1b}[31", "a\u{1b}[é"] {
            let own = bare(cut);
            assert!(!own.text.contains(ESCAPE), "{cut:?}");
        }
    }
}

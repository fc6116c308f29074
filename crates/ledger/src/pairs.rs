//! Where many needles stand in one text that is searched once: a summary, a kept tail. Building an
//! automaton over thousands of needles takes longer than looking each up by its rarest pair of bytes.

use crate::matching::NeedleSet;
use std::borrow::Cow;
use std::ops::Range;

/// Bytes of a text up to which needles are looked up one by one. In a longer one even the rarest pair of
/// a needle may stand in too many places.
const MAX_TEXT: usize = 256 << 10;

/// How many pairs of bytes there are.
const PAIRS: usize = 1 << 16;

/// Calls `hit` with the number and the byte range of every occurrence of the needles in `text`, in the
/// order of the needles; needles shorter than two bytes are left out.
pub(crate) fn find<'a>(
    text: &str,
    needles: impl Iterator<Item = (usize, Cow<'a, str>)>,
    mut hit: impl FnMut(usize, Range<usize>),
) {
    if text.len() > MAX_TEXT {
        let mut set = NeedleSet::default();
        needles.for_each(|(index, needle)| set.add(index, &needle));
        if let Some(set) = set.build() {
            set.find(text, hit);
        }
        return;
    }
    let pairs = Pairs::of(text.as_bytes());
    for (index, needle) in needles {
        pairs.each(needle.as_bytes(), |range| hit(index, range));
    }
}

/// A text by its pairs of bytes.
struct Pairs<'a> {
    text: &'a [u8],
    /// For each pair where its places begin in `places`; one more for the end.
    starts: Vec<u32>,
    /// Where the pairs stand, each one's in order.
    places: Vec<u32>,
}

fn pair(at: usize, bytes: &[u8]) -> usize {
    usize::from(bytes[at]) << 8 | usize::from(bytes[at + 1])
}

impl<'a> Pairs<'a> {
    fn of(text: &'a [u8]) -> Pairs<'a> {
        let count = text.len().saturating_sub(1);
        let mut starts = vec![0_u32; PAIRS + 1];
        for at in 0..count {
            starts[pair(at, text) + 1] += 1;
        }
        for at in 0..PAIRS {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut places = vec![0_u32; count];
        for at in 0..count {
            let slot = &mut next[pair(at, text)];
            places[*slot as usize] = at as u32;
            *slot += 1;
        }
        Pairs {
            text,
            starts,
            places,
        }
    }

    fn places(&self, pair: usize) -> &[u32] {
        &self.places[self.starts[pair] as usize..self.starts[pair + 1] as usize]
    }

    /// Calls `hit` with every range of the needle, in order.
    fn each(&self, needle: &[u8], mut hit: impl FnMut(Range<usize>)) {
        let offsets = 0..needle.len().saturating_sub(1);
        let rarest = offsets.min_by_key(|&at| self.places(pair(at, needle)).len());
        let Some(offset) = rarest else { return };
        for &at in self.places(pair(offset, needle)) {
            let Some(start) = (at as usize).checked_sub(offset) else {
                continue;
            };
            let range = start..start + needle.len();
            if self.text.get(range.clone()) == Some(needle) {
                hit(range);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, needles: &[&str]) -> Vec<(usize, Range<usize>)> {
        let mut out = Vec::new();
        let needles = needles.iter().map(|&needle| Cow::Borrowed(needle));
        find(text, needles.enumerate(), |index, range| {
            out.push((index, range));
        });
        out.sort_by_key(|(index, range)| (*index, range.start));
        out
    }

    #[test]
    fn every_place_is_found_in_short_and_in_long_texts() {
        let text = "aaa, rows and rowsets, ünïcode: é";
        let needles = ["rows", "aa", "é", "x", "", "absent", "ünï", "and rowsets"];
        let short = found(text, &needles);
        let wanted = [
            (0, 5..9),
            (0, 14..18),
            (1, 0..2),
            (1, 1..3),
            (2, text.len() - 2..text.len()),
            (6, 23..28),
            (7, 10..21),
        ];
        assert_eq!(short, wanted);
        let long = text.to_owned() + &" ".repeat(MAX_TEXT);
        assert_eq!(found(&long, &needles), wanted);
    }

    #[test]
    fn texts_of_a_byte_hold_nothing() {
        assert!(found("", &["ab"]).is_empty() && found("a", &["ab", "a"]).is_empty());
    }
}

//! Words of the index that were meant by one that is in no entry: near spellings, and longer names
//! that have it in the middle. A word may be one of a filter (`tool:bsh`), whose values are looked
//! through then.

use super::forms::filter_of;
use palimpsest_core::words::edits;
use palimpsest_store::index::Field;
use palimpsest_store::{IndexReader, StoreError};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The shortest word that near spellings are looked for.
const SHORTEST_NEAR: usize = 4;
/// ...in a filter, which has few values.
const SHORTEST_IN_FILTER: usize = 3;
/// Shorter words have many neighbours: only those with the first letter are near, and what most entries
/// have comes first.
const SHORTEST_WITH_FEW: usize = 6;
/// Neighbours of a short word whose entries are counted.
const MOST_COUNTED: usize = 24;
/// From this length on two letters may differ.
const SHORTEST_TWO_EDITS: usize = 8;
/// The shortest part of a longer name.
const SHORTEST_PART: usize = 5;
/// Longer words are encoded data and no names.
const LONGEST_NAME: usize = 100;
/// Words that are returned for one; each is then searched for.
const MOST: usize = 6;
/// How long the words of the index are looked through, those with the first letter first, then those
/// written last. An index with more words than that is looked through in part.
const LONGEST: Duration = Duration::from_millis(15);
/// Bytes of a letter in UTF-8.
const MOST_LETTER_BYTES: usize = 4;
/// The digits in a set of letters.
const DIGITS: u32 = 1 << 26;
/// Words between two looks at the clock.
const STEP: usize = 512;

/// What is looked for.
struct Wanted<'w> {
    /// The filter that it is a word of.
    field: Option<Field>,
    word: &'w str,
    len: usize,
    shortest_part: usize,
    letters: u32,
    most_edits: usize,
    /// The words found, with how far each is away.
    found: HashSet<(usize, String)>,
}

impl<'w> Wanted<'w> {
    fn new(asked: &'w str) -> Wanted<'w> {
        let (field, word) = match filter_of(asked) {
            Some((field, _, word)) => (Some(field), word),
            None => (None, asked),
        };
        let len = word.chars().count();
        let (shortest_part, shortest_near) = match field {
            Some(_) => (SHORTEST_IN_FILTER, SHORTEST_IN_FILTER),
            None => (SHORTEST_PART, SHORTEST_NEAR),
        };
        Wanted {
            field,
            word,
            len,
            shortest_part,
            letters: letters(word),
            most_edits: match len {
                SHORTEST_TWO_EDITS.. => 2,
                _ if len >= shortest_near => 1,
                _ => 0,
            },
            found: HashSet::new(),
        }
    }

    /// True where too many words are near for the spelling alone to tell which was meant.
    fn is_short(&self) -> bool {
        self.field.is_none() && self.len < SHORTEST_WITH_FEW
    }

    fn look(&mut self, other: &str, other_letters: u32) {
        // Letters first: a set is quicker compared than a word.
        let missing = (self.letters & !other_letters).count_ones() as usize;
        let more = (other_letters & !self.letters).count_ones() as usize;
        // Parts are as far as all near spellings, and among themselves the shortest name is nearest.
        if missing == 0
            && self.len >= self.shortest_part
            && other.len() > self.word.len()
            && other.contains(self.word)
        {
            let away = self.most_edits + other.len();
            self.found.insert((away, other.to_owned()));
            return;
        }
        // Each edit takes one letter out of the set and puts one in at most. Numbers and hashes are
        // near each other by chance.
        if missing.max(more) > self.most_edits
            || other.len().abs_diff(self.word.len()) > self.most_edits * MOST_LETTER_BYTES
            || (self.letters ^ other_letters) & DIGITS != 0
            || self.is_short() && self.word.chars().next() != other.chars().next()
        {
            return;
        }
        let away = edits(self.word, other);
        if (1..=self.most_edits).contains(&away) {
            self.found.insert((away, other.to_owned()));
        }
    }
}

/// For each word those of the index that may have been meant, the nearest first. `count` tells how many
/// entries a search finds.
pub(super) fn similar_words(
    reader: &IndexReader,
    words: &[String],
    mut count: impl FnMut(&str) -> Result<u64, StoreError>,
) -> Result<Vec<Vec<String>>, StoreError> {
    let mut all: Vec<Wanted<'_>> = words.iter().map(|word| Wanted::new(word)).collect();
    let started = Instant::now();
    let mut seen = 0_usize;
    let mut is_over = move || {
        seen += 1;
        seen.is_multiple_of(STEP) && started.elapsed() > LONGEST
    };
    let is_sought = |own: &Wanted<'_>| own.most_edits > 0 || own.len >= own.shortest_part;
    for own in all.iter_mut().filter(|own| is_sought(own)) {
        let Some(field) = own.field else { continue };
        reader.each_word_of_field(field, |other| {
            own.look(other, letters(other));
            if is_over() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
    }
    if all.iter().any(|own| own.field.is_none() && is_sought(own)) {
        // Few people mistake the first letter.
        let in_texts = all.iter().filter(|own| own.field.is_none());
        let first: Vec<char> = in_texts.filter_map(|own| own.word.chars().next()).collect();
        reader.each_indexed_word(&first, |other| {
            if is_over() {
                return ControlFlow::Break(());
            }
            if other.len() <= LONGEST_NAME {
                let set = letters(other);
                let in_texts = all.iter_mut().filter(|own| own.field.is_none());
                in_texts.for_each(|own| own.look(other, set));
            }
            ControlFlow::Continue(())
        })?;
    }
    let mut similar = Vec::new();
    for own in all {
        let is_short = own.is_short();
        let mut found: Vec<(usize, String)> = own.found.into_iter().collect();
        found.sort();
        if is_short {
            found.truncate(MOST_COUNTED);
            let mut counted = Vec::new();
            for (away, word) in found {
                counted.push((away, Reverse(count(&word)?), word));
            }
            counted.sort();
            found = counted
                .into_iter()
                .map(|(away, _, word)| (away, word))
                .collect();
        }
        found.truncate(MOST);
        similar.push(found.into_iter().map(|(_, word)| word).collect());
    }
    Ok(similar)
}

/// The letters of a word as a set; all digits are one of it, and all that are not ASCII.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |set, byte| match byte {
        b'a'..=b'z' => set | 1 << (byte - b'a'),
        b'0'..=b'9' => set | DIGITS,
        _ => set | 1 << 27,
    })
}

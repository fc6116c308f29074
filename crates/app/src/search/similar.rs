//! Words of the index that were meant by one that is in no entry: near spellings, and longer names
//! that have it in the middle.

use palimpsest_core::words::edits;
use palimpsest_store::{IndexReader, StoreError};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The shortest word that near spellings are looked for: shorter ones have many neighbours.
const SHORTEST_NEAR: usize = 6;
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
    word: &'w str,
    len: usize,
    letters: u32,
    most_edits: usize,
    /// The words found, with how far each is away.
    found: HashSet<(usize, String)>,
}

impl<'w> Wanted<'w> {
    fn new(word: &'w str) -> Wanted<'w> {
        let len = word.chars().count();
        Wanted {
            word,
            len,
            letters: letters(word),
            most_edits: match len {
                SHORTEST_TWO_EDITS.. => 2,
                SHORTEST_NEAR.. => 1,
                _ => 0,
            },
            found: HashSet::new(),
        }
    }

    fn look(&mut self, other: &str, other_letters: u32) {
        // Letters first: a set is quicker compared than a word.
        let missing = (self.letters & !other_letters).count_ones() as usize;
        let more = (other_letters & !self.letters).count_ones() as usize;
        // Parts are as far as all near spellings, and among themselves the shortest name is nearest.
        if missing == 0
            && self.len >= SHORTEST_PART
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
        {
            return;
        }
        let away = edits(self.word, other);
        if (1..=self.most_edits).contains(&away) {
            self.found.insert((away, other.to_owned()));
        }
    }
}

/// For each word those of the index that may have been meant, the nearest first.
pub(super) fn similar_words(
    reader: &IndexReader,
    words: &[String],
) -> Result<Vec<Vec<String>>, StoreError> {
    let mut all: Vec<Wanted<'_>> = words.iter().map(|word| Wanted::new(word)).collect();
    let is_sought = |own: &Wanted<'_>| own.len >= SHORTEST_PART;
    if all.iter().any(is_sought) {
        let started = Instant::now();
        let mut seen = 0_usize;
        // Few people mistake the first letter.
        let first: Vec<char> = words
            .iter()
            .filter_map(|word| word.chars().next())
            .collect();
        reader.each_indexed_word(&first, |other| {
            seen += 1;
            if seen.is_multiple_of(STEP) && started.elapsed() > LONGEST {
                return ControlFlow::Break(());
            }
            if other.len() <= LONGEST_NAME {
                let set = letters(other);
                all.iter_mut().for_each(|own| own.look(other, set));
            }
            ControlFlow::Continue(())
        })?;
    }
    let nearest = |own: Wanted<'_>| {
        let mut found: Vec<(usize, String)> = own.found.into_iter().collect();
        found.sort();
        found.truncate(MOST);
        found.into_iter().map(|(_, word)| word).collect()
    };
    Ok(all.into_iter().map(nearest).collect())
}

/// The letters of a word as a set; all digits are one of it, and all that are not ASCII.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |set, byte| match byte {
        b'a'..=b'z' => set | 1 << (byte - b'a'),
        b'0'..=b'9' => set | DIGITS,
        _ => set | 1 << 27,
    })
}

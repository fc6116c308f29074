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
/// How long the words of the index are looked through. All of an index over 10,000 sessions takes
/// less.
const LONGEST: Duration = Duration::from_millis(60);
/// Words between two looks at the clock.
const STEP: usize = 512;

/// What is looked for.
struct Wanted<'w> {
    word: &'w str,
    len: usize,
    letters: u32,
    has_digit: bool,
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
            has_digit: has_digit(word),
            most_edits: match len {
                SHORTEST_TWO_EDITS.. => 2,
                SHORTEST_NEAR.. => 1,
                _ => 0,
            },
            found: HashSet::new(),
        }
    }

    fn look(&mut self, other: &str) {
        // Parts are as far as all near spellings, and among themselves the shortest name is nearest.
        if self.len >= SHORTEST_PART && other.len() > self.word.len() && other.contains(self.word) {
            self.found
                .insert((self.most_edits + other.len(), other.to_owned()));
            return;
        }
        // Numbers and hashes are near each other by chance.
        if self.most_edits == 0
            || other.len().abs_diff(self.word.len()) > self.most_edits
            || has_digit(other) != self.has_digit
            // Each edit changes two letters of the set at most.
            || (letters(other) ^ self.letters).count_ones() as usize > 2 * self.most_edits
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
    let is_sought = |own: &Wanted<'_>| own.len >= SHORTEST_PART.min(SHORTEST_NEAR);
    if all.iter().any(is_sought) {
        let started = Instant::now();
        let mut seen = 0_usize;
        reader.each_indexed_word(|other| {
            seen += 1;
            if seen.is_multiple_of(STEP) && started.elapsed() > LONGEST {
                return ControlFlow::Break(());
            }
            if other.len() <= LONGEST_NAME {
                all.iter_mut().for_each(|own| own.look(other));
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

/// The letters of a word as a set; all that are not ASCII are one of it.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |set, byte| match byte {
        b'a'..=b'z' => set | 1 << (byte - b'a'),
        b'0'..=b'9' => set | 1 << 26,
        _ => set | 1 << 27,
    })
}

fn has_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

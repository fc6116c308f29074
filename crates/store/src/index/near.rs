//! Words of the index that may have been meant by a word that is nowhere: spelled nearly like it, or
//! with it as a part.

use super::IndexReader;
use super::terms::terms;
use crate::error::StoreError;
use rusqlite::params;
use std::cmp::Reverse;
use std::time::{Duration, Instant};

/// Most words that are given.
const MOST: usize = 3;

/// The shortest word that is looked for; shorter ones are near to too many.
const SHORTEST: usize = 5;

/// From this length on two letters may differ, before one.
const LONG: usize = 8;

/// How long the words of the index are looked through: the 400,000 words of 10,000 sessions take longer,
/// and a suggestion is not worth a wait.
const LONGEST: Duration = Duration::from_millis(120);

/// The words of the table of words.
const VOCABULARY: &str =
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')";

impl IndexReader {
    /// At most three words of the index that `word` may have been meant for: first those with one or two
    /// other letters behind the first two, the nearest and then the most frequent first; else those of
    /// which it is a part, the shortest first. Empty for a word of fewer than five letters and for
    /// several words.
    pub fn near_words(&self, word: &str) -> Result<Vec<String>, StoreError> {
        let [word] = terms(word).try_into().unwrap_or_default();
        let length = word.chars().count();
        if length < SHORTEST {
            return Ok(Vec::new());
        }
        let begun = Instant::now();
        let most_apart = if length < LONG { 1 } else { 2 };
        let begin: String = word.chars().take(2).collect();
        let mut near: Vec<(usize, Reverse<i64>, String)> = Vec::new();
        self.each_word(&begin, begun, |term, entries| {
            let apart = strsim::osa_distance(&word, term);
            if (1..=most_apart).contains(&apart) {
                near.push((apart, Reverse(entries), term.to_owned()));
            }
        })?;
        near.sort();
        if !near.is_empty() {
            let words = near.into_iter().map(|(_, _, term)| term);
            return Ok(words.take(MOST).collect());
        }
        let mut having: Vec<(usize, String)> = Vec::new();
        self.each_word("", begun, |term, _| {
            if term.len() > word.len() && term.contains(&word) {
                having.push((term.len(), term.to_owned()));
            }
        })?;
        having.sort();
        let words = having.into_iter().map(|(_, term)| term);
        Ok(words.take(MOST).collect())
    }

    /// Calls `each` with the words that begin so and the number of their entries, as long as there is time.
    fn each_word(
        &self,
        begin: &str,
        begun: Instant,
        mut each: impl FnMut(&str, i64),
    ) -> Result<(), StoreError> {
        self.db.at(self.db.conn.execute_batch(VOCABULARY))?;
        let mut looked = || -> rusqlite::Result<()> {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT term, doc FROM temp.vocabulary WHERE term >= ?1 AND term < ?2",
            )?;
            // Marked terms, which stand for fields, come behind all words.
            let mut rows = statement.query(params![begin, format!("{begin}\u{e000}")])?;
            let mut seen = 0_u32;
            while let Some(row) = rows.next()? {
                seen += 1;
                if seen.is_multiple_of(64) && begun.elapsed() > LONGEST {
                    break;
                }
                each(row.get_ref(0)?.as_str()?, row.get(1)?);
            }
            Ok(())
        };
        self.db.at(looked())
    }
}

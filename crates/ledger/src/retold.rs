//! Sentences of the model that say nearly the same: what was thought and then said, a comment that is
//! fetched twice, a list that is told again. They are one fact.

use rustc_hash::FxHashMap as HashMap;

/// Share of the words of the shorter of two sentences that the other must have to be the same.
const SAME_WORDS: f64 = 0.8;

/// Fewest words that two sentences share, near each other and anywhere.
const LEAST_LATELY: usize = 3;
const LEAST: usize = 4;

/// How many messages back a sentence is near.
const LATELY_ITEMS: usize = 4;

/// Most sentences that one word leads to; more have words that tell nothing apart.
const MAX_LED: usize = 400;

/// The sentences so far, by their content words.
#[derive(Default)]
pub(crate) struct Retold {
    /// The fact, the item, and how many words it has.
    sentences: Vec<(usize, usize, usize)>,
    by_word: HashMap<String, Vec<u32>>,
}

impl Retold {
    /// The fact of the newest sentence in nearly the same words.
    pub fn find(&self, item: usize, words: &[String]) -> Option<usize> {
        let mut shared: HashMap<u32, usize> = HashMap::default();
        for word in words {
            let led = self.by_word.get(word).map(Vec::as_slice);
            for &at in led.into_iter().flatten().rev().take(MAX_LED) {
                *shared.entry(at).or_default() += 1;
            }
        }
        let same = |at: u32, shared: usize| {
            let (_, other, len) = self.sentences[at as usize];
            let (least, most) = (len.min(words.len()), len.max(words.len()));
            let near = item.saturating_sub(other) <= LATELY_ITEMS;
            let wanted = if near { LEAST_LATELY } else { LEAST };
            shared >= wanted && shared as f64 >= SAME_WORDS * least as f64 && 2 * shared >= most
        };
        let newest = shared
            .into_iter()
            .filter(|&(at, shared)| same(at, shared))
            .map(|(at, _)| at)
            .max()?;
        Some(self.sentences[newest as usize].0)
    }

    /// Keeps a sentence.
    pub fn remember(&mut self, fact: usize, item: usize, words: Vec<String>) {
        let at = self.sentences.len() as u32;
        self.sentences.push((fact, item, words.len()));
        for word in words {
            self.by_word.entry(word).or_default().push(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::content_words;

    #[test]
    fn nearly_the_same_words_are_one_fact() {
        let mut known = Retold::default();
        let first = "Change the test message from `--long` to `--whole`";
        known.remember(7, 0, content_words(first));
        let find = |text: &str| known.find(90, &content_words(text));
        let again = "Fix #5 (273): Change the test message from --long to --whole, line 9";
        assert_eq!(find(again), Some(7));
        assert_eq!(find("Change the log message from a to b"), None);
        assert_eq!(find("message"), None);
    }
}

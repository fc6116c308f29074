//! Lists of turns that are looked for in a text all at once: one after the other they took a tenth of the
//! time of a ledger.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::sync::OnceLock;

/// Turns to look for.
pub(crate) struct Turns {
    list: &'static [&'static str],
    whole_words: bool,
    built: OnceLock<Option<AhoCorasick>>,
}

impl Turns {
    /// Turns that are whole words; they are looked for in words between single spaces.
    pub const fn of_words(list: &'static [&'static str]) -> Turns {
        Turns {
            list,
            whole_words: true,
            built: OnceLock::new(),
        }
    }

    /// Turns that may stand anywhere.
    pub const fn anywhere(list: &'static [&'static str]) -> Turns {
        Turns {
            list,
            whole_words: false,
            built: OnceLock::new(),
        }
    }

    /// True when `text` has one of the turns.
    pub fn stand_in(&self, text: &str) -> bool {
        self.built().is_some_and(|built| built.is_match(text))
    }

    /// Where each of the turns stands for the first time in `text`, in bytes; in no order.
    pub fn starts(&self, text: &str) -> impl Iterator<Item = usize> {
        let mut first: Vec<Option<usize>> = vec![None; self.list.len()];
        for found in self
            .built()
            .into_iter()
            .flat_map(|built| built.find_overlapping_iter(text))
        {
            first[found.pattern().as_usize()].get_or_insert(found.start());
        }
        first.into_iter().flatten()
    }

    fn built(&self) -> Option<&AhoCorasick> {
        let built = self.built.get_or_init(|| {
            let whole = self.whole_words;
            let turn = |turn: &&str| {
                if whole {
                    format!(" {turn} ")
                } else {
                    (*turn).to_owned()
                }
            };
            searcher(self.list.iter().map(turn))
        });
        built.as_ref()
    }
}

/// A searcher for short texts. Every turn of whole words begins with a space, and so does every word of the text:
/// looking for first bytes before looking for turns, as the library does on its own, takes longer than both.
pub(crate) fn searcher(turns: impl Iterator<Item = String>) -> Option<AhoCorasick> {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .prefilter(false)
        .build(turns)
        .ok()
}

/// Words to look up.
pub(crate) struct Words {
    list: &'static [&'static str],
    built: OnceLock<BuiltWords>,
}

/// First bytes of words, folded to six bits.
const FIRSTS: usize = 64;
/// Lengths of words in bytes, the last of them for all longer ones.
const LENGTHS: usize = 16;

struct BuiltWords {
    /// By first byte and length.
    sorted: Vec<&'static str>,
    /// Where the words of a first byte and a length begin in `sorted`, and behind them where the last ones end:
    /// most words of a text are none of these, and of those that may be one, one or two are to be compared.
    begins: Box<[u16; FIRSTS * LENGTHS + 1]>,
}

impl BuiltWords {
    fn of(list: &[&'static str]) -> BuiltWords {
        let mut sorted = list.to_vec();
        sorted.sort_by_key(|word| shape(word));
        let mut begins = Box::new([0; FIRSTS * LENGTHS + 1]);
        for word in &sorted {
            begins[shape(word) + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        BuiltWords { sorted, begins }
    }
}

/// The place of a word among the first bytes and lengths.
fn shape(word: &str) -> usize {
    let first = word.bytes().next().unwrap_or_default();
    (usize::from(first) % FIRSTS) * LENGTHS + word.len().min(LENGTHS - 1)
}

impl Words {
    /// Words in any order.
    pub const fn of(list: &'static [&'static str]) -> Words {
        Words {
            list,
            built: OnceLock::new(),
        }
    }

    /// True for one of the words.
    pub fn has(&self, word: &str) -> bool {
        let built = self.built.get_or_init(|| BuiltWords::of(self.list));
        let at = shape(word);
        let (from, to) = (built.begins[at], built.begins[at + 1]);
        built.sorted[usize::from(from)..usize::from(to)].contains(&word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_order() {
        static WORDS: Words = Words::of(&["walks", "is", "reads"]);
        assert!(WORDS.has("is") && WORDS.has("walks"));
        assert!(!WORDS.has("walk"));
    }

    #[test]
    fn the_first_place_of_each_turn_is_told() {
        static PARTS: Turns = Turns::anywhere(&[", because ", " because ", " - "]);
        let mut starts: Vec<usize> = PARTS.starts("a, because b because c - d - e").collect();
        starts.sort_unstable();
        assert_eq!(starts, [1, 2, 22]);
        assert_eq!(PARTS.starts("").count(), 0);
    }

    #[test]
    fn words_are_whole_where_they_must_be() {
        static WORDS: Turns = Turns::of_words(&["for now"]);
        static PARTS: Turns = Turns::anywhere(&["for now"]);
        for (text, whole, anywhere) in [
            (" kept for now ", true, true),
            (" kept for nowhere ", false, true),
            (" kept ", false, false),
        ] {
            assert_eq!(WORDS.stand_in(text), whole, "for {text}");
            assert_eq!(PARTS.stand_in(text), anywhere, "for {text}");
        }
    }
}

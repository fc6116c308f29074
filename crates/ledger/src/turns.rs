//! Lists of turns that are looked for in a text all at once: one after the other they took a tenth of the
//! time of a ledger.

use aho_corasick::AhoCorasick;
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
            AhoCorasick::new(self.list.iter().map(turn)).ok()
        });
        built.as_ref()
    }
}

/// Words to look up.
pub(crate) struct Words {
    list: &'static [&'static str],
    built: OnceLock<BuiltWords>,
}

struct BuiltWords {
    sorted: Vec<&'static str>,
    /// By first byte, the lengths that there are: most words of a text are none of these.
    lengths: [u32; 64],
}

impl BuiltWords {
    fn of(list: &[&'static str]) -> BuiltWords {
        let mut sorted = list.to_vec();
        sorted.sort_unstable();
        let mut lengths = [0; 64];
        for word in &sorted {
            let (first, length) = shape(word);
            lengths[first] |= length;
        }
        BuiltWords { sorted, lengths }
    }
}

/// The first byte of a word, folded, and a bit for its length.
fn shape(word: &str) -> (usize, u32) {
    let first = word.bytes().next().unwrap_or_default();
    (usize::from(first & 0x3f), 1 << word.len().min(31))
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
        let (first, length) = shape(word);
        built.lengths[first] & length != 0 && built.sorted.binary_search(&word).is_ok()
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

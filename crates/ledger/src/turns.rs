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
        built.as_ref().is_some_and(|built| built.is_match(text))
    }
}

/// Words to look up.
pub(crate) struct Words {
    list: &'static [&'static str],
    sorted: OnceLock<Vec<&'static str>>,
}

impl Words {
    /// Words in any order.
    pub const fn of(list: &'static [&'static str]) -> Words {
        Words {
            list,
            sorted: OnceLock::new(),
        }
    }

    /// True for one of the words.
    pub fn has(&self, word: &str) -> bool {
        let sorted = self.sorted.get_or_init(|| {
            let mut all = self.list.to_vec();
            all.sort_unstable();
            all
        });
        sorted.binary_search(&word).is_ok()
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

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

#[cfg(test)]
mod tests {
    use super::*;

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

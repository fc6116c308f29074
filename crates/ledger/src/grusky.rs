//! Extractive coverage and density (Grusky, Naaman and Artzi 2018, "Newsroom", section 4).
//!
//! The summary is read from the left; at each word the longest run of words is taken that also
//! stands somewhere in the source, and reading goes on behind it. With f over these fragments and
//! |S| the words of the summary, coverage is the sum of |f| / |S| and density the sum of
//! |f|^2 / |S|.
//!
//! The longest runs come from a suffix automaton of the reversed summary that the reversed source
//! is fed through, so that the time grows with the sum of both lengths and not their product.

use std::collections::HashMap;
use std::ops::Range;

/// Coverage and density of a summary over its source.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Extractiveness {
    /// Share of the summary's words inside shared fragments, 0 to 1; 0 for an empty summary.
    pub coverage: f64,
    /// Mean squared fragment length over the summary's words; 0 for an empty summary.
    pub density: f64,
}

/// Measures `summary` over a source given as texts in order; a fragment may run across texts.
pub fn measure<'a>(
    source: impl DoubleEndedIterator<Item = &'a str>,
    summary: &str,
) -> Extractiveness {
    let shared = Shared::of(source, summary);
    if shared.words.is_empty() {
        return Extractiveness::default();
    }
    let (mut covered, mut squared) = (0usize, 0.0);
    for (_, length) in shared.runs() {
        covered += length;
        squared += (length * length) as f64;
    }
    let total = shared.words.len() as f64;
    Extractiveness {
        coverage: covered as f64 / total,
        density: squared / total,
    }
}

/// The fragments of `summary` that stand somewhere in the source, in order: byte range and number of
/// words.
pub fn fragments<'a>(
    source: impl DoubleEndedIterator<Item = &'a str>,
    summary: &str,
) -> Vec<(Range<usize>, usize)> {
    let shared = Shared::of(source, summary);
    let words = &shared.words;
    let ranges = shared.runs().map(|(at, length)| {
        let range = words[at].start..words[at + length - 1].end;
        (range, length)
    });
    ranges.collect()
}

/// The words of a summary, and for each the longest run from there that the source has.
struct Shared {
    words: Vec<Range<usize>>,
    longest: Vec<usize>,
}

impl Shared {
    fn of<'a>(source: impl DoubleEndedIterator<Item = &'a str>, summary: &str) -> Shared {
        let mut ids: HashMap<String, u32> = HashMap::new();
        let mut ranges = Vec::new();
        let words: Vec<u32> = crate::words::words(summary)
            .map(|word| {
                ranges.push(word.range);
                let next = ids.len() as u32;
                *ids.entry(word.text).or_insert(next)
            })
            .collect();
        if words.is_empty() {
            return Shared {
                words: ranges,
                longest: Vec::new(),
            };
        }
        let mut automaton = Automaton::of_reversed(&words);
        let mut fold = String::new();
        for text in source.rev() {
            let ranges: Vec<_> = crate::words::raw_words(text).collect();
            for range in ranges.into_iter().rev() {
                let word = &text[range];
                let known = ids.get(word).or_else(|| {
                    let is_folded = !word.bytes().any(|b| b.is_ascii_uppercase() || b >= 0x80);
                    if is_folded {
                        return None;
                    }
                    fold.clear();
                    fold.push_str(&word.to_lowercase());
                    ids.get(&fold)
                });
                automaton.feed(known.copied());
            }
        }
        Shared {
            longest: automaton.longest_from_each(words.len()),
            words: ranges,
        }
    }

    /// The fragments as first word and number of words, read from the left.
    fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            while let Some(&length) = self.longest.get(at) {
                let from = at;
                at += length.max(1);
                if length > 0 {
                    return Some((from, length));
                }
            }
            None
        })
    }
}

struct State {
    next: HashMap<u32, usize>,
    link: Option<usize>,
    len: usize,
    /// Longest string of this state that the source has; 0 for none.
    found: usize,
}

struct Automaton {
    states: Vec<State>,
    /// The state of each prefix of the reversed summary.
    prefixes: Vec<usize>,
    at: usize,
    matched: usize,
}

impl Automaton {
    fn of_reversed(words: &[u32]) -> Automaton {
        let root = State {
            next: HashMap::new(),
            link: None,
            len: 0,
            found: 0,
        };
        let mut made = Automaton {
            states: vec![root],
            prefixes: Vec::new(),
            at: 0,
            matched: 0,
        };
        let mut last = 0;
        for &word in words.iter().rev() {
            last = made.extend(last, word);
            made.prefixes.push(last);
        }
        made
    }

    fn extend(&mut self, last: usize, word: u32) -> usize {
        let new = self.states.len();
        let len = self.states[last].len + 1;
        self.states.push(State {
            next: HashMap::new(),
            link: Some(0),
            len,
            found: 0,
        });
        let mut from = Some(last);
        while let Some(state) = from {
            if let Some(&target) = self.states[state].next.get(&word) {
                let link = self.split(state, target, word);
                self.states[new].link = Some(link);
                return new;
            }
            self.states[state].next.insert(word, new);
            from = self.states[state].link;
        }
        new
    }

    /// The state for the strings that reach `target` over `word` from `state`, split off where
    /// `target` has longer ones as well.
    fn split(&mut self, state: usize, target: usize, word: u32) -> usize {
        let len = self.states[state].len + 1;
        if self.states[target].len == len {
            return target;
        }
        let copy = self.states.len();
        let State { next, link, .. } = &self.states[target];
        let made = State {
            next: next.clone(),
            link: *link,
            len,
            found: 0,
        };
        self.states.push(made);
        self.states[target].link = Some(copy);
        let mut from = Some(state);
        while let Some(at) = from {
            match self.states[at].next.get_mut(&word) {
                Some(slot) if *slot == target => *slot = copy,
                _ => break,
            }
            from = self.states[at].link;
        }
        copy
    }

    /// Reads the next word of the reversed source; `None` is a word the summary does not have.
    fn feed(&mut self, word: Option<u32>) {
        let Some(word) = word else {
            (self.at, self.matched) = (0, 0);
            return;
        };
        loop {
            if let Some(&next) = self.states[self.at].next.get(&word) {
                self.at = next;
                self.matched += 1;
                break;
            }
            match self.states[self.at].link {
                Some(link) => {
                    self.at = link;
                    self.matched = self.states[link].len;
                }
                None => {
                    self.matched = 0;
                    return;
                }
            }
        }
        let state = &mut self.states[self.at];
        state.found = state.found.max(self.matched);
    }

    /// For each word of the summary, the longest run from there that the source has.
    fn longest_from_each(mut self, words: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_unstable_by_key(|&state| self.states[state].len);
        // A source that has a string has all its suffixes.
        for &state in order.iter().rev() {
            if self.states[state].found > 0
                && let Some(link) = self.states[state].link
            {
                self.states[link].found = self.states[link].len;
            }
        }
        // A state none of whose strings were found has the longest of its suffixes' states.
        for &state in &order {
            if self.states[state].found == 0
                && let Some(link) = self.states[state].link
            {
                self.states[state].found = self.states[link].found;
            }
        }
        (0..words)
            .map(|at| self.states[self.prefixes[words - 1 - at]].found)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_lines_by_hand() {
        // Words of the summary: the cat sat | quietly | on the mat = 7; fragments of 3 and 3.
        let source = ["The cat sat down.", "A dog lay on the mat.", "The end."];
        let measured = measure(source.into_iter(), "The cat sat quietly on the mat");
        assert!(
            (measured.coverage - 6.0 / 7.0).abs() < 1e-12,
            "{measured:?}"
        );
        assert!(
            (measured.density - 18.0 / 7.0).abs() < 1e-12,
            "{measured:?}"
        );
    }

    #[test]
    fn fragments_are_places_in_the_summary() {
        let source = ["The cat sat down.", "A dog lay on the mat.", "The end."];
        let summary = "The cat sat quietly on the mat";
        let found = fragments(source.into_iter(), summary);
        let texts: Vec<(&str, usize)> = found
            .into_iter()
            .map(|(range, words)| (&summary[range], words))
            .collect();
        assert_eq!(texts, [("The cat sat", 3), ("on the mat", 3)]);
    }

    #[test]
    fn the_whole_is_one_fragment_and_the_foreign_is_none() {
        let source = ["a b c", "d e"];
        assert_eq!(
            measure(source.into_iter(), "a b c d e"),
            Extractiveness {
                coverage: 1.0,
                density: 5.0
            }
        );
        assert_eq!(
            measure(source.into_iter(), "x y"),
            Extractiveness::default()
        );
        assert_eq!(measure(source.into_iter(), ""), Extractiveness::default());
    }

    /// The definition, verbatim.
    fn naive(source: &[u8], summary: &[u8]) -> (usize, usize) {
        let (mut at, mut sum, mut squares) = (0, 0, 0);
        while at < summary.len() {
            let mut best = 0;
            for from in 0..source.len() {
                let shared = source[from..]
                    .iter()
                    .zip(&summary[at..])
                    .take_while(|(a, b)| a == b)
                    .count();
                best = best.max(shared);
            }
            sum += best;
            squares += best * best;
            at += best.max(1);
        }
        (sum, squares)
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            source in proptest::collection::vec(0u8..4, 0..40),
            summary in proptest::collection::vec(0u8..5, 1..40),
        ) {
            let text = |ids: &[u8]| {
                ids.iter().map(|id| format!("w{id}")).collect::<Vec<_>>().join(" ")
            };
            let whole = text(&source);
            let measured = measure([whole.as_str()].into_iter(), &text(&summary));
            let (sum, squares) = naive(&source, &summary);
            let total = summary.len() as f64;
            prop_assert!((measured.coverage - sum as f64 / total).abs() < 1e-9);
            prop_assert!((measured.density - squares as f64 / total).abs() < 1e-9);
        }
    }
}

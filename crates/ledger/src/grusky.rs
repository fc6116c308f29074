//! Extractive coverage and density (Grusky, Naaman and Artzi 2018, "Newsroom", section 4).
//!
//! The summary is read from the left; at each word the longest run of words is taken that also
//! stands somewhere in the source, and reading goes on behind it. With f over these fragments and
//! |S| the words of the summary, coverage is the sum of |f| / |S| and density the sum of
//! |f|^2 / |S|.
//!
//! The longest runs come from a suffix automaton of the reversed summary that the reversed source
//! is fed through, so that the time grows with the sum of both lengths and not their product.

use rustc_hash::FxHashMap as HashMap;
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
        let mut ids: HashMap<String, u32> = HashMap::default();
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
        let mut automaton = Automaton::of_reversed(&words, ids.len());
        let mut fold = String::new();
        for text in source.rev() {
            for range in crate::words::raw_words(text).rev() {
                let word = &text[range];
                // The words of the summary are in lower case.
                let known = if word
                    .bytes()
                    .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
                {
                    ids.get(word)
                } else if word.is_ascii() {
                    fold.clear();
                    fold.push_str(word);
                    fold.make_ascii_lowercase();
                    ids.get(&fold)
                } else {
                    ids.get(word).or_else(|| ids.get(&word.to_lowercase()))
                };
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

/// Where the words lead from a state.
#[derive(Clone)]
enum Next {
    /// Of the first state, from which nearly every word of the source is looked up: by word, with
    /// [`NOWHERE`] for none.
    All(Vec<u32>),
    /// Of the others: sorted by word.
    Few(Vec<(u32, u32)>),
}

/// The mark of a word that leads nowhere.
const NOWHERE: u32 = u32::MAX;

impl Next {
    fn get(&self, word: u32) -> Option<u32> {
        match self {
            Next::All(all) => Some(all[word as usize]).filter(|&state| state != NOWHERE),
            Next::Few(few) => {
                let at = few.binary_search_by_key(&word, |(own, _)| *own).ok()?;
                Some(few[at].1)
            }
        }
    }

    fn set(&mut self, word: u32, state: u32) {
        match self {
            Next::All(all) => all[word as usize] = state,
            Next::Few(few) => match few.binary_search_by_key(&word, |(own, _)| *own) {
                Ok(at) => few[at].1 = state,
                Err(at) => few.insert(at, (word, state)),
            },
        }
    }
}

struct State {
    next: Next,
    link: Option<u32>,
    len: usize,
    /// Longest string of this state that the source has; 0 for none.
    found: usize,
}

struct Automaton {
    states: Vec<State>,
    /// The state of each prefix of the reversed summary.
    prefixes: Vec<u32>,
    at: u32,
    matched: usize,
}

impl Automaton {
    /// The automaton of `words`, of which `distinct` are different.
    fn of_reversed(words: &[u32], distinct: usize) -> Automaton {
        let root = State {
            next: Next::All(vec![NOWHERE; distinct]),
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

    fn state(&self, at: u32) -> &State {
        &self.states[at as usize]
    }

    fn add(&mut self, next: Next, link: Option<u32>, len: usize) -> u32 {
        let at = self.states.len() as u32;
        self.states.push(State {
            next,
            link,
            len,
            found: 0,
        });
        at
    }

    fn extend(&mut self, last: u32, word: u32) -> u32 {
        let len = self.state(last).len + 1;
        let new = self.add(Next::Few(Vec::new()), Some(0), len);
        let mut from = Some(last);
        while let Some(state) = from {
            if let Some(target) = self.state(state).next.get(word) {
                let link = self.split(state, target, word);
                self.states[new as usize].link = Some(link);
                return new;
            }
            self.states[state as usize].next.set(word, new);
            from = self.state(state).link;
        }
        new
    }

    /// The state for the strings that reach `target` over `word` from `state`, split off where
    /// `target` has longer ones as well.
    fn split(&mut self, state: u32, target: u32, word: u32) -> u32 {
        let len = self.state(state).len + 1;
        let State {
            next,
            link,
            len: whole,
            ..
        } = self.state(target);
        if *whole == len {
            return target;
        }
        let (next, link) = (next.clone(), *link);
        let copy = self.add(next, link, len);
        self.states[target as usize].link = Some(copy);
        let mut from = Some(state);
        while let Some(at) = from {
            let own = &mut self.states[at as usize];
            if own.next.get(word) != Some(target) {
                break;
            }
            own.next.set(word, copy);
            from = own.link;
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
            let State { next, link, .. } = self.state(self.at);
            if let Some(next) = next.get(word) {
                self.at = next;
                self.matched += 1;
                break;
            }
            match *link {
                Some(link) => {
                    self.at = link;
                    self.matched = self.state(link).len;
                }
                None => {
                    self.matched = 0;
                    return;
                }
            }
        }
        let state = &mut self.states[self.at as usize];
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
                let link = &mut self.states[link as usize];
                link.found = link.len;
            }
        }
        // A state none of whose strings were found has the longest of its suffixes' states.
        for &state in &order {
            if self.states[state].found == 0
                && let Some(link) = self.states[state].link
            {
                self.states[state].found = self.state(link).found;
            }
        }
        (0..words)
            .map(|at| self.state(self.prefixes[words - 1 - at]).found)
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

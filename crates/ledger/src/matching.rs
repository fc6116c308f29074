//! Finding many needles in long texts at once.

use crate::words::is_word_char;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use palimpsest_core::ledger::FactKind;
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// Bytes of a needle that go into the automaton; the rest is compared at a hit. Long sentences
/// would make the automaton as big as the text.
pub(crate) const HEAD_BYTES: usize = 48;

/// Bytes of needles up to which the automaton is a table of all its transitions: twice as fast over a
/// long text, but building it takes longer and one state up to a kilobyte.
const DFA_BYTES: usize = 16 << 10;

/// Needles being collected, each with the number of what it stands for.
#[derive(Debug, Default)]
pub struct NeedleSet {
    heads: HashMap<String, usize>,
    needles: Vec<Vec<(usize, String)>>,
    fold_case: bool,
}

impl NeedleSet {
    /// A set that ignores the case of ASCII letters.
    pub fn folding_case() -> NeedleSet {
        NeedleSet {
            fold_case: true,
            ..NeedleSet::default()
        }
    }

    /// Adds `needle` for thing `index`; needles shorter than two bytes are left out.
    pub fn add(&mut self, index: usize, needle: &str) {
        if needle.len() < 2 {
            return;
        }
        let needle = if self.fold_case {
            needle.to_ascii_lowercase()
        } else {
            needle.to_owned()
        };
        let head = needle[..crate::words::floor_boundary(&needle, HEAD_BYTES)].to_owned();
        let next = self.needles.len();
        let slot = *self.heads.entry(head).or_insert(next);
        if slot == next {
            self.needles.push(Vec::new());
        }
        if !self.needles[slot]
            .iter()
            .any(|(known, text)| *known == index && *text == needle)
        {
            self.needles[slot].push((index, needle));
        }
    }

    /// The searcher over the needles; `None` when there is none or they are too many for one.
    pub fn build(self) -> Option<Needles> {
        if self.needles.is_empty() {
            return None;
        }
        let mut heads: Vec<(usize, String)> = self
            .heads
            .into_iter()
            .map(|(head, slot)| (slot, head))
            .collect();
        heads.sort_unstable();
        let bytes: usize = heads.iter().map(|(_, head)| head.len()).sum();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .kind((bytes <= DFA_BYTES).then_some(AhoCorasickKind::DFA))
            // Long texts are searched, in which nearly every byte begins no needle.
            .dense_depth(3)
            .ascii_case_insensitive(self.fold_case)
            .build(heads.iter().map(|(_, head)| head.as_str()))
            .ok()?;
        Some(Needles {
            automaton,
            needles: self.needles,
            fold_case: self.fold_case,
        })
    }
}

/// A searcher over a [`NeedleSet`].
#[derive(Debug)]
pub struct Needles {
    automaton: AhoCorasick,
    needles: Vec<Vec<(usize, String)>>,
    fold_case: bool,
}

impl Needles {
    /// Calls `hit` with the number and the byte range of every occurrence, overlapping ones too.
    pub fn find(&self, text: &str, mut hit: impl FnMut(usize, Range<usize>)) {
        self.hits(text).for_each(|(index, range)| hit(index, range));
    }

    /// True where at least one needle stands in `text`.
    pub fn any(&self, text: &str) -> bool {
        self.hits(text).next().is_some()
    }

    fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        let bytes = text.as_bytes();
        let heads = self.automaton.find_overlapping_iter(text);
        heads.flat_map(move |found| {
            let needles = self.needles[found.pattern().as_usize()].iter();
            needles.filter_map(move |(index, needle)| {
                let end = found.start() + needle.len();
                let there = bytes.get(found.start()..end)?;
                let same = if self.fold_case {
                    there.eq_ignore_ascii_case(needle.as_bytes())
                } else {
                    there == needle.as_bytes()
                };
                same.then(|| (*index, found.start()..end))
            })
        })
    }
}

/// True when `range` of `text` is not a piece of a longer word of its kind: `a.rs` is not in
/// `a.rsx`, port 80 not in 8080 and version 1.2 not in 1.2.3, while `src/a.rs` is in
/// `/home/me/src/a.rs`.
pub fn is_bounded(text: &str, range: &Range<usize>, kind: FactKind) -> bool {
    let first = text[range.clone()].chars().next().is_some_and(is_word_char);
    let last = text[range.clone()]
        .chars()
        .next_back()
        .is_some_and(is_word_char);
    let before = text[..range.start].chars().next_back();
    let mut after = text[range.end..].chars();
    let next = after.next();
    if first && before.is_some_and(is_word_char) || last && next.is_some_and(is_word_char) {
        return false;
    }
    match kind {
        FactKind::Number => {
            let figure_goes_on =
                matches!(next, Some('.' | ',')) && after.next().is_some_and(|c| c.is_ascii_digit());
            let figure_began = matches!(before, Some('.' | ','))
                && text[..range.start - 1].ends_with(|c: char| c.is_ascii_digit());
            !figure_goes_on && !figure_began
        }
        FactKind::Path => {
            // `b.rs` is not in `a-b.rs` or `a.b.rs`; `.env` is not in `x.env`.
            let began = matches!(before, Some('-' | '.'))
                && first
                && !text[..range.start].ends_with("./")
                && !text[..range.start].ends_with(" -");
            began.then(|| text[..range.start - 1].ends_with(is_word_char)) != Some(true)
        }
        _ => true,
    }
}

/// Segments of text by their content words, to find those that share most words with a sentence.
#[derive(Debug, Default)]
pub struct OverlapIndex {
    postings: HashMap<String, Vec<u32>>,
    segments: u32,
}

/// A word in more segments than this does not tell them apart and is not followed.
const MAX_POSTINGS: usize = 4096;

impl OverlapIndex {
    /// Adds a segment; segments are numbered from 0.
    pub fn add(&mut self, text: &str) {
        for word in crate::words::content_words(text) {
            self.postings.entry(word).or_default().push(self.segments);
        }
        self.segments += 1;
    }

    /// Segments that have at least `threshold` of `words`, and two of them if there are two, with
    /// the share they have; best first, then first.
    pub fn find(&self, words: &[String], threshold: f64) -> Vec<(usize, f64)> {
        let mut shared: HashMap<u32, usize> = HashMap::default();
        for word in words {
            match self.postings.get(word) {
                Some(postings) if postings.len() <= MAX_POSTINGS => {
                    for segment in postings {
                        *shared.entry(*segment).or_default() += 1;
                    }
                }
                _ => {}
            }
        }
        let mut out: Vec<(usize, f64)> = shared
            .into_iter()
            .filter(|(_, count)| *count >= words.len().min(2))
            .map(|(segment, count)| (segment as usize, count as f64 / words.len() as f64))
            .filter(|(_, share)| *share >= threshold)
            .collect();
        out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        out
    }
}

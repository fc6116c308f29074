//! Finding many names in long texts at once, where each stands as words of its own.
//!
//! A name that is no piece of a longer word ([`is_bounded`](crate::matching::is_bounded)) has its longest
//! run of letters and digits as a whole run of the text. So a text is cut into runs, and each run is looked
//! up. An automaton over thousands of names takes as long to build as a megabyte takes to read.

use crate::matching::{HEAD_BYTES, NeedleSet, Needles};
use crate::words::is_word_char;
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// Names being collected, each with the number of what it stands for.
#[derive(Debug, Default)]
pub(crate) struct BoundedSet {
    names: Vec<Name>,
    /// Names without a letter or a digit, and those of which too many have one longest run.
    others: NeedleSet,
    fold_case: bool,
}

#[derive(Debug, PartialEq, Eq)]
struct Name {
    text: String,
    index: usize,
    /// Where its longest run is.
    run: Range<usize>,
}

impl BoundedSet {
    /// A set that ignores the case of ASCII letters.
    pub fn folding_case() -> BoundedSet {
        BoundedSet {
            others: NeedleSet::folding_case(),
            fold_case: true,
            ..BoundedSet::default()
        }
    }

    /// Adds `name` for thing `index`; names shorter than two bytes are left out.
    pub fn add(&mut self, index: usize, name: &str) {
        if name.len() < 2 {
            return;
        }
        // Of runs of one length the last one: the name of a file is rarer than those of its folders.
        match runs(name).max_by_key(|run| run.len()) {
            Some(run) => {
                let mut text = name.to_owned();
                if self.fold_case {
                    text.make_ascii_lowercase();
                }
                self.names.push(Name { text, index, run });
            }
            None => self.others.add(index, name),
        }
    }

    /// The searcher over the names; `None` when there is none.
    pub fn build(mut self) -> Option<BoundedNames> {
        self.names
            .sort_unstable_by(|a, b| (&a.text, a.index).cmp(&(&b.text, b.index)));
        self.names.dedup();
        let mut by_run: HashMap<String, Vec<Name>> = HashMap::default();
        for name in self.names {
            let run = &name.text[name.run.clone()];
            match by_run.get_mut(run) {
                Some(group) => group.push(name),
                None => {
                    by_run.insert(run.to_owned(), vec![name]);
                }
            }
        }
        // Thousands of files may have one name, and each place of it would be held against all of them.
        by_run.retain(|_, group| {
            let few = group.len() <= MAX_GROUP;
            if !few {
                let crowd = group.drain(..);
                crowd.for_each(|name| self.others.add(name.index, &name.text));
            }
            few
        });
        let mut shapes = vec![0; SHAPES];
        for run in by_run.keys() {
            let (shape, length) = shape(run.as_bytes(), self.fold_case);
            shapes[shape] |= length;
        }
        let others = self.others.build();
        if by_run.is_empty() && others.is_none() {
            return None;
        }
        Some(BoundedNames {
            by_run,
            shapes,
            others,
            fold_case: self.fold_case,
        })
    }
}

/// A searcher over a [`BoundedSet`].
#[derive(Debug)]
pub(crate) struct BoundedNames {
    by_run: HashMap<String, Vec<Name>>,
    /// By first and last byte of a run, the lengths that there are: most words of a text are none of these.
    shapes: Vec<u32>,
    others: Option<Needles>,
    fold_case: bool,
}

/// Most names that are compared at one place.
const MAX_GROUP: usize = 64;

/// Number of shapes that runs are sorted by.
const SHAPES: usize = 1 << 12;

/// Which shape a run has, and a bit for its length.
fn shape(run: &[u8], fold_case: bool) -> (usize, u32) {
    let fold = |byte: u8| {
        if fold_case {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    };
    let ends = [run[0], run[run.len() - 1]].map(|byte| usize::from(fold(byte) & 0x3f));
    (ends[0] << 6 | ends[1], 1 << run.len().min(31))
}

impl BoundedNames {
    /// Calls `hit` with the number and the byte range of every occurrence that may be bounded, overlapping
    /// ones too, in the order in which they end.
    pub fn find(&self, text: &str, mut hit: impl FnMut(usize, Range<usize>)) {
        let mut hits: Vec<(usize, Range<usize>)> = Vec::new();
        let bytes = text.as_bytes();
        let mut folded = String::new();
        for run in runs(text) {
            let (shape, length) = shape(&bytes[run.clone()], self.fold_case);
            if self.shapes[shape] & length == 0 {
                continue;
            }
            let group = if self.fold_case {
                folded.clear();
                folded.push_str(&text[run.clone()]);
                folded.make_ascii_lowercase();
                self.by_run.get(&folded)
            } else {
                self.by_run.get(&text[run.clone()])
            };
            for name in group.into_iter().flatten() {
                let Some(start) = run.start.checked_sub(name.run.start) else {
                    continue;
                };
                let range = start..start + name.text.len();
                let known = name.text.as_bytes();
                let same = bytes.get(range.clone()).is_some_and(|there| {
                    if self.fold_case {
                        there.eq_ignore_ascii_case(known)
                    } else {
                        // Most names of a group begin otherwise.
                        there[0] == known[0] && there == known
                    }
                });
                if same {
                    hits.push((name.index, range));
                }
            }
        }
        if let Some(others) = &self.others {
            others.find(text, |index, range| hits.push((index, range)));
        }
        // As an automaton finds them, so that of spellings inside each other the longest comes first.
        hits.sort_by_key(|(_, range)| (range.end.min(range.start + HEAD_BYTES), range.start));
        for (index, range) in hits {
            hit(index, range);
        }
    }
}

/// For each byte below 128 whether it belongs to a run.
static IN_RUN: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// The runs of letters, digits and underscores of a text.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    // The first place from `at` on that belongs to a run, or that belongs to none.
    let next = move |mut at: usize, in_run: bool| {
        while let Some(&byte) = bytes.get(at) {
            if let Some(&is_word) = IN_RUN.get(usize::from(byte)) {
                if is_word == in_run {
                    break;
                }
                at += 1;
                continue;
            }
            let Some(c) = text[at..].chars().next() else {
                break;
            };
            if is_word_char(c) == in_run {
                break;
            }
            at += c.len_utf8();
        }
        at
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = next(at, true);
        at = next(start, false);
        (start < at).then_some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::is_bounded;
    use palimpsest_core::ledger::FactKind;
    use proptest::prelude::*;

    /// What both searchers find that is bounded.
    fn found(names: &[String], text: &str, fold_case: bool) -> [Vec<(usize, Range<usize>)>; 2] {
        let (mut bounded, mut needles) = if fold_case {
            (BoundedSet::folding_case(), NeedleSet::folding_case())
        } else {
            (BoundedSet::default(), NeedleSet::default())
        };
        for (index, name) in names.iter().enumerate() {
            bounded.add(index, name);
            needles.add(index, name);
        }
        let mut out = [Vec::new(), Vec::new()];
        let mut take = |at: usize, index: usize, range: Range<usize>| {
            if is_bounded(text, &range, FactKind::Symbol) {
                out[at].push((index, range));
            }
        };
        if let Some(names) = bounded.build() {
            names.find(text, |index, range| take(0, index, range));
        }
        if let Some(names) = needles.build() {
            names.find(text, |index, range| take(1, index, range));
        }
        // Of equal ranges the order says nothing.
        for hits in &mut out {
            hits.sort_by_key(|(index, range)| (range.end, range.start, *index));
        }
        out
    }

    proptest! {
        #[test]
        fn the_same_is_found_as_by_an_automaton(
            names in prop::collection::vec("[aAé_./ -]{1,5}", 1..12),
            text in "[aAé_./ -]{0,60}",
            fold_case in any::<bool>(),
        ) {
            let [bounded, automaton] = found(&names, &text, fold_case);
            prop_assert_eq!(bounded, automaton);
        }
    }

    #[test]
    fn a_name_that_thousands_share_is_found() {
        let names: Vec<String> = (0..3 * MAX_GROUP)
            .map(|n| format!("{n}/README.md"))
            .collect();
        let [bounded, automaton] = found(&names, "see 7/README.md and 100/README.md", false);
        assert_eq!(bounded, automaton);
        assert_eq!(bounded.len(), 2);
    }

    #[test]
    fn of_spellings_inside_each_other_the_longest_comes_first() {
        let mut set = BoundedSet::default();
        for name in ["rows.rs", "src/rows.rs", "rows.rs"] {
            set.add(7, name);
        }
        let mut hits = Vec::new();
        let names = set.build().expect("names");
        names.find("in src/rows.rs", |index, range| hits.push((index, range)));
        assert_eq!(hits, [(7, 3..14), (7, 7..14)]);
    }
}

//! Finding the words of a query in a text, and cutting out what is shown of it.

use super::plain_text::{self, Row};
use super::query::Word;
use palimpsest_formats::rejection;
use palimpsest_ledger::test_failures::failed_test;
use palimpsest_store::index::terms::{each_term, is_plain, terms};
use std::ops::{ControlFlow, Range};

/// Characters shown before the first match...
const BEFORE_CHARS: usize = 60;
/// ...and of the excerpt as a whole.
const EXCERPT_CHARS: usize = 220;

/// Words that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    terms: Vec<String>,
    /// The last one is only the beginning of a word.
    open: bool,
}

impl Pattern {
    pub(super) fn new(word: &Word) -> Pattern {
        Pattern {
            terms: terms(&word.text),
            open: word.text.ends_with('*'),
        }
    }

    /// Like [`Pattern::new`], with the last word open: what is typed of a label finds it.
    pub(super) fn beginning(word: &Word) -> Pattern {
        Pattern {
            terms: terms(&word.text),
            open: true,
        }
    }

    /// The words, as the index has them.
    pub(super) fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(String::as_str)
    }

    pub(super) fn is_phrase(&self) -> bool {
        self.terms.len() > 1
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        let mut found = false;
        each_match(text, std::slice::from_ref(self), |_, _| {
            found = true;
            ControlFlow::Break(())
        });
        found
    }

    /// False where the words do not stand close together in a stored record, which has line ends as
    /// escapes and names of fields between texts. Other letters than ASCII's may be escapes as well.
    pub(super) fn may_be_in(&self, raw: &[u8]) -> bool {
        !self.terms.iter().all(|term| term.is_ascii()) || self.row().may_be_in(raw)
    }

    fn row(&self) -> Row<'_> {
        Row {
            words: &self.terms,
            open: self.open,
        }
    }

    /// True when `term` can stand at position `at` of the pattern.
    fn fits(&self, at: usize, term: &str) -> bool {
        let wanted = &self.terms[at];
        let last = at + 1 == self.terms.len();
        if last && self.open {
            term.starts_with(wanted.as_str())
        } else {
            term == wanted
        }
    }
}

/// How often a pattern occurs in a text, counted up to `most`.
pub(super) fn count_in(text: &str, pattern: &Pattern, most: usize) -> usize {
    let mut count = 0;
    each_match(text, std::slice::from_ref(pattern), |_, _| {
        count += 1;
        if count < most {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    count
}

/// Calls `each` with the place of every match of any pattern and the number of the pattern, in the
/// order of their ends.
fn each_match(
    text: &str,
    patterns: &[Pattern],
    each: impl FnMut(Range<usize>, usize) -> ControlFlow<()>,
) {
    if is_plain(text) {
        let rows: Vec<Row<'_>> = patterns.iter().map(Pattern::row).collect();
        return plain_text::each_match(text, &rows, each);
    }
    each_folded_match(text, patterns, each);
}

/// The same for any text, word by word.
fn each_folded_match(
    text: &str,
    patterns: &[Pattern],
    mut each: impl FnMut(Range<usize>, usize) -> ControlFlow<()>,
) {
    // For each pattern the beginnings of matches under way: (start, words matched).
    let mut under_way: Vec<Vec<(usize, usize)>> = vec![Vec::new(); patterns.len()];
    each_term(text, |range, term| {
        for (number, (pattern, begun)) in patterns.iter().zip(&mut under_way).enumerate() {
            // Every word may begin a match; most are dropped at once.
            begun.push((range.start, 0));
            begun.retain_mut(|(_, matched)| {
                let fits = pattern.fits(*matched, term);
                *matched += 1;
                fits
            });
            if let Some(&(start, matched)) = begun.first()
                // The oldest match is the longest, so only the first can be complete.
                && matched == pattern.terms.len()
            {
                begun.remove(0);
                each(start..range.end, number)?;
            }
        }
        ControlFlow::Continue(())
    });
}

/// A part of a text with the matches in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Excerpt {
    /// One line: line ends and runs of spaces are single spaces.
    pub(super) text: String,
    /// Places of the matches, in bytes, in order and apart from each other.
    pub(super) ranges: Vec<Range<usize>>,
}

impl Excerpt {
    /// The same places in UTF-16 code units.
    pub(super) fn ranges_utf16(&self) -> Vec<Range<usize>> {
        let units = |end: usize| self.text[..end].chars().map(char::len_utf16).sum();
        self.ranges
            .iter()
            .map(|range| units(range.start)..units(range.end))
            .collect()
    }
}

/// What is shown of a text: of an output that is found by its failed tests, and not by its words, from
/// the first line that tells of one.
pub(super) fn shown_of<'t>(text: &'t str, failed_tests: bool, patterns: &[Pattern]) -> &'t str {
    if !failed_tests || !patterns.is_empty() {
        return text;
    }
    failed_test(text).map_or(text, |line| &text[line.start..])
}

/// The text around the first match. Of a refused call what the user said: the rest is the same for
/// every one.
pub(super) fn excerpt_of(text: &str, rejected: bool, patterns: &[Pattern]) -> Excerpt {
    let refusal = Some(text).filter(|_| rejected).and_then(rejection);
    match refusal.and_then(|refusal| refusal.said) {
        // Words that stand in the call only are shown with it.
        Some(said) => excerpt(&said, patterns),
        None => excerpt(text, patterns),
    }
}

/// Matches in a text that are looked at for the best place of an excerpt.
const MOST_PLACED: usize = 2_000;

/// Where an excerpt shows most: the place with the most different patterns, of these the one where they
/// stand closest, of these the first. `None` without a match.
fn best_place(text: &str, patterns: &[Pattern]) -> Option<usize> {
    let mut places: Vec<(Range<usize>, usize)> = Vec::new();
    each_match(text, patterns, |range, number| {
        places.push((range, number));
        // One pattern stands nowhere better than at its first place.
        if patterns.len() > 1 && places.len() < MOST_PLACED {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    places.sort_by_key(|(range, _)| range.start);
    let reach = EXCERPT_CHARS - BEFORE_CHARS;
    let mut best: Option<(usize, std::cmp::Reverse<usize>, usize)> = None;
    for (at, (first, _)) in places.iter().enumerate() {
        let mut seen = vec![false; patterns.len()];
        let (mut count, mut end) = (0, first.end);
        let near = places[at..].iter();
        for (range, number) in near.take_while(|(range, _)| range.end <= first.start + reach) {
            if !std::mem::replace(&mut seen[*number], true) {
                count += 1;
                end = end.max(range.end);
            }
        }
        let own = (count, std::cmp::Reverse(end - first.start), first.start);
        if best.is_none_or(|best| (own.0, own.1) > (best.0, best.1)) {
            best = Some(own);
        }
    }
    best.map(|(_, _, start)| start)
}

/// The text around the best match; the beginning when there is none.
pub(super) fn excerpt(text: &str, patterns: &[Pattern]) -> Excerpt {
    let first = best_place(text, patterns).unwrap_or(0);
    let start = back_by(text, first, BEFORE_CHARS);
    let rest = &text[start..];
    let end = rest
        .char_indices()
        // Twice as many, since runs of white space become one space.
        .nth(EXCERPT_CHARS * 2)
        .map_or(rest.len(), |(at, _)| at);
    let mut out = Excerpt::default();
    if start > 0 {
        out.text.push('…');
    }
    let shown = one_line(&mut out.text, &rest[..end], EXCERPT_CHARS);
    out.text.truncate(out.text.trim_end().len());
    if shown < rest.trim_end().len() {
        out.text.push('…');
    }
    let mut found = Vec::new();
    // In the text as it is shown, because places move when white space is joined.
    each_match(&out.text, patterns, |range, _| {
        found.push(range);
        ControlFlow::Continue(())
    });
    found.sort_by_key(|range| range.start);
    for range in found {
        match out.ranges.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => out.ranges.push(range),
        }
    }
    out
}

/// A place about `chars` characters before `at`, at the beginning of a word if there is one near.
fn back_by(text: &str, at: usize, chars: usize) -> usize {
    let before = &text[..at];
    let Some((start, _)) = before.char_indices().rev().nth(chars.saturating_sub(1)) else {
        return 0;
    };
    let space = before[start..]
        .char_indices()
        .find(|(_, c)| c.is_whitespace());
    space.map_or(start, |(skip, c)| start + skip + c.len_utf8())
}

/// Appends at most `chars` characters of `text` with runs of white space as one space; returns
/// how many bytes of `text` that took.
fn one_line(out: &mut String, text: &str, chars: usize) -> usize {
    let mut count = 0;
    let mut spaced = true;
    for (at, c) in text.char_indices() {
        if count >= chars {
            return at;
        }
        if c.is_whitespace() || c.is_control() {
            if !spaced {
                out.push(' ');
                count += 1;
            }
            spaced = true;
        } else {
            out.push(c);
            count += 1;
            spaced = false;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn patterns(words: &[&str]) -> Vec<Pattern> {
        words
            .iter()
            .map(|&text| {
                Pattern::new(&Word {
                    text: text.to_owned(),
                })
            })
            .collect()
    }

    fn marked(text: &str, words: &[&str]) -> String {
        let excerpt = excerpt(text, &patterns(words));
        let mut out = excerpt.text.clone();
        for range in excerpt.ranges.iter().rev() {
            out.insert(range.end, ']');
            out.insert(range.start, '[');
        }
        out
    }

    #[test]
    fn matches_are_marked() {
        assert_eq!(
            marked("Call read_file\n\n  twice", &["read_file"]),
            "Call [read_file] twice"
        );
        assert_eq!(marked("a b a b c", &["a b c", "b"]), "a [b] [a b c]");
        assert_eq!(marked("parser parsing", &["pars*"]), "[parser] [parsing]");
        assert_eq!(marked("nothing here", &["else"]), "nothing here");
        assert_eq!(marked("日本語", &["本語"]), "日[本語]");
    }

    #[test]
    fn a_phrase_needs_its_words_in_a_row() {
        let phrase = &patterns(&["a b c"])[0];
        assert!(phrase.is_in("x a a b c"));
        assert!(phrase.is_in("A-b.C"));
        assert!(!phrase.is_in("a b x c"));
        assert!(!phrase.is_in("a b cd"));
    }

    #[test]
    fn an_excerpt_is_around_the_first_match() {
        let text = format!("{}needle{}", "hay ".repeat(500), " straw".repeat(500));
        let shown = marked(&text, &["needle"]);
        assert!(
            shown.starts_with("…hay hay") && shown.ends_with('…'),
            "{shown}"
        );
        assert!(shown.contains("hay [needle] straw"), "{shown}");
        assert!(
            shown.chars().count() <= EXCERPT_CHARS + 4,
            "{}",
            shown.len()
        );
    }

    #[test]
    fn an_excerpt_is_where_the_words_stand_together() {
        let far = "a git clone. ".to_owned() + &"hay ".repeat(200);
        let text = format!("{far}Another git process is running. {far}process");
        let shown = marked(&text, &["another", "git", "process"]);
        assert!(shown.contains("[Another] [git] [process] is"), "{shown}");
    }

    #[test]
    fn places_are_also_given_in_utf16() {
        let excerpt = excerpt("𝄞é word", &patterns(&["word"]));
        assert_eq!(excerpt.ranges.first(), Some(&(7..11)));
        assert_eq!(excerpt.ranges_utf16().first(), Some(&(4..8)));
    }

    proptest! {
        #[test]
        fn plain_texts_are_searched_as_others_are(
            text in "[abAB→ .\n_1]{0,60}",
            words in prop::collection::vec("[ab1é]{1,2}( [ab]){0,2}[*]?", 1..4),
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let patterns = patterns(&words);
            let (mut plain, mut folded) = (Vec::new(), Vec::new());
            prop_assert!(is_plain(&text));
            each_match(&text, &patterns, |range, number| {
                plain.push((range, number));
                ControlFlow::Continue(())
            });
            each_folded_match(&text, &patterns, |range, number| {
                folded.push((range, number));
                ControlFlow::Continue(())
            });
            prop_assert_eq!(plain, folded);
        }

        #[test]
        fn words_of_a_row_stand_close_together(
            text in "([abzABZ01]{1,3}[ .\n]{1,3}){0,80}",
            words in "[abz01]{1,2}( [abz01]{1,2}){1,3}",
        ) {
            let pattern = &patterns(&[&words])[0];
            prop_assert!(!pattern.is_in(&text) || pattern.may_be_in(text.as_bytes()));
        }

        #[test]
        fn ranges_lie_in_the_excerpt(
            text in "[ab本 é\n.]{0,400}",
            words in prop::collection::vec("[ab本]{1,2}( [ab])?", 1..3),
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let excerpt = excerpt(&text, &patterns(&words));
            let mut end = 0;
            for range in &excerpt.ranges {
                prop_assert!(range.start >= end && range.start < range.end);
                prop_assert!(excerpt.text.get(range.clone()).is_some());
                end = range.end;
            }
        }
    }
}

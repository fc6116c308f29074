//! Words that the summary shares with the span (D8) and with the kept tail and itself (D13).

use super::line::{Amount, FigureLine, Measured, of, share};
use crate::input::LedgerInput;
use crate::introduced::decoded;
use crate::words;
use palimpsest_core::figure::Figure;
use rustc_hash::FxHashMap as HashMap;
use std::ops::Range;

/// Words per sequence of D13.
const SEQUENCE: usize = 3;

/// The words of a summary as numbers, and those of its span: `None` for a word that the summary does
/// not have.
pub(super) struct SharedWords {
    ids: HashMap<String, u32>,
    pub(super) summary: Vec<u32>,
    ranges: Vec<Range<usize>>,
    pub(super) span: Vec<Option<u32>>,
}

impl SharedWords {
    pub(super) fn of(input: &LedgerInput<'_>) -> SharedWords {
        let mut out = SharedWords {
            ids: HashMap::default(),
            summary: Vec::new(),
            ranges: Vec::new(),
            span: Vec::new(),
        };
        for word in words::words(input.summary) {
            let next = out.ids.len() as u32;
            out.summary.push(*out.ids.entry(word.text).or_insert(next));
            out.ranges.push(word.range);
        }
        for part in input.span.parts() {
            let text = decoded(part.kind, part.text);
            out.span.extend(numbered(&out.ids, &text));
        }
        out
    }
}

/// The words of a text by their numbers.
fn numbered(ids: &HashMap<String, u32>, text: &str) -> Vec<Option<u32>> {
    let mut fold = String::new();
    let number = |range: Range<usize>| {
        let word = &text[range];
        let known = ids.get(word).copied();
        if known.is_some() || !word.bytes().any(|b| b.is_ascii_uppercase() || b >= 0x80) {
            return known;
        }
        fold.clear();
        fold.push_str(&word.to_lowercase());
        ids.get(&fold).copied()
    };
    words::raw_words(text).map(number).collect()
}

/// D8: ROUGE-1, -2 and -L, recall and precision.
pub(super) fn rouge(input: &LedgerInput<'_>, words: &SharedWords) -> Measured {
    let (span, summary) = (words.span.len(), words.summary.len());
    if span == 0 || summary == 0 {
        return Measured::absent(Figure::Rouge, "The span or the summary contains no words.");
    }
    let mut out = Measured::new(Figure::Rouge);
    let one = |words: &[Option<u32>]| words[0].map(u64::from);
    let two = |words: &[Option<u32>]| Some(u64::from(words[0]?) << 32 | u64::from(words[1]?));
    let known: Vec<Option<u32>> = words.summary.iter().copied().map(Some).collect();
    let figures = [
        ("ROUGE-1", clipped(&words.span, &known, 1, one), 0),
        ("ROUGE-2", clipped(&words.span, &known, 2, two), 1),
        ("ROUGE-L", longest_common(&words.span, &words.summary), 0),
    ];
    for (name, shared, fewer) in figures {
        let (span, summary) = (span - fewer.min(span), summary - fewer.min(summary));
        let recall = Amount::Share(shared as f64 / span.max(1) as f64);
        out.value(format!("{name} recall"), recall);
        let precision = Amount::Share(shared as f64 / summary.max(1) as f64);
        out.value(format!("{name} precision"), precision);
    }
    out.lines = least_shared(input.summary, words);
    out
}

/// Sequences of `length` words that both have, each as often as the one that has it less often.
fn clipped(
    span: &[Option<u32>],
    summary: &[Option<u32>],
    length: usize,
    key: impl Fn(&[Option<u32>]) -> Option<u64>,
) -> usize {
    let mut left: HashMap<u64, usize> = HashMap::default();
    for own in summary.windows(length).filter_map(&key) {
        *left.entry(own).or_default() += 1;
    }
    let mut shared = 0;
    for own in span.windows(length).filter_map(&key) {
        if let Some(count) = left.get_mut(&own).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    shared
}

/// Length of the longest common subsequence, 64 words of the summary at a time (Hyyrö 2004).
fn longest_common(span: &[Option<u32>], summary: &[u32]) -> usize {
    let blocks = summary.len().div_ceil(64);
    let mut places: HashMap<u32, Vec<u64>> = HashMap::default();
    for (at, word) in summary.iter().enumerate() {
        let bits = places.entry(*word).or_insert_with(|| vec![0; blocks]);
        bits[at / 64] |= 1 << (at % 64);
    }
    let mut row = vec![u64::MAX; blocks];
    for word in span.iter().flatten() {
        let Some(bits) = places.get(word) else {
            continue;
        };
        let mut carry = false;
        for (own, bits) in row.iter_mut().zip(bits) {
            let matched = *own & bits;
            let (sum, first) = own.overflowing_add(matched);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *own = sum | (*own & !bits);
        }
    }
    let unset = |at: usize| row[at / 64] & (1 << (at % 64)) == 0;
    (0..summary.len()).filter(|&at| unset(at)).count()
}

/// The lines of the summary by the share of their words that the span has, the lowest first.
fn least_shared(summary: &str, shared: &SharedWords) -> Vec<FigureLine> {
    let mut in_span = vec![false; shared.ids.len()];
    for word in shared.span.iter().flatten() {
        in_span[*word as usize] = true;
    }
    let mut lines = Vec::new();
    let mut words = shared.ranges.iter().zip(&shared.summary).peekable();
    for line in words::lines(summary) {
        let (mut all, mut known) = (0, 0);
        while let Some((_, word)) = words.next_if(|(range, _)| range.start < line.end) {
            all += 1;
            known += usize::from(in_span[*word as usize]);
        }
        let range = words::trim(summary, line);
        if all > 0 {
            lines.push((share(known, all), all, known, range));
        }
    }
    lines.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.3.start.cmp(&b.3.start)));
    let lines = lines.into_iter();
    lines
        .map(|(_, all, known, range)| FigureLine {
            text: summary[range.clone()].to_owned(),
            note: format!("{known} of {all} words are in the span"),
            range: Some(range),
            ..FigureLine::default()
        })
        .collect()
}

/// D13: sequences of three words that the tail has as well, or the summary twice.
pub(super) fn redundancy(input: &LedgerInput<'_>) -> Measured {
    let mut ids: HashMap<String, u32> = HashMap::default();
    let mut own = Vec::new();
    let mut ranges = Vec::new();
    for word in words::words(input.summary) {
        let next = ids.len() as u32;
        own.push(*ids.entry(word.text).or_insert(next));
        ranges.push(word.range);
    }
    let total = own.len().saturating_sub(SEQUENCE - 1);
    if total == 0 {
        return Measured::absent(
            Figure::Redundancy,
            "The summary has fewer than three words.",
        );
    }
    let mut first: HashMap<&[u32], usize> = HashMap::default();
    let mut twice = vec![false; total];
    for (at, sequence) in own.windows(SEQUENCE).enumerate() {
        twice[at] = *first.entry(sequence).or_insert(at) != at;
    }
    let mut in_tail = vec![false; total];
    let mut tail: HashMap<[u32; SEQUENCE], ()> = HashMap::default();
    for part in input.kept_tail.parts() {
        for words in numbered(&ids, part.text).windows(SEQUENCE) {
            if let [Some(a), Some(b), Some(c)] = *words {
                tail.insert([a, b, c], ());
            }
        }
    }
    for (at, sequence) in own.windows(SEQUENCE).enumerate() {
        in_tail[at] = tail.contains_key(sequence);
    }
    let mut out = Measured::new(Figure::Redundancy);
    let count = |of: &[bool]| of.iter().filter(|own| **own).count();
    out.value(
        "Also in the kept tail",
        Amount::Share(share(count(&in_tail), total)),
    );
    out.value(
        "Twice in the summary",
        Amount::Share(share(count(&twice), total)),
    );
    out.value("Sequences that the tail has", of(count(&in_tail), total));
    for (marked, note) in [
        (&twice, "stands earlier in the summary"),
        (&in_tail, "in the kept tail"),
    ] {
        for words in stretches(marked) {
            let range = ranges[words.start].start..ranges[words.end + SEQUENCE - 2].end;
            out.lines.push(FigureLine {
                text: input.summary[range.clone()].to_owned(),
                note: note.to_owned(),
                range: Some(range),
                ..FigureLine::default()
            });
        }
    }
    out
}

/// Runs of marked places.
fn stretches(marked: &[bool]) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    for (at, _) in marked.iter().enumerate().filter(|(_, own)| **own) {
        match out.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => out.push(at..at + 1),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(a: &[u8], b: &[u8]) -> usize {
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                rows[i + 1][j + 1] = if x == y {
                    rows[i][j] + 1
                } else {
                    rows[i][j + 1].max(rows[i + 1][j])
                };
            }
        }
        rows[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn the_longest_common_sequence_agrees_with_its_definition(
            a in proptest::collection::vec(0u8..6, 0..160),
            b in proptest::collection::vec(0u8..6, 1..160),
        ) {
            let span: Vec<Option<u32>> = a.iter().map(|own| Some(u32::from(*own))).collect();
            let summary: Vec<u32> = b.iter().map(|own| u32::from(*own)).collect();
            prop_assert_eq!(longest_common(&span, &summary), naive(&a, &b));
        }
    }

    #[test]
    fn shared_words_count_as_often_as_the_rarer_side_has_them() {
        let span = [Some(0), Some(0), Some(1), None];
        let summary = [Some(0), Some(1), Some(1)];
        let one = |words: &[Option<u32>]| words[0].map(u64::from);
        assert_eq!(clipped(&span, &summary, 1, one), 2);
        assert_eq!(stretches(&[true, true, false, true]), [0..2, 3..4]);
    }
}

//! Where a conversation is cut into segments.

use crate::text::lexical::{Lexicon, cosine};
use crate::workpiece::transcript::written::Written;
use crate::workpiece::vectors;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where segments may begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cuts {
    /// At the message that would make the segment too large (the study's rule).
    #[default]
    Greedy,
    /// Where a turn begins; a turn larger than a segment is cut greedily.
    Turns,
    /// Where the words change most in the second half of a segment.
    Breaks,
}

/// How alike texts are found to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Similarity {
    /// By their words.
    #[default]
    Lexical,
    /// By their vectors from an embedding model.
    Embedding,
}

/// What the texts around a place are compared by.
pub(super) enum Likeness<'a> {
    /// Nothing: every place is like every other.
    Same,
    /// Their words.
    Words(Lexicon),
    /// Their vectors, one for each text.
    Vectors(Vec<&'a [f32]>),
}

impl Likeness<'_> {
    /// How alike the texts at two ranges of positions are, 1 at most.
    fn between(&self, before: Range<usize>, after: Range<usize>) -> f64 {
        match self {
            Likeness::Same => 1.0,
            Likeness::Words(lexicon) => cosine(&lexicon.vector(before), &lexicon.vector(after)),
            Likeness::Vectors(own) => {
                let (before, after) = (vectors::sum(&own[before]), vectors::sum(&own[after]));
                vectors::cosine(&before, &after)
            }
        }
    }
}

/// Messages on each side of a place whose words are compared (our choice: a question, an answer
/// and a tool result).
const WINDOW: usize = 3;

/// The segments of `written`, as ranges of its positions; each has at most `size` tokens unless
/// it is a single message.
pub(super) fn cut(
    written: &[Written],
    size: u64,
    cuts: Cuts,
    likeness: &Likeness<'_>,
) -> Vec<Range<usize>> {
    match cuts {
        Cuts::Greedy => greedy(written, 0..written.len(), size),
        Cuts::Turns => at_turns(written, size),
        Cuts::Breaks => at_breaks(written, size, likeness),
    }
}

/// A new segment begins when the one so far is not empty and the next message would not fit.
fn greedy(written: &[Written], within: Range<usize>, size: u64) -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    let mut start = within.start;
    let mut sum = 0;
    for at in within.clone() {
        if at > start && sum + written[at].tokens > size {
            segments.push(start..at);
            start = at;
            sum = 0;
        }
        sum += written[at].tokens;
    }
    if start < within.end {
        segments.push(start..within.end);
    }
    segments
}

fn at_turns(written: &[Written], size: u64) -> Vec<Range<usize>> {
    let tokens =
        |range: &Range<usize>| -> u64 { written[range.clone()].iter().map(|own| own.tokens).sum() };
    let mut turns: Vec<Range<usize>> = Vec::new();
    for (at, own) in written.iter().enumerate() {
        match turns.last_mut() {
            Some(turn) if !own.starts_turn => turn.end = at + 1,
            _ => turns.push(at..at + 1),
        }
    }
    let mut segments: Vec<Range<usize>> = Vec::new();
    let mut sum = 0;
    for turn in turns {
        let own = tokens(&turn);
        match segments.last_mut() {
            Some(segment) if sum + own <= size => {
                segment.end = turn.end;
                sum += own;
            }
            _ => {
                segments.extend(greedy(written, turn, size));
                // The rest of a turn that was cut may share its segment with the next one.
                sum = segments.last().map_or(0, tokens);
            }
        }
    }
    segments
}

fn at_breaks(written: &[Written], size: u64, likeness: &Likeness<'_>) -> Vec<Range<usize>> {
    // How alike the texts before and after the place in front of a message are.
    let alike = |at: usize| {
        let before = at.saturating_sub(WINDOW)..at;
        likeness.between(before, at..(at + WINDOW).min(written.len()))
    };
    let mut segments = Vec::new();
    let mut start = 0;
    while start < written.len() {
        let full = greedy(written, start..written.len(), size);
        let end = full.first().map_or(written.len(), |segment| segment.end);
        if end == written.len() {
            segments.push(start..end);
            break;
        }
        let mut sum = 0;
        let mut best = (end, f64::INFINITY);
        for at in start + 1..=end {
            sum += written[at - 1].tokens;
            if sum * 2 < size {
                continue;
            }
            let own = alike(at);
            // Of places that are equally good the last makes the fewest segments.
            if own <= best.1 {
                best = (at, own);
            }
        }
        segments.push(start..best.0);
        start = best.0;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(written: &[Written], size: u64, cuts: Cuts) -> Vec<Range<usize>> {
        let words = Lexicon::new(written.iter().map(|own| own.text.as_str()));
        super::cut(written, size, cuts, &Likeness::Words(words))
    }

    fn said(sizes: &[(u64, bool)]) -> Vec<Written> {
        let one = |(item, &(tokens, starts_turn)): (usize, &(u64, bool))| Written {
            item,
            text: "word ".repeat(tokens as usize).into(),
            units: tokens * 5,
            bytes: tokens * 5,
            tokens,
            unit: item,
            is_tool_result: false,
            starts_turn,
            is_tight: false,
        };
        sizes.iter().enumerate().map(one).collect()
    }

    #[test]
    fn greedy_cuts_before_what_does_not_fit() {
        let written = said(&[(4, true), (6, false), (1, true), (20, false), (1, true)]);
        assert_eq!(cut(&written, 10, Cuts::Greedy), [0..2, 2..3, 3..4, 4..5]);
        assert_eq!(cut(&written, 100, Cuts::Greedy).len(), 1);
        assert!(cut(&[], 10, Cuts::Greedy).is_empty());
    }

    #[test]
    fn turns_stay_whole_where_they_fit() {
        let written = said(&[(4, true), (3, false), (4, true), (2, false), (2, true)]);
        assert_eq!(cut(&written, 10, Cuts::Turns), [0..2, 2..5]);
        let long = said(&[(4, true), (8, false), (8, false), (1, true)]);
        assert_eq!(cut(&long, 10, Cuts::Turns), [0..1, 1..2, 2..4]);
    }

    #[test]
    fn breaks_are_where_the_words_change() {
        let mut written = said(&[(5, true); 8]);
        for (at, own) in written.iter_mut().enumerate() {
            own.text = if at < 5 {
                "parse the header of the packet".to_owned().into()
            } else {
                "paint every door blue".to_owned().into()
            };
        }
        assert_eq!(cut(&written, 30, Cuts::Breaks), [0..5, 5..8]);
    }

    #[test]
    fn breaks_are_where_the_vectors_turn() {
        let written = said(&[(5, true); 8]);
        let (one, other) = ([1.0, 0.1], [-0.2, 1.0]);
        let vectors: Vec<&[f32]> = (0..8)
            .map(|at| if at < 4 { &one[..] } else { &other[..] })
            .collect();
        let cut = super::cut(&written, 30, Cuts::Breaks, &Likeness::Vectors(vectors));
        assert_eq!(cut, [0..4, 4..8]);
    }

    proptest! {
        #[test]
        fn segments_part_the_conversation(
            sizes in prop::collection::vec((1_u64..40, any::<bool>()), 0..40),
            size in 1_u64..80,
        ) {
            let written = said(&sizes);
            for cuts in [Cuts::Greedy, Cuts::Turns, Cuts::Breaks] {
                let segments = cut(&written, size, cuts);
                let flat: Vec<usize> = segments.iter().cloned().flatten().collect();
                prop_assert_eq!(flat, (0..sizes.len()).collect::<Vec<_>>());
                for segment in segments {
                    let sum: u64 = written[segment.clone()].iter().map(|own| own.tokens).sum();
                    prop_assert!(sum <= size || segment.len() == 1);
                }
            }
        }
    }
}

//! The source side of a ledger: messages as text with their facts marked.

use crate::view::context::block_text;
use palimpsest_core::ledger::{FactStatus, Ledger, SourcePlace};
use palimpsest_core::{Block, Message};
use palimpsest_ledger::SpanItem;
use std::collections::HashMap;
use std::ops::Range;

/// A text longer than this is shown in the stretches around its facts only, in bytes.
const LONG_TEXT: usize = 1_600;
/// Shown before and after a fact in a long text, in bytes.
const AROUND: usize = 240;
/// A stretch ends at the end of a word, unless the word is longer than this, in bytes.
const LONGEST_WORD: usize = 40;

/// A marked range of an item's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceMark {
    /// Byte range in [`MarkedItem::text`].
    pub range: Range<usize>,
    /// The fact.
    pub fact: usize,
    /// Its status.
    pub status: FactStatus,
}

/// A message of the span as text, its facts marked in order, not overlapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedItem {
    /// The text; what is left out is said in brackets.
    pub text: String,
    /// The marks.
    pub marks: Vec<SourceMark>,
}

/// A place, the number of the fact that stands there, and its status.
type PlacedFact<'a> = (&'a SourcePlace, usize, FactStatus);

/// Where facts stand, by message: made once per ledger page.
pub struct FactPlaces<'a> {
    by_message: HashMap<(u32, usize), Vec<PlacedFact<'a>>>,
}

impl<'a> FactPlaces<'a> {
    /// The places of a ledger's facts.
    pub fn new(ledger: &'a Ledger) -> FactPlaces<'a> {
        let mut by_message: HashMap<_, Vec<_>> = HashMap::new();
        for (fact_number, fact) in ledger.facts.iter().enumerate() {
            for place in &fact.places {
                let key = (place.entry.0, place.message);
                by_message
                    .entry(key)
                    .or_default()
                    .push((place, fact_number, fact.status));
            }
        }
        FactPlaces { by_message }
    }
}

/// The text of one item with its marks.
pub fn marked_item(item: &SpanItem<'_>, places: &FactPlaces<'_>) -> MarkedItem {
    let (text, starts) = joined(item.message);
    let mut marks: Vec<SourceMark> = places
        .by_message
        .get(&(item.entry.0, item.message_index))
        .into_iter()
        .flatten()
        .filter_map(|&(place, fact, status)| {
            let start = *starts.get(place.block)?;
            let range = start + place.range.start..start + place.range.end;
            text.get(range.clone())?;
            Some(SourceMark {
                range,
                fact,
                status,
            })
        })
        .collect();
    // The longest fact at a place is shown; shorter ones inside it are in the list of facts.
    marks.sort_by_key(|mark| (mark.range.start, usize::MAX - mark.range.end));
    let mut end = 0;
    marks.retain(|mark| {
        let free = mark.range.start >= end && !mark.range.is_empty();
        if free {
            end = mark.range.end;
        }
        free
    });
    if text.len() > LONG_TEXT {
        shortened(&text, &marks)
    } else {
        MarkedItem { text, marks }
    }
}

/// The blocks as one text, and where each block's own text begins in it.
fn joined(message: &Message) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut starts = Vec::with_capacity(message.blocks.len());
    let is_record = |block: &Block| matches!(block, Block::Opaque { .. });
    let says_more = !message.blocks.iter().all(is_record);
    for block in &message.blocks {
        // A record of the agent's own (OpenCode's `step-start`) has no facts and tells a reader nothing.
        if says_more && is_record(block) {
            starts.push(text.len());
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let inside = match block {
            // Places are counted in the arguments, which begin behind the name and a bracket.
            Block::ToolCall { name, .. } => name.len() + 1,
            _ => 0,
        };
        starts.push(text.len() + inside);
        match block {
            Block::Opaque { kind, .. } => text.push_str(&format!("[{kind}]")),
            _ => text.push_str(&block_text(block)),
        }
    }
    (text, starts)
}

fn shortened(text: &str, marks: &[SourceMark]) -> MarkedItem {
    let beginning = 0..word_end(text, boundary(text, AROUND));
    let mut windows: Vec<Range<usize>> = Vec::from([beginning]);
    for mark in marks {
        let start = boundary(text, mark.range.start.saturating_sub(AROUND));
        let start = word_start(text, start, mark.range.start);
        let end = boundary(text, (mark.range.end + AROUND).min(text.len()));
        let end = word_end(text, end);
        match windows.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => windows.push(start..end),
        }
    }
    let mut out = String::new();
    let mut shown = Vec::with_capacity(marks.len());
    let mut at = 0;
    for window in windows {
        gap(&mut out, &text[at..window.start]);
        let shift = |byte: usize| byte - window.start + out.len();
        shown.extend(
            marks
                .iter()
                .filter(|m| window.contains(&m.range.start))
                .map(|mark| SourceMark {
                    range: shift(mark.range.start)..shift(mark.range.end),
                    ..mark.clone()
                }),
        );
        out.push_str(&text[window.clone()]);
        at = window.end;
    }
    gap(&mut out, &text[at..]);
    MarkedItem {
        text: out,
        marks: shown,
    }
}

fn gap(out: &mut String, left_out: &str) {
    if !left_out.is_empty() {
        let characters = left_out.chars().count();
        out.push_str(&format!("\n[… {characters} characters without facts …]\n"));
    }
}

/// Where a word begins at or soon behind `at`, not behind `most`; else `at`.
fn word_start(text: &str, at: usize, most: usize) -> usize {
    if at == 0 {
        return at;
    }
    let ahead = &text[at..boundary(text, most.min(at + LONGEST_WORD)).max(at)];
    match ahead.char_indices().find(|(_, c)| c.is_whitespace()) {
        Some((space, c)) => at + space + c.len_utf8(),
        None => at,
    }
}

/// Where a word ends at or soon behind `at`; else `at`.
fn word_end(text: &str, at: usize) -> usize {
    let ahead = &text[at..boundary(text, at + LONGEST_WORD).max(at)];
    match ahead.find(char::is_whitespace) {
        Some(space) => at + space,
        None if at + LONGEST_WORD >= text.len() => text.len(),
        None => at,
    }
}

/// The nearest character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(range: Range<usize>) -> SourceMark {
        SourceMark {
            range,
            fact: 0,
            status: FactStatus::Dropped,
        }
    }

    #[test]
    fn a_long_text_keeps_its_facts_and_says_what_is_left_out() {
        let text = format!("{}needle{}", "é".repeat(3_000), "ü".repeat(3_000));
        let marks = [mark(6_000..6_006)];
        let short = shortened(&text, &marks);
        assert_eq!(&short.text[short.marks[0].range.clone()], "needle");
        assert!(short.text.len() < 2_000, "still {} bytes", short.text.len());
        assert_eq!(short.text.matches("characters without facts").count(), 2);
    }

    #[test]
    fn a_long_text_is_cut_between_words() {
        let text = format!("{}needle {}", "lorem ".repeat(500), "ipsum ".repeat(500));
        let marks = [mark(3_000..3_006)];
        let short = shortened(&text, &marks);
        assert_eq!(&short.text[short.marks[0].range.clone()], "needle");
        let whole = [
            "lorem",
            "needle",
            "ipsum",
            "characters",
            "without",
            "facts",
            "[\u{2026}",
            "\u{2026}]",
        ];
        let cut = short
            .text
            .split_whitespace()
            .find(|word| !whole.contains(word) && word.parse::<usize>().is_err());
        assert_eq!(cut, None, "{}", short.text);
    }
}

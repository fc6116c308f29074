//! What the items of a summary are collected in, and how texts are quoted.

use crate::offline::extractive::page::{self, Item};
use crate::offline::extractive::previous::Slot;
use crate::offline::extractive::relevance::Focus;
use crate::offline::extractive::story::{Story, Turn};
use palimpsest_ledger::{errors, pasted, prose, words};

/// Longest quotation in UTF-16 units, for one sentence and for a whole request.
// Our choice, without a measurement: about 70 and 150 tokens by pi's estimate.
pub const SENTENCE_UNITS: u64 = 280;
/// See [`SENTENCE_UNITS`].
pub const REQUEST_UNITS: u64 = 600;

/// Most items taken per heading and source, before the budget chooses among them.
// 60 quotations of 280 units are 4,200 tokens, twice the usual budget of a whole summary.
pub const MAX_EACH: usize = 60;

/// How much an item about all of the instructions' words gains over its own weight.
// Our choice: with all words in it an item weighs three times as much, so a decision (26)
// precedes a demand (60).
const FOCUS_GAIN: f64 = 2.0;

/// Labels of items that are rewritten each time and replace those of the previous summary.
pub const STATE_LABELS: [&str; 10] = [
    "Last actions:",
    "Where it stands:",
    "Latest request:",
    "Last checks:",
    "Go on with:",
    "Waiting for an answer",
    "Paths are below",
    "Not answered yet:",
    "Worked on, not reported:",
    "See what is left of:",
];

/// Order of items from the previous summary: before everything new.
// Behind the first next steps.
pub const BEFORE: usize = 10;

/// Items while they are collected.
pub struct Collector<'a> {
    /// The items so far.
    pub items: Vec<Item>,
    /// What the instructions ask for.
    pub focus: &'a Focus,
    /// Number of items of the span, 1 at least.
    pub len: usize,
}

impl Collector<'_> {
    /// Adds an item; an empty text is none.
    pub fn add(&mut self, slot: Slot, text: String, weight: f64, order: usize, may_cut: bool) {
        if text.is_empty() {
            return;
        }
        let weight = weight * (1.0 + FOCUS_GAIN * self.focus.share(&text));
        self.items.push(Item {
            slot,
            text,
            weight,
            order,
            may_cut,
        });
    }

    /// New items stand behind the previous summary's, in order of the span.
    pub fn at(&self, item: usize) -> usize {
        // A summary of 2,000 tokens has 8,000 units and fewer items than that.
        10_000 + item
    }

    /// 0.5 for the oldest item to 1 for the newest.
    pub fn recency(&self, item: usize) -> f64 {
        // Not below a half, so that age alone never turns the order of two kinds around of which
        // one weighs twice as much as the other.
        0.5 + 0.5 * (item as f64 + 1.0) / self.len as f64
    }
}

/// The person's own words on one line; of a message that is nothing but pasted, its first line
/// and that it was pasted.
pub fn in_own_words(ask: &str, units: u64) -> String {
    let line = own_line(ask);
    // Of a message that begins with what was pasted a few lines look like words of the person.
    let begins = pasted::own_words(ask)
        .first()
        .is_some_and(|range| ask[..range.start].trim().is_empty());
    if line.is_empty() || (!begins && 3 * line.len() < ask.len()) {
        let told = ask.lines().map(str::trim);
        let mut told =
            told.filter(|line| !line.starts_with("```") && line.chars().any(char::is_alphanumeric));
        let first = told.next().unwrap_or(ask.trim());
        // What was pasted is mostly a failure: its lines of errors tell which.
        let errors = errors::error_lines(ask, true).into_iter();
        let errors = errors.map(|range| words::one_line(&ask[range], 160));
        // A line without a place or a cause may be words that somebody printed.
        let errors = errors.filter(|line| line != first && line.contains(':'));
        let errors = errors.take(PASTED_ERRORS);
        let all: Vec<String> = std::iter::once(first.to_owned()).chain(errors).collect();
        return page::cut(&format!("(pasted) {}", all.join("; ")), units);
    }
    page::cut(&line, units)
}

/// Most lines of errors quoted from a pasted message.
const PASTED_ERRORS: usize = 3;

fn own_line(ask: &str) -> String {
    let own: Vec<&str> = pasted::own_words(ask)
        .into_iter()
        .flat_map(|range| ask[range].split_whitespace())
        .collect();
    own.join(" ")
}

/// Most words of a message that is told with the question it answers.
const SHORT_WORDS: usize = 7;

/// What a message asks for, with the question it answers where it is short.
pub fn asked(turn: &Turn, units: u64) -> String {
    let own = in_own_words(&turn.ask, units);
    match &turn.answers {
        Some(question) if own.split_whitespace().count() <= SHORT_WORDS => page::cut(
            &format!("{own} (the answer to: {question})"),
            units.max(200),
        ),
        _ => own,
    }
}

/// A sentence on one line, cut to a quotation.
pub fn quote(text: &str) -> String {
    page::cut(
        &text.split_whitespace().collect::<Vec<_>>().join(" "),
        SENTENCE_UNITS,
    )
}

/// The turns in which the person asks for something.
pub fn asks(story: &Story) -> Vec<&Turn> {
    let all = story.turns.iter();
    all.filter(|turn| is_asking(turn)).collect()
}

/// True for a message that asks for something: also "yes" does, where it answers a question.
pub fn is_asking(turn: &Turn) -> bool {
    (prose::says_something(&turn.ask) && wants(&turn.ask))
        || (turn.answers.is_some() && !turn.ask.trim().is_empty())
}

/// False for "sounds good, do it": what is agreed to stands elsewhere.
fn wants(ask: &str) -> bool {
    let own = own_line(ask);
    own.is_empty() || !prose::only_agrees(&own)
}

/// The count as a word.
pub fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// The first sentences that say something, up to `units`, without headings and code.
pub fn first_sentences(text: &str, units: u64) -> Option<String> {
    first_sentences_but(text, units, |_| false)
}

/// The same without the sentences that another section holds.
pub fn first_sentences_but(
    text: &str,
    units: u64,
    elsewhere: impl Fn(&str) -> bool,
) -> Option<String> {
    let mut out = String::new();
    for range in words::prose(text) {
        let prose = &text[range];
        for sentence in words::sentences(prose) {
            let sentence = prose[sentence]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            // Data is no sentence, and what leads up to a call or a list tells nothing alone.
            let is_data = sentence.starts_with(['{', '[', '<', '|']);
            if !prose::says_something(&sentence)
                || is_data
                || sentence.ends_with(':')
                || elsewhere(&sentence)
            {
                continue;
            }
            if out.is_empty() {
                out = page::cut(&sentence, units);
                continue;
            }
            let longer = format!("{out} {sentence}");
            if palimpsest_core::json::utf16_len(&longer) > units {
                return Some(out);
            }
            out = longer;
        }
    }
    (!out.is_empty()).then_some(out)
}

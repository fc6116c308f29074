//! What a saying leans on, shown behind it so that a fact can be read alone: the sentence before one that
//! begins with "this", the lead of a list whose item says little, the question that a short answer answers.

use crate::candidate::Candidate;
use crate::{prose, slight, words};
use palimpsest_core::ledger::FactKind;
use std::ops::Range;

/// First words of a sentence that speaks of the one before it.
#[rustfmt::skip]
const POINTING: &[&str] = &[
    "this", "that", "these", "those", "it", "they", "both", "which", "that's", "it's", "this'll", "they're",
];

/// Farthest the sentence before ends in front of such a sentence, in bytes: further up something else is meant.
const REACH_BYTES: usize = 40;

/// Longest text shown behind a saying, in bytes.
const MAX_LEAD_BYTES: usize = 200;

/// Most content words of an item that does not say what it is an item of. Of the judged facts that nobody
/// understood alone a third were such items.
const ITEM_WORDS: usize = 8;

/// The same of an item below another one, which says what it is about.
const INNER_WORDS: usize = 16;

/// Most content words of an answer that is shown with its question.
const ANSWER_WORDS: usize = 3;

/// Words of a prompt that mean something said before it, wherever they stand.
#[rustfmt::skip]
const MEANING_ABOVE: &[&str] = &[
    "this", "these", "those", "it", "they", "them", "it's", "that's", "here", "which", "again", "same",
];

/// Most words of a prompt that is shown with what it answers because it means that.
const LEANING_WORDS: usize = 25;

/// Lines above an item in which the lead of its list is looked for.
const MAX_LINES: usize = 40;

/// What the saying at `range` leans on, with the word that says how; `sentences` are those of `text`.
pub(crate) fn lead_of(
    text: &str,
    sentences: &[Range<usize>],
    range: &Range<usize>,
) -> Option<String> {
    if let Some(lead) = lead_of_item(text, range) {
        return Some(lead);
    }
    let saying = &text[range.clone()];
    let first = saying.split_whitespace().next()?.to_lowercase();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
    if !POINTING.contains(&first.replace('’', "'").as_str()) {
        return None;
    }
    let nth = sentences.partition_point(|sentence| sentence.end <= range.start);
    let before = sentences.get(nth.checked_sub(1)?)?;
    let near = range.start - before.end <= REACH_BYTES;
    (near && !text[before.clone()].starts_with('|'))
        .then(|| format!("after: {}", shortened(&text[before.clone()])))
}

/// The sentence before one of the user's that means something said there ("Can you add a test for this?").
pub(crate) fn before_in_prompt(
    text: &str,
    sentences: &[Range<usize>],
    range: &Range<usize>,
) -> Option<String> {
    let nth = sentences.partition_point(|sentence| sentence.end <= range.start);
    let before = sentences.get(nth.checked_sub(1)?)?;
    let between = &text[before.end..range.start];
    let near = between.trim().is_empty() && !between.contains("\n\n");
    let says = words::content_words(&text[before.clone()]).len() >= TELLING_WORDS;
    let own = &text[range.clone()];
    let padded = prose::spaced(own);
    let goes_on = CONTINUING.iter().any(|word| padded[1..].starts_with(word));
    (near && says && (goes_on || means_what_is_above(own) && stands_for_something(own)))
        .then(|| format!("after: {}", shortened(&text[before.clone()])))
}

/// Words that stand for something said before.
const PRONOUNS: [&str; 5] = ["it", "it's", "they", "them", "that's"];

/// Words that do so where no noun follows ("a test for this", but not "complete this task").
const DEMONSTRATIVES: [&str; 3] = ["this", "these", "those"];

/// Words behind these that are no noun.
#[rustfmt::skip]
const BEHIND: &[&str] = &[
    "is", "are", "was", "were", "in", "on", "at", "to", "for", "and", "or", "but", "with", "by", "as", "so", "if", "when",
    "too", "not", "more", "properly", "happen", "happens", "work", "works", "fail", "fails", "doesn't", "isn't", "now",
    "again", "first", "then", "please", "should", "would", "could", "can", "will", "does", "has", "have",
];

/// True for a sentence with a word that stands for something said before.
fn stands_for_something(sentence: &str) -> bool {
    let padded = prose::spaced(sentence);
    let mut words = padded.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let alone = words.peek().is_none_or(|next| BEHIND.contains(next));
        if PRONOUNS.contains(&word) || DEMONSTRATIVES.contains(&word) && alone {
            return true;
        }
    }
    false
}

/// First words of a sentence that says more of what the one before it speaks of.
const CONTINUING: [&str; 4] = ["each ", "otherwise ", "likewise ", "similarly "];

/// Fewest content words of a sentence that says what another one means.
const TELLING_WORDS: usize = 3;

/// The lead of the list in which an item that says little stands.
pub(crate) fn lead_of_item(text: &str, range: &Range<usize>) -> Option<String> {
    let line = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    if !is_mark(text[line..range.start].trim()) {
        return None;
    }
    let length = words::content_words(&text[range.clone()]).len();
    if length > INNER_WORDS {
        return None;
    }
    let depth = depth(&text[line..]);
    let above = text[..line].lines().rev().take(MAX_LINES);
    for line in above.filter(|line| !line.trim().is_empty()) {
        let own = self::depth(line);
        let content = line.trim();
        let mark = content.split_whitespace().next().unwrap_or_default();
        let is_item = is_mark(mark);
        if own > depth || is_item && own == depth {
            continue;
        }
        let body = if is_item {
            content[mark.len()..].trim()
        } else {
            content
        };
        let leads = is_item || body.starts_with('#') || body.ends_with([':', '*', '?']);
        if !is_item && length > ITEM_WORDS {
            return None;
        }
        let last = words::sentences(body).pop().unwrap_or_default();
        let lead = shortened(body[last].trim_start_matches('#'));
        let lead = lead.trim_end_matches([':', '.', ' ']);
        return (leads && !lead.is_empty()).then(|| format!("under: {lead}"));
    }
    None
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// True for the mark in front of an item, with what emphasizes its text.
fn is_mark(text: &str) -> bool {
    let bare = text.trim_end_matches(['*', '`', '"', ' ']);
    let number = bare.trim_end_matches(['.', ')']);
    matches!(text.split_whitespace().next(), Some("-" | "*" | "•" | "+"))
        || number.len() < bare.len()
            && !number.is_empty()
            && number.len() <= 3
            && (number.bytes().all(|b| b.is_ascii_digit())
                || number.len() == 1 && bare.ends_with(')'))
}

fn shortened(text: &str) -> String {
    words::one_line(&words::without_markup(text.trim()), MAX_LEAD_BYTES)
}

/// True for a prompt that names nothing and means something said before it ("why does this work, or doesn't it?").
pub(crate) fn means_what_is_above(prompt: &str) -> bool {
    let padded = prose::spaced(prompt);
    let mut words = padded.split_whitespace();
    words.clone().count() <= LEANING_WORDS
        && !slight::is_specific(prompt)
        && words.any(|word| MEANING_ABOVE.contains(&word))
}

/// The text of a fact as it is shown, with the fact's own words where something stands beside them.
pub(crate) fn shown(fact: &Candidate) -> (String, Option<String>) {
    let own = &fact.text;
    let question = fact.details.answers.as_ref();
    let text = match (question, &fact.lead) {
        (Some(question), _)
            if fact.kind != FactKind::Decision
                && (words::content_words(own).len() <= ANSWER_WORDS
                    || means_what_is_above(own)) =>
        {
            format!("{own} (reply to: {question})")
        }
        // That it is left to do says what it is an item of.
        (_, Some(lead)) if fact.kind != FactKind::Todo => format!("{own} ({lead})"),
        _ => return (own.clone(), None),
    };
    (text, Some(own.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(text: &str, saying: &str) -> Option<String> {
        let start = text.find(saying)?;
        let sentences = crate::prose::sentences_of(text, &words::prose(text));
        lead_of(text, &sentences, &(start..start + saying.len()))
    }

    #[test]
    fn a_sentence_that_points_is_shown_with_the_one_before() {
        let text = "The reader drops empty rows. This makes the count wrong.\n\nIt is 4 rows.";
        let found = lead(text, "This makes the count wrong.");
        assert_eq!(
            found.as_deref(),
            Some("after: The reader drops empty rows.")
        );
        assert_eq!(lead(text, "The reader drops empty rows."), None);
    }

    #[test]
    fn a_short_item_is_shown_with_the_lead_of_its_list() {
        let text = "## Tests worth adding\n\n1. **Empty rows** - most value\n2. Old index - low value\n   - slow\n\n\
                    Plain words.\n- and an item below them";
        let found = lead(text, "Old index - low value");
        assert_eq!(found.as_deref(), Some("under: Tests worth adding"));
        let found = lead(text, "slow");
        assert_eq!(found.as_deref(), Some("under: Old index - low value"));
        assert_eq!(lead(text, "and an item below them"), None);
    }

    #[test]
    fn what_stands_for_something_is_told_from_what_names_it() {
        for (sentence, is) in [
            ("Can you add a test for this?", true),
            ("Is this in the table?", true),
            ("Please fix it.", true),
            ("You need the reader to complete this task.", false),
            ("Any other ideas here?", false),
        ] {
            assert_eq!(stands_for_something(sentence), is, "{sentence}");
        }
    }

    #[test]
    fn a_long_item_says_what_it_is() {
        let text = "Findings:\n- the importer keeps broken rows of old tables in memory until the whole index is read";
        assert_eq!(lead(text, &text[12..]), None);
    }
}

//! What may stand for a word of a search: other forms, near spellings, the word parted or joined with
//! the next one.

use palimpsest_store::index::Field;
use palimpsest_store::index::terms::{each_term, terms};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The shortest beginning of a word that is worth a search.
const SHORTEST_STEM: usize = 4;
/// The shortest part of a word that is taken for two.
const SHORTEST_PART: usize = 3;
/// Longer words are no two.
const LONGEST_PARTED: usize = 30;
/// Endings of the forms of an English word, the longest first.
const ENDINGS: [&str; 21] = [
    "ations", "ation", "ators", "ments", "ator", "ings", "ment", "able", "ing", "ies", "ied",
    "ion", "ers", "ors", "ed", "er", "es", "or", "ly", "e", "s",
];

/// Filters with words of entries as their values, which may be misspelled as texts may.
const FILTERS_OF_WORDS: [(&str, Field); 3] = [
    ("tool:", Field::Tool),
    ("cmd:", Field::Command),
    ("file:", Field::File),
];

/// The filter that a piece is, its name with the colon, and its value.
pub(super) fn filter_of(piece: &str) -> Option<(Field, &str, &str)> {
    let is_filter = |(name, _): &&(&str, Field)| {
        let start = piece.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let (name, field) = FILTERS_OF_WORDS.iter().find(is_filter)?;
    let (name, value) = piece.split_at(name.len());
    Some((*field, name, value))
}

/// The words of a piece that may be misspelled: those of text that must be there, and those of a
/// filter, each as a filter.
pub(super) fn words_of(piece: &str) -> Vec<String> {
    if piece.starts_with(['-', '"']) || piece.ends_with('*') {
        return Vec::new();
    }
    match filter_of(piece) {
        Some((_, _, value)) if value.contains('"') => Vec::new(),
        Some((_, name, value)) => {
            let words = terms(value).into_iter();
            words.map(|word| format!("{name}{word}")).collect()
        }
        None if piece.contains(':') => Vec::new(),
        None => terms(piece),
    }
}

/// A piece with another word in the place of one of its own that is in no entry.
pub(super) fn similar_pieces(piece: &str, similar: &HashMap<String, Vec<String>>) -> Vec<String> {
    let mut all = Vec::new();
    if words_of(piece).is_empty() {
        return all;
    }
    let (name, value) = filter_of(piece).map_or(("", piece), |(_, name, value)| (name, value));
    each_term(value, |place, term| {
        for other in similar.get(&format!("{name}{term}")).into_iter().flatten() {
            let (before, after) = (&value[..place.start], &value[place.end..]);
            all.push(format!("{name}{before}{other}{after}"));
        }
        ControlFlow::Continue(())
    });
    all
}

/// What may stand for a piece, the nearest first: other forms of a word, the words of a phrase, what
/// agents do not mark as an error.
pub(super) fn forms_of(piece: &str) -> Vec<String> {
    if piece.starts_with('-') {
        return Vec::new();
    }
    match piece.to_lowercase().as_str() {
        "kind:error" | "kind:errors" => return vec!["kind:failed-test".to_owned()],
        "has:error" | "has:errors" => return vec!["has:failed-test".to_owned()],
        _ => {}
    }
    if let Some(phrase) = piece.strip_prefix('"') {
        let words = phrase.trim_end_matches('"').trim();
        let plain = words
            .split_whitespace()
            .all(|word| !word.contains(':') && !word.starts_with('-'));
        let several = terms(words).len() > 1 && words.contains(char::is_whitespace) && plain;
        return Vec::from_iter(several.then(|| words.to_owned()));
    }
    let is_word = piece.chars().all(char::is_alphanumeric) && terms(piece).len() == 1;
    if !is_word || piece.chars().count() < SHORTEST_STEM {
        return Vec::new();
    }
    let mut forms = vec![format!("{piece}*")];
    let lower = piece.to_lowercase();
    let ending = ENDINGS.iter().find(|ending| lower.ends_with(**ending));
    if let Some(ending) = ending
        && lower.len() - ending.len() >= SHORTEST_STEM
    {
        // The same letters end the lower case and the piece: endings are ASCII.
        let stem = &piece[..piece.len() - ending.len()];
        forms.push(format!("{}*", undoubled(stem)));
    }
    forms
}

/// A word as two, in lower or upper case as it is written: at the capital letters inside it, else at
/// every place.
pub(super) fn parted(piece: &str) -> Vec<String> {
    let letters = piece.chars().count();
    let is_word = piece.chars().all(char::is_alphabetic) && piece.is_ascii();
    if !is_word || !(2 * SHORTEST_PART..=LONGEST_PARTED).contains(&letters) {
        return Vec::new();
    }
    let capital = |at: &usize| {
        let bytes = piece.as_bytes();
        bytes[*at].is_ascii_uppercase() && bytes[*at - 1].is_ascii_lowercase()
    };
    let capitals: Vec<usize> = (1..letters).filter(capital).collect();
    if !capitals.is_empty() {
        let ends = capitals.iter().copied().chain([letters]);
        let starts = [0].into_iter().chain(capitals.iter().copied());
        let words: Vec<&str> = starts.zip(ends).map(|(a, b)| &piece[a..b]).collect();
        return vec![words.join(" ")];
    }
    // Halves first: names are mostly parted near their middle.
    let mut places: Vec<usize> = (SHORTEST_PART..=letters - SHORTEST_PART).collect();
    places.sort_by_key(|at| at.abs_diff(letters / 2));
    let words = places.into_iter().map(|at| piece.split_at(at));
    words.map(|(one, other)| format!("{one} {other}")).collect()
}

/// Two words as one.
pub(super) fn joined(first: &str, second: &str) -> Option<String> {
    let is_word = |piece: &str| piece.len() >= 2 && piece.chars().all(char::is_alphabetic);
    (is_word(first) && is_word(second)).then(|| format!("{first}{second}"))
}

/// A stem without the last of two equal consonants: `committ` of `committed` is `commit`.
fn undoubled(stem: &str) -> &str {
    let mut last = stem.chars().rev();
    let (Some(one), Some(other)) = (last.next(), last.next()) else {
        return stem;
    };
    let is_consonant = one.is_ascii_alphabetic() && !"aeiou".contains(one.to_ascii_lowercase());
    let shorter = &stem[..stem.len() - one.len_utf8()];
    if is_consonant && one == other && shorter.len() >= SHORTEST_STEM {
        shorter
    } else {
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_a_piece() {
        for (piece, expected) in [
            ("decided", vec!["decided*", "decid*"]),
            ("migrate", vec!["migrate*", "migrat*"]),
            ("committed", vec!["committed*", "commit*"]),
            ("uses", vec!["uses*"]),
            ("\"retry queue\"", vec!["retry queue"]),
            ("\"retry\"", vec![]),
            ("kind:error", vec!["kind:failed-test"]),
            ("-draft", vec![]),
            ("src/a.rs", vec![]),
            ("log", vec![]),
            ("ÄNDERUNGEN", vec!["ÄNDERUNGEN*"]),
        ] {
            assert_eq!(forms_of(piece), expected, "{piece}");
        }
    }
}

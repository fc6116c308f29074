//! Letters and numbers that tell things of one kind apart: file A, approach B, step 3.

use crate::words::raw_words;
use std::collections::HashMap;
use std::collections::HashSet;

/// Longer numbers are names or measurements.
const MOST_DIGITS: usize = 3;

/// The labels of a text by the word before them, in lower case.
fn of(text: &str) -> HashMap<String, HashSet<&str>> {
    let mut found: HashMap<String, HashSet<&str>> = HashMap::new();
    let mut before: Option<&str> = None;
    let mut end = 0;
    for range in raw_words(text) {
        let word = &text[range.clone()];
        let gap = &text[end..range.start];
        end = range.end;
        // A number behind a `#` is a name of its own.
        let stands_behind = matches!(gap, " " | "-");
        if let Some(noun) = before.filter(|_| stands_behind && is_label(word)) {
            found.entry(noun.to_lowercase()).or_default().insert(word);
        }
        before = word
            .bytes()
            .all(|b| b.is_ascii_alphabetic())
            .then_some(word);
    }
    found
}

/// A capital letter that is no pronoun, or a short number.
fn is_label(word: &str) -> bool {
    let is_letter = word.len() == 1 && word != "I" && word.bytes().all(|b| b.is_ascii_uppercase());
    let is_number = word.len() <= MOST_DIGITS && word.bytes().all(|b| b.is_ascii_digit());
    is_letter || is_number
}

/// True where two texts label the same noun, and none of the labels of one stands in the other: they
/// tell of different things.
pub(crate) fn differ(one: &str, other: &str) -> bool {
    let ours = of(one);
    if ours.is_empty() {
        return false;
    }
    let theirs = of(other);
    ours.iter().any(|(noun, labels)| {
        theirs
            .get(noun)
            .is_some_and(|there| labels.is_disjoint(there))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_labelled_otherwise_is_another_thing() {
        assert!(differ("Read long file A.", "Read long file C."));
        assert!(differ("Do step 3 next.", "- step 4: done"));
        assert!(differ("Start phase 2", "phase 1 is done"));
    }

    #[test]
    fn the_same_label_or_none_is_no_difference() {
        assert!(!differ("Read long file A.", "Read files A and B"));
        assert!(!differ("Read long file A.", "file B, then file A"));
        assert!(!differ("Read long file A.", "I read the long file"));
        assert!(!differ("Should I do it?", "Should A do it?"));
        assert!(!differ("port 8080", "port 9090"));
        assert!(!differ("The goal (summary #3)", "The goal (summary #4)"));
    }
}

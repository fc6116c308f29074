//! Letters and numbers that tell things of one kind apart: file A, approach B, step 3.

use crate::words::raw_words;

/// Longer numbers are names or measurements.
const MOST_DIGITS: usize = 3;

/// The labels of a text with the words before them.
pub(crate) struct Labels<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Labels<'t> {
    /// Reads the labels of `text`.
    pub fn of(text: &'t str) -> Labels<'t> {
        Labels(labels(text))
    }

    /// True if both texts label the same noun and share no label of it: they are about different things.
    /// Most texts have no label; `other` is then not read.
    pub fn differ(&self, other: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let theirs = labels(other);
        let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        self.0.iter().any(|(noun, _)| {
            let ours = || self.0.iter().filter(|(own, _)| same(own, noun));
            let mut there = theirs.iter().filter(|(own, _)| same(own, noun)).peekable();
            there.peek().is_some() && there.all(|(_, label)| ours().all(|(_, own)| own != label))
        })
    }
}

fn labels(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut before: Option<&str> = None;
    let mut end = 0;
    for range in raw_words(text) {
        let word = &text[range.clone()];
        let gap = &text[end..range.start];
        end = range.end;
        // A number behind a `#` is a name of its own.
        let stands_behind = matches!(gap, " " | "-");
        if let Some(noun) = before.filter(|_| stands_behind && is_label(word)) {
            found.push((noun, word));
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

/// True where two texts label one noun differently (see [`Labels::differ`]).
pub(crate) fn differ(one: &str, other: &str) -> bool {
    Labels::of(one).differ(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_labelled_otherwise_is_another_thing() {
        assert!(differ("Read long file A.", "Read long file C."));
        assert!(differ("Do step 3 next.", "- step 4: done"));
        assert!(differ("Start phase 2", "phase 1 is done"));
        assert!(differ("File A failed", "file B works"));
        assert!(differ("file A, step 1", "file A, step 2"));
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

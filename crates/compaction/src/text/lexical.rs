//! How alike texts are, by their words: TF-IDF over content words, where an identifier counts as
//! a whole and by its parts (`parseHeader` as `parse` and `header`, paths by their segments).

use palimpsest_ledger::words;
use std::collections::{BTreeMap, BTreeSet};

/// The terms of a text, each once, in order of the alphabet.
pub fn terms(text: &str) -> BTreeSet<String> {
    all_terms(text).into_iter().collect()
}

/// The terms of a text as often as they occur.
pub(crate) fn all_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for range in words::raw_words(text) {
        let word = &text[range];
        terms.extend(words::content_word(&word.to_lowercase()));
        let parts = identifier_parts(word);
        if parts.len() > 1 {
            let parts = parts.iter().map(|part| part.to_lowercase());
            terms.extend(parts.filter_map(|part| words::content_word(&part)));
        }
    }
    terms
}

/// The words of a text in small letters, in order; an identifier gives its parts.
pub fn plain_words(text: &str) -> impl Iterator<Item = String> {
    let parts = words::raw_words(text).flat_map(|range| identifier_parts(&text[range]));
    parts.map(str::to_lowercase)
}

/// The identifiers of a text, each once: words of several parts, in small letters and joined by
/// `_` however they were written, and names of files.
pub fn identifiers(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for range in words::raw_words(text) {
        let parts = identifier_parts(&text[range]);
        if parts.len() > 1 {
            found.insert(parts.join("_").to_lowercase());
        }
    }
    let is_around = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;=|".contains(c);
    for word in text.split(is_around) {
        let word = word.trim_matches(|c: char| matches!(c, '.' | ':' | '!' | '?' | '*'));
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        // `mod.rs:7` names a line of it.
        let name = name.split(':').next().unwrap_or(name);
        if is_file_name(name) {
            found.insert(name.to_lowercase());
        }
    }
    found
}

/// True for a name of two characters and more with an extension: a letter, then at most three letters or digits (`h`, `rs`,
/// `mp3`, `json`).
fn is_file_name(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_word = |c: char| words::is_word_char(c) || matches!(c, '-' | '.');
        stem.len() > 1
            && stem.chars().any(char::is_alphabetic)
            && stem.chars().all(is_word)
            && (1..=4).contains(&extension.len())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// `parseHeader_now` as `parse`, `Header`, `now`.
fn identifier_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut was_lower = false;
    for (at, c) in word.char_indices() {
        let hump = c.is_uppercase() && was_lower;
        if matches!(c, '_' | '-' | '/' | '.' | ':') || hump {
            parts.push(&word[start..at]);
            start = if hump { at } else { at + c.len_utf8() };
        }
        was_lower = c.is_lowercase();
    }
    parts.push(&word[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Texts as weighted terms, weighted against each other.
#[derive(Debug, Clone, Default)]
pub struct Lexicon {
    texts: Vec<BTreeSet<String>>,
    /// In how many texts each term is.
    having: BTreeMap<String, usize>,
}

/// A weighted bag of terms.
pub type Vector = BTreeMap<String, f64>;

impl Lexicon {
    /// Reads the texts.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Lexicon {
        let texts: Vec<BTreeSet<String>> = texts.into_iter().map(terms).collect();
        let mut having = BTreeMap::new();
        for term in texts.iter().flatten() {
            *having.entry(term.clone()).or_default() += 1;
        }
        Lexicon { texts, having }
    }

    /// The vector of some of the texts together: a term weighs the number of texts that have it
    /// times ln((1 + N) / (1 + n)) + 1, where n of all N texts have it.
    pub fn vector(&self, texts: std::ops::Range<usize>) -> Vector {
        // Sorted: sums of floats depend on their order, which must not be a hash map's.
        let mut vector = Vector::new();
        for term in self.texts[texts].iter().flatten() {
            *vector.entry(term.clone()).or_default() += 1.0;
        }
        for (term, weight) in &mut vector {
            let having = self.having.get(term).copied().unwrap_or_default();
            *weight *= rarity(self.texts.len(), having);
        }
        vector
    }
}

/// The weight of a term that `having` of all `count` texts have.
pub(crate) fn rarity(count: usize, having: usize) -> f64 {
    ((1.0 + count as f64) / (1.0 + having as f64)).ln() + 1.0
}

/// The cosine of the angle between two vectors, 0 to 1; 0 when one of them is empty.
pub fn cosine(a: &Vector, b: &Vector) -> f64 {
    let length = |vector: &Vector| vector.values().map(|w| w * w).sum::<f64>().sqrt();
    let product: f64 = a
        .iter()
        .filter_map(|(term, weight)| Some(weight * b.get(term)?))
        .sum();
    let lengths = length(a) * length(b);
    if lengths == 0.0 {
        0.0
    } else {
        product / lengths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_count_by_their_parts() {
        let has = |text: &str, term: &str| terms(text).contains(term);
        assert!(has("call parseHeader now", "header"));
        assert!(has("the database_url", "url"));
        assert_eq!(identifier_parts("aB_c"), ["a", "B", "c"]);
    }

    #[test]
    fn identifiers_meet_however_they_are_written() {
        let found = identifiers("See `gearWheel` in src/gears.rs:7, not 1.5 or e.g. this.");
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, ["gear_wheel", "gears.rs"]);
        assert!(identifiers("gear_wheel").contains("gear_wheel"));
        assert!(identifiers("Makefile and well-known words").is_empty());
    }

    #[test]
    fn texts_about_the_same_are_alike() {
        let texts = [
            "parse the header",
            "the header parser fails",
            "paint the door blue",
        ];
        let lexicon = Lexicon::new(texts);
        let like =
            |a: usize, b: usize| cosine(&lexicon.vector(a..a + 1), &lexicon.vector(b..b + 1));
        assert!(like(0, 1) > like(0, 2));
        assert!((like(2, 2) - 1.0).abs() < 1e-9);
        assert_eq!(like(0, 2), 0.0);
    }
}

//! How alike texts are, by their words: TF-IDF over content words, where an identifier counts as
//! a whole and by its parts (`parseHeader` as `parse` and `header`, paths by their segments).

use palimpsest_ledger::words;
use std::collections::{BTreeMap, BTreeSet};

/// The terms of a text, each once, in order of the alphabet.
pub fn terms(text: &str) -> BTreeSet<String> {
    let mut terms: BTreeSet<String> = words::content_words(text).into_iter().collect();
    for range in words::raw_words(text) {
        let parts = identifier_parts(&text[range]);
        if parts.len() > 1 {
            let parts = parts.iter().flat_map(|part| words::content_words(part));
            terms.extend(parts);
        }
    }
    terms
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
        let mut vector = Vector::new();
        for term in self.texts[texts].iter().flatten() {
            *vector.entry(term.clone()).or_default() += 1.0;
        }
        for (term, weight) in &mut vector {
            let having = self.having.get(term).copied().unwrap_or_default();
            let rarity = ((1.0 + self.texts.len() as f64) / (1.0 + having as f64)).ln() + 1.0;
            *weight *= rarity;
        }
        vector
    }
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

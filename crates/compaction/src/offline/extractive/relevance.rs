//! How much a sentence has to do with the instructions: BM25 over content words, where an
//! identifier counts as a whole and by its parts.

use palimpsest_ledger::words;
use std::collections::{HashMap, HashSet};

/// Saturation of repeated words and length correction, at the values Robertson and Zaragoza (2009)
/// give as good for most collections.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Words of instructions that say what to do and not what about.
const COMMON: &str = "focus focuses focused summary summarize summarise mention include keep sure \
    especially detail details emphasize emphasis concentrate highlight make only important \
    attention pay not don";

/// The instructions as words to look for.
#[derive(Debug, Default)]
pub struct Focus {
    terms: HashSet<String>,
}

impl Focus {
    /// Reads the instructions; without any nothing is relevant.
    pub fn new(instructions: Option<&str>) -> Focus {
        let terms = instructions.map(terms_of).unwrap_or_default();
        // By stems: a test of parts of words took others of the instructions for common ones.
        let common = words::content_words(COMMON);
        Focus {
            terms: terms
                .into_iter()
                .filter(|term| !common.contains(term))
                .collect(),
        }
    }

    /// True when there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The share of the instructions' words that `text` has, 0 to 1.
    pub fn share(&self, text: &str) -> f64 {
        if self.terms.is_empty() {
            return 0.0;
        }
        let has: HashSet<String> = terms_of(text).into_iter().collect();
        self.terms.intersection(&has).count() as f64 / self.terms.len() as f64
    }

    /// BM25 scores of `texts` against the instructions, in their order.
    pub fn rank(&self, texts: &[&str]) -> Vec<f64> {
        let documents: Vec<Vec<String>> = texts.iter().map(|text| terms_of(text)).collect();
        let total: usize = documents.iter().map(Vec::len).sum();
        // At least 1, as it is a divisor.
        let mean = (total as f64 / documents.len().max(1) as f64).max(1.0);
        let mut having: HashMap<&str, usize> = HashMap::new();
        for document in &documents {
            let distinct: HashSet<&str> = document.iter().map(String::as_str).collect();
            for term in distinct
                .into_iter()
                .filter(|term| self.terms.contains(*term))
            {
                *having.entry(term).or_default() += 1;
            }
        }
        let count = documents.len() as f64;
        documents
            .iter()
            .map(|document| {
                let mut found: HashMap<&str, usize> = HashMap::new();
                for term in document.iter().filter(|term| self.terms.contains(*term)) {
                    *found.entry(term).or_default() += 1;
                }
                let mut terms: Vec<_> = found.into_iter().collect();
                // Sums of floats depend on their order, which must not be a hash map's.
                terms.sort_unstable();
                terms
                    .into_iter()
                    .map(|(term, times)| {
                        let with = having[term] as f64;
                        // The 1 keeps the rarity of a word that most texts have above 0.
                        let rarity = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
                        let times = times as f64;
                        let length = 1.0 - B + B * document.len() as f64 / mean;
                        rarity * times * (K1 + 1.0) / (times + K1 * length)
                    })
                    .sum()
            })
            .collect()
    }
}

/// Content words, and the parts of identifiers beside the whole.
fn terms_of(text: &str) -> Vec<String> {
    let mut out = words::content_words(text);
    for range in words::raw_words(text) {
        let word = &text[range];
        let parts = parts_of(word);
        if parts.len() > 1 {
            out.extend(parts.iter().flat_map(|part| words::content_words(part)));
        }
    }
    out
}

/// `parseHeader_now` as `parse`, `Header`, `now`.
fn parts_of(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in word.chars() {
        // A run of capitals stays one part, as in `HTTPServer`.
        if c == '_' || (c.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        if c != '_'
            && let Some(last) = parts.last_mut()
        {
            last.push(c);
        }
        was_lower = c.is_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_identifiers_are_found() {
        let focus = Focus::new(Some("Focus on the database migration."));
        let scores = focus.rank(&["runMigration is slow", "the colour is blue", "database_url"]);
        assert!(scores[0] > 0.0 && scores[2] > 0.0, "{scores:?}");
        assert_eq!(scores[1], 0.0);
        assert!(Focus::new(Some("focus on")).is_empty());
    }
}

//! How much memories are about what is asked.

use crate::text::ranking::Ranking;
use serde::{Deserialize, Serialize};

/// What texts are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relevance {
    /// The cosine of weighted words and parts of identifiers.
    Tfidf,
    /// BM25 over the same words.
    Bm25,
    /// The cosine of vectors from an embedding model (the paper).
    Embedding,
}

/// The relevance of each text for the texts of `query`, by words. Embeddings need vectors, which
/// are not here: they are taken as `Tfidf`.
pub(crate) fn by_words(rule: Relevance, texts: &[&str], query: &[&str]) -> Vec<f64> {
    by_ranking(rule, &Ranking::new(texts.iter().copied()), query)
}

/// The same for texts that were read before.
pub(crate) fn by_ranking(rule: Relevance, texts: &Ranking, query: &[&str]) -> Vec<f64> {
    let query = query.join("\n");
    match rule {
        Relevance::Bm25 => texts.bm25(&query),
        Relevance::Tfidf | Relevance::Embedding => texts.cosines(&query),
    }
}

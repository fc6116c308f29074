//! How much memories are about what is asked.

use crate::plan::{PlanError, PlanInput};
use crate::ranking::Ranking;
use crate::vectors;
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

/// The relevance of each text for the texts of `query`, by the vectors of `input`.
pub(crate) fn by_vectors(
    input: &PlanInput<'_>,
    texts: &[&str],
    query: &[&str],
) -> Result<Vec<f64>, PlanError> {
    let all: Vec<&str> = texts.iter().chain(query).copied().collect();
    let all = vectors::all_of(input, &all)?;
    let (texts, query) = all.split_at(texts.len());
    let wanted = vectors::sum(query);
    Ok(texts
        .iter()
        .map(|own| vectors::cosine(own, &wanted))
        .collect())
}

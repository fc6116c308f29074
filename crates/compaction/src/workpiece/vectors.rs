//! Vectors of texts from an embedding model, computed before a plan is made, so that planning
//! stays pure.

use crate::vocabulary::error::PlanError;
use crate::vocabulary::input::{PlanInput, Vectors};
use std::collections::HashMap;

/// Characters of a text that its vector is made from; models for embeddings cut longer texts at
/// 256 to 8,192 tokens (our choice: what the shortest of them read).
pub const EMBEDDED_CHARS: usize = 1_000;

/// Vectors by their texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VectorSet {
    vectors: HashMap<String, Vec<f32>>,
}

impl VectorSet {
    /// Adds the vector of a text.
    pub fn insert(&mut self, text: String, vector: Vec<f32>) {
        self.vectors.insert(text, vector);
    }

    /// Adds those of another set, which take the place of vectors of the same texts.
    pub fn extend(&mut self, other: VectorSet) {
        self.vectors.extend(other.vectors);
    }

    /// The texts, in no order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.vectors.keys().map(String::as_str)
    }

    /// How many numbers a vector has; `None` when there is none but empty ones.
    pub fn length(&self) -> Option<usize> {
        let mut lengths = self.vectors.values().map(Vec::len);
        lengths.find(|length| *length > 0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }
}

impl Vectors for VectorSet {
    fn vector(&self, text: &str) -> Option<&[f32]> {
        self.vectors.get(text).map(Vec::as_slice)
    }
}

/// The vectors of all `texts` in their order, each of its beginning. Fails with the texts whose
/// vectors are missing, each once.
pub(crate) fn all_of<'a>(
    input: &PlanInput<'a>,
    texts: &[&str],
) -> Result<Vec<&'a [f32]>, PlanError> {
    let found = texts.iter().map(|text| {
        let own = embedded(text);
        input.vectors.and_then(|vectors| vectors.vector(own))
    });
    let found: Vec<Option<&[f32]>> = found.collect();
    if found.iter().any(Option::is_none) {
        let missing = texts
            .iter()
            .zip(&found)
            .filter(|(_, found)| found.is_none());
        let mut texts: Vec<String> = missing.map(|(text, _)| embedded(text).to_owned()).collect();
        texts.sort();
        texts.dedup();
        return Err(PlanError::NoVectors { texts });
    }
    Ok(found.into_iter().flatten().collect())
}

/// The part of a text that is embedded.
fn embedded(text: &str) -> &str {
    let end = text.char_indices().nth(EMBEDDED_CHARS).map(|(at, _)| at);
    &text[..end.unwrap_or(text.len())]
}

/// The cosine of the angle between two vectors, -1 to 1; 0 when one has no length.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths == 0.0 {
        0.0
    } else {
        product(a, b) / lengths
    }
}

/// The sum of vectors of the same length.
pub(crate) fn sum(vectors: &[&[f32]]) -> Vec<f32> {
    let length = vectors.first().map_or(0, |first| first.len());
    let mut sum = vec![0.0; length];
    for vector in vectors {
        sum.iter_mut()
            .zip(*vector)
            .for_each(|(sum, own)| *sum += own);
    }
    sum
}

/// The relevance of each text for the texts of `query`, by the vectors of `input`.
pub(crate) fn by_vectors(
    input: &PlanInput<'_>,
    texts: &[&str],
    query: &[&str],
) -> Result<Vec<f64>, PlanError> {
    let all: Vec<&str> = texts.iter().chain(query).copied().collect();
    let all = all_of(input, &all)?;
    let (texts, query) = all.split_at(texts.len());
    // The sum has the direction of the mean, and a cosine asks for nothing else.
    let wanted = sum(query);
    Ok(texts.iter().map(|own| cosine(own, &wanted)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_angle_counts_and_not_the_length() {
        assert!((cosine(&[3.0, 4.0], &[6.0, 8.0]) - 1.0).abs() < 1e-9);
        assert!((cosine(&[1.0, 0.0], &[-2.0, 0.0]) + 1.0).abs() < 1e-9);
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 9.0]), 0.0);
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), 0.0);
    }

    #[test]
    fn sums_go_by_place() {
        assert_eq!(sum(&[&[1.0, 2.0], &[0.5, -2.0]]), [1.5, 0.0]);
        assert!(sum(&[]).is_empty());
    }
}

//! Texts ranked for a query by their words. The texts are read once; queries follow each other.

use crate::text::lexical::all_terms;
use crate::text::lexical::{rarity, terms};
use crate::vocabulary::memo::Weight;
use std::collections::HashMap;

/// Texts as numbered terms. Terms are numbered in the order of the alphabet, so that sums come out
/// the same to the last bit whichever way they are counted.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// All terms, sorted.
    terms: Vec<Box<str>>,
    /// In how many texts each term is.
    having: Vec<u32>,
    /// The terms of each text, sorted, with how often they occur.
    texts: Vec<Box<[(u32, u32)]>>,
}

impl Weight for Ranking {
    fn bytes(&self) -> usize {
        let terms = self.terms.iter().map(|term| 20 + term.len());
        let texts = self.texts.iter().map(|own| 16 + own.len() * 8);
        terms.sum::<usize>() + texts.sum::<usize>()
    }
}

impl Ranking {
    /// Reads the texts.
    pub fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Ranking {
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut found: Vec<Vec<u32>> = Vec::new();
        for text in texts {
            let mut own = Vec::new();
            for term in all_terms(text) {
                let next = numbers.len() as u32;
                own.push(*numbers.entry(term).or_insert(next));
            }
            found.push(own);
        }
        let mut sorted: Vec<(String, u32)> = numbers.into_iter().collect();
        sorted.sort_unstable();
        let mut places = vec![0_u32; sorted.len()];
        for (place, (_, number)) in sorted.iter().enumerate() {
            places[*number as usize] = place as u32;
        }
        let mut having = vec![0; sorted.len()];
        let counted = found.into_iter().map(|mut own| {
            own.iter_mut()
                .for_each(|number| *number = places[*number as usize]);
            own.sort_unstable();
            let counts: Box<[(u32, u32)]> = own
                .chunk_by(|a, b| a == b)
                .map(|same| (same[0], same.len() as u32))
                .collect();
            counts
                .iter()
                .for_each(|(term, _)| having[*term as usize] += 1);
            counts
        });
        Ranking {
            texts: counted.collect(),
            terms: sorted.into_iter().map(|(term, _)| term.into()).collect(),
            having,
        }
    }

    /// The number of a term that some text has.
    fn number(&self, term: &str) -> Option<u32> {
        let found = self.terms.binary_search_by(|own| (**own).cmp(term));
        found.ok().map(|place| place as u32)
    }

    /// The cosine of each text and `query`, weighted as a [`Lexicon`](crate::text::lexical::Lexicon) of the texts
    /// and the query weighs them; 0 where one has no terms.
    pub fn cosines(&self, query: &str) -> Vec<f64> {
        // The query is weighed as one of the texts.
        let count = self.texts.len() + 1;
        let mut having = self.having.clone();
        let mut asked = vec![false; self.terms.len()];
        let wanted: Vec<Option<u32>> = terms(query).iter().map(|term| self.number(term)).collect();
        for &term in wanted.iter().flatten() {
            having[term as usize] += 1;
            asked[term as usize] = true;
        }
        let weights: Vec<f64> = having
            .iter()
            .map(|&own| rarity(count, own as usize))
            .collect();
        let weight = |term: &Option<u32>| match term {
            Some(term) => weights[*term as usize],
            // A term that the query alone has.
            None => rarity(count, 1),
        };
        let square = |weight: f64| weight * weight;
        let query_length = wanted
            .iter()
            .map(|term| square(weight(term)))
            .sum::<f64>()
            .sqrt();
        let cosine = |own: &[(u32, u32)]| {
            let own = || own.iter().map(|(term, _)| *term as usize);
            let length = own().map(|term| square(weights[term])).sum::<f64>().sqrt();
            let shared = own().filter(|&term| asked[term]);
            let product: f64 = shared.map(|term| square(weights[term])).sum();
            let lengths = length * query_length;
            if lengths == 0.0 {
                0.0
            } else {
                product / lengths
            }
        };
        self.texts.iter().map(|own| cosine(own)).collect()
    }

    /// The score of each text for `query` by BM25 (Robertson and others), 0 and more, with the
    /// common k1 = 1.2 and b = 0.75: for each term of the query that it has
    /// ln(1 + (N - n + 0.5) / (n + 0.5)) * f * (k1 + 1) / (f + k1 * (1 - b + b * length / mean)),
    /// where n of all N texts have it and this one f times.
    pub fn bm25(&self, query: &str) -> Vec<f64> {
        const K1: f64 = 1.2;
        const B: f64 = 0.75;
        let length =
            |own: &[(u32, u32)]| f64::from(own.iter().map(|(_, times)| times).sum::<u32>());
        let count = self.texts.len() as f64;
        let mean = self.texts.iter().map(|own| length(own)).sum::<f64>() / count.max(1.0);
        let wanted: Vec<(u32, f64)> = terms(query)
            .iter()
            .filter_map(|term| {
                let term = self.number(term)?;
                let having = f64::from(self.having[term as usize]);
                let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
                Some((term, rarity))
            })
            .collect();
        let score = |own: &[(u32, u32)]| {
            let long = K1 * (1.0 - B + B * length(own) / mean.max(1.0));
            let of_term = |(term, rarity): &(u32, f64)| {
                let found = own.binary_search_by_key(term, |(own, _)| *own);
                let times = f64::from(found.map_or(0, |place| own[place].1));
                rarity * times * (K1 + 1.0) / (times + long)
            };
            wanted.iter().map(of_term).sum()
        };
        self.texts.iter().map(|own| score(own)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lexical::{Lexicon, cosine};
    use proptest::prelude::*;

    #[test]
    fn bm25_is_as_computed_by_hand() {
        // N 2, lengths 3 and 1, mean 2; `gear` is in both: ln(1 + 0.5 / 2.5) = 0.182322;
        // `wheel` in one: ln 2 = 0.693147. The first: long 1.2 * (0.25 + 0.75 * 1.5) = 1.65,
        // gear 0.182322 * 2 * 2.2 / 3.65 = 0.219786, wheel 0.693147 * 2.2 / 2.65 = 0.575443.
        // The second: long 1.2 * (0.25 + 0.375) = 0.75, gear 0.182322 * 2.2 / 1.75 = 0.229204.
        let scores = Ranking::new(["gear gear wheel", "gear"]).bm25("wheel gear other");
        assert!((scores[0] - 0.795_229).abs() < 1e-5, "{scores:?}");
        assert!((scores[1] - 0.229_204).abs() < 1e-5, "{scores:?}");
        assert!(Ranking::new([]).bm25("x").is_empty());
    }

    proptest! {
        #[test]
        fn cosines_are_those_of_a_lexicon(
            texts in prop::collection::vec("((gear|wheel|axleBox|tooth_count|rim) ){0,6}", 0..8),
            query in "((gear|wheel|boxes|axle) ){0,4}",
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let lexicon = Lexicon::new(texts.iter().copied().chain([query.as_str()]));
            let asked = lexicon.vector(texts.len()..texts.len() + 1);
            let expected: Vec<f64> = (0..texts.len())
                .map(|at| cosine(&lexicon.vector(at..at + 1), &asked))
                .collect();
            prop_assert_eq!(Ranking::new(texts).cosines(&query), expected);
        }
    }
}

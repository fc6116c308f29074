//! Importance that a model gives (Generative Agents, arXiv 2304.03442: each memory is rated once,
//! from 1, mundane, to 10, poignant), and what is retrieved by it.
//!
//! What stays depends on replies, so a plan holds the memories with everything else that they are
//! scored by, and its summary has a place for what is retrieved. What goes there is a pure function
//! of the plan and the replies: the same replies give the same bytes. A memory that no reply rates
//! has the importance of its kind.

mod read;

use crate::memory::importance::Kind;
use crate::memory::score::scores;
use crate::memory::score::{Memory, choose};
use crate::plan::rate::read::ratings;
use crate::vocabulary::fill::Replies;
use serde::Serialize;

/// Which calls rate which memories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Ratings {
    /// One for each call.
    pub batches: Vec<Batch>,
}

/// The memories that one call rates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Batch {
    /// Number of the call.
    pub call: usize,
    /// Positions of the memories, in the order of their numbers in the prompt.
    pub memories: Vec<usize>,
}

impl Ratings {
    /// The importance that the replies give to each of `count` memories, 1 to 10; `None` while a
    /// reply is missing.
    pub(crate) fn given(&self, count: usize, replies: &Replies<'_>) -> Option<Vec<Option<u8>>> {
        let mut given = vec![None; count];
        for batch in &self.batches {
            let own = ratings(&replies(batch.call)?, batch.memories.len());
            for (&memory, rating) in batch.memories.iter().zip(own) {
                if let Some(place) = given.get_mut(memory) {
                    *place = rating;
                }
            }
        }
        Some(given)
    }
}

/// What can be retrieved, and the rules by which it is.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Memories {
    /// Everything observed, oldest first.
    pub held: Vec<Held>,
    /// What rates them.
    pub ratings: Ratings,
    /// What recency is multiplied with for each unit of age.
    pub decay: f64,
    /// Weights of recency, importance and relevance.
    pub weights: [f64; 3],
    /// Most that are retrieved.
    pub most: usize,
    /// Tokens of what is retrieved.
    pub budget_tokens: u64,
}

/// A memory.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Held {
    /// A beginning of its entry's id that no other entry of the session has.
    pub handle: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// Its importance where no reply gives one, 1 to 10.
    pub importance: f64,
    /// How long ago it was last looked at, by the rule for recency.
    pub age: f64,
    /// How much it is about what is asked, 0 to 1.
    pub relevance: f64,
    /// Estimated tokens of its text.
    pub tokens: u64,
    /// What was said, whole; empty for what stays in its place anyway.
    pub text: String,
    /// True for what stays in its place and is only compared with.
    pub stays: bool,
}

impl Memories {
    /// Positions of what is retrieved, oldest first; `None` while a rating is missing.
    pub fn chosen(&self, replies: &Replies<'_>) -> Option<Vec<usize>> {
        let given = self.ratings.given(self.held.len(), replies)?;
        let memory = |(own, given): (&Held, &Option<u8>)| Memory {
            age: own.age,
            importance: given.map_or(own.importance, f64::from),
            relevance: own.relevance,
        };
        let all: Vec<Memory> = self.held.iter().zip(&given).map(memory).collect();
        let scores = scores(&all, self.decay, self.weights);
        let sizes: Vec<u64> = self.held.iter().map(|own| own.tokens).collect();
        let stays: Vec<bool> = self.held.iter().map(|own| own.stays).collect();
        Some(choose(
            &scores,
            &sizes,
            &stays,
            self.most,
            self.budget_tokens,
        ))
    }

    /// What is retrieved, verbatim and oldest first, each with the id of its entry; then how many
    /// ratings came from the model. `None` while a reply is missing.
    pub(crate) fn text(&self, replies: &Replies<'_>) -> Option<String> {
        let chosen = self.chosen(replies)?;
        let mut parts: Vec<String> = chosen
            .iter()
            .map(|&at| format!("[{}]\n{}", self.held[at].handle, self.held[at].text))
            .collect();
        let asked: usize = self
            .ratings
            .batches
            .iter()
            .map(|own| own.memories.len())
            .sum();
        let given = self.ratings.given(self.held.len(), replies)?;
        let given = given.iter().filter(|own| own.is_some()).count();
        parts.push(format!(
            "Retrieved: {} of {} exchanges; {given} of {asked} ratings by the model.",
            chosen.len(),
            self.held.iter().filter(|own| !own.stays).count(),
        ));
        Some(parts.join("\n\n"))
    }

    /// Tokens of what is retrieved at most.
    pub(crate) fn expected_tokens(&self) -> u64 {
        let all = self.held.iter().map(|own| own.tokens).sum::<u64>();
        all.min(self.budget_tokens)
    }
}

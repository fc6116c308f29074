//! A session as a stream of memories (Generative Agents, arXiv 2304.03442): what was observed,
//! how recent, important and relevant each of it is.

mod importance;
mod observe;
mod recency;
mod relevance;
mod score;

pub use importance::{ImportanceTable, Kind};
pub(crate) use observe::{Observation, Stream};
pub use recency::RecencyRule;
pub(crate) use recency::{Recency, Seen};
pub use relevance::Relevance;
pub(crate) use relevance::{by_ranking, by_vectors, by_words};
pub(crate) use score::{Memory, choose, scores};

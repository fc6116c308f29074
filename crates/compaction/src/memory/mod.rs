//! A session as a stream of memories (Generative Agents, arXiv 2304.03442): how recent, important
//! and relevant each of them is.

pub(crate) mod importance;
pub(crate) mod recency;
pub(crate) mod relevance;
pub(crate) mod score;

pub use importance::{ImportanceTable, Kind};
pub use recency::RecencyRule;
pub use relevance::Relevance;

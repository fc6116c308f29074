//! Questions about a span whose answers rules know, asked of a model that sees the next context alone.

mod ask;
mod known;
mod score;

pub(crate) use ask::calls;
pub use known::{Expected, Probe, ProbeKind, probes};
pub use score::{ProbeScore, ProbeScores};
pub(crate) use score::{reads, scored};

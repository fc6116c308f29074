//! Facts of the kinds that rules find least of: decisions, findings and constraints.

mod ask;
mod check;

pub use ask::FactLimits;
pub(crate) use ask::calls;
pub use check::{FactsFound, FoundFact, Rejected, Rejection};
pub(crate) use check::{found, reads};

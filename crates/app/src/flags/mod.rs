//! What is unusual about the compactions of a session: rules over its records, and over its ledgers.

mod flagged;
mod kept;
mod records;
mod summaries;
#[cfg(test)]
mod tests;

pub use flagged::{Flagged, MOST_ENTRIES};
pub use palimpsest_core::flag::Flag;
pub(crate) use records::before_compaction;
pub use records::{of_record, of_records};
pub use summaries::of_summary;

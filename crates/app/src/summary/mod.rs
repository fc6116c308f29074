//! Summaries held against what they stand for.

mod compared;
mod cut;
mod material;
mod shelf;
mod source;

pub use compared::{ComparedLedgers, DifferingFact};
pub(crate) use cut::span_tokens;
pub use cut::{SummaryCut, later_entries, stored_cut};
pub use material::{Material, OwnedSpan};
pub use shelf::{LedgerShelf, ShelvedLedger};
pub use source::{FactPlaces, MarkedItem, SourceMark, marked_item};

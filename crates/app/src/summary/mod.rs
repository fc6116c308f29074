//! Summaries held against what they stand for.

mod chain;
mod chained;
mod common;
mod compared;
mod cut;
mod material;
mod put_back;
mod reorientation;
mod shelf;
mod source;

pub(crate) use chain::follow;
pub(crate) use chained::LastChain;
pub use chained::{ChainColumn, SessionChain};
pub use common::{CommonCut, Side, common_cuts};
pub use compared::{ComparedLedgers, DifferingFact};
pub use cut::{SummaryCut, later_entries, stored_cut};
pub(crate) use cut::{span_tokens, stored_summary};
pub(crate) use material::incomplete;
pub use material::{JudgedClaims, Material, OwnedSpan, newest_summary};
pub use palimpsest_ledger::chain::{Chain, ChainCell, Life};
pub use palimpsest_ledger::concern::{concern, concerns, is_missed};
pub use palimpsest_ledger::insert::{Inserted, insert, instructions};
pub use put_back::{PUT_BACK_TOKENS, PutBack, put_back};
pub use reorientation::{Reorientation, reorientation};
pub use shelf::{LedgerShelf, ShelvedLedger};
pub use source::{FactPlaces, MarkedItem, SourceMark, marked_item};

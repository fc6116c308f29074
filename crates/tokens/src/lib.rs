//! Token counts, model windows and prices.
//!
//! Three things are kept apart: a count by a real tokenizer ([`count_tokens`]), the quick estimate
//! some agents decide by (`palimpsest_core::estimate`), and what a provider reported (which sessions
//! hold, not this crate). Models come from the [`Catalog`] in `assets/models.json`, which a user's file
//! can extend; a model that is in neither has no window, and whoever shows it says so.

mod catalog;
mod cost;
mod count;
mod spending;

pub use catalog::{Catalog, CatalogError, ModelInfo};
pub use cost::{CostParts, Prices, cost_parts, cost_usd};
pub use count::{Encoding, count_tokens};
pub use spending::{Cost, ModelCost, OpenReply, Spending, Spent};

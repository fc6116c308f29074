//! Reflections (Generative Agents, arXiv 2304.03442): questions about the newest memories,
//! insights that answer them from what is retrieved, each with the records it rests on.
//!
//! What a later call is asked depends on earlier replies. A plan therefore holds the records and
//! the rules of retrieval as data, and its calls have places, each with a [`Fill`]; what goes
//! there is a pure function of the plan and the replies, so that the same replies give the same
//! bytes. Whether insights rest on what they cite is looked at here as well, without a model.

mod check;
pub(crate) mod data;
mod insights;
pub(crate) mod places;
pub(crate) mod read;
mod retrieve;
mod write;

pub use crate::vocabulary::fill::{Fill, Replies};
pub use check::Unsupported;
pub use data::{Record, Reflection, Retrieval, Round};
pub use read::{StoredInsight, read_insights};

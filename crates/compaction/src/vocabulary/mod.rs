//! What a call, a fate, a fill, a slot, an input and an error is: the words that every other floor
//! speaks, without any rule of a strategy.

pub(crate) mod branch;
pub(crate) mod call;
pub(crate) mod cause;
pub(crate) mod error;
pub(crate) mod estimate;
pub(crate) mod fate;
pub mod files;
pub(crate) mod fill;
pub(crate) mod form;
pub(crate) mod input;
pub(crate) mod memo;
pub(crate) mod needs;
pub(crate) mod next;
pub mod params;
pub(crate) mod prompt;
pub(crate) mod range;
pub(crate) mod request;
pub(crate) mod selection;
pub(crate) mod sent;
pub(crate) mod slot;
pub(crate) mod summarizer;
pub(crate) mod summary;

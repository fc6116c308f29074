//! What is known of texts alone: words, ranks, lengths, edits.

pub mod edits;
pub mod lexical;
pub mod ranking;
pub(crate) mod shorter;

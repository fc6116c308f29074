//! The summarizer that needs no model.

pub mod extractive;
pub(crate) mod summarizer;

pub use summarizer::OfflineSummarizer;

//! Summaries of real cuts in the order in which a person would rather go on from them, held against
//! the order of the program's comparison.

pub mod command;
pub mod record;
pub mod report;
pub mod scoring;
pub mod texts;

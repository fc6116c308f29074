//! The four stages of a strategy. Each knows the floors below and none of the other stages.

pub mod assemble;
pub mod reduce;
pub mod select;
pub mod summarize;

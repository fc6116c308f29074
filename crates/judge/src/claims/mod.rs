//! Statements of a summary checked in its span, and facts of the span checked in what the agent
//! continues from.

mod ask;
mod asked;
mod batches;
mod check;
mod outcome;
mod prompts;
#[cfg(test)]
mod tests;

pub(crate) use ask::planned;
pub use asked::{AskedFact, Batch, ClaimInput, ClaimTask, Sent, Sentence};
pub(crate) use check::{checked, reads};
pub use outcome::{
    ClaimSums, ClaimsChecked, FactChecked, FactSums, FactVerdict, NotChecked, SentenceChecked,
    StatementChecked,
};

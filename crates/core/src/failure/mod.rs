//! Failures: what happened, and what the user can do next.
//!
//! `step` has every next step, `examples` one of each, `problem` the two fields that an error
//! carries.

mod examples;
mod problem;
mod step;
#[cfg(test)]
mod tests;

pub use problem::{Failure, Problem};
pub use step::{Input, Listed, NextStep, ProviderPart, Setting, known_step};

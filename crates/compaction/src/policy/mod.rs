//! Auto-compaction policies as data, and what they would have cost on a path.
//!
//! The built-in policies are `assets/policies.json`. A [`Policy`] says where its line lies
//! ([`Trigger`]), what it counts ([`Counting`]), when it looks ([`Check`]) and which preset it then
//! runs; [`simulate`] walks a [`Growth`] and tells where it would have fired. No model is asked and
//! no text is read: everything rests on sizes.

mod beside;
mod clear;
pub(crate) mod data;
pub(crate) mod effect;
pub(crate) mod error;
pub(crate) mod growth;
pub(crate) mod settings;
mod simulate;
pub(crate) mod tail;
pub(crate) mod trigger;
pub(crate) mod walk;

pub use data::{Check, Counting, Forced, Level, OwnWindow, Policy, Thrash};
pub use error::PolicyError;
pub use growth::{Edited, Growth, Step, StepKind};
pub use settings::PolicyParam;
pub use simulate::{Course, Fire, Stop, StopReason, simulate};
pub use trigger::{Base, Condition, Limits, Line, Off, Reply, Share, Trigger, WindowLess};

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod edges;
#[cfg(test)]
mod tests;

//! Carrying out a plan: its calls through a summarizer, its replies into a summary.

mod accept;
mod attempts;
mod messages;
mod not_a_summary;
mod observer;
pub(crate) mod outcome;
mod replay;
pub(crate) mod run;

pub use crate::vocabulary::summarizer::{CallContext, CallObserver, SummarizeError, Summarizer};
pub use attempts::execute;
pub use messages::{CallMessages, Spoken};
pub use not_a_summary::{NotASummary, not_a_summary};
pub use observer::{RunObserver, Unobserved};
pub use outcome::{Attempt, RunError, RunFailure, RunOutcome, Said, Writer};
pub use replay::{Recipe, Recorded, replay};

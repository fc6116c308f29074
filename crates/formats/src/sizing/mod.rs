//! How large a context is: what providers reported, carried over to what they did not report.
//!
//! An agent's estimates (four characters a token, mostly) are off by a third on source code, and
//! the file holds neither the system prompt nor what the agent adds by itself. The reports along a
//! path tell both: [`Measure`] learns the part beside the messages and the scale of the estimates,
//! [`MeasuredContext`] shares a reported size out among the items, and [`AfterCompaction`] says how
//! large the context is behind a compaction, by the next report or as a forecast.

mod after;
mod along;
mod measure;
mod measured;
mod next_report;
mod total;

pub use after::AfterCompaction;
pub use along::{Along, SizeAlong, along};
pub use measure::Measure;
pub use measured::{MeasuredContext, Part, SizeBasis};

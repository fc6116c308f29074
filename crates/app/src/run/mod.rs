//! Plans, and runs of plans.

mod executing;
mod kept;
mod planning;
mod record;
mod summarizer;
mod texts;

pub use executing::RunSpec;
pub use kept::RunRecord;
pub use palimpsest_compaction::params::ParamType;
pub use palimpsest_compaction::strategy::{Needs, strategies};
pub(crate) use texts::{KeptTexts, PlanningMessages};

pub use planning::{DEFAULT_STRATEGY, PlanSpec, Planned};
pub use record::{CallRecord, MadeCall, PlanRecord, purpose_name};

//! Plans, and runs of plans.

mod change;
mod cut;
mod editing;
mod executing;
mod keeping;
mod kept;
mod limit;
mod memos;
pub(crate) mod messages;
mod needs;
mod offline;
mod planned;
mod planning;
mod prepared;
mod program;
mod record;
mod replaying;
mod settings;
mod showing;
mod shown;
mod started;
mod stored_calls;
mod summarizer;
mod telling;
#[cfg(test)]
mod tests;
mod too_small;
mod under_way;
mod unkept;
mod uses;
mod vectors;

pub use change::PlanChange;
pub use editing::EDITED;
pub use executing::RunSpec;
pub(crate) use executing::run_id;
pub use kept::{EditedFrom, RunRecord};
pub(crate) use limit::check_prompt_is_read;
pub(crate) use memos::KeptMemos;
pub use palimpsest_compaction::Purpose;
pub use palimpsest_compaction::params::{ParamSpec, ParamType};
pub use palimpsest_compaction::plan::Worker;
pub use palimpsest_compaction::select::Fate;
pub use palimpsest_compaction::strategy::{Needs, Strategy, strategies};
pub use palimpsest_compaction::summarize::{BlockKind, RequestForm, RequestMessage};
pub use palimpsest_compaction::{PLACEHOLDERS, param_label, prompt_label, stage_kinds};
pub use planned::{PlanSpec, Planned};
pub use planning::{CutPoint, Leaving};
pub(crate) use planning::{blocking, destination};
pub use prepared::{DEFAULT_BRANCH_STRATEGY, DEFAULT_STRATEGY};
pub(crate) use program::PROGRAM;
pub use program::plan_document;
pub use record::{
    AttemptRecord, BandRecord, BranchRecord, CallRecord, ChangeRecord, FallbackRecord, MadeCall,
    NextKind, NextRecord, PlanKind, PlanRecord, ShareRecord, Sizes, StepKind, stop_name,
};
pub use replaying::Replayed;
pub(crate) use replaying::first_difference;
pub use settings::{RunSetting, differing, differing_by_cut, settings_of};
pub(crate) use shown::ShownPlans;
pub(crate) use under_way::RunsUnderWay;
pub use under_way::UnderWay;
pub(crate) use unkept::UnkeptRuns;

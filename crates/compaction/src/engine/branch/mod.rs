//! Summaries of branches that are left: what is left behind, what of it fits, and the plan
//! (pi 1.5, `branch-summarization.js`).
//!
//! A branch is summarized by the same four stages as a context. Only what they work on differs:
//! the messages of the entries left behind, of which the newest that fit are chosen, beside the
//! context in which the summary will stand.

pub(crate) mod choose;
pub(crate) mod leaving;
pub(crate) mod plan;

pub use crate::vocabulary::branch::{BranchPart, DEFAULT_WINDOW};
pub use choose::{BranchRules, Chosen, choose};
pub use leaving::{Branch, collect, is_written_anew, left_by, new_leaf};
pub use plan::{BranchInput, BranchOutcome, NothingLeft, plan, preset_for};

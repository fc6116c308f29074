//! What a plan is, and what follows from a plan and its replies alone: sizes, smaller calls,
//! replies read and put together.

pub(crate) mod assembled;
pub(crate) mod cleaning;
pub(crate) mod derived;
pub(crate) mod fallback;
pub(crate) mod form;
pub(crate) mod overflow;
pub(crate) mod planned;
pub mod rate;
pub mod reflect;
pub(crate) mod sizes;
pub(crate) mod smaller;

pub use crate::vocabulary::call::{BuildsOn, PlannedCall, Program, Purpose, Step, Worker};
pub use crate::vocabulary::error::{AssembleError, PlanError};
pub use crate::vocabulary::estimate::{ASSUMED_REPLY_TOKENS, estimate};
pub use crate::vocabulary::input::{Instructions, ItemMessages, PlanInput};
pub use crate::vocabulary::memo::{Memo, MemoKey};
pub use crate::vocabulary::slot::{PromptPart, ReplySlot};
pub use crate::vocabulary::summary::{Change, PlannedItem, SummaryPart};
pub use derived::Derived;
pub use fallback::SUMMARY_BEFORE;
pub use planned::{NothingToDo, Plan, PlanOutcome, PlannedFallback};
pub use smaller::Retry;

//! Which call the result of a tool answers.

use crate::vocabulary::input::{PlanInput, memoized};
use crate::vocabulary::memo::{MemoKey, Weight};
use palimpsest_core::BodyError;
use std::sync::Arc;

/// Which call the result of a tool answers, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered {
    /// The provider's id of the call.
    pub call_id: String,
    /// True when the tool failed.
    pub is_error: bool,
}

impl Weight for Answered {
    fn bytes(&self) -> usize {
        self.call_id.len()
    }
}

impl PlanInput<'_> {
    /// Which call the item at a position answers; nothing when it is no result.
    pub(crate) fn answered(&self, at: usize) -> Result<Arc<Option<Answered>>, BodyError> {
        let key = MemoKey::item(ANSWERED, self.context, at);
        memoized(self.messages, key, || {
            let tool = self.messages.message(&self.context.items[at])?.tool;
            Ok(tool.map(|tool| Answered {
                call_id: tool.call_id,
                is_error: tool.is_error,
            }))
        })
    }
}

/// The question which call an item answers: others are numbered by hashes.
const ANSWERED: u64 = 1;

//! Which tool calls still wait for their results, message by message.

use crate::vocabulary::input::PlanInput;
use palimpsest_core::{ContextItem, Role};

/// The number of calls that are open behind the messages seen so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OpenCalls(usize);

impl OpenCalls {
    /// Whether a call still waits for its result.
    pub(super) fn any(self) -> bool {
        self.0 > 0
    }

    /// Takes the next message in; how many tools it calls. What the user says ends the wait:
    /// results of interrupted calls never come.
    pub(super) fn see(&mut self, input: &PlanInput<'_>, item: &ContextItem) -> usize {
        let entries = item.entries.iter();
        let calls = match item.role {
            Role::Assistant => entries
                .map(|&entry| input.session.entry(entry).tool_calls.len())
                .sum(),
            Role::User | Role::Tool | Role::System => 0,
        };
        self.0 = match item.role {
            Role::Assistant => self.0 + calls,
            Role::Tool => self.0.saturating_sub(1),
            Role::User => 0,
            Role::System => self.0,
        };
        calls
    }
}

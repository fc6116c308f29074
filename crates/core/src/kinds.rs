//! What a record is, in the words of the command line, the wire and the databases.

use crate::body::Role;
use crate::entry::EntryKind;
use serde::{Deserialize, Serialize};

/// What a record of a session is, without what it says: [`EntryKind`] as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A message of the user, the model or the system.
    Message,
    /// The result of a tool call.
    ToolResult,
    /// A shell command of the user.
    UserShell,
    /// A message by an extension or by the agent itself.
    CustomMessage,
    /// A compaction.
    Compaction,
    /// The summary of a branch that was left.
    BranchSummary,
    /// A change of what another record contributes to the context.
    ContextEdit,
    /// Tool results cleared from the context.
    Clearing,
    /// A label set on another record, or removed from it.
    Label,
    /// A change of the model.
    ModelChange,
    /// A change of the reasoning level.
    ThinkingChange,
    /// The session's name.
    SessionInfo,
    /// Data of an extension or of the agent, not sent to the model.
    Custom,
    /// Usage the provider reported, stored on its own.
    Usage,
    /// A record of unknown type.
    Opaque,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [RecordKind; 15] = [
        RecordKind::Message,
        RecordKind::ToolResult,
        RecordKind::UserShell,
        RecordKind::CustomMessage,
        RecordKind::Compaction,
        RecordKind::BranchSummary,
        RecordKind::ContextEdit,
        RecordKind::Clearing,
        RecordKind::Label,
        RecordKind::ModelChange,
        RecordKind::ThinkingChange,
        RecordKind::SessionInfo,
        RecordKind::Custom,
        RecordKind::Usage,
        RecordKind::Opaque,
    ];

    /// The name on the wire and in the index.
    pub fn name(self) -> &'static str {
        match self {
            RecordKind::Message => "message",
            RecordKind::ToolResult => "tool_result",
            RecordKind::UserShell => "user_shell",
            RecordKind::CustomMessage => "custom_message",
            RecordKind::Compaction => "compaction",
            RecordKind::BranchSummary => "branch_summary",
            RecordKind::ContextEdit => "context_edit",
            RecordKind::Clearing => "clearing",
            RecordKind::Label => "label",
            RecordKind::ModelChange => "model_change",
            RecordKind::ThinkingChange => "thinking_change",
            RecordKind::SessionInfo => "session_info",
            RecordKind::Custom => "custom",
            RecordKind::Usage => "usage",
            RecordKind::Opaque => "opaque",
        }
    }

    /// The kind called `name`.
    pub fn from_name(name: &str) -> Option<RecordKind> {
        RecordKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl EntryKind {
    /// What the record is, without what it says.
    pub fn record(&self) -> RecordKind {
        match self {
            EntryKind::Message(Role::Tool) => RecordKind::ToolResult,
            EntryKind::Message(_) => RecordKind::Message,
            EntryKind::UserShell => RecordKind::UserShell,
            EntryKind::CustomMessage { .. } => RecordKind::CustomMessage,
            EntryKind::Compaction(_) => RecordKind::Compaction,
            EntryKind::BranchSummary(_) => RecordKind::BranchSummary,
            EntryKind::ContextEdit { .. } => RecordKind::ContextEdit,
            EntryKind::Clearing(_) => RecordKind::Clearing,
            EntryKind::Label { .. } => RecordKind::Label,
            EntryKind::ModelChange => RecordKind::ModelChange,
            EntryKind::ThinkingChange { .. } => RecordKind::ThinkingChange,
            EntryKind::SessionInfo { .. } => RecordKind::SessionInfo,
            EntryKind::Custom { .. } => RecordKind::Custom,
            EntryKind::UsageRecord { .. } => RecordKind::Usage,
            EntryKind::Opaque { .. } => RecordKind::Opaque,
        }
    }

    /// The kind's name in the command line's and the wire's vocabulary.
    pub fn name(&self) -> &'static str {
        self.record().name()
    }

    /// The agent's own name for the record, where it is none of the common kinds.
    pub fn own_name(&self) -> Option<&str> {
        match self {
            EntryKind::CustomMessage { custom_type, .. } | EntryKind::Custom { custom_type } => {
                Some(custom_type)
            }
            EntryKind::Opaque { type_name } => Some(type_name),
            _ => None,
        }
    }

    /// Which summary the record holds; `None` when it holds none.
    pub fn summary(&self) -> Option<SummaryKind> {
        match self {
            EntryKind::Compaction(_) => Some(SummaryKind::Compaction),
            EntryKind::BranchSummary(_) => Some(SummaryKind::BranchSummary),
            _ => None,
        }
    }
}

/// What a summary stands for: of a record, of a run, of a mark on the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum SummaryKind {
    /// The beginning of a context.
    Compaction,
    /// A branch that was left.
    BranchSummary,
}

impl SummaryKind {
    /// The name on the wire and in the databases.
    pub fn name(self) -> &'static str {
        match self {
            SummaryKind::Compaction => "compaction",
            SummaryKind::BranchSummary => "branch_summary",
        }
    }

    /// The kind called `name`.
    pub fn from_name(name: &str) -> Option<SummaryKind> {
        [SummaryKind::Compaction, SummaryKind::BranchSummary]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_the_wire<T: Serialize>(value: T) -> serde_json::Value {
        serde_json::to_value(value).unwrap()
    }

    #[test]
    fn records_have_one_name_on_the_wire_and_in_the_index() {
        for kind in RecordKind::ALL {
            assert_eq!(on_the_wire(kind), kind.name());
            assert_eq!(RecordKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(RecordKind::from_name("tool"), None);
    }

    #[test]
    fn summaries_have_one_name_on_the_wire_and_in_the_databases() {
        for kind in [SummaryKind::Compaction, SummaryKind::BranchSummary] {
            assert_eq!(on_the_wire(kind), kind.name());
            assert_eq!(SummaryKind::from_name(kind.name()), Some(kind));
        }
    }
}

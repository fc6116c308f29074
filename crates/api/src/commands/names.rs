//! The wire's spelling of what the core names with enums.

use palimpsest_core::ledger::{FactKind, Fate};
use palimpsest_core::{Category, EntryIx, ItemKind, Origin, Role, Session};

/// The common role.
pub(crate) fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// What tokens are spent on.
pub(crate) fn category(category: Category) -> &'static str {
    match category {
        Category::System => "system",
        Category::User => "user",
        Category::AssistantText => "assistant_text",
        Category::Thinking => "thinking",
        Category::ToolCalls => "tool_calls",
        Category::ToolResults => "tool_results",
        Category::Summaries => "summaries",
        Category::Images => "images",
        Category::Injected => "injected",
        Category::NotRecorded => "not_recorded",
    }
}

/// The kind of a context item.
pub(crate) fn item_kind(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Message => "message",
        ItemKind::CompactionSummary => "compaction_summary",
        ItemKind::BranchSummary => "branch_summary",
        ItemKind::Custom => "custom",
        ItemKind::UserShell => "user_shell",
        ItemKind::NotRecorded => "not_recorded",
    }
}

/// Why an item has the form it has.
pub(crate) fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Verbatim => "verbatim",
        Origin::Summary => "summary",
        Origin::Cleared => "cleared",
        Origin::Injected => "injected",
        Origin::NotRecorded => "not_recorded",
    }
}

/// The kind of a fact.
pub(crate) fn fact_kind(kind: FactKind) -> &'static str {
    match kind {
        FactKind::UserRequest => "user_request",
        FactKind::Constraint => "constraint",
        FactKind::Path => "path",
        FactKind::Symbol => "symbol",
        FactKind::Command => "command",
        FactKind::Error => "error",
        FactKind::Decision => "decision",
        FactKind::Number => "number",
        FactKind::Todo => "todo",
    }
}

/// The fate of a fact.
pub(crate) fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Verbatim => "verbatim",
        Fate::Mentioned => "mentioned",
        Fate::Partial => "partial",
        Fate::Dropped => "dropped",
    }
}

/// An entry's id.
pub(crate) fn id(session: &Session, ix: EntryIx) -> String {
    session.entry(ix).id.to_string()
}

/// The ids of several entries, in the order given.
pub(crate) fn ids(session: &Session, list: &[EntryIx]) -> Vec<String> {
    list.iter().map(|&ix| id(session, ix)).collect()
}

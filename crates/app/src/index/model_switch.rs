//! Where a session continues with another model. Most agents store no record of that: the next reply
//! names the model.

use palimpsest_core::{Entry, EntryKind};

/// The model in force behind an entry, `before` being the one before it. Subagents within the session
/// have models of their own, and so have requests beside the conversation, such as one for a title.
pub(crate) fn model_behind<'e>(entry: &'e Entry, before: Option<&'e str>) -> Option<&'e str> {
    let own = entry.model.as_ref().map(|model| &*model.model);
    if matches!(entry.kind, EntryKind::UsageRecord { .. }) {
        return before;
    }
    match own {
        Some(own) if !entry.sidechain || before.is_none() => Some(own),
        _ => before,
    }
}

/// The models before and behind an entry at which the model changes; `None` where nothing was in
/// force before it.
pub(crate) fn model_switch(entry: &Entry, before: Option<&str>) -> Option<String> {
    let behind = model_behind(entry, before)?;
    let before = before.filter(|before| *before != behind)?;
    Some(format!("{before} \u{2192} {behind}"))
}

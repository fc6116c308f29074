//! Where a session continues with another model. Most agents store no record of that: the next reply
//! names the model.

use palimpsest_core::{Entry, EntryKind};

/// The model in force behind an entry, `before` being the one before it. Subagents within the session
/// have models of their own.
pub(crate) fn model_behind<'e>(entry: &'e Entry, before: Option<&'e str>) -> Option<&'e str> {
    let own = entry.model.as_ref().map(|model| &*model.model);
    match own {
        Some(own) if !entry.sidechain || before.is_none() => Some(own),
        _ => before,
    }
}

/// True for an entry other than a record of the change itself at which the model changes.
pub(crate) fn switches_model(entry: &Entry, before: Option<&str>) -> bool {
    before.is_some()
        && model_behind(entry, before) != before
        && entry.kind != EntryKind::ModelChange
}

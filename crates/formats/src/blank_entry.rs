//! An entry before its reader fills it.

use palimpsest_core::entry::Entry;
use palimpsest_core::{EntryKind, SourceSpan};

/// An entry with nothing but its kind and its place; its id is empty.
pub(crate) fn blank_entry(kind: EntryKind, source: SourceSpan) -> Entry {
    Entry {
        id: String::new().into(),
        parent: None,
        missing_parent: None,
        kind,
        at_ms: None,
        source,
        messages: Vec::new(),
        tool_calls: Vec::new(),
        usage: None,
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        rejected: false,
        undone: false,
        model: None,
        preview: Box::default(),
        recovered: false,
        sidechain: false,
        subagent: None,
        side_agent: None,
    }
}

//! The text of one entry.

use super::item::{messages, summary};
use crate::repair::replace_lone_surrogates;
use palimpsest_core::{Body, Entry, EntryKind};
use serde_json::Value;

/// The messages of an item, or the summary that it carries.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    let text = palimpsest_core::stored::text(raw);
    let Ok(item) = serde_json::from_str::<Value>(&replace_lone_surrogates(&text)) else {
        return Body::default();
    };
    let messages = match entry.kind {
        EntryKind::Message(_) => messages(&item),
        EntryKind::Compaction(_) => summary(&item).into_iter().collect(),
        _ => Vec::new(),
    };
    Body {
        messages,
        ..Body::default()
    }
}

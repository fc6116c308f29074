//! The text of one record.

use super::json::{field, text};
use super::{compaction, item, lines};
use crate::failure;
use palimpsest_core::{Body, Entry};

/// The messages a record stands for.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    let Ok(record) = lines::one(&palimpsest_core::stored::text(raw)) else {
        return Body::default();
    };
    let payload = field(&record, "payload");
    let messages = match text(&record, "type") {
        "response_item" => {
            let size = entry.messages.first();
            let tool = size.and_then(|size| size.tool_name.as_deref());
            item::message(payload, tool).into_iter().collect()
        }
        "compacted" => compaction::own_messages(payload, entry),
        _ => Vec::new(),
    };
    let is_failure = entry.is_error && text(&record, "type") == "event_msg";
    let failure = if is_failure {
        text(payload, "message")
    } else {
        ""
    };
    Body {
        messages,
        beside: failure::told(failure),
        ..Body::default()
    }
}

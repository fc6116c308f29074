//! The text of an entry, from its line or from the parts of a row that it is.

use super::entry::failure_text;
use super::row::{self, REQUEST};
use super::spoken::{AGENT_SWITCH, Spoken, agent_switch, request, spoken};
use crate::failure;
use crate::json::{field, parse};
use palimpsest_core::{Body, Entry, EntryKind, Message, Role};
use serde_json::Value;

/// The body of the entry whose bytes are `raw`.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    let has_none = matches!(
        entry.kind,
        EntryKind::UsageRecord { .. } | EntryKind::Opaque { .. }
    );
    if has_none && entry.messages.is_empty() {
        return Body::default();
    }
    let text = palimpsest_core::stored::text(raw);
    let text = text.trim();
    let is_row = |record: &Value| record.get("role").is_some() || record.get("parts").is_some();
    let mut beside = Vec::new();
    let all = match parse(text) {
        Ok(record) if is_row(&record) => {
            beside = failure::told(failure_text(&record));
            of_row(entry, &record)
        }
        Ok(record) if field(&record, "type") == REQUEST => request(&record),
        Ok(part) => spoken(row::Kind::Reply, &[part]),
        // The parts of one run, as they stand in their row.
        Err(_) => match parse(&format!("[{text}]")) {
            Ok(Value::Array(parts)) => spoken(row::Kind::Reply, &parts),
            _ => Vec::new(),
        },
    };
    let mut messages: Vec<Message> = all.into_iter().map(|spoken| spoken.message).collect();
    // What depends on the rows around it was told when the row was read.
    for (message, size) in messages.iter_mut().zip(&entry.messages) {
        message.native_role = size.native_role;
        message.sent = size.sent;
    }
    // The last run of a row does not hold why the answer failed, which the row says.
    if beside.is_empty() && entry.failed_itself() && entry.role() == Some(Role::Assistant) {
        beside = failure::told(&entry.preview);
    }
    Body {
        messages,
        beside,
        ..Body::default()
    }
}

fn of_row(entry: &Entry, record: &Value) -> Vec<Spoken> {
    let first = entry.messages.first().map(|size| size.native_role);
    let mut all = Vec::new();
    if first == Some(AGENT_SWITCH) {
        all.push(agent_switch(record));
    }
    let parts = field(record, "parts").as_array();
    let parts = parts.map(Vec::as_slice).unwrap_or_default();
    all.extend(spoken(row::kind(record), parts));
    all
}

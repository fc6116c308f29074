//! The text of one record.

use super::message;
use crate::failure;
use crate::json::{field, parse, some_text, text};
use palimpsest_core::{Body, Entry, SubagentResult};
use serde_json::Value;

/// The message a record stands for.
pub(super) fn body(entry: &Entry, raw: &[u8]) -> Body {
    // What became of the record was decided when it was read.
    let size = entry.messages.first();
    if size.is_none() && !entry.is_error {
        return Body::default();
    }
    let Ok(record) = parse(&palimpsest_core::stored::text(raw)) else {
        return Body::default();
    };
    let data = field(&record, "data");
    let kind = text(&record, "type");
    let Some(size) = size else {
        return Body {
            beside: failure::told(failure_text(data)),
            ..Body::default()
        };
    };
    let mut said = message::message(kind, data, size.tool_name.as_deref());
    if let Some(tool) = said.as_mut().and_then(|said| said.tool.as_mut()) {
        tool.is_error = entry.is_error;
    }
    let beside = (kind == "user.message").then(|| message::words_beside(data));
    Body {
        messages: said.into_iter().collect(),
        beside: beside.flatten().into_iter().collect(),
        usage: None,
        subagent: subagent(data),
    }
}

/// Why something failed, by the names that records of failures have for it.
fn failure_text(data: &Value) -> &str {
    let keys = ["message", "errorMessage", "error", "reason"];
    let of = |holder| keys.iter().find_map(|key| some_text(holder, key));
    of(data)
        .or_else(|| of(field(data, "error")))
        .unwrap_or_default()
}

/// What the result of a subagent's call says about it.
fn subagent(data: &Value) -> Option<SubagentResult> {
    let telemetry = field(data, "toolTelemetry");
    let agent = some_text(field(telemetry, "restrictedProperties"), "agent_id")?;
    let calls = field(telemetry, "metrics").get("numberOfToolCallsMadeByAgent");
    Some(SubagentResult {
        agent_id: Some(agent.to_owned()),
        tokens: None,
        duration_ms: None,
        calls: calls.and_then(Value::as_f64).map(|calls| calls as u64),
    })
}

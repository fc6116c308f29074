//! Results that a microcompaction has cleared.
//!
//! Up to 2.1.197 a `microcompact_boundary` clears the results of the calls that it names when a session
//! is read. 2.1.329 reads past that record and would send the whole results again, so the copies hold
//! the placeholder.

use crate::members::{Edit, edited, value};
use palimpsest_core::entry::Clearing;
use palimpsest_core::{Context, EntryKind, Session};
use serde_json::Value;
use std::collections::HashSet;

/// The calls whose results are cleared in a context.
pub(super) fn cleared_calls<'s>(session: &'s Session, context: &Context) -> HashSet<&'s str> {
    let by = context.items.iter().filter_map(|item| item.edited_by);
    by.filter_map(|ix| match &session.entry(ix).kind {
        EntryKind::Clearing(told) => Some(told.call_ids.iter().map(|id| &**id)),
        _ => None,
    })
    .flatten()
    .collect()
}

/// A message whose results of these calls hold the placeholder; `None` where it has none of them.
pub(super) fn blanked(message: &[u8], cleared: &HashSet<&str>) -> Option<String> {
    let mut blocks: Vec<Value> = serde_json::from_slice(value(message, "content")?).ok()?;
    let mut found = false;
    for block in &mut blocks {
        let id = block.get("tool_use_id").and_then(Value::as_str);
        if id.is_some_and(|id| cleared.contains(id)) {
            block["content"] = Clearing::PLACEHOLDER.into();
            found = true;
        }
    }
    let content = Value::from(blocks).to_string();
    let message = edited(message, &[("content", Edit::Set(content))])?;
    found.then(|| String::from_utf8(message).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_results_are_blanked() {
        let message = br#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"long"},{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"kept"}]}]}"#;
        let new = blanked(message, &HashSet::from(["a"])).unwrap();
        let new: Value = serde_json::from_str(&new).unwrap();
        assert_eq!(new["content"][0]["content"], Clearing::PLACEHOLDER);
        assert_eq!(new["content"][1]["content"][0]["text"], "kept");
        assert_eq!(new["role"], "user");
        assert_eq!(blanked(message, &HashSet::from(["c"])), None);
        assert_eq!(
            blanked(
                br#"{"role":"user","content":"text"}"#,
                &HashSet::from(["a"])
            ),
            None
        );
    }
}

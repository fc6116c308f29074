//! What a line of the document is, and what a row says of itself.

use crate::json::{field, filled, flag, items, text};
use palimpsest_core::entry::{ModelRef, Trigger};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::ops::Range;

/// The type of the line about the workspace, which the assembly writes.
pub(super) const WORKSPACE: &str = "workspace";
/// The type of a line about a request, which the assembly writes.
pub(super) const REQUEST: &str = "request";

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A prompt of the user.
    Prompt,
    /// What Mux puts in under the user's role: reports of subagents, files, notices.
    Synthetic,
    /// The request for a summary.
    CompactionRequest,
    /// A question beside the conversation.
    SideQuestion,
    /// An answer of the model.
    Reply,
    /// A summary; only a durable one stands for what was before it.
    Summary { durable: bool },
    /// The answer to a question beside the conversation.
    SideAnswer,
    /// The end of what is sent: the user cleared the context.
    Reset,
    /// A message under the system's role.
    System,
    /// A role that is not known.
    Unknown,
}

/// What the row with this metadata is.
pub(super) fn kind(row: &Value) -> Kind {
    let metadata = metadata(row);
    let special = filled(special(row), "type").unwrap_or_default();
    match text(row, "role") {
        "user" => match special {
            "compaction-request" => Kind::CompactionRequest,
            "side-question" => Kind::SideQuestion,
            _ if flag(metadata, "synthetic") => Kind::Synthetic,
            _ => Kind::Prompt,
        },
        "assistant" if text(metadata, "contextBoundaryKind") == "reset" => Kind::Reset,
        "assistant" if special == "side-question-answer" => Kind::SideAnswer,
        "assistant" if is_compacted(metadata) => Kind::Summary {
            durable: is_boundary(metadata),
        },
        "assistant" => Kind::Reply,
        "system" => Kind::System,
        _ => Kind::Unknown,
    }
}

/// A row's metadata.
pub(super) fn metadata(row: &Value) -> &Value {
    field(row, "metadata")
}

/// The part of the metadata that only Mux's own rows have; its name changed with the program's.
pub(super) fn special(row: &Value) -> &Value {
    let metadata = metadata(row);
    let names = ["muxMetadata", "xumMetadata", "cmuxMetadata"];
    let mut held = names.iter().map(|name| field(metadata, name));
    held.find(|own| own.is_object()).unwrap_or(&Value::Null)
}

fn is_compacted(metadata: &Value) -> bool {
    match field(metadata, "compacted") {
        Value::Bool(flag) => *flag,
        Value::String(by) => !by.is_empty(),
        _ => false,
    }
}

/// Flags of a boundary count only together (0.28); Mux skips others as damaged.
fn is_boundary(metadata: &Value) -> bool {
    let epoch = field(metadata, "compactionEpoch");
    flag(metadata, "compactionBoundary") && epoch.as_f64().is_some_and(|epoch| epoch >= 1.0)
}

/// The agent mode that a row was written for or by, such as `exec` or `plan`.
pub(super) fn agent_of(row: &Value) -> Option<&str> {
    let metadata = metadata(row);
    filled(field(metadata, "retrySendOptions"), "agentId").or_else(|| filled(metadata, "agentId"))
}

/// The model that a row was written by or sent to: `provider:model`.
pub(super) fn model(row: &Value) -> Option<ModelRef> {
    let metadata = metadata(row);
    let options = field(metadata, "retrySendOptions");
    let named = filled(metadata, "model").or_else(|| filled(options, "model"))?;
    Some(model_named(named))
}

/// A model by the name that Mux stores.
pub(super) fn model_named(named: &str) -> ModelRef {
    let (provider, model) = named.split_once(':').unwrap_or(("", named));
    ModelRef {
        provider: provider.into(),
        model: model.into(),
    }
}

/// A request for a summary, as far as the summary's entry repeats it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Asked {
    /// What started it; unknown where Mux asked by a timer, whatever the size.
    pub trigger: Option<Trigger>,
}

impl Asked {
    /// What the row asks for.
    pub fn by(row: &Value) -> Asked {
        // A summary that was asked for by the user has no source.
        let trigger = match filled(special(row), "source") {
            None => Some(Trigger::Manual),
            Some("auto-compaction") => Some(Trigger::Auto),
            Some(_) => None,
        };
        Asked { trigger }
    }
}

/// What started the compaction of a summary: Mux marks automatic ones like those of the user, so
/// the request tells.
pub(super) fn trigger(row: &Value, asked: Option<&Asked>) -> Option<Trigger> {
    let by = text(metadata(row), "compacted");
    match asked {
        _ if matches!(by, "idle" | "heartbeat") => None,
        Some(asked) => asked.trigger,
        None => None,
    }
}

/// The text that Mux sends after a compaction: the prompt that waited for it.
pub(super) fn follow_up(row: &Value) -> Option<&str> {
    let special = special(row);
    let pending = filled(field(special, "pendingFollowUp"), "text");
    pending.or_else(|| {
        let parsed = field(special, "parsed");
        filled(field(parsed, "followUpContent"), "text")
    })
}

/// True when a value is a part of a row.
pub(super) fn is_part(value: &Value) -> bool {
    let known = ["text", "reasoning", "dynamic-tool", "file"];
    value.get("role").is_none() && known.contains(&text(value, "type"))
}

/// Parts of a row that stand by themselves: as many as there are between commas.
pub(super) fn bare_parts(line: &str) -> Option<Vec<Value>> {
    let all = crate::json::parse(&format!("[{line}]")).ok()?;
    let Value::Array(parts) = all else {
        return None;
    };
    (!parts.is_empty() && parts.iter().all(is_part)).then_some(parts)
}

/// Where each part of a row stands in the text of its line; `None` where that cannot be told.
pub(super) fn places_of_parts(line: &str) -> Option<Vec<Range<usize>>> {
    #[derive(Deserialize)]
    struct Held<'a> {
        #[serde(borrow)]
        parts: Vec<&'a RawValue>,
    }
    let held: Held<'_> = serde_json::from_str(line).ok()?;
    let start_of_line = line.as_ptr() as usize;
    let places = held.parts.iter().map(|part| {
        // Borrowed from the line, so its place there is the distance.
        let start = (part.get().as_ptr() as usize).checked_sub(start_of_line)?;
        let end = start + part.get().len();
        line.get(start..end).map(|_| start..end)
    });
    places.collect()
}

/// The subagents that the calls among `parts` started: their workspaces and kinds.
pub(super) fn started(parts: &[Value]) -> Vec<(String, Option<String>)> {
    let mut found = Vec::new();
    for part in parts.iter().filter(|part| text(part, "toolName") == "task") {
        let (input, output) = (field(part, "input"), field(part, "output"));
        let kind = filled(input, "agentId").or_else(|| filled(input, "subagent_type"));
        let several = ["tasks", "results", "reports"];
        let listed = several.iter().flat_map(|key| items(output, key));
        let ids = items(output, "taskIds").iter().filter_map(Value::as_str);
        let own = listed.filter_map(|task| filled(task, "taskId"));
        for id in filled(output, "taskId").into_iter().chain(ids).chain(own) {
            if !found.iter().any(|(known, _)| known == id) {
                found.push((id.to_owned(), kind.map(str::to_owned)));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_are_found_where_they_stand() {
        let line = r#"{"id":"é","parts":[{"type":"text","text":"a"}, {"type":"file"}],"x":1}"#;
        let places = places_of_parts(line).unwrap();
        let texts: Vec<&str> = places.iter().map(|place| &line[place.clone()]).collect();
        assert_eq!(
            texts,
            [r#"{"type":"text","text":"a"}"#, r#"{"type":"file"}"#]
        );
        let both = &line[places[0].start..places[1].end];
        assert_eq!(bare_parts(both).unwrap().len(), 2);
        assert_eq!(bare_parts(r#"{"type":"text","role":"user"}"#), None);
        assert_eq!(places_of_parts("{"), None);
    }

    #[test]
    fn a_boundary_needs_all_its_flags() {
        let row = |metadata: Value| json!({"role": "assistant", "metadata": metadata});
        let durable =
            json!({"compacted": "user", "compactionBoundary": true, "compactionEpoch": 1});
        assert_eq!(kind(&row(durable)), Kind::Summary { durable: true });
        for (metadata, expected) in [
            (json!({"compacted": true}), Kind::Summary { durable: false }),
            (
                json!({"compacted": "user", "compactionBoundary": true, "compactionEpoch": 0}),
                Kind::Summary { durable: false },
            ),
            (
                json!({"compactionBoundary": true, "compactionEpoch": 1}),
                Kind::Reply,
            ),
            (json!({"compacted": false}), Kind::Reply),
            (json!({"contextBoundaryKind": "reset"}), Kind::Reset),
        ] {
            assert_eq!(kind(&row(metadata.clone())), expected, "{metadata}");
        }
        let user = json!({"role": "user", "metadata": {"compacted": "user",
            "compactionBoundary": true, "compactionEpoch": 1}});
        assert_eq!(kind(&user), Kind::Prompt);
    }

    #[test]
    fn calls_tell_the_subagents_they_started() {
        let parts = [
            json!({"type": "dynamic-tool", "toolName": "task", "input": {"agentId": "explore"},
                "output": {"taskId": "a", "taskIds": ["a", "b"], "tasks": [{"taskId": "c"}]}}),
            json!({"type": "dynamic-tool", "toolName": "task_await", "output": {"taskId": "z"}}),
        ];
        let ids: Vec<String> = started(&parts).into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["a", "b", "c"]);
    }
}

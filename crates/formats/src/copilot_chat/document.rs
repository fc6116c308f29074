//! A chat as lines: one for each thing that was said, done or summarized, in the order sent.
//!
//! A request of the user stores its rounds (what the model said and which tools it called) and the
//! results of all calls in three places; what the editor shows repeats them and is left out.

use super::journal::Chat;
use crate::json::{field, items, some_text, text};
use serde_json::{Map, Value, json};

/// Kinds of parts of a response that only show what is stored elsewhere, or how far it is (VS Code,
/// 2026).
const SHOWN: [&str; 26] = [
    "agentDetection",
    "clearToPreviousToolInvocation",
    "codeCitation",
    "codeblockUri",
    "command",
    "confirmation",
    "elicitation",
    "elicitationSerialized",
    "externalEdit",
    "extensions",
    "inlineReference",
    "markdownContent",
    "markdownVuln",
    "mcpServersStarting",
    "multiDiffData",
    "notebookEditGroup",
    "progressMessage",
    "progressTask",
    "progressTaskSerialized",
    "pullRequest",
    "questionCarousel",
    "textEditGroup",
    "thinking",
    "toolInvocationSerialized",
    "undoStop",
    "warning",
];
/// Ids that a summary has in place of a round's: the last round of the previous request.
const PREVIOUS: &str = "previous";

/// The lines of a chat; `folder` is the workspace's.
pub(super) fn lines(chat: &Chat, folder: Option<&str>) -> Vec<u8> {
    let mut out = Lines::default();
    let root = &chat.root;
    let mut about = Map::new();
    for (key, value) in root.as_object().into_iter().flatten() {
        if key != "requests" {
            about.insert(key.clone(), value.clone());
        }
    }
    let requests = items(root, "requests");
    let version = requests
        .iter()
        .rev()
        .find_map(|own| some_text(field(own, "agent"), "extensionVersion"));
    out.add(json!({"type": "chat", "folder": folder, "extensionVersion": version, "chat": about}));
    let known: Vec<&str> = requests
        .iter()
        .flat_map(rounds)
        .map(|own| text(own, "id"))
        .collect();
    for (number, request) in (0..).zip(requests) {
        of_request(request, number, &known, &mut out);
    }
    out.bytes
}

#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
}

impl Lines {
    fn add(&mut self, line: Value) {
        self.bytes.extend(line.to_string().into_bytes());
        self.bytes.push(b'\n');
    }
}

fn metadata(request: &Value) -> &Value {
    field(field(request, "result"), "metadata")
}

fn rounds(request: &Value) -> &[Value] {
    items(metadata(request), "toolCallRounds")
}

fn of_request(request: &Value, number: usize, known: &[&str], out: &mut Lines) {
    let id = match text(request, "requestId") {
        "" => format!("request:{number}"),
        id => id.to_owned(),
    };
    let metadata = metadata(request);
    // Taken back by the user; the rest of the conversation does not follow it.
    let hidden = ["isHidden", "shouldBeRemovedOnSend", "disabled"]
        .iter()
        .any(|key| !matches!(field(request, key), Value::Null | Value::Bool(false)));
    let message = field(request, "message");
    let said = message.as_str().unwrap_or_else(|| text(message, "text"));
    out.add(json!({
        "type": "prompt", "id": id, "at": field(request, "timestamp"), "text": said,
        "hidden": hidden, "model": text(request, "modelId"),
        "variables": field(field(request, "variableData"), "variables"),
        "command": field(metadata, "command"),
    }));
    let mut summaries = summaries(metadata);
    let rounds = rounds(request);
    let own = |summary: &Value| {
        rounds
            .iter()
            .any(|round| text(round, "id") == text(summary, "toolCallRoundId"))
    };
    // Made before the first round: of what came before this request.
    summaries.retain(|summary| {
        let is_own = own(summary);
        if !is_own {
            out.add(summary_line(summary, &id, known));
        }
        is_own
    });
    let usage = usage(request, metadata);
    let results = field(metadata, "toolCallResults");
    for (place, round) in rounds.iter().enumerate() {
        let is_last = place + 1 == rounds.len();
        let round_id = text(round, "id");
        out.add(json!({
            "type": "round", "id": format!("{id}:{place}"), "round": round_id,
            "at": field(round, "timestamp"), "text": field(round, "response"),
            "thinking": thinking(round), "calls": field(round, "toolCalls"),
            "model": model(request, metadata), "usage": if is_last { usage.clone() } else { Value::Null },
        }));
        for call in items(round, "toolCalls") {
            let call_id = text(call, "id");
            if let Some(result) = results.get(call_id) {
                out.add(json!({
                    "type": "result", "id": format!("{id}:{place}:{call_id}"), "call": call_id,
                    "tool": text(call, "name"), "content": field(result, "content"),
                }));
            }
        }
        for summary in summaries
            .iter()
            .filter(|own| text(own, "toolCallRoundId") == round_id)
        {
            out.add(summary_line(summary, &id, known));
        }
    }
    let response = items(request, "response");
    if rounds.is_empty() && !response.is_empty() {
        out.add(json!({
            "type": "round", "id": format!("{id}:answer"), "round": id, "text": shown(response),
            "calls": shown_calls(response), "model": model(request, metadata), "usage": usage,
        }));
    }
    for (place, part) in response.iter().enumerate() {
        let kind = text(part, "kind");
        if !kind.is_empty() && !SHOWN.contains(&kind) {
            out.add(json!({"type": "part", "id": format!("{id}:part:{place}"), "kind": kind, "part": part}));
        }
    }
    let failed = field(field(request, "result"), "errorDetails");
    if failed.is_object() {
        out.add(
            json!({"type": "error", "id": format!("{id}:error"), "text": text(failed, "message")}),
        );
    }
}

/// The summaries that a request stored: one, in newer builds a list.
fn summaries(metadata: &Value) -> Vec<&Value> {
    let mut all: Vec<&Value> = items(metadata, "summaries").iter().collect();
    let one = field(metadata, "summary");
    if one.is_object() && !all.contains(&one) {
        all.push(one);
    }
    all
}

fn summary_line(summary: &Value, request: &str, known: &[&str]) -> Value {
    let round = text(summary, "toolCallRoundId");
    let upto = if known.contains(&round) {
        round
    } else {
        PREVIOUS
    };
    // The request's own id, or none, stands for the request itself.
    let upto = if round.is_empty() || round == request {
        ""
    } else {
        upto
    };
    json!({
        "type": "summary", "id": format!("{request}:summary:{round}"), "upto": upto,
        "text": text(summary, "text"),
    })
}

fn thinking(round: &Value) -> Value {
    let own = field(round, "thinking");
    match own.get("text") {
        Some(Value::Array(parts)) => {
            let parts = parts.iter().filter_map(Value::as_str);
            parts.collect::<Vec<_>>().join("\n").into()
        }
        Some(text) => text.clone(),
        None if own.is_string() => own.clone(),
        None => Value::Null,
    }
}

/// The model that answered: the one resolved, where the user had let the editor choose.
fn model(request: &Value, metadata: &Value) -> String {
    let resolved = some_text(metadata, "resolvedModel");
    resolved
        .unwrap_or_else(|| text(request, "modelId"))
        .to_owned()
}

/// Tokens of the last call of a request: `promptTokens` and `outputTokens`, in newer builds also
/// `usage` of the request itself.
fn usage(request: &Value, metadata: &Value) -> Value {
    let own = field(request, "usage");
    let first = |holders: [(&Value, &str); 2]| {
        let mut found = holders
            .into_iter()
            .map(|(holder, key)| field(holder, key).clone());
        found.find(Value::is_number).unwrap_or_default()
    };
    let input = first([(metadata, "promptTokens"), (own, "promptTokens")]);
    if input.is_null() {
        return Value::Null;
    }
    let output = first([(metadata, "outputTokens"), (own, "completionTokens")]);
    json!({"input": input, "output": output})
}

/// The text of a response as shown, where no rounds are stored.
fn shown(response: &[Value]) -> String {
    let mut out = String::new();
    for part in response {
        let value = field(part, "value");
        let piece = match text(part, "kind") {
            "" => value.as_str().unwrap_or_else(|| text(value, "value")),
            "markdownContent" | "markdownVuln" => text(field(part, "content"), "value"),
            "inlineReference" => some_text(part, "name").unwrap_or_default(),
            _ => "",
        };
        out.push_str(piece);
    }
    out
}

/// The calls of a response as shown, where no rounds are stored: their arguments are not.
fn shown_calls(response: &[Value]) -> Vec<Value> {
    let calls = response
        .iter()
        .filter(|part| text(part, "kind") == "toolInvocationSerialized");
    calls
        .map(|part| json!({"id": text(part, "toolCallId"), "name": text(part, "toolId"), "arguments": "{}"}))
        .collect()
}

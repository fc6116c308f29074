//! The messages of a request as each API spells them.
//!
//! Field names are those of the providers' references as of 2026. A request without messages of its
//! own is one user message.

use palimpsest_core::Role;
use palimpsest_core::call::{ModelBlock, ModelMessage, ModelRequest};
use serde_json::{Value, json};

/// Names of the tools that are called in the messages, each once, in the order of the first calls.
pub(crate) fn tools_called(request: &ModelRequest) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for block in request.messages.iter().flat_map(|own| &own.blocks) {
        if let ModelBlock::ToolCall { name, .. } = block
            && !names.contains(&name.as_str())
        {
            names.push(name);
        }
    }
    names
}

/// Anthropic Messages: `messages`.
pub(crate) fn anthropic(request: &ModelRequest) -> Vec<Value> {
    if request.messages.is_empty() {
        return vec![json!({ "role": "user", "content": request.prompt })];
    }
    let content = |block: &ModelBlock| match block {
        ModelBlock::Text { text } => json!({ "type": "text", "text": text }),
        ModelBlock::ToolCall {
            id,
            name,
            arguments,
        } => json!({ "type": "tool_use", "id": id, "name": name, "input": object(arguments) }),
        ModelBlock::ToolResult {
            id, text, is_error, ..
        } => json!({
            "type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error,
        }),
    };
    let messages = request.messages.iter().map(|own| {
        let role = if own.role == Role::Assistant {
            "assistant"
        } else {
            "user"
        };
        let content: Vec<Value> = own.blocks.iter().map(content).collect();
        json!({ "role": role, "content": content })
    });
    messages.collect()
}

/// OpenAI Chat Completions: what follows the system message in `messages`.
pub(crate) fn chat(request: &ModelRequest) -> Vec<Value> {
    if request.messages.is_empty() {
        return vec![json!({ "role": "user", "content": request.prompt })];
    }
    request.messages.iter().flat_map(chat_messages).collect()
}

/// A message of ours: results are messages of their own there, and go first.
fn chat_messages(own: &ModelMessage) -> Vec<Value> {
    let role = match own.role {
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::User | Role::Tool => "user",
    };
    let (mut messages, mut calls, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for block in &own.blocks {
        match block {
            ModelBlock::Text { text } => texts.push(text.as_str()),
            ModelBlock::ToolCall {
                id,
                name,
                arguments,
            } => {
                let function = json!({ "name": name, "arguments": arguments });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
            }
            ModelBlock::ToolResult { id, text, .. } => {
                messages.push(json!({ "role": "tool", "tool_call_id": id, "content": text }));
            }
        }
    }
    let text = texts.join("\n\n");
    if !calls.is_empty() {
        let content = if text.is_empty() {
            Value::Null
        } else {
            json!(text)
        };
        messages.push(json!({ "role": role, "content": content, "tool_calls": calls }));
    } else if !text.is_empty() {
        messages.push(json!({ "role": role, "content": text }));
    }
    messages
}

/// OpenAI Responses: `input`.
pub(crate) fn responses(request: &ModelRequest) -> Vec<Value> {
    let said = |role: &str, kind: &str, text: &str| json!({ "role": role, "content": [{ "type": kind, "text": text }] });
    if request.messages.is_empty() {
        return vec![said("user", "input_text", &request.prompt)];
    }
    let mut items = Vec::new();
    for own in &request.messages {
        let (role, kind) = match own.role {
            Role::Assistant => ("assistant", "output_text"),
            Role::System => ("developer", "input_text"),
            Role::User | Role::Tool => ("user", "input_text"),
        };
        items.extend(own.blocks.iter().map(|block| match block {
            ModelBlock::Text { text } => said(role, kind, text),
            ModelBlock::ToolCall {
                id,
                name,
                arguments,
            } => json!({
                "type": "function_call", "call_id": id, "name": name, "arguments": arguments,
            }),
            ModelBlock::ToolResult { id, text, .. } => {
                json!({ "type": "function_call_output", "call_id": id, "output": text })
            }
        }));
    }
    items
}

/// Gemini: `contents`.
pub(crate) fn gemini(request: &ModelRequest) -> Vec<Value> {
    if request.messages.is_empty() {
        return vec![json!({ "role": "user", "parts": [{ "text": request.prompt }] })];
    }
    let part = |block: &ModelBlock| match block {
        ModelBlock::Text { text } => json!({ "text": text }),
        ModelBlock::ToolCall {
            name, arguments, ..
        } => json!({ "functionCall": { "name": name, "args": object(arguments) } }),
        ModelBlock::ToolResult {
            name,
            text,
            is_error,
            ..
        } => {
            let key = if *is_error { "error" } else { "output" };
            json!({ "functionResponse": { "name": name, "response": { key: text } } })
        }
    };
    let contents = request.messages.iter().map(|own| {
        let role = if own.role == Role::Assistant {
            "model"
        } else {
            "user"
        };
        let parts: Vec<Value> = own.blocks.iter().map(part).collect();
        json!({ "role": role, "parts": parts })
    });
    contents.collect()
}

/// Arguments as the object that an API demands.
fn object(arguments: &str) -> Value {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(map)) => Value::Object(map),
        Ok(other) => json!({ "input": other }),
        Err(_) => json!({ "input": arguments }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ModelRequest {
        let text = |text: &str| ModelBlock::Text {
            text: text.to_owned(),
        };
        let message = |role, blocks| ModelMessage { role, blocks };
        let call = ModelBlock::ToolCall {
            id: "c1".to_owned(),
            name: "read".to_owned(),
            arguments: r#"{"path":"a"}"#.to_owned(),
        };
        let result = ModelBlock::ToolResult {
            id: "c1".to_owned(),
            name: "read".to_owned(),
            text: "let a;".to_owned(),
            is_error: false,
        };
        ModelRequest {
            model: "m".to_owned(),
            system: String::new(),
            prompt: "flat".to_owned(),
            messages: vec![
                message(Role::User, vec![text("Look.")]),
                message(Role::Assistant, vec![text("I look."), call]),
                message(Role::User, vec![result, text("Summarize.")]),
            ],
            max_output_tokens: None,
            temperature: None,
        }
    }

    #[test]
    fn each_api_gets_calls_and_results_as_its_own() {
        let request = request();
        assert_eq!(tools_called(&request), ["read"]);
        assert_eq!(
            json!(anthropic(&request)),
            json!([
                {"role": "user", "content": [{"type": "text", "text": "Look."}]},
                {"role": "assistant", "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a"}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "let a;",
                     "is_error": false},
                    {"type": "text", "text": "Summarize."},
                ]},
            ])
        );
        let called = json!({"name": "read", "arguments": "{\"path\":\"a\"}"});
        assert_eq!(
            json!(chat(&request)),
            json!([
                {"role": "user", "content": "Look."},
                {"role": "assistant", "content": "I look.",
                 "tool_calls": [{"id": "c1", "type": "function", "function": called}]},
                {"role": "tool", "tool_call_id": "c1", "content": "let a;"},
                {"role": "user", "content": "Summarize."},
            ])
        );
        assert_eq!(
            json!(responses(&request)),
            json!([
                {"role": "user", "content": [{"type": "input_text", "text": "Look."}]},
                {"role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
                {"type": "function_call", "call_id": "c1", "name": "read",
                 "arguments": "{\"path\":\"a\"}"},
                {"type": "function_call_output", "call_id": "c1", "output": "let a;"},
                {"role": "user", "content": [{"type": "input_text", "text": "Summarize."}]},
            ])
        );
        assert_eq!(
            json!(gemini(&request)),
            json!([
                {"role": "user", "parts": [{"text": "Look."}]},
                {"role": "model", "parts": [
                    {"text": "I look."},
                    {"functionCall": {"name": "read", "args": {"path": "a"}}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "read", "response": {"output": "let a;"}}},
                    {"text": "Summarize."},
                ]},
            ])
        );
    }

    #[test]
    fn a_request_without_messages_is_one_user_message() {
        let request = ModelRequest {
            messages: Vec::new(),
            ..request()
        };
        assert_eq!(
            json!(chat(&request)),
            json!([{"role": "user", "content": "flat"}])
        );
        assert_eq!(tools_called(&request), [""; 0]);
    }

    #[test]
    fn arguments_are_objects() {
        assert_eq!(object("[1]"), json!({"input": [1]}));
        assert_eq!(object("no json"), json!({"input": "no json"}));
    }
}

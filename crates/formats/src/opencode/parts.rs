//! The messages an agent makes of a stored message and its parts.
//!
//! Rules from `MessageV2.toModelMessages` of OpenCode 1.2 to 1.18; 0.x has the same ones as far
//! as its parts go.

use super::value::{filled, flag, items, text};
use crate::outcome::outcome_of;
use palimpsest_core::json::{stringify, utf16_len};
use palimpsest_core::{Block, Category, Message, MessageSize, Outcome, Role, ToolRef};
use serde_json::Value;

/// Stands for the result of a call that never ended (1.0 to 1.18).
const INTERRUPTED: &str = "[Tool execution was interrupted]";
/// The error of a call that the user stopped with its reply (0.5 to 1.18).
const STOPPED: &str = "Tool execution aborted";
/// Our note for the question that the agent puts before a summary.
const QUESTION: &str = "(asks what was done so far)";
/// UTF-16 units of the question itself, 1.0 to 1.18.
const QUESTION_UNITS: u64 = 22;
/// Our note for the sentence that stands for a subtask the user started.
const SUBTASK: &str = "(the user ran a tool)";
/// UTF-16 units of that sentence, 1.0 to 1.18.
const SUBTASK_UNITS: u64 = 43;

/// The role name of a tool result that the model no longer sees.
pub(super) const PRUNED: &str = "prunedToolResult";

/// Tokens by OpenCode's estimate (`Token.estimate`, all versions): UTF-16 units by four, rounded.
pub(super) fn tokens(units: u64) -> u64 {
    // To the nearest, as `Math.round` does.
    (units + 2) / 4
}

/// A message with its size by category.
#[derive(Debug)]
pub(super) struct Spoken {
    pub message: Message,
    pub units: Vec<(Category, u64)>,
    /// How the call went whose result it is.
    pub outcome: Outcome,
}

impl Spoken {
    fn new(role: Role, native_role: &'static str) -> Spoken {
        Spoken {
            message: Message {
                role,
                native_role,
                blocks: Vec::new(),
                tool: None,
                sent: false,
            },
            units: Vec::new(),
            outcome: Outcome::Fine,
        }
    }

    /// Adds what the model gets.
    fn say(&mut self, block: Block, category: Category, units: u64) {
        self.message.blocks.push(block);
        self.message.sent = true;
        self.count(category, units);
    }

    fn count(&mut self, category: Category, units: u64) {
        match self.units.iter_mut().find(|(known, _)| *known == category) {
            Some((_, sum)) => *sum += units,
            None if units > 0 => self.units.push((category, units)),
            None => {}
        }
    }

    /// Adds what the agent keeps to itself.
    fn keep(&mut self, part: &Value) {
        self.message.blocks.push(Block::Opaque {
            kind: text(part, "type").to_owned(),
            json: stringify(part),
        });
    }

    /// The size of the message.
    pub fn size(&self) -> MessageSize {
        MessageSize {
            role: self.message.role,
            native_role: self.message.native_role,
            estimate: tokens(self.units.iter().map(|(_, units)| units).sum()),
            units: self.units.clone(),
            tool_name: self.message.tool.as_ref().map(|tool| (*tool.name).into()),
            outcome: self.outcome,
            sent: self.message.sent,
        }
    }
}

/// True for an assistant message whose text is a summary that counts: finished, without an error.
/// Without a parent it is one of 0.x, which stores no end.
pub(super) fn is_summary(info: &Value) -> bool {
    flag(info, "summary")
        && !has_error(info)
        && (filled(info, "finish").is_some() || filled(info, "parentID").is_none())
}

/// True for a message that failed.
pub(super) fn has_error(info: &Value) -> bool {
    info.get("error").is_some_and(|error| !error.is_null())
}

/// The error of a reply that the user stopped.
pub(super) const ABORTED: &str = "MessageAbortedError";

/// Why a message failed, in words; empty where it did not, or where the user stopped it.
pub(super) fn failure_text(info: &Value) -> String {
    let error = info.get("error").unwrap_or(&Value::Null);
    let name = text(error, "name");
    if name == ABORTED {
        return String::new();
    }
    let data = error.get("data").unwrap_or(&Value::Null);
    match text(data, "message") {
        "" => name.to_owned(),
        said => format!("{name}: {said}"),
    }
}

/// The part that asks for a compaction.
pub(super) fn compaction_part(parts: &[Value]) -> Option<&Value> {
    parts.iter().find(|part| text(part, "type") == "compaction")
}

/// The messages of a stored message, in the order sent. A system prompt stored with it (0.x) comes
/// first; whether it says anything new is the reader's to know.
pub(super) fn spoken(info: &Value, parts: &[Value]) -> Vec<Spoken> {
    match text(info, "role") {
        "user" => user(parts),
        "assistant" => {
            let mut all = Vec::new();
            all.extend(system(info));
            all.extend(assistant(info, parts));
            all
        }
        _ => {
            let mut unknown = Spoken::new(Role::User, "unknown");
            parts.iter().for_each(|part| unknown.keep(part));
            vec![unknown]
        }
    }
}

/// The system prompt that 0.x stores with each reply.
fn system(info: &Value) -> Option<Spoken> {
    let mut spoken = Spoken::new(Role::System, "system");
    for prompt in items(info, "system").iter().filter_map(Value::as_str) {
        let block = Block::Text(prompt.to_owned());
        spoken.say(block, Category::System, utf16_len(prompt));
    }
    (!spoken.message.blocks.is_empty() && !flag(info, "summary")).then_some(spoken)
}

fn user(parts: &[Value]) -> Vec<Spoken> {
    let texts = || parts.iter().filter(|part| text(part, "type") == "text");
    let by_agent = texts().next().is_some() && texts().all(|part| flag(part, "synthetic"));
    let native_role = if compaction_part(parts).is_some() {
        "compaction"
    } else if by_agent {
        "synthetic"
    } else {
        "user"
    };
    let mut sent = Spoken::new(Role::User, native_role);
    let mut ignored = Spoken::new(Role::User, "ignored");
    for part in parts {
        let note = |text: &str| Block::Text(text.to_owned());
        match text(part, "type") {
            "text" => {
                let words = text(part, "text");
                let (message, category) = match (flag(part, "ignored"), flag(part, "synthetic")) {
                    (true, _) => (&mut ignored, Category::User),
                    (false, true) => (&mut sent, Category::Injected),
                    (false, false) => (&mut sent, Category::User),
                };
                // An empty text is kept, but does not make a message (1.18).
                if words.is_empty() {
                    message.message.blocks.push(note(words));
                } else {
                    message.say(note(words), category, utf16_len(words));
                }
            }
            // Plain text and folders were made into text parts when the prompt was written.
            "file" if !matches!(text(part, "mime"), "text/plain" | "application/x-directory") => {
                sent.say(attachment(part), Category::Images, 0);
            }
            "compaction" => sent.say(note(QUESTION), Category::Injected, QUESTION_UNITS),
            "subtask" => {
                sent.say(note(SUBTASK), Category::Injected, SUBTASK_UNITS);
                sent.keep(part);
            }
            _ => sent.keep(part),
        }
    }
    ignored.message.sent = false;
    [sent, ignored]
        .into_iter()
        .filter(|spoken| !spoken.message.blocks.is_empty())
        .collect()
}

fn assistant(info: &Value, parts: &[Value]) -> Vec<Spoken> {
    let native_role = if is_summary(info) {
        "summary"
    } else {
        "assistant"
    };
    let says = match native_role {
        "summary" => Category::Summaries,
        _ => Category::AssistantText,
    };
    let mut all: Vec<Spoken> = Vec::new();
    let mut step = Spoken::new(Role::Assistant, native_role);
    let mut results: Vec<Spoken> = Vec::new();
    let mut end_step = |step: &mut Spoken, results: &mut Vec<Spoken>| {
        let ended = std::mem::replace(step, Spoken::new(Role::Assistant, native_role));
        if !ended.message.blocks.is_empty() {
            all.push(ended);
        }
        all.append(results);
    };
    for part in parts {
        match text(part, "type") {
            "text" => {
                let words = text(part, "text");
                step.say(Block::Text(words.to_owned()), says, utf16_len(words));
            }
            "reasoning" => {
                let words = text(part, "text");
                let block = Block::Thinking {
                    text: words.to_owned(),
                    redacted: words.is_empty(),
                };
                step.say(block, Category::Thinking, utf16_len(words));
            }
            "tool" => {
                let (call, units) = call(part);
                step.say(call, Category::ToolCalls, units);
                results.push(result(part));
            }
            "step-start" => {
                if step.message.sent || !results.is_empty() {
                    end_step(&mut step, &mut results);
                }
                step.keep(part);
            }
            _ => step.keep(part),
        }
    }
    end_step(&mut step, &mut results);
    if is_left_out(info, parts) {
        for spoken in &mut all {
            spoken.message.sent = false;
        }
    }
    all
}

/// A failed message is not sent, unless it was stopped by the user after it had said something.
fn is_left_out(info: &Value, parts: &[Value]) -> bool {
    let name = info.get("error").map(|error| text(error, "name"));
    let says = |part: &Value| !matches!(text(part, "type"), "step-start" | "reasoning");
    has_error(info) && !(name == Some(ABORTED) && parts.iter().any(says))
}

fn state(part: &Value) -> &Value {
    part.get("state").unwrap_or(&Value::Null)
}

/// The arguments of a tool call.
pub(super) fn input(part: &Value) -> &Value {
    state(part).get("input").unwrap_or(&Value::Null)
}

fn call(part: &Value) -> (Block, u64) {
    let name = text(part, "tool");
    let arguments = match input(part) {
        Value::Null => String::new(),
        input => stringify(input),
    };
    let units = utf16_len(name) + utf16_len(&arguments);
    let call = Block::ToolCall {
        id: text(part, "callID").to_owned(),
        name: name.to_owned(),
        arguments,
    };
    (call, units)
}

/// True when the output was pruned: the agent keeps it, the model no longer gets it.
fn is_pruned(state: &Value) -> bool {
    let time = state.get("time").and_then(|time| time.get("compacted"));
    // As JavaScript sees it: 0 is no time.
    time.is_some_and(|time| time.as_f64() != Some(0.0) && !time.is_null())
}

fn result(part: &Value) -> Spoken {
    let state = state(part);
    let metadata = state.get("metadata").unwrap_or(&Value::Null);
    let (output, native_role, is_error) = match text(state, "status") {
        "completed" if is_pruned(state) => (text(state, "output"), PRUNED, false),
        "completed" => (text(state, "output"), "toolResult", false),
        "error" if flag(metadata, "interrupted") && metadata["output"].is_string() => {
            (text(metadata, "output"), "toolResult", false)
        }
        "error" => (text(state, "error"), "toolResult", true),
        _ => (INTERRUPTED, "toolResult", true),
    };
    let mut spoken = Spoken::new(Role::Tool, native_role);
    let block = Block::Text(output.to_owned());
    spoken.say(block, Category::ToolResults, utf16_len(output));
    for file in items(state, "attachments") {
        spoken.say(attachment(file), Category::Images, 0);
    }
    spoken.message.tool = Some(ToolRef {
        call_id: text(part, "callID").to_owned(),
        name: text(part, "tool").to_owned(),
        is_error,
    });
    spoken.outcome = outcome(state, &spoken.message);
    spoken
}

/// How a call went. A command that ends with a status other than 0 is a completed call for the agent,
/// and one that never ended or that the user stopped has not failed.
fn outcome(state: &Value, message: &Message) -> Outcome {
    let metadata = state.get("metadata").unwrap_or(&Value::Null);
    match text(state, "status") {
        "completed" => match metadata.get("exit").and_then(Value::as_i64) {
            Some(status) if status != 0 => Outcome::Failed,
            _ => Outcome::Fine,
        },
        "error" if flag(metadata, "interrupted") || text(state, "error") == STOPPED => {
            Outcome::Fine
        }
        "error" => outcome_of(message),
        _ => Outcome::Fine,
    }
}

/// A file that is sent as such; only data URLs hold it themselves.
fn attachment(part: &Value) -> Block {
    let url = text(part, "url");
    let data = url
        .strip_prefix("data:")
        .and_then(|url| url.split_once(','))
        .map_or("", |(_, data)| data);
    Block::Image {
        mime: text(part, "mime").to_owned(),
        base64_len: data.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_fails_by_its_state_or_by_the_status_of_its_command() {
        for (state, outcome, is_error) in [
            (
                json!({"status": "completed", "output": "x"}),
                Outcome::Fine,
                false,
            ),
            (
                json!({"status": "completed", "output": "x", "metadata": {"exit": 0}}),
                Outcome::Fine,
                false,
            ),
            // For the model it is a result like others.
            (
                json!({"status": "completed", "output": "x", "metadata": {"exit": 1}}),
                Outcome::Failed,
                false,
            ),
            (
                json!({"status": "error", "error": "File not found"}),
                Outcome::Failed,
                true,
            ),
            (
                json!({"status": "error", "error": STOPPED}),
                Outcome::Fine,
                true,
            ),
            (
                json!({"status": "error", "error": "x", "metadata": {"interrupted": true}}),
                Outcome::Fine,
                true,
            ),
            (
                json!({"status": "error",
                    "error": "The user rejected permission to use this specific tool call."}),
                Outcome::Rejected,
                true,
            ),
            (json!({"status": "running"}), Outcome::Fine, true),
        ] {
            let spoken = result(&json!({"callID": "c", "tool": "bash", "state": state}));
            assert_eq!(spoken.size().outcome, outcome, "{state}");
            let tool = spoken.message.tool.map(|tool| tool.is_error);
            assert_eq!(tool, Some(is_error), "{state}");
        }
    }
}

//! The calls and results of an entry, as a search sees them.

use palimpsest_core::body::Block;
use palimpsest_core::{Body, Entry, Message};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Names of arguments that hold a shell command, over the tools of all agents.
const COMMAND_KEYS: [&str; 3] = ["\"command\"", "\"cmd\"", "\"script\""];

/// The arguments of [`COMMAND_KEYS`]; the others are skipped without being kept.
#[derive(Deserialize)]
struct Commands {
    command: Option<Value>,
    cmd: Option<Value>,
    script: Option<Value>,
}

/// Arguments longer than this hold files written whole, not commands.
const MOST_ARGUMENT_BYTES: usize = 512 << 10;

/// So many calls without a result are remembered; agents seldom have more than some at work.
const MOST_WAITING: usize = 64;
/// Of a command that waits for its result so much is remembered.
const MOST_WAITING_BYTES: usize = 1 << 10;

/// Commands whose results were not read yet, oldest first: a result has no command of its own, and is
/// found by that of its call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting(Vec<(String, String)>);

impl Waiting {
    /// True when every command has its result.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes the commands that an entry calls, and gives those whose results it holds, each with the id
    /// of its call.
    pub(super) fn pass(&mut self, entry: &Entry, body: &Body) -> Vec<(String, String)> {
        let mut answered = Vec::new();
        for message in said_in(entry, body) {
            for block in &message.blocks {
                if let Block::ToolCall { id, arguments, .. } = block {
                    let mut command = commands_in(arguments).join("\n");
                    if !command.is_empty() {
                        command.truncate(command.floor_char_boundary(MOST_WAITING_BYTES));
                        self.0.push((id.clone(), command));
                    }
                }
            }
            if let Some(tool) = &message.tool
                && let Some(at) = self.0.iter().position(|(id, _)| *id == tool.call_id)
            {
                answered.push(self.0.remove(at));
            }
        }
        // A call that was never answered must not be kept for ever.
        let many = self.0.len().saturating_sub(MOST_WAITING);
        self.0.drain(..many);
        answered
    }
}

/// The messages in which an entry calls tools and has results: of a record that reports on a subagent
/// those of the subagent.
pub(super) fn said_in<'b>(entry: &Entry, body: &'b Body) -> impl Iterator<Item = &'b Message> {
    let reported: &[Message] = match entry.subagent {
        Some(_) => &body.beside,
        None => &[],
    };
    body.messages.iter().chain(reported)
}

/// The shell commands among the arguments of a call.
pub(super) fn commands_in(arguments: &str) -> Vec<String> {
    // Parsing the arguments of every call would show in the time of a first index.
    if arguments.len() > MOST_ARGUMENT_BYTES
        || !COMMAND_KEYS.iter().any(|key| arguments.contains(key))
    {
        return Vec::new();
    }
    let Ok(arguments) = serde_json::from_str::<Commands>(arguments) else {
        return Vec::new();
    };
    let command = |value: Value| match value {
        Value::String(command) => Some(command),
        // Codex gives the words of a command as a list.
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(words.join(" "))
        }
        _ => None,
    };
    let all = [arguments.command, arguments.cmd, arguments.script];
    all.into_iter().flatten().filter_map(command).collect()
}

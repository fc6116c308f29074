//! What of an entry can be found beside its words: kind, tools, commands and files.

use palimpsest_core::body::Block;
use palimpsest_core::{Body, Entry, EntryKind, Role};
use palimpsest_store::index::{Field, push_field, push_term};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;

/// Names of arguments that hold a shell command, over the tools of all agents.
const COMMAND_KEYS: [&str; 3] = ["\"command\"", "\"cmd\"", "\"script\""];

/// The arguments of [`COMMAND_KEYS`]; the others are skipped without being kept.
#[derive(Deserialize)]
struct Commands {
    command: Option<Value>,
    cmd: Option<Value>,
    script: Option<Value>,
}

/// Commands are searched by their words up to this length; what follows is mostly a here-document.
const MOST_COMMAND_BYTES: usize = 8 << 10;
/// Arguments longer than this hold files written whole, not commands.
const MOST_ARGUMENT_BYTES: usize = 512 << 10;

/// The kinds an entry has for a search: what the record is, who speaks in it, and what it does.
pub(super) fn kinds_of(entry: &Entry, has_image: bool) -> Vec<&'static str> {
    let mut kinds = Vec::with_capacity(8);
    kinds.push(entry.kind.name());
    if let Some(role) = entry.role() {
        kinds.push(match role {
            Role::Tool => "result",
            other => other.name(),
        });
    }
    if entry.kind.summary().is_some() {
        kinds.push("summary");
    }
    if !entry.tool_calls.is_empty() {
        kinds.push("call");
    }
    if matches!(entry.kind, EntryKind::UserShell) {
        kinds.push("shell");
    }
    if entry.is_error {
        kinds.push("error");
    }
    if entry.rejected {
        kinds.push("rejected");
    }
    if has_image {
        kinds.push("image");
    }
    if is_todo_list(entry) {
        kinds.push("todo");
    }
    if is_plan(entry) {
        kinds.push("plan");
    }
    kinds
}

/// The kind of an entry at which the model changes, as the record of such a change has it.
pub(super) const SWITCH: &str = "model_change";

/// True for a plan that the user is to approve: Claude Code's ExitPlanMode, Gemini's exit_plan_mode,
/// OpenCode's plan_exit.
fn is_plan(entry: &Entry) -> bool {
    let is_plan = |name: &str| {
        ["exitplanmode", "exit_plan_mode", "plan_exit"]
            .iter()
            .any(|other| name.eq_ignore_ascii_case(other))
    };
    entry.tool_calls.iter().any(|call| is_plan(&call.name))
}

/// The kinds by the agent's own name of a record: the whole name and its last part, so that
/// `session.context_cleared` is found by both.
pub(super) fn own_kinds(entry: &Entry) -> impl Iterator<Item = String> {
    let name = entry.kind.own_name().unwrap_or_default();
    let last = name
        .rsplit(['.', '/', ':'])
        .next()
        .filter(|last| *last != name);
    let names = [Some(name), last].into_iter().flatten();
    names.map(own_kind_term).filter(|term| !term.is_empty())
}

/// The term of a kind by an agent's own name: its ASCII letters and digits.
pub(crate) fn own_kind_term(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// True for a list of things to do: the call that writes it, or a record of its own. Its result says
/// no more than that it was written.
fn is_todo_list(entry: &Entry) -> bool {
    // Claude Code: TodoWrite; OpenCode: todowrite; Gemini: write_todos; Copilot: update_todo;
    // Codex: update_plan. Claude Code 2.1: TaskCreate and TaskUpdate.
    let is_todo = |name: &str| {
        let mut parts = name.as_bytes().windows(4);
        parts.any(|part| part.eq_ignore_ascii_case(b"todo"))
            || ["update_plan", "taskcreate", "taskupdate"]
                .iter()
                .any(|other| name.eq_ignore_ascii_case(other))
    };
    let mut called = entry.tool_calls.iter().map(|call| &*call.name);
    called.any(is_todo) || entry.kind.own_name().is_some_and(is_todo)
}

/// True when an entry shows an image, by its size or by its text.
pub(super) fn has_image(entry: &Entry, body: Option<&Body>) -> bool {
    // Some agents count no size for an image; a record that is too long to be read has only sizes.
    let messages = body.into_iter().flat_map(|body| &body.messages);
    let mut blocks = messages.flat_map(|message| &message.blocks);
    entry.has_image() || blocks.any(|block| matches!(block, Block::Image { .. }))
}

/// The fields of an entry, as the index holds them; `switches` where the model changes at it.
pub(crate) fn fields_of(entry: &Entry, body: Option<&Body>, switches: bool) -> String {
    let mut fields = fields_with(entry, body, &kinds_of(entry, has_image(entry, body)));
    if switches {
        push_switch(&mut fields);
    }
    fields
}

/// Adds that the model changes at an entry.
pub(super) fn push_switch(fields: &mut String) {
    push_kind(fields, SWITCH);
}

/// The same, of an entry whose kinds are known.
pub(super) fn fields_with(entry: &Entry, body: Option<&Body>, kinds: &[&str]) -> String {
    let mut out = String::new();
    for kind in kinds {
        push_kind(&mut out, kind);
    }
    for kind in own_kinds(entry) {
        push_term(&mut out, Field::Kind, &kind);
    }
    if let EntryKind::Label {
        text: Some(text), ..
    } = &entry.kind
    {
        push_field(&mut out, Field::Label, text);
    }
    for tool in entry.tools() {
        push_field(&mut out, Field::Tool, tool);
    }
    let shell = matches!(entry.kind, EntryKind::UserShell);
    let blocks = body.into_iter().flat_map(|body| &body.messages);
    for block in blocks.flat_map(|message| &message.blocks) {
        match block {
            Block::ToolCall { arguments, .. } => push_arguments(&mut out, arguments),
            Block::Text(text) if shell => {
                let line = text.lines().find(|line| !line.trim().is_empty());
                push_field(&mut out, Field::Command, line.unwrap_or_default());
            }
            _ => {}
        }
    }
    for call in &entry.tool_calls {
        if let Some(path) = &call.path {
            push_field(&mut out, Field::File, path);
        }
    }
    out
}

/// A kind is one term, so that `tool` is not found in `tool_result`.
fn push_kind(out: &mut String, kind: &str) {
    push_term(out, Field::Kind, &kind_term(kind));
}

/// The term of a kind.
pub(crate) fn kind_term(kind: &str) -> Cow<'_, str> {
    if kind.contains('_') {
        Cow::Owned(kind.replace('_', ""))
    } else {
        Cow::Borrowed(kind)
    }
}

fn push_arguments(out: &mut String, arguments: &str) {
    // Parsing the arguments of every call would show in the time of a first index.
    if arguments.len() > MOST_ARGUMENT_BYTES
        || !COMMAND_KEYS.iter().any(|key| arguments.contains(key))
    {
        return;
    }
    let Ok(arguments) = serde_json::from_str::<Commands>(arguments) else {
        return;
    };
    for command in [arguments.command, arguments.cmd, arguments.script] {
        match command {
            Some(Value::String(command)) => push_command(out, &command),
            // Codex gives the words of a command as a list.
            Some(Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                push_command(out, &words.join(" "));
            }
            _ => {}
        }
    }
}

fn push_command(out: &mut String, command: &str) {
    let end = command.floor_char_boundary(command.len().min(MOST_COMMAND_BYTES));
    push_field(out, Field::Command, &command[..end]);
}

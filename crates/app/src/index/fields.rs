//! What of an entry can be found beside its words: kind, tools, commands and files.

use palimpsest_core::body::{Block, QUEUED};
use palimpsest_core::{Body, Entry, EntryKind, Message, MessageSize, Outcome, Role, ToolRef};
use palimpsest_ledger::programs::program_of;
use palimpsest_store::index::{FailedCall, Field, push_field, push_term};
use serde::{Deserialize, Serialize};
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
pub(super) fn kinds_of(entry: &Entry, body: Option<&Body>) -> Vec<&'static str> {
    let mut kinds = Vec::with_capacity(8);
    // A record that names a model changes it only where another one was named before.
    if entry.kind != EntryKind::ModelChange {
        kinds.push(entry.kind.name());
    }
    // Agents store a summary as a message of the user, who did not write it.
    if entry.kind.summary().is_some() {
        kinds.push("summary");
    } else if let Some(role) = entry.role() {
        kinds.push(match role {
            Role::Tool => "result",
            other => other.name(),
        });
    }
    // What a subagent did inside the session is found by its calls and results. Prompts and replies
    // are those of the session itself.
    let report = entry.subagent.as_ref();
    if report.is_some_and(|report| report.role() == Role::Tool) {
        kinds.push("result");
    }
    if entry.calls().next().is_some() {
        kinds.push("call");
    }
    if matches!(entry.kind, EntryKind::UserShell) {
        kinds.push("shell");
    }
    if entry.is_found_as_failure() {
        kinds.push("error");
    }
    if entry.is_found_as_rejected() {
        kinds.push("rejected");
    }
    if is_aborted(entry) {
        kinds.push("aborted");
    }
    if entry.undone {
        kinds.push("undone");
    }
    if body.is_some_and(is_queued) {
        kinds.push(QUEUED);
    }
    if has_image(entry, body) {
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

/// True where the user stopped the agent: a reply that was cut off, or a record that says so.
fn is_aborted(entry: &Entry) -> bool {
    // Copilot: `abort`; Codex: `turn_aborted`. Claude Code writes it as the user's words.
    let says_so = |name: &str| ["abort", "turn_aborted"].contains(&name);
    entry.is_aborted()
        || entry.kind.own_name().is_some_and(says_so)
        || entry.preview.starts_with("[Request interrupted by user")
}

/// True for a record with what the user wrote while the model was at work.
fn is_queued(body: &Body) -> bool {
    body.beside.iter().any(|own| own.native_role == QUEUED)
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
    let mut called = entry.calls().map(|call| &*call.name);
    called.any(is_todo) || entry.kind.own_name().is_some_and(is_todo)
}

/// True when an entry shows an image, by its size or by its text.
fn has_image(entry: &Entry, body: Option<&Body>) -> bool {
    // Some agents count no size for an image; a record that is too long to be read has only sizes.
    let messages = body.into_iter().flat_map(|body| &body.messages);
    let mut blocks = messages.flat_map(|message| &message.blocks);
    entry.has_image() || blocks.any(|block| matches!(block, Block::Image { .. }))
}

/// So many calls without a result are remembered; agents seldom have more than some at work.
const MOST_WAITING: usize = 64;
/// Of a command that waits for its result so much is remembered.
const MOST_WAITING_BYTES: usize = 1 << 10;

/// Commands whose results were not read yet, oldest first: a result has no command of its own, and is
/// found by that of its call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting(Vec<(String, String)>);

impl Waiting {
    /// True when every command has its result.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes the commands that an entry calls, and gives those whose results it holds, each with the id
    /// of its call.
    pub(crate) fn pass(&mut self, entry: &Entry, body: &Body) -> Vec<(String, String)> {
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
fn said_in<'b>(entry: &Entry, body: &'b Body) -> impl Iterator<Item = &'b Message> {
    let reported: &[Message] = match entry.subagent {
        Some(_) => &body.beside,
        None => &[],
    };
    body.messages.iter().chain(reported)
}

/// The fields of an entry, as the index holds them; `switches` where the model changes at it, and
/// `answered` are the commands of the calls whose results it holds.
pub(crate) fn fields_of(
    entry: &Entry,
    body: Option<&Body>,
    switches: bool,
    answered: &[(String, String)],
) -> String {
    let kinds = kinds_of(entry, body);
    let mut fields = fields_with(entry, body, &kinds, answered);
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
pub(super) fn fields_with(
    entry: &Entry,
    body: Option<&Body>,
    kinds: &[&str],
    answered: &[(String, String)],
) -> String {
    let mut out = String::new();
    for kind in kinds {
        push_kind(&mut out, kind);
    }
    for (_, command) in answered {
        push_command(&mut out, command);
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
    let messages = body.into_iter().flat_map(|body| said_in(entry, body));
    for block in messages.flat_map(|message| &message.blocks) {
        match block {
            Block::ToolCall { arguments, .. } => push_arguments(&mut out, arguments),
            Block::Text(text) if shell => {
                let line = text.lines().find(|line| !line.trim().is_empty());
                push_field(&mut out, Field::Command, line.unwrap_or_default());
            }
            _ => {}
        }
    }
    for call in entry.calls() {
        if let Some(path) = &call.path {
            push_field(&mut out, Field::File, path);
        }
    }
    out
}

/// The calls of an entry's results that failed or were rejected; `answered` as in [`fields_of`].
pub(super) fn failed_calls(
    entry: &Entry,
    body: Option<&Body>,
    answered: &[(String, String)],
) -> Vec<FailedCall> {
    if let Some(report) = &entry.subagent {
        let results = report.results.iter();
        let troubled = results.filter(|result| result.outcome != Outcome::Fine);
        return troubled
            .map(|result| FailedCall {
                tool: result.tool.to_string(),
                command: program_in(answered, &result.call_id),
                rejected: result.outcome == Outcome::Rejected,
            })
            .collect();
    }
    let is_troubled = |size: &&MessageSize| size.outcome != Outcome::Fine;
    // Most entries have none, and need not be looked through again.
    if !entry.messages.iter().any(|size| is_troubled(&size)) {
        return Vec::new();
    }
    let Some(body) = body.filter(|body| body.messages.len() == entry.messages.len()) else {
        // Of a record that is too long to be read only the sizes are known.
        let sizes = entry.messages.iter().filter(is_troubled);
        return sizes.map(|size| failed_call(size, None, None)).collect();
    };
    let both = entry.messages.iter().zip(&body.messages);
    let calls = both
        .filter(|(size, _)| is_troubled(size))
        .map(|(size, message)| {
            let tool = message.tool.as_ref();
            let command = tool.and_then(|tool| program_in(answered, &tool.call_id));
            failed_call(size, tool, command)
        });
    calls.collect()
}

/// What the command of a call runs.
fn program_in(answered: &[(String, String)], call_id: &str) -> Option<String> {
    let mut own = answered.iter().filter(|(id, _)| id == call_id);
    program_of(&own.next()?.1)
}

fn failed_call(size: &MessageSize, tool: Option<&ToolRef>, command: Option<String>) -> FailedCall {
    let known = size.tool_name.as_deref().filter(|name| !name.is_empty());
    let known = known.or_else(|| tool.map(|tool| tool.name.as_str()));
    FailedCall {
        tool: known.unwrap_or_default().to_owned(),
        command,
        rejected: size.outcome == Outcome::Rejected,
    }
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
    for command in commands_in(arguments) {
        push_command(out, &command);
    }
}

/// The shell commands among the arguments of a call.
fn commands_in(arguments: &str) -> Vec<String> {
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

fn push_command(out: &mut String, command: &str) {
    let end = command.floor_char_boundary(command.len().min(MOST_COMMAND_BYTES));
    push_field(out, Field::Command, &command[..end]);
}

//! What of an entry can be found beside its words: kind, tools, commands and files.

use super::calls::{commands_in, said_in};
use super::kinds::{SWITCH, kind_term, kinds_of, own_kinds};
use super::trail::Told;
use palimpsest_core::body::Block;
use palimpsest_core::{Body, Entry, EntryKind, MessageSize, Outcome, ToolRef};
use palimpsest_ledger::programs::program_of;
use palimpsest_store::index::{FailedCall, Field, push_field, push_term};

/// Commands are searched by their words up to this length; what follows is mostly a here-document.
const MOST_COMMAND_BYTES: usize = 8 << 10;

/// The fields of an entry, as the index holds them; `switches` where the model changes at it, and
/// `told` is what the entries before it tell.
pub(crate) fn fields_of(entry: &Entry, body: Option<&Body>, switches: bool, told: &Told) -> String {
    let kinds = kinds_of(entry, body, told);
    let mut fields = fields_with(entry, body, &kinds, &told.answered);
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

/// The calls of an entry's results that failed or were rejected; `answered` are the commands of the
/// calls whose results it holds.
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

fn push_arguments(out: &mut String, arguments: &str) {
    for command in commands_in(arguments) {
        push_command(out, &command);
    }
}

fn push_command(out: &mut String, command: &str) {
    let end = command.floor_char_boundary(command.len().min(MOST_COMMAND_BYTES));
    push_field(out, Field::Command, &command[..end]);
}

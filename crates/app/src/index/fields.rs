//! What of an entry can be found beside its words: kind, tools, commands and files.

use super::calls::{Waits, said_in};
use super::kinds::{SWITCH, kind_term, kinds_of, own_kinds};
use super::trail::Told;
use palimpsest_core::body::Block;
use palimpsest_core::{Body, Entry, EntryKind, MessageSize, Outcome, ToolRef};
use palimpsest_formats::outcome_of;
use palimpsest_ledger::programs::program_of;
use palimpsest_store::index::{FailedCall, Field, push_field, push_term};

/// Commands are searched by their words up to this length; what follows is mostly a here-document.
const MOST_COMMAND_BYTES: usize = 8 << 10;

/// The fields of an entry, as the index holds them; `switches` where the model changes at it, and
/// `told` is what the entries before it tell.
pub(crate) fn fields_of(entry: &Entry, body: Option<&Body>, switches: bool, told: &Told) -> String {
    let kinds = kinds_of(entry, body, told);
    let mut fields = fields_with(entry, body, &kinds, told);
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
    told: &Told,
) -> String {
    let mut out = String::new();
    for kind in kinds {
        push_kind(&mut out, kind);
    }
    // A result in the record of its call has nothing that the call has not.
    for call in told.answered.iter().filter(|call| !call.is_own) {
        push_command(&mut out, &call.command);
        for file in &call.files {
            push_field(&mut out, Field::File, file);
        }
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
    for command in &told.runs.commands {
        push_command(&mut out, command);
    }
    if matches!(entry.kind, EntryKind::UserShell) {
        let messages = body.into_iter().flat_map(|body| said_in(entry, body));
        for block in messages.flat_map(|message| &message.blocks) {
            if let Block::Text(text) = block {
                let line = text.lines().find(|line| !line.trim().is_empty());
                push_field(&mut out, Field::Command, line.unwrap_or_default());
            }
        }
    }
    for call in entry.calls() {
        if let Some(path) = &call.path {
            push_field(&mut out, Field::File, path);
        }
    }
    for file in &told.runs.files {
        push_field(&mut out, Field::File, &file.path);
    }
    out
}

/// What a hit shows beside the words of its own record, one part per line: the lines of calls whose
/// results failed or were rejected, the task or the subagent that it is of.
pub(super) fn shown_beside(entry: &Entry, body: &Body, told: &Told) -> String {
    let mut out = String::new();
    let troubled = entry.is_found_as_failure() || entry.is_found_as_rejected();
    for call in told.answered.iter().filter(|call| troubled && !call.is_own) {
        if is_troubled(entry, body, &call.id) {
            out.push_str(&call.line());
            out.push('\n');
        }
    }
    if let Some(about) = &told.about {
        out.push_str(about);
        out.push('\n');
    }
    out
}

/// True where the result of a call is a failure or a refusal.
fn is_troubled(entry: &Entry, body: &Body, call_id: &str) -> bool {
    if let Some(report) = &entry.subagent {
        let mut own = report.results.iter();
        return own.any(|own| &*own.call_id == call_id && own.outcome != Outcome::Fine);
    }
    let known = entry.messages.len() == body.messages.len();
    let mut own = body.messages.iter().enumerate();
    own.any(|(at, message)| {
        let is_it = message
            .tool
            .as_ref()
            .is_some_and(|tool| tool.call_id == call_id);
        is_it
            && match entry.messages.get(at) {
                Some(size) if known => size.outcome,
                _ => outcome_of(message),
            } != Outcome::Fine
    })
}

/// The calls of an entry's results that failed or were rejected; `answered` are the commands of the
/// calls whose results it holds.
pub(super) fn failed_calls(
    entry: &Entry,
    body: Option<&Body>,
    answered: &[Waits],
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
fn program_in(answered: &[Waits], call_id: &str) -> Option<String> {
    let mut own = answered.iter().filter(|call| call.id == call_id);
    program_of(&own.next()?.command)
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

fn push_command(out: &mut String, command: &str) {
    let end = command.floor_char_boundary(command.len().min(MOST_COMMAND_BYTES));
    push_field(out, Field::Command, &command[..end]);
}

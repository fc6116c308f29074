//! The kinds an entry has for a search: what the record is, who speaks in it, what it does, and what
//! became of it.

use super::calls::{Waits, said_in};
use super::subagents::{is_of_subagent, starts_one};
use super::todos::keeps_todos;
use super::trail::Told;
use palimpsest_core::body::{Block, QUEUED};
use palimpsest_core::{Body, Category, Entry, EntryKind, Role};
use palimpsest_ledger::test_failures::{failed_test, runs_commands};
use palimpsest_store::index::OPEN_TODO;
use std::borrow::Cow;

/// The kind of a result that shows tests that failed.
pub(crate) const FAILED_TEST: &str = "failed_test";
/// The kind of a call that reads a file again.
pub(crate) const REREAD: &str = "reread";
/// The kind of what a subagent wrote, and of the call that started it.
pub(crate) const SUBAGENT: &str = "subagent";
/// The kind of a call that started a subagent.
pub(crate) const SUBAGENT_START: &str = "subagent_start";
/// The kind of a record with which a process of the agent took up a session.
pub(crate) const RESUME: &str = "resume";

/// The kinds of an entry; `told` is what the entries before it tell.
pub(super) fn kinds_of(entry: &Entry, body: Option<&Body>, told: &Told) -> Vec<&'static str> {
    let mut kinds = Vec::with_capacity(8);
    // A record that names a model changes it only where another one was named before.
    if entry.kind != EntryKind::ModelChange {
        kinds.push(entry.kind.name());
    }
    // Agents store a summary as a message of the user, who did not write it.
    if entry.kind.summary().is_some() {
        kinds.push("summary");
    } else if let Some(role) = entry.role() {
        match role {
            Role::Tool => kinds.push("result"),
            // A call without words is no reply.
            Role::Assistant if !says_something(entry) => {}
            other => kinds.push(other.name()),
        }
    }
    if has_part(entry, Category::Thinking) {
        kinds.push("thinking");
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
    if told.is_open_todo {
        kinds.push(OPEN_TODO);
    }
    if is_plan(entry) {
        kinds.push("plan");
    }
    if is_of_subagent(entry) {
        kinds.push(SUBAGENT);
    }
    if starts_one(entry) {
        kinds.push(SUBAGENT_START);
    }
    if is_resume(entry) {
        kinds.push(RESUME);
    }
    if told.rereads {
        kinds.push(REREAD);
    }
    if body.is_some_and(|body| shows_failed_tests(entry, body, &told.answered)) {
        kinds.push(FAILED_TEST);
    }
    kinds
}

/// True where the output of a command shows tests that failed.
fn shows_failed_tests(entry: &Entry, body: &Body, answered: &[Waits]) -> bool {
    let shell = matches!(entry.kind, EntryKind::UserShell);
    // The sizes have the names of tools that a record itself does not say.
    let sizes = Some(&entry.messages).filter(|sizes| sizes.len() == body.messages.len());
    let mut sizes = sizes.into_iter().flatten();
    said_in(entry, body).any(|message| {
        let size = sizes.next();
        let runs = message.tool.as_ref().is_some_and(|tool| {
            let known = size.and_then(|size| size.tool_name.as_deref());
            runs_commands(&tool.name)
                || known.is_some_and(runs_commands)
                || answered
                    .iter()
                    .any(|call| call.id == tool.call_id && !call.command.is_empty())
        });
        let mut texts = message.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text),
            _ => None,
        });
        (shell || runs) && texts.any(|text| failed_test(text).is_some())
    })
}

/// True where some message of an entry has something of a kind.
fn has_part(entry: &Entry, part: Category) -> bool {
    let units = entry.messages.iter().flat_map(|message| &message.units);
    units
        .into_iter()
        .any(|(own, size)| *own == part && *size > 0)
}

/// True for a reply with words, and for one of which nothing is known.
fn says_something(entry: &Entry) -> bool {
    let other = entry.calls().next().is_some() || has_part(entry, Category::Thinking);
    has_part(entry, Category::AssistantText) || !other
}

/// True for a reply that has nothing but what the model thought.
pub(crate) fn is_thinking(entry: &Entry) -> bool {
    entry.role() == Some(Role::Assistant)
        && has_part(entry, Category::Thinking)
        && !has_part(entry, Category::AssistantText)
        && entry.calls().next().is_none()
}

/// True for a record of Claude Code's hook that runs when a process takes up a session. Copilot's
/// `session.resume` has the kind by its name.
fn is_resume(entry: &Entry) -> bool {
    entry.kind.own_name().is_some() && entry.preview.contains("SessionStart:resume")
}

/// True where the user stopped the agent: a reply that was cut off, or a record that says so.
fn is_aborted(entry: &Entry) -> bool {
    // Copilot: `abort`; Codex: `turn_aborted`; Droid: the outcome of a turn. Claude Code writes it as
    // the user's words.
    let says_so = |name: &str| match name {
        "abort" | "turn_aborted" => true,
        "agent_turn_outcome" => entry.preview.ends_with(": cancelled"),
        _ => false,
    };
    entry.is_aborted()
        || entry.kind.own_name().is_some_and(says_so)
        || entry.preview.starts_with("[Request interrupted by user")
        // Droid's words for its model.
        || &*entry.preview == "Request interrupted by user"
}

/// True for a record with what the user wrote while the model was at work.
fn is_queued(body: &Body) -> bool {
    body.beside.iter().any(|own| own.native_role == QUEUED)
}

/// The kind of an entry at which the model changes, as the record of such a change has it.
pub(super) const SWITCH: &str = "model_change";

/// True for a plan that the user is to approve, and for the result of one that was rejected: Claude
/// Code's ExitPlanMode, Gemini's exit_plan_mode, OpenCode's plan_exit.
fn is_plan(entry: &Entry) -> bool {
    let is_plan = |name: &str| {
        ["exitplanmode", "exit_plan_mode", "plan_exit"]
            .iter()
            .any(|other| name.eq_ignore_ascii_case(other))
    };
    entry.tool_calls.iter().any(|call| is_plan(&call.name))
        || entry.is_found_as_rejected() && entry.tools().into_iter().any(is_plan)
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
    let mut called = entry.calls().map(|call| &*call.name);
    called.any(keeps_todos) || entry.kind.own_name().is_some_and(keeps_todos)
}

/// True when an entry shows an image, by its size or by its text.
fn has_image(entry: &Entry, body: Option<&Body>) -> bool {
    // Some agents count no size for an image; a record that is too long to be read has only sizes.
    let messages = body.into_iter().flat_map(|body| &body.messages);
    let mut blocks = messages.flat_map(|message| &message.blocks);
    entry.has_image() || blocks.any(|block| matches!(block, Block::Image { .. }))
}

/// The term of a kind.
pub(crate) fn kind_term(kind: &str) -> Cow<'_, str> {
    if kind.contains('_') {
        Cow::Owned(kind.replace('_', ""))
    } else {
        Cow::Borrowed(kind)
    }
}

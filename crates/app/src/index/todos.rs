//! The things to do that a session keeps with tools, in their last state.

use super::calls::said_in;
use palimpsest_core::body::Block;
use palimpsest_core::ledger::TaskState;
use palimpsest_core::{Body, Entry};
use palimpsest_ledger::task_calls::{TaskCall, lists_all, number_in, states_in, updates_one};
use serde::{Deserialize, Serialize};

/// Tasks that are remembered, the newest: agents number them up over a whole session.
const MOST_TASKS: usize = 200;
/// Of the name of a task so many characters are kept.
const MOST_NAME_CHARS: usize = 120;

/// What is known of the things to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Todos {
    /// The line of the last whole list, and whether something in it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    list: Option<(u32, bool)>,
    /// Tasks that are made and changed one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<Task>,
}

/// A task: its number, the call that made it until the result tells the number, its name, the line of
/// the last record that made or changed it, and whether it is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Task(String, String, String, u32, bool);

/// True for a tool that keeps things to do, and for an agent's own name of a record of them.
pub(super) fn keeps_todos(name: &str) -> bool {
    // Claude Code: TodoWrite; OpenCode: todowrite; Gemini: write_todos; Copilot: update_todo;
    // Codex: update_plan. Claude Code 2.1: TaskCreate and TaskUpdate.
    let mut parts = name.as_bytes().windows(4);
    parts.any(|part| part.eq_ignore_ascii_case(b"todo"))
        || ["update_plan", "taskcreate", "taskupdate"]
            .iter()
            .any(|other| name.eq_ignore_ascii_case(other))
}

impl Todos {
    pub(super) fn is_empty(&self) -> bool {
        *self == Todos::default()
    }

    /// The lines of the records that leave something open: the last list, and for each open task the
    /// last record that made or changed it.
    pub(super) fn open_lines(&self) -> Vec<u32> {
        let list = self.list.filter(|(_, open)| *open);
        let tasks = self.tasks.iter().filter(|task| task.4);
        let mut lines: Vec<u32> = tasks
            .map(|task| task.3)
            .chain(list.map(|own| own.0))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Notes an entry; gives the name of the task that it changes by its number alone.
    pub(super) fn pass(&mut self, entry: &Entry, body: &Body) -> Option<String> {
        if entry.is_in_subagent() {
            return self.pass_subagent(entry, body);
        }
        let keeps = entry.tool_calls.iter().any(|call| keeps_todos(&call.name))
            || entry.kind.own_name().is_some_and(keeps_todos);
        let awaits = self.tasks.iter().any(|task| !task.1.is_empty());
        let lists = !self.tasks.is_empty()
            && entry
                .messages
                .iter()
                .any(|message| message.tool_name.as_deref().is_some_and(lists_all));
        if !keeps && !awaits && !lists {
            return None;
        }
        let line = entry.source.line;
        let mut about: Vec<String> = Vec::new();
        for message in &body.messages {
            for block in &message.blocks {
                match block {
                    Block::ToolCall {
                        id,
                        name,
                        arguments,
                    } if keeps_todos(name) => {
                        about.extend(self.call(line, (id, name, arguments)));
                    }
                    Block::Opaque { json, .. } if keeps => {
                        self.call(line, ("", "", json));
                    }
                    _ => {}
                }
            }
            if let Some(tool) = &message.tool {
                let mut made = self.tasks.iter_mut();
                if let Some(task) = made.find(|task| !task.1.is_empty() && task.1 == tool.call_id) {
                    task.0 = number_in(&message.text("\n"))
                        .unwrap_or_default()
                        .to_owned();
                    task.1.clear();
                } else if lists_all(&tool.name) && !tool.is_error {
                    self.listed(line, &message.text("\n"));
                }
            }
        }
        let many = self.tasks.len().saturating_sub(MOST_TASKS);
        self.tasks.drain(..many);
        (!about.is_empty()).then(|| about.join("\n"))
    }

    /// A subagent keeps whole lists of its own, and changes the numbered tasks of the agent that started
    /// it (Claude Code 2.1); gives the names of these that its record does not say.
    fn pass_subagent(&mut self, entry: &Entry, body: &Body) -> Option<String> {
        if self.tasks.is_empty() || !entry.calls().any(|call| updates_one(&call.name)) {
            return None;
        }
        let mut about: Vec<String> = Vec::new();
        for message in said_in(entry, body) {
            for block in &message.blocks {
                if let Block::ToolCall {
                    name, arguments, ..
                } = block
                    && updates_one(name)
                    && let Some(call) = TaskCall::read(arguments)
                    && let Some(task) = call.changes().and_then(|number| self.numbered(number))
                {
                    if call.subject.is_none() && !task.2.is_empty() {
                        about.push(task.2.clone());
                    }
                    if let Some(state) = call.state {
                        task.3 = entry.source.line;
                        task.4 = state == TaskState::Open;
                    }
                }
            }
        }
        (!about.is_empty()).then(|| about.join("\n"))
    }

    /// The states in a list of all tasks, whoever changed them.
    fn listed(&mut self, line: u32, result: &str) {
        for (number, state) in states_in(result) {
            let open = state == TaskState::Open;
            if let Some(task) = self.numbered(number).filter(|task| task.4 != open) {
                task.3 = line;
                task.4 = open;
            }
        }
    }

    fn numbered(&mut self, number: &str) -> Option<&mut Task> {
        self.tasks.iter_mut().rev().find(|task| task.0 == number)
    }

    fn call(&mut self, line: u32, (id, tool, arguments): (&str, &str, &str)) -> Option<String> {
        let call = TaskCall::read(arguments)?;
        let short = |text: &str| text.chars().take(MOST_NAME_CHARS).collect::<String>();
        if let Some(number) = call.changes() {
            let known = self.tasks.iter().rposition(|task| task.0 == number);
            if known.is_some() || updates_one(tool) {
                let mut task = match known {
                    Some(at) => self.tasks.remove(at),
                    None => Task(number.to_owned(), String::new(), String::new(), line, true),
                };
                task.3 = line;
                task.4 = call.state.map_or(task.4, |state| state == TaskState::Open);
                let told = call.subject.is_none() && !task.2.is_empty();
                let about = told.then(|| task.2.clone());
                if let Some(subject) = &call.subject {
                    task.2 = short(subject);
                }
                self.tasks.push(task);
                return about;
            }
        }
        match call.listed.as_slice() {
            [(text, state)] if !call.whole => {
                let open = *state == TaskState::Open;
                self.tasks
                    .push(Task(String::new(), id.to_owned(), short(text), line, open));
            }
            // A question for the list has none in it; an empty one clears it.
            [] if !arguments.contains('[') => {}
            listed => {
                let open = listed.iter().any(|(_, state)| *state == TaskState::Open);
                self.list = Some((line, open));
            }
        }
        None
    }
}

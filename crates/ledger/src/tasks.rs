//! Lists of tasks that agents keep with tools: one fact per task, in its last state.

use crate::span::{Part, PartKind};
use palimpsest_core::ledger::TaskState;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::ops::Range;

/// A task and where it was last named.
#[derive(Debug, Clone)]
pub(crate) struct Task<'a> {
    /// What is to do.
    pub text: String,
    /// Its last state.
    pub state: TaskState,
    /// The texts that name it, first to last.
    pub places: Vec<(Part<'a>, Range<usize>)>,
}

/// The tasks of a conversation while it is read.
#[derive(Debug, Default)]
pub(crate) struct Tasks<'a> {
    tasks: Vec<Task<'a>>,
    by_text: HashMap<String, usize>,
    /// Numbers that the agent gave to tasks (`Task #3`).
    by_number: HashMap<String, usize>,
    /// Tasks by the call that made them, until its result tells their number.
    by_call: HashMap<&'a str, usize>,
}

impl<'a> Tasks<'a> {
    /// Reads a call of a tool that keeps tasks: a whole list (Claude Code's `TodoWrite`, Codex's
    /// `update_plan`, OpenCode's and Gemini's lists), one new task (`TaskCreate`), or the new state
    /// of one (`TaskUpdate`).
    pub fn call(&mut self, part: &Part<'a>) {
        let Ok(Value::Object(arguments)) = serde_json::from_str(part.text) else {
            return;
        };
        let number = ["taskId", "task_id", "id"]
            .iter()
            .find_map(|key| arguments.get(*key))
            .map(plain);
        let state = arguments
            .get("status")
            .and_then(Value::as_str)
            .map(state_of);
        if let Some(number) =
            number.filter(|_| state.is_some() || arguments.contains_key("subject"))
            && let Some(&index) = self.by_number.get(&number)
        {
            let task = &mut self.tasks[index];
            if let Some(state) = state {
                task.state = state;
            }
            task.places.push((*part, 0..part.text.len()));
            return;
        }
        let arguments = Value::Object(arguments);
        let mut listed = Vec::new();
        boxes(&arguments, &mut listed);
        if listed.is_empty() {
            items(&arguments, &mut listed);
        }
        let whole = listed.len() != 1 || part.text.contains('[');
        for (text, state) in &listed {
            let index = self.note(text, part);
            self.tasks[index].state = *state;
            if !whole && let Some(call) = part.call_id {
                self.by_call.insert(call, index);
            }
        }
    }

    /// Reads a list that a call of another tool carries: Cline's `task_progress`.
    pub fn carried(&mut self, part: &Part<'a>) {
        let Some(list) = part.text.contains("\"task_progress\"").then_some(part.text) else {
            return;
        };
        let Ok(Value::Object(arguments)) = serde_json::from_str(list) else {
            return;
        };
        let mut listed = Vec::new();
        if let Some(list) = arguments.get("task_progress") {
            boxes(list, &mut listed);
        }
        for (text, state) in &listed {
            let index = self.note(text, part);
            self.tasks[index].state = *state;
        }
    }

    /// Reads the result of a call, which may tell the number of a new task.
    pub fn result(&mut self, part: &Part<'a>) {
        let Some(index) = part.call_id.and_then(|call| self.by_call.remove(call)) else {
            return;
        };
        let number = part.text.split('#').nth(1).map(|rest| {
            let len = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest[..len].to_owned()
        });
        if let Some(number) = number.filter(|number| !number.is_empty()) {
            self.by_number.insert(number, index);
        }
    }

    fn note(&mut self, text: &str, part: &Part<'a>) -> usize {
        let next = self.tasks.len();
        let key = crate::words::normalize(text);
        let index = *self.by_text.entry(key).or_insert(next);
        if index == next {
            self.tasks.push(Task {
                text: text.to_owned(),
                state: TaskState::Open,
                places: Vec::new(),
            });
        }
        let range = crate::files::place_of(part, text);
        self.tasks[index].places.push((*part, range));
        index
    }

    /// All tasks, in order of appearance.
    pub fn finish(self) -> Vec<Task<'a>> {
        self.tasks
    }
}

/// A number or a text as text.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn state_of(status: &str) -> TaskState {
    match status.to_ascii_lowercase().as_str() {
        "completed" | "complete" | "done" | "cancelled" | "canceled" | "deleted" | "skipped"
        | "x" | "closed" | "finished" => TaskState::Closed,
        _ => TaskState::Open,
    }
}

/// The tasks in lists that tools take as text: `- [x] text`, `[-] text`, `1. [completed] text` (Roo,
/// Goose, Cline, Droid).
fn boxes(value: &Value, out: &mut Vec<(String, TaskState)>) {
    match value {
        Value::Array(all) => all.iter().for_each(|item| boxes(item, out)),
        Value::Object(map) => map.values().for_each(|item| boxes(item, out)),
        Value::String(text) => out.extend(text.lines().filter_map(boxed)),
        _ => {}
    }
}

fn boxed(line: &str) -> Option<(String, TaskState)> {
    let content = line.trim_start_matches(|c: char| {
        c.is_whitespace() || c.is_ascii_digit() || matches!(c, '-' | '*' | '.' | ')')
    });
    let (mark, text) = content.strip_prefix('[')?.split_once(']')?;
    let known = matches!(
        mark.to_ascii_lowercase().as_str(),
        "" | " "
            | "x"
            | "-"
            | "~"
            | ">"
            | "completed"
            | "in_progress"
            | "pending"
            | "cancelled"
            | "done"
    );
    let text = text.trim();
    (known && !text.is_empty() && text.len() <= 400).then(|| (text.to_owned(), state_of(mark)))
}

/// The tasks in arguments, in order: objects with a text under one of the known names.
fn items(value: &Value, out: &mut Vec<(String, TaskState)>) {
    match value {
        Value::Array(all) => all.iter().for_each(|item| items(item, out)),
        Value::Object(map) => match task(map) {
            Some(found) => out.push(found),
            None => map.values().for_each(|item| items(item, out)),
        },
        // OpenCode before 1.0, Copilot and some extensions send the list as a text of JSON.
        Value::String(text) if text.starts_with('[') => {
            if let Ok(inner) = serde_json::from_str(text) {
                items(&inner, out);
            }
        }
        _ => {}
    }
}

fn task(map: &Map<String, Value>) -> Option<(String, TaskState)> {
    let text = [
        "subject",
        "content",
        "step",
        "text",
        "task",
        "title",
        "description",
    ]
    .iter()
    .find_map(|key| map.get(*key)?.as_str())
    .filter(|text| !text.trim().is_empty() && text.len() <= 400)?;
    let known = map.contains_key("status")
        || map.contains_key("state")
        || map.contains_key("subject")
        || map.contains_key("id");
    let done = map
        .get("completed")
        .or(map.get("done"))
        .and_then(Value::as_bool);
    let status = map.get("status").or(map.get("state"));
    let state = match (status.and_then(Value::as_str), done) {
        (Some(status), _) => state_of(status),
        (None, Some(true)) => TaskState::Closed,
        _ => TaskState::Open,
    };
    (known || done.is_some() || map.len() <= 3).then(|| (text.trim().to_owned(), state))
}

/// True for a text that may hold the number of a task: the result of the call that made it.
pub(crate) fn is_result(part: &Part<'_>) -> bool {
    part.kind == PartKind::ToolOutput
        && part
            .tool
            .is_some_and(|tool| tool.to_ascii_lowercase().contains("task"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::EntryIx;

    fn states(calls: &[Value]) -> Vec<(String, TaskState)> {
        let texts: Vec<String> = calls.iter().map(Value::to_string).collect();
        let mut tasks = Tasks::default();
        for text in &texts {
            tasks.call(&Part {
                item: 0,
                entry: EntryIx::new(0),
                message: 0,
                block: 0,
                kind: PartKind::ToolCall,
                text,
                base: 0,
                tool: Some("todo_write"),
                call_id: None,
                is_error: false,
            });
        }
        let all = tasks.finish().into_iter();
        all.map(|task| (task.text, task.state)).collect()
    }

    #[test]
    fn lists_of_many_agents_are_read() {
        let expected = [
            ("Read both forms".to_owned(), TaskState::Closed),
            ("Cover the empty file".to_owned(), TaskState::Open),
        ];
        let marked = "- [x] Read both forms\n- [ ] Cover the empty file";
        for call in [
            serde_json::json!({"todos": [
                {"content": "Read both forms", "status": "completed", "activeForm": "Reading"},
                {"content": "Cover the empty file", "status": "pending", "activeForm": "Covering"}]}),
            serde_json::json!({"explanation": "next", "plan": [
                {"step": "Read both forms", "status": "completed"},
                {"step": "Cover the empty file", "status": "in_progress"}]}),
            serde_json::json!({"todoList": [
                {"id": 1, "title": "Read both forms", "description": "src", "status": "completed"},
                {"id": 2, "title": "Cover the empty file", "description": "", "status": "not-started"}]}),
            serde_json::json!({"command": "plan", "task_list": [
                {"title": "Read both forms", "status": "done", "notes": ""},
                {"title": "Cover the empty file", "status": "todo", "notes": ""}]}),
            serde_json::json!({"todos": marked}),
            serde_json::json!({"content": marked}),
            serde_json::json!({"todos": "1. [completed] Read both forms\n2. [pending] Cover the empty file"}),
        ] {
            assert_eq!(states(std::slice::from_ref(&call)), expected, "for {call}");
        }
    }
}

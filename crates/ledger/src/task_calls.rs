//! What a call of a tool that keeps tasks says: a whole list, one new task, or the new state of one.

use crate::task_lists::{self, MAX_TASK_BYTES};
use palimpsest_core::ledger::TaskState;
use serde_json::{Map, Value};

/// A call of a tool that keeps tasks: a whole list (Claude Code's `TodoWrite`, Codex's `update_plan`,
/// OpenCode's and Gemini's lists), one new task (`TaskCreate`), or the new state of one (`TaskUpdate`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskCall {
    /// The number of the task, as the agent gave it.
    number: Option<String>,
    /// The new state of a single task.
    pub state: Option<TaskState>,
    /// The name of a single task.
    pub subject: Option<String>,
    /// The tasks that the call names, with their states.
    pub listed: Vec<(String, TaskState)>,
    /// True for a whole list, false for one new task.
    pub whole: bool,
}

impl TaskCall {
    /// Reads the arguments of a call; `None` where they are no JSON object.
    pub fn read(arguments: &str) -> Option<TaskCall> {
        let Ok(Value::Object(map)) = serde_json::from_str(arguments) else {
            return None;
        };
        let number = ["taskId", "task_id", "id"]
            .iter()
            .find_map(|key| map.get(*key))
            .map(plain);
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let (state, subject) = (text("status").map(state_of), text("subject"));
        let subject = subject.map(str::to_owned);
        let mut listed = Vec::new();
        let mut whole = false;
        if let Some(subject) = &subject {
            // One task, whatever lists its description holds.
            listed.push((subject.clone(), state.unwrap_or(TaskState::Open)));
        } else {
            let all = Value::Object(map);
            boxes(&all, &mut listed);
            if listed.is_empty() {
                items(&all, &mut listed);
            }
            whole = listed.len() != 1 || arguments.contains('[');
        }
        Some(TaskCall {
            number,
            state,
            subject,
            listed,
            whole,
        })
    }

    /// The number of the task that the call changes; `None` where it makes one or lists several.
    pub fn changes(&self) -> Option<&str> {
        let says = self.state.is_some() || self.subject.is_some();
        self.number.as_deref().filter(|_| says)
    }
}

/// The number of a task in the result of the call that made it (`Task #3 created`).
pub fn number_in(result: &str) -> Option<&str> {
    let rest = result.split('#').nth(1)?;
    let len = rest.bytes().take_while(u8::is_ascii_digit).count();
    (len > 0).then(|| &rest[..len])
}

/// The numbers and states of the tasks in a result that lists all of them (`#3 [completed] text`).
pub fn states_in(result: &str) -> impl Iterator<Item = (&str, TaskState)> {
    let lines = result.lines().filter_map(task_lists::in_line);
    lines.filter_map(|listed| Some((listed.number?, listed.state)))
}

/// True for a tool that lists all tasks with their states (`TaskList`).
pub fn lists_all(tool: &str) -> bool {
    tool.to_ascii_lowercase().ends_with("tasklist")
}

/// True for a tool that changes one task (`TaskUpdate`).
pub fn updates_one(tool: &str) -> bool {
    tool.to_ascii_lowercase().ends_with("taskupdate")
}

/// A number or a text as text.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn state_of(status: &str) -> TaskState {
    task_lists::state_named(status).unwrap_or(TaskState::Open)
}

/// The tasks in lists that tools take as text: `- [x] text`, `[-] text`, `1. [completed] text` (Roo,
/// Goose, Cline, Droid).
pub(crate) fn boxes(value: &Value, out: &mut Vec<(String, TaskState)>) {
    match value {
        Value::Array(all) => all.iter().for_each(|item| boxes(item, out)),
        Value::Object(map) => map.values().for_each(|item| boxes(item, out)),
        Value::String(text) => out.extend(text.lines().filter_map(boxed)),
        _ => {}
    }
}

fn boxed(line: &str) -> Option<(String, TaskState)> {
    // A sign in front of a task belongs to its text where a list has states of its own.
    let task = task_lists::in_line(line).filter(|_| line.contains('['))?;
    Some((task.text.to_owned(), task.state))
}

/// The tasks in arguments, in order: objects with a text under one of the known names.
pub(crate) fn items(value: &Value, out: &mut Vec<(String, TaskState)>) {
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
    .filter(|text| !text.trim().is_empty() && text.len() <= MAX_TASK_BYTES)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_task_is_no_list_whatever_its_description_holds() {
        let call = serde_json::json!({"subject": "Read both forms",
            "description": "`[{\"text\": \"a\"}]` and\n- [ ] the empty file"});
        let call = TaskCall::read(&call.to_string());
        let listed = vec![("Read both forms".to_owned(), TaskState::Open)];
        assert_eq!(
            call.map(|call| (call.listed, call.whole)),
            Some((listed, false))
        );
    }
}

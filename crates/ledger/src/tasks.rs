//! Lists of tasks that agents keep with tools: one fact per task, in its last state.

use crate::span::{Part, PartKind, ToolAction};
use crate::task_calls::{TaskCall, boxes, items, number_in, updates_one};
use crate::task_lists::{self, Listed};
use palimpsest_core::ledger::TaskState;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use serde_json::Value;
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
    /// Tasks of which only the number is known: they were made before the span.
    unnamed: HashSet<usize>,
}

impl<'a> Tasks<'a> {
    /// Reads a call of a tool that keeps tasks: a whole list (Claude Code's `TodoWrite`, Codex's
    /// `update_plan`, OpenCode's and Gemini's lists), one new task (`TaskCreate`), or the new state
    /// of one (`TaskUpdate`).
    pub fn call(&mut self, part: &Part<'a>) {
        let Some(call) = TaskCall::read(part.text) else {
            return;
        };
        if let Some(number) = call.changes() {
            let known = self.by_number.get(number).copied();
            // A task that was made before the span has no name in it, except in a list of all.
            let unknown = || part.tool.is_some_and(updates_one) && part.text.contains("askId");
            let index = known.or_else(|| unknown().then(|| self.unnamed(number)));
            if let Some(index) = index {
                let task = &mut self.tasks[index];
                if let Some(state) = call.state {
                    task.state = state;
                }
                task.places.push((*part, 0..part.text.len()));
                if let Some(subject) = &call.subject {
                    self.name(index, subject);
                }
                // Its result names the task by its number.
                if let Some(call) = part.call_id {
                    self.by_call.insert(call, index);
                }
                return;
            }
        }
        for (text, state) in &call.listed {
            let index = self.note(text, part);
            self.tasks[index].state = *state;
            if !call.whole
                && let Some(call) = part.call_id
            {
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

    /// Reads the result of a call, which may tell the number of a new task or list all of them.
    pub fn result(&mut self, part: &Part<'a>) {
        let Some(index) = part.call_id.and_then(|call| self.by_call.remove(call)) else {
            if part.action() == ToolAction::Todo && !part.is_error {
                self.printed(part);
            }
            return;
        };
        let number = number_in(part.text);
        if let Some(number) = number {
            self.by_number.insert(number.to_owned(), index);
        }
        let text = &self.tasks[index].text;
        if number.is_some() || part.text.contains(text.as_str()) {
            let range = crate::files::place_of(part, text);
            self.tasks[index].places.push((*part, range));
        }
    }

    /// Reads what an agent puts in for its model, where that is the list of its tasks.
    pub fn reminder(&mut self, part: &Part<'a>) {
        let text = part.text.trim_start();
        let head = &text[..crate::words::floor_boundary(text, REMINDER_BYTES)];
        let lower = head.to_lowercase();
        let speaks = ["todo list", "existing tasks", "task list", "todos"]
            .iter()
            .any(|cue| lower.contains(cue));
        let is_list = head.starts_with('[') && head.contains("\"status\"");
        if speaks || is_list {
            self.printed(part);
        }
    }

    /// Reads a list of tasks as it is printed: JSON, or a task a line.
    fn printed(&mut self, part: &Part<'a>) {
        let text = part.text.trim();
        if text.starts_with(['[', '{'])
            && let Ok(list) = serde_json::from_str::<Value>(text)
        {
            let mut listed = Vec::new();
            items(&list, &mut listed);
            for (text, state) in &listed {
                let index = self.note(text, part);
                self.tasks[index].state = *state;
            }
            return;
        }
        for task in task_lists::read(part.text) {
            let index = self.listed(&task, part);
            self.tasks[index].state = task.state;
        }
    }

    /// The task that a printed line names, by its number where it had no name before.
    fn listed(&mut self, task: &Listed<'a>, part: &Part<'a>) -> usize {
        let known = task.number.and_then(|number| self.by_number.get(number));
        if let Some(&index) = known
            && self.unnamed.contains(&index)
        {
            self.name(index, task.text);
            let range = crate::files::place_of(part, task.text);
            self.tasks[index].places.push((*part, range));
            return index;
        }
        let index = self.note(task.text, part);
        if let Some(number) = task.number {
            self.by_number.insert(number.to_owned(), index);
        }
        index
    }

    /// A task of which the span tells no more than its number.
    fn unnamed(&mut self, number: &str) -> usize {
        let index = self.tasks.len();
        self.tasks.push(Task {
            text: format!("Task #{number}"),
            state: TaskState::Open,
            places: Vec::new(),
        });
        self.by_number.insert(number.to_owned(), index);
        self.unnamed.insert(index);
        index
    }

    /// Gives a task its name.
    fn name(&mut self, index: usize, text: &str) {
        self.tasks[index].text = text.trim().to_owned();
        self.by_text.insert(crate::words::normalize(text), index);
        self.unnamed.remove(&index);
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

/// Beginning of what an agent puts in, in bytes, in which it says that a list of tasks follows.
const REMINDER_BYTES: usize = 400;

/// True for a text that may hold the number of a task or a list of tasks: the result of a call that
/// makes or lists them.
pub(crate) fn is_result(part: &Part<'_>) -> bool {
    let names_task = |tool: &str| tool.to_ascii_lowercase().contains("task");
    part.kind == PartKind::ToolOutput
        && (part.tool.is_some_and(names_task) || part.action() == ToolAction::Todo)
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
    fn the_result_of_a_call_is_a_place_of_its_task() {
        let make = serde_json::json!({"subject": "Read both forms"}).to_string();
        let change = serde_json::json!({"taskId": "7", "status": "completed"}).to_string();
        let part = |kind, entry, text, tool, call| Part {
            item: 0,
            entry: EntryIx::new(entry),
            message: 0,
            block: 0,
            kind,
            text,
            base: 0,
            tool: Some(tool),
            call_id: Some(call),
            is_error: false,
        };
        let mut tasks = Tasks::default();
        tasks.call(&part(PartKind::ToolCall, 0, &make, "TaskCreate", "a"));
        let made = "Task #7 created successfully: Read both forms";
        tasks.result(&part(PartKind::ToolOutput, 1, made, "TaskCreate", "a"));
        tasks.call(&part(PartKind::ToolCall, 2, &change, "TaskUpdate", "b"));
        let changed = "Updated task #7 status";
        tasks.result(&part(PartKind::ToolOutput, 3, changed, "TaskUpdate", "b"));
        let all = tasks.finish();
        assert_eq!(all.len(), 1);
        let places = all[0].places.iter();
        let places: Vec<_> = places
            .map(|(part, range)| (part.entry, range.clone()))
            .collect();
        assert_eq!(places[1], (EntryIx::new(1), 30..made.len()));
        assert_eq!(places[3], (EntryIx::new(3), 0..changed.len()));
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

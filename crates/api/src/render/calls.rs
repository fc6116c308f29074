//! Calls of tools as what they are: edits, commands, plans, lists of things to do, questions,
//! subagents. A call of none of these kinds is shown by its arguments.

use super::code::{code_spans, language_named};
use super::edits::file_diffs;
use super::{markdown, utf16_slice};
use crate::wire::{CallShape, QuestionView, TodoState, TodoView};
use palimpsest_core::entry::ToolCallBrief;
use serde_json::{Map, Value};

/// Longest command or plan shown, in UTF-16 units.
const MOST_SHOWN: u64 = 24_000;
/// Names under which agents give a shell command.
const COMMAND: [&str; 3] = ["command", "cmd", "script"];
/// Names under which they list what is to be done (Claude Code and OpenCode; Codex).
const TODOS: [&str; 2] = ["todos", "plan"];
/// Names of the text of one thing to do.
const TODO_TEXT: [&str; 4] = ["content", "step", "text", "title"];

/// What a call is, by its arguments as JSON and by what the session says about it.
pub fn call_shape(arguments: &str, briefs: &[&ToolCallBrief]) -> CallShape {
    let files = file_diffs(arguments, briefs);
    if !files.is_empty() {
        return CallShape::Edits { files };
    }
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(arguments) else {
        return CallShape::Other;
    };
    subagent(&fields)
        .or_else(|| questions(&fields))
        .or_else(|| todos(&fields))
        .or_else(|| plan(&fields))
        .or_else(|| command(&fields))
        .unwrap_or(CallShape::Other)
}

fn text<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    fields.get(key)?.as_str().filter(|text| !text.is_empty())
}

fn first<'a>(fields: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| text(fields, key))
}

/// A task for a subagent has a prompt and says which kind of agent, or what for (Claude Code,
/// OpenCode: `prompt`, `description`, `subagent_type`).
fn subagent(fields: &Map<String, Value>) -> Option<CallShape> {
    let prompt = text(fields, "prompt")?;
    let kind = first(fields, &["subagent_type", "agent", "agent_type"]);
    let task = text(fields, "description");
    if kind.is_none() && task.is_none() {
        return None;
    }
    Some(CallShape::Subagent {
        kind: kind.map(str::to_owned),
        task: task.map(str::to_owned),
        prompt: markdown(utf16_slice(prompt, 0, MOST_SHOWN)),
    })
}

fn questions(fields: &Map<String, Value>) -> Option<CallShape> {
    let asked = fields.get("questions")?.as_array()?;
    let questions: Vec<QuestionView> = asked
        .iter()
        .filter_map(Value::as_object)
        .filter_map(|question| {
            let options = question.get("options").and_then(Value::as_array);
            let options = options.into_iter().flatten().filter_map(|option| {
                let label = option.get("label").unwrap_or(option);
                label.as_str().map(str::to_owned)
            });
            Some(QuestionView {
                question: text(question, "question")?.to_owned(),
                options: options.collect(),
            })
        })
        .collect();
    (!questions.is_empty()).then_some(CallShape::Questions { questions })
}

fn todos(fields: &Map<String, Value>) -> Option<CallShape> {
    let listed = TODOS.iter().find_map(|key| fields.get(*key)?.as_array())?;
    let items: Vec<TodoView> = listed
        .iter()
        .filter_map(Value::as_object)
        .filter_map(|item| {
            Some(TodoView {
                text: first(item, &TODO_TEXT)?.to_owned(),
                state: state(text(item, "status").unwrap_or_default()),
            })
        })
        .collect();
    (!items.is_empty()).then_some(CallShape::Todos { items })
}

fn state(status: &str) -> TodoState {
    match status {
        "completed" | "done" => TodoState::Done,
        "in_progress" | "active" => TodoState::Active,
        "cancelled" => TodoState::Cancelled,
        _ => TodoState::Open,
    }
}

/// A plan that the user is to approve (Claude Code's `ExitPlanMode`).
fn plan(fields: &Map<String, Value>) -> Option<CallShape> {
    let plan = text(fields, "plan")?;
    Some(CallShape::Plan {
        blocks: markdown(utf16_slice(plan, 0, MOST_SHOWN)),
    })
}

fn command(fields: &Map<String, Value>) -> Option<CallShape> {
    let joined = COMMAND.iter().find_map(|key| fields.get(*key)?.as_array());
    let joined = joined.map(|words| {
        // Codex: `["bash", "-lc", "the command"]`.
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        match words.as_slice() {
            [_, "-lc" | "-c", script] => (*script).to_owned(),
            words => words.join(" "),
        }
    });
    let command = joined.or_else(|| first(fields, &COMMAND).map(str::to_owned))?;
    let command = utf16_slice(&command, 0, MOST_SHOWN);
    Some(CallShape::Command {
        spans: code_spans(command, language_named("sh")),
        text: command.to_owned(),
        about: text(fields, "description").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_known_by_their_arguments() {
        let shape = |arguments: &str| call_shape(arguments, &[]);
        let CallShape::Command { text, about, .. } =
            shape(r#"{"command":"ls -la","description":"list"}"#)
        else {
            panic!("a command");
        };
        assert_eq!((text.as_str(), about.as_deref()), ("ls -la", Some("list")));
        let codex = shape(r#"{"command":["bash","-lc","cat a | wc"]}"#);
        assert!(matches!(codex, CallShape::Command { text, .. } if text == "cat a | wc"));
        assert!(matches!(
            shape(r#"{"plan":"Plan: build it"}"#),
            CallShape::Plan { .. }
        ));
        let CallShape::Todos { items } =
            shape(r#"{"plan":[{"step":"read","status":"completed"},{"step":"write"}]}"#)
        else {
            panic!("things to do");
        };
        assert_eq!(
            items.iter().map(|item| item.state).collect::<Vec<_>>(),
            [TodoState::Done, TodoState::Open]
        );
        assert!(matches!(
            shape(r#"{"description":"look","prompt":"Find it.","subagent_type":"Explore"}"#),
            CallShape::Subagent { kind: Some(kind), .. } if kind == "Explore"
        ));
        assert_eq!(
            shape(r#"{"url":"x","prompt":"What is it?"}"#),
            CallShape::Other
        );
        assert_eq!(shape("not json"), CallShape::Other);
    }

    #[test]
    fn a_question_has_its_options() {
        let CallShape::Questions { questions } = call_shape(
            r#"{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}"#,
            &[],
        ) else {
            panic!("questions");
        };
        assert_eq!(questions[0].question, "Which?");
        assert_eq!(questions[0].options, ["A", "B"]);
    }
}

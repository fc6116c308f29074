//! Sessions with known facts of every kind, in the form each agent stores them, and a summary that
//! holds a known subset: every fact has the expected status.

use crate::conversation::Conversation;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus};
use palimpsest_ledger::{LedgerInput, Span, build};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Words that stand for things; every fact takes two that no other has.
#[rustfmt::skip]
const NOUNS: [&str; 40] = [
    "anchor", "basket", "candle", "dragon", "engine", "falcon", "garden", "hammer", "island",
    "jacket", "kettle", "ladder", "magnet", "napkin", "orchid", "pepper", "quartz", "ribbon",
    "saddle", "temple", "umbrella", "velvet", "walnut", "yogurt", "zipper", "beacon", "cobalt",
    "dagger", "emerald", "fossil", "goblet", "helmet", "indigo", "jungle", "lantern", "marble",
    "nectar", "oyster", "pillow", "rocket",
];

/// The agents, each with the names and arguments of its own tools.
#[derive(Debug, Clone, Copy)]
enum Agent {
    Pi,
    ClaudeCode,
    Codex,
    OpenCode,
    Gemini,
    Qwen,
    Cline,
    Copilot,
    Droid,
    Goose,
    Kimi,
    OpenHands,
    Crush,
    Mux,
}

const AGENTS: [Agent; 14] = [
    Agent::Pi,
    Agent::ClaudeCode,
    Agent::Codex,
    Agent::OpenCode,
    Agent::Gemini,
    Agent::Qwen,
    Agent::Cline,
    Agent::Copilot,
    Agent::Droid,
    Agent::Goose,
    Agent::Kimi,
    Agent::OpenHands,
    Agent::Crush,
    Agent::Mux,
];

impl Agent {
    /// A call that runs a script.
    fn shell(self, script: &str) -> (&'static str, Value) {
        match self {
            Agent::Codex => ("shell", json!({ "command": ["bash", "-lc", script] })),
            Agent::ClaudeCode => ("Bash", json!({ "command": script })),
            Agent::Pi | Agent::OpenCode | Agent::Copilot | Agent::Crush => {
                ("bash", json!({ "command": script }))
            }
            Agent::Gemini | Agent::Qwen => ("run_shell_command", json!({ "command": script })),
            Agent::Cline => (
                "execute_command",
                json!({ "command": script, "requires_approval": "false" }),
            ),
            Agent::Droid => (
                "Execute",
                json!({ "command": script, "timeout": 60, "riskLevel": "low" }),
            ),
            Agent::Goose => ("developer__shell", json!({ "command": script })),
            Agent::Kimi => ("Shell", json!({ "command": script })),
            Agent::OpenHands => ("terminal", json!({ "command": script, "is_input": false })),
            Agent::Mux => ("bash", json!({ "script": script, "timeout_secs": 60 })),
        }
    }

    /// A call that changes a file.
    fn edit(self, path: &str) -> (&'static str, Value) {
        match self {
            Agent::Pi => (
                "edit",
                json!({ "path": path, "oldText": "x", "newText": "y" }),
            ),
            Agent::ClaudeCode => (
                "Edit",
                json!({ "file_path": path, "old_string": "x", "new_string": "y" }),
            ),
            Agent::Codex => (
                "apply_patch",
                json!({ "input": format!("*** Begin Patch\n*** Update File: {path}\n@@\n-x\n+y\n*** End Patch") }),
            ),
            Agent::OpenCode => (
                "edit",
                json!({ "filePath": path, "oldString": "x", "newString": "y" }),
            ),
            Agent::Gemini => (
                "replace",
                json!({ "file_path": path, "old_string": "x", "new_string": "y" }),
            ),
            Agent::Qwen | Agent::Crush => (
                "edit",
                json!({ "file_path": path, "old_string": "x", "new_string": "y" }),
            ),
            Agent::Cline => (
                "replace_in_file",
                json!({ "path": path, "diff": "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE" }),
            ),
            Agent::Copilot => (
                "edit",
                json!({ "path": path, "old_str": "x", "new_str": "y" }),
            ),
            Agent::Droid => (
                "Edit",
                json!({ "file_path": path, "old_str": "x", "new_str": "y" }),
            ),
            Agent::Goose => (
                "developer__text_editor",
                json!({ "command": "str_replace", "path": path, "old_str": "x", "new_str": "y" }),
            ),
            Agent::Kimi => (
                "StrReplaceFile",
                json!({ "path": path, "edit": { "old": "x", "new": "y" } }),
            ),
            Agent::OpenHands => (
                "file_editor",
                json!({ "command": "str_replace", "path": path, "old_str": "x", "new_str": "y" }),
            ),
            Agent::Mux => (
                "file_edit_replace_string",
                json!({ "path": path, "old_string": "x", "new_string": "y" }),
            ),
        }
    }

    /// A call that keeps a task; pi has no such tool and writes a box.
    fn task(self, todo: &str) -> Option<(&'static str, Value)> {
        let pending = || json!([{ "content": todo, "status": "pending" }]);
        Some(match self {
            Agent::Pi => return None,
            Agent::ClaudeCode => (
                "TodoWrite",
                json!({ "todos": [{ "content": todo, "status": "pending", "activeForm": "Covering" }] }),
            ),
            Agent::Codex => (
                "update_plan",
                json!({ "plan": [{ "step": todo, "status": "in_progress" }] }),
            ),
            Agent::OpenCode => (
                "todowrite",
                json!({ "todos": [{ "id": "1", "content": todo, "status": "pending", "priority": "high" }] }),
            ),
            Agent::Gemini => (
                "write_todos",
                json!({ "todos": [{ "description": todo, "status": "pending" }] }),
            ),
            Agent::Qwen => (
                "todo_write",
                json!({ "todos": [{ "id": "1", "content": todo, "status": "pending" }] }),
            ),
            Agent::Cline => (
                "read_file",
                json!({ "path": "", "task_progress": format!("- [ ] {todo}") }),
            ),
            Agent::Copilot => ("update_todo", json!({ "todos": format!("- [ ] {todo}") })),
            Agent::Droid => ("TodoWrite", json!({ "todos": pending() })),
            Agent::Goose => (
                "todo__todo_write",
                json!({ "content": format!("- [ ] {todo}") }),
            ),
            Agent::Kimi => (
                "SetTodoList",
                json!({ "todos": [{ "title": todo, "status": "Pending" }] }),
            ),
            Agent::OpenHands => (
                "task_tracker",
                json!({ "command": "plan", "task_list": [{ "title": todo, "status": "todo", "notes": "" }] }),
            ),
            Agent::Crush => ("todos", json!({ "todos": pending() })),
            Agent::Mux => ("todo_write", json!({ "todos": pending() })),
        })
    }

    /// What a refused call returns with the user's words, of agents that tell both at once.
    fn refusal(self, said: &str) -> Option<String> {
        match self {
            Agent::ClaudeCode => Some(format!(
                "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n{said}"
            )),
            Agent::OpenCode => Some(format!(
                "The user rejected permission to use this specific tool call with the following feedback: {said}"
            )),
            Agent::Cline => Some(format!(
                "The user denied this operation and provided the following feedback:\n<feedback>\n{said}\n</feedback>"
            )),
            _ => None,
        }
    }
}

/// A fact that is planted: its kind, the text it is found by, and the line that tells it.
struct Planted {
    kind: FactKind,
    text: String,
    line: String,
}

fn planted(words: &[&str]) -> Vec<Planted> {
    let pair = |at: usize| (words[2 * at], words[2 * at + 1]);
    let mut out = Vec::new();
    let mut plant = |kind, text: String, line: String| out.push(Planted { kind, text, line });
    let (a, b) = pair(0);
    plant(
        FactKind::UserRequest,
        format!("Please extend the {a} {b}."),
        format!("- user: Please extend the {a} {b}."),
    );
    let (a, b) = pair(1);
    plant(
        FactKind::Constraint,
        format!("Never rename the {a} {b} column."),
        format!("- never rename the `{a}` {b} column"),
    );
    let (a, b) = pair(2);
    plant(
        FactKind::Error,
        format!("error: {a} exceeds {b}"),
        format!("- the build said: error: {a} exceeds {b}"),
    );
    let (a, b) = pair(3);
    plant(
        FactKind::Command,
        format!("make {a}-{b}"),
        format!("- ran `make {a}-{b}`"),
    );
    let (a, b) = pair(4);
    plant(
        FactKind::Path,
        format!("src/{a}/{b}.rs"),
        format!("- edited {b}.rs in src/{a}/{b}.rs"),
    );
    let (a, b) = pair(5);
    plant(
        FactKind::Decision,
        format!("I'll use {a} because {b} blocks."),
        format!("- decided on using {a} because {b} blocks"),
    );
    let (a, b) = pair(6);
    plant(
        FactKind::Todo,
        format!("Cover {a} with {b}"),
        format!("- still open: cover {a} with {b}"),
    );
    let (a, b) = pair(7);
    plant(
        FactKind::Finding,
        format!("The root cause was {a} after {b}."),
        format!("- root cause: {a}, after {b}"),
    );
    let (a, b) = pair(8);
    plant(
        FactKind::Symbol,
        format!("{a}_{b}_sum"),
        format!("- `{a}_{b}_sum` is new"),
    );
    plant(
        FactKind::Number,
        "7351".to_owned(),
        "- it listens on port 7351".to_owned(),
    );
    out
}

fn session(agent: Agent, facts: &[Planted], refused: bool) -> Conversation {
    let text = |kind: FactKind| {
        facts
            .iter()
            .find(|fact| fact.kind == kind)
            .expect("all are planted")
            .text
            .as_str()
    };
    let limit = text(FactKind::Constraint);
    let todo = text(FactKind::Todo);
    let mut made = Conversation::default().user(text(FactKind::UserRequest));
    made = match agent.refusal(limit).filter(|_| refused) {
        Some(refusal) => {
            let (tool, arguments) = agent.shell("rm -r old");
            made.tool(tool, arguments, &refusal, true)
        }
        None => made.user(limit),
    };
    let script = format!("cd /srv && {} 2>&1 | tail -3", text(FactKind::Command));
    let (shell, run) = agent.shell(&script);
    let (edit, edited) = agent.edit(text(FactKind::Path));
    made = made
        .assistant(text(FactKind::Decision))
        .tool(shell, run, text(FactKind::Error), true)
        .assistant(text(FactKind::Finding))
        .tool(edit, edited, "done", false)
        .assistant(&format!(
            "Added `{}`; it listens on port {}.",
            text(FactKind::Symbol),
            text(FactKind::Number)
        ));
    match agent.task(todo) {
        Some((tool, arguments)) => made.tool(tool, arguments, "ok", false),
        None => made.assistant(&format!("- [ ] {todo}")),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_planted_fact_has_its_status(
        agent in proptest::sample::select(&AGENTS[..]),
        refused in any::<bool>(),
        words in Just(NOUNS.to_vec()).prop_shuffle(),
        held in proptest::collection::vec(any::<bool>(), 10),
        order in any::<bool>(),
    ) {
        let facts = planted(&words);
        let session = session(agent, &facts, refused);
        let mut lines: Vec<&str> = facts.iter().zip(&held).filter(|(_, held)| **held).map(|(fact, _)| fact.line.as_str()).collect();
        if order {
            lines.reverse();
        }
        let summary = format!("## Progress\n{}\n- nothing else", lines.join("\n"));
        let items = session.items();
        let ledger = build(&LedgerInput { span: Span::new(&items), summary: &summary, ..LedgerInput::default() });
        for (fact, held) in facts.iter().zip(&held) {
            let found: Vec<&Fact> = ledger.facts.iter().filter(|found| found.kind == fact.kind && found.text.contains(fact.text.trim_end_matches('.'))).collect();
            prop_assert_eq!(found.len(), 1, "{:?} of {:?} in {:#?}", &fact.text, agent, &ledger.facts);
            let kept = matches!(found[0].status, FactStatus::Verbatim | FactStatus::Mentioned);
            let dropped = found[0].status == FactStatus::Dropped;
            prop_assert!(if *held { kept } else { dropped }, "{:?} held {} is {:?}, {:?}, in {}", &fact.text, held, found[0].status, &found[0].details, &summary);
        }
        // Nothing is found that nobody planted.
        let known = |found: &Fact| facts.iter().any(|fact| found.text.contains(fact.text.trim_end_matches('.')) || fact.text.contains(&found.text)) ;
        let others: Vec<&str> = ledger.facts.iter().filter(|found| !known(found)).map(|found| found.text.as_str()).collect();
        // A refused call did nothing.
        prop_assert!(others.is_empty(), "{:?}", others);
        prop_assert_eq!(ledger.introduced.len(), 0, "{:?}", &ledger.introduced);
    }
}

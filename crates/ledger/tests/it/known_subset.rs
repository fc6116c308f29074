//! Sessions with known facts of every kind, in the form each agent stores them, and a summary that
//! holds a known subset: every fact has the expected status.

use crate::conversation::Conversation;
use palimpsest_core::ledger::{Fact, FactKind, FactStatus};
use palimpsest_ledger::{LedgerInput, Span, build};
use proptest::prelude::*;
use serde_json::json;

/// Words that stand for things; every fact takes two that no other has.
#[rustfmt::skip]
const NOUNS: [&str; 40] = [
    "anchor", "basket", "candle", "dragon", "engine", "falcon", "garden", "hammer", "island",
    "jacket", "kettle", "ladder", "magnet", "napkin", "orchid", "pepper", "quartz", "ribbon",
    "saddle", "temple", "umbrella", "velvet", "walnut", "yogurt", "zipper", "beacon", "cobalt",
    "dagger", "emerald", "fossil", "goblet", "helmet", "indigo", "jungle", "lantern", "marble",
    "nectar", "oyster", "pillow", "rocket",
];

#[derive(Debug, Clone, Copy)]
enum Agent {
    Pi,
    ClaudeCode,
    Codex,
    OpenCode,
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
    let (shell, edit) = match agent {
        Agent::Pi => ("bash", "edit"),
        Agent::ClaudeCode => ("Bash", "Edit"),
        Agent::Codex => ("shell", "apply_patch"),
        Agent::OpenCode => ("bash", "edit"),
    };
    let command = |script: &str| match agent {
        Agent::Codex => json!({ "command": ["bash", "-lc", script] }),
        Agent::Pi | Agent::ClaudeCode | Agent::OpenCode => json!({ "command": script }),
    };
    let path = text(FactKind::Path);
    let edited = match agent {
        Agent::Pi => json!({ "path": path, "oldText": "x", "newText": "y" }),
        Agent::ClaudeCode => json!({ "file_path": path, "old_string": "x", "new_string": "y" }),
        Agent::Codex => {
            json!({ "input": format!("*** Begin Patch\n*** Update File: {path}\n@@\n-x\n+y\n*** End Patch") })
        }
        Agent::OpenCode => json!({ "filePath": path, "oldString": "x", "newString": "y" }),
    };
    let todo = text(FactKind::Todo);
    let limit = text(FactKind::Constraint);
    let mut made = Conversation::default().user(text(FactKind::UserRequest));
    made = match (agent, refused) {
        (Agent::ClaudeCode, true) => made.tool(
            "Bash",
            command("rm -r old"),
            &format!("The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n{limit}"),
            true,
        ),
        (Agent::OpenCode, true) => made.tool(
            "bash",
            command("rm -r old"),
            &format!("The user rejected permission to use this specific tool call with the following feedback: {limit}"),
            true,
        ),
        _ => made.user(limit),
    };
    made = made
        .assistant(text(FactKind::Decision))
        .tool(
            shell,
            command(&format!(
                "cd /srv && {} 2>&1 | tail -3",
                text(FactKind::Command)
            )),
            text(FactKind::Error),
            true,
        )
        .assistant(text(FactKind::Finding))
        .tool(edit, edited, "done", false)
        .assistant(&format!(
            "Added `{}`; it listens on port {}.",
            text(FactKind::Symbol),
            text(FactKind::Number)
        ));
    match agent {
        Agent::Pi => made.assistant(&format!("- [ ] {todo}")),
        Agent::ClaudeCode => made.tool("TodoWrite", json!({ "todos": [{ "content": todo, "status": "pending", "activeForm": "Covering" }] }), "ok", false),
        Agent::Codex => made.tool("update_plan", json!({ "plan": [{ "step": todo, "status": "in_progress" }] }), "ok", false),
        Agent::OpenCode => made.tool("todowrite", json!({ "todos": [{ "id": "1", "content": todo, "status": "pending", "priority": "high" }] }), "ok", false),
    }
}

fn any_agent() -> impl Strategy<Value = Agent> {
    prop_oneof![
        Just(Agent::Pi),
        Just(Agent::ClaudeCode),
        Just(Agent::Codex),
        Just(Agent::OpenCode)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_planted_fact_has_its_status(
        agent in any_agent(),
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

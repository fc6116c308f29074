//! What a policy keeps by sizes is what its preset's plan keeps at the same entry.

use super::*;
use crate::plan::{Instructions, PlanInput, PlanOutcome};
use crate::select::Fate;
use palimpsest_core::ContextItem;
use palimpsest_formats::{InMemory, pi::Pi};
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::json;
use std::collections::HashSet;

/// Turns of different lengths, some with several calls in one reply.
fn session() -> InMemory {
    let mut session = PiSession::new();
    for turn in 0..30_usize {
        session.user(&format!(
            "Do part {turn}. {}",
            "More words. ".repeat(turn * 7 % 40)
        ));
        for step in 0..turn % 4 {
            let mut reply = Reply::new().text("I look at it.");
            let calls = 1 + step % 2;
            for call in 0..calls {
                reply = reply.call(
                    "read",
                    json!({"path": format!("src/{turn}-{step}-{call}.rs")}),
                );
            }
            session.assistant(reply);
            for call in 0..calls {
                session
                    .tool_result(&"let x = 1;\n".repeat(90 + (turn * 31 + step * 17 + call) % 270));
            }
        }
        session.assistant(Reply::new().text(&"It is done. ".repeat(1 + turn % 9)));
    }
    InMemory::read(&Pi, "x", session.to_jsonl().into_bytes())
}

#[test]
fn the_first_firing_keeps_what_the_plan_keeps() {
    let ours = session();
    let leaf = ours.session.active_leaf;
    let path = ours.context(leaf).path;
    let growth = Growth::along(&ours.session, &path);
    let limits = Limits {
        window: Some(40_000),
        max_input: None,
        max_output: Some(8_000),
    };
    let mut compared = Vec::new();
    for policy in Policy::built_in() {
        let Some(fire) = simulate(policy, &limits, &growth).fires.into_iter().next() else {
            continue;
        };
        let line = policy.line(&limits).unwrap();
        let select = policy.choice(&line, &limits).unwrap();
        if matches!(select, Select::KeepAll(_)) {
            continue;
        }
        let preset = Preset {
            select,
            ..Preset::known(&policy.preset).unwrap().clone()
        };
        let context = ours.context(Some(fire.at));
        let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, &ours);
        let instructions = Instructions::default();
        let input = PlanInput {
            session: &ours.session,
            context: &context,
            messages: &messages,
            instructions: &instructions,
            vectors: None,
        };
        let outcome = crate::plan_preset(&preset, &input).unwrap();
        let PlanOutcome::Compaction(plan) = outcome else {
            panic!("{}: nothing to plan at {:?}", policy.name, fire.at);
        };
        let kept: HashSet<_> = plan
            .items
            .iter()
            .filter(|item| item.fate == Fate::Kept)
            .map(|item| item.entry)
            .collect();
        assert_eq!(kept.len(), fire.kept, "{}", policy.name);
        compared.push(policy.name.as_str());
    }
    for name in [
        "pi",
        "codex",
        "opencode",
        "opencode-v2",
        "coder",
        "gemini-cli",
        "cline",
        "cline-legacy",
        "langchain",
        "openhands-factory",
        "aider",
    ] {
        assert!(compared.contains(&name), "{name} was not compared");
    }
}

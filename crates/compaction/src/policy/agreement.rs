//! What a policy keeps by sizes is what its preset's plan keeps at the same entry.

use crate::engine::preset::data::Preset;
use crate::plan::planned::PlanOutcome;
use crate::policy::data::Policy;
use crate::policy::growth::Growth;
use crate::policy::simulate::simulate;
use crate::policy::trigger::{Limits, Trigger};
use crate::stages::select::Select;
use crate::vocabulary::fate::Fate;
use crate::vocabulary::input::{Instructions, PlanInput};
use palimpsest_core::ContextItem;
use palimpsest_formats::InMemory;
use palimpsest_formats::pi::Pi;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// Turns of different lengths, with `calls` of the step's number in one reply.
fn session(turns: usize, calls: fn(usize) -> usize) -> InMemory {
    let mut session = PiSession::new();
    for turn in 0..turns {
        session.user(&format!(
            "Do part {turn}. {}",
            "More words. ".repeat(turn * 7 % 40)
        ));
        for step in 0..turn % 4 {
            let mut reply = Reply::new().text("I look at it.");
            for call in 0..calls(step) {
                reply = reply.call(
                    "read",
                    json!({"path": format!("src/{turn}-{step}-{call}.rs")}),
                );
            }
            session.assistant(reply);
            for call in 0..calls(step) {
                session
                    .tool_result(&"let x = 1;\n".repeat(90 + (turn * 31 + step * 17 + call) % 270));
            }
        }
        session.assistant(Reply::new().text(&"It is done. ".repeat(1 + turn % 9)));
    }
    InMemory::read(&Pi, "x", session.to_jsonl().into_bytes())
}

/// The policies whose first firing keeps, or clears, what the plan of their preset at that entry
/// does, with the tokens that are left after the firing and after the plan.
fn compared(ours: &InMemory, window: u64) -> HashMap<&'static str, (u64, u64)> {
    let path = ours.context(ours.session.active_leaf).path;
    let growth = Growth::along(&ours.session, &path);
    let limits = Limits {
        window: Some(window),
        max_input: None,
        max_output: Some(window / 5),
    };
    let mut compared = HashMap::new();
    for policy in Policy::built_in() {
        // The first only: later ones rest on a summary of assumed length.
        let Some(fire) = simulate(policy, &limits, &growth).fires.into_iter().next() else {
            continue;
        };
        let line = policy.line(&limits).unwrap();
        let select = policy.choice(&line, &limits).unwrap();
        let clears = matches!(select, Select::KeepAll(_));
        let preset = Preset {
            select,
            ..Preset::known(&policy.preset).unwrap().clone()
        };
        let context = ours.context(Some(fire.at));
        let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
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
            panic!(
                "{} of {window}: nothing to plan at {:?}",
                policy.name, fire.at
            );
        };
        let name = &policy.name;
        if clears {
            let changed: HashSet<_> = plan.changes.iter().map(|own| own.item).collect();
            assert_eq!(changed.len(), fire.summarized, "{name} of {window}");
        } else {
            let kept = plan.items.iter().filter(|item| item.fate == Fate::Kept);
            let kept: HashSet<_> = kept.map(|item| item.entry).collect();
            assert_eq!(kept.len(), fire.kept, "{name} of {window}");
        }
        // A plan's estimate is of what the session holds.
        let besides = growth.besides.first().map_or(0, |(_, tokens)| *tokens);
        let after = fire.tokens_after.saturating_sub(besides);
        let after = (after, plan.estimated_tokens_after);
        compared.insert(policy.name.as_str(), after);
    }
    compared
}

#[test]
fn the_first_firing_keeps_what_the_plan_keeps() {
    let long = session(110, |step| 1 + step % 2);
    let mut all: HashSet<&str> = HashSet::new();
    all.extend(compared(&long, 200_000).keys());
    // In the others the place where LangChain's 20 messages begin is a result as well.
    let pairs = session(40, |_| 2);
    for window in [3_000, 6_000, 40_000] {
        all.extend(compared(&pairs, window).keys());
    }
    // Droid's limit is above the window of the first.
    let longer = session(220, |step| 1 + step % 2);
    all.extend(compared(&longer, 1_000_000).keys());
    for policy in Policy::built_in() {
        let name = policy.name.as_str();
        let never = matches!(policy.trigger, Trigger::Never { .. });
        assert!(never || all.contains(name), "{name} was not compared");
    }
}

#[test]
fn what_stands_beside_a_summary_is_counted_as_the_plan_does() {
    let mut session = PiSession::new();
    for turn in 0..90 {
        session.user(&format!("Do part {turn}."));
        let path = format!("src/{}.rs", turn % 6);
        let lines = 60 + turn % 6 * 5;
        let content = "fn a() {}\nlet b = 1;\nlet c = 2;\n\n\n// d\n// e\n\nuse f;\n}\n";
        let mut reply = Reply::new().call(
            "write",
            json!({"path": path, "content": content.repeat(lines / 10)}),
        );
        if turn % 3 == 0 {
            let (old, new) = ("let b = 1;\n".repeat(20), "let b = 2;\n".repeat(20));
            reply = Reply::new().call(
                "edit",
                json!({"path": path, "edits": [{"oldText": old, "newText": new}]}),
            );
        }
        session.assistant(reply);
        session.tool_result("done");
        session.assistant(Reply::new().text("It is done."));
    }
    let ours = InMemory::read(&Pi, "x", session.to_jsonl().into_bytes());
    let sizes = compared(&ours, 20_000);
    for name in ["mux", "roo", "codex", "goose"] {
        let (fired, planned) = sizes[name];
        let most = planned / 4;
        assert!(
            fired.abs_diff(planned) <= most,
            "{name}: {fired} is not near {planned}"
        );
    }
}

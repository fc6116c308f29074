//! The memory stream: what matters most for the last request stays.

#![allow(
    clippy::unwrap_used,
    reason = "a plan that cannot be made fails its test"
)]

mod common;

use common::{page, plan_of, read, small_session};
use palimpsest_compaction::Plan;
use palimpsest_compaction::select::Fate;
use palimpsest_formats::InMemory;
use palimpsest_testkit::session::{PiSession, Reply};
use serde_json::{Value, json};

fn kept(plan: &Plan) -> Vec<usize> {
    let items = plan.items.iter().enumerate();
    let own = items.filter(|(_, item)| item.fate == Fate::Kept);
    own.map(|(at, _)| at).collect()
}

/// Answers about several things, a read, and a question about one of them.
fn workshop() -> InMemory {
    let mut session = PiSession::new();
    session.user("Begin.");
    session.assistant(Reply::new().text("The gearWheel has 48 teeth."));
    session.assistant(Reply::new().text("Paint on doors dries slowly."));
    session.assistant(Reply::new().call("read", json!({"path": "doors.rs"})));
    session.tool_result("fn open() {}");
    session.assistant(Reply::new().text("Windows are made of glass."));
    session.user("How many teeth has the gear_wheel?");
    session.assistant(Reply::new().text("Let me see."));
    read(&session)
}

/// Settings that score by one of the three alone.
fn only(weight: &'static str) -> Vec<(&'static str, Value)> {
    let weights = ["recency_weight", "importance_weight", "relevance_weight"];
    let one = weights.map(|own| (own, json!(if own == weight { 1.0 } else { 0.0 })));
    let mut set = one.to_vec();
    set.push(("age_unit", json!("entries")));
    set.push(("top_exchanges", json!(1)));
    set
}

#[test]
fn plan_on_the_small_session() {
    let ours = small_session();
    let plan = plan_of(&ours, "memory-stream", &[("budget_tokens", json!(60))]);
    insta::assert_snapshot!("memory-stream", page(&ours, &plan));
}

#[test]
fn each_weight_chooses_by_its_own() {
    let ours = workshop();
    let chosen = |weight| kept(&plan_of(&ours, "memory-stream", &only(weight)));
    // The last request and the last exchange stay beside the one that is chosen.
    assert_eq!(chosen("relevance_weight"), [1, 6, 7]);
    assert_eq!(chosen("recency_weight"), [5, 6, 7]);
    assert_eq!(chosen("importance_weight"), [0, 6, 7]);
}

#[test]
fn a_later_access_makes_an_exchange_recent() {
    let mut session = PiSession::new();
    session.user("Go.");
    session.assistant(Reply::new().call("read", json!({"path": "a.rs"})));
    session.tool_result("a");
    session.assistant(Reply::new().text("Nothing there."));
    session.user("Now change it.");
    session.assistant(Reply::new().call("edit", json!({"path": "a.rs"})));
    session.tool_result("Changed.");
    let plan = plan_of(&read(&session), "memory-stream", &only("recency_weight"));
    assert_eq!(kept(&plan), [1, 2, 4, 5, 6]);
}

#[test]
fn the_budget_holds_and_results_stay_with_their_calls() {
    let ours = workshop();
    let sizes: Vec<u64> = {
        let context = ours.context(ours.session.active_leaf);
        context.items.iter().map(|item| item.estimate).collect()
    };
    let last = sizes[6] + sizes[7];
    for budget in 0..sizes.iter().sum::<u64>() {
        let plan = plan_of(&ours, "memory-stream", &[("budget_tokens", json!(budget))]);
        let stays = kept(&plan);
        let used: u64 = stays.iter().map(|&at| sizes[at]).sum();
        assert!(used <= budget.max(last), "{budget}: {stays:?}");
        assert_eq!(stays.contains(&3), stays.contains(&4), "{budget}");
    }
}

//! The texts that are sent to a model, whole: one snapshot for each way of writing a prompt and
//! each form of transcript. What the other presets send is guarded by the digests in their
//! sketches (`sketches`).

use crate::common::{plan_of, small_session};
use palimpsest_compaction::Plan;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Every call of a plan as it is sent.
fn page(plan: &Plan) -> String {
    let mut page = String::new();
    for (number, call) in plan.calls.iter().enumerate() {
        let _ = writeln!(
            page,
            "===== call {number}: {}\n----- system\n{}\n----- prompt\n{}",
            call.label(),
            call.system,
            call.prompt
        );
    }
    page
}

fn holds(test: &str, preset: &str, set: &[(&str, Value)]) {
    let plan = plan_of(&small_session(), preset, set);
    assert!(!plan.calls.is_empty(), "{preset} sends nothing");
    insta::with_settings!({
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(test, page(&plan));
    });
}

macro_rules! sent {
    ($($(#[$doc:meta])* $test:ident: $preset:literal [$($name:literal: $value:tt),* $(,)?])+) => {$(
        $(#[$doc])*
        #[test]
        fn $test() {
            holds(stringify!($test), $preset, &[$(($name, json!($value))),*]);
        }
    )+};
}

sent! {
    /// pi's transcript; the history and the beginning of a split turn, each with its prompt.
    single: "pi" ["keep_recent_tokens": 30]
    /// A transcript with labels, reasoning included.
    labelled: "claude-code" ["request": "transcript", "last_round": "summarize"]
    /// The messages themselves, with the request behind them; a check behind the reply.
    conversation: "gemini-cli" ["keep_share": 0.0]
    /// The speaker's name above each message.
    role_blocks: "single-shot" ["keep_recent_tokens": 0]
    /// Segments in a row, each with the summaries before it.
    slices: "sequential-accumulated" ["slice_tokens": 20]
    /// Segments by themselves, then one summary of theirs.
    map_reduce: "kask" []
    /// A call for each pair of a tool call and its result.
    pairs: "goose-tool-pairs" ["keep_tool_uses": 1, "spare_turn": false]
    /// Files by priority.
    pack: "pr-agent-calls" ["keep_recent_tokens": 30]
    /// Messages with their numbers, of which the model names those to keep.
    attention: "openhands-attention" [
        "max_messages": 8,
        "summary_messages": 3,
        "choose_messages": 3,
    ]
    /// Questions, then insights on what is retrieved for each.
    reflect: "memory-stream-reflect" ["budget_tokens": 60]
    /// Exchanges to be rated.
    rate: "memory-stream" ["importance_source": "llm", "rated_at_once": 3, "budget_tokens": 60]
    /// What a program gets as its prompt.
    external: "external" ["keep_recent_tokens": 30, "command": ["./summarize", "--short"]]
}

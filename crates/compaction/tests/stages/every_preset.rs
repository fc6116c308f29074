//! Every built-in preset has its plan held in snapshots: on the small session in the test of its
//! agent, and here on a sample session that comes with the program.

use crate::common::outcome;
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::plan::SummaryPart;
use palimpsest_compaction::{Plan, PlanOutcome, Preset};
use palimpsest_formats::{InMemory, pi::Pi};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn each_has_a_snapshot_on_the_small_session() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut held = Vec::new();
    for folder in ["snapshots", "stages/snapshots"] {
        for file in std::fs::read_dir(tests.join(folder)).unwrap() {
            held.push(file.unwrap().file_name().into_string().unwrap());
        }
    }
    for preset in Preset::built_in() {
        let own = format!("__{}.snap", preset.name);
        assert!(
            held.iter().any(|name| name.ends_with(&own)),
            "no snapshot of the plan of {}; add it to the test of its agent",
            preset.name
        );
    }
}

#[test]
fn each_plans_on_the_sample_session() {
    let bytes = include_bytes!("../../../../assets/samples/01-coding-task.jsonl").to_vec();
    let ours = InMemory::read(&Pi, "01-coding-task.jsonl", bytes);
    for preset in Preset::built_in() {
        let plan = match outcome(&ours, &preset.name, &settings(&preset.name))
            .unwrap()
            .0
        {
            PlanOutcome::Compaction(plan) => plan,
            PlanOutcome::Nothing { reason } => panic!("{}: {reason:?}", preset.name),
        };
        insta::assert_snapshot!(format!("sample-{}", preset.name), sketch(&plan));
    }
}

/// What makes a preset act that does nothing in so small a context by itself.
fn settings(preset: &str) -> Vec<(&'static str, Value)> {
    match preset {
        "factory-droid" | "factory-droid-scratchpad" => {
            vec![("fill_tokens", json!(0)), ("drain_tokens", json!(10_000))]
        }
        "claude-code-micro" => vec![
            ("until_tokens", json!(0)),
            ("minimum_gain_tokens", json!(0)),
        ],
        "anthropic-context-editing" | "langchain-clear-tool-uses" => {
            vec![("trigger_input_tokens", json!(0))]
        }
        "opencode-prune" => vec![
            ("protect_tokens", json!(2_000)),
            ("more_than_tokens", json!(0)),
        ],
        "gemini-cli-truncate" => vec![("protect_tokens", json!(2_000))],
        "gemini-cli-masking" => vec![
            ("protect_tokens", json!(2_000)),
            ("minimum_gain_tokens", json!(0)),
        ],
        "goose-tool-pairs" => vec![("keep_tool_uses", json!(3)), ("spare_turn", json!(false))],
        "openhands-browser-masking" => vec![("only_tools", json!(["read"]))],
        _ => Vec::new(),
    }
}

/// A plan without its texts: runs of fates, sizes, calls with what they are about.
fn sketch(plan: &Plan) -> String {
    let mut page = String::new();
    let mut fates: Vec<(String, usize)> = Vec::new();
    for item in &plan.items {
        let fate = format!("{:?}", item.fate);
        match fates.last_mut() {
            Some((last, count)) if *last == fate => *count += 1,
            _ => fates.push((fate, 1)),
        }
    }
    let fates: Vec<String> = fates
        .iter()
        .map(|(fate, count)| format!("{count} {fate}"))
        .collect();
    let _ = writeln!(page, "fates: {}", fates.join(", "));
    let (before, after) = (plan.tokens_before, plan.estimated_tokens_after);
    let _ = writeln!(page, "tokens: {before} -> {after}");
    let saved: u64 = plan
        .changes
        .iter()
        .map(|change| change.tokens_before - change.tokens_after)
        .sum();
    let _ = writeln!(page, "made smaller: {} by {saved}", plan.changes.len());
    for call in &plan.calls {
        let _ = writeln!(
            page,
            "call: {}; {} items, {} tokens in, at most {:?}, after {:?}",
            call.label(),
            call.items.len(),
            call.input_tokens,
            call.max_output_tokens,
            call.after
        );
    }
    let part = |part: &SummaryPart| match part {
        SummaryPart::Text(text) => format!("text of {}", text.chars().count()),
        SummaryPart::Reply(call) => format!("reply {call}"),
        SummaryPart::Filled(..) => "filled in".to_owned(),
        SummaryPart::ByTail { stays, .. } => format!("text by the tail, which stays: {stays}"),
    };
    let parts: Vec<String> = plan.summary.iter().map(part).collect();
    let _ = writeln!(page, "summary: {}", parts.join(", "));
    let mut next: Vec<(String, usize)> = Vec::new();
    for item in &plan.next {
        let kind = match item {
            NextItem::Kept { .. } => "kept".to_owned(),
            NextItem::Summary { role, .. } => format!("summary as {role:?}"),
            NextItem::Text { role, .. } => format!("text as {role:?}"),
        };
        match next.last_mut() {
            Some((last, count)) if *last == kind => *count += 1,
            _ => next.push((kind, 1)),
        }
    }
    let next: Vec<String> = next
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let _ = writeln!(page, "next: {}", next.join(", "));
    for fallback in &plan.fallbacks {
        let calls = fallback.plan.calls.len();
        let of = &fallback.plan.strategy;
        let _ = writeln!(page, "{}; {of}, {calls} calls", fallback.words());
    }
    page
}

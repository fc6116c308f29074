//! One short sketch for each built-in preset: its plan on a sample session that comes with the
//! program. Each preset is a test of its own, so that one that fails hides no other.

mod sketch;

use crate::common::outcome;
use palimpsest_compaction::{PlanOutcome, Preset};
use palimpsest_formats::{InMemory, pi::Pi};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static SAMPLE: LazyLock<InMemory> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../../../assets/samples/01-coding-task.jsonl").to_vec();
    InMemory::read(&Pi, "01-coding-task.jsonl", bytes)
});

fn holds(preset: &str, set: &[(&str, Value)]) {
    let plan = match outcome(&SAMPLE, preset, set).unwrap().0 {
        PlanOutcome::Compaction(plan) => plan,
        PlanOutcome::Nothing { reason } => panic!("{preset}: {reason:?}"),
    };
    insta::with_settings!({
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(preset, sketch::sketch(&SAMPLE.session, &plan));
    });
}

macro_rules! sketches {
    ($($test:ident: $preset:literal [$($name:literal: $value:tt),*])+) => {
        const SKETCHED: &[&str] = &[$($preset),+];
        $(
            #[test]
            fn $test() {
                holds($preset, &[$(($name, json!($value))),*]);
            }
        )+
    };
}

// Settings make a preset act that does nothing in so small a context.
sketches! {
    aider: "aider" []
    amp_handoff: "amp-handoff" []
    anthropic_compaction: "anthropic-compaction" []
    anthropic_context_editing: "anthropic-context-editing" ["trigger_input_tokens": 0]
    anthropic_sdk: "anthropic-sdk" []
    claude_code: "claude-code" []
    claude_code_auto: "claude-code-auto" []
    claude_code_from: "claude-code-from" []
    claude_code_micro: "claude-code-micro" ["until_tokens": 0, "minimum_gain_tokens": 0]
    claude_code_notes: "claude-code-notes" []
    claude_code_up_to: "claude-code-up-to" []
    cline: "cline" []
    cline_basic: "cline-basic" []
    cline_summarize_task: "cline-summarize-task" []
    cline_truncate: "cline-truncate" []
    coder: "coder" []
    coder_a: "coder-a" []
    coder_b: "coder-b" []
    codex: "codex" []
    continue_ide: "continue" []
    continue_cli: "continue-cli" []
    copilot: "copilot" []
    copilot_chat: "copilot-chat" []
    copilot_chat_simple: "copilot-chat-simple" []
    external: "external" []
    extractive: "extractive" []
    factory_droid: "factory-droid" ["fill_tokens": 0, "drain_tokens": 10_000]
    factory_droid_scratchpad: "factory-droid-scratchpad" ["fill_tokens": 0, "drain_tokens": 10_000]
    gemini_cli: "gemini-cli" []
    gemini_cli_masking: "gemini-cli-masking" ["protect_tokens": 2_000, "minimum_gain_tokens": 0]
    gemini_cli_truncate: "gemini-cli-truncate" ["protect_tokens": 2_000]
    goose: "goose" []
    goose_auto: "goose-auto" []
    goose_tool_pairs: "goose-tool-pairs" ["keep_tool_uses": 3, "spare_turn": false]
    kask: "kask" []
    langchain: "langchain" []
    langchain_clear_tool_uses: "langchain-clear-tool-uses" ["trigger_input_tokens": 0]
    letta: "letta" []
    letta_all: "letta-all" []
    memory_stream: "memory-stream" []
    memory_stream_reflect: "memory-stream-reflect" []
    mux: "mux" []
    mux_heartbeat: "mux-heartbeat" []
    mux_hybrid_local: "mux-hybrid-local" []
    mux_pi_local: "mux-pi-local" []
    opencode: "opencode" []
    opencode_auto: "opencode-auto" []
    opencode_prune: "opencode-prune" ["protect_tokens": 2_000, "more_than_tokens": 0]
    opencode_v2: "opencode-v2" []
    openhands: "openhands" []
    openhands_agent_cache: "openhands-agent-cache" []
    openhands_amortized: "openhands-amortized" []
    openhands_attention: "openhands-attention" []
    openhands_browser_masking: "openhands-browser-masking" ["only_tools": ["read"]]
    openhands_llm: "openhands-llm" []
    openhands_observation_masking: "openhands-observation-masking" []
    openhands_pipeline: "openhands-pipeline" []
    openhands_recent: "openhands-recent" []
    openhands_structured: "openhands-structured" []
    openhands_window: "openhands-window" []
    parallel_stitch: "parallel-stitch" []
    pi: "pi" []
    pi_0_18: "pi-0.18" []
    pi_0_73: "pi-0.73" []
    pi_0_87: "pi-0.87" []
    pi_branch: "pi-branch" []
    pi_branch_0_73: "pi-branch-0.73" []
    pi_branch_0_87: "pi-branch-0.87" []
    pr_agent: "pr-agent" []
    pr_agent_calls: "pr-agent-calls" []
    roo: "roo" []
    roo_truncate: "roo-truncate" []
    sequential_accumulated: "sequential-accumulated" []
    sequential_rolling: "sequential-rolling" []
    single_shot: "single-shot" []
    truncate: "truncate" []
    zed: "zed" []
    zed_thread: "zed-thread" []
}

#[test]
fn every_preset_has_its_sketch() {
    let sketched: BTreeSet<&str> = SKETCHED.iter().copied().collect();
    assert_eq!(sketched.len(), SKETCHED.len(), "a preset stands here twice");
    let built_in: BTreeSet<&str> = Preset::built_in()
        .map(|preset| preset.name.as_str())
        .collect();
    assert_eq!(sketched, built_in);
}

//! A reply that is stored block by block is summarized with all its blocks.

use super::Bench;
use crate::run::{PlanSpec, RunSpec};
use palimpsest_core::ledger::FileRole;
use palimpsest_llm::ProviderKind;
use serde_json::{Value, json};
use std::collections::HashSet;

/// A session of Claude Code whose replies are two records each: what is said, and a call.
fn blocks() -> String {
    let mut lines: Vec<Value> = Vec::new();
    let mut parent = Value::Null;
    let mut put = |id: String, kind: &str, message: Value| {
        lines.push(json!({
            "type": kind, "uuid": id, "parentUuid": parent, "sessionId": "blocks", "cwd": "/home/dev/clock",
            "version": "2.1.63", "isSidechain": false, "timestamp": "2026-11-20T10:00:00.000Z",
            "message": message,
        }));
        parent = Value::from(id);
    };
    let usage = json!({ "input_tokens": 900, "output_tokens": 40 });
    for turn in 0..6 {
        let ask = format!("Please look at src/part{turn}.rs and fix it.");
        put(
            format!("u{turn}"),
            "user",
            json!({ "role": "user", "content": ask }),
        );
        let block = |content: Value| {
            json!({
                "id": format!("msg_{turn}"), "role": "assistant", "model": "claude-opus-4-5",
                "usage": usage, "content": [content],
            })
        };
        let said = json!({ "type": "text", "text": "I look at it first. ".repeat(20) });
        put(format!("said{turn}"), "assistant", block(said));
        let call = json!({
            "type": "tool_use", "id": format!("t{turn}"), "name": "Edit",
            "input": { "file_path": format!("/home/dev/clock/src/part{turn}.rs"), "old_string": "a", "new_string": "b" },
        });
        put(format!("call{turn}"), "assistant", block(call));
        let result = json!([{ "type": "tool_result", "tool_use_id": format!("t{turn}"), "content": "done" }]);
        put(
            format!("result{turn}"),
            "user",
            json!({ "role": "user", "content": result }),
        );
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[tokio::test]
async fn every_block_of_a_reply_is_in_the_plan_and_in_the_ledger_of_its_run() {
    let mut bench = Bench::new(ProviderKind::OpenAi);
    let path = ".claude/projects/-home-dev-clock/blocks.jsonl";
    let file = bench.home.add_file(path, blocks().as_bytes()).unwrap();
    bench.session = file.display().to_string();
    let spec = PlanSpec {
        session: bench.session.clone(),
        strategy: Some("claude-code".to_owned()),
        ..PlanSpec::default()
    };
    let planned = bench.app.plan_shown(&spec).await.unwrap();
    let record = &planned.record;
    let told: HashSet<&str> = record
        .summarize_ids
        .iter()
        .chain(&record.turn_prefix_ids)
        .chain(&record.kept_ids)
        .map(String::as_str)
        .collect();
    for turn in 0..6 {
        for part in ["u", "said", "call", "result"] {
            let id = format!("{part}{turn}");
            assert!(told.contains(id.as_str()), "{id} is not in {told:?}");
        }
    }
    assert!(record.summarize_ids.iter().any(|id| id == "call0"));
    let run = RunSpec {
        plan: PlanSpec {
            provider: Some("offline".to_owned()),
            ..spec
        },
        plan_hash: None,
        stream: None,
        stored_as: None,
        above_limit: false,
    };
    let id = bench.app.compact(run).await.unwrap().row.id;
    let open = bench.app.open(&bench.session).unwrap();
    let ledger = bench.app.material_of_run(&open, &id).unwrap().ledger();
    let edited = ledger
        .facts
        .iter()
        .filter(|fact| fact.details.file_role == Some(FileRole::Edited));
    assert!(edited.count() >= 5, "the files that the calls changed");
}

#[test]
fn a_record_that_names_the_first_block_stands_for_all() {
    let mut bench = Bench::new(ProviderKind::OpenAi);
    let path = ".claude/projects/-home-dev-clock/blocks.jsonl";
    let file = bench.home.add_file(path, blocks().as_bytes()).unwrap();
    bench.session = file.display().to_string();
    let open = bench.app.open(&bench.session).unwrap();
    let by_id = open.session.by_id();
    let [said, call, leaf] = ["said0", "call0", "result5"].map(|id| by_id[id]);
    let context = open.format.context(&open.session, &open.tree, Some(leaf));
    assert_eq!(context.with_further(&[said]), [said, call]);
    assert_eq!(context.with_further(&[said, call]), [said, call]);
}

//! `judge`: what it shows before anything is sent, what it prints, and its replay.

use crate::contract::{fields, sample};
use crate::program::Program;
use palimpsest_testkit::llm_server::LlmServer;
use serde_json::json;

/// A provider that has one model.
fn by(server: &LlmServer) -> [String; 6] {
    let url = format!("{}/v1", server.url());
    [
        "--provider",
        "ollama",
        "--model",
        "scripted-ok",
        "--base-url",
        &url,
    ]
    .map(str::to_owned)
}

#[test]
fn facts_are_priced_asked_merged_and_replayed() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let server = LlmServer::start().unwrap();
    server.answer_with(|seen| {
        let prompt = seen.prompt();
        let quote = "src/ledger.rs";
        let before = &prompt[..prompt.find(quote).unwrap()];
        let id = &before[before.rfind("id=\"").unwrap() + 4..];
        let entry = &id[..id.find('"').unwrap()];
        let kept = json!({ "kind": "finding", "text": "The sums are made in src/ledger.rs.", "entries": [entry], "quote": "not said" });
        let lost = json!({ "kind": "finding", "text": "It is slow.", "entries": [entry], "quote": "not said" });
        json!({ "facts": [kept, lost] }).to_string()
    });
    let by = by(&server);
    let mut asks = vec!["judge", &path, "--what", "facts"];
    asks.extend(by.iter().map(String::as_str));
    let mut dry = asks.clone();
    dry.push("--dry-run");
    let plan = program.json(&dry);
    fields(
        &plan,
        &[
            "what",
            "title",
            "calls",
            "input_tokens",
            "output_tokens",
            "estimated_cost_usd",
            "destination",
        ],
    );
    assert!(
        plan["calls"][0]["prompt"]
            .as_str()
            .unwrap()
            .contains("<session>")
    );
    assert_eq!(server.requests().len(), 0, "a plan sends nothing");
    let judged = program.json(&asks);
    assert_eq!(judged["status"], "done", "{judged}");
    assert_eq!(
        judged["result"]["facts"].as_array().unwrap().len(),
        1,
        "{judged}"
    );
    assert_eq!(judged["result"]["rejected"][0]["why"], "not_quoted");
    let ledger = program.json(&["ledger", &path]);
    let facts = ledger["facts"].as_array().unwrap();
    let own: Vec<_> = facts
        .iter()
        .filter(|fact| fact["found_by"] == "model")
        .collect();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0]["text"], "The sums are made in src/ledger.rs.");
    let id = judged["judgement_id"].as_str().unwrap();
    let replay = program.json(&["replay", id]);
    assert_eq!(
        (&replay["same"], &replay["judged"]),
        (&json!(true), &json!("facts"))
    );
    assert_eq!(program.json(&["judge", &path]).as_array().unwrap().len(), 1);
    program.json(&["judge", &path, "--delete", id]);
    let ledger = program.json(&["ledger", &path]);
    let facts = ledger["facts"].as_array().unwrap();
    assert!(facts.iter().all(|fact| fact.get("found_by").is_none()));
    assert_eq!(server.requests().len(), 1, "nothing else was sent");
}

#[test]
fn claims_are_priced_checked_both_ways_and_shown_beside_rules() {
    let program = Program::new();
    let (path, _) = sample(&program);
    let server = LlmServer::start().unwrap();
    server.answer_with(|seen| {
        let prompt = seen.prompt();
        if prompt.contains("<context>") {
            let quote = "Rename parse_amount in src/ledger.rs";
            let kept = json!({ "fact": "f1", "verdict": "kept", "quote": quote });
            return json!({ "facts": [kept, { "fact": "f99", "verdict": "dropped" }] }).to_string();
        }
        let kept = json!({ "claim": "c1", "verdict": "supported", "entries": ["e1"],
            "quote": "Rename `parse_amount` in src/ledger.rs" });
        json!({ "verdicts": [kept] }).to_string()
    });
    let by = by(&server);
    let mut asks = vec!["judge", &path, "--what", "claims"];
    asks.extend(by.iter().map(String::as_str));
    let mut dry = asks.clone();
    dry.push("--dry-run");
    let plan = program.json(&dry);
    assert_eq!(plan["calls"].as_array().unwrap().len(), 2, "{plan}");
    let notes = plan["notes"].to_string();
    assert!(notes.contains("summarized span"), "{notes}");
    assert_eq!(server.requests().len(), 0, "a plan sends nothing");
    let judged = program.json(&asks);
    let result = &judged["result"];
    fields(
        result,
        &[
            "what",
            "claims",
            "fact_sums",
            "sentences",
            "facts",
            "unknown",
        ],
    );
    assert_eq!(result["claims"]["precision"], 1.0, "{judged}");
    assert_eq!(result["fact_sums"]["kept"], 1);
    assert_eq!(result["unknown"], 1);
    let second = &result["facts"][1]["by_model"];
    assert_eq!(second["not_checked"], "left_out");
    let id = judged["judgement_id"].as_str().unwrap();
    let text = program.run(&["judge", &path, "--show", id]).stdout;
    for part in [
        "100 % of the statements supported",
        "supported      Rename parse_amount in src/ledger.rs.",
        "    \"Rename `parse_amount` in src/ledger.rs\"",
        "the reply leaves it out",
        "1 verdict on ids that were not asked about",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let ledger = program.json(&["ledger", &path]);
    assert_eq!(ledger["claims"][0]["by_model"]["verdict"], "supported");
    assert_eq!(ledger["judged_claims"]["judgement_id"], id);
    let export = program.run(&["export", &path, "ledger"]).stdout;
    assert!(export.contains("Claims by model"), "{export}");
    let replay = program.json(&["replay", id]);
    assert_eq!(
        (&replay["same"], &replay["same_prompts"], &replay["judged"]),
        (&json!(true), &json!(true), &json!("claims"))
    );
    program.json(&["judge", &path, "--delete", id]);
    let ledger = program.json(&["ledger", &path]);
    assert!(ledger.get("judged_claims").is_none());
    assert!(ledger["claims"][0].get("by_model").is_none());
}

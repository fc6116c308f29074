//! The shipped samples are what the scripts say, and show what they are there to show.

use palimpsest_testkit::samples;
use serde_json::Value;
use std::collections::HashSet;
use std::fs;

fn records(name: &str) -> Vec<Value> {
    let text = samples::play(name).expect("the scripts play").to_jsonl();
    text.lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

fn of_type<'a>(records: &'a [Value], kind: &str) -> Vec<&'a Value> {
    records
        .iter()
        .filter(|record| record["type"] == kind)
        .collect()
}

fn text_of(record: &Value) -> String {
    let blocks = record["message"]["content"]
        .as_array()
        .into_iter()
        .flatten();
    blocks
        .filter_map(|block| block["text"].as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_committed_samples_are_the_ones_the_scripts_make() {
    let mut total = 0;
    for name in samples::NAMES {
        let made = samples::play(name).unwrap().to_jsonl();
        let path = samples::committed_folder().join(format!("{name}.jsonl"));
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            made == committed,
            "{} is out of date; run: cargo run -p palimpsest-testkit --bin build-samples",
            path.display()
        );
        total += made.len();
    }
    assert!(
        total < 2_500_000,
        "{total} bytes are too many for a repository"
    );
}

#[test]
fn every_sample_is_one_tree_with_every_call_answered() {
    for name in samples::NAMES {
        let records = records(name);
        let mut seen = HashSet::new();
        let mut open_calls = HashSet::new();
        let mut last_ms = 0;
        for record in &records[1..] {
            let parent = record["parentId"].as_str();
            assert!(
                parent.is_none_or(|id| seen.contains(id)),
                "{name}: {record} has no parent"
            );
            assert!(
                seen.insert(record["id"].as_str().unwrap().to_owned()),
                "{name}: an id twice"
            );
            let at_ms = palimpsest_testkit::clock::parse_iso(record["timestamp"].as_str().unwrap());
            assert!(
                at_ms >= last_ms,
                "{name}: time goes back at {}",
                record["id"]
            );
            last_ms = at_ms;
            for block in record["message"]["content"]
                .as_array()
                .into_iter()
                .flatten()
            {
                if block["type"] == "toolCall" {
                    open_calls.insert(block["id"].as_str().unwrap().to_owned());
                }
            }
            if let Some(call) = record["message"]["toolCallId"].as_str() {
                assert!(open_calls.remove(call), "{name}: a result without a call");
            }
        }
        assert!(open_calls.is_empty(), "{name}: calls without a result");
        assert_eq!(
            records
                .iter()
                .filter(|record| record["parentId"].is_null())
                .count(),
            2,
            "{name}"
        );
    }
}

#[test]
fn the_coding_task_needs_again_what_its_compaction_lost() {
    let records = records("01-coding-task");
    assert!(
        (260..=340).contains(&records.len()),
        "{} records",
        records.len()
    );
    let at = records
        .iter()
        .position(|record| record["type"] == "compaction")
        .unwrap();
    assert_eq!(of_type(&records, "compaction").len(), 1);
    let summary = records[at]["summary"].as_str().unwrap();
    assert!(records[at]["tokensBefore"].as_u64().unwrap() > 120_000);
    assert!(
        records.len() - at > 100,
        "too little work after the compaction"
    );
    let earlier: String = records[..at]
        .iter()
        .map(text_of)
        .collect::<Vec<_>>()
        .join("\n");
    let later: String = records[at + 1..]
        .iter()
        .map(text_of)
        .collect::<Vec<_>>()
        .join("\n");
    for lost in ["never log payload bodies", "5 per second", "--all-targets"] {
        assert!(earlier.contains(lost), "{lost:?} was never said");
        assert!(
            !summary.contains(lost),
            "{lost:?} is in the summary after all"
        );
    }
    for needed_again in [
        "As I said: no payload bodies",
        "5 per second",
        "--all-targets",
    ] {
        assert!(
            later.contains(needed_again),
            "{needed_again:?} is not needed again"
        );
    }
    assert!(
        earlier.contains("9190") && summary.contains("port, 9090"),
        "the wrong port is missing"
    );
}

#[test]
fn the_second_of_two_compactions_splits_a_turn_and_loses_a_fact() {
    let records = records("02-two-compactions");
    let compactions = of_type(&records, "compaction");
    let summaries: Vec<&str> = compactions
        .iter()
        .map(|c| c["summary"].as_str().unwrap())
        .collect();
    let [first, second] = summaries.as_slice() else {
        panic!("{} compactions", summaries.len())
    };
    assert!(!first.contains("Turn Context") && second.contains("**Turn Context (split turn):**"));
    assert!(first.contains("windows-1252") && !second.contains("windows-1252"));
    let files = |compaction: &Value| compaction["details"]["readFiles"].as_array().unwrap().len();
    assert!(files(compactions[1]) > 0, "the file lists are carried on");
}

#[test]
fn three_branches_two_of_them_summarized() {
    let records = records("03-three-branches");
    let parents: HashSet<&str> = records
        .iter()
        .filter_map(|record| record["parentId"].as_str())
        .collect();
    let leaves = records[1..]
        .iter()
        .filter(|r| !parents.contains(r["id"].as_str().unwrap()));
    assert_eq!(leaves.count(), 3);
    let summaries = of_type(&records, "branch_summary");
    assert_eq!(summaries.len(), 2);
    assert!(
        summaries
            .iter()
            .all(|summary| summary["fromId"] != summary["parentId"])
    );
}

#[test]
fn the_fourth_sample_holds_every_other_kind_of_record() {
    let records = records("04-errors-labels-edits");
    for kind in [
        "label",
        "context_edit",
        "custom",
        "custom_message",
        "session_info",
        "model_change",
        "thinking_level_change",
    ] {
        assert!(!of_type(&records, kind).is_empty(), "no {kind}");
    }
    let count = |wanted: &dyn Fn(&Value) -> bool| records.iter().filter(|r| wanted(r)).count();
    assert!(
        count(&|r| r["message"]["isError"] == true) >= 3,
        "failed tools"
    );
    assert_eq!(count(&|r| r["message"]["stopReason"] == "aborted"), 1);
    assert_eq!(count(&|r| r["message"]["stopReason"] == "error"), 1);
    assert_eq!(count(&|r| r["message"]["excludeFromContext"] == true), 1);
    assert_eq!(count(&|r| r["message"]["role"] == "system"), 2);
    assert!(count(&|r| r.to_string().contains("image/png")) == 1);
    let edits = of_type(&records, "context_edit");
    assert!(edits.iter().any(|edit| edit["replacement"].is_null()));
    assert!(
        edits
            .iter()
            .any(|edit| edit["replacement"]["content"].is_array())
    );
    assert!(
        of_type(&records, "label")
            .iter()
            .any(|label| label.get("label").is_none())
    );
}

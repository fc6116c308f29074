//! The JSON of runs, ledgers and exports that programs rely on.

use crate::contract::{fields, sample};
use crate::program::Program;

#[test]
fn compact_runs_offline_is_kept_and_has_a_ledger() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let args = [
        "compact",
        &path,
        "--at",
        &compaction,
        "--redo",
        "--set",
        "keep_recent_tokens=800",
    ];
    let run = program.json(&args);
    fields(
        &run,
        &[
            "run_id",
            "plan",
            "summary",
            "calls",
            "usage",
            "cost_usd",
            "elapsed_ms",
            "ledger",
        ],
    );
    fields(
        &run["calls"][0],
        &["purpose", "usage", "elapsed_ms", "stop_reason"],
    );
    let summary = run["summary"].as_str().unwrap();
    assert!(
        summary.contains("## Goal") && summary.contains("parse_amount"),
        "{summary}"
    );
    assert_eq!(
        program.json(&args)["summary"],
        run["summary"],
        "the same input, the same words"
    );
    let runs = program.json(&["runs"]);
    assert_eq!(runs.as_array().unwrap().len(), 2);
    let id = run["run_id"].as_str().unwrap();
    let ledger = program.json(&["ledger", &path, "--run", id]);
    assert_eq!(
        ledger["totals"], run["ledger"],
        "the run keeps the totals of its ledger"
    );
}

#[test]
fn ledger_tells_fates_with_evidence() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let ledger = program.json(&["ledger", &path, "--compaction", &compaction]);
    fields(&ledger, &["facts", "introduced", "totals"]);
    fields(
        &ledger["totals"],
        &[
            "by_kind",
            "retention",
            "compression_ratio",
            "coverage",
            "density",
            "needed_later",
        ],
    );
    let facts = ledger["facts"].as_array().unwrap();
    let fact = |text: &str| {
        facts
            .iter()
            .find(|fact| fact["kind"] == "path" && fact["text"] == text)
            .unwrap()
    };
    let kept = fact("src/ledger.rs");
    fields(
        kept,
        &[
            "id",
            "kind",
            "text",
            "entry_ids",
            "status",
            "evidence",
            "needed_later",
        ],
    );
    assert_eq!(kept["status"], "verbatim");
    let range = &kept["evidence"][0];
    let (start, end) = (
        range["start"].as_u64().unwrap(),
        range["end"].as_u64().unwrap(),
    );
    let summary: Vec<char> = ledger["summary"].as_str().unwrap().chars().collect();
    let shown: String = summary[start as usize..end as usize].iter().collect();
    assert_eq!(shown, "src/ledger.rs");
    let lost = fact("src/part3.rs");
    assert_eq!(lost["status"], "dropped");
    assert!(
        !lost["needed_later"].as_array().unwrap().is_empty(),
        "it was read again: {lost}"
    );
    let file = program.file("summary.md", b"The user wants src/part3.rs left alone.");
    let args = [
        "ledger",
        &path,
        "--summary-file",
        &file,
        "--at",
        &compaction,
    ];
    let own = program.json(&args);
    assert_eq!(own["summary"], "The user wants src/part3.rs left alone.");
}

#[test]
fn an_edited_summary_is_a_run_with_the_facts_put_in() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let ledger = program.json(&["ledger", &path, "--compaction", &compaction]);
    let facts = ledger["facts"].as_array().unwrap();
    let lost = facts
        .iter()
        .find(|fact| fact["status"] == "dropped" && fact["kind"] == "user_request");
    let id = lost.unwrap()["id"].as_str().unwrap();
    let args = ["edit", &path, "--compaction", &compaction, "--insert", id];
    let run = program.json(&args);
    fields(&run["row"], &["run_id", "edited"]);
    assert_eq!(run["row"]["edited"]["entry"], compaction.as_str());
    let name = run["run_id"].as_str().unwrap();
    let after = program.json(&["ledger", &path, "--run", name]);
    let now = after["facts"].as_array().unwrap();
    let same = now.iter().find(|fact| fact["id"] == id).unwrap();
    assert_eq!(same["status"], "verbatim", "{}", after["summary"]);
    let listed = program.json(&["runs", &path]);
    assert_eq!(listed[0]["strategy"], "edited");
    let file = program.file("mine.md", b"Mine.\n");
    let args = ["edit", &path, "--run", name, "--text-file", &file];
    let again = program.json(&args);
    assert_eq!(again["summary"], "Mine.");
    assert_eq!(again["row"]["edited"]["run"], name);
}

#[test]
fn exports_are_documents_of_every_part_in_every_form() {
    let program = Program::new();
    let (path, compaction) = sample(&program);
    let entry = format!("--entry={compaction}");
    for what in [
        "session",
        "tree",
        "entry",
        "context",
        "ledger",
        "handoff",
        "comparison",
    ] {
        let mut args = vec!["export", &path, what];
        if what == "comparison" {
            args.extend(["--compaction", &compaction, "--compaction", &compaction]);
        } else if what != "ledger" && what != "handoff" {
            args.push(&entry);
        }
        let ran = program.run(&args);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        let markdown = ran.stdout;
        assert!(markdown.starts_with("# "), "{what}: {markdown}");
        args.push("--html");
        let html = program.run(&args).stdout;
        assert!(html.starts_with("<!doctype html>"), "{what}: {html}");
        assert!(
            html.contains("src/part3.rs") || html.contains("parse_amount"),
            "{what}"
        );
        args.pop();
        args.push("--mask");
        let masked = program.run(&args).stdout;
        assert!(!masked.contains("part3.rs"), "{what}: {masked}");
        let json = program.json(&args);
        assert!(json.is_object(), "{what}: {json}");
        assert!(!json.to_string().contains("part3.rs"), "{what}");
    }
    let out = program.home.path().join("handoff.md");
    let args = ["export", &path, "handoff", "--out", out.to_str().unwrap()];
    assert_eq!(program.run(&args).code, 0);
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(
        text.contains("## Summary\n\n## Goal\nRename parse_amount"),
        "{text}"
    );
    assert!(text.contains("- Now step 0, please."), "{text}");
    // A file that exists is not replaced.
    program.fails(&args, &["handoff.md"]);
}

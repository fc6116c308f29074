//! The sizes before Codex's compactions: those of the conversation, not of the request for the summary.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use palimpsest_core::EntryKind;
use palimpsest_formats::codex::Codex;
use palimpsest_formats::{InMemory, SessionFormat};
use serde_json::{Value, json};

const SUMMARY: &str = "## Goal\nGrind the corn.";

fn message(role: &str, text: &str) -> (&'static str, Value) {
    let kind = if role == "user" {
        "input_text"
    } else {
        "output_text"
    };
    let content = json!([{"type": kind, "text": text}]);
    (
        "response_item",
        json!({"type": "message", "role": role, "content": content}),
    )
}

fn usage(input: u64, all: u64) -> (&'static str, Value) {
    let own = json!({"input_tokens": input, "output_tokens": 10, "total_tokens": input + 10});
    let thread = json!({"input_tokens": all, "total_tokens": all + 10});
    (
        "token_usage_record",
        json!({"usage": own, "thread_token_usage": thread}),
    )
}

fn compacted() -> (&'static str, Value) {
    let text = format!("Another model began this and wrote a summary:\n{SUMMARY}");
    (
        "compacted",
        json!({"message": text, "replacement_history": []}),
    )
}

/// The size before the compaction, and the sizes that are taken for those of the context.
fn sizes(records: &[(&str, Value)]) -> (Option<u64>, Vec<u64>) {
    let header = ("session_meta", json!({"id": "t", "cli_version": "0.169.0"}));
    let lines: Vec<String> = std::iter::once(&header)
        .chain(records)
        .enumerate()
        .map(|(ordinal, (kind, payload))| {
            json!({"timestamp": "2026-03-01T10:00:00Z", "ordinal": ordinal, "type": kind,
                "payload": payload})
            .to_string()
        })
        .collect();
    let format: &'static dyn SessionFormat = &Codex;
    let ours = InMemory::read(format, "rollout.jsonl", lines.join("\n").into_bytes());
    let before = ours.session.entries.iter().find_map(|entry| {
        let EntryKind::Compaction(told) = &entry.kind else {
            return None;
        };
        told.tokens_before
    });
    let entries = ours.session.entries.iter();
    let trusted = entries.filter(|entry| entry.usage_trusted);
    let trusted = trusted.map(|entry| entry.usage.unwrap().context_tokens());
    (before, trusted.collect())
}

#[test]
fn the_request_for_a_summary_is_not_the_context() {
    let records = [
        message("user", "Grind it."),
        message("assistant", "It is ground."),
        usage(13_000, 13_000),
        message("assistant", SUMMARY),
        usage(9_000, 22_000),
        compacted(),
    ];
    assert_eq!(sizes(&records), (Some(13_010), vec![13_010]));
}

#[test]
fn nor_is_one_whose_reply_is_not_stored() {
    let records = [
        message("user", "Grind it."),
        message("assistant", "It is ground."),
        usage(13_000, 13_000),
        usage(9_000, 22_000),
        compacted(),
    ];
    assert_eq!(sizes(&records), (Some(13_010), vec![13_010]));
}

#[test]
fn the_last_reply_tells_the_size_where_nothing_tells_of_that_request() {
    let records = [
        message("user", "Grind it."),
        message("assistant", "It is ground."),
        usage(13_000, 13_000),
        message("user", "Grind more."),
        message("assistant", "That is ground as well."),
        usage(14_000, 27_000),
        compacted(),
    ];
    assert_eq!(sizes(&records), (Some(14_010), vec![13_010, 14_010]));
}

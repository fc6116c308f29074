//! The four strategies of pi's study of slices, against a plain reading of its rules that shares
//! nothing with ours (pi 0.18.3, `docs/compaction-strategies.ts`).

use crate::common::plan_of;
use palimpsest_compaction::{Plan, Step};
use palimpsest_formats::{InMemory, pi::Pi};
use serde_json::{Value, json};
use std::path::Path;

/// The study's numbers.
const SLICE_TOKENS: usize = 10_000;
/// Small enough for many slices of any session.
const SMALL: usize = 400;
const SLICE_REPLY: u64 = 2_000;
const FINAL_REPLY: u64 = 4_000;

/// What the study takes of a session: every line in order, user and assistant only.
fn said(lines: &[&str]) -> Vec<String> {
    let mut said = Vec::new();
    for line in lines {
        let Ok(record) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let message = &record["message"];
        let speaker = match (record["type"].as_str(), message["role"].as_str()) {
            (Some("message"), Some("user")) => "USER",
            (Some("message"), Some("assistant")) => "ASSISTANT",
            _ => continue,
        };
        if matches!(message["stopReason"].as_str(), Some("aborted" | "error")) {
            continue;
        }
        let text = match &message["content"] {
            Value::String(text) => text.clone(),
            Value::Array(blocks) => {
                let texts = blocks
                    .iter()
                    .filter_map(|block| match block["type"].as_str()? {
                        "text" => Some(block["text"].as_str()?.to_owned()),
                        "thinking" => Some(format!("[Thinking]\n{}", block["thinking"].as_str()?)),
                        // pi's own calls have another name, so the study never shows them.
                        _ => None,
                    });
                texts.collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        };
        if !text.is_empty() {
            said.push(format!("{speaker}:\n{text}"));
        }
    }
    said
}

fn tokens(said: &str) -> usize {
    let text = said.split_once(":\n").unwrap().1;
    text.encode_utf16().count().div_ceil(4)
}

/// Greedy: a slice ends before the message that would make it too large.
fn slices(said: &[String], most: usize) -> Vec<String> {
    let mut slices: Vec<Vec<&str>> = Vec::new();
    let mut size = 0;
    for one in said {
        if slices.is_empty() || size + tokens(one) > most {
            slices.push(Vec::new());
            size = 0;
        }
        size += tokens(one);
        slices.last_mut().unwrap().push(one);
    }
    slices
        .iter()
        .map(|slice| slice.join("\n\n---\n\n"))
        .collect()
}

/// Holds the four plans against the plain reading; gives the number of slices.
fn compare(what: &str, bytes: &[u8], most: usize) -> usize {
    let text = std::str::from_utf8(bytes).unwrap();
    // The study ignores compactions where we do not, so only what is before the first is compared.
    let lines: Vec<&str> = text
        .lines()
        .take_while(|line| !line.starts_with("{\"type\":\"compaction\""))
        .collect();
    let ours = InMemory::read(&Pi, what, lines.join("\n").into_bytes());
    let all = said(&lines);
    let expected = slices(&all, most);
    let shown = |plan: &Plan, calls: std::ops::Range<usize>| -> Vec<String> {
        let calls = plan.calls[calls].iter();
        calls.map(|call| call.conversation().to_owned()).collect()
    };
    let limits = |plan: &Plan| -> Vec<u64> {
        let calls = plan.calls.iter();
        calls.map(|call| call.max_output_tokens.unwrap()).collect()
    };
    let count = expected.len();
    let set = [("slice_tokens", json!(most))];

    let single = plan_of(&ours, "single-shot", &[]);
    assert_eq!(shown(&single, 0..1), [all.join("\n\n---\n\n")], "{what}");
    assert_eq!(
        (single.calls.len(), limits(&single)),
        (1, vec![FINAL_REPLY])
    );

    let stitch = plan_of(&ours, "parallel-stitch", &set);
    assert_eq!(stitch.calls.len(), count + 1, "{what}");
    assert_eq!(shown(&stitch, 0..count), expected, "{what}");
    assert_eq!(stitch.calls[count].step, Step::Stitch);
    assert_eq!(stitch.calls[count].after, (0..count).collect::<Vec<_>>());
    let mut each = vec![SLICE_REPLY; count];
    each.push(FINAL_REPLY);
    assert_eq!(limits(&stitch), each);

    for name in ["sequential-accumulated", "sequential-rolling"] {
        let plan = plan_of(&ours, name, &set);
        assert_eq!(shown(&plan, 0..count), expected, "{what} {name}");
        assert_eq!(plan.calls.len(), count);
        for (index, call) in plan.calls.iter().enumerate() {
            assert_eq!(call.step, Step::Slice { index, of: count });
            assert_eq!(call.after, (0..index).collect::<Vec<_>>());
            let most = if index + 1 == count {
                FINAL_REPLY
            } else {
                SLICE_REPLY
            };
            assert_eq!(call.max_output_tokens, Some(most));
            // Accumulated quotes all replies before, rolling the last.
            let quoted: Vec<usize> = call.slots.iter().map(|slot| slot.call).collect();
            let wanted: Vec<usize> = match name {
                "sequential-rolling" => (index.saturating_sub(1)..index).collect(),
                _ => (0..index).collect(),
            };
            assert_eq!(quoted, wanted, "{what} {name} {index}");
        }
    }
    count
}

#[test]
fn slices_of_the_samples_are_the_studys() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples");
    for name in ["01-coding-task", "02-two-compactions"] {
        let bytes = std::fs::read(samples.join(format!("{name}.jsonl"))).unwrap();
        assert!(compare(name, &bytes, SLICE_TOKENS) > 0);
        assert!(compare(name, &bytes, SMALL) > 1);
    }
}

#[test]
fn slices_of_real_sessions_are_the_studys() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/pi/real");
    for name in ["before-compaction", "compact"] {
        match std::fs::read(folder.join(format!("{name}.jsonl"))) {
            Ok(bytes) => {
                assert!(compare(name, &bytes, SLICE_TOKENS) > 0);
                assert!(compare(name, &bytes, SMALL) > 10);
            }
            Err(error) => eprintln!("skipped: {name}: {error}"),
        }
    }
}

#[test]
fn a_long_message_is_a_slice_of_its_own_and_a_full_one_is_not_cut() {
    let line = |role: &str, tokens: usize| {
        let text = "abcd".repeat(tokens);
        json!({"type": "message", "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": role, "content": [{"type": "text", "text": text}]}})
        .to_string()
    };
    let header = json!({"type": "session", "id": "x", "timestamp": "2026-01-01T00:00:00Z",
        "cwd": "/x"});
    for (sizes, count) in [
        (&[10_000][..], 1),
        (&[9_999, 1], 1),
        (&[9_999, 2], 2),
        (&[25_000], 1),
        (&[1, 25_000, 1], 3),
        (&[5_000, 5_000, 5_000, 5_000, 1], 3),
    ] {
        let mut text = header.to_string();
        for (at, size) in sizes.iter().enumerate() {
            text.push('\n');
            text.push_str(&line(if at % 2 == 0 { "user" } else { "assistant" }, *size));
        }
        assert_eq!(
            compare("by hand", text.as_bytes(), SLICE_TOKENS),
            count,
            "{sizes:?}"
        );
    }
}

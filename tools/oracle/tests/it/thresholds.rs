//! The automatic compactions of sessions against the policies of their agents: the samples of
//! Copilot, Droid and Mux, and sessions made for Coder and Continue, of which there are none.

use palimpsest_app::view::policies::{Limits, followed};
use palimpsest_compaction::policy::Policy;
use palimpsest_formats::InMemory;
use palimpsest_formats::coder::Coder;
use palimpsest_formats::continue_dev::Continue;
use palimpsest_oracle::thresholds::{compared, rows};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn policies_predict_the_automatic_compactions_of_the_samples() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let rows = rows(&shared);
    if rows.is_empty() {
        eprintln!("SKIPPED: no samples in {}", shared.display());
        return;
    }
    for row in &rows {
        assert!(row.is_equal(), "{row:?}");
    }
    for agent in ["copilot", "factory-droid", "mux"] {
        let own = rows.iter().filter(|row| row.agent == agent);
        let automatic: usize = own.map(|row| row.automatic).sum();
        assert!(automatic >= 2, "{agent} has {automatic}");
    }
}

#[test]
fn another_threshold_predicts_them_no_more() {
    let ours = coder(&[500, 690, 705], 1_000);
    let set = |percent: u64| {
        let percent = json!(percent);
        compared(
            &ours,
            "coder",
            Some(1_000),
            Some(("trigger.percent", &percent)),
        )
        .unwrap()
    };
    assert!(set(70).is_equal());
    assert_eq!(set(60).surplus, 1);
    assert_eq!((set(90).predicted, set(90).surplus), (0, 0));
}

/// A chat whose requests have so many tokens, compacted behind the last of them.
fn coder(requests: &[u64], window: u64) -> InMemory {
    let message = |id: usize, role: &str, content: Value, input: Option<u64>| {
        let mut message = json!({
            "id": id, "chat_id": "c-1", "model_config_id": "m",
            "created_at": format!("2026-06-01T08:00:{id:02}.000Z"),
            "role": role, "content": [content],
        });
        if let Some(input) = input {
            // The newest part of a prompt is written to the cache, the rest is read from it.
            message["usage"] = json!({
                "input_tokens": 10, "cache_read_tokens": input - 110, "cache_creation_tokens": 100,
                "output_tokens": 20, "context_limit": window,
            });
        }
        message.to_string()
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let mut lines = vec![json!({"id": "c-1", "title": "Clocks", "status": "waiting"}).to_string()];
    for (at, input) in requests.iter().enumerate() {
        lines.push(message(2 * at + 1, "user", text("Wind it."), None));
        lines.push(message(
            2 * at + 2,
            "assistant",
            text("Done."),
            Some(*input),
        ));
    }
    let next = 2 * requests.len() + 1;
    let (id, name) = ("chat_summarized_1", "chat_summarized");
    let args = json!({"source": "automatic", "threshold_percent": 70});
    let call = json!({"type": "tool-call", "tool_call_id": id, "tool_name": name, "args": args});
    let told = json!({
        "summary": "The clocks are wound.", "source": "automatic", "threshold_percent": 70,
        "context_tokens": requests.last(), "context_limit_tokens": window,
    });
    let result =
        json!({"type": "tool-result", "tool_call_id": id, "tool_name": name, "result": told});
    lines.push(message(next, "assistant", call, None));
    lines.push(message(next + 1, "tool", result, None));
    lines.push(message(next + 2, "user", text("And the other?"), None));
    lines.push(message(next + 3, "assistant", text("Too."), Some(200)));
    InMemory::read(&Coder, "chat.jsonl", (lines.join("\n") + "\n").into_bytes())
}

#[test]
fn a_coder_chat_is_compacted_at_its_share_of_the_limit() {
    // 70 % of 1,000 is reached, and 699 tokens of 1,000 are not.
    for (last, window) in [(700, 1_000), (140_000, 200_000)] {
        let ours = coder(&[last / 2, last - 1, last], window);
        let row = compared(&ours, "coder", Some(window), None);
        let row = row.unwrap();
        assert!(row.is_equal() && row.automatic == 1, "{row:?}");
    }
}

#[test]
fn continue_s_command_line_compacts_at_52_percent_of_the_window() {
    let item = |role: &str, content: &str| {
        json!({"message": {"role": role, "content": content}, "contextItems": []}).to_string()
    };
    let mut lines = vec![json!({"sessionId": "s", "title": "Clocks"}).to_string()];
    for _ in 0..40 {
        lines.push(item("user", &"Wind the clock. ".repeat(20)));
        lines.push(item("assistant", &"It is wound now. ".repeat(30)));
    }
    let bytes = (lines.join("\n") + "\n").into_bytes();
    let ours = InMemory::read(&Continue, "session.jsonl", bytes);
    let path = ours.context(ours.session.active_leaf).path;
    let estimated = |ix| ours.context(Some(ix)).estimated;
    let first = |name: &str, window: u64| {
        let limits = Limits {
            window: Some(window),
            ..Limits::default()
        };
        let policy = Policy::known(name).unwrap();
        let course = followed(policy, &limits, &ours.session, &path, &estimated);
        course.fires.first().map(|fire| fire.position)
    };
    let at = first("continue-cli", 10_000).unwrap();
    assert!(estimated(path[at]) >= 5_200, "{}", estimated(path[at]));
    // It looks before each request: at prompts, which are every second item.
    assert!(
        estimated(path[at - 2]) < 5_200,
        "{}",
        estimated(path[at - 2])
    );
    assert_eq!(first("continue-cli", 200_000), None);
    // The threshold of the gauge is the same.
    let gauge = ours.format.policy(10_000);
    assert_eq!(gauge.threshold + 1, 5_200);
    // The editor compacts only on command.
    assert_eq!(first("continue", 10_000), None);
}

//! Sizes of contexts where a rule decides: behind a compaction, after a microcompaction, and where
//! the stored output of a reply is smaller than the reply.

#![allow(
    clippy::unwrap_used,
    reason = "a session that cannot be read fails its test"
)]

use palimpsest_core::EntryIx;
use palimpsest_formats::claude_code::ClaudeCode;
use palimpsest_formats::{InMemory, MeasuredContext, SizeBasis};
use serde_json::{Value, json};

/// Writes the records of a Claude Code session, each below the one before.
#[derive(Default)]
struct Records {
    lines: Vec<String>,
    last: Option<String>,
}

impl Records {
    fn add(&mut self, kind: &str, mut fields: Value) -> &mut Records {
        let n = self.lines.len() + 1;
        let id = format!("00000000-0000-4000-8000-{n:012}");
        let record = fields.as_object_mut().unwrap();
        record.insert("type".into(), kind.into());
        record.insert("uuid".into(), id.clone().into());
        record
            .entry("parentUuid")
            .or_insert_with(|| json!(self.last));
        record.insert("sessionId".into(), "5e551011".into());
        record.insert("version".into(), "2.1.30".into());
        record.insert(
            "timestamp".into(),
            format!("2026-03-01T10:00:{n:02}.000Z").into(),
        );
        self.lines.push(fields.to_string());
        self.last = Some(id);
        self
    }

    fn user(&mut self, text: &str) -> &mut Records {
        self.add(
            "user",
            json!({"message": {"role": "user", "content": text}}),
        )
    }

    /// A reply to a request of `input` tokens with a stored output of `output`.
    fn reply(&mut self, text: &str, input: u64, output: u64) -> &mut Records {
        let n = self.lines.len();
        self.add(
            "assistant",
            json!({
                "requestId": format!("req_{n}"),
                "message": {
                    "id": format!("msg_{n}"), "role": "assistant", "model": "claude-sonnet-4-5",
                    "content": [{"type": "text", "text": text}],
                    "usage": {"input_tokens": input, "output_tokens": output},
                },
            }),
        )
    }

    fn compaction(&mut self, summary: &str) -> &mut Records {
        let above = self.last.clone();
        self.add(
            "system",
            json!({
                "subtype": "compact_boundary", "parentUuid": null, "logicalParentUuid": above,
                "content": "Conversation compacted",
                "compactMetadata": {"trigger": "auto", "preTokens": 20_000},
            }),
        );
        self.add(
            "user",
            json!({
                "isCompactSummary": true,
                "message": {"role": "user", "content": summary},
            }),
        )
    }

    fn read(&self) -> InMemory {
        InMemory::read(
            &ClaudeCode,
            "session.jsonl",
            self.lines.join("\n").into_bytes(),
        )
    }
}

/// The entry on line `n`.
fn on_line(ours: &InMemory, n: u32) -> EntryIx {
    let found = ours.session.indices();
    let mut found = found.filter(|&ix| ours.session.entry(ix).source.line + 1 == n);
    found.next().unwrap()
}

fn at(ours: &InMemory, line: u32) -> MeasuredContext {
    MeasuredContext::at(
        &ClaudeCode,
        &ours.session,
        &ours.tree,
        Some(on_line(ours, line)),
    )
}

#[test]
fn a_reply_counts_as_its_text_where_the_stored_output_is_smaller() {
    let long = "word ".repeat(2_000);
    let size = |output: u64| {
        let mut records = Records::default();
        records.user("Go on.").reply(&long, 10_000, output);
        at(&records.read(), 2).tokens
    };
    // Written before the reply had ended.
    let cut_off = size(3);
    assert!(cut_off > 11_500, "{cut_off}");
    assert_eq!(size(2_600), 12_600);
}

#[test]
fn behind_a_compaction_the_size_is_a_forecast_until_a_request_is_reported() {
    let mut records = Records::default();
    records.user("Go on.").reply("Done.", 20_000, 10);
    records.compaction("A summary of what was done. ");
    let hidden = records.read();
    let summary = on_line(&hidden, 4);
    let forecast = at(&hidden, 4);
    assert_eq!(forecast.basis, SizeBasis::Forecast);
    assert!(forecast.prefix > 15_000, "{}", forecast.prefix);

    records.user("Next.").reply("Yes.", 23_000, 10);
    let shown = records.read();
    let measured =
        MeasuredContext::with_next_report(&ClaudeCode, &shown.session, &shown.tree, Some(summary));
    assert_eq!(measured.basis, SizeBasis::Reported);
    // The request of 23,000 tokens also held the user's next prompt.
    assert!(
        (22_980..23_000).contains(&measured.tokens),
        "{}",
        measured.tokens
    );
    let sum = measured.prefix + measured.given_again.tokens + measured.items.iter().sum::<u64>();
    assert_eq!(sum, measured.tokens);
    assert_eq!(at(&shown, 4).basis, SizeBasis::Forecast);
}

#[test]
fn without_a_report_before_the_compaction_what_is_not_in_the_file_is_the_prefix() {
    let mut records = Records::default();
    records.user("Go on.");
    records.compaction("A summary of what was done. ");
    records.user("Next.").reply("Yes.", 23_000, 10);
    let shown = records.read();
    let summary = Some(on_line(&shown, 3));
    let measured =
        MeasuredContext::with_next_report(&ClaudeCode, &shown.session, &shown.tree, summary);
    assert_eq!(measured.basis, SizeBasis::Reported);
    assert_eq!(measured.given_again.tokens, 0);
    let items = measured.items.iter().sum::<u64>();
    assert_eq!(measured.prefix + items, measured.tokens);
}

#[test]
fn a_microcompaction_lowers_the_size_until_the_next_report() {
    let mut records = Records::default();
    let output = "line of output ".repeat(4_000);
    records.user("Read it.").add(
        "assistant",
        json!({
            "requestId": "req_1",
            "message": {
                "id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-5",
                "content": [{"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "/a"}}],
                "usage": {"input_tokens": 9_000, "output_tokens": 60},
            },
        }),
    );
    records.add(
        "user",
        json!({"message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": output}]}}),
    );
    records.reply("Read.", 22_000, 20);
    let before = at(&records.read(), 4).tokens;
    assert_eq!(before, 22_020);
    records.add(
        "system",
        json!({
            "subtype": "microcompact_boundary", "content": "Context microcompacted",
            "microcompactMetadata": {
                "trigger": "auto", "preTokens": 22_020, "tokensSaved": 12_000,
                "compactedToolIds": ["c1"], "clearedAttachmentUUIDs": [],
            },
        }),
    );
    let cleared = at(&records.read(), 5).tokens;
    assert!(cleared < before - 8_000, "{cleared}");
    records.user("On.").reply("Well.", 10_100, 20);
    assert_eq!(at(&records.read(), 7).tokens, 10_120);
}

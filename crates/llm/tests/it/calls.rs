//! Calls that reach their end: text, usage, stop reasons, and what was sent.

use crate::harness::{KEY, Story, for_every_kind};
use palimpsest_core::call::{ModelReply, StopReason};
use palimpsest_llm::{ProviderKind, ReplyRefusal, StreamEvent, check_reply};
use palimpsest_testkit::llm_server::{Ending, Reply, ScriptedUsage, Stop, TextReply};

for_every_kind!(
    text_streams_and_usage_is_counted,
    bytes_may_be_cut_anywhere,
    the_request_is_what_the_api_asks_for,
    a_temperature_is_sent_where_one_is_asked_for,
    blocks_of_text_are_told_apart,
    replies_that_are_no_summary_are_refused,
    a_server_that_does_not_stream_is_understood,
    a_server_without_usage_is_no_failure,
);

async fn text_streams_and_usage_is_counted(kind: ProviderKind) {
    let story = Story::new(kind);
    let usage = ScriptedUsage {
        input: 90,
        cache_read: 10,
        output: 3,
    };
    story
        .server
        .push(TextReply::new(&["one ", "two ", "three"]).usage(Some(usage)));
    let told = story.tell().await;
    let reply = told.result.as_ref().unwrap();
    assert_eq!(reply.text, "one two three");
    assert_eq!(told.streamed(), reply.text);
    assert_eq!(reply.stop, StopReason::Stop);
    assert_eq!(reply.model.as_deref(), Some("scripted-model"));
    assert_eq!(
        (
            reply.usage.input,
            reply.usage.cache_read,
            reply.usage.output
        ),
        (90, 10, 3)
    );
    assert_eq!(reply.usage.context_tokens(), 103);
    assert_eq!(
        told.events.first(),
        Some(&StreamEvent::Started { attempt: 1 })
    );
    let deltas = told
        .events
        .iter()
        .filter(|e| matches!(e, StreamEvent::TextDelta { .. }));
    assert_eq!(deltas.count(), 3, "{kind:?}: one event for each piece");
    assert!(
        told.events
            .contains(&StreamEvent::Usage { usage: reply.usage })
    );
    assert_eq!(check_reply(reply), Ok(()));
}

async fn bytes_may_be_cut_anywhere(kind: ProviderKind) {
    for bytes in [1, 2, 7] {
        let story = Story::new(kind);
        story
            .server
            .push(TextReply::new(&["caf\u{e9} ", "日本 \u{1f600}"]).split_bytes(bytes));
        let reply = story.tell().await.result.unwrap();
        assert_eq!(
            reply.text, "caf\u{e9} 日本 \u{1f600}",
            "{kind:?}, {bytes} bytes at a time"
        );
    }
}

async fn the_request_is_what_the_api_asks_for(kind: ProviderKind) {
    let mut story = Story::new(kind);
    story.base_path = "/behind/a/proxy/v1/";
    story.server.demand_key(KEY);
    story.server.push(Reply::text(&["done"]));
    story.tell().await.result.unwrap();
    let seen = &story.server.requests()[0];
    let path = |end: &str| format!("/behind/a/proxy/v1/{end}");
    assert_eq!(seen.prompt(), "[User]: fix it");
    assert_eq!(seen.model(), "scripted-model");
    let (body, end, key) = match kind {
        ProviderKind::OpenAi => {
            assert_eq!(seen.body["messages"][0]["content"], "You summarize.");
            assert_eq!(seen.body["stream_options"]["include_usage"], true);
            assert_eq!(seen.body["max_tokens"], 500);
            (&seen.body["stream"], "chat/completions", "bearer")
        }
        ProviderKind::Responses => {
            assert_eq!(seen.body["instructions"], "You summarize.");
            assert_eq!(seen.body["max_output_tokens"], 500);
            assert_eq!(seen.body["store"], false, "nothing is left at the provider");
            (&seen.body["stream"], "responses", "bearer")
        }
        ProviderKind::Anthropic => {
            assert_eq!(seen.body["system"], "You summarize.");
            assert_eq!(seen.body["max_tokens"], 500);
            assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
            (&seen.body["stream"], "messages", "x-api-key")
        }
        _ => {
            let system = &seen.body["systemInstruction"]["parts"][0]["text"];
            assert_eq!(system, "You summarize.");
            assert_eq!(seen.body["generationConfig"]["maxOutputTokens"], 500);
            let end = "models/scripted-model:streamGenerateContent?alt=sse";
            (&serde_json::Value::Bool(true), end, "x-goog-api-key")
        }
    };
    assert_eq!(body, true);
    assert_eq!(seen.path, path(end));
    assert_eq!(seen.key_in, Some(key));
    assert!(!seen.path.contains(KEY), "a key in a URL ends up in logs");
}

async fn a_temperature_is_sent_where_one_is_asked_for(kind: ProviderKind) {
    for temperature in [None, Some(0.0), Some(0.7)] {
        let mut story = Story::new(kind);
        story.temperature = temperature;
        story.server.push(Reply::text(&["done"]));
        story.tell().await.result.unwrap();
        let body = &story.server.requests()[0].body;
        let sent = match kind {
            ProviderKind::Gemini => &body["generationConfig"]["temperature"],
            _ => &body["temperature"],
        };
        assert_eq!(sent.as_f64(), temperature, "{kind:?}");
        if kind == ProviderKind::Gemini {
            assert_eq!(body["generationConfig"]["maxOutputTokens"], 500);
        }
    }
}

async fn blocks_of_text_are_told_apart(kind: ProviderKind) {
    let events = |all: &[(&str, &str)]| {
        let event = |(name, data): &(&str, &str)| format!("event: {name}\ndata: {data}\n\n");
        Reply::raw(
            200,
            "text/event-stream",
            all.iter().map(event).collect::<String>(),
        )
    };
    let anthropic = || {
        events(&[
            (
                "message_start",
                r#"{"type":"message_start","message":{"model":"m"}}"#,
            ),
            (
                "content_block_start",
                r#"{"type":"content_block_start","content_block":{"type":"text","text":""}}"#,
            ),
            (
                "content_block_delta",
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":" one"}}"#,
            ),
            (
                "content_block_delta",
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":" more "}}"#,
            ),
            (
                "content_block_start",
                r#"{"type":"content_block_start","content_block":{"type":"thinking","thinking":"hm"}}"#,
            ),
            (
                "content_block_start",
                r#"{"type":"content_block_start","content_block":{"type":"text","text":" two"}}"#,
            ),
            (
                "message_delta",
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            ),
            ("message_stop", r#"{"type":"message_stop"}"#),
        ])
    };
    let responses = || {
        events(&[
            (
                "response.content_part.added",
                r#"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#,
            ),
            (
                "response.output_text.delta",
                r#"{"type":"response.output_text.delta","delta":" one more "}"#,
            ),
            (
                "response.content_part.added",
                r#"{"type":"response.content_part.added","part":{"type":"output_text","text":""}}"#,
            ),
            (
                "response.output_text.delta",
                r#"{"type":"response.output_text.delta","delta":" two"}"#,
            ),
            (
                "response.completed",
                r#"{"type":"response.completed","response":{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":" one more "},{"type":"output_text","text":" two"}]}]}}"#,
            ),
        ])
    };
    let whole = |body: &str| Reply::raw(200, "application/json", body);
    let cases = [
        (ProviderKind::Anthropic, anthropic()),
        (ProviderKind::Responses, responses()),
        (
            ProviderKind::Anthropic,
            whole(
                r#"{"model":"m","stop_reason":"end_turn","content":[{"type":"text","text":" one more "},
                    {"type":"text","text":" two"}]}"#,
            ),
        ),
        (
            ProviderKind::Responses,
            whole(
                r#"{"model":"m","status":"completed","output":[{"type":"message","content":[
                    {"type":"output_text","text":" one more "},{"type":"output_text","text":" two"}]}]}"#,
            ),
        ),
    ];
    for (kind, scripted) in cases {
        let story = Story::new(kind);
        story.server.push(scripted);
        let told = story.tell().await;
        let reply = told.result.as_ref().unwrap();
        assert_eq!(reply.text, " one more  two", "{kind:?}");
        assert_eq!(reply.block_starts, [10], "{kind:?}");
        assert_eq!(told.streamed(), reply.text);
    }

    let story = Story::new(kind);
    story.server.push(Reply::text(&["one ", "piece"]));
    let reply = story.tell().await.result.unwrap();
    assert!(reply.block_starts.is_empty(), "{kind:?}");
}

async fn replies_that_are_no_summary_are_refused(kind: ProviderKind) {
    let cases = [
        (
            TextReply::new(&["half"]).stop(Stop::Length),
            ReplyRefusal::Incomplete,
        ),
        (
            TextReply::new(&["x"]).stop(Stop::ToolCall),
            ReplyRefusal::ToolCall,
        ),
        (
            TextReply::new(&[]).stop(Stop::Refusal),
            ReplyRefusal::Declined,
        ),
        (
            TextReply::new(&["par"]).stop(Stop::ContentFilter),
            ReplyRefusal::Declined,
        ),
        (TextReply::new(&[]), ReplyRefusal::Empty),
    ];

    for (scripted, refusal) in &cases {
        let story = Story::new(kind);
        story.server.push(scripted.clone());
        let reply = story.tell().await.result.unwrap();
        assert_eq!(
            check_reply(&reply),
            Err(*refusal),
            "{kind:?} {:?}",
            scripted.stop
        );
    }
}

async fn a_server_that_does_not_stream_is_understood(kind: ProviderKind) {
    let story = Story::new(kind);
    let body = match kind {
        ProviderKind::Anthropic => {
            r#"{"model":"m","content":[{"type":"text","text":"whole"}],
                    "stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":1}}"#
        }
        ProviderKind::Responses => {
            r#"{"model":"m","status":"completed","output":[{"type":"message","content":
                    [{"type":"output_text","text":"whole"}]}],"usage":{"input_tokens":5}}"#
        }
        ProviderKind::Gemini => {
            r#"[{"candidates":[{"content":{"parts":[{"text":"who"}]}}]},
                    {"candidates":[{"content":{"parts":[{"text":"le"}]},"finishReason":"STOP"}],
                    "usageMetadata":{"promptTokenCount":5}}]"#
        }
        _ => {
            r#"{"model":"m","choices":[{"message":{"content":"whole"},"finish_reason":"stop"}],
                    "usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}"#
        }
    };
    story.server.push(Reply::raw(200, "application/json", body));
    let told = story.tell().await;
    assert_eq!(told.streamed(), "whole");
    let ModelReply {
        text, stop, usage, ..
    } = told.result.unwrap();
    assert_eq!(
        (text.as_str(), stop, usage.input),
        ("whole", StopReason::Stop, 5)
    );
}

async fn a_server_without_usage_is_no_failure(kind: ProviderKind) {
    let story = Story::new(kind);
    story.server.push(TextReply::new(&["text"]).usage(None));
    let reply = story.tell().await.result.unwrap();
    assert_eq!(reply.usage.context_tokens(), 0);
}

#[tokio::test]
async fn a_missing_last_event_does_not_break_a_finished_reply() {
    let story = Story::new(ProviderKind::OpenAi);
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"all\"}}]}\n\n\
                data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}";
    story
        .server
        .push(Reply::raw(200, "text/event-stream", body));
    assert_eq!(story.tell().await.result.unwrap().text, "all");
    // Without a reason to stop, the same end is a broken stream.
    for _ in 0..4 {
        story
            .server
            .push(TextReply::new(&["all"]).ending(Ending::Truncated));
    }
    assert_eq!(story.tell().await.error().code(), "broken_stream");
}

//! What is tried again, after what wait, and how a call is cancelled.

use crate::harness::{KINDS, NotedPauses, Story, for_every_kind};
use palimpsest_core::Failure as _;
use palimpsest_llm::{Fault, ProviderKind, StreamEvent};
use palimpsest_testkit::llm_server::{Ending, Reply, TextReply};
use std::sync::Arc;
use std::time::Duration;

for_every_kind!(
    too_many_requests_waits_as_long_as_asked,
    server_errors_are_tried_four_times_in_all,
    a_model_that_takes_no_temperature_is_asked_without_one,
    a_closed_connection_is_tried_again,
    a_broken_stream_starts_anew_and_says_so,
    the_longest_part_survives_a_stream_that_stays_broken,
    silence_before_any_text_is_tried_again_and_after_it_is_not,
    the_whole_request_has_a_limit_too,
    cancelling_ends_the_wait_for_a_retry,
);

async fn too_many_requests_waits_as_long_as_asked(kind: ProviderKind) {
    let story = Story::new(kind);
    story.server.push(Reply::rate_limited("7"));
    story.server.push(
        Reply::rate_limited("Sat, 21 Nov 2026 05:00:30 GMT")
            .header("date", "Sat, 21 Nov 2026 05:00:00 GMT"),
    );
    story.server.push(Reply::text(&["done"]));
    let told = story.tell().await;
    assert_eq!(told.result.as_ref().unwrap().text, "done");
    assert_eq!(story.waits(), [7_000, 30_000]);
    let Some(StreamEvent::Retrying {
        attempt,
        of,
        wait_ms,
        reason,
        restarts_text,
    }) = told.events.get(1)
    else {
        panic!("the retry was not announced: {:?}", told.events);
    };
    assert_eq!(
        (*attempt, *of, *wait_ms, *restarts_text),
        (2, 4, 7_000, false)
    );
    assert!(reason.ends_with("Too many requests"), "{reason}");
}

async fn server_errors_are_tried_four_times_in_all(kind: ProviderKind) {
    let story = Story::new(kind);
    for status in [500, 502, 529, 503] {
        story
            .server
            .push(Reply::error(status, "overloaded_error", "No capacity."));
    }
    let told = story.tell().await;
    let message = told.error().to_string();
    assert_eq!(told.error().code(), "server");
    assert_eq!(told.error().call.attempts, 4);
    assert_eq!(story.waits(), [2_000, 4_000, 8_000]);
    assert_eq!(story.server.requests().len(), 4);
    assert!(
        message.contains("HTTP 503") && message.contains("after 4 attempts"),
        "{message}"
    );
}

async fn a_model_that_takes_no_temperature_is_asked_without_one(kind: ProviderKind) {
    let refusal = || {
        Reply::error(
            400,
            "invalid_request_error",
            "Unsupported value: 'temperature' does not support 0 with this model.",
        )
    };

    let mut story = Story::new(kind);
    story.temperature = Some(0.0);
    story.server.push(refusal());
    // What passes is tried as often as ever.
    for _ in 0..3 {
        story
            .server
            .push(Reply::error(503, "overloaded_error", "No capacity."));
    }
    story.server.push(Reply::text(&["done"]));
    let told = story.tell().await;
    assert_eq!(told.result.as_ref().unwrap().text, "done");
    assert_eq!(story.waits(), [2_000, 4_000, 8_000], "{kind:?}");
    let with_one = |body: &serde_json::Value| body.to_string().contains("temperature");
    let sent: Vec<bool> = story
        .server
        .requests()
        .iter()
        .map(|seen| with_one(&seen.body))
        .collect();
    assert_eq!(sent, [true, false, false, false, false], "{kind:?}");
    let Some(StreamEvent::Retrying {
        attempt,
        of,
        wait_ms,
        reason,
        ..
    }) = told.events.get(1)
    else {
        panic!("the second request was not announced: {:?}", told.events);
    };
    assert_eq!((*attempt, *of, *wait_ms), (2, 5, 0));
    assert!(
        reason.starts_with("the model rejects the parameter temperature")
            && reason.contains("does not support 0"),
        "{reason}"
    );
    // One that was not asked for is no reason to ask again.
    let story = Story::new(kind);
    story.server.push(refusal());
    assert_eq!(story.tell().await.error().code(), "rejected");
    assert_eq!(story.server.requests().len(), 1);
}

#[tokio::test]
async fn a_wait_nobody_would_sit_through_fails_at_once() {
    let story = Story::new(KINDS[0]);
    story.server.push(Reply::rate_limited("3600"));
    let told = story.tell().await;
    assert_eq!(story.server.requests().len(), 1);
    let next = told.error().next().unwrap().to_string();
    assert!(next.contains("3600 s"), "{next}");
}

async fn a_closed_connection_is_tried_again(kind: ProviderKind) {
    let story = Story::new(kind);
    story.server.push(Reply::Hangup);
    story.server.push(Reply::text(&["done"]));
    assert_eq!(story.tell().await.result.unwrap().text, "done");
    assert_eq!(story.waits(), [2_000]);
}

async fn a_broken_stream_starts_anew_and_says_so(kind: ProviderKind) {
    let overloaded = Ending::Error {
        kind: "overloaded_error".to_owned(),
        message: "busy".to_owned(),
    };
    for ending in [Ending::Closed, Ending::Truncated, overloaded] {
        let story = Story::new(kind);
        story
            .server
            .push(TextReply::new(&["lost ", "text"]).ending(ending.clone()));
        story.server.push(Reply::text(&["new ", "text"]));
        let told = story.tell().await;
        assert_eq!(
            told.result.as_ref().unwrap().text,
            "new text",
            "{kind:?} {ending:?}"
        );
        assert_eq!(told.streamed(), "new text");
        let says_so = |event: &StreamEvent| {
            matches!(
                event,
                StreamEvent::Retrying {
                    restarts_text: true,
                    ..
                }
            )
        };
        assert!(told.events.iter().any(says_so), "{:?}", told.events);
    }
}

async fn the_longest_part_survives_a_stream_that_stays_broken(kind: ProviderKind) {
    let story = Story::new(kind);
    for chunks in [&["a "][..], &["a ", "b ", "c "], &["a ", "b "], &[]] {
        story
            .server
            .push(TextReply::new(chunks).ending(Ending::Closed));
    }
    let told = story.tell().await;
    assert_eq!(told.error().code(), "broken_stream", "{kind:?}");
    assert_eq!(told.partial(), "a b c ");
    assert_eq!(told.error().call.attempts, 4);
}

async fn silence_before_any_text_is_tried_again_and_after_it_is_not(kind: ProviderKind) {
    let mut story = Story::new(kind);
    story.limits.first_byte = Duration::from_millis(300);
    story.limits.silence = Duration::from_millis(300);
    story.server.push(Reply::Silence);
    story
        .server
        .push(TextReply::new(&[]).ending(Ending::Stalled));
    story
        .server
        .push(TextReply::new(&["kept"]).ending(Ending::Stalled));
    let told = story.tell().await;
    assert!(
        matches!(told.error().fault, Fault::Silence { .. }),
        "{}",
        told.error()
    );
    assert_eq!(told.partial(), "kept");
    assert_eq!(
        told.error().call.attempts,
        3,
        "{kind:?}: text came, so no fourth"
    );
}

async fn the_whole_request_has_a_limit_too(kind: ProviderKind) {
    let mut story = Story::new(kind);
    story.limits.whole = Duration::from_millis(400);
    let endless = vec!["tick "; 500];
    story
        .server
        .push(TextReply::new(&endless).delay(Duration::from_millis(20)));
    let told = story.tell().await;
    assert_eq!(told.error().code(), "timeout");
    assert!(
        told.partial().starts_with("tick "),
        "{kind:?}: {:?}",
        told.partial()
    );
}

// The connection is closed by a task of its own, which must run while this thread looks on.
#[tokio::test(flavor = "multi_thread")]
async fn cancelling_in_the_middle_keeps_the_text_and_hangs_up() {
    for kind in KINDS {
        let story = Story::new(kind);
        story
            .server
            .push(TextReply::new(&["kept "]).ending(Ending::Stalled));
        let cancel = story.cancel.clone();
        let told = story
            .tell_watched(|event| {
                if matches!(event, StreamEvent::TextDelta { .. }) {
                    cancel.cancel();
                }
            })
            .await;
        assert!(told.error().is_cancelled());
        assert_eq!(told.partial(), "kept ");
        let left = story.server.saw_client_leave(Duration::from_secs(20));
        assert!(
            left,
            "{kind:?}: the provider must see that nobody listens any more"
        );
    }
}

async fn cancelling_ends_the_wait_for_a_retry(kind: ProviderKind) {
    let mut story = Story::new(kind);
    story.pauses = Arc::new(NotedPauses {
        endless: true,
        ..NotedPauses::default()
    });
    story
        .server
        .push(TextReply::new(&["kept "]).ending(Ending::Closed));
    let cancel = story.cancel.clone();
    let told = story
        .tell_watched(|event| {
            if matches!(event, StreamEvent::Retrying { .. }) {
                let cancel = cancel.clone();
                tokio::spawn(async move { cancel.cancel() });
            }
        })
        .await;
    assert!(told.error().is_cancelled());
    assert_eq!(told.partial(), "kept ");
    assert_eq!(told.error().call.attempts, 1);
    assert_eq!(story.server.requests().len(), 1);
}

#[tokio::test]
async fn a_cancelled_call_is_not_even_sent() {
    let story = Story::new(KINDS[0]);
    story.cancel.cancel();
    assert!(story.tell().await.error().is_cancelled());
    assert!(story.server.requests().is_empty());
}

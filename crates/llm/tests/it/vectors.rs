//! Embeddings from the scripted server.

use crate::harness::{KEY, NotedPauses, Story};
use palimpsest_llm::{
    ApiKey, CallOptions, CancellationToken, LlmError, ProviderConfig, ProviderKind, embeddings,
    embeddings_with,
};
use palimpsest_testkit::llm_server::{EMBEDDING_DIMENSIONS, Reply, embedding_of};
use std::sync::Arc;

async fn vectors(story: &Story, texts: &[&str]) -> Result<Vec<Vec<f32>>, LlmError> {
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    let (config, options): (ProviderConfig, CallOptions) = (story.config(), story.options());
    embeddings_with(
        &config,
        ApiKey::new(KEY),
        "m",
        &texts,
        &story.cancel,
        options,
    )
    .await
}

#[tokio::test]
async fn each_text_gets_its_own_vector() {
    let story = Story::new(ProviderKind::OpenAi);
    story.server.demand_key(KEY);
    let made = vectors(&story, &["fix the parser", "  ", "run the tests"])
        .await
        .unwrap();
    assert_eq!(made[0], embedding_of("fix the parser"));
    assert_eq!(made[1], vec![0.0; EMBEDDING_DIMENSIONS], "blank, not sent");
    assert_eq!(made[2], embedding_of("run the tests"));
    let seen = &story.server.requests()[0];
    assert_eq!(seen.path, "/v1/embeddings");
    assert_eq!(seen.body["model"], "m");
    assert_eq!(seen.body["input"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn many_texts_go_in_several_requests() {
    let story = Story::new(ProviderKind::OpenAi);
    let texts: Vec<String> = (0..150).map(|n| format!("text number {n}")).collect();
    let made = embeddings(&story.config(), None, "m", &texts, &story.cancel)
        .await
        .unwrap();
    let expected: Vec<Vec<f32>> = texts.iter().map(|text| embedding_of(text)).collect();
    assert_eq!(made, expected);
    assert_eq!(story.server.requests().len(), 3, "64, 64 and 22 texts");
}

#[tokio::test]
async fn nothing_to_embed_asks_nobody() {
    let story = Story::new(ProviderKind::OpenAi);
    let made = vectors(&story, &["", " "]).await.unwrap();
    assert!(made.len() == 2 && made.iter().all(Vec::is_empty));
    assert!(story.server.requests().is_empty());
}

#[tokio::test]
async fn what_may_pass_is_tried_again_after_the_wait_asked_for() {
    let story = Story::new(ProviderKind::OpenAi);
    story.server.push(Reply::rate_limited("7"));
    story.server.push(Reply::Hangup);
    assert_eq!(
        vectors(&story, &["one"]).await.unwrap()[0],
        embedding_of("one")
    );
    assert_eq!(story.waits(), [7_000, 4_000]);
}

#[tokio::test]
async fn the_wait_can_be_cancelled() {
    let mut story = Story::new(ProviderKind::OpenAi);
    story.pauses = Arc::new(NotedPauses {
        endless: true,
        ..NotedPauses::default()
    });
    story.server.push(Reply::rate_limited("7"));
    let cancel = story.cancel.clone();
    let pauses = story.pauses.clone();
    let (made, ()) = tokio::join!(vectors(&story, &["one"]), async {
        while pauses.waits.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert!(made.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn what_cannot_be_used_is_told() {
    let json = |body: &str| Reply::raw(200, "application/json", body);
    let cases = [
        (Reply::html(), "web_page"),
        (json("{}"), "malformed"),
        (
            json(r#"{"data":[{"index":0,"embedding":[1]}]}"#),
            "malformed",
        ),
        (
            json(r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}"#),
            "malformed",
        ),
        (
            Reply::error(401, "authentication_error", "No."),
            "unauthorized",
        ),
        (
            Reply::error(400, "context_length_exceeded", "Too long."),
            "context_overflow",
        ),
    ];
    for (reply, code) in cases {
        let story = Story::new(ProviderKind::OpenAi);
        story.server.push(reply);
        let error = vectors(&story, &["one", "two"]).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(story.server.requests().len(), 1);
    }
    let story = Story::new(ProviderKind::Anthropic);
    let cancel = CancellationToken::new();
    let error = embeddings(&story.config(), None, "m", &["one".to_owned()], &cancel).await;
    assert_eq!(error.unwrap_err().code(), "config");
}

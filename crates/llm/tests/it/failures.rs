//! Calls that cannot succeed: each says what happened, where, and what to do; none is repeated.

use crate::harness::{KEY, KINDS, Story, for_every_kind, request};
use palimpsest_core::Failure as _;
use palimpsest_llm::{
    ApiKey, CallOptions, CancellationToken, ProviderConfig, ProviderKind, RetryPolicy, client,
    client_with,
};
use palimpsest_testkit::llm_server::{Ending, Reply, TextReply};

for_every_kind!(
    nonsense_after_text_keeps_the_text,
    an_error_inside_the_stream_is_told,
    a_server_that_is_not_there_is_named,
    a_key_the_provider_quotes_is_blacked_out,
    a_key_is_blacked_out_before_an_excerpt_is_cut,
    a_key_in_a_reply_is_blacked_out,
);

#[tokio::test]
async fn each_failure_has_its_code_and_its_next_step() {
    let overflow = Reply::error(
        400,
        "context_length_exceeded",
        "The maximum is 8192 tokens.",
    );
    let missing = Reply::error(404, "model_not_found", "There is no such model.");
    let moved = Reply::raw(302, "text/plain", "").header("location", "https://elsewhere.test/");
    let cases = [
        (
            Reply::error(401, "authentication_error", "Bad key."),
            "unauthorized",
            "_API_KEY",
        ),
        (overflow, "context_overflow", "shorter span"),
        (missing, "model_not_found", "a model that story has"),
        (
            Reply::error(400, "invalid_request_error", "Odd."),
            "rejected",
            "to what story accepts",
        ),
        (
            Reply::error(402, "billing_error", "Empty."),
            "quota_exhausted",
            "credit",
        ),
        (
            Reply::raw(404, "text/plain", "no page"),
            "rejected",
            "base URL",
        ),
        (moved, "rejected", "base URL"),
        (Reply::html(), "web_page", "base URL"),
        (
            Reply::raw(200, "application/json", "{\"a\":"),
            "malformed",
            "kind of API",
        ),
        (
            Reply::raw(200, "application/json", "{\"a\":1}"),
            "malformed",
            "kind of API",
        ),
        (
            Reply::raw(200, "text/plain", "hello"),
            "malformed",
            "kind of API",
        ),
        (
            TextReply::new(&[]).ending(Ending::Malformed).into(),
            "malformed",
            "kind of API",
        ),
    ];
    for kind in KINDS {
        for (reply, code, step) in &cases {
            let story = Story::new(kind);
            story.server.push(reply.clone());
            let told = story.tell().await;
            let message = told.error().to_string();
            assert_eq!(told.error().code(), *code, "{kind:?}: {message}");
            let next = told.error().next().unwrap().to_string();
            assert!(next.contains(step), "{kind:?}: {next}");
            assert!(!message.contains(".."), "{kind:?}: {message}");
            let place = message.rsplit_once(" (story, ").unwrap().1;
            assert!(
                place.starts_with(&story.server.url()),
                "{kind:?}: {message}"
            );
            assert_eq!(
                story.server.requests().len(),
                1,
                "{kind:?}: {code} was repeated"
            );
        }
    }
}

async fn nonsense_after_text_keeps_the_text(kind: ProviderKind) {
    let story = Story::new(kind);
    story
        .server
        .push(TextReply::new(&["kept"]).ending(Ending::Malformed));
    let told = story.tell().await;
    assert_eq!(
        (told.error().code(), told.partial()),
        ("malformed", "kept"),
        "{kind:?}"
    );
}

async fn an_error_inside_the_stream_is_told(kind: ProviderKind) {
    let story = Story::new(kind);
    let ending = Ending::Error {
        kind: "invalid_request_error".to_owned(),
        message: "No.".to_owned(),
    };
    story.server.push(TextReply::new(&["kept"]).ending(ending));
    let told = story.tell().await;
    assert_eq!(
        (told.error().code(), told.partial()),
        ("reported", "kept"),
        "{kind:?}"
    );
    let shown = match kind {
        ProviderKind::Gemini => "INVALID_ARGUMENT 400: No",
        _ => "invalid_request_error: No",
    };
    let message = told.error().to_string();
    assert!(message.contains(shown), "{kind:?}: {message}");
}

async fn a_server_that_is_not_there_is_named(kind: ProviderKind) {
    let url = palimpsest_testkit::llm_server::LlmServer::start()
        .unwrap()
        .url();
    let config = ProviderConfig::at("story", kind, &url);
    let options = CallOptions {
        retry: RetryPolicy::NEVER,
        ..CallOptions::default()
    };
    let client = client_with(&config, None, options).unwrap();
    let cancel = CancellationToken::new();
    let error = client
        .complete(&request("m"), &mut |_| {}, &cancel)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "connect");
    let message = error.to_string();
    assert!(
        message.contains(&url) && message.contains("cannot be reached"),
        "{message}"
    );
    let next = error.next().unwrap().to_string();
    assert!(next.contains("server is running"), "{next}");
}

async fn a_key_the_provider_quotes_is_blacked_out(kind: ProviderKind) {
    let story = Story::new(kind);
    let quoting = format!("The key {KEY} is wrong.");
    story
        .server
        .push(Reply::error(401, "authentication_error", &quoting));
    let told = story.tell().await;
    let shown = format!("{} {:?}", told.error(), told.error());
    assert!(
        shown.contains("[key]") && !shown.contains(KEY),
        "{kind:?}: {shown}"
    );
}

async fn a_key_is_blacked_out_before_an_excerpt_is_cut(kind: ProviderKind) {
    // The excerpt has room for a part of the key at each of these places.
    for before in 280..305 {
        let story = Story::new(kind);
        let quoting = format!("{}{KEY} is wrong.", "x".repeat(before));
        let replies = [
            Reply::error(401, "authentication_error", &quoting),
            Reply::raw(403, "text/plain", &quoting),
            Reply::raw(200, "text/plain", &quoting),
            Reply::raw(200, "application/json", format!("{{\"{quoting}")),
        ];
        for reply in replies {
            story.server.push(reply);
            let shown = story.tell().await.error().to_string();
            assert!(!shown.contains(&KEY[..6]), "{kind:?}, {before}: {shown}");
        }
    }
}

async fn a_key_in_a_reply_is_blacked_out(kind: ProviderKind) {
    let story = Story::new(kind);
    let (first, second) = KEY.split_at(5);
    let pieces = ["The server saw Bearer ", first, second, " and more."];
    story.server.push(TextReply::new(&pieces));
    let told = story.tell().await;
    assert_eq!(told.streamed(), "The server saw Bearer [key] and more.");
    let reply = told.result.as_ref().expect("a reply");
    assert_eq!(reply.text, told.streamed(), "{kind:?}");
}

#[test]
fn a_remote_provider_without_a_key_is_refused_before_any_call() {
    for name in [
        "openai",
        "openai-responses",
        "anthropic",
        "gemini",
        "openrouter",
    ] {
        let config = ProviderConfig::preset(name).unwrap();
        let error = client(&config, None).err().unwrap();
        let variable = config.key_env.unwrap();
        assert_eq!(error.code(), "no_key");
        let next = error.next().unwrap().to_string();
        assert!(next.contains(&variable), "{next}");
    }
    let ollama = ProviderConfig::preset("ollama").unwrap();
    assert!(
        client(&ollama, None).is_ok(),
        "a server on this machine needs no key"
    );
}

#[test]
fn what_cannot_be_called_is_refused() {
    let config = ProviderConfig::at("mine", ProviderKind::OpenAi, "ftp://h");
    assert_eq!(client(&config, None).err().unwrap().code(), "config");
    let offline = ProviderConfig::preset("offline").unwrap();
    assert_eq!(client(&offline, None).err().unwrap().code(), "config");
    let config = ProviderConfig::at("mine", ProviderKind::OpenAi, "http://localhost");
    let error = client(&config, ApiKey::new("a\nb")).err().unwrap();
    assert_eq!(error.code(), "config");
    assert!(!error.to_string().contains("a\nb"));
}

//! Documents read from a server that answers in JSON.

use palimpsest_llm::{
    ApiKey, CallOptions, CancellationToken, JsonApi, Limits, LlmError, Pause, RetryPolicy,
};
use palimpsest_testkit::llm_server::{LlmServer, Reply};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const KEY: &str = "a-token-of-some-length";
const LIST: &str = "api/experimental/chats?limit=2&offset=0";

/// Waits that were asked for; none is waited.
#[derive(Default)]
struct Noted(Mutex<Vec<Duration>>);

#[async_trait::async_trait]
impl Pause for Noted {
    async fn pause(&self, time: Duration) {
        self.0.lock().unwrap().push(time);
    }
}

fn api(url: &str, pause: Arc<Noted>) -> JsonApi {
    let options = CallOptions {
        limits: Limits::default(),
        retry: RetryPolicy::default(),
        pause,
        ..CallOptions::default()
    };
    let header = "coder-session-token";
    JsonApi::new(
        "coder",
        url,
        header,
        "CODER_SESSION_TOKEN",
        ApiKey::new(KEY),
        options,
    )
    .unwrap()
}

async fn list(server: &LlmServer) -> Result<Value, LlmError> {
    let api = api(&server.url(), Arc::default());
    api.get(LIST, &CancellationToken::new()).await
}

#[tokio::test]
async fn a_document_is_read_with_the_key_in_its_header() {
    let server = LlmServer::start().unwrap();
    server.demand_key(KEY);
    server.serve_chats(vec![(json!({"id": "a"}), Vec::new())], 2);
    assert_eq!(list(&server).await.unwrap(), json!([{"id": "a"}]));
    let seen = &server.requests()[0];
    assert_eq!(
        (seen.method.as_str(), seen.key_in),
        ("GET", Some("coder-session-token"))
    );
    assert_eq!(seen.path, format!("/{LIST}"));
    // An address with a path of its own, as behind a proxy.
    let deeper = api(&format!("{}/own/?x=1", server.url()), Arc::default());
    let refused = deeper
        .get(LIST, &CancellationToken::new())
        .await
        .unwrap_err();
    assert_eq!(server.requests()[1].path, format!("/own/{LIST}"));
    assert_eq!(refused.fault.code(), "rejected");
}

#[tokio::test]
async fn failures_are_told_apart_and_never_show_the_key() {
    let server = LlmServer::start().unwrap();
    for (reply, code) in [
        (Reply::error(401, "unauthorized", KEY), "unauthorized"),
        (Reply::error(404, "not_found", "No."), "rejected"),
        (Reply::html(), "web_page"),
        (
            Reply::raw(200, "application/json", "{\"chats\": ["),
            "malformed",
        ),
    ] {
        server.push(reply);
        let error = list(&server).await.unwrap_err();
        assert_eq!(error.fault.code(), code);
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(KEY), "{shown}");
    }
}

#[tokio::test]
async fn a_refusal_that_asks_to_wait_is_tried_again_after_it() {
    let server = LlmServer::start().unwrap();
    server.serve_chats(Vec::new(), 2);
    server.push(Reply::rate_limited("7"));
    server.push(Reply::Hangup);
    let waits: Arc<Noted> = Arc::default();
    let api = api(&server.url(), Arc::clone(&waits));
    let read = api.get(LIST, &CancellationToken::new()).await;
    assert_eq!(read.unwrap(), json!([]));
    let waits = waits.0.lock().unwrap().clone();
    assert_eq!(waits.len(), 2, "{waits:?}");
    assert_eq!(waits[0], Duration::from_secs(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_answer_is_cancelled() {
    let server = LlmServer::start().unwrap();
    server.push(Reply::Silence);
    let api = api(&server.url(), Arc::default());
    let cancel = CancellationToken::new();
    let (read, ()) = tokio::join!(api.get(LIST, &cancel), async {
        while server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    });
    assert_eq!(read.unwrap_err().fault.code(), "cancelled");
    assert!(server.saw_client_leave(Duration::from_secs(10)));
}

#[tokio::test]
async fn without_a_server_or_a_key_it_fails() {
    let url = LlmServer::start().unwrap().url();
    let error = api(&url, Arc::default())
        .get(LIST, &CancellationToken::new())
        .await;
    assert_eq!(error.unwrap_err().fault.code(), "connect");
    let options = CallOptions::default();
    let without = JsonApi::new(
        "coder",
        "https://coder.example.com",
        "x",
        "X",
        None,
        options,
    );
    assert_eq!(without.err().unwrap().fault.code(), "no_key");
}

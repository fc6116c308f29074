//! The scripted server, driven with nothing but a socket.

use super::*;
use std::io::{Read as _, Write as _};

/// Sends one request and reads all there is; the body's chunk framing is left in.
fn exchange(server: &LlmServer, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(
        stream,
        "{head}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    String::from_utf8_lossy(&answer).into_owned()
}

const CHAT: &str = "POST /v1/chat/completions HTTP/1.1";
const MESSAGES: &str = "POST /v1/messages HTTP/1.1";

#[test]
fn streams_openai_with_usage_only_when_asked() {
    let server = LlmServer::start().unwrap();
    server.push(Reply::text(&["one ", "two"]));
    server.push(Reply::text(&["one ", "two"]));
    let with = exchange(
        &server,
        CHAT,
        r#"{"model":"m","stream":true,"stream_options":{"include_usage":true}}"#,
    );
    assert!(with.contains(r#""content":"two""#), "{with}");
    assert!(with.contains(r#""prompt_tokens":100"#), "{with}");
    assert!(
        with.contains("data: [DONE]") && with.ends_with("0\r\n\r\n"),
        "{with}"
    );
    let without = exchange(&server, CHAT, r#"{"model":"m","stream":true}"#);
    assert!(!without.contains("prompt_tokens"), "{without}");
}

#[test]
fn streams_anthropic_events_in_order() {
    let server = LlmServer::start().unwrap();
    server.push(Reply::text(&["one ", "two"]));
    let answer = exchange(&server, MESSAGES, r#"{"model":"m","stream":true}"#);
    let names: Vec<&str> = answer
        .lines()
        .filter_map(|line| line.strip_prefix("event: "))
        .collect();
    assert_eq!(
        names,
        [
            "message_start",
            "content_block_start",
            "ping",
            "content_block_delta",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_stop"
        ]
    );
}

#[test]
fn answers_whole_documents_without_stream() {
    let server = LlmServer::start().unwrap();
    server.push(Reply::text(&["one ", "two"]));
    let answer = exchange(&server, CHAT, r#"{"model":"m"}"#);
    assert!(answer.contains(r#""content":"one two""#), "{answer}");
}

#[test]
fn writes_down_requests_without_their_keys() {
    let server = LlmServer::start().unwrap();
    server.demand_key("sk-right");
    let head = format!("{CHAT}\r\nAuthorization: Bearer sk-right\r\nX-Extra: 1");
    let body = r#"{"model":"scripted-ok","messages":[{"role":"user","content":"hi"}]}"#;
    assert!(exchange(&server, &head, body).starts_with("HTTP/1.1 200"));
    let wrong = format!("{CHAT}\r\nAuthorization: Bearer sk-wrong");
    assert!(exchange(&server, &wrong, body).starts_with("HTTP/1.1 401"));
    let seen = server.requests();
    assert_eq!(seen[0].prompt(), "hi");
    assert_eq!(seen[0].key_in, Some("bearer"));
    assert_eq!(seen[0].header("x-extra"), Some("1"));
    assert!(
        !format!("{seen:?}").contains("sk-"),
        "a key was written down"
    );
}

#[test]
fn model_names_choose_the_scenario() {
    let server = LlmServer::start().unwrap();
    let limited = r#"{"model":"scripted-429","stream":true}"#;
    let first = exchange(&server, CHAT, limited);
    assert!(
        first.starts_with("HTTP/1.1 429") && first.contains("retry-after: 1"),
        "{first}"
    );
    assert!(exchange(&server, CHAT, limited).starts_with("HTTP/1.1 200"));
    let broken = exchange(
        &server,
        MESSAGES,
        r#"{"model":"scripted-broken","stream":true}"#,
    );
    assert!(
        broken.contains("text_delta") && !broken.contains("message_stop"),
        "{broken}"
    );
    for (name, scenario) in Scenario::ALL {
        assert_eq!(
            Scenario::of_model(&format!("scripted-{name}")),
            Some(scenario)
        );
    }
}

#[test]
fn notices_a_client_that_leaves() {
    let server = LlmServer::start().unwrap();
    server.push(Reply::Silence);
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(stream, "{CHAT}\r\ncontent-length: 2\r\n\r\n{{}}").unwrap();
    drop(stream);
    assert!(
        server.saw_client_leave(Duration::from_secs(10)),
        "the client had left"
    );
}

#[test]
fn the_default_answer_names_what_the_prompt_names() {
    let server = LlmServer::start().unwrap();
    let body = serde_json::json!({
        "model": "m",
        "messages": [
            { "role": "system", "content": "sum up" },
            { "role": "user", "content": "[User]: fix the parser\n\n[Assistant tool calls]: \
                read(path=\"src/parse.rs\")" },
        ],
    });
    let answer = exchange(&server, CHAT, &body.to_string());
    assert!(
        answer.contains("fix the parser") && answer.contains("src/parse.rs"),
        "{answer}"
    );
}

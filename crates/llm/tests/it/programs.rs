//! A program as provider: the same stories, told by a small script.
#![cfg(unix)]

use crate::harness::{KEY, NotedPauses, Told, request};
use palimpsest_core::Failure as _;
use palimpsest_core::call::{ModelRequest, StopReason};
use palimpsest_llm::{
    ApiKey, CallOptions, CancellationToken, Fault, Limits, Pause, ProviderConfig, ReplyRefusal,
    StreamEvent, check_reply, client_with, environment_without_keys,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A script in a folder of its own, run by `/bin/sh`.
struct Script {
    folder: tempfile::TempDir,
    config: ProviderConfig,
    environment: BTreeMap<String, String>,
    limits: Limits,
    pauses: Arc<NotedPauses>,
    cancel: CancellationToken,
}

impl Script {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let path = folder.path().join("reply.sh");
        std::fs::write(&path, text).expect("it can be written to");
        let words = ["/bin/sh", path.to_str().expect("its name is text")];
        Self {
            config: ProviderConfig::program("script", &words),
            folder,
            environment: BTreeMap::from([(
                "PATH".to_owned(),
                std::env::var("PATH").unwrap_or_default(),
            )]),
            limits: Limits::default(),
            pauses: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn tell(&self) -> Told {
        self.tell_of(&request("m1"), |_| {}).await
    }

    async fn tell_of(
        &self,
        request: &ModelRequest,
        mut watch: impl FnMut(&StreamEvent) + Send,
    ) -> Told {
        let pause: Arc<dyn Pause> = self.pauses.clone();
        let options = CallOptions {
            limits: self.limits,
            pause,
            environment: self.environment.clone(),
            folder: Some(self.folder.path().to_owned()),
            ..CallOptions::default()
        };
        let client =
            client_with(&self.config, ApiKey::new(KEY), options).expect("a program is named");
        let mut events = Vec::new();
        let mut sink = |event: StreamEvent| {
            watch(&event);
            events.push(event);
        };
        let result = client.complete(request, &mut sink, &self.cancel).await;
        Told { result, events }
    }
}

#[tokio::test]
async fn the_prompt_goes_in_and_the_reply_streams_out() {
    let script = Script::new("cat > asked.txt; printf 'one '; printf 'two'");
    let told = script.tell().await;
    let reply = told.result.as_ref().unwrap();
    assert_eq!(
        (reply.text.as_str(), &reply.stop),
        ("one two", &StopReason::Stop)
    );
    assert_eq!(told.streamed(), "one two");
    assert_eq!(check_reply(reply), Ok(()));
    let asked = std::fs::read_to_string(script.file("asked.txt")).unwrap();
    assert_eq!(asked, "You summarize.\n\n[User]: fix it");
}

#[tokio::test]
async fn words_are_filled_in_and_no_shell_reads_them() {
    let mut script = Script::new(
        r#"cat; printf '|%s' "$@" "$PALIMPSEST_MODEL" "$PALIMPSEST_MAX_OUTPUT_TOKENS""#,
    );
    let words = ["--model={model}", "{system}", "$(touch made) ; x"];
    script.config.command.extend(words.map(str::to_owned));
    let reply = script.tell().await.result.unwrap();
    assert_eq!(
        reply.text,
        "[User]: fix it|--model=m1|You summarize.|$(touch made) ; x|m1|500"
    );
    assert!(!script.file("made").exists());
}

#[tokio::test]
async fn only_its_own_key_reaches_it() {
    let mut script = Script::new("env");
    script.config.key_env = Some("MINE_API_KEY".to_owned());
    let all: BTreeMap<String, String> = [("OPENAI_API_KEY", "theirs"), ("LANG", "C")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    script
        .environment
        .extend(environment_without_keys(&all, &[]));
    let text = script.tell().await.result.unwrap().text;
    // It has the key, which no reply shows.
    assert!(text.contains("MINE_API_KEY=[key]"), "{text}");
    assert!(!text.contains(KEY), "{text}");
    assert!(
        text.contains("LANG=C") && !text.contains("theirs"),
        "{text}"
    );
}

#[tokio::test]
async fn characters_come_whole_however_they_are_written() {
    // The two bytes of é, the three of 日, one by one.
    let script = Script::new(r"for b in 303 251 346 227 245; do printf \\$b; sleep 0.01; done");
    let told = script.tell().await;
    assert_eq!(told.result.as_ref().unwrap().text, "\u{e9}日");
    assert_eq!(told.streamed(), "\u{e9}日");
}

#[tokio::test]
async fn more_input_than_a_pipe_holds_does_not_block() {
    let large = ModelRequest {
        prompt: "0123456789abcdef\n".repeat(200_000),
        system: String::new(),
        ..request("m1")
    };
    // Echoes while it is still being written to; then does not read at all.
    for (text, expected) in [("cat", large.prompt.len()), ("printf done", 4)] {
        let script = Script::new(text);
        let told = script.tell_of(&large, |_| {}).await;
        assert_eq!(told.result.unwrap().text.len(), expected, "{text}");
    }
}

#[tokio::test]
async fn a_failure_tells_the_end_of_standard_error() {
    let script = Script::new("printf kept; echo first >&2; echo 'no licence for this' >&2; exit 3");
    let told = script.tell().await;
    let message = told.error().to_string();
    assert_eq!((told.error().code(), told.partial()), ("program", "kept"));
    assert!(message.contains("no licence for this"), "{message}");
    assert!(message.contains("exit status: 3"), "{message}");
    let next = told.error().next().unwrap().to_string();
    assert!(next.contains("in a terminal"), "{next}");
    assert_eq!(told.error().call.attempts, 1);
}

#[tokio::test]
async fn try_later_is_tried_again_after_the_wait_asked_for() {
    let script = Script::new(
        "if [ -e seen ]; then printf done; else touch seen; \
         echo 'busy' >&2; echo 'Retry-After: 7' >&2; exit 75; fi",
    );
    let told = script.tell().await;
    assert_eq!(told.result.as_ref().unwrap().text, "done");
    assert_eq!(*script.pauses.waits.lock().unwrap(), [7_000]);
}

#[tokio::test]
async fn cancelling_ends_the_wait_for_a_retry() {
    let mut script = Script::new("exit 75");
    script.pauses = Arc::new(NotedPauses {
        endless: true,
        ..NotedPauses::default()
    });
    let cancel = script.cancel.clone();
    let told = script
        .tell_of(&request("m1"), |event| {
            if matches!(event, StreamEvent::Retrying { .. }) {
                let cancel = cancel.clone();
                tokio::spawn(async move { cancel.cancel() });
            }
        })
        .await;
    assert!(told.error().is_cancelled());
}

#[tokio::test]
async fn an_overflow_is_told_apart() {
    let script = Script::new("echo 'error: prompt is too long: 9 tokens > 8' >&2; exit 1");
    assert_eq!(script.tell().await.error().code(), "context_overflow");
}

/// A script that prints `text`, states this about it on standard error, and ends with `status`.
fn stating(text: &str, statement: &str, status: u8) -> Script {
    Script::new(&format!(
        "cat > /dev/null; printf '{text}'; echo note >&2; echo '{{\"palimpsest\":{statement}}}' >&2; \
         exit {status}"
    ))
}

#[tokio::test]
async fn what_it_says_of_its_reply_counts() {
    let cases = [
        (r#"{"stop":"refusal"}"#, Err(ReplyRefusal::Declined)),
        (r#"{"stop":"length"}"#, Err(ReplyRefusal::Incomplete)),
        (r#"{"stop":"tool_call"}"#, Err(ReplyRefusal::ToolCall)),
        (r#"{"stop":"stop"}"#, Ok(())),
    ];
    for (statement, expected) in cases {
        let told = stating("half", statement, 0).tell().await;
        let reply = told.result.as_ref().unwrap();
        assert_eq!(check_reply(reply), expected, "{statement}");
        assert_eq!(
            (reply.text.as_str(), told.streamed().as_str()),
            ("half", "half")
        );
    }
}

#[tokio::test]
async fn what_it_says_of_usage_is_kept_and_told() {
    let statement = r#"{"usage":{"input":90,"output":4,"cache_read":10},"model":"m2"}"#;
    let told = stating("text", statement, 0).tell().await;
    let reply = told.result.as_ref().unwrap();
    let counts = (
        reply.usage.input,
        reply.usage.output,
        reply.usage.cache_read,
    );
    assert_eq!((counts, reply.model.as_deref()), ((90, 4, 10), Some("m2")));
    let is_usage = |event: &&StreamEvent| matches!(event, StreamEvent::Usage { .. });
    assert_eq!(told.events.iter().filter(is_usage).count(), 1);
}

#[tokio::test]
async fn an_error_it_states_counts_whatever_its_status() {
    for status in [0, 1, 75] {
        let statement = r#"{"error":{"kind":"overflow","message":"9 tokens where 8 fit"}}"#;
        let told = stating("", statement, status).tell().await;
        assert_eq!(told.error().code(), "context_overflow");
        assert!(told.error().to_string().contains("9 tokens where 8 fit"));
        let told = stating("kept", r#"{"error":{"kind":"quota"}}"#, status)
            .tell()
            .await;
        assert_eq!(
            (told.error().code(), told.partial()),
            ("quota_exhausted", "kept")
        );
    }
    let told = stating("", r#"{"stop":"refused"}"#, 0).tell().await;
    let message = told.error().to_string();
    assert!(message.contains("unknown variant `refused`"), "{message}");
}

#[tokio::test]
async fn too_many_requests_are_made_again_after_the_wait_it_states() {
    let script = Script::new(
        r#"if [ -e seen ]; then printf done; else touch seen;
        echo '{"palimpsest":{"error":{"kind":"rate_limited","retry_after_s":1.5}}}' >&2; fi"#,
    );
    let told = script.tell().await;
    assert_eq!(told.result.as_ref().unwrap().text, "done");
    assert_eq!(*script.pauses.waits.lock().unwrap(), [1_500]);
}

#[tokio::test]
async fn silence_and_a_call_without_end_are_ended() {
    let mut script = Script::new("sleep 600");
    script.limits.first_byte = Duration::from_millis(100);
    script.limits.silence = Duration::from_millis(100);
    let told = script.tell().await;
    assert!(matches!(told.error().fault, Fault::Silence { .. }));
    assert_eq!(told.error().call.attempts, 4, "nothing had come");
    let said = told.error().to_string();
    assert!(said.contains("the program has printed nothing"), "{said}");
    let next = told.error().next().unwrap().to_string();
    assert!(
        next.contains("in a terminal to see what it needs"),
        "{next}"
    );

    let mut script = Script::new("printf kept; sleep 600");
    script.limits.silence = Duration::from_millis(100);
    let told = script.tell().await;
    assert!(matches!(told.error().fault, Fault::Silence { .. }));
    assert_eq!((told.partial(), told.error().call.attempts), ("kept", 1));

    let mut script = Script::new("while :; do echo tick; sleep 0.02; done");
    script.limits.whole = Duration::from_millis(300);
    let told = script.tell().await;
    assert_eq!(told.error().code(), "timeout");
    assert!(told.partial().starts_with("tick"));
}

#[tokio::test]
async fn cancelling_kills_it_with_all_it_started() {
    // The child holds a pipe open; its end is seen by whoever reads the other side.
    let script = Script::new("mkfifo alive; (exec 3>alive; sleep 600) & printf 'kept '; sleep 600");
    let cancel = script.cancel.clone();
    let fifo = script.file("alive");
    let (ended, all_ended) = std::sync::mpsc::channel();
    let told = script
        .tell_of(&request("m1"), |event| {
            if matches!(event, StreamEvent::TextDelta { .. }) {
                let (fifo, ended) = (fifo.clone(), ended.clone());
                let cancel = cancel.clone();
                std::thread::spawn(move || {
                    use std::io::Read as _;
                    // Opening waits until the child has opened its side.
                    let mut pipe = std::fs::File::open(fifo).unwrap();
                    cancel.cancel();
                    ended.send(pipe.read_to_end(&mut Vec::new())).unwrap();
                });
            }
        })
        .await;
    assert!(told.error().is_cancelled());
    assert_eq!(told.partial(), "kept ");
    let end = all_ended.recv_timeout(Duration::from_secs(20));
    assert_eq!(end.unwrap().unwrap(), 0, "the child still runs");
}

#[tokio::test]
async fn output_without_end_is_cut_and_incomplete() {
    let script = Script::new("exec cat /dev/zero");
    let reply = script.tell().await.result.unwrap();
    assert_eq!(check_reply(&reply), Err(ReplyRefusal::Incomplete));
}

#[tokio::test]
async fn a_reply_of_nothing_is_refused() {
    let reply = Script::new("exit 0").tell().await.result.unwrap();
    assert_eq!(check_reply(&reply), Err(ReplyRefusal::Empty));
}

#[tokio::test]
async fn what_cannot_be_started_is_named() {
    let mut script = Script::new("");
    script.config.command = vec!["/nowhere/summarize".to_owned()];
    let told = script.tell().await;
    assert_eq!(told.error().code(), "config");
    assert!(told.error().to_string().contains("/nowhere/summarize"));
    script.config.command = Vec::new();
    let none = client_with(&script.config, None, CallOptions::default());
    assert_eq!(none.err().unwrap().code(), "config");
}

#[tokio::test]
async fn a_child_that_keeps_the_output_open_is_not_waited_for() {
    let script = Script::new("sleep 600 & printf done");
    assert_eq!(script.tell().await.result.unwrap().text, "done");
}

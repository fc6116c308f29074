//! One scripted server, one client, and everything that happened in between.

use palimpsest_core::call::{ModelReply, ModelRequest};
use palimpsest_llm::{
    ApiKey, CallOptions, CancellationToken, Limits, LlmError, Pause, ProviderConfig, ProviderKind,
    StreamEvent, client_with,
};
use palimpsest_testkit::llm_server::LlmServer;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Makes a test of each story for each kind over HTTP.
macro_rules! for_every_kind {
    ($($story:ident),* $(,)?) => { $(
        mod $story {
            use palimpsest_llm::ProviderKind;

            #[tokio::test]
            async fn openai() {
                super::$story(ProviderKind::OpenAi).await;
            }

            #[tokio::test]
            async fn responses() {
                super::$story(ProviderKind::Responses).await;
            }

            #[tokio::test]
            async fn anthropic() {
                super::$story(ProviderKind::Anthropic).await;
            }

            #[tokio::test]
            async fn gemini() {
                super::$story(ProviderKind::Gemini).await;
            }
        }
    )* };
}
pub(crate) use for_every_kind;

/// The kinds over HTTP; every story is told for each.
pub const KINDS: [ProviderKind; 4] = [
    ProviderKind::OpenAi,
    ProviderKind::Responses,
    ProviderKind::Anthropic,
    ProviderKind::Gemini,
];

/// The key every call is made with.
pub const KEY: &str = "sk-story-key";

/// Writes down the waits and does not wait; or never returns, to be cancelled.
#[derive(Default)]
pub struct NotedPauses {
    pub waits: Mutex<Vec<u64>>,
    pub endless: bool,
}

#[async_trait::async_trait]
impl Pause for NotedPauses {
    async fn pause(&self, time: Duration) {
        self.waits
            .lock()
            .expect("no pause panics")
            .push(time.as_millis() as u64);
        if self.endless {
            std::future::pending::<()>().await;
        }
    }
}

pub struct Story {
    pub kind: ProviderKind,
    pub server: LlmServer,
    pub pauses: Arc<NotedPauses>,
    pub cancel: CancellationToken,
    pub limits: Limits,
    pub base_path: &'static str,
    pub temperature: Option<f64>,
}

pub struct Told {
    pub result: Result<ModelReply, LlmError>,
    pub events: Vec<StreamEvent>,
}

impl Story {
    pub fn new(kind: ProviderKind) -> Self {
        Self {
            kind,
            server: LlmServer::start().expect("a port of 127.0.0.1 is free"),
            pauses: Arc::default(),
            cancel: CancellationToken::new(),
            limits: Limits::default(),
            base_path: "",
            temperature: None,
        }
    }

    pub fn config(&self) -> ProviderConfig {
        let base_url = format!("{}{}", self.server.url(), self.base_path);
        ProviderConfig::at("story", self.kind, &base_url)
    }

    pub fn options(&self) -> CallOptions {
        let pause: Arc<dyn Pause> = self.pauses.clone();
        CallOptions {
            limits: self.limits,
            pause,
            ..CallOptions::default()
        }
    }

    /// Makes the call.
    pub async fn tell(&self) -> Told {
        self.tell_watched(|_| {}).await
    }

    /// Makes the call and shows each event to `watch` as it comes.
    pub async fn tell_watched(&self, mut watch: impl FnMut(&StreamEvent) + Send) -> Told {
        let client = client_with(&self.config(), ApiKey::new(KEY), self.options())
            .expect("a local provider with a key can be called");
        let mut events = Vec::new();
        let mut sink = |event: StreamEvent| {
            watch(&event);
            events.push(event);
        };
        let request = ModelRequest {
            temperature: self.temperature,
            ..request("scripted-model")
        };
        let result = client.complete(&request, &mut sink, &self.cancel).await;
        Told { result, events }
    }

    pub fn waits(&self) -> Vec<u64> {
        self.pauses.waits.lock().expect("no pause panics").clone()
    }
}

impl Told {
    /// The text a user has before them: what came since the last start.
    pub fn streamed(&self) -> String {
        let mut text = String::new();
        for event in &self.events {
            match event {
                StreamEvent::Started { .. } => text.clear(),
                StreamEvent::TextDelta { text: more } => text.push_str(more),
                StreamEvent::Usage { .. } | StreamEvent::Retrying { .. } => {}
            }
        }
        text
    }

    pub fn error(&self) -> &LlmError {
        self.result.as_ref().expect_err("this call was to fail")
    }

    pub fn partial(&self) -> &str {
        self.error()
            .call
            .partial
            .as_ref()
            .map(|partial| partial.text.as_str())
            .unwrap_or_default()
    }
}

pub fn request(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.to_owned(),
        system: "You summarize.".to_owned(),
        prompt: "[User]: fix it".to_owned(),
        messages: Vec::new(),
        max_output_tokens: Some(500),
        temperature: None,
    }
}

//! Where models are served: kinds of API, base URLs, and the providers known by name.

use crate::address::{is_loopback, parse};
use serde::{Deserialize, Serialize};

/// Which API a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI Chat Completions, which most servers imitate.
    #[serde(rename = "openai")]
    OpenAi,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
    /// Google Gemini, its own API (`generateContent`).
    Gemini,
    /// A program on this machine: the prompt on its standard input, the reply on its output.
    Command,
    /// The summarizer built into the application; it makes no calls and has no client here.
    Offline,
}

impl ProviderKind {
    /// Every kind that can be called.
    pub const CALLED: [ProviderKind; 5] = [
        ProviderKind::OpenAi,
        ProviderKind::Responses,
        ProviderKind::Anthropic,
        ProviderKind::Gemini,
        ProviderKind::Command,
    ];

    /// Its name in settings and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ProviderKind::OpenAi => "openai",
            ProviderKind::Responses => "responses",
            ProviderKind::Anthropic => "anthropic",
            ProviderKind::Gemini => "gemini",
            ProviderKind::Command => "command",
            ProviderKind::Offline => "offline",
        }
    }

    /// The environment variable in which keys for this API are kept by custom.
    fn key_env(self) -> Option<&'static str> {
        match self {
            ProviderKind::OpenAi | ProviderKind::Responses => Some("OPENAI_API_KEY"),
            ProviderKind::Anthropic => Some("ANTHROPIC_API_KEY"),
            ProviderKind::Gemini => Some("GEMINI_API_KEY"),
            ProviderKind::Command | ProviderKind::Offline => None,
        }
    }
}

/// One provider as the user configured it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderConfig {
    /// Name shown to the user, and the account name of its key in the OS keyring.
    pub name: String,
    /// The API it speaks.
    pub kind: ProviderKind,
    /// Base URL; a trailing slash, a missing `/v1` and a missing scheme are all understood.
    /// Empty for a program.
    #[serde(default)]
    pub base_url: String,
    /// Environment variable that holds the key; `None` when it needs none. A program is given
    /// its key in this variable.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Models to offer besides those the provider lists itself.
    #[serde(default)]
    pub models: Vec<String>,
    /// The program and its arguments, for [`ProviderKind::Command`]; no shell reads them. In an
    /// argument `{model}` stands for the model and `{system}` for the system prompt.
    #[serde(default)]
    pub command: Vec<String>,
    /// What the user set instead of the usual limits.
    #[serde(default)]
    pub limits: ProviderLimits,
}

/// Limits of a provider's calls; what is `None` is as usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProviderLimits {
    /// Seconds until the first byte of an answer; 300 unless set: a local model reads a long
    /// prompt for minutes first.
    #[serde(default)]
    pub first_byte_s: Option<u64>,
    /// Seconds of silence between two pieces of an answer; 120 unless set.
    #[serde(default)]
    pub silence_s: Option<u64>,
    /// Seconds for a request as a whole; 1800 unless set.
    #[serde(default)]
    pub timeout_s: Option<u64>,
    /// Most calls at the same time, over all runs; no limit unless set. A strategy's own limit
    /// holds besides.
    #[serde(default)]
    pub max_concurrent: Option<u32>,
    /// How often a failed request is made again; 3 unless set.
    #[serde(default)]
    pub max_retries: Option<u32>,
}

/// Name, kind, base URL and key variable of the providers known by name. Local addresses are the
/// default ports of those servers in 2026.
const PRESETS: [(&str, ProviderKind, &str, Option<&str>); 10] = [
    ("offline", ProviderKind::Offline, "", None),
    (
        "anthropic",
        ProviderKind::Anthropic,
        "https://api.anthropic.com",
        Some("ANTHROPIC_API_KEY"),
    ),
    (
        "openai",
        ProviderKind::OpenAi,
        "https://api.openai.com/v1",
        Some("OPENAI_API_KEY"),
    ),
    (
        "openai-responses",
        ProviderKind::Responses,
        "https://api.openai.com/v1",
        Some("OPENAI_API_KEY"),
    ),
    (
        "gemini",
        ProviderKind::Gemini,
        "https://generativelanguage.googleapis.com/v1beta",
        Some("GEMINI_API_KEY"),
    ),
    (
        "openrouter",
        ProviderKind::OpenAi,
        "https://openrouter.ai/api/v1",
        Some("OPENROUTER_API_KEY"),
    ),
    (
        "ollama",
        ProviderKind::OpenAi,
        "http://127.0.0.1:11434/v1",
        None,
    ),
    (
        "lm-studio",
        ProviderKind::OpenAi,
        "http://127.0.0.1:1234/v1",
        None,
    ),
    (
        "llama.cpp",
        ProviderKind::OpenAi,
        "http://127.0.0.1:8080/v1",
        None,
    ),
    (
        "vllm",
        ProviderKind::OpenAi,
        "http://127.0.0.1:8000/v1",
        None,
    ),
];

impl ProviderConfig {
    /// The provider known by this name.
    pub fn preset(name: &str) -> Option<Self> {
        Self::presets().find(|preset| preset.name == name)
    }

    /// Every provider known by name, the offline one first.
    pub fn presets() -> impl Iterator<Item = Self> {
        PRESETS.iter().map(|(name, kind, base_url, key_env)| Self {
            name: (*name).to_owned(),
            kind: *kind,
            base_url: (*base_url).to_owned(),
            key_env: key_env.map(str::to_owned),
            models: Vec::new(),
            command: Vec::new(),
            limits: ProviderLimits::default(),
        })
    }

    /// A provider of this kind at another address, as `--base-url` asks for.
    pub fn at(name: &str, kind: ProviderKind, base_url: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            base_url: base_url.to_owned(),
            key_env: kind.key_env().map(str::to_owned),
            models: Vec::new(),
            command: Vec::new(),
            limits: ProviderLimits::default(),
        }
    }

    /// A program as provider, with its arguments.
    pub fn program(name: &str, command: &[&str]) -> Self {
        Self {
            command: command.iter().map(|&word| word.to_owned()).collect(),
            ..Self::at(name, ProviderKind::Command, "")
        }
    }

    /// Whether it is a program that is given a key.
    pub fn is_program_with_key(&self) -> bool {
        self.kind == ProviderKind::Command && self.key_env.is_some()
    }

    /// Whether it is on this machine, a program or a server: then no key is needed and no proxy
    /// is used.
    pub fn is_local(&self) -> bool {
        self.kind == ProviderKind::Command
            || parse(&self.base_url).is_ok_and(|url| is_loopback(&url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::endpoint;

    #[test]
    fn local_addresses_are_recognised() {
        let local = |base: &str| ProviderConfig::at("x", ProviderKind::OpenAi, base).is_local();
        assert!(local("http://127.0.0.1:1/v1") && local("localhost:1") && local("http://[::1]:1"));
        assert!(!local("https://api.openai.com") && !local("http://127.0.0.1.example.com"));
        assert!(!local("http://localhost.example.com"));
    }

    #[test]
    fn settings_of_earlier_versions_still_load() {
        let stored = r#"{"name":"mine","kind":"openai","base_url":"http://h/v1"}"#;
        let config: ProviderConfig = serde_json::from_str(stored).unwrap();
        assert_eq!(config.limits, ProviderLimits::default());
        assert!(config.command.is_empty() && config.models.is_empty());
    }

    #[test]
    fn kinds_are_stored_under_the_names_of_the_wire() {
        for kind in ProviderKind::CALLED {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }

    #[test]
    fn every_preset_can_be_called_or_is_offline() {
        for preset in ProviderConfig::presets() {
            let callable = preset.kind == ProviderKind::Offline
                || endpoint(&preset.base_url, "v1", "messages", "messages").is_ok();
            assert!(callable, "{} has no usable base URL", preset.name);
            assert_eq!(ProviderConfig::preset(&preset.name), Some(preset));
        }
    }
}

//! Where models are served: kinds of API, base URLs, and the providers known by name.

use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// Which API a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// OpenAI Chat Completions, which most servers imitate.
    #[serde(rename = "openai")]
    OpenAi,
    /// Anthropic Messages.
    Anthropic,
    /// The summarizer built into the application; it makes no calls and has no client here.
    Offline,
}

/// One provider as the user configured it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderConfig {
    /// Name shown to the user, and the account name of its key in the OS keyring.
    pub name: String,
    /// The API it speaks.
    pub kind: ProviderKind,
    /// Base URL; a trailing slash, a missing `/v1` and a missing scheme are all understood.
    pub base_url: String,
    /// Environment variable that holds the key; `None` when it needs none.
    #[serde(default)]
    pub key_env: Option<String>,
    /// Models to offer besides those the provider lists itself.
    #[serde(default)]
    pub models: Vec<String>,
}

/// Name, kind, base URL and key variable of the providers known by name. Local addresses are the
/// default ports of those servers in 2026.
const PRESETS: [(&str, ProviderKind, &str, Option<&str>); 8] = [
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
        })
    }

    /// A provider of this kind at another address, as `--base-url` asks for.
    pub fn at(name: &str, kind: ProviderKind, base_url: &str) -> Self {
        let key_env = match kind {
            ProviderKind::OpenAi => Some("OPENAI_API_KEY"),
            ProviderKind::Anthropic => Some("ANTHROPIC_API_KEY"),
            ProviderKind::Offline => None,
        };
        Self {
            name: name.to_owned(),
            kind,
            base_url: base_url.to_owned(),
            key_env: key_env.map(str::to_owned),
            models: Vec::new(),
        }
    }

    /// Whether the base URL is on this machine: then no key is needed and no proxy is used.
    pub fn is_local(&self) -> bool {
        parse(&self.base_url).is_ok_and(|url| is_loopback(&url))
    }
}

/// The URL of an endpoint such as `chat/completions` under a base URL.
///
/// A missing scheme is `http` on this machine and `https` elsewhere. `v1` is added when no
/// segment of the path is a version (`v1`, `v4`, `v1beta`...). A base URL that already ends in the
/// endpoint is taken as it is, for servers that do not follow the `/v1` custom; for another
/// endpoint its sibling is meant. Fails with a sentence about the URL.
pub(crate) fn endpoint(base: &str, own: &str, wanted: &str) -> Result<Url, String> {
    let mut url = parse(base)?;
    url.set_query(None);
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    let root = match path
        .strip_suffix(own)
        .and_then(|root| root.strip_suffix('/'))
    {
        Some(root) => root.to_owned(),
        None if path.split('/').any(is_version) => path,
        None => format!("{path}/v1"),
    };
    url.set_path(&format!("{root}/{wanted}"));
    Ok(url)
}

fn is_version(segment: &str) -> bool {
    let mut letters = segment.chars();
    letters.next() == Some('v') && letters.next().is_some_and(|c| c.is_ascii_digit())
}

fn parse(base: &str) -> Result<Url, String> {
    let base = base.trim();
    if base.is_empty() {
        return Err("the base URL is empty".to_owned());
    }
    let with_scheme = if base.contains("://") {
        base.to_owned()
    } else {
        let plain = format!("http://{base}");
        match Url::parse(&plain) {
            Ok(url) if is_loopback(&url) => plain,
            _ => format!("https://{base}"),
        }
    };
    let url = Url::parse(&with_scheme).map_err(|error| format!("{base} is not a URL: {error}"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        scheme => Err(format!(
            "the base URL begins with {scheme}://, not http:// or https://"
        )),
    }
}

/// Whether a URL names this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// A URL that can be shown: without user, password and query.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    // Fails only for URLs that cannot have a user, which then have none to hide.
    url.set_username("").ok();
    url.set_password(None).ok();
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(base: &str) -> String {
        endpoint(base, "chat/completions", "chat/completions")
            .unwrap()
            .to_string()
    }

    #[test]
    fn base_urls_are_joined_however_they_are_written() {
        for base in [
            "http://127.0.0.1:11434/v1",
            "http://127.0.0.1:11434/v1/",
            "http://127.0.0.1:11434",
            "http://127.0.0.1:11434/",
            "127.0.0.1:11434",
            " 127.0.0.1:11434/v1/chat/completions ",
            "http://127.0.0.1:11434/v1?x=1#y",
        ] {
            assert_eq!(
                chat(base),
                "http://127.0.0.1:11434/v1/chat/completions",
                "from {base:?}"
            );
        }
        assert_eq!(
            chat("openrouter.ai/api"),
            "https://openrouter.ai/api/v1/chat/completions"
        );
        assert_eq!(
            chat("localhost:8080"),
            "http://localhost:8080/v1/chat/completions"
        );
        assert_eq!(
            chat("https://h/v1beta/openai/"),
            "https://h/v1beta/openai/chat/completions"
        );
        assert_eq!(
            chat("https://h/paas/v4"),
            "https://h/paas/v4/chat/completions"
        );
        assert_eq!(
            chat("https://h/chat/completions"),
            "https://h/chat/completions"
        );
    }

    #[test]
    fn a_full_endpoint_leads_to_its_siblings() {
        let url = endpoint("https://h/x/chat/completions", "chat/completions", "models").unwrap();
        assert_eq!(url.as_str(), "https://h/x/models");
        let url = endpoint("https://api.anthropic.com", "messages", "messages").unwrap();
        assert_eq!(url.as_str(), "https://api.anthropic.com/v1/messages");
    }

    #[test]
    fn what_is_no_url_is_said_so() {
        for bad in ["", "  ", "ftp://h", "http://", "http://h:port"] {
            assert!(
                endpoint(bad, "messages", "messages").is_err(),
                "{bad:?} was accepted"
            );
        }
    }

    #[test]
    fn local_addresses_are_recognised() {
        let local = |base: &str| ProviderConfig::at("x", ProviderKind::OpenAi, base).is_local();
        assert!(local("http://127.0.0.1:1/v1") && local("localhost:1") && local("http://[::1]:1"));
        assert!(!local("https://api.openai.com") && !local("http://127.0.0.1.example.com"));
        assert!(!local("http://localhost.example.com"));
    }

    #[test]
    fn shown_urls_hide_what_may_be_secret() {
        let url = Url::parse("https://user:pass@h/v1?key=secret").unwrap();
        assert_eq!(shown(&url), "https://h/v1");
    }

    #[test]
    fn every_preset_can_be_called_or_is_offline() {
        for preset in ProviderConfig::presets() {
            let callable = preset.kind == ProviderKind::Offline
                || endpoint(&preset.base_url, "messages", "messages").is_ok();
            assert!(callable, "{} has no usable base URL", preset.name);
            assert_eq!(ProviderConfig::preset(&preset.name), Some(preset));
        }
    }
}

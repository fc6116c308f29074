//! Addresses: the URL of an endpoint under a base URL however that is written.

use reqwest::Url;
use std::net::IpAddr;

/// The URL of an endpoint such as `chat/completions` under a base URL.
///
/// A missing scheme is `http` on this machine and `https` elsewhere. `version` is added when no
/// segment of the path is one (`v1`, `v4`, `v1beta`...). A base URL that already ends in the
/// endpoint is taken as it is, for servers that do not follow the `/v1` custom; for another
/// endpoint its sibling is meant. Fails with a sentence about the URL.
pub(crate) fn endpoint(base: &str, version: &str, own: &str, wanted: &str) -> Result<Url, String> {
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
        None => format!("{path}/{version}"),
    };
    url.set_path(&format!("{root}/{wanted}"));
    Ok(url)
}

fn is_version(segment: &str) -> bool {
    let mut letters = segment.chars();
    letters.next() == Some('v') && letters.next().is_some_and(|c| c.is_ascii_digit())
}

/// Tells what is wrong with a base URL that no API can have.
///
/// # Errors
/// What is wrong, in words.
pub fn check_base_url(base: &str) -> Result<(), String> {
    parse(base).map(drop)
}

pub(crate) fn parse(base: &str) -> Result<Url, String> {
    let base = base.trim();
    if base.is_empty() {
        return Err("the base URL is empty".to_owned());
    }
    // `htp:/host` would be read as a host called `htp` with an empty port.
    let (scheme, rest) = base.split_once(':').unwrap_or((base, "0"));
    let is_port = rest.starts_with(|c: char| c.is_ascii_digit());
    if !base.contains("://") && !is_port && !base.starts_with('[') {
        return Err(format!(
            "the base URL begins with {scheme}:, not http:// or https://"
        ));
    }
    let with_scheme = if base.contains("://") {
        base.to_owned()
    } else {
        // Local servers have no certificate; elsewhere a key must not travel in the clear.
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

/// The URL at a path with its query below a base URL.
pub(crate) fn below(base: &Url, path: &str) -> Result<Url, String> {
    let mut base = base.clone();
    base.set_query(None);
    base.set_fragment(None);
    let folder = format!("{}/", base.path().trim_end_matches('/'));
    base.set_path(&folder);
    base.join(path)
        .map_err(|error| format!("{path} is not a path: {error}"))
}

/// Whether two base URLs have the same scheme, host and port. One that cannot be read has none.
pub fn same_origin(a: &str, b: &str) -> bool {
    match (parse(a), parse(b)) {
        (Ok(a), Ok(b)) => a.origin() == b.origin(),
        _ => false,
    }
}

/// Scheme, host and port of a base URL. Fails with a sentence about the URL.
pub fn origin_of(base: &str) -> Result<String, String> {
    Ok(parse(base)?.origin().ascii_serialization())
}

/// Whether a URL names this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    // The URL gives an IPv6 address in brackets, which the parser of addresses does not take.
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
        endpoint(base, "v1", "chat/completions", "chat/completions")
            .unwrap()
            .to_string()
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let own = "https://api.example.com/v1";
        for same in [
            "https://api.example.com",
            "https://api.example.com:443/other",
            "api.example.com",
            "https://user:pass@api.example.com/v1",
        ] {
            assert!(same_origin(own, same), "{same}");
        }
        for other in [
            "http://api.example.com/v1",
            "https://api.example.com:8443/v1",
            "https://api.example.com.evil.org/v1",
            "https://evil.org/?https://api.example.com/v1",
            "https://api.example.com@evil.org/v1",
            "",
            "not a url",
        ] {
            assert!(!same_origin(own, other), "{other}");
        }
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
        let url = endpoint(
            "https://h/x/chat/completions",
            "v1",
            "chat/completions",
            "models",
        )
        .unwrap();
        assert_eq!(url.as_str(), "https://h/x/models");
        let url = endpoint("https://api.anthropic.com", "v1", "messages", "messages").unwrap();
        assert_eq!(url.as_str(), "https://api.anthropic.com/v1/messages");
    }

    #[test]
    fn what_is_no_url_is_said_so() {
        for bad in ["", "  ", "ftp://h", "http://", "http://h:port"] {
            assert!(
                endpoint(bad, "v1", "messages", "messages").is_err(),
                "{bad:?} was accepted"
            );
        }
    }

    #[test]
    fn shown_urls_hide_what_may_be_secret() {
        let url = Url::parse("https://user:pass@h/v1?key=secret").unwrap();
        assert_eq!(shown(&url), "https://h/v1");
    }
}

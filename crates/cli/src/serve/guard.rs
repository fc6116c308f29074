//! Who may talk to the server: this machine's browser, with the token of the data folder.
//!
//! Loopback alone is no protection: any page in the same browser can send requests to it, and a
//! name that resolves to 127.0.0.1 makes them same-origin. Hence the checks of Host and Origin.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use std::sync::Arc;

/// The random token and the names under which the server may be called.
pub struct Guard {
    token: String,
    hosts: [String; 3],
}

impl Guard {
    /// A guard that lets `token` through to the server on `port`.
    pub fn new(port: u16, token: String) -> Guard {
        // The address is fixed, so any other Host is a name that an attacker made resolve to this
        // machine.
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        Guard { token, hosts }
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    fn host_is_ours(&self, headers: &HeaderMap) -> bool {
        // A second one could be read by something between the browser and here.
        let mut given = headers.get_all(header::HOST).iter();
        let (host, another) = (given.next(), given.next());
        let host = host.filter(|_| another.is_none());
        let host = host.and_then(|host| host.to_str().ok());
        host.is_some_and(|host| self.hosts.iter().any(|ours| ours == host))
    }

    fn origin_is_ours(&self, headers: &HeaderMap) -> bool {
        // Browsers omit Origin for a same-origin GET, and other programs never send it. Commands
        // and events still need the token.
        let Some(origin) = headers.get(header::ORIGIN) else {
            return true;
        };
        let host = origin
            .to_str()
            .ok()
            .and_then(|origin| origin.strip_prefix("http://"));
        host.is_some_and(|host| self.hosts.iter().any(|ours| ours == host))
    }

    /// Whether a browser loads this for the page itself, or for a user who follows a link to it. What
    /// another site embeds would tell that site whether this program runs here.
    fn is_embedded_elsewhere(request: &Request) -> bool {
        let header = |name: &str| request.headers().get(name).map(HeaderValue::as_bytes);
        // Programs that are no browser send none.
        let is_elsewhere = matches!(header("sec-fetch-site"), Some(b"cross-site" | b"same-site"));
        let is_navigation = header("sec-fetch-mode") == Some(b"navigate")
            && header("sec-fetch-dest") == Some(b"document")
            && request.method() == Method::GET;
        is_elsewhere && !is_navigation
    }

    fn token_fits(&self, request: &Request) -> bool {
        let header = request.headers().get("x-palimpsest-token");
        let query = request.uri().query().unwrap_or("").split('&');
        // In the address as well, because a browser's `EventSource` cannot set a header.
        let mut given = query.filter_map(|pair| pair.strip_prefix("token="));
        header.is_some_and(|token| self.is_token(token.as_bytes()))
            || given.any(|token| self.is_token(token.as_bytes()))
    }

    /// Compares in constant time, so that response times do not give the token away byte by byte.
    fn is_token(&self, given: &[u8]) -> bool {
        let ours = self.token.as_bytes();
        given.len() == ours.len()
            && given
                .iter()
                .zip(ours)
                .fold(0, |difference, (a, b)| difference | (a ^ b))
                == 0
    }
}

/// Lets a request through or refuses it. The page and its files need no token: they hold nothing.
pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = answered(&guard, request, next).await;
    let headers = response.headers_mut();
    // Answers hold transcripts: no cache keeps them, and none is taken for a page or a script.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

async fn answered(guard: &Guard, request: Request, next: Next) -> Response {
    if !guard.host_is_ours(request.headers())
        || !guard.origin_is_ours(request.headers())
        || Guard::is_embedded_elsewhere(&request)
    {
        return (
            StatusCode::FORBIDDEN,
            "this server only answers its own page",
        )
            .into_response();
    }
    let path = request.uri().path();
    let needs_token = path.starts_with("/rpc/") || path == "/events";
    if needs_token && !guard.token_fits(&request) {
        let text = "The access token is missing or invalid. Open the address that `palimpsest serve` \
                    printed.";
        return (StatusCode::UNAUTHORIZED, text).into_response();
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn request(host: &str, origin: Option<&str>, uri: &str) -> Request {
        let mut builder = Request::builder().uri(uri).header(header::HOST, host);
        if let Some(origin) = origin {
            builder = builder.header(header::ORIGIN, origin);
        }
        builder.body(Body::empty()).unwrap()
    }

    #[test]
    fn foreign_names_and_pages_are_refused() {
        let guard = Guard::new(7411, "a".repeat(32));
        let good = request("127.0.0.1:7411", Some("http://127.0.0.1:7411"), "/");
        assert!(guard.host_is_ours(good.headers()) && guard.origin_is_ours(good.headers()));
        let rebound = request("evil.example:7411", None, "/");
        assert!(
            !guard.host_is_ours(rebound.headers()),
            "DNS rebinding must not pass"
        );
        let foreign = request("127.0.0.1:7411", Some("https://evil.example"), "/");
        assert!(
            !guard.origin_is_ours(foreign.headers()),
            "another page must not pass"
        );
        let null = request("127.0.0.1:7411", Some("null"), "/");
        assert!(
            !guard.origin_is_ours(null.headers()),
            "a sandboxed page must not pass"
        );
    }

    #[test]
    fn two_hosts_are_refused() {
        let guard = Guard::new(7411, "a".repeat(32));
        let mut two = request("127.0.0.1:7411", None, "/");
        let another = HeaderValue::from_static("127.0.0.1:7411");
        two.headers_mut().append(header::HOST, another);
        assert!(!guard.host_is_ours(two.headers()));
    }

    #[test]
    fn other_sites_may_link_here_and_embed_nothing() {
        let from = |site: &'static str, mode: &'static str, dest: &'static str| {
            let mut request = request("127.0.0.1:7411", None, "/assets/index.js");
            let fetch = [("site", site), ("mode", mode), ("dest", dest)];
            for (name, value) in fetch {
                let name: header::HeaderName = format!("sec-fetch-{name}").parse().unwrap();
                request
                    .headers_mut()
                    .insert(name, HeaderValue::from_static(value));
            }
            Guard::is_embedded_elsewhere(&request)
        };
        assert!(!from("same-origin", "cors", "empty"));
        assert!(!from("none", "navigate", "document"));
        assert!(!from("cross-site", "navigate", "document"), "a link");
        assert!(from("cross-site", "no-cors", "script"));
        assert!(from("cross-site", "no-cors", "image"));
        assert!(from("cross-site", "navigate", "iframe"));
        // Another port of this machine.
        assert!(from("same-site", "no-cors", "script"));
    }

    #[test]
    fn only_the_token_fits() {
        let guard = Guard::new(1, "a1".repeat(16));
        let with = |token: &str| request("localhost:1", None, &format!("/events?token={token}"));
        assert!(guard.token_fits(&with(guard.token())));
        assert!(!guard.token_fits(&with("")));
        assert!(!guard.token_fits(&with(&"0".repeat(32))));
    }
}

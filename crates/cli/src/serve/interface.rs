//! The files of the interface, built into the program.

use axum::http::{HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};

include!(concat!(env!("OUT_DIR"), "/interface.rs"));

/// No inline script, nothing from outside; `wasm-unsafe-eval` is what the canvas needs to compile
/// its module, and inline style attributes are how virtual lists place their rows.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; \
    object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/// The file at `path`; the page itself for `/`.
pub fn file(path: &str) -> impl IntoResponse + use<> {
    let wanted = match path.trim_start_matches('/') {
        "" => "index.html",
        other => other,
    };
    let found = FILES.iter().find(|(name, _)| *name == wanted);
    let Some((name, bytes)) = found else {
        return (StatusCode::NOT_FOUND, "no such file").into_response();
    };
    let headers: [(HeaderName, &str); 3] = [
        (header::CONTENT_TYPE, content_type(name)),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    let response: Response = (headers, *bytes).into_response();
    response
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

//! What an HTTP answer that is not success means, told from status and body.

use crate::error::Fault;
use serde_json::Value;

/// Most characters of an answer that are shown in an error.
const EXCERPT_CHARS: usize = 300;

/// The fault an unsuccessful answer stands for.
pub(crate) fn fault_of(
    status: u16,
    content_type: &str,
    location: Option<&str>,
    body: &str,
    asked_wait_ms: Option<u64>,
) -> Fault {
    let (kind, detail) = described(body, content_type);
    let lower = format!("{kind} {detail}").to_ascii_lowercase();
    // Gemini puts the wait into the body.
    let asked_wait_ms = asked_wait_ms.or_else(|| gemini_wait_ms(body));
    match status {
        300..=399 => Fault::Rejected {
            status,
            detail: format!(
                "it redirects to {}",
                location.unwrap_or("an address it does not name")
            ),
        },
        401 | 403 => Fault::Unauthorized { status, detail },
        402 => Fault::QuotaExhausted { detail },
        // Gemini's word for a key that is none.
        400 if lower.contains("api key not valid") => Fault::Unauthorized { status, detail },
        429 if lower.contains("insufficient_quota") || gemini_day_is_over(body) => {
            Fault::QuotaExhausted { detail }
        }
        429 => Fault::RateLimited {
            detail,
            asked_wait_ms,
        },
        // Local servers report an overflow with any status, llama.cpp once with 500.
        _ if is_overflow(&lower) => Fault::ContextOverflow { detail },
        // After the wordings: 413 alone only says that the body is too large.
        413 => Fault::ContextOverflow { detail },
        408 | 500..=599 => Fault::Server {
            status,
            detail,
            asked_wait_ms,
        },
        400 | 404 if names_unknown_model(status, &lower) => Fault::ModelNotFound { detail },
        _ => Fault::Rejected { status, detail },
    }
}

/// The fault a provider's error object inside a stream or document stands for.
pub(crate) fn fault_of_error(error: &Value) -> Fault {
    let (kind, detail) = described_error(error);
    let lower = format!("{kind} {detail}").to_ascii_lowercase();
    if is_overflow(&lower) {
        return Fault::ContextOverflow { detail };
    }
    // OpenRouter gives the HTTP status it would have sent as a number.
    let passing = [
        "overloaded",
        "rate_limit",
        "server_error",
        "api_error",
        "timeout",
        "resource_exhausted",
        "unavailable",
        "internal",
        "deadline_exceeded",
        "429",
        "50",
    ]
    .iter()
    // Kind and code are joined by a blank, so either may carry the name.
    .any(|name| kind.to_ascii_lowercase().starts_with(name) || kind.ends_with(name));
    Fault::Reported {
        kind,
        detail,
        passing,
    }
}

/// Kind and sentence of an error body: `{"error": {...}}`, `{"error": "..."}`, `{"message"}`,
/// `{"detail"}`, else the beginning of the text.
fn described(body: &str, content_type: &str) -> (String, String) {
    if let Ok(value) = serde_json::from_str::<Value>(body) {
        // Gemini wraps the object in a list when no events were asked for.
        let value = value.get(0).unwrap_or(&value);
        let error = value
            .get("error")
            .filter(|error| !error.is_null())
            .unwrap_or(value);
        let (kind, detail) = described_error(error);
        if !detail.is_empty() {
            return (kind, detail);
        }
    }
    if looks_like_html(content_type, body) {
        return (String::new(), "it answered with a web page".to_owned());
    }
    let text = excerpt(body);
    (
        String::new(),
        if text.is_empty() {
            "it gave no reason".to_owned()
        } else {
            text
        },
    )
}

fn described_error(error: &Value) -> (String, String) {
    let named = |name: &str| match error.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    // Gemini has a number as `code` and a word as `status`.
    let kind = match (named("code"), named("type").or_else(|| named("status"))) {
        (Some(code), Some(kind)) if code != kind => format!("{kind} {code}"),
        (Some(one), _) | (None, Some(one)) => one,
        (None, None) => "error".to_owned(),
    };
    let detail = error
        .as_str()
        .map(str::to_owned)
        .or_else(|| named("message"))
        .or_else(|| named("detail"))
        .or_else(|| error.get("detail").map(Value::to_string))
        .unwrap_or_default();
    (kind, excerpt(&detail))
}

/// Wordings of the larger providers and local servers for a prompt that is too long, in lower
/// case; seen in their public documentation and error reports up to 2026.
const OVERFLOW_WORDS: [&str; 16] = [
    "context_length_exceeded",
    "maximum context length",
    "prompt is too long",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the available context size",
    "exceed_context_size",
    "exceeds the context length",
    "greater than the context length",
    "context window exceeds",
    "maximum prompt length",
    "input token count exceeds",
    "exceeds the maximum number of tokens allowed",
    "input is too long",
    "reduce the length of the messages",
    "exceeded model token limit",
];

/// The details of a Gemini error (google.rpc) whose type ends like that.
fn gemini_detail(body: &str, kind: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(body).ok()?;
    let error = value.get(0).unwrap_or(&value).get("error")?;
    let details = error["details"].as_array()?;
    let of_kind = |detail: &&Value| {
        let name = detail["@type"].as_str();
        name.is_some_and(|name| name.ends_with(kind))
    };
    details.iter().find(of_kind).cloned()
}

/// The wait in milliseconds that Gemini asks for in the body, as `"retryDelay": "38.5s"`.
fn gemini_wait_ms(body: &str) -> Option<u64> {
    let info = gemini_detail(body, "google.rpc.RetryInfo")?;
    let seconds: f64 = info["retryDelay"]
        .as_str()?
        .strip_suffix('s')?
        .parse()
        .ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1000.0).ceil().min(1e15) as u64)
}

/// Whether a 429 of Gemini is about the quota of a day (`quotaId` names it), whatever wait it
/// asks for besides.
fn gemini_day_is_over(body: &str) -> bool {
    let per_day = |violation: &Value| {
        let id = violation["quotaId"].as_str();
        id.is_some_and(|id| id.contains("PerDay"))
    };
    gemini_detail(body, "google.rpc.QuotaFailure")
        .and_then(|failure| {
            failure["violations"]
                .as_array()
                .map(|all| all.iter().any(per_day))
        })
        .unwrap_or(false)
}

/// Whether a sentence in lower case says that a prompt is too long.
pub(crate) fn is_overflow(lower: &str) -> bool {
    OVERFLOW_WORDS.iter().any(|words| lower.contains(words))
}

fn names_unknown_model(status: u16, lower: &str) -> bool {
    // OpenAI's code; the sentences are those of other servers.
    lower.contains("model_not_found")
        || (lower.contains("model")
            && (status == 404
                || [
                    "not found",
                    "does not exist",
                    "unknown model",
                    "not a valid model",
                ]
                .iter()
                .any(|words| lower.contains(words))))
}

/// Whether an answer is a web page, by its type or its first character.
pub(crate) fn looks_like_html(content_type: &str, body: &str) -> bool {
    content_type.contains("text/html") || body.trim_start().starts_with('<')
}

/// The beginning of a text on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Cut at a character: a provider's sentence may be in any language.
    if let Some((cut, _)) = words.char_indices().nth(EXCERPT_CHARS) {
        words.truncate(cut);
        words.push('…');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(status: u16, body: &str) -> &'static str {
        fault_of(status, "application/json", None, body, None).code()
    }

    #[test]
    fn statuses_and_bodies_are_told_apart() {
        let cases = [
            (401, r#"{"error":{"message":"bad key"}}"#, "unauthorized"),
            (403, "", "unauthorized"),
            (402, "", "quota_exhausted"),
            (
                429,
                r#"{"error":{"code":"insufficient_quota","message":"x"}}"#,
                "quota_exhausted",
            ),
            (429, r#"{"error":{"message":"slow down"}}"#, "rate_limited"),
            (
                400,
                r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#,
                "context_overflow",
            ),
            (
                400,
                r#"{"error":{"message":"prompt is too long: 9 tokens > 8"}}"#,
                "context_overflow",
            ),
            (
                500,
                r#"{"error":{"message":"the request exceeds the available context size"}}"#,
                "context_overflow",
            ),
            (413, "", "context_overflow"),
            (500, "", "server"),
            (529, "", "server"),
            (408, "", "server"),
            (
                404,
                r#"{"error":"model \"x\" not found, try pulling it first"}"#,
                "model_not_found",
            ),
            (
                404,
                r#"{"error":{"code":"model_not_found","message":"x"}}"#,
                "model_not_found",
            ),
            (
                400,
                r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":
                    "The input token count (9) exceeds the maximum number of tokens allowed (8)."}}]"#,
                "context_overflow",
            ),
            (
                400,
                r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key not valid."}}"#,
                "unauthorized",
            ),
            (
                429,
                r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"x","details":[
                    {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[
                        {"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
                    {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"38s"}]}}"#,
                "quota_exhausted",
            ),
            (404, "404 page not found", "rejected"),
            (400, r#"{"detail":"bad field"}"#, "rejected"),
            (301, "", "rejected"),
        ];
        for (status, body, expected) in cases {
            assert_eq!(code(status, body), expected, "HTTP {status} {body}");
        }
    }

    #[test]
    fn the_providers_sentence_is_found_wherever_it_is() {
        for body in [
            r#"{"error":{"message":"why"}}"#,
            r#"{"error":"why"}"#,
            r#"{"message":"why"}"#,
            r#"{"detail":"why"}"#,
            "why",
        ] {
            assert_eq!(described(body, "").1, "why", "{body}");
        }
        assert_eq!(
            described("<html>", "text/html").1,
            "it answered with a web page"
        );
        assert_eq!(described("", "").1, "it gave no reason");
    }

    #[test]
    fn gemini_says_in_the_body_how_long_to_wait() {
        let body = r#"{"error":{"code":429,"message":"x","details":[
            {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"38.5s"}]}}"#;
        let fault = fault_of(429, "application/json", None, body, None);
        assert_eq!(fault.asked_wait_ms(), Some(38_500));
        let fault = fault_of(429, "application/json", None, body, Some(7));
        assert_eq!(fault.asked_wait_ms(), Some(7), "a header says it as well");
    }

    #[test]
    fn reported_errors_pass_or_stay() {
        let passing = |text: &str| match fault_of_error(&serde_json::from_str(text).unwrap()) {
            Fault::Reported { passing, .. } => passing,
            other => panic!("{other:?}"),
        };
        assert!(passing(r#"{"type":"overloaded_error","message":"x"}"#));
        assert!(passing(r#"{"code":503,"message":"x"}"#));
        assert!(passing(
            r#"{"code":503,"status":"UNAVAILABLE","message":"x"}"#
        ));
        assert!(passing(r#"{"code":429,"message":"x"}"#));
        assert!(!passing(
            r#"{"type":"invalid_request_error","message":"x"}"#
        ));
        assert!(!passing(r#"{"code":400,"message":"x"}"#));
    }

    #[test]
    fn excerpts_are_short_and_on_one_line() {
        assert_eq!(excerpt(" a\n b "), "a b");
        assert_eq!(excerpt(&"é".repeat(400)).chars().count(), EXCERPT_CHARS + 1);
    }
}

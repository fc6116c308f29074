//! What a program says about its reply besides the text: lines of JSON on its standard error.
//!
//! Standard output is the reply and nothing else, so that a reply may itself be JSON. A line of
//! standard error that begins with `{"palimpsest":` is a statement, all others are complaints for
//! whoever reads the error. In a statement's object may stand
//!
//! - `stop`: `stop`, `length`, `tool_call` or `refusal`; counts when the program ends with status 0;
//! - `error`: `{"kind", "message", "retry_after_s"}`, of the kinds in [`ErrorKind`]; counts whatever
//!   the status is; `retry_after_s` are seconds;
//! - `usage`: `{"input", "output", "cache_read", "cache_write"}` in tokens;
//! - `model`: the model that answered.
//!
//! A later statement replaces the same fields of an earlier one. A malformed statement fails the
//! call: a misspelled refusal must not pass as a summary.

use crate::error::Fault;
use crate::key::ApiKey;
use crate::reply::GrowingReply;
use crate::status::excerpt;
use palimpsest_core::Usage;
use palimpsest_core::call::StopReason;
use serde::Deserialize;

/// Most bytes of standard error that are kept for the error.
const COMPLAINT_BYTES: usize = 16 << 10;
/// Most bytes of a statement; a longer line is a complaint.
const LINE_BYTES: usize = 64 << 10;

/// What came on a program's standard error.
#[derive(Debug, Default)]
pub(crate) struct StandardError {
    /// A line that has not ended.
    line: Vec<u8>,
    complaint: Vec<u8>,
    said: Said,
    misunderstood: Option<String>,
    /// The key that the program was given.
    key: Option<ApiKey>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    palimpsest: Said,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    stop: Option<Ended>,
    error: Option<SaidError>,
    usage: Option<SaidUsage>,
    model: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ended {
    Stop,
    Length,
    ToolCall,
    Refusal,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidError {
    kind: ErrorKind,
    #[serde(default)]
    message: String,
    retry_after_s: Option<f64>,
}

/// Why there is no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorKind {
    /// The prompt does not fit the model.
    Overflow,
    /// The same call may succeed later.
    RateLimited,
    /// The account has nothing left.
    Quota,
    /// There is no such model.
    UnknownModel,
    /// Anything else.
    Failed,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SaidUsage {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
}

impl StandardError {
    /// Takes what came next.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.line.len() > LINE_BYTES {
                self.end_line();
            }
        }
    }

    /// Blacks out this key from now on.
    pub(crate) fn hide(&mut self, key: Option<ApiKey>) {
        self.key = key;
    }

    /// Ends the last line, when no more will come.
    pub(crate) fn finish(&mut self) {
        self.end_line();
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let mut text = String::from_utf8_lossy(&line);
        // Before anything is cut out of it.
        if let Some(key) = &self.key {
            text = key.redact(&text).into();
        }
        if !is_statement(&text) {
            self.complaint.extend_from_slice(text.as_bytes());
            let excess = self.complaint.len().saturating_sub(COMPLAINT_BYTES);
            // The end is kept: programs print their error last.
            self.complaint.drain(..excess);
            return;
        }
        match serde_json::from_str::<Statement>(&text) {
            Ok(Statement { palimpsest: new }) => {
                let said = &mut self.said;
                said.stop = new.stop.or(said.stop);
                said.error = new.error.or_else(|| said.error.take());
                said.usage = new.usage.or_else(|| said.usage.take());
                said.model = new.model.or_else(|| said.model.take());
            }
            Err(error) => {
                let what = format!(
                    "what it says about its reply is not understood ({error}): {}",
                    excerpt(&text)
                );
                self.misunderstood.get_or_insert(what);
            }
        }
    }

    /// What it complained of, without the statements.
    pub(crate) fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.complaint).trim().to_owned()
    }

    /// Enters what was said into the reply.
    pub(crate) fn enter(&mut self, reply: &mut GrowingReply) {
        if let Some(usage) = &self.said.usage {
            reply.usage = Usage {
                input: usage.input,
                output: usage.output,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
                ..Usage::default()
            };
        }
        reply.model = self.said.model.take().or_else(|| reply.model.take());
    }

    /// Why the reply ended, for a program that did not fail.
    pub(crate) fn stop(&self) -> StopReason {
        match self.said.stop {
            Some(Ended::Length) => StopReason::Length,
            Some(Ended::ToolCall) => StopReason::ToolCall,
            Some(Ended::Refusal) => StopReason::Refusal,
            Some(Ended::Stop) | None => StopReason::Stop,
        }
    }

    /// The error that was stated; `status` is how the program ended, in words.
    pub(crate) fn fault(&self, status: &str) -> Option<Fault> {
        // Before any stated error, because what was not understood may have been one.
        if let Some(detail) = &self.misunderstood {
            return Some(Fault::Program {
                status: status.to_owned(),
                detail: detail.clone(),
            });
        }
        let SaidError {
            kind,
            message,
            retry_after_s,
        } = self.said.error.as_ref()?;
        let detail = match message.trim() {
            "" => "it gave no reason".to_owned(),
            message => excerpt(message),
        };
        Some(match kind {
            ErrorKind::Overflow => Fault::ContextOverflow { detail },
            ErrorKind::RateLimited => Fault::RateLimited {
                detail,
                asked_wait_ms: retry_after_s.and_then(milliseconds),
            },
            ErrorKind::Quota => Fault::QuotaExhausted { detail },
            ErrorKind::UnknownModel => Fault::ModelNotFound { detail },
            ErrorKind::Failed => Fault::Program {
                status: status.to_owned(),
                detail,
            },
        })
    }
}

/// Seconds as a wait in milliseconds; `None` for what is no time.
pub(crate) fn milliseconds(seconds: f64) -> Option<u64> {
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1000.0).ceil().min(1e15) as u64)
}

fn is_statement(line: &str) -> bool {
    // By its first key and not by parsing: a statement with a misspelled field must fail and not
    // pass as a complaint.
    let inside = line.trim_start().strip_prefix('{');
    let key = inside.and_then(|inside| inside.trim_start().strip_prefix("\"palimpsest\""));
    key.is_some_and(|rest| rest.trim_start().starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heard(text: &str) -> StandardError {
        let mut heard = StandardError::default();
        heard.take(text.as_bytes());
        heard.finish();
        heard
    }

    #[test]
    fn statements_and_complaints_are_told_apart() {
        let heard = heard(
            "warming up\n { \"palimpsest\" : {\"stop\":\"length\",\"model\":\"m2\"}}\n\
             {\"error\":\"of somebody else\"}\n{\"palimpsest\":{\"usage\":{\"output\":7}}}",
        );
        assert_eq!(heard.stop(), StopReason::Length);
        assert_eq!(heard.said.model.as_deref(), Some("m2"));
        assert_eq!(heard.said.usage.as_ref().map(|usage| usage.output), Some(7));
        assert_eq!(
            heard.complaint(),
            "warming up\n{\"error\":\"of somebody else\"}"
        );
        assert_eq!(heard.fault("exit status: 0"), None);
    }

    #[test]
    fn every_kind_of_error_has_its_fault() {
        let code = |kind: &str| {
            let line = format!("{{\"palimpsest\":{{\"error\":{{\"kind\":\"{kind}\"}}}}}}\n");
            heard(&line)
                .fault("exit status: 1")
                .map(|fault| fault.code())
        };
        assert_eq!(code("overflow"), Some("context_overflow"));
        assert_eq!(code("rate_limited"), Some("rate_limited"));
        assert_eq!(code("quota"), Some("quota_exhausted"));
        assert_eq!(code("unknown_model"), Some("model_not_found"));
        assert_eq!(code("failed"), Some("program"));
    }

    #[test]
    fn what_is_not_understood_names_what_there_is() {
        for (line, word) in [
            (r#"{"palimpsest":{"stop":"refused"}}"#, "`refusal`"),
            (r#"{"palimpsest":{"error":{"kind":"x"}}}"#, "`overflow`"),
            (r#"{"palimpsest":{"stopped":"length"}}"#, "`stop`"),
            (r#"{"palimpsest":"#, "EOF"),
        ] {
            let fault = heard(line).fault("exit status: 0").unwrap().to_string();
            assert!(fault.contains(word) && fault.contains(line), "{fault}");
        }
    }

    #[test]
    fn the_complaint_is_the_end_of_what_came() {
        let mut heard = StandardError::default();
        for _ in 0..100 {
            heard.take(&[b'x'; 1 << 10]);
        }
        heard.take(b"last");
        heard.finish();
        assert!(heard.complaint.len() <= COMPLAINT_BYTES);
        assert!(heard.complaint().ends_with("xlast"));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_pipe_cuts(size in 1_usize..40) {
            let text = "one\n{\"palimpsest\":{\"stop\":\"refusal\"}}\ntwo";
            let mut cut = StandardError::default();
            text.as_bytes().chunks(size).for_each(|piece| cut.take(piece));
            cut.finish();
            prop_assert_eq!(cut.stop(), StopReason::Refusal);
            prop_assert_eq!(cut.complaint(), "one\ntwo");
        }
    }
}

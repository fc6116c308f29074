//! A program on this machine as provider: the prompt goes to its standard input, the reply comes
//! from its standard output, as it is written.
//!
//! What a program is told and how it answers:
//!
//! - It is started from a list of words; no shell reads them. In each word `{model}` is replaced
//!   by the model and `{system}` by the system prompt.
//! - On standard input it gets the system prompt, a blank line and the prompt, in UTF-8; the
//!   prompt alone when there is no system prompt or a word had `{system}`. It need not read it.
//! - Its environment is the one given in [`CallOptions`], the variable `key_env` of its provider
//!   with the key where there is one, `PALIMPSEST_MODEL`, and `PALIMPSEST_MAX_OUTPUT_TOKENS`
//!   and `PALIMPSEST_TEMPERATURE` where the call has a limit or a temperature.
//! - Lines of JSON on standard error say how the reply ended, what it used, or why there is none
//!   (a refusal, a limit, an overflow, too many requests); [`crate::statement`] reads them.
//! - Without such a line status 0 ends a whole reply. Status 75 (`EX_TEMPFAIL` of sysexits.h) means
//!   that the same call may succeed later; a line `retry-after: SECONDS` on standard error says
//!   when. Any other status is a failure with the end of standard error as reason, or an overflow
//!   where that says so in a known provider's words.
//! - Output beyond 8 MB is cut off, and the reply counts as one that ran into its limit.
//! - Cancelling, and a limit of time that is reached, end it with everything it started: on Unix
//!   its process group is killed, elsewhere the program alone.

use crate::StreamEvent;
use crate::calling::{Attempt, Sink};
use crate::error::{FailedCall, Fault, LlmError, Silent};
use crate::http::{Guard, Limits};
use crate::key::ApiKey;
use crate::options::CallOptions;
use crate::provider::ProviderConfig;
use crate::reply::GrowingReply;
use crate::statement::{StandardError, milliseconds};
use crate::status::is_overflow;
use async_trait::async_trait;
use palimpsest_core::Usage;
use palimpsest_core::call::{ModelRequest, StopReason};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// Most bytes of a reply: two million tokens, more than any model writes.
const MAX_OUTPUT_BYTES: usize = 8 << 20;
/// Most characters of standard error that are shown.
const TAIL_CHARS: usize = 600;
/// `EX_TEMPFAIL` of sysexits.h: try again later.
const TRY_LATER: i32 = 75;
/// How long output may still come once the program has ended: what it started may hold the pipe.
const AFTER_END: Duration = Duration::from_secs(1);

/// The environment for a program that is called: `all` without the variables named in
/// `key_names` and without those whose name ends like a secret's (`_API_KEY`, `_TOKEN`,
/// `_SECRET`, `_PASSWORD`), so that one provider's program never sees another's key. The
/// variable a provider names for its own key is set again when it is called.
pub fn environment_without_keys<'a>(
    all: impl IntoIterator<Item = (&'a String, &'a String)>,
    key_names: &[String],
) -> BTreeMap<String, String> {
    const SECRETS: [&str; 4] = ["_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD"];
    let secret = |name: &str| {
        // Windows ignores the case of names.
        let upper = name.to_ascii_uppercase();
        SECRETS.iter().any(|end| upper.ends_with(end)) || key_names.iter().any(|key| key == name)
    };
    all.into_iter()
        .filter(|(name, _)| !secret(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// A program that can be called.
pub(crate) struct Program {
    config: ProviderConfig,
    key: Option<ApiKey>,
    limits: Limits,
    environment: BTreeMap<String, String>,
    folder: Option<PathBuf>,
}

impl Program {
    /// Fails when no program is named.
    pub(crate) fn new(
        config: &ProviderConfig,
        key: Option<ApiKey>,
        options: CallOptions,
    ) -> Result<Self, LlmError> {
        let program = Self {
            config: config.clone(),
            key,
            limits: options.limits,
            environment: options.environment,
            folder: options.folder,
        };
        if program.name().trim().is_empty() {
            return Err(program.error(Fault::Config {
                detail: "no program is named".to_owned(),
            }));
        }
        Ok(program)
    }

    fn name(&self) -> &str {
        self.config
            .command
            .first()
            .map(String::as_str)
            .unwrap_or_default()
    }

    fn start(&self, request: &ModelRequest) -> Result<Child, Fault> {
        let fill = |word: &String| {
            // In one pass: a system prompt that names `{model}` stays as it is.
            let parts: Vec<String> = word
                .split("{system}")
                .map(|part| part.replace("{model}", &request.model))
                .collect();
            parts.join(&request.system)
        };
        let mut command = Command::new(self.name());
        command
            .args(self.config.command.iter().skip(1).map(fill))
            // The environment of this process may hold keys of other providers.
            .env_clear()
            .envs(&self.environment)
            .env("PALIMPSEST_MODEL", &request.model)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A dropped call must not leave its program running.
            .kill_on_drop(true);
        if let Some(limit) = request.max_output_tokens {
            command.env("PALIMPSEST_MAX_OUTPUT_TOKENS", limit.to_string());
        }
        if let Some(temperature) = request.temperature {
            command.env("PALIMPSEST_TEMPERATURE", temperature.to_string());
        }
        if let (Some(name), Some(key)) = (&self.config.key_env, &self.key) {
            command.env(name, key.expose());
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        // A separate group, so that what it starts can be ended with it.
        #[cfg(unix)]
        command.process_group(0);
        command.spawn().map_err(|error| Fault::Config {
            detail: format!("{} cannot be started: {error}", self.name()),
        })
    }

    fn input(&self, request: &ModelRequest) -> Vec<u8> {
        let given = self
            .config
            .command
            .iter()
            .any(|word| word.contains("{system}"));
        if given || request.system.is_empty() {
            request.prompt.clone().into_bytes()
        } else {
            format!("{}\n\n{}", request.system, request.prompt).into_bytes()
        }
    }
}

#[async_trait]
impl Attempt for Program {
    async fn attempt(
        &self,
        request: &ModelRequest,
        sink: &mut Sink<'_>,
        cancel: &CancellationToken,
        reply: &mut GrowingReply,
    ) -> Result<(), Fault> {
        // Nothing is started for a run that is over.
        if cancel.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        let guard = Guard::new(cancel, self.limits.whole);
        let mut talk = Talk::new(self.start(request)?, self.input(request));
        talk.errors.hide(self.key.clone());
        let mut began = false;
        while let Some(step) = {
            let limit = if talk.status.is_some() {
                AFTER_END
            } else if began {
                self.limits.silence
            } else {
                self.limits.first_byte
            };
            match guard.wait(talk.step(), limit).await {
                // The program has ended; what still holds its output is not waited for.
                Err(Fault::Silence { .. }) if talk.status.is_some() => None,
                Err(Fault::Silence { seconds, .. }) => {
                    return Err(Fault::Silence {
                        silent: Silent::Program,
                        seconds,
                    });
                }
                step => step?,
            }
        } {
            if let Step::Text(text) = step {
                began = true;
                reply.text.push_str(&text);
                if !text.is_empty() {
                    sink(StreamEvent::TextDelta { text });
                }
                if talk.bytes_out >= MAX_OUTPUT_BYTES {
                    reply.stop = Some(StopReason::Length);
                    return Ok(());
                }
            }
        }
        let rest = talk.rest();
        if !rest.is_empty() {
            reply.text.push_str(&rest);
            sink(StreamEvent::TextDelta { text: rest });
        }
        // A last line without a line end still counts.
        talk.errors.finish();
        talk.errors.enter(reply);
        if reply.usage != Usage::default() {
            sink(StreamEvent::Usage { usage: reply.usage });
        }
        let ended = in_words(talk.status.as_ref());
        // Before the status: a stated error counts even if the program ends with 0.
        if let Some(fault) = talk.errors.fault(&ended) {
            return Err(fault);
        }
        match &talk.status {
            Some(status) if status.success() => {
                reply.stop = Some(talk.errors.stop());
                Ok(())
            }
            status => Err(failure(status.as_ref(), &talk.errors.complaint())),
        }
    }

    fn error(&self, fault: Fault) -> LlmError {
        LlmError {
            fault: fault.without_key(self.key.as_ref()),
            call: Box::new(FailedCall {
                provider: self.config.name.clone(),
                url: self.name().to_owned(),
                key_env: self.config.key_env.clone(),
                attempts: 1,
                ..FailedCall::default()
            }),
        }
    }

    fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }
}

/// What a program's end without success stands for.
fn failure(status: Option<&ExitStatus>, complaint: &str) -> Fault {
    // The end is shown, because programs print their error last.
    let detail = match complaint.char_indices().rev().nth(TAIL_CHARS - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &complaint[at..]),
        _ => complaint.to_owned(),
    };
    let detail = if detail.is_empty() {
        "it gave no reason".to_owned()
    } else {
        detail
    };
    // Before the status, so that a fallback for an overflow can take over.
    if is_overflow(&complaint.to_ascii_lowercase()) {
        return Fault::ContextOverflow { detail };
    }
    if status.and_then(ExitStatus::code) == Some(TRY_LATER) {
        let asked = |line: &str| {
            let (name, value) = line.split_once(':')?;
            let seconds: f64 = value.trim().parse().ok()?;
            let named = name.trim().eq_ignore_ascii_case("retry-after");
            milliseconds(seconds).filter(|_| named)
        };
        return Fault::RateLimited {
            asked_wait_ms: complaint.lines().find_map(asked),
            detail,
        };
    }
    Fault::Program {
        status: in_words(status),
        detail,
    }
}

fn in_words(status: Option<&ExitStatus>) -> String {
    status.map_or("it did not end".to_owned(), ToString::to_string)
}

/// Something that happened between us and a program.
enum Step {
    /// Output came, as far as it is whole characters.
    Text(String),
    /// It took some of its input, complained, or ended.
    Other,
}

/// A conversation with a running program. Input, output and complaints go on side by side: one
/// that waits for another would wait forever once a pipe is full. Dropping it ends the program.
struct Talk {
    child: Child,
    stdin: Option<tokio::process::ChildStdin>,
    input: Vec<u8>,
    written: usize,
    stdout: Option<tokio::process::ChildStdout>,
    stderr: Option<tokio::process::ChildStderr>,
    /// Bytes of a character that has not come whole.
    pending: Vec<u8>,
    bytes_out: usize,
    /// What came on standard error.
    errors: StandardError,
    status: Option<ExitStatus>,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl Talk {
    fn new(mut child: Child, input: Vec<u8>) -> Self {
        Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)),
            child,
            input,
            written: 0,
            pending: Vec::new(),
            bytes_out: 0,
            errors: StandardError::default(),
            status: None,
        }
    }

    /// Waits until something happens; `None` once the program has ended and its pipes are closed.
    async fn step(&mut self) -> Option<Step> {
        let mut out = [0; 16 << 10];
        let mut err = [0; 4 << 10];
        // All three must be over: a child of the program may hold a pipe longer than the program
        // lives.
        if self.status.is_some() && self.stdout.is_none() && self.stderr.is_none() {
            return None;
        }
        let Self {
            child,
            stdin,
            stdout,
            stderr,
            ..
        } = self;
        let write = async {
            match stdin {
                Some(stdin) => stdin.write(&self.input[self.written..]).await,
                None => std::future::pending().await,
            }
        };
        let read_out = async {
            match stdout {
                Some(stdout) => stdout.read(&mut out).await,
                None => std::future::pending().await,
            }
        };
        let read_err = async {
            match stderr {
                Some(stderr) => stderr.read(&mut err).await,
                None => std::future::pending().await,
            }
        };
        let ended = self.status.is_some();
        tokio::select! {
            // Output first: what a program wrote before it ended is part of its reply.
            biased;
            count = read_out => match count {
                Ok(count) if count > 0 => {
                    self.bytes_out += count;
                    self.pending.extend_from_slice(&out[..count]);
                    Some(Step::Text(whole_characters(&mut self.pending)))
                }
                _ => {
                    self.stdout = None;
                    Some(Step::Other)
                }
            },
            count = read_err => {
                match count {
                    Ok(count) if count > 0 => self.errors.take(&err[..count]),
                    _ => self.stderr = None,
                }
                Some(Step::Other)
            }
            count = write => {
                match count {
                    Ok(count) if count > 0 => self.written += count,
                    // A program need not read its input.
                    _ => self.written = self.input.len(),
                }
                if self.written >= self.input.len() {
                    self.stdin = None;
                }
                Some(Step::Other)
            }
            status = child.wait(), if !ended => {
                self.status = status.ok();
                self.stdin = None;
                if self.status.is_none() {
                    self.stdout = None;
                    self.stderr = None;
                    return None;
                }
                Some(Step::Other)
            }
        }
    }

    /// What is left of the output: bytes that never became a character.
    fn rest(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let all_ended = self.status.is_some() && self.stdout.is_none() && self.stderr.is_none();
        #[cfg(unix)]
        if let (Some(group), false) = (self.group, all_ended) {
            // Whatever is left of it: there may be nothing, and that is fine.
            rustix::process::kill_process_group(group, rustix::process::Signal::KILL).ok();
        }
        #[cfg(not(unix))]
        let _ = all_ended;
        // The child itself is killed and reaped by `kill_on_drop`.
    }
}

/// Takes the whole characters off the front of `bytes`; what is not UTF-8 becomes U+FFFD.
fn whole_characters(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    let mut taken = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        taken += chunk.valid().len();
        let invalid = chunk.invalid();
        let at_end = taken + invalid.len() == bytes.len();
        // At the end it may be the beginning of a character, which has at most four bytes.
        if invalid.is_empty() || (at_end && invalid.len() < 4 && could_begin(invalid)) {
            break;
        }
        text.push(char::REPLACEMENT_CHARACTER);
        taken += invalid.len();
    }
    bytes.drain(..taken);
    text
}

/// Whether bytes are an unfinished character and not a wrong one.
fn could_begin(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn keys_of_others_are_left_out() {
        let all: BTreeMap<String, String> = [
            ("PATH", "/bin"),
            ("MY_KEY", "secret"),
            ("OPENAI_API_KEY", "secret"),
            ("GITHUB_TOKEN", "secret"),
            ("HOME", "/home/ada"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        let left = environment_without_keys(&all, &["MY_KEY".to_owned()]);
        assert_eq!(left.keys().collect::<Vec<_>>(), ["HOME", "PATH"]);
    }

    #[test]
    fn what_is_no_character_is_marked_and_halves_wait() {
        let mut bytes = b"a\xffb\xe6\x97".to_vec();
        assert_eq!(whole_characters(&mut bytes), "a\u{fffd}b");
        assert_eq!(bytes, b"\xe6\x97");
        bytes.push(0xa5);
        assert_eq!(whole_characters(&mut bytes), "日");
    }

    proptest! {
        #[test]
        fn characters_cut_anywhere_come_whole(text in "[a-zé日\u{1f600}]{0,20}", size in 1_usize..6) {
            let (mut pending, mut read) = (Vec::new(), String::new());
            for piece in text.as_bytes().chunks(size) {
                pending.extend_from_slice(piece);
                read.push_str(&whole_characters(&mut pending));
            }
            prop_assert_eq!(read, text);
            prop_assert!(pending.is_empty());
        }
    }
}

//! Believable bulk text: sentences, code, logs and test output from a fixed vocabulary.

use crate::seeded::Rng;

const NOUNS: &[&str] = &[
    "queue",
    "ledger",
    "relay",
    "parser",
    "cursor",
    "webhook",
    "signature",
    "migration",
    "token",
    "bucket",
    "retry",
    "payload",
    "header",
    "socket",
    "schema",
    "index",
    "cache",
    "worker",
    "lease",
    "invoice",
    "tenant",
    "window",
    "snapshot",
    "branch",
    "session",
    "timeout",
    "digest",
    "route",
    "handler",
    "fixture",
    "amount",
    "currency",
    "column",
    "batch",
    "replica",
    "shard",
    "journal",
];
const VERBS: &[&str] = &[
    "reads",
    "drops",
    "keeps",
    "rejects",
    "retries",
    "hashes",
    "locks",
    "parses",
    "rounds",
    "merges",
    "splits",
    "flushes",
    "measures",
    "forwards",
    "compares",
    "rewrites",
    "validates",
    "delays",
];
const ADJECTIVES: &[&str] = &[
    "stale",
    "empty",
    "second",
    "signed",
    "late",
    "duplicate",
    "partial",
    "public",
    "pending",
    "broken",
    "cold",
    "slow",
    "nested",
    "optional",
    "idle",
    "rounded",
    "unknown",
    "expired",
];
const FILES: &[&str] = &[
    "src/relay.rs",
    "src/queue.rs",
    "src/store/ledger.rs",
    "src/http/routes.rs",
    "src/amount.rs",
    "src/signature.rs",
    "tests/replay.rs",
    "tests/limits.rs",
    "migrations/0003_leases.sql",
    "config/default.toml",
    "src/clock.rs",
    "src/main.rs",
    "docs/operations.md",
    "Cargo.toml",
];

/// Lines of text, escaped for JSON, from which bodies are put together.
pub(super) struct LinePool {
    prose: Vec<String>,
    code: Vec<String>,
    log: Vec<String>,
}

/// What a body is made of.
#[derive(Clone, Copy)]
pub(super) enum Flavour {
    Prose,
    Code,
    Log,
}

impl LinePool {
    /// A pool of some hundred lines of each flavour.
    pub fn new(rng: &mut Rng) -> LinePool {
        LinePool {
            prose: (0..300).map(|_| prose_line(rng)).collect(),
            code: (0..300).map(|_| code_line(rng)).collect(),
            log: (0..300).map(|_| log_line(rng)).collect(),
        }
    }

    /// Appends about `bytes` of text to `out`, ready to stand inside a JSON string.
    pub fn fill(&self, out: &mut Vec<u8>, flavour: Flavour, bytes: usize, rng: &mut Rng) {
        let lines = match flavour {
            Flavour::Prose => &self.prose,
            Flavour::Code => &self.code,
            Flavour::Log => &self.log,
        };
        let end = out.len() + bytes;
        while out.len() < end {
            out.extend_from_slice(rng.pick(lines).as_bytes());
        }
    }
}

/// A file name an entry may talk about.
pub(super) fn file(rng: &mut Rng) -> &'static str {
    FILES[rng.below(FILES.len())]
}

/// One short sentence without a line end.
pub(super) fn sentence(rng: &mut Rng) -> String {
    format!(
        "The {} {} {} the {} {} before the {} is done.",
        rng.pick(ADJECTIVES),
        rng.pick(NOUNS),
        rng.pick(VERBS),
        rng.pick(ADJECTIVES),
        rng.pick(NOUNS),
        rng.pick(NOUNS)
    )
}

fn prose_line(rng: &mut Rng) -> String {
    format!(
        "{} See `{}` line {}.\\n",
        sentence(rng),
        file(rng),
        rng.between(3, 900)
    )
}

fn code_line(rng: &mut Rng) -> String {
    let (noun, verb) = (rng.pick(NOUNS), rng.pick(VERBS));
    let n = rng.between(2, 9_000);
    match rng.below(5) {
        0 => format!("pub fn {verb}_{noun}_{n}(input: &str) -> Result<u64, Error> {{\\n"),
        1 => format!("    let {noun}_{n} = self.{noun}.{verb}(\\\"{noun}-{n}\\\")?;\\n"),
        2 => format!("    if {noun}.len() > {n} {{ return Err(Error::{verb}); }}\\n"),
        3 => "}\\n\\n".to_owned(),
        _ => format!("    // the {noun} {verb} at most {n} times\\n"),
    }
}

fn log_line(rng: &mut Rng) -> String {
    let (noun, verb) = (rng.pick(NOUNS), rng.pick(VERBS));
    let n = rng.next_u64() & 0xFF_FFFF;
    match rng.below(4) {
        0 => format!(
            "2026-10-14T09:{:02}:{:02}Z INFO {noun} {verb} req_{n:06x}\\n",
            n % 60,
            n % 59
        ),
        1 => format!("test {noun}::{verb}_{n:x} ... ok\\n"),
        2 => format!("warning: unused variable: `{noun}_{}`\\n", n % 100),
        _ => format!(
            "error[E0{}]: {noun} {verb} {:?}\\n",
            100 + n % 700,
            file(rng)
        )
        .replace('"', "'"),
    }
}

//! What a worker says to the program that watches it: one line of JSON for each thing.

use serde::{Deserialize, Serialize};
use std::io::Write as _;

/// One line of a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "said")]
pub enum Said {
    /// What begins now; a worker that says nothing more for long hangs there.
    At {
        /// The case and the command.
        what: String,
    },
    /// What was done since the last line of this kind.
    Done {
        /// Damaged records.
        records: u64,
        /// Sessions opened.
        sessions: u64,
        /// Commands answered.
        commands: u64,
    },
    /// Something that must not be.
    Finding {
        /// Its class.
        kind: Kind,
        /// Where and what.
        text: String,
    },
}

/// The classes of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A panic, or a process that was ended by the system.
    Panic,
    /// A command that took longer than the limit.
    Hang,
    /// More memory than the limit.
    Memory,
    /// A session file that is not what it was.
    Source,
    /// An index that says something else than a fresh one.
    Index,
    /// A user database that lost something, or cannot be opened.
    User,
    /// A request that should have been refused, or an answer that gives something away.
    Request,
    /// A control character on the terminal.
    Terminal,
    /// A run that gives another summary from the same replies.
    Replay,
}

impl Kind {
    /// All of them, in the order of the report.
    pub const ALL: [Kind; 9] = [
        Kind::Panic,
        Kind::Hang,
        Kind::Memory,
        Kind::Source,
        Kind::Index,
        Kind::User,
        Kind::Request,
        Kind::Terminal,
        Kind::Replay,
    ];

    /// What the report calls it.
    pub fn words(self) -> &'static str {
        match self {
            Kind::Panic => "panics",
            Kind::Hang => "hangs over 10 s",
            Kind::Memory => "workers over 500 MB",
            Kind::Source => "sources changed",
            Kind::Index => "differences to a fresh index",
            Kind::User => "user databases lost",
            Kind::Request => "requests answered wrongly",
            Kind::Terminal => "control characters on the terminal",
            Kind::Replay => "replays that differ",
        }
    }
}

/// Prints a line of a worker.
pub fn say(said: &Said) {
    let line = serde_json::to_string(said).unwrap_or_default();
    let mut out = std::io::stdout().lock();
    // Nobody listens any more: the worker is about to be ended.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Prints what begins now.
pub fn at(what: String) {
    say(&Said::At { what });
}

/// Prints a finding.
pub fn finding(kind: Kind, text: String) {
    say(&Said::Finding { kind, text });
}

//! The figures of an attack.

use crate::said::Kind;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;

/// Findings of one class that are printed; the rest is counted.
const MOST_PRINTED: u64 = 20;

/// What was done and what was found.
#[derive(Debug, Default)]
pub struct Figures {
    records: u64,
    sessions: u64,
    commands: u64,
    peak: u64,
    findings: BTreeMap<Kind, u64>,
}

impl Figures {
    /// Adds what a worker did.
    pub fn done(&mut self, records: u64, sessions: u64, commands: u64) {
        self.records += records;
        self.sessions += sessions;
        self.commands += commands;
    }

    /// Adds the peak memory of a worker, in bytes.
    pub fn memory(&mut self, peak: u64) {
        self.peak = self.peak.max(peak);
    }

    /// Adds a finding, and prints it unless there are many of its class.
    pub fn found(&mut self, kind: Kind, text: &str) {
        let count = self.findings.entry(kind).or_default();
        *count += 1;
        if *count <= MOST_PRINTED {
            let text: String = text.chars().take(3000).collect();
            // Whoever closed the output wants no more of it.
            let _ = writeln!(std::io::stdout(), "FOUND ({}): {text}\n", kind.words());
        }
    }

    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |f: &mut fmt::Formatter<'_>, number: u64, words: &str| {
            writeln!(f, "{number:>12}  {words}")
        };
        count(f, self.records, "damaged records")?;
        count(f, self.sessions, "sessions opened")?;
        count(f, self.commands, "commands and requests")?;
        count(f, self.peak >> 20, "MB of memory at most")?;
        for kind in Kind::ALL {
            count(
                f,
                self.findings.get(&kind).copied().unwrap_or(0),
                kind.words(),
            )?;
        }
        Ok(())
    }
}

//! What is said of a sentence of a summary.

use palimpsest_core::EntryIx;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What the sources say of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same.
    Supported,
    /// The opposite.
    Contradicted,
    /// It was so once, and changed later in the span.
    Stale,
    /// Nothing: it names what no source has.
    WithoutSource,
    /// The rules cannot tell.
    Unchecked,
}

/// A sentence of a summary with what the sources say of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Where it stands: byte range in the summary.
    pub range: Range<usize>,
    /// What the sources say.
    pub verdict: Verdict,
    /// The entries that say so, in order; empty where there is no source.
    pub entries: Vec<EntryIx>,
    /// Why, in a few words; empty for what is supported or unchecked.
    pub reason: String,
}

/// A verdict with the entries that show it and the reason.
pub(super) type Decided = (Verdict, Vec<EntryIx>, String);

/// Where a sentence stands.
pub(super) struct Place<'a> {
    /// Its line, with the mark of a list.
    pub line: &'a str,
    /// The heading above it, in lower case.
    pub heading: &'a str,
}

impl Place<'_> {
    /// True under a heading whose items are still to do.
    pub(super) fn is_open(&self) -> bool {
        OPEN_HEADINGS.iter().any(|own| self.heading.contains(own))
    }

    /// `Some(true)` for a ticked box, `Some(false)` for an empty one.
    pub(super) fn ticked(&self) -> Option<bool> {
        let own = self.line.trim_start().trim_start_matches(['-', '*', ' ']);
        match own.get(..3)? {
            "[x]" | "[X]" => Some(true),
            "[ ]" => Some(false),
            _ => None,
        }
    }
}

/// Parts of headings whose items are still to do.
const OPEN_HEADINGS: &[&str] = &[
    "in progress",
    "pending",
    "next step",
    "remaining",
    "todo",
    "to do",
    "open tasks",
    "outstanding",
];

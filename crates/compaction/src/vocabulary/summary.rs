//! The parts of a plan: its items, what was made smaller, and the pieces of its summary.

use crate::vocabulary::fate::Fate;
use crate::vocabulary::fill::Fill;
use palimpsest_core::EntryIx;
use serde::Serialize;

/// An item of the context in a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedItem {
    /// The entry that begins it.
    pub entry: Option<EntryIx>,
    /// The entries that go on with it: a reply that is stored block by block is one item of several
    /// (Claude Code).
    pub further: Box<[EntryIx]>,
    /// What becomes of it.
    pub fate: Fate,
    /// Estimated tokens, as the reduce stage left it.
    pub tokens: u64,
}

impl PlannedItem {
    /// All its entries.
    pub fn entries(&self) -> impl Iterator<Item = EntryIx> + '_ {
        self.entry.into_iter().chain(self.further.iter().copied())
    }
}

/// A piece of the summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryPart {
    /// Text that is known already.
    Text(String),
    /// The reply of the call with this number.
    Reply(usize),
    /// What follows from the reply of the call with this number and those before it.
    Filled(usize, Fill),
    /// One text where messages stay behind the summary, another where none do.
    ByTail {
        /// Whether any stay.
        stays: bool,
        /// What is said then.
        with: String,
        /// What is said otherwise.
        without: String,
    },
}

impl SummaryPart {
    /// The text, where it is known without any reply.
    pub fn known(&self) -> Option<&str> {
        match self {
            SummaryPart::Text(text) => Some(text),
            SummaryPart::ByTail {
                stays,
                with,
                without,
            } => Some(if *stays { with } else { without }),
            SummaryPart::Reply(_) | SummaryPart::Filled(..) => None,
        }
    }
}

/// An item of the context that was made smaller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Position in the context's items.
    pub item: usize,
    /// The entry it comes from.
    pub entry: Option<EntryIx>,
    /// Name of the reduce step that did it.
    pub by: &'static str,
    /// Estimated tokens before.
    pub tokens_before: u64,
    /// Estimated tokens after; 0 when it was taken out.
    pub tokens_after: u64,
}

//! A compaction with what is unusual about it.

use palimpsest_core::EntryIx;
use palimpsest_core::flag::Flag;

/// A compaction that has a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flagged {
    /// The flag.
    pub flag: Flag,
    /// The compaction.
    pub compaction: EntryIx,
    /// The entries that show it; at most [`MOST_ENTRIES`].
    pub entries: Vec<EntryIx>,
    /// What was found, in words.
    pub detail: String,
}

/// Most entries named with a flag.
pub const MOST_ENTRIES: usize = 12;

impl Flagged {
    pub(super) fn new(
        flag: Flag,
        compaction: EntryIx,
        mut entries: Vec<EntryIx>,
        detail: impl Into<String>,
    ) -> Flagged {
        entries.truncate(MOST_ENTRIES);
        Flagged {
            flag,
            compaction,
            entries,
            detail: detail.into(),
        }
    }
}

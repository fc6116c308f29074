//! What is to be written.

use crate::fresh::Fresh;
use palimpsest_core::{BodyError, Context, EntryIx, Session};

/// The stored bytes of a session's records.
pub trait Records {
    /// The record behind an entry, as stored.
    ///
    /// Errors: the source can no longer be read, or has changed.
    fn record(&self, ix: EntryIx) -> Result<Vec<u8>, BodyError>;
}

/// A session to be written: the entry at which the agent continues, and what changes there.
pub struct Request<'a> {
    /// The session that is continued.
    pub session: &'a Session,
    /// The context at the new leaf. Its path is what is copied.
    pub context: &'a Context,
    /// The stored records.
    pub records: &'a dyn Records,
    /// What the model gets beside the context, or in place of a part of it.
    pub change: &'a Change,
    /// Where new ids and times come from.
    pub fresh: &'a Fresh,
}

/// What a written session changes in the context at its leaf.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Nothing: the true history.
    None,
    /// A summary of a branch left behind follows the leaf.
    BranchSummary {
        /// The summary.
        text: String,
        /// The entry that is left.
        from: Option<EntryIx>,
        /// The files it names.
        files: Files,
    },
    /// A message of the user follows the leaf.
    Message {
        /// What it says.
        text: String,
    },
    /// A new compaction.
    Compaction(Box<NewCompaction>),
    /// Another text in a stored compaction or branch summary on the path.
    Replace {
        /// The entry of the summary.
        summary: EntryIx,
        /// The new text.
        text: String,
    },
}

/// A compaction that the session does not hold yet.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCompaction {
    /// The summary.
    pub text: String,
    /// The last entry before it. What follows on the path to the leaf follows the summary; a
    /// stored compaction that comes next is replaced by it.
    pub after: EntryIx,
    /// The context at `after`.
    pub context: Context,
    /// What stays beside the summary.
    pub kept: Kept,
    /// Context size before in tokens, as the agent takes it.
    pub tokens_before: u64,
    /// The files it names.
    pub files: Files,
}

/// The entries that stay verbatim beside a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// None.
    Nothing,
    /// An entry of the path and all that follow it up to the compaction.
    From(EntryIx),
    /// These, in this order.
    These(Vec<EntryIx>),
}

/// The files that a summary names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    /// Read and not modified.
    pub read: Vec<String>,
    /// Modified.
    pub modified: Vec<String>,
}

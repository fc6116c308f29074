//! What the entries before an entry tell of it: the commands that its results answer, and the files
//! that it reads again. Kept between two readings of a file that grows.

use super::calls::Waiting;
use crate::fnv::fnv;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Body, Entry, EntryKind};
use serde::{Deserialize, Serialize};

/// Files that are remembered, those used last: a session seldom has more between two compactions.
const MOST_FILES: usize = 1_000;

/// What is remembered of the entries read so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trail {
    #[serde(default, skip_serializing_if = "Waiting::is_empty")]
    waiting: Waiting,
    #[serde(default, skip_serializing_if = "Reads::is_empty")]
    reads: Reads,
}

/// What the entries before an entry tell of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Told {
    /// The commands of the calls whose results it holds, each with the id of its call.
    pub(crate) answered: Vec<(String, String)>,
    /// True where it reads a file that the session read, edited or wrote before a compaction, and not
    /// since.
    pub(crate) rereads: bool,
}

impl Trail {
    /// True when nothing is remembered.
    pub(super) fn is_empty(&self) -> bool {
        *self == Trail::default()
    }

    /// Notes an entry. A record that is too long to be read has no body.
    pub(crate) fn pass(&mut self, entry: &Entry, body: Option<&Body>) -> Told {
        Told {
            answered: body
                .map(|body| self.waiting.pass(entry, body))
                .unwrap_or_default(),
            rereads: self.reads.pass(entry),
        }
    }
}

/// The files that the session's own calls used, each with the number of compactions before its last
/// use. Files are known by a hash: a session of a thousand files keeps some kilobytes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reads {
    compactions: u32,
    /// The last used at the end.
    files: Vec<(u32, u32)>,
}

impl Reads {
    fn is_empty(&self) -> bool {
        *self == Reads::default()
    }

    /// Notes an entry; true where it reads a file again.
    fn pass(&mut self, entry: &Entry) -> bool {
        if matches!(entry.kind, EntryKind::Compaction(_)) {
            self.compactions = self.compactions.saturating_add(1);
            return false;
        }
        // A subagent has a context of its own.
        if entry.is_in_subagent() {
            return false;
        }
        let mut again = false;
        for call in &entry.tool_calls {
            let (Some(path), Some(access)) = (&call.path, call.access) else {
                continue;
            };
            // The lower half: two of a thousand files share it once in ten thousand sessions.
            let file = fnv(path.as_bytes()) as u32;
            let known = self.files.iter().rposition(|(own, _)| *own == file);
            let last = known.map(|at| self.files.remove(at).1);
            again |= access == FileAccess::Read && last.is_some_and(|last| last < self.compactions);
            self.files.push((file, self.compactions));
        }
        let many = self.files.len().saturating_sub(MOST_FILES);
        self.files.drain(..many);
        again
    }
}

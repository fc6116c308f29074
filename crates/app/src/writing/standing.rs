//! What written files are now.

use super::append::hash;
use crate::workspace::App;
use palimpsest_store::user::{WrittenRow, WrittenStatus};

/// What a written file is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As it was written.
    AsWritten,
    /// The agent has continued in it, or someone changed it.
    Continued,
    /// The file does not exist.
    Missing,
    /// The user took it back.
    Undone,
}

impl Standing {
    /// What the file of a row is now.
    pub(super) fn of(row: &WrittenRow) -> Standing {
        if row.status == WrittenStatus::Undone {
            return Standing::Undone;
        }
        match std::fs::read(&row.path) {
            Ok(bytes) if hash(&bytes) == row.hash => Standing::AsWritten,
            Ok(_) => Standing::Continued,
            Err(_) => Standing::Missing,
        }
    }
}

impl App {
    /// True for a new session that Palimpsest wrote and nobody has changed since.
    pub fn is_as_written(&self, path: &str) -> bool {
        let wanted = self
            .user_db()
            .ok()
            .and_then(|user| user.hash_written_to(path).ok()?);
        wanted.is_some_and(|wanted| self.hashes.of(path).is_some_and(|own| own == wanted))
    }
}

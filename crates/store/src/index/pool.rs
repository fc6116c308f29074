//! Reading connections that wait for the next question.

use crate::connection::Db;
use std::fs::{self, Metadata};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// So many connections wait. Opening one and reading its schema takes 0.2 ms, a sixth of a search for
/// a word; each that waits may hold 2 MB of pages.
const MOST_WAITING: usize = 2;

/// Reading connections to one index file. One that waits is used again only while the file is the one
/// it was opened on, and as it was: SQLite does not see what another program does to a file without
/// it, and a deleted file can still be read.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    is_closed: bool,
    waiting: Vec<(Stamp, Db)>,
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    file: (u64, u64),
    len: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// The file's state at present; `None` where there is none.
    pub fn of(path: &Path) -> Option<Stamp> {
        let meta = fs::metadata(path).ok()?;
        Some(Stamp {
            file: file_number(&meta),
            len: meta.len(),
            modified: meta.modified().ok(),
        })
    }
}

#[cfg(unix)]
fn file_number(meta: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (meta.dev(), meta.ino())
}

/// Elsewhere a file that is open is not replaced by another one.
#[cfg(not(unix))]
fn file_number(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

impl Pool {
    /// A connection to the file in this state. Those to another state are closed.
    pub fn take(&self, now: Stamp) -> Option<Db> {
        let mut state = self.state();
        state.waiting.retain(|(stamp, _)| *stamp == now);
        state.waiting.pop().map(|(_, db)| db)
    }

    /// Keeps a connection that was opened on, or last used with, the file in state `stamp`.
    pub fn put(&self, stamp: Stamp, db: Db) {
        let mut state = self.state();
        if !state.is_closed && state.waiting.len() < MOST_WAITING {
            state.waiting.push((stamp, db));
        }
    }

    /// Closes the connections that wait and keeps none until [`Pool::open`]. The connection that is
    /// closed last writes SQLite's log into the file, which one that only reads cannot.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.waiting.clear();
    }

    /// Keeps connections again.
    pub fn open(&self) {
        self.state().is_closed = false;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A list of whole connections, so a panic leaves it valid.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

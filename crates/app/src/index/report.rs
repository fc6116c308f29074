//! What a run of the indexer tells, on its way and at its end.

use palimpsest_store::StoreError;
use palimpsest_tokens::Catalog;
use std::path::{Path, PathBuf};

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'a> {
    /// Files done.
    pub done: u64,
    /// Files to be read.
    pub total: u64,
    /// The file being begun; `None` at the end.
    pub path: Option<&'a Path>,
}

/// How a run talks to whoever started it. Called from several threads.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    /// Gets the progress, once for each file.
    pub progress: &'a (dyn Fn(Progress<'_>) + Sync),
    /// Says whether to stop; what was read until then is kept.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told each time when more sessions can be listed, before the run is over.
    pub listed: &'a (dyn Fn() + Sync),
    /// Told once when the run waits for another program that writes to the index.
    pub waits: &'a (dyn Fn(&StoreError) + Sync),
    /// Prices of models; without them only what agents stored is a cost.
    pub catalog: Option<&'a Catalog>,
}

impl Control<'_> {
    /// Reports nothing and never stops.
    pub const QUIET: Control<'static> = Control {
        progress: &|_| (),
        cancelled: &|| false,
        listed: &|| (),
        waits: &|_| (),
        catalog: None,
    };
}

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexReport {
    /// Sessions now in the index.
    pub sessions: u64,
    /// Entries now in the index.
    pub entries: u64,
    /// Bytes read from session files.
    pub bytes: u64,
    /// Warnings of all sessions now in the index.
    pub warnings: u64,
    /// Skipped files, because nothing changed.
    pub unchanged: u64,
    /// Files that are gone and were taken out.
    pub removed: u64,
    /// Wall time in milliseconds.
    pub elapsed_ms: u64,
    /// Files and folders that could not be read, by path.
    pub failed: Vec<Failed>,
    /// Sessions that are not what they were.
    pub changes: Vec<Changed>,
    /// Notices for the user, such as a rebuilt index.
    pub notices: Vec<String>,
    /// True when the run was stopped before its end.
    pub cancelled: bool,
}

/// A file or folder that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Failed {
    /// The file or folder.
    pub path: PathBuf,
    /// Why, and what to do.
    pub reason: String,
}

/// A session that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The session's stable id.
    pub session: String,
    /// Its file.
    pub path: PathBuf,
    /// What happened.
    pub kind: ChangeKind,
    /// Position of the first entry that is new or different.
    pub from_ix: u32,
    /// Entries it has now.
    pub entries: u64,
}

/// What happened to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// Entries were added at its end.
    Appended,
    /// Anything may be different.
    Rewritten,
    /// It was not there before.
    New,
    /// It is gone.
    Removed,
}

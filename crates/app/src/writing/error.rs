//! Why a write failed or was refused, and what the files are now.

use palimpsest_core::failure::{Failure, NextStep};
use palimpsest_core::session::ResolveError;
use palimpsest_write::Refusal;
use std::fmt;

/// What a failed write left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// The original is as it was, and no new file is left.
    Unchanged,
    /// The original was changed and is again as it was.
    Restored,
    /// The original holds the addition as a whole.
    Updated,
    /// Another program wrote to the file at the same time; the backup has the file as it was.
    Mixed,
}

impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileState::Unchanged => "nothing was changed",
            FileState::Restored => "the original is restored",
            FileState::Updated => "the addition is complete in the original",
            FileState::Mixed => {
                "another program wrote at the same time, so the file was left as it is"
            }
        })
    }
}

/// A write that is not done.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The agent could not resume it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A program uses the session.
    #[error(
        "the program {program} (process {pid}) uses the session, so nothing was changed: {path}"
    )]
    InUse {
        /// Its name.
        program: String,
        /// Its process id.
        pid: u32,
        /// The session's file.
        path: String,
    },
    /// Whether a program uses the session cannot be found out.
    #[error(
        "this system does not tell which programs use the session, so nothing was changed: {path}"
    )]
    Unknown {
        /// The session's file.
        path: String,
    },
    /// Another program has the lock.
    #[error("another program is writing to the session, so nothing was changed: {path}")]
    Locked {
        /// The session's file.
        path: String,
    },
    /// The file is not the one that was read.
    #[error("the session has changed since it was read, so nothing was changed: {path}")]
    Changed {
        /// The session's file.
        path: String,
    },
    /// What was written is no longer what is in the file.
    #[error("the file has changed since Palimpsest wrote it, so it stays as it is: {path}")]
    GoneOn {
        /// The copy of the original from before; `None` of a new file.
        backup: Option<String>,
        /// The file.
        path: String,
    },
    /// The entries of a run are no longer in the session.
    #[error("the session has changed since the run '{run}': {reason} in {path}")]
    RunOutdated {
        /// The run.
        run: String,
        /// Which entry is missing.
        reason: ResolveError,
        /// The session's file.
        path: String,
    },
    /// A file of that name exists.
    #[error("a file of this name exists and is not replaced: {path}")]
    Exists {
        /// The file.
        path: String,
    },
    /// The system failed.
    #[error("the file cannot be written ({source}); {state}: {path}")]
    Io {
        /// The operating system's message.
        #[source]
        source: std::io::Error,
        /// What the files are now.
        state: FileState,
        /// The file.
        path: String,
    },
    /// What was read again is not what was planned.
    #[error("the written session reads back with another context ({difference}); {state}: {path}")]
    Differs {
        /// The first difference.
        difference: String,
        /// What the files are now.
        state: FileState,
        /// The file.
        path: String,
    },
}

impl Failure for WriteError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            WriteError::Refused(refusal) => return refusal.next(),
            WriteError::InUse { .. } => NextStep::QuitAgent,
            WriteError::Unknown { .. } => NextStep::WriteNew,
            WriteError::Locked { .. } => NextStep::TryLater,
            WriteError::Changed { .. } => NextStep::OpenAgain,
            WriteError::GoneOn { backup, .. } => NextStep::UndoByHand {
                backup: backup.clone(),
            },
            WriteError::RunOutdated { .. } => NextStep::RunAgain,
            WriteError::Exists { .. } => NextStep::ChangeName,
            WriteError::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull => NextStep::FreeSpace,
                _ => NextStep::CheckFolder,
            },
            WriteError::Differs { .. } => NextStep::Report,
        })
    }
}

//! What can go wrong with a database file, in words that name the file and the next step.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why a database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process or thread held the write lock for longer than the busy timeout.
    #[error(
        "another program is writing to {path}; wait for it to finish (an `index` run, or a second \
         window) and try again",
        path = path.display()
    )]
    Locked {
        /// The database file.
        path: PathBuf,
    },
    /// No room left; the transaction was rolled back.
    #[error(
        "no space left for {path}; nothing was half-written, free some space and try again",
        path = path.display()
    )]
    Full {
        /// The database file.
        path: PathBuf,
    },
    /// The index is damaged. [`crate::IndexDb::rebuild`] starts a new one.
    #[error(
        "the index {path} is damaged; it holds nothing that is not in the session files: run \
         `palimpsest index` to have it made again",
        path = path.display()
    )]
    IndexDamaged {
        /// The database file.
        path: PathBuf,
    },
    /// The user database is damaged; it is never deleted by the program.
    #[error(
        "the user database {path} is damaged ({reason}); it was left as it is: copy it to a safe \
         place, then try `sqlite3 {path} .recover`, or move it away to start with an empty one",
        path = path.display()
    )]
    UserDamaged {
        /// The database file.
        path: PathBuf,
        /// SQLite's message.
        reason: String,
    },
    /// The user database was written by a newer program.
    #[error(
        "the user database {path} was written by a newer version of Palimpsest (change {found} is \
         not known here); it was left as it is: update the program to open it",
        path = path.display()
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Stamp of the first migration that this program does not know.
        found: i64,
    },
    /// The file is a database, but of something else.
    #[error(
        "{path} is a database of another program; it was left as it is: choose another place",
        path = path.display()
    )]
    Foreign {
        /// The database file.
        path: PathBuf,
    },
    /// The file or its folder cannot be made, opened or deleted.
    #[error(
        "cannot use {path}: {reason}; check that the folder exists and may be written to",
        path = path.display()
    )]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's or SQLite's message.
        reason: String,
    },
    /// Anything else SQLite objects to: a defect of this program.
    #[error("{path}: {reason}; please report this", path = path.display())]
    Sql {
        /// The database file.
        path: PathBuf,
        /// SQLite's message.
        reason: String,
    },
}

/// Which of the two databases an error is about, because damage means different things for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Index,
    User,
}

impl StoreError {
    pub(crate) fn from_sql(which: Which, path: &Path, error: &rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Locked { path }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => match which {
                Which::Index => StoreError::IndexDamaged { path },
                Which::User => StoreError::UserDamaged { path, reason },
            },
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::SystemIoFailure,
            ) => StoreError::Unusable { path, reason },
            _ => StoreError::Sql { path, reason },
        }
    }

    pub(crate) fn from_io(path: &Path, error: &std::io::Error) -> StoreError {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return StoreError::Full {
                path: path.to_path_buf(),
            };
        }
        StoreError::Unusable {
            path: path.to_path_buf(),
            reason: error.to_string(),
        }
    }
}

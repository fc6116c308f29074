//! What can go wrong with a database file, in words that end with the file.

use crate::disk;
use palimpsest_core::failure::{Failure, Input, NextStep};
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why a database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process or thread held the write lock for longer than the busy timeout.
    #[error(
        "another program is writing to the database (an index run, or a second window): {path}",
        path = path.display()
    )]
    Locked {
        /// The database file.
        path: PathBuf,
    },
    /// No room left; the transaction was rolled back.
    #[error(
        "the disk has no space left, and nothing was changed in the database: {path}",
        path = path.display()
    )]
    Full {
        /// The database file.
        path: PathBuf,
    },
    /// The index is damaged. [`crate::IndexDb::rebuild`] starts a new one.
    #[error("the index is damaged: {path}", path = path.display())]
    IndexDamaged {
        /// The database file.
        path: PathBuf,
    },
    /// The user database is damaged; it is never deleted by the program.
    #[error(
        "the user database, with your runs, notes, labels and prompts, is damaged and was left as it is ({reason}{copied}): {path}",
        copied = copied(copy.as_deref()),
        path = path.display()
    )]
    UserDamaged {
        /// The database file.
        path: PathBuf,
        /// SQLite's message.
        reason: String,
        /// Where a copy of it was put, so that a repair can do no harm.
        copy: Option<PathBuf>,
    },
    /// The file or its folder cannot be written to, by its permissions or by the whole disk.
    #[error("the database is read-only: {path}", path = path.display())]
    ReadOnly {
        /// The database file or its folder.
        path: PathBuf,
    },
    /// The folder of the database is missing and cannot be made.
    #[error("the folder of the database cannot be created ({reason}): {path}", path = path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
        /// The operating system's message.
        reason: String,
    },
    /// The user database was written by a newer program.
    #[error(
        "the user database was written by a newer version of Palimpsest and was left as it is \
         (change {found} is not known here): {path}",
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
        "the file is a database of another program and was left as it is: {path}",
        path = path.display()
    )]
    Foreign {
        /// The database file.
        path: PathBuf,
    },
    /// The file or its folder cannot be made, opened or deleted.
    #[error("the database cannot be used ({reason}): {path}", path = path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's or SQLite's message.
        reason: String,
    },
    /// Nobody waits for the answer any more.
    #[error("the request to the database was cancelled: {path}", path = path.display())]
    GivenUp {
        /// The database file.
        path: PathBuf,
    },
    /// Anything else SQLite objects to: a defect of this program.
    #[error("a request to the database failed ({reason}): {path}", path = path.display())]
    Sql {
        /// The database file.
        path: PathBuf,
        /// SQLite's message.
        reason: String,
    },
}

impl Failure for StoreError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            StoreError::Locked { .. } => NextStep::TryLater,
            StoreError::GivenUp { .. } => NextStep::TryAgain,
            StoreError::Full { .. } => NextStep::FreeSpace,
            StoreError::IndexDamaged { .. } => NextStep::RebuildIndex,
            // SQLite recovers pages; here it finds not even the header.
            StoreError::UserDamaged { path, reason, .. } if reason.contains(NO_DATABASE) => {
                NextStep::ReplaceDatabase {
                    path: path.display().to_string(),
                }
            }
            StoreError::UserDamaged { path, .. } => NextStep::RecoverDatabase {
                path: path.display().to_string(),
            },
            StoreError::Newer { .. } => NextStep::UpdateProgram,
            StoreError::Foreign { .. } | StoreError::NoFolder { .. } => NextStep::Give {
                what: Input::DataFolder,
            },
            StoreError::Unusable { .. } | StoreError::ReadOnly { .. } => NextStep::CheckFolder,
            StoreError::Sql { .. } => NextStep::Report,
        })
    }
}

/// SQLite's words for a file without the header of a database.
const NO_DATABASE: &str = "file is not a database";

/// Which of the two databases an error is about, because damage means different things for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Index,
    User,
}

/// Whether a failure other than SQLite's own codes for damage shows that the file is damaged: a value
/// of another type than this program writes, and a table or column that its version must have.
fn is_damage(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::Utf8Error(..) => true,
        rusqlite::Error::SqlInputError { msg, .. }
        | rusqlite::Error::SqliteFailure(_, Some(msg)) => {
            let missing = [
                "no such table",
                "no such column",
                "malformed database schema",
            ];
            missing.iter().any(|words| msg.starts_with(words))
        }
        _ => false,
    }
}

impl StoreError {
    pub(crate) fn from_sql(which: Which, path: &Path, error: &rusqlite::Error) -> StoreError {
        let path = path.to_path_buf();
        // SQLite names the file as well, which every message does at its end.
        let reason = error
            .to_string()
            .replace(&format!(": {}", path.display()), "");
        if is_damage(error) {
            return match which {
                Which::Index => StoreError::IndexDamaged { path },
                Which::User => StoreError::UserDamaged {
                    path,
                    reason,
                    copy: None,
                },
            };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                StoreError::Locked { path }
            }
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            Some(ErrorCode::OperationInterrupted) => StoreError::GivenUp { path },
            // Damage of the index is repaired by rebuilding it, damage of the user database is
            // only reported.
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => match which {
                Which::Index => StoreError::IndexDamaged { path },
                Which::User => StoreError::UserDamaged {
                    path,
                    reason,
                    copy: None,
                },
            },
            // On a full disk the files beside the database cannot be made, which SQLite calls read-only or
            // an I/O error.
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::SystemIoFailure)
                if disk::is_full(&path) =>
            {
                StoreError::Full { path }
            }
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path },
            Some(
                ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure,
            ) => StoreError::Unusable { path, reason },
            // Every statement on the index is in this program and runs in its tests, so one that SQLite
            // refuses meets other tables or settings than were written ("invalid fts5 file format").
            _ if which == Which::Index && !reason.contains("fts5: syntax error") => {
                StoreError::IndexDamaged { path }
            }
            _ => StoreError::Sql { path, reason },
        }
    }

    /// Why a folder cannot be made.
    pub(crate) fn from_folder(path: &Path, error: &std::io::Error) -> StoreError {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return StoreError::from_io(path, error);
        }
        StoreError::NoFolder {
            path: path.to_path_buf(),
            reason: error.to_string(),
        }
    }

    pub(crate) fn from_io(path: &Path, error: &std::io::Error) -> StoreError {
        if error.kind() == std::io::ErrorKind::StorageFull {
            return StoreError::Full {
                path: path.to_path_buf(),
            };
        }
        let read_only = [
            std::io::ErrorKind::PermissionDenied,
            std::io::ErrorKind::ReadOnlyFilesystem,
        ];
        if read_only.contains(&error.kind()) {
            return StoreError::ReadOnly {
                path: path.to_path_buf(),
            };
        }
        StoreError::Unusable {
            path: path.to_path_buf(),
            reason: error.to_string(),
        }
    }
}

fn copied(copy: Option<&Path>) -> String {
    let words = |copy: &Path| format!("; a copy is in {}", copy.display());
    copy.map(words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_testkit::failure::{assert_apart, assert_path_last};

    #[test]
    fn a_folder_that_cannot_be_made_is_not_called_read_only() {
        for kind in [
            std::io::ErrorKind::PermissionDenied,
            std::io::ErrorKind::NotADirectory,
        ] {
            let error = StoreError::from_folder(Path::new("/home/ada/data"), &kind.into());
            assert!(error.to_string().contains("cannot be created"), "{error}");
            assert_eq!(
                error.next(),
                Some(NextStep::Give {
                    what: Input::DataFolder
                })
            );
        }
        let full = std::io::ErrorKind::StorageFull.into();
        let error = StoreError::from_folder(Path::new("/home/ada/data"), &full);
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
    }

    #[test]
    fn every_error_has_its_step_beside_its_message() {
        let path = || PathBuf::from("/home/ada/user.db");
        let reason = || "disk I/O error".to_owned();
        let every = [
            StoreError::Locked { path: path() },
            StoreError::Full { path: path() },
            StoreError::IndexDamaged { path: path() },
            StoreError::UserDamaged {
                path: path(),
                reason: reason(),
                copy: None,
            },
            StoreError::ReadOnly { path: path() },
            StoreError::NoFolder {
                path: path(),
                reason: reason(),
            },
            StoreError::GivenUp { path: path() },
            StoreError::Newer {
                path: path(),
                found: 7,
            },
            StoreError::Foreign { path: path() },
            StoreError::Unusable {
                path: path(),
                reason: reason(),
            },
            StoreError::Sql {
                path: path(),
                reason: reason(),
            },
        ];
        let every = every.each_ref().map(|error| error as &dyn Failure);
        assert_apart(&every);
        assert_path_last(&every, "/home/ada/user.db");
        assert!(every.iter().all(|error| error.next().is_some()));
    }
}

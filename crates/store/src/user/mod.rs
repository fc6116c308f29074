//! The user database: what exists nowhere else, and is therefore never deleted.

pub mod labels;
pub mod marked;
mod migration;
pub mod notes;
pub mod prompts;
pub mod runs;
pub mod settings;
pub mod stars;

pub use labels::{Label, LabelCount};
pub use marked::{MarkedSession, SessionMarks};
pub use notes::Note;
pub use prompts::{PromptOrigin, PromptVersion};
pub use runs::{RunFilter, RunRow, RunStatus};
pub use stars::Star;

use crate::connection::{BUSY_TIMEOUT, Db, Location};
use crate::error::{StoreError, Which};
use migration::Migration;
use rusqlite::Row;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Marks our user databases ("PLMu").
const APPLICATION_ID: i64 = 0x504c_4d75;

const MIGRATIONS: [&[Migration]; 7] = [
    runs::MIGRATIONS,
    prompts::MIGRATIONS,
    labels::MIGRATIONS,
    stars::MIGRATIONS,
    notes::MIGRATIONS,
    marked::MIGRATIONS,
    settings::MIGRATIONS,
];

/// The user database. Its tables are small and questions to it short, so one connection serves
/// all threads in turn.
#[derive(Debug)]
pub struct UserDb {
    db: Mutex<Db>,
}

/// What a note, star or label is attached to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The session's stable id in the index.
    pub session_id: String,
    /// The entry's id; `None` for the session as a whole.
    pub entry_id: Option<String>,
    /// Which of the entries with this id, in the order of the source, from 1; 1 for the session.
    pub occurrence: u32,
}

impl Target {
    /// The session as a whole.
    pub fn session(session_id: &str) -> Target {
        Target {
            session_id: session_id.to_owned(),
            entry_id: None,
            occurrence: 1,
        }
    }

    /// An entry of a session: the one called `entry_id` that is number `occurrence`, from 1.
    pub fn entry(session_id: &str, entry_id: &str, occurrence: u32) -> Target {
        Target {
            session_id: session_id.to_owned(),
            entry_id: Some(entry_id.to_owned()),
            occurrence,
        }
    }

    /// The key as tables have it. SQLite counts NULLs in a key as different, so "no entry" is the
    /// empty text.
    fn columns(&self) -> (&str, &str, u32) {
        let entry = self.entry_id.as_deref().unwrap_or("");
        (&self.session_id, entry, self.occurrence)
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Target> {
        Ok(Target {
            session_id: row.get("session_id")?,
            entry_id: Some(row.get("entry_id")?).filter(|id: &String| !id.is_empty()),
            occurrence: row.get("occurrence")?,
        })
    }
}

/// The condition for the marks of one session, which takes an argument, or of all.
fn one_session(session_id: Option<&str>) -> &'static str {
    match session_id {
        Some(_) => "session_id = ?",
        None => "1",
    }
}

impl UserDb {
    /// Opens the database at `path`, making it and its folder when missing, and brings an older
    /// one up to date in one transaction.
    ///
    /// Errors: [`StoreError::Newer`] for a file of a newer program and
    /// [`StoreError::UserDamaged`] for a damaged one, both left as they are;
    /// [`StoreError::Foreign`], [`StoreError::Locked`], [`StoreError::Full`],
    /// [`StoreError::Unusable`].
    pub fn open(path: &Path) -> Result<UserDb, StoreError> {
        UserDb::open_waiting(path, BUSY_TIMEOUT)
    }

    /// Like [`UserDb::open`], waiting at most `timeout` for other programs, now and later.
    pub fn open_waiting(path: &Path, timeout: Duration) -> Result<UserDb, StoreError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| StoreError::from_io(folder, &error))?;
        }
        UserDb::at(&Location::File(path.to_path_buf()), timeout)
    }

    /// A database in memory, for tests.
    pub fn init_in_memory() -> Result<UserDb, StoreError> {
        UserDb::at(&Location::fresh_memory(), BUSY_TIMEOUT)
    }

    fn at(location: &Location, timeout: Duration) -> Result<UserDb, StoreError> {
        let mut db = Db::open(location, Which::User, true, timeout)?;
        let all: Vec<&Migration> = MIGRATIONS.iter().flat_map(|table| table.iter()).collect();
        migration::run(&mut db, APPLICATION_ID, all)?;
        Ok(UserDb { db: Mutex::new(db) })
    }

    /// The connection. A panic in another thread leaves no transaction open, so a poisoned lock
    /// is as good as any.
    fn db(&self) -> MutexGuard<'_, Db> {
        self.db.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The open user database, and what its rows are attached to.

use crate::connection::Db;
use rusqlite::Row;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
    pub(super) fn columns(&self) -> (&str, &str, u32) {
        let entry = self.entry_id.as_deref().unwrap_or("");
        (&self.session_id, entry, self.occurrence)
    }

    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Target> {
        Ok(Target {
            session_id: row.get("session_id")?,
            entry_id: Some(row.get("entry_id")?).filter(|id: &String| !id.is_empty()),
            occurrence: row.get("occurrence")?,
        })
    }
}

/// The condition for the marks of one session, which takes an argument, or of all.
pub(super) fn one_session(session_id: Option<&str>) -> &'static str {
    match session_id {
        Some(_) => "session_id = ?",
        None => "1",
    }
}

impl UserDb {
    /// Takes a connection whose tables are up to date.
    pub(super) fn over(db: Db) -> UserDb {
        UserDb { db: Mutex::new(db) }
    }

    /// The connection. A panic in another thread leaves no transaction open, so a poisoned lock
    /// is as good as any.
    pub(super) fn db(&self) -> MutexGuard<'_, Db> {
        self.db.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

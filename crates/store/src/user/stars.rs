//! Table `stars`: sessions and entries the user wants to find again.

use super::migration::Migration;
use super::{Target, UserDb};
use crate::error::StoreError;

pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        stamp: 202_611_210_404,
        sql: "
CREATE TABLE stars (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,  -- empty for the session
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id)
) WITHOUT ROWID;
",
    },
    // A key cannot be altered, so every row is copied under the longer one.
    Migration {
        stamp: 202_611_220_701,
        sql: "
CREATE TABLE stars_placed (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,     -- empty for the session
    occurrence INTEGER NOT NULL,  -- which of the entries with this id, from 1
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id, occurrence)
) WITHOUT ROWID;
INSERT INTO stars_placed SELECT session_id, entry_id, 1, created_at FROM stars;
DROP TABLE stars;
ALTER TABLE stars_placed RENAME TO stars;
",
    },
];

/// A star.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Star {
    /// What it is on.
    pub target: Target,
    /// When it was put there, Unix milliseconds.
    pub created_at_ms: i64,
}

impl UserDb {
    /// Puts a star on something or takes it off.
    pub fn set_star(&self, target: &Target, on: bool, now_ms: i64) -> Result<(), StoreError> {
        let db = self.db();
        let (session, entry, occurrence) = target.columns();
        let done = if on {
            let sql = "INSERT INTO stars VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
            db.conn.execute(sql, (session, entry, occurrence, now_ms))
        } else {
            let sql = "DELETE FROM stars WHERE session_id = ? AND entry_id = ? AND occurrence = ?";
            db.conn.execute(sql, (session, entry, occurrence))
        };
        db.at(done)?;
        Ok(())
    }

    /// Every star, newest first.
    pub fn stars(&self) -> Result<Vec<Star>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM stars ORDER BY created_at DESC, session_id, entry_id, occurrence",
            )?;
            let stars = statement.query_map([], |row| {
                Ok(Star {
                    target: Target::from_row(row)?,
                    created_at_ms: row.get("created_at")?,
                })
            })?;
            stars.collect()
        })())
    }

    /// The ids of the sessions with a star.
    pub fn starred_sessions(&self) -> Result<Vec<String>, StoreError> {
        self.session_ids("SELECT session_id FROM stars WHERE entry_id = ''", None)
    }

    /// True when the session has a star.
    pub fn is_starred(&self, session_id: &str) -> Result<bool, StoreError> {
        let sql = "SELECT session_id FROM stars WHERE entry_id = '' AND session_id = ?";
        Ok(!self.session_ids(sql, Some(session_id))?.is_empty())
    }
}

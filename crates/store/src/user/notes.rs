//! Table `notes`: one free text for each session or entry.

use super::migration::Migration;
use super::{Target, UserDb};
use crate::error::StoreError;

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_210_405,
    sql: "
CREATE TABLE notes (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,  -- empty for the session
    text       TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id)
) WITHOUT ROWID;
",
}];

/// A note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What it is about.
    pub target: Target,
    /// What it says.
    pub text: String,
    /// When it was last changed, Unix milliseconds.
    pub updated_at_ms: i64,
}

impl UserDb {
    /// Writes a note in place of the one that was there; an empty text deletes it.
    pub fn set_note(&self, target: &Target, text: &str, now_ms: i64) -> Result<(), StoreError> {
        let db = self.db();
        let (session, entry) = (&target.session_id, target.entry());
        let done = if text.is_empty() {
            let sql = "DELETE FROM notes WHERE session_id = ? AND entry_id = ?";
            db.conn.execute(sql, (session, entry))
        } else {
            let sql = "INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)";
            db.conn.execute(sql, (session, entry, text, now_ms))
        };
        db.at(done)?;
        Ok(())
    }

    /// The notes on a session and its entries, oldest first; on all sessions for `None`.
    pub fn notes(&self, session_id: Option<&str>) -> Result<Vec<Note>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM notes WHERE ?1 IS NULL OR session_id = ?1 \
                 ORDER BY updated_at, session_id, entry_id",
            )?;
            let notes = statement.query_map([session_id], |row| {
                Ok(Note {
                    target: Target::from_columns(row.get("session_id")?, row.get("entry_id")?),
                    text: row.get("text")?,
                    updated_at_ms: row.get("updated_at")?,
                })
            })?;
            notes.collect()
        })())
    }
}

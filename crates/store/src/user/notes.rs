//! Table `notes`: one free text for each session or entry.

use super::migration::Migration;
use super::{Target, UserDb, one_session};
use crate::connection::like;
use crate::error::StoreError;
use rusqlite::{OptionalExtension, Row};

pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
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
    },
    // A key cannot be altered, so every row is copied under the longer one.
    Migration {
        stamp: 202_611_220_702,
        sql: "
CREATE TABLE notes_placed (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,     -- empty for the session
    occurrence INTEGER NOT NULL,  -- which of the entries with this id, from 1
    text       TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id, occurrence)
) WITHOUT ROWID;
INSERT INTO notes_placed SELECT session_id, entry_id, 1, text, updated_at FROM notes;
DROP TABLE notes;
ALTER TABLE notes_placed RENAME TO notes;
",
    },
];

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

fn from_row(row: &Row<'_>) -> rusqlite::Result<Note> {
    Ok(Note {
        target: Target::from_row(row)?,
        text: row.get("text")?,
        updated_at_ms: row.get("updated_at")?,
    })
}

impl UserDb {
    /// Writes a note in place of the one that was there; an empty text deletes it.
    pub fn set_note(&self, target: &Target, text: &str, now_ms: i64) -> Result<(), StoreError> {
        let db = self.db();
        let (session, entry, occurrence) = target.columns();
        let done = if text.is_empty() {
            let sql = "DELETE FROM notes WHERE session_id = ? AND entry_id = ? AND occurrence = ?";
            db.conn.execute(sql, (session, entry, occurrence))
        } else {
            let sql = "INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?)";
            db.conn
                .execute(sql, (session, entry, occurrence, text, now_ms))
        };
        db.at(done)?;
        Ok(())
    }

    /// The note on something.
    pub fn note(&self, target: &Target) -> Result<Option<Note>, StoreError> {
        let db = self.db();
        let sql = "SELECT * FROM notes WHERE session_id = ? AND entry_id = ? AND occurrence = ?";
        db.at(db
            .conn
            .query_row(sql, target.columns(), from_row)
            .optional())
    }

    /// The notes on a session and its entries, oldest first; on all sessions for `None`.
    pub fn notes(&self, session_id: Option<&str>) -> Result<Vec<Note>, StoreError> {
        let db = self.db();
        db.at((|| {
            let condition = one_session(session_id);
            let mut statement = db.conn.prepare_cached(&format!(
                "SELECT * FROM notes WHERE {condition} \
                 ORDER BY updated_at, session_id, entry_id, occurrence"
            ))?;
            let arguments = rusqlite::params_from_iter(session_id);
            statement.query_map(arguments, from_row)?.collect()
        })())
    }

    /// The notes whose text has all of `parts`, newest first. The case of ASCII letters is
    /// ignored, that of others is not: pass only ASCII where case must not matter.
    ///
    /// A scan with LIKE: users write hundreds of notes, not millions.
    pub fn notes_with(&self, parts: &[&str]) -> Result<Vec<Note>, StoreError> {
        let condition = vec!["text LIKE ? ESCAPE '\\'"; parts.len()].join(" AND ");
        let condition = if parts.is_empty() {
            "1"
        } else {
            condition.as_str()
        };
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(&format!(
                "SELECT * FROM notes WHERE {condition} \
                 ORDER BY updated_at DESC, session_id, entry_id, occurrence"
            ))?;
            let values = parts.iter().map(|part| like(part));
            let notes = statement.query_map(rusqlite::params_from_iter(values), from_row)?;
            notes.collect()
        })())
    }

    /// The ids of the sessions with a note, on them or on an entry, that has `part` (case of ASCII
    /// letters ignored); with any note for `None`.
    pub fn sessions_with_note(&self, part: Option<&str>) -> Result<Vec<String>, StoreError> {
        match part {
            None => self.session_ids("SELECT DISTINCT session_id FROM notes", None),
            Some(part) => self.session_ids(
                "SELECT DISTINCT session_id FROM notes WHERE text LIKE ? ESCAPE '\\'",
                Some(&like(part)),
            ),
        }
    }
}

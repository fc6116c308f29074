//! Table `labels`: the user's labels on sessions and entries, beside those an agent stores.

use super::migration::Migration;
use super::{Target, UserDb, one_session};
use crate::connection::{like, uint};
use crate::error::StoreError;
use rusqlite::Row;

pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        stamp: 202_611_210_403,
        sql: "
CREATE TABLE labels (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,  -- empty for the session
    text       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id, text)
) WITHOUT ROWID;
",
    },
    // A key cannot be altered, so every row is copied under the longer one.
    Migration {
        stamp: 202_611_220_703,
        sql: "
CREATE TABLE labels_placed (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,     -- empty for the session
    occurrence INTEGER NOT NULL,  -- which of the entries with this id, from 1
    text       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id, occurrence, text)
) WITHOUT ROWID;
INSERT INTO labels_placed SELECT session_id, entry_id, 1, text, created_at FROM labels;
DROP TABLE labels;
ALTER TABLE labels_placed RENAME TO labels;
",
    },
];

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// What it is on.
    pub target: Target,
    /// What it says.
    pub text: String,
    /// When it was put there, Unix milliseconds.
    pub created_at_ms: i64,
}

/// A label's text and how often it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelCount {
    /// What it says.
    pub text: String,
    /// On how many sessions and entries it is.
    pub uses: u64,
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Label> {
    Ok(Label {
        target: Target::from_row(row)?,
        text: row.get("text")?,
        created_at_ms: row.get("created_at")?,
    })
}

impl UserDb {
    /// Puts a label on something; the same label twice is one label.
    pub fn add_label(&self, target: &Target, text: &str, now_ms: i64) -> Result<(), StoreError> {
        let db = self.db();
        let (session, entry, occurrence) = target.columns();
        // The first time stays, by which labels are sorted.
        let sql = "INSERT INTO labels VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
        db.at(db
            .conn
            .execute(sql, (session, entry, occurrence, text, now_ms)))?;
        Ok(())
    }

    /// Takes a label off; true when it was there.
    pub fn remove_label(&self, target: &Target, text: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let (session, entry, occurrence) = target.columns();
        let sql = "DELETE FROM labels \
                   WHERE session_id = ? AND entry_id = ? AND occurrence = ? AND text = ?";
        Ok(db.at(db.conn.execute(sql, (session, entry, occurrence, text)))? > 0)
    }

    /// The labels of a session and its entries, oldest first; of all sessions for `None`.
    pub fn labels(&self, session_id: Option<&str>) -> Result<Vec<Label>, StoreError> {
        let db = self.db();
        db.at((|| {
            let condition = one_session(session_id);
            let mut statement = db.conn.prepare_cached(&format!(
                "SELECT * FROM labels WHERE {condition} \
                 ORDER BY created_at, session_id, entry_id, occurrence, text"
            ))?;
            let arguments = rusqlite::params_from_iter(session_id);
            statement.query_map(arguments, from_row)?.collect()
        })())
    }

    /// The labels on one thing, oldest first.
    pub fn labels_on(&self, target: &Target) -> Result<Vec<Label>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM labels WHERE session_id = ? AND entry_id = ? AND occurrence = ? \
                 ORDER BY created_at, text",
            )?;
            let labels = statement.query_map(target.columns(), from_row)?;
            labels.collect()
        })())
    }

    /// The ids of the sessions with a label, on them or on an entry, that has `part` (case of
    /// ASCII letters ignored); with any label for `None`.
    pub fn sessions_with_label(&self, part: Option<&str>) -> Result<Vec<String>, StoreError> {
        match part {
            None => self.session_ids("SELECT DISTINCT session_id FROM labels", None),
            Some(part) => self.session_ids(
                "SELECT DISTINCT session_id FROM labels WHERE text LIKE ? ESCAPE '\\'",
                Some(&like(part)),
            ),
        }
    }

    /// Every label in use, most used first.
    pub fn label_counts(&self) -> Result<Vec<LabelCount>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT text, count(*) AS uses FROM labels GROUP BY text ORDER BY uses DESC, text",
            )?;
            let counts = statement.query_map([], |row| {
                Ok(LabelCount {
                    text: row.get("text")?,
                    uses: uint(row, "uses")?,
                })
            })?;
            counts.collect()
        })())
    }
}

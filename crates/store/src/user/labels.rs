//! Table `labels`: the user's own labels on sessions and entries, beside the agent's.

use super::migration::Migration;
use super::{Target, UserDb};
use crate::error::StoreError;

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
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
}];

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

impl UserDb {
    /// Puts a label on something; the same label twice is one label.
    pub fn add_label(&self, target: &Target, text: &str, now_ms: i64) -> Result<(), StoreError> {
        let db = self.db();
        let sql = "INSERT INTO labels VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
        db.at(db
            .conn
            .execute(sql, (&target.session_id, target.entry(), text, now_ms)))?;
        Ok(())
    }

    /// Takes a label off; true when it was there.
    pub fn remove_label(&self, target: &Target, text: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let sql = "DELETE FROM labels WHERE session_id = ? AND entry_id = ? AND text = ?";
        Ok(db.at(db
            .conn
            .execute(sql, (&target.session_id, target.entry(), text)))?
            > 0)
    }

    /// The labels of a session and its entries, oldest first; of all sessions for `None`.
    pub fn labels(&self, session_id: Option<&str>) -> Result<Vec<Label>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM labels WHERE ?1 IS NULL OR session_id = ?1 \
                 ORDER BY created_at, session_id, entry_id, text",
            )?;
            let labels = statement.query_map([session_id], |row| {
                Ok(Label {
                    target: Target::from_columns(row.get("session_id")?, row.get("entry_id")?),
                    text: row.get("text")?,
                    created_at_ms: row.get("created_at")?,
                })
            })?;
            labels.collect()
        })())
    }
}

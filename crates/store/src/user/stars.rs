//! Table `stars`: sessions and entries the user wants to find again.

use super::migration::Migration;
use super::{Target, UserDb};
use crate::error::StoreError;

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_210_404,
    sql: "
CREATE TABLE stars (
    session_id TEXT NOT NULL,
    entry_id   TEXT NOT NULL,  -- empty for the session
    created_at INTEGER NOT NULL,
    PRIMARY KEY (session_id, entry_id)
) WITHOUT ROWID;
",
}];

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
        let (session, entry) = (&target.session_id, target.entry());
        let done = if on {
            let sql = "INSERT INTO stars VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
            db.conn.execute(sql, (session, entry, now_ms))
        } else {
            let sql = "DELETE FROM stars WHERE session_id = ? AND entry_id = ?";
            db.conn.execute(sql, (session, entry))
        };
        db.at(done)?;
        Ok(())
    }

    /// Every star, newest first.
    pub fn stars(&self) -> Result<Vec<Star>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM stars ORDER BY created_at DESC, session_id, entry_id",
            )?;
            let stars = statement.query_map([], |row| {
                Ok(Star {
                    target: Target::from_columns(row.get("session_id")?, row.get("entry_id")?),
                    created_at_ms: row.get("created_at")?,
                })
            })?;
            stars.collect()
        })())
    }
}

//! Table `titles`: what the user called a session instead of its own title.

use super::UserDb;
use super::migration::Migration;
use crate::connection::like;
use crate::error::StoreError;
use std::collections::HashMap;

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_221_411,
    sql: "
CREATE TABLE titles (
    session_id TEXT PRIMARY KEY,
    title      TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;
",
}];

impl UserDb {
    /// Gives a session a title, or takes it back.
    pub fn set_title(
        &self,
        session_id: &str,
        title: Option<&str>,
        now_ms: i64,
    ) -> Result<(), StoreError> {
        let db = self.db();
        let done = match title {
            Some(title) => db.conn.execute(
                "INSERT OR REPLACE INTO titles VALUES (?, ?, ?)",
                (session_id, title, now_ms),
            ),
            None => db
                .conn
                .execute("DELETE FROM titles WHERE session_id = ?", [session_id]),
        };
        db.at(done)?;
        Ok(())
    }

    /// The titles the user gave, by session id.
    pub fn titles(&self) -> Result<HashMap<String, String>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db
                .conn
                .prepare_cached("SELECT session_id, title FROM titles")?;
            let titles = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            titles.collect()
        })())
    }

    /// The ids of the sessions whose given title has `part`, case ignored for ASCII letters.
    pub fn sessions_titled(&self, part: &str) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT session_id FROM titles WHERE title LIKE ? ESCAPE '\\'";
        self.session_ids(sql, Some(&like(part)))
    }
}

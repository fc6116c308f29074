//! Table `settings`: what the user set, as JSON by key. Secrets are never put here.

use super::UserDb;
use super::migration::Migration;
use crate::error::StoreError;
use rusqlite::OptionalExtension;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_210_406,
    sql: "
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL  -- JSON
) WITHOUT ROWID;
",
}];

/// A value that is no JSON was put there by hand; it counts as not set.
fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

impl UserDb {
    /// The value of a setting.
    pub fn setting(&self, key: &str) -> Result<Option<Value>, StoreError> {
        let db = self.db();
        let text: Option<String> = db.at(db
            .conn
            .query_row("SELECT value FROM settings WHERE key = ?", [key], |row| {
                row.get(0)
            })
            .optional())?;
        Ok(text.as_deref().and_then(parse))
    }

    /// Sets a value; `None` goes back to the default.
    pub fn set_setting(&self, key: &str, value: Option<&Value>) -> Result<(), StoreError> {
        let db = self.db();
        db.at(match value {
            Some(value) => db.conn.execute(
                "INSERT OR REPLACE INTO settings VALUES (?, ?)",
                (key, value.to_string()),
            ),
            None => db.conn.execute("DELETE FROM settings WHERE key = ?", [key]),
        })?;
        Ok(())
    }

    /// Every setting that is set.
    pub fn settings(&self) -> Result<BTreeMap<String, Value>, StoreError> {
        let db = self.db();
        let rows: Vec<(String, String)> = db.at((|| {
            let mut statement = db.conn.prepare_cached("SELECT key, value FROM settings")?;
            statement
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })())?;
        Ok(rows
            .into_iter()
            .filter_map(|(key, text)| Some((key, parse(&text)?)))
            .collect())
    }
}

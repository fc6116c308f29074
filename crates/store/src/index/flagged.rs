//! Table `flagged`: which sessions were read for flags, and how far. The flags themselves are traits.

use super::{IndexReader, IndexWriter, SessionNum};
use crate::connection::int;
use crate::error::StoreError;
use std::collections::HashMap;

pub(super) const SCHEMA: &str = "
CREATE TABLE flagged (
    session INTEGER PRIMARY KEY,
    entries INTEGER NOT NULL  -- how many it had then
);
";

impl IndexReader {
    /// The sessions that were read for flags, with the number of entries they had then.
    pub fn flagged(&self) -> Result<HashMap<SessionNum, u64>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT session, entries FROM flagged")?;
            let row = |row: &rusqlite::Row<'_>| {
                let entries: i64 = row.get(1)?;
                Ok((SessionNum(row.get(0)?), u64::try_from(entries).unwrap_or(0)))
            };
            statement.query_map([], row)?.collect()
        })())
    }
}

impl IndexWriter<'_> {
    /// Notes that a session with so many entries was read for flags.
    pub fn put_flagged(&self, session: SessionNum, entries: u64) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("INSERT OR REPLACE INTO flagged VALUES (?, ?)")?;
            statement.execute((session.0, int(entries)))?;
            Ok(())
        })())
    }
}

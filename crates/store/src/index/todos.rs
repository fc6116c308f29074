//! Table `open_todos`: the entries that leave something to do open, as the last record of a session
//! has it. Which these are changes with every record of that kind, and words of entries do not, so
//! that a search adds it as a condition.

use super::fields::{OPEN_TODO_TERM, TraitKind};
use super::{IndexWriter, SessionNum};
use crate::error::StoreError;

pub(super) const SCHEMA: &str = "
CREATE TABLE open_todos (
    session INTEGER NOT NULL,
    entry   INTEGER NOT NULL,  -- its number
    PRIMARY KEY (session, entry)
) WITHOUT ROWID;
";

impl IndexWriter<'_> {
    /// Notes which records of a session leave something to do open, by their lines; none where all is
    /// done.
    pub fn put_open_todos(&self, session: SessionNum, lines: &[u32]) -> Result<(), StoreError> {
        self.db.at((|| {
            let conn = &self.db.conn;
            conn.prepare_cached("DELETE FROM open_todos WHERE session = ?")?
                .execute([session.0])?;
            let kind = TraitKind::Entry.name();
            conn.prepare_cached("DELETE FROM traits WHERE session = ? AND kind = ? AND name = ?")?
                .execute((session.0, kind, OPEN_TODO_TERM))?;
            if lines.is_empty() {
                return Ok(());
            }
            conn.prepare_cached("INSERT INTO traits VALUES (?, ?, ?)")?
                .execute((session.0, kind, OPEN_TODO_TERM))?;
            let mut insert = conn.prepare_cached(
                "INSERT OR IGNORE INTO open_todos \
                 SELECT session, num FROM entries WHERE session = ? AND line = ?",
            )?;
            for line in lines {
                insert.execute((session.0, line))?;
            }
            Ok(())
        })())
    }
}

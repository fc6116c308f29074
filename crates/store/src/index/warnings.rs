//! Table `warnings`: what could not be read of a session, and why.

use super::{IndexReader, IndexWriter, SessionNum};
use crate::error::StoreError;
use palimpsest_core::Warning;

pub(super) const SCHEMA: &str = "
CREATE TABLE warnings (
    session INTEGER NOT NULL,
    line    INTEGER,
    reason  TEXT NOT NULL
);
CREATE INDEX warnings_by_session ON warnings (session);
";

impl IndexReader {
    /// The warnings of a session, in the order in which they came up.
    pub fn warnings(&self, session: SessionNum) -> Result<Vec<Warning>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT line, reason FROM warnings WHERE session = ? ORDER BY rowid",
            )?;
            let warnings = statement.query_map([session.0], |row| {
                Ok(Warning {
                    line: row.get(0)?,
                    reason: row.get(1)?,
                })
            })?;
            warnings.collect()
        })())
    }
}

impl IndexWriter<'_> {
    /// Adds a warning.
    pub fn add_warning(&self, session: SessionNum, warning: &Warning) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("INSERT INTO warnings VALUES (?, ?, ?)")?;
            statement.execute((session.0, warning.line, &warning.reason))?;
            Ok(())
        })())
    }
}

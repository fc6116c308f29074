//! Table `traits`: what is in a session without saying where, such as the tools it calls.

use super::fields::TraitKind;
use super::{IndexReader, IndexWriter, SessionNum};
use crate::error::StoreError;

pub(super) const SCHEMA: &str = "
CREATE TABLE traits (
    session INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    name    TEXT NOT NULL COLLATE NOCASE,
    PRIMARY KEY (session, kind, name)
) WITHOUT ROWID;
CREATE INDEX traits_by_name ON traits (kind, name, session);
";

impl IndexReader {
    /// The traits of one kind of a session, by name.
    pub fn traits(&self, session: SessionNum, kind: TraitKind) -> Result<Vec<String>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT name FROM traits WHERE session = ? AND kind = ? ORDER BY name",
            )?;
            let names = statement.query_map((session.0, kind.name()), |row| row.get(0))?;
            names.collect()
        })())
    }
}

impl IndexReader {
    /// The traits of one kind of all sessions.
    pub fn all_traits(&self, kind: TraitKind) -> Result<Vec<(SessionNum, String)>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT session, name FROM traits WHERE kind = ?")?;
            let row = |row: &rusqlite::Row<'_>| Ok((SessionNum(row.get(0)?), row.get(1)?));
            statement.query_map([kind.name()], row)?.collect()
        })())
    }
}

impl IndexWriter<'_> {
    /// Notes that a session has something.
    pub fn add_trait(
        &self,
        session: SessionNum,
        kind: TraitKind,
        name: &str,
    ) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("INSERT OR IGNORE INTO traits VALUES (?, ?, ?)")?;
            statement.execute((session.0, kind.name(), name))?;
            Ok(())
        })())
    }
}

//! Table `summaries`: the compactions and branch summaries of every session.

use super::{IndexReader, IndexWriter, SessionNum};
use crate::connection::{int, named, uint_opt, uint32};
use crate::error::StoreError;
use palimpsest_core::SummaryKind;
use rusqlite::Row;

pub(super) const SCHEMA: &str = "
CREATE TABLE summaries (
    session       INTEGER NOT NULL,
    ix            INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    tokens_before INTEGER,
    from_hook     INTEGER NOT NULL,
    PRIMARY KEY (session, ix)
) WITHOUT ROWID;
";

/// A compaction or branch summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryRow {
    /// Position of its entry in the session.
    pub ix: u32,
    /// What it stands for.
    pub kind: SummaryKind,
    /// Size of the context before, in tokens, as stored.
    pub tokens_before: Option<u64>,
    /// True when an extension, not the agent, wrote it.
    pub from_hook: bool,
}

impl IndexReader {
    /// The compactions and branch summaries of a session, in order.
    pub fn summaries(&self, session: SessionNum) -> Result<Vec<SummaryRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT * FROM summaries WHERE session = ? ORDER BY ix")?;
            let summary = |row: &Row<'_>| {
                Ok(SummaryRow {
                    ix: uint32(row, "ix")?,
                    kind: named(row, "kind", SummaryKind::from_name)?,
                    tokens_before: uint_opt(row, "tokens_before")?,
                    from_hook: row.get("from_hook")?,
                })
            };
            statement.query_map([session.0], summary)?.collect()
        })())
    }
}

impl IndexWriter<'_> {
    /// Adds a compaction or branch summary.
    pub fn add_summary(&self, session: SessionNum, row: &SummaryRow) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("INSERT INTO summaries VALUES (?, ?, ?, ?, ?)")?;
            let before = row.tokens_before.map(int);
            statement.execute((session.0, row.ix, row.kind.name(), before, row.from_hook))?;
            Ok(())
        })())
    }
}

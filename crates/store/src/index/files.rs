//! Table `files`: which files the tools of a session touched, and how.

use super::{IndexReader, IndexWriter, SessionNum};
use crate::connection::{Columns, place_in};
use crate::error::StoreError;
use palimpsest_core::entry::FileAccess;
use rusqlite::Row;

pub(super) const SCHEMA: &str = "
CREATE TABLE files (
    session INTEGER NOT NULL,
    path    TEXT NOT NULL,
    access  INTEGER NOT NULL,  -- its place in ACCESSES
    uses    INTEGER NOT NULL,
    last_ix INTEGER NOT NULL,  -- position of the newest entry that did it
    PRIMARY KEY (session, path, access)
) WITHOUT ROWID;
";

/// A file that tool calls of a session touched in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUse {
    /// The path as the call named it.
    pub path: String,
    /// What was done to it.
    pub access: FileAccess,
    /// How many calls did it.
    pub uses: u32,
    /// Position of the newest entry that did.
    pub last_ix: u32,
}

/// What is done to files, in the order in which it is listed. Numbers: names would be an eighth of the
/// table.
const ACCESSES: [FileAccess; 3] = [FileAccess::Edit, FileAccess::Read, FileAccess::Write];

impl IndexReader {
    /// The files touched in a session, by path.
    pub fn files(&self, session: SessionNum) -> Result<Vec<FileUse>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT path, access, uses, last_ix FROM files WHERE session = ? \
                     ORDER BY path, access",
            )?;
            let file = |row: &Row<'_>| {
                let mut columns = Columns::of(row);
                Ok(FileUse {
                    path: columns.get()?,
                    access: columns.numbered(&ACCESSES)?,
                    uses: columns.uint32()?,
                    last_ix: columns.uint32()?,
                })
            };
            statement.query_map([session.0], file)?.collect()
        })())
    }
}

impl IndexWriter<'_> {
    /// Adds `file.uses` calls to what is known of the file.
    pub fn add_file(&self, session: SessionNum, file: &FileUse) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "INSERT INTO files VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET \
                 uses = uses + excluded.uses, last_ix = max(last_ix, excluded.last_ix)",
            )?;
            let access = place_in(&ACCESSES, file.access);
            statement.execute((session.0, &file.path, access, file.uses, file.last_ix))?;
            Ok(())
        })())
    }
}

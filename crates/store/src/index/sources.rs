//! Table `sources`: which files were read, and how far.

use super::packed::{Unpacked, packed};
use super::{IndexReader, IndexWriter, SessionNum};
use crate::connection::{Columns, int};
use crate::error::StoreError;
use palimpsest_core::Agent;
use rusqlite::{OptionalExtension, Row, named_params};

pub(super) const SCHEMA: &str = "
CREATE TABLE sources (
    path      TEXT PRIMARY KEY,
    agent     TEXT NOT NULL,
    size      INTEGER NOT NULL,  -- bytes, at the time of reading
    mtime_ns  INTEGER NOT NULL,
    inode     INTEGER NOT NULL,  -- 0 where the system has none
    head_hash INTEGER NOT NULL,
    tail_hash INTEGER NOT NULL,
    read_to   INTEGER NOT NULL,  -- offset of the first unread byte
    session   INTEGER,           -- sessions.num; NULL when the file is not a session
    skipped   TEXT,              -- why it is not
    beside    TEXT,              -- JSON: the other files it was read from; the reader's business
    -- JSON from which reading goes on, packed where it is long; the reader's business. Last: the
    -- other columns of a row are read without it.
    state     NOT NULL
);
";

/// A file that was read, wholly or in part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceRow {
    /// The file.
    pub path: String,
    /// The agent whose reader took it.
    pub agent: Agent,
    /// Size in bytes when it was read.
    pub size: u64,
    /// Time of modification when it was read, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Inode number; 0 where the system has none.
    pub inode: u64,
    /// Hash of the first bytes.
    pub head_hash: u64,
    /// Hash of the last bytes before `read_to`.
    pub tail_hash: u64,
    /// Offset of the first unread byte.
    pub read_to: u64,
    /// The session read from it, unless it is none.
    pub session: Option<SessionNum>,
    /// Why the file is not a session.
    pub skipped: Option<String>,
    /// JSON: the other files it was read from.
    pub beside: Option<String>,
}

/// The columns of a [`SourceRow`], in its order.
const COLUMNS: &str = "path, agent, size, mtime_ns, inode, head_hash, tail_hash, read_to, session, \
                       skipped, beside";

/// The condition for a source and those below it; its arguments are [`under`].
const UNDER: &str = "path = ?1 OR (path >= ?2 AND path < ?3) \
                     OR (path >= ?1 || '#' AND path < ?1 || '$')";

/// A key range instead of LIKE, which would not use the key. What follows the separator in a path is
/// always less than the character after it.
fn under(path: &str) -> (&str, String, String) {
    let folder = path.trim_end_matches(std::path::MAIN_SEPARATOR);
    let first = format!("{folder}{}", std::path::MAIN_SEPARATOR);
    let after = char::from_u32(u32::from(std::path::MAIN_SEPARATOR) + 1).unwrap_or('0');
    (path, first, format!("{folder}{after}"))
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<SourceRow> {
    let mut columns = Columns::of(row);
    Ok(SourceRow {
        path: columns.get()?,
        agent: columns.named(|name| Some(Agent::from_stored(name)))?,
        size: columns.uint()?,
        mtime_ns: columns.get()?,
        // Inodes and hashes use all 64 bits; stored as the signed number with the same bits.
        inode: columns.get::<i64>()?.cast_unsigned(),
        head_hash: columns.get::<i64>()?.cast_unsigned(),
        tail_hash: columns.get::<i64>()?.cast_unsigned(),
        read_to: columns.uint()?,
        session: columns.get::<Option<i64>>()?.map(SessionNum),
        skipped: columns.get()?,
        beside: columns.get()?,
    })
}

impl IndexReader {
    /// Every source, by path.
    pub fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        self.db.at((|| {
            let sql = format!("SELECT {COLUMNS} FROM sources ORDER BY path");
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            statement.query_map([], from_row)?.collect()
        })())
    }

    /// The source at `path`, and the sources below it when it is a folder, in no order.
    pub fn sources_under(&self, path: &str) -> Result<Vec<SourceRow>, StoreError> {
        self.db.at((|| {
            let sql = format!("SELECT {COLUMNS} FROM sources WHERE {UNDER}");
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            statement.query_map(under(path), from_row)?.collect()
        })())
    }

    /// True when a session was read from the source at `path` or from one below it.
    pub fn has_session_under(&self, path: &str) -> Result<bool, StoreError> {
        self.db.at((|| {
            let sql = format!(
                "SELECT EXISTS (SELECT 1 FROM sources WHERE ({UNDER}) AND skipped IS NULL)"
            );
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            statement.query_row(under(path), |row| row.get(0))
        })())
    }

    /// When the source that was changed longest ago was changed, nanoseconds since 1970.
    pub fn oldest_source(&self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT min(mtime_ns) FROM sources WHERE session IS NOT NULL";
        self.db
            .at(self.db.conn.query_row(sql, [], |row| row.get(0)))
    }

    /// One source.
    pub fn source(&self, path: &str) -> Result<Option<SourceRow>, StoreError> {
        self.db.at((|| {
            let sql = format!("SELECT {COLUMNS} FROM sources WHERE path = ?");
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            statement.query_row([path], from_row).optional()
        })())
    }

    /// JSON from which the reading of a source goes on.
    pub fn source_state(&self, path: &str) -> Result<Option<String>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT state FROM sources WHERE path = ?")?;
            let state = statement.query_row([path], |row| row.get(0));
            Ok(state.optional()?.map(|Unpacked(state)| state))
        })())
    }
}

impl IndexWriter<'_> {
    /// Writes a source, replacing what was known of that path; reading goes on from `state`, which is
    /// JSON.
    pub fn put_source(&self, source: &SourceRow, state: &str) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "INSERT OR REPLACE INTO sources VALUES (:path, :agent, :size, :mtime_ns, :inode,
                 :head_hash, :tail_hash, :read_to, :session, :skipped, :beside, :state)",
            )?;
            statement.execute(named_params! {
                ":path": source.path,
                ":agent": source.agent.name(),
                ":size": int(source.size),
                ":mtime_ns": source.mtime_ns,
                ":inode": source.inode.cast_signed(),
                ":head_hash": source.head_hash.cast_signed(),
                ":tail_hash": source.tail_hash.cast_signed(),
                ":read_to": int(source.read_to),
                ":session": source.session.map(|num| num.0),
                ":skipped": source.skipped,
                ":beside": source.beside,
                ":state": packed(state),
            })?;
            Ok(())
        })())
    }

    /// Notes the other files that a source was read from.
    pub fn put_beside(&self, path: &str, beside: Option<&str>) -> Result<(), StoreError> {
        self.db.at(self.db.conn.execute(
            "UPDATE sources SET beside = ? WHERE path = ?",
            (beside, path),
        ))?;
        Ok(())
    }

    /// Notes the state of the database that a source is in.
    pub fn put_state(&self, path: &str, state: u64) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("UPDATE sources SET inode = ? WHERE path = ?")?;
            statement.execute((state.cast_signed(), path))?;
            Ok(())
        })())
    }

    /// Forgets a source and everything read from it.
    pub fn remove_source(&self, path: &str) -> Result<(), StoreError> {
        if let Some(session) = self.source(path)?.and_then(|source| source.session) {
            self.remove_session(session)?;
        }
        self.db.at(self
            .db
            .conn
            .execute("DELETE FROM sources WHERE path = ?", [path]))?;
        Ok(())
    }
}

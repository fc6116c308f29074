//! Table `beginnings`: how sessions begin, by which forks are known that no record tells of.

use super::{IndexReader, IndexWriter, SessionNum};
use crate::error::StoreError;
use palimpsest_core::LinkKind;
use rusqlite::OptionalExtension;

pub(super) const SCHEMA: &str = "
CREATE TABLE beginnings (
    session   INTEGER PRIMARY KEY,
    beginning TEXT NOT NULL,
    own_from  INTEGER              -- position of the first prompt that no other one with it has
);
CREATE INDEX beginnings_by_text ON beginnings (beginning);
";

/// A message of a session, by what its copy in a fork shares with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTime {
    /// Position in the session.
    pub ix: u32,
    /// When it was written, Unix milliseconds.
    pub at_ms: i64,
    /// True for a message of the user.
    pub is_prompt: bool,
}

impl IndexReader {
    /// The sessions that begin as this one does, by the same agent under another id.
    pub fn beginning_alike(&self, session: SessionNum) -> Result<Vec<SessionNum>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT other.session FROM beginnings AS own
                 JOIN sessions AS mine ON mine.num = own.session
                 JOIN beginnings AS other
                     ON other.beginning = own.beginning AND other.session <> own.session
                 JOIN sessions AS theirs ON theirs.num = other.session
                 WHERE own.session = ? AND theirs.agent = mine.agent
                     AND theirs.native_id <> mine.native_id
                 ORDER BY other.session",
            )?;
            let found = statement.query_map([session.0], |row| row.get(0).map(SessionNum))?;
            found.collect()
        })())
    }

    /// The messages of a session that have a time, in order.
    pub fn message_times(&self, session: SessionNum) -> Result<Vec<MessageTime>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT ix, at, role = 'user' FROM entries
                 WHERE session = ? AND kind = 'message' AND at IS NOT NULL
                     AND role IN ('user', 'assistant') ORDER BY ix",
            )?;
            let found = statement.query_map([session.0], |row| {
                Ok(MessageTime {
                    ix: row.get(0)?,
                    at_ms: row.get(1)?,
                    is_prompt: row.get(2)?,
                })
            })?;
            found.collect()
        })())
    }

    /// Position of the first prompt of a session that the others with its beginning do not have.
    pub fn own_from(&self, session: SessionNum) -> Result<Option<u32>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT own_from FROM beginnings WHERE session = ?")?;
            let found = statement.query_row([session.0], |row| row.get(0));
            found.optional().map(Option::flatten)
        })())
    }
}

impl IndexWriter<'_> {
    /// Notes how a session begins; the first note stays.
    pub fn put_beginning(&self, session: SessionNum, beginning: &str) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "INSERT OR IGNORE INTO beginnings (session, beginning) VALUES (?, ?)",
            )?;
            statement.execute((session.0, beginning))?;
            Ok(())
        })())
    }

    /// Notes where a session differs from others with its beginning.
    pub fn put_own_from(&self, session: SessionNum, ix: Option<u32>) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("UPDATE beginnings SET own_from = ? WHERE session = ?")?;
            statement.execute((ix, session.0))?;
            Ok(())
        })())
    }

    /// Notes which session a session shares its beginning with, by the agent's id, unless its own
    /// records name a parent. `None` takes such a note back.
    pub fn put_shared(&self, session: SessionNum, with: Option<&str>) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "UPDATE sessions SET parent_session = ?1, parent_kind = ?2
                 WHERE num = ?3 AND (parent_session IS NULL OR parent_kind = ?4)",
            )?;
            let kind = LinkKind::SharesBeginning.name();
            statement.execute((with, with.map(|_| kind), session.0, kind))?;
            Ok(())
        })())
    }
}

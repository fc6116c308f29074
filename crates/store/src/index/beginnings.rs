//! Table `beginnings`: how sessions begin, by which forks are known that no record tells of.

use super::entries::{kind_number, role_number};
use super::{IndexReader, IndexWriter, SessionNum};
use crate::error::StoreError;
use palimpsest_core::{Agent, LinkKind, RecordKind, Role};
use rusqlite::OptionalExtension;

pub(super) const SCHEMA: &str = "
CREATE TABLE beginnings (
    session   INTEGER PRIMARY KEY,
    beginning TEXT NOT NULL,
    own_from  INTEGER              -- position of the first prompt that no other one with it has
);
CREATE INDEX beginnings_by_text ON beginnings (beginning);
";

/// How sessions of an agent begin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Beginning {
    /// The agent.
    pub agent: Agent,
    /// The first prompt with its time.
    pub text: String,
}

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
    /// How a session begins, where that tells it from others.
    pub fn beginning(&self, session: SessionNum) -> Result<Option<Beginning>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT agent, beginning FROM beginnings JOIN sessions ON num = session
                 WHERE session = ?",
            )?;
            let found = statement.query_row([session.0], |row| {
                let agent: String = row.get(0)?;
                Ok(Beginning {
                    agent: Agent::from_stored(&agent),
                    text: row.get(1)?,
                })
            });
            found.optional()
        })())
    }

    /// The sessions that begin like this, by their ids, which are the same in every index of the same
    /// files: those whose records name no parent or the session they were forked from.
    pub fn beginning_alike(&self, beginning: &Beginning) -> Result<Vec<SessionNum>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT num FROM beginnings JOIN sessions ON num = session
                 WHERE beginning = ?1 AND agent = ?2
                     AND (parent_kind IS NULL OR parent_kind IN (?3, ?4))
                 ORDER BY id",
            )?;
            let kinds = [LinkKind::ForkedFrom, LinkKind::SharesBeginning].map(LinkKind::name);
            let values = (&beginning.text, beginning.agent.name(), kinds[0], kinds[1]);
            let found = statement.query_map(values, |row| row.get(0).map(SessionNum))?;
            found.collect()
        })())
    }

    /// The messages of a session that have a time, in order.
    pub fn message_times(&self, session: SessionNum) -> Result<Vec<MessageTime>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT ix, at, role = ?3 FROM entries
                 WHERE session = ?1 AND kind = ?2 AND at IS NOT NULL
                     AND role IN (?3, ?4) ORDER BY ix",
            )?;
            let kind = kind_number(RecordKind::Message);
            let roles = [Role::User, Role::Assistant].map(role_number);
            let values = (session.0, kind, roles[0], roles[1]);
            let found = statement.query_map(values, |row| {
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

//! Table `marked_sessions`: which sessions the marks (stars, notes, labels) were made on, by what
//! their agent calls them, so that marks follow a session whose file was moved.

use super::UserDb;
use super::migration::Migration;
use crate::error::StoreError;
use palimpsest_core::Agent;
use std::collections::HashMap;

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_220_704,
    sql: "
CREATE TABLE marked_sessions (
    session_id TEXT PRIMARY KEY,
    agent      TEXT NOT NULL,
    native_id  TEXT NOT NULL,
    path       TEXT NOT NULL
) WITHOUT ROWID;
",
}];

/// Tables whose rows are marks.
const TABLES: [&str; 4] = ["stars", "notes", "labels", "titles"];

/// A session that has marks, as it was when the last one was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedSession {
    /// Its stable id, which depends on the path.
    pub session_id: String,
    /// The agent that wrote it.
    pub agent: Agent,
    /// The id as the agent wrote it.
    pub native_id: String,
    /// Its address.
    pub path: String,
}

/// The marks of one session in short.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionMarks {
    /// True when the session has a star.
    pub starred: bool,
    /// Number of notes on the session and its entries.
    pub notes: u64,
    /// The labels on the session itself, oldest first.
    pub labels: Vec<String>,
    /// Number of labels on its entries.
    pub entry_labels: u64,
    /// The title that the user gave the session.
    pub title: Option<String>,
}

impl UserDb {
    /// Keeps what tells a marked session from others.
    pub fn keep_marked_session(&self, session: &MarkedSession) -> Result<(), StoreError> {
        let db = self.db();
        let sql = "INSERT OR REPLACE INTO marked_sessions VALUES (?, ?, ?, ?)";
        db.at(db.conn.execute(
            sql,
            (
                &session.session_id,
                session.agent.name(),
                &session.native_id,
                &session.path,
            ),
        ))?;
        Ok(())
    }

    /// Every session that marks were made on.
    pub fn marked_sessions(&self) -> Result<Vec<MarkedSession>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db
                .conn
                .prepare_cached("SELECT * FROM marked_sessions ORDER BY session_id")?;
            let sessions = statement.query_map([], |row| {
                Ok(MarkedSession {
                    session_id: row.get("session_id")?,
                    agent: Agent::from_stored(&row.get::<_, String>("agent")?),
                    native_id: row.get("native_id")?,
                    path: row.get("path")?,
                })
            })?;
            sessions.collect()
        })())
    }

    /// Puts the marks of the session `from` on `to`. A mark that `to` has as well stays as it is
    /// there.
    pub fn move_marks(&self, from: &str, to: &MarkedSession) -> Result<(), StoreError> {
        {
            let db = self.db();
            db.at((|| {
                // One transaction, so that an interrupted move loses no mark.
                let transaction = db.conn.unchecked_transaction()?;
                for table in TABLES {
                    let sql =
                        // A mark that both have stays with the old session and is deleted by the
                        // next statement.
                        format!("UPDATE OR IGNORE {table} SET session_id = ? WHERE session_id = ?");
                    transaction.execute(&sql, (&to.session_id, from))?;
                    let sql = format!("DELETE FROM {table} WHERE session_id = ?");
                    transaction.execute(&sql, [from])?;
                }
                transaction.execute("DELETE FROM marked_sessions WHERE session_id = ?", [from])?;
                transaction.commit()
            })())?;
        }
        // After the lock is released: this call takes it again.
        self.keep_marked_session(to)
    }

    /// The marks of every session that has some, by session id.
    pub fn session_marks(&self) -> Result<HashMap<String, SessionMarks>, StoreError> {
        let mut all: HashMap<String, SessionMarks> = HashMap::new();
        for id in self.starred_sessions()? {
            all.entry(id).or_default().starred = true;
        }
        for (id, title) in self.titles()? {
            all.entry(id).or_default().title = Some(title);
        }
        for id in self.session_ids("SELECT session_id FROM notes", None)? {
            all.entry(id).or_default().notes += 1;
        }
        for label in self.labels(None)? {
            let marks = all.entry(label.target.session_id).or_default();
            match label.target.entry_id {
                None => marks.labels.push(label.text),
                Some(_) => marks.entry_labels += 1,
            }
        }
        Ok(all)
    }

    /// The ids a statement gives, which takes at most one argument.
    pub(super) fn session_ids(
        &self,
        sql: &str,
        argument: Option<&str>,
    ) -> Result<Vec<String>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(sql)?;
            let arguments = rusqlite::params_from_iter(argument);
            let ids = statement.query_map(arguments, |row| row.get(0))?;
            ids.collect()
        })())
    }
}

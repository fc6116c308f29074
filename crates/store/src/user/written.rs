//! Table `written`: every session that was written, and every addition to one.

use super::UserDb;
use super::migration::Migration;
use crate::connection::{int, uint};
use crate::error::StoreError;
use palimpsest_core::Agent;
use rusqlite::{OptionalExtension, Row, named_params};

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_222_040,
    sql: "
CREATE TABLE written (
    id           TEXT PRIMARY KEY,
    status       TEXT NOT NULL,
    appended     INTEGER NOT NULL,  -- 0: a new file
    change       TEXT NOT NULL,
    agent        TEXT NOT NULL,
    session_id   TEXT NOT NULL,     -- the session it was made from
    session_path TEXT NOT NULL,
    leaf_id      TEXT,
    run_id       TEXT,
    path         TEXT NOT NULL,     -- what was written
    bytes_before INTEGER NOT NULL,  -- size of the original; 0 for a new file
    hash_before  TEXT,              -- SHA-256 of the original, for an addition
    hash         TEXT NOT NULL,     -- SHA-256 of the whole file behind the write
    backup       TEXT,
    resume       TEXT NOT NULL,     -- JSON: program and arguments
    cwd          TEXT,
    written_at   INTEGER NOT NULL
);
CREATE INDEX written_by_path ON written (path);
",
}];

/// How far a write came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WrittenStatus {
    /// Begun; the program ended before it said how.
    Begun,
    /// The file is written and was read again.
    Done,
    /// The user took it back.
    Undone,
}

impl WrittenStatus {
    fn name(self) -> &'static str {
        match self {
            WrittenStatus::Begun => "begun",
            WrittenStatus::Done => "done",
            WrittenStatus::Undone => "undone",
        }
    }
}

/// A write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRow {
    /// Made by the caller, unique.
    pub id: String,
    /// How far it came.
    pub status: WrittenStatus,
    /// True for records appended to the original, false for a file of its own.
    pub appended: bool,
    /// What the model gets that the original's context does not have, as a word of the caller.
    pub change: String,
    /// The agent of the session.
    pub agent: Agent,
    /// Stable id of the session it was made from.
    pub session_id: String,
    /// The file of that session.
    pub session_path: String,
    /// The entry that the agent continues from; `None` before the first.
    pub leaf_id: Option<String>,
    /// The run whose summary it has.
    pub run_id: Option<String>,
    /// The written file.
    pub path: String,
    /// Size of the original in bytes; 0 for a new file.
    pub bytes_before: u64,
    /// SHA-256 of the original as hex digits, for an addition.
    pub hash_before: Option<String>,
    /// SHA-256 of the whole file behind the write, as hex digits.
    pub hash: String,
    /// The copy of the original, for an addition.
    pub backup: Option<String>,
    /// The program that resumes it and its arguments, as a JSON array.
    pub resume: String,
    /// The directory in which it is resumed.
    pub cwd: Option<String>,
    /// When, Unix milliseconds.
    pub written_at_ms: i64,
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<WrittenRow> {
    let status: String = row.get("status")?;
    Ok(WrittenRow {
        id: row.get("id")?,
        status: match status.as_str() {
            "done" => WrittenStatus::Done,
            "undone" => WrittenStatus::Undone,
            _ => WrittenStatus::Begun,
        },
        appended: row.get("appended")?,
        change: row.get("change")?,
        agent: Agent::from_stored(&row.get::<_, String>("agent")?),
        session_id: row.get("session_id")?,
        session_path: row.get("session_path")?,
        leaf_id: row.get("leaf_id")?,
        run_id: row.get("run_id")?,
        path: row.get("path")?,
        bytes_before: uint(row, "bytes_before")?,
        hash_before: row.get("hash_before")?,
        hash: row.get("hash")?,
        backup: row.get("backup")?,
        resume: row.get("resume")?,
        cwd: row.get("cwd")?,
        written_at_ms: row.get("written_at")?,
    })
}

impl UserDb {
    /// Stores a write; one with the same id is replaced.
    pub fn save_written(&self, row: &WrittenRow) -> Result<(), StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "INSERT OR REPLACE INTO written VALUES (:id, :status, :appended, :change, :agent,
                 :session_id, :session_path, :leaf_id, :run_id, :path, :bytes_before,
                 :hash_before, :hash, :backup, :resume, :cwd, :written_at)",
            )?;
            statement.execute(named_params! {
                ":id": row.id,
                ":status": row.status.name(),
                ":appended": row.appended,
                ":change": row.change,
                ":agent": row.agent.name(),
                ":session_id": row.session_id,
                ":session_path": row.session_path,
                ":leaf_id": row.leaf_id,
                ":run_id": row.run_id,
                ":path": row.path,
                ":bytes_before": int(row.bytes_before),
                ":hash_before": row.hash_before,
                ":hash": row.hash,
                ":backup": row.backup,
                ":resume": row.resume,
                ":cwd": row.cwd,
                ":written_at": row.written_at_ms,
            })?;
            Ok(())
        })())
    }

    /// Every write, newest first.
    pub fn written(&self) -> Result<Vec<WrittenRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let sql = "SELECT * FROM written ORDER BY written_at DESC, id";
            let mut statement = db.conn.prepare_cached(sql)?;
            statement.query_map([], from_row)?.collect()
        })())
    }

    /// The write with this id.
    pub fn written_by_id(&self, id: &str) -> Result<Option<WrittenRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let sql = "SELECT * FROM written WHERE id = ?";
            let mut statement = db.conn.prepare_cached(sql)?;
            statement.query_row([id], from_row).optional()
        })())
    }

    /// The hash of the new session that was written to `path` and stands there.
    pub fn hash_written_to(&self, path: &str) -> Result<Option<String>, StoreError> {
        let db = self.db();
        db.at((|| {
            let sql = "SELECT hash FROM written WHERE path = ? AND NOT appended AND status != ?
                       ORDER BY written_at DESC";
            let mut statement = db.conn.prepare_cached(sql)?;
            let undone = WrittenStatus::Undone.name();
            statement
                .query_row([path, undone], |row| row.get(0))
                .optional()
        })())
    }

    /// Forgets a write; true when there was one.
    pub fn forget_written(&self, id: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let sql = "DELETE FROM written WHERE id = ?";
        Ok(db.at(db.conn.execute(sql, [id]))? > 0)
    }
}

//! Tables of the lab: sets of cuts, experiments with their cells, and every request that a cell made
//! with what came back.

use super::UserDb;
use super::migration::Migration;
use super::runs::RunStatus;
use crate::connection::{int, uint, uint_opt};
use crate::error::StoreError;
use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior};

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_230_310,
    sql: "
CREATE TABLE cut_sets (
    name    TEXT PRIMARY KEY,
    query   TEXT,             -- what they were chosen by
    cuts    TEXT NOT NULL,    -- JSON array, with content hashes
    made_at INTEGER NOT NULL
);
CREATE TABLE labs (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    experiment  TEXT NOT NULL,  -- JSON
    cuts        TEXT NOT NULL,  -- JSON array, with content hashes
    started_at  INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE TABLE lab_cells (
    lab_id  TEXT NOT NULL,
    row     INTEGER NOT NULL,
    cut     INTEGER NOT NULL,
    repeat  INTEGER NOT NULL,
    run_id  TEXT NOT NULL,      -- given before anything is sent
    ended   INTEGER NOT NULL,   -- 0 until its run is kept, or cannot be made
    error   TEXT,               -- why there is no run
    PRIMARY KEY (lab_id, row, cut, repeat)
);
CREATE TABLE lab_calls (
    run_id   TEXT NOT NULL,
    key      TEXT NOT NULL,     -- hash of the request
    nth      INTEGER NOT NULL,  -- which request of this content, from 0
    attempt  INTEGER NOT NULL,  -- how often it was sent, from 1
    state    TEXT NOT NULL,     -- sent, replied, failed, lost
    reply    TEXT,              -- JSON
    error    TEXT,
    sent_at  INTEGER NOT NULL,
    ended_at INTEGER,
    PRIMARY KEY (run_id, key, nth, attempt)
);
",
}];

/// A set of cuts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutSetRow {
    /// Its name.
    pub name: String,
    /// The query that chose them; `None` for cuts chosen by hand.
    pub query: Option<String>,
    /// The cuts as JSON.
    pub cuts: String,
    /// When it was saved, Unix milliseconds.
    pub made_at_ms: i64,
}

/// An experiment that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabRow {
    /// Made by the caller, unique.
    pub id: String,
    /// The experiment's name.
    pub name: String,
    /// The experiment as JSON.
    pub experiment: String,
    /// Its cuts as JSON.
    pub cuts: String,
    /// When it was begun, Unix milliseconds.
    pub started_at_ms: i64,
    /// When its last cell ended, Unix milliseconds.
    pub finished_at_ms: Option<i64>,
}

/// A cell: one row at one cut in one repeat.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabCellRow {
    /// Which row, from 0.
    pub row: u64,
    /// Which cut, from 0.
    pub cut: u64,
    /// Which repeat, from 0.
    pub repeat: u64,
    /// The id of its run.
    pub run_id: String,
    /// True once its run is kept, or cannot be made.
    pub ended: bool,
    /// Why there is no run.
    pub error: Option<String>,
}

/// How far a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabCallState {
    /// It is on its way, or the program ended before it was answered.
    Sent,
    /// Its reply is stored.
    Replied,
    /// The provider failed or refused.
    Failed,
    /// The program ended before it was answered.
    Lost,
}

impl LabCallState {
    const ALL: [LabCallState; 4] = [
        LabCallState::Sent,
        LabCallState::Replied,
        LabCallState::Failed,
        LabCallState::Lost,
    ];

    /// The state's name in the table.
    pub fn name(self) -> &'static str {
        match self {
            LabCallState::Sent => "sent",
            LabCallState::Replied => "replied",
            LabCallState::Failed => "failed",
            LabCallState::Lost => "lost",
        }
    }
}

/// A request of a cell, sent once or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabCallRow {
    /// The run.
    pub run_id: String,
    /// Hash of the request.
    pub key: String,
    /// Which request of this content, from 0.
    pub nth: u64,
    /// How often it was sent, from 1.
    pub attempt: u64,
    /// How far it came.
    pub state: LabCallState,
    /// The reply as JSON.
    pub reply: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// When it was sent, Unix milliseconds.
    pub sent_at_ms: i64,
    /// When it ended, Unix milliseconds.
    pub ended_at_ms: Option<i64>,
}

fn set_from_row(row: &Row<'_>) -> rusqlite::Result<CutSetRow> {
    Ok(CutSetRow {
        name: row.get("name")?,
        query: row.get("query")?,
        cuts: row.get("cuts")?,
        made_at_ms: row.get("made_at")?,
    })
}

fn lab_from_row(row: &Row<'_>) -> rusqlite::Result<LabRow> {
    Ok(LabRow {
        id: row.get("id")?,
        name: row.get("name")?,
        experiment: row.get("experiment")?,
        cuts: row.get("cuts")?,
        started_at_ms: row.get("started_at")?,
        finished_at_ms: row.get("finished_at")?,
    })
}

fn cell_from_row(row: &Row<'_>) -> rusqlite::Result<LabCellRow> {
    Ok(LabCellRow {
        row: uint(row, "row")?,
        cut: uint(row, "cut")?,
        repeat: uint(row, "repeat")?,
        run_id: row.get("run_id")?,
        ended: row.get("ended")?,
        error: row.get("error")?,
    })
}

fn call_from_row(row: &Row<'_>) -> rusqlite::Result<LabCallRow> {
    let state: String = row.get("state")?;
    let state = LabCallState::ALL
        .into_iter()
        .find(|own| own.name() == state)
        // A state of a newer program has no reply that this one knows.
        .unwrap_or(LabCallState::Lost);
    Ok(LabCallRow {
        run_id: row.get("run_id")?,
        key: row.get("key")?,
        nth: uint(row, "nth")?,
        attempt: uint(row, "attempt")?,
        state,
        reply: row.get("reply")?,
        error: row.get("error")?,
        sent_at_ms: row.get("sent_at")?,
        ended_at_ms: uint_opt(row, "ended_at")?.and_then(|at| i64::try_from(at).ok()),
    })
}

impl UserDb {
    /// Stores a set of cuts; one of the same name is replaced.
    pub fn save_cut_set(&self, set: &CutSetRow) -> Result<(), StoreError> {
        let db = self.db();
        db.at(db.conn.execute(
            "INSERT OR REPLACE INTO cut_sets VALUES (?, ?, ?, ?)",
            (&set.name, &set.query, &set.cuts, set.made_at_ms),
        ))?;
        Ok(())
    }

    /// The sets of cuts, by name.
    pub fn cut_sets(&self) -> Result<Vec<CutSetRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db
                .conn
                .prepare_cached("SELECT * FROM cut_sets ORDER BY name")?;
            statement.query_map([], set_from_row)?.collect()
        })())
    }

    /// Deletes a set of cuts; true when there was one.
    pub fn delete_cut_set(&self, name: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let deleted = db
            .conn
            .execute("DELETE FROM cut_sets WHERE name = ?", [name]);
        Ok(db.at(deleted)? > 0)
    }

    /// Stores an experiment; one of the same id is replaced.
    pub fn save_lab(&self, lab: &LabRow) -> Result<(), StoreError> {
        let db = self.db();
        db.at(db.conn.execute(
            "INSERT OR REPLACE INTO labs VALUES (?, ?, ?, ?, ?, ?)",
            (
                &lab.id,
                &lab.name,
                &lab.experiment,
                &lab.cuts,
                lab.started_at_ms,
                lab.finished_at_ms,
            ),
        ))?;
        Ok(())
    }

    /// The experiment with this id.
    pub fn lab(&self, id: &str) -> Result<Option<LabRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached("SELECT * FROM labs WHERE id = ?")?;
            statement.query_row([id], lab_from_row).optional()
        })())
    }

    /// The experiments, newest first.
    pub fn labs(&self) -> Result<Vec<LabRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db
                .conn
                .prepare_cached("SELECT * FROM labs ORDER BY started_at DESC, id")?;
            statement.query_map([], lab_from_row)?.collect()
        })())
    }

    /// Deletes an experiment with its cells and the stored requests of their runs; true when there
    /// was one. The runs stay.
    pub fn delete_lab(&self, id: &str) -> Result<bool, StoreError> {
        let db = self.db();
        db.at((|| {
            let transaction = Transaction::new_unchecked(&db.conn, TransactionBehavior::Immediate)?;
            transaction.execute(
                "DELETE FROM lab_calls WHERE run_id IN \
                 (SELECT run_id FROM lab_cells WHERE lab_id = ?)",
                [id],
            )?;
            transaction.execute("DELETE FROM lab_cells WHERE lab_id = ?", [id])?;
            let deleted = transaction.execute("DELETE FROM labs WHERE id = ?", [id])?;
            transaction.commit()?;
            Ok(deleted > 0)
        })())
    }

    /// Stores a cell; one of the same place is replaced.
    pub fn save_lab_cell(&self, lab: &str, cell: &LabCellRow) -> Result<(), StoreError> {
        let db = self.db();
        db.at(db.conn.execute(
            "INSERT OR REPLACE INTO lab_cells VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                lab,
                int(cell.row),
                int(cell.cut),
                int(cell.repeat),
                &cell.run_id,
                cell.ended,
                &cell.error,
            ),
        ))?;
        Ok(())
    }

    /// The cells of an experiment that were begun, by cut, row and repeat.
    pub fn lab_cells(&self, lab: &str) -> Result<Vec<LabCellRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM lab_cells WHERE lab_id = ? ORDER BY cut, row, repeat",
            )?;
            statement.query_map([lab], cell_from_row)?.collect()
        })())
    }

    /// How many cells of an experiment ended without a run that is done.
    pub fn lab_failed(&self, lab: &str) -> Result<u64, StoreError> {
        let db = self.db();
        let found: i64 = db.at(db.conn.query_row(
            "SELECT count(*) FROM lab_cells LEFT JOIN runs ON runs.id = lab_cells.run_id
             WHERE lab_id = ? AND ended AND coalesce(runs.status, '') <> ?",
            (lab, RunStatus::Done.name()),
            |row| row.get(0),
        ))?;
        Ok(found.unsigned_abs())
    }

    /// Stores a request; one of the same run, content, place and attempt is replaced.
    pub fn save_lab_call(&self, call: &LabCallRow) -> Result<(), StoreError> {
        let db = self.db();
        db.at(db.conn.execute(
            "INSERT OR REPLACE INTO lab_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                &call.run_id,
                &call.key,
                int(call.nth),
                int(call.attempt),
                call.state.name(),
                &call.reply,
                &call.error,
                call.sent_at_ms,
                call.ended_at_ms,
            ),
        ))?;
        Ok(())
    }

    /// The requests of a run, in the order sent.
    pub fn lab_calls(&self, run_id: &str) -> Result<Vec<LabCallRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM lab_calls WHERE run_id = ? ORDER BY sent_at, key, nth, attempt",
            )?;
            statement.query_map([run_id], call_from_row)?.collect()
        })())
    }
}

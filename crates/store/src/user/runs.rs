//! Table `runs`: every executed plan, with its calls and what came of it.

use super::UserDb;
use super::migration::Migration;
use crate::connection::{int, named, uint, uint_opt};
use crate::error::StoreError;
use palimpsest_core::{Agent, SummaryKind, Usage};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, named_params, params_from_iter};

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_210_401,
    sql: "
CREATE TABLE runs (
    id                TEXT PRIMARY KEY,
    kind              TEXT NOT NULL,
    status            TEXT NOT NULL,
    session_id        TEXT NOT NULL,
    session_path      TEXT NOT NULL,
    agent             TEXT NOT NULL,
    at_entry_id       TEXT,
    strategy          TEXT NOT NULL,
    params            TEXT NOT NULL,  -- JSON
    instructions      TEXT,
    replaces_prompt   INTEGER NOT NULL,
    provider          TEXT NOT NULL,
    model             TEXT NOT NULL,
    plan              TEXT NOT NULL,  -- JSON
    calls             TEXT NOT NULL,  -- JSON array
    summary           TEXT,
    details           TEXT,           -- JSON: what else the caller keeps with a run
    input             INTEGER NOT NULL,
    output            INTEGER NOT NULL,
    cache_read        INTEGER NOT NULL,
    cache_write       INTEGER NOT NULL,
    total             INTEGER NOT NULL,
    reasoning         INTEGER,
    cost_usd          REAL,
    error             TEXT,
    started_at        INTEGER NOT NULL,
    finished_at       INTEGER
);
CREATE INDEX runs_by_session ON runs (session_id, started_at DESC);
",
}];

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunStatus {
    /// Not ended, or the program ended before it.
    Running,
    /// It has its summary.
    Done,
    /// It stopped with an error.
    Failed,
    /// The user stopped it.
    Cancelled,
    /// The program that made it ended before it. Never stored: a row says `Running` until then.
    Interrupted,
}

/// A run. A row is always written whole, in one statement.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Made by the caller, unique.
    pub id: String,
    /// What it makes.
    pub kind: SummaryKind,
    /// How far it came.
    pub status: RunStatus,
    /// The session's stable id.
    pub session_id: String,
    /// The session's file.
    pub session_path: String,
    /// The agent of the session.
    pub agent: Agent,
    /// The entry stood on.
    pub at_entry_id: Option<String>,
    /// Name of the strategy.
    pub strategy: String,
    /// The strategy's parameters as JSON.
    pub params: String,
    /// The custom instructions.
    pub instructions: Option<String>,
    /// True when the instructions replace the prompt instead of being appended.
    pub replaces_prompt: bool,
    /// The provider asked.
    pub provider: String,
    /// The model asked.
    pub model: String,
    /// The plan as JSON.
    pub plan: String,
    /// The calls made, with what came back, as a JSON array.
    pub calls: String,
    /// The summary.
    pub summary: Option<String>,
    /// Whatever else the caller keeps with a run, as JSON.
    pub details: Option<String>,
    /// Sum of the calls' usage, cost included.
    pub usage: Usage,
    /// Why it failed.
    pub error: Option<String>,
    /// When it was begun, Unix milliseconds.
    pub started_at_ms: i64,
    /// When it ended, Unix milliseconds.
    pub finished_at_ms: Option<i64>,
}

/// Which runs to list. Empty fields do not restrict.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Of this session.
    pub session_id: Option<String>,
    /// In this state.
    pub status: Option<RunStatus>,
    /// Of this kind.
    pub kind: Option<SummaryKind>,
}

impl RunStatus {
    /// The state's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Done => "done",
            RunStatus::Failed => "failed",
            RunStatus::Cancelled => "cancelled",
            RunStatus::Interrupted => "interrupted",
        }
    }

    /// The state called `name`.
    pub fn from_name(name: &str) -> Option<RunStatus> {
        [
            RunStatus::Running,
            RunStatus::Done,
            RunStatus::Failed,
            RunStatus::Cancelled,
            RunStatus::Interrupted,
        ]
        .into_iter()
        .find(|status| status.name() == name)
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: row.get("id")?,
        kind: named(row, "kind", SummaryKind::from_name)?,
        status: named(row, "status", RunStatus::from_name)?,
        session_id: row.get("session_id")?,
        session_path: row.get("session_path")?,
        agent: named(row, "agent", |name| Some(Agent::from_stored(name)))?,
        at_entry_id: row.get("at_entry_id")?,
        strategy: row.get("strategy")?,
        params: row.get("params")?,
        instructions: row.get("instructions")?,
        replaces_prompt: row.get("replaces_prompt")?,
        provider: row.get("provider")?,
        model: row.get("model")?,
        plan: row.get("plan")?,
        calls: row.get("calls")?,
        summary: row.get("summary")?,
        details: row.get("details")?,
        usage: Usage {
            input: uint(row, "input")?,
            output: uint(row, "output")?,
            cache_read: uint(row, "cache_read")?,
            cache_write: uint(row, "cache_write")?,
            cache_write_hour: 0,
            total: uint(row, "total")?,
            reasoning: uint_opt(row, "reasoning")?,
            cost_usd: row.get("cost_usd")?,
        },
        error: row.get("error")?,
        started_at_ms: row.get("started_at")?,
        finished_at_ms: row.get("finished_at")?,
    })
}

impl UserDb {
    /// Writes a run whole, replacing an earlier state of the same id.
    pub fn save_run(&self, run: &RunRow) -> Result<(), StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "INSERT OR REPLACE INTO runs VALUES (:id, :kind, :status, :session_id,
                 :session_path, :agent, :at_entry_id, :strategy, :params, :instructions,
                 :replaces_prompt, :provider, :model, :plan, :calls, :summary, :details, :input,
                 :output, :cache_read, :cache_write, :total, :reasoning, :cost_usd, :error,
                 :started_at, :finished_at)",
            )?;
            statement.execute(named_params! {
                ":id": run.id,
                ":kind": run.kind.name(),
                ":status": run.status.name(),
                ":session_id": run.session_id,
                ":session_path": run.session_path,
                ":agent": run.agent.name(),
                ":at_entry_id": run.at_entry_id,
                ":strategy": run.strategy,
                ":params": run.params,
                ":instructions": run.instructions,
                ":replaces_prompt": run.replaces_prompt,
                ":provider": run.provider,
                ":model": run.model,
                ":plan": run.plan,
                ":calls": run.calls,
                ":summary": run.summary,
                ":details": run.details,
                ":input": int(run.usage.input),
                ":output": int(run.usage.output),
                ":cache_read": int(run.usage.cache_read),
                ":cache_write": int(run.usage.cache_write),
                ":total": int(run.usage.total),
                ":reasoning": run.usage.reasoning.map(int),
                ":cost_usd": run.usage.cost_usd,
                ":error": run.error,
                ":started_at": run.started_at_ms,
                ":finished_at": run.finished_at_ms,
            })?;
            Ok(())
        })())
    }

    /// The run with this id.
    pub fn run(&self, id: &str) -> Result<Option<RunRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached("SELECT * FROM runs WHERE id = ?")?;
            statement.query_row([id], from_row).optional()
        })())
    }

    /// The runs whose id begins with `prefix`, newest first, at most `limit`.
    pub fn runs_by_prefix(&self, prefix: &str, limit: u64) -> Result<Vec<RunRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                // An empty text is the beginning of each, and means none of them.
                "SELECT * FROM runs WHERE ?1 <> '' AND substr(id, 1, length(?1)) = ?1 \
                 ORDER BY started_at DESC, id LIMIT ?2",
            )?;
            statement
                .query_map((prefix, int(limit)), from_row)?
                .collect()
        })())
    }

    /// The runs that pass `filter`, newest first, at most `limit`.
    pub fn runs(&self, filter: &RunFilter, limit: u64) -> Result<Vec<RunRow>, StoreError> {
        let columns = [
            ("session_id", filter.session_id.clone()),
            (
                "status",
                filter.status.map(|status| status.name().to_owned()),
            ),
            ("kind", filter.kind.map(|kind| kind.name().to_owned())),
        ];
        let mut sql = String::from("SELECT * FROM runs WHERE 1");
        let mut values: Vec<Value> = Vec::new();
        for (column, value) in columns {
            if let Some(value) = value {
                sql.push_str(&format!(" AND {column} = ?"));
                values.push(value.into());
            }
        }
        sql.push_str(" ORDER BY started_at DESC, id LIMIT ?");
        values.push(int(limit).into());
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(&sql)?;
            statement
                .query_map(params_from_iter(&values), from_row)?
                .collect()
        })())
    }

    /// Deletes a run with its note; true when there was one.
    pub fn delete_run(&self, id: &str) -> Result<bool, StoreError> {
        let db = self.db();
        db.at(db
            .conn
            .execute("DELETE FROM run_notes WHERE run_id = ?", [id]))?;
        Ok(db.at(db.conn.execute("DELETE FROM runs WHERE id = ?", [id]))? > 0)
    }
}

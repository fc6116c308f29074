//! Table `spending`: what a session used of each model. Prices are applied where they are known,
//! so that a change of the catalog needs no second reading of the sessions.

use super::{IndexReader, IndexWriter, SessionNum};
use crate::connection::{int, uint, uint_opt};
use crate::error::StoreError;
use palimpsest_core::Usage;
use rusqlite::{Row, named_params};

pub(super) const SCHEMA: &str = "
CREATE TABLE spending (
    session          INTEGER NOT NULL,
    nth              INTEGER NOT NULL,  -- in the order in which the models were first used
    provider         TEXT NOT NULL,
    model            TEXT NOT NULL,
    requests         INTEGER NOT NULL,
    input            INTEGER NOT NULL,
    output           INTEGER NOT NULL,
    cache_read       INTEGER NOT NULL,
    cache_write      INTEGER NOT NULL,
    cache_write_hour INTEGER NOT NULL,
    reasoning        INTEGER,
    total            INTEGER NOT NULL,
    cost_usd         REAL,              -- as the agent stored it
    estimated_output INTEGER NOT NULL,
    reply_reported   INTEGER,           -- of the newest reply, which may go on
    reply_written    INTEGER,
    PRIMARY KEY (session, nth)
) WITHOUT ROWID;
";

/// What a session used of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct SpentRow {
    /// Provider name, as the agent spells it.
    pub provider: String,
    /// Model id, as the agent spells it.
    pub model: String,
    /// Number of requests.
    pub requests: u64,
    /// What they used, with the cost that the agent stored.
    pub usage: Usage,
    /// Tokens of the output that are estimated.
    pub estimated_output: u64,
    /// Output of the newest reply, which may go on: as reported, and as estimated.
    pub open_reply: Option<(u64, u64)>,
}

impl IndexReader {
    /// What a session used, by model.
    pub fn spending(&self, session: SessionNum) -> Result<Vec<SpentRow>, StoreError> {
        self.db.at((|| {
            let sql = "SELECT * FROM spending WHERE session = ? ORDER BY nth";
            let mut statement = self.db.conn.prepare_cached(sql)?;
            statement.query_map([session.0], from_row)?.collect()
        })())
    }
}

impl IndexWriter<'_> {
    /// What a session used, by model.
    pub fn spending(&self, session: SessionNum) -> Result<Vec<SpentRow>, StoreError> {
        self.db.at((|| {
            let sql = "SELECT * FROM spending WHERE session = ? ORDER BY nth";
            let mut statement = self.db.conn.prepare_cached(sql)?;
            statement.query_map([session.0], from_row)?.collect()
        })())
    }

    /// Writes what a session used, in place of what was known.
    pub fn put_spending(&self, session: SessionNum, rows: &[SpentRow]) -> Result<(), StoreError> {
        self.db.at((|| {
            let conn = &self.db.conn;
            conn.prepare_cached("DELETE FROM spending WHERE session = ?")?
                .execute([session.0])?;
            let mut insert = conn.prepare_cached(
                "INSERT INTO spending VALUES (:session, :nth, :provider, :model, :requests, \
                     :input, :output, :cache_read, :cache_write, :cache_write_hour, :reasoning, \
                     :total, :cost_usd, :estimated_output, :reported, :written)",
            )?;
            for (nth, row) in rows.iter().enumerate() {
                let usage = &row.usage;
                insert.execute(named_params! {
                    ":session": session.0,
                    ":nth": int(nth as u64),
                    ":provider": row.provider,
                    ":model": row.model,
                    ":requests": int(row.requests),
                    ":input": int(usage.input),
                    ":output": int(usage.output),
                    ":cache_read": int(usage.cache_read),
                    ":cache_write": int(usage.cache_write),
                    ":cache_write_hour": int(usage.cache_write_hour),
                    ":reasoning": usage.reasoning.map(int),
                    ":total": int(usage.total),
                    ":cost_usd": usage.cost_usd,
                    ":estimated_output": int(row.estimated_output),
                    ":reported": row.open_reply.map(|reply| int(reply.0)),
                    ":written": row.open_reply.map(|reply| int(reply.1)),
                })?;
            }
            Ok(())
        })())
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<SpentRow> {
    Ok(SpentRow {
        provider: row.get("provider")?,
        model: row.get("model")?,
        requests: uint(row, "requests")?,
        usage: Usage {
            input: uint(row, "input")?,
            output: uint(row, "output")?,
            cache_read: uint(row, "cache_read")?,
            cache_write: uint(row, "cache_write")?,
            cache_write_hour: uint(row, "cache_write_hour")?,
            reasoning: uint_opt(row, "reasoning")?,
            total: uint(row, "total")?,
            cost_usd: row.get("cost_usd")?,
        },
        estimated_output: uint(row, "estimated_output")?,
        open_reply: uint_opt(row, "reply_reported")?.zip(uint_opt(row, "reply_written")?),
    })
}

//! Table `judgements`: what models were asked about sessions, with every prompt and reply.

use super::UserDb;
use super::migration::Migration;
use super::runs::RunStatus;
use crate::connection::named;
use crate::error::StoreError;
use rusqlite::{Row, named_params};

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_231_205,
    sql: "
CREATE TABLE judgements (
    id           TEXT PRIMARY KEY,
    what         TEXT NOT NULL,     -- facts, pair, probes
    status       TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    session_path TEXT NOT NULL,
    spec         TEXT NOT NULL,     -- JSON: what was asked for
    provider     TEXT NOT NULL,
    model        TEXT NOT NULL,
    plan         TEXT NOT NULL,     -- JSON: the calls as they were sent
    calls        TEXT NOT NULL,     -- JSON array: what came back
    result       TEXT,              -- JSON
    cost_usd     REAL,
    error        TEXT,
    started_at   INTEGER NOT NULL,
    finished_at  INTEGER
);
CREATE INDEX judgements_by_session ON judgements (session_id, started_at DESC);
",
}];

/// The result of a finished judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The judgement.
    pub id: String,
    /// What was asked for, as JSON.
    pub spec: String,
    /// The result, as JSON.
    pub result: String,
}

/// A judgement. A row is always written whole, in one statement.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementRow {
    /// Made by the caller, unique among judgements and runs.
    pub id: String,
    /// What was asked.
    pub what: String,
    /// How far it came.
    pub status: RunStatus,
    /// The session's stable id.
    pub session_id: String,
    /// The session's file.
    pub session_path: String,
    /// What was asked for, as JSON.
    pub spec: String,
    /// The provider asked.
    pub provider: String,
    /// The model asked.
    pub model: String,
    /// The calls as they were sent, as JSON.
    pub plan: String,
    /// What came back, as a JSON array.
    pub calls: String,
    /// The result as JSON; absent until it is done.
    pub result: Option<String>,
    /// What the calls cost in dollars, where prices are known.
    pub cost_usd: Option<f64>,
    /// Why it failed.
    pub error: Option<String>,
    /// When it was begun, Unix milliseconds.
    pub started_at_ms: i64,
    /// When it ended, Unix milliseconds.
    pub finished_at_ms: Option<i64>,
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<JudgementRow> {
    Ok(JudgementRow {
        id: row.get("id")?,
        what: row.get("what")?,
        status: named(row, "status", RunStatus::from_name)?,
        session_id: row.get("session_id")?,
        session_path: row.get("session_path")?,
        spec: row.get("spec")?,
        provider: row.get("provider")?,
        model: row.get("model")?,
        plan: row.get("plan")?,
        calls: row.get("calls")?,
        result: row.get("result")?,
        cost_usd: row.get("cost_usd")?,
        error: row.get("error")?,
        started_at_ms: row.get("started_at")?,
        finished_at_ms: row.get("finished_at")?,
    })
}

impl UserDb {
    /// Writes a judgement whole, replacing an earlier state of the same id.
    pub fn save_judgement(&self, row: &JudgementRow) -> Result<(), StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "INSERT OR REPLACE INTO judgements VALUES (:id, :what, :status, :session_id,
                 :session_path, :spec, :provider, :model, :plan, :calls, :result, :cost_usd, :error,
                 :started_at, :finished_at)",
            )?;
            statement.execute(named_params! {
                ":id": row.id,
                ":what": row.what,
                ":status": row.status.name(),
                ":session_id": row.session_id,
                ":session_path": row.session_path,
                ":spec": row.spec,
                ":provider": row.provider,
                ":model": row.model,
                ":plan": row.plan,
                ":calls": row.calls,
                ":result": row.result,
                ":cost_usd": row.cost_usd,
                ":error": row.error,
                ":started_at": row.started_at_ms,
                ":finished_at": row.finished_at_ms,
            })?;
            Ok(())
        })())
    }

    /// The judgements whose id begins with `prefix`, newest first, two at most: more say nothing new.
    pub fn judgements_by_prefix(&self, prefix: &str) -> Result<Vec<JudgementRow>, StoreError> {
        // An empty text is the beginning of each, and means none of them.
        self.judgements_where("?1 <> '' AND substr(id, 1, length(?1)) = ?1", prefix, 2)
    }

    /// The judgements of a session, newest first.
    pub fn judgements_of(&self, session_id: &str) -> Result<Vec<JudgementRow>, StoreError> {
        self.judgements_where("session_id = ?1", session_id, 200)
    }

    fn judgements_where(
        &self,
        condition: &str,
        value: &str,
        limit: u32,
    ) -> Result<Vec<JudgementRow>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(&format!(
                "SELECT * FROM judgements WHERE {condition} ORDER BY started_at DESC, id LIMIT ?2"
            ))?;
            statement.query_map((value, limit), from_row)?.collect()
        })())
    }

    /// The results of the finished judgements of a session about `what`, oldest first.
    pub fn judged(&self, session_id: &str, what: &str) -> Result<Vec<Judged>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT id, spec, result FROM judgements
                 WHERE session_id = ?1 AND what = ?2 AND status = 'done' AND result IS NOT NULL
                 ORDER BY started_at, id",
            )?;
            let rows = statement.query_map([session_id, what], |row| {
                Ok(Judged {
                    id: row.get(0)?,
                    spec: row.get(1)?,
                    result: row.get(2)?,
                })
            })?;
            rows.collect()
        })())
    }

    /// Deletes a judgement; true when there was one.
    pub fn delete_judgement(&self, id: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let deleted = db.conn.execute("DELETE FROM judgements WHERE id = ?", [id]);
        Ok(db.at(deleted)? > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, status: RunStatus, at: i64) -> JudgementRow {
        JudgementRow {
            id: id.to_owned(),
            what: "facts".to_owned(),
            status,
            session_id: "s".to_owned(),
            session_path: "/s.jsonl".to_owned(),
            spec: "{}".to_owned(),
            provider: "mine".to_owned(),
            model: "m".to_owned(),
            plan: "{}".to_owned(),
            calls: "[]".to_owned(),
            result: (status == RunStatus::Done).then(|| format!("\"{id}\"")),
            cost_usd: Some(0.25),
            error: None,
            started_at_ms: at,
            finished_at_ms: None,
        }
    }

    #[test]
    fn judgements_are_written_whole_and_found_by_id_and_session() {
        let db = UserDb::init_in_memory().unwrap();
        db.save_judgement(&row("ab1", RunStatus::Running, 1))
            .unwrap();
        db.save_judgement(&row("ab2", RunStatus::Failed, 2))
            .unwrap();
        let done = row("ab1", RunStatus::Done, 1);
        db.save_judgement(&done).unwrap();
        assert_eq!(db.judgements_by_prefix("ab").unwrap().len(), 2);
        assert_eq!(db.judgements_by_prefix("").unwrap(), []);
        assert_eq!(db.judgements_by_prefix("ab1").unwrap(), [done]);
        let ids: Vec<String> = db
            .judgements_of("s")
            .unwrap()
            .into_iter()
            .map(|row| row.id)
            .collect();
        assert_eq!(ids, ["ab2", "ab1"]);
        let judged = db.judged("s", "facts").unwrap();
        let wanted = Judged {
            id: "ab1".to_owned(),
            spec: "{}".to_owned(),
            result: "\"ab1\"".to_owned(),
        };
        assert_eq!(judged, [wanted]);
        assert_eq!(db.judged("s", "pair").unwrap(), []);
        assert!(db.delete_judgement("ab1").unwrap());
        assert!(!db.delete_judgement("ab1").unwrap());
        assert_eq!(db.judged("s", "facts").unwrap(), []);
    }
}

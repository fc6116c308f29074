//! The deliveries that wait, in SQLite.

use crate::event::EventId;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool};
use std::path::Path;

#[derive(Debug, Clone)]
pub struct Queue {
    pool: SqlitePool,
}

/// A delivery that this worker may make until its lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub id: i64,
    pub event: EventId,
    pub tenant: String,
    pub body: Vec<u8>,
    pub attempt: i64,
}

impl Queue {
    pub async fn open(path: &Path) -> Result<Queue, sqlx::Error> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal);
        let pool = SqlitePool::connect_with(options).await?;
        sqlx::migrate!("./migrations").run(&pool).await?;
        Ok(Queue { pool })
    }

    pub async fn push(&self, event: &EventId, tenant: &str, body: &[u8]) -> Result<i64, sqlx::Error> {
        let event = event.as_str();
        let row = sqlx::query!(
            "INSERT INTO delivery (event, tenant, body) VALUES (?, ?, ?) RETURNING id",
            event,
            tenant,
            body
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(row.id)
    }

    /// Leases the oldest delivery that is due.
    pub async fn lease(&self, now: i64, lease_secs: i64) -> Result<Option<Lease>, sqlx::Error> {
        let until = now + lease_secs;
        let row = sqlx::query!(
            "UPDATE delivery SET leased_until = ?, attempt = attempt + 1
             WHERE id = (SELECT id FROM delivery
                         WHERE done = 0 AND leased_until <= ? AND not_before <= ?
                         ORDER BY id LIMIT 1)
             RETURNING id, event, tenant, body, attempt",
            until,
            now,
            now
        )
        .fetch_optional(&self.pool)
        .await?;
        Ok(row.map(|row| Lease {
            id: row.id,
            event: EventId::from(row.event),
            tenant: row.tenant,
            body: row.body,
            attempt: row.attempt,
        }))
    }

    pub async fn done(&self, id: i64) -> Result<(), sqlx::Error> {
        sqlx::query!("UPDATE delivery SET done = 1 WHERE id = ?", id).execute(&self.pool).await?;
        Ok(())
    }

    pub async fn retry_at(&self, id: i64, at: i64) -> Result<(), sqlx::Error> {
        sqlx::query!("UPDATE delivery SET not_before = ?, leased_until = 0 WHERE id = ?", at, id)
            .execute(&self.pool)
            .await?;
        Ok(())
    }
}

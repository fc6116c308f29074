//! Table `prompts`: the user's prompts, every version kept.

use super::UserDb;
use super::migration::Migration;
use crate::connection::uint32;
use crate::error::StoreError;
use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior};

pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        stamp: 202_611_210_402,
        sql: "
CREATE TABLE prompts (
    name         TEXT NOT NULL,
    version      INTEGER NOT NULL,  -- 1, 2, 3... within the name
    text         TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (name, version),
    UNIQUE (name, content_hash)
);
",
    },
    Migration {
        stamp: 202_611_211_100,
        sql: "
ALTER TABLE prompts ADD COLUMN strategy TEXT;  -- what it was written for
ALTER TABLE prompts ADD COLUMN place TEXT;     -- which of its prompts, or 'instructions'
ALTER TABLE prompts ADD COLUMN source TEXT;    -- the file it was imported from
CREATE INDEX prompts_by_hash ON prompts (content_hash);
",
    },
    Migration {
        stamp: 202_611_231_220,
        sql: "
ALTER TABLE prompts ADD COLUMN label TEXT;  -- what the user calls the version
",
    },
];

/// Where a prompt belongs and where it came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptOrigin {
    /// The strategy it was written for.
    pub strategy: Option<String>,
    /// Which of the strategy's prompts it is, or `instructions`.
    pub place: Option<String>,
    /// The file it was imported from.
    pub source: Option<String>,
}

/// One version of a prompt; its text never changes once it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptVersion {
    /// The prompt's name.
    pub name: String,
    /// Counts from 1 within the name.
    pub version: u32,
    /// The prompt.
    pub text: String,
    /// Hash of the text, made by the caller.
    pub content_hash: String,
    /// When it was saved, Unix milliseconds.
    pub created_at_ms: i64,
    /// Where it belongs.
    pub origin: PromptOrigin,
    /// What the user calls this version, such as `baseline`.
    pub label: Option<String>,
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<PromptVersion> {
    Ok(PromptVersion {
        name: row.get("name")?,
        version: uint32(row, "version")?,
        text: row.get("text")?,
        content_hash: row.get("content_hash")?,
        created_at_ms: row.get("created_at")?,
        origin: PromptOrigin {
            strategy: row.get("strategy")?,
            place: row.get("place")?,
            source: row.get("source")?,
        },
        label: row.get("label")?,
    })
}

impl UserDb {
    /// Saves a text as the next version of `name`. A text that is already a version of it is not
    /// saved again; that version is returned.
    pub fn save_prompt(
        &self,
        name: &str,
        text: &str,
        content_hash: &str,
        origin: &PromptOrigin,
        now_ms: i64,
    ) -> Result<PromptVersion, StoreError> {
        let db = self.db();
        db.at((|| {
            // The write lock from the start, so that two programs do not give the same version
            // number.
            let transaction = Transaction::new_unchecked(&db.conn, TransactionBehavior::Immediate)?;
            transaction.execute(
                "INSERT INTO prompts (name, version, text, content_hash, created_at, strategy, \
                 place, source) \
                 SELECT ?1, 1 + coalesce(max(version), 0), ?2, ?3, ?4, ?5, ?6, ?7 \
                 FROM prompts WHERE name = ?1 \
                 ON CONFLICT (name, content_hash) DO NOTHING",
                (
                    name,
                    text,
                    content_hash,
                    now_ms,
                    &origin.strategy,
                    &origin.place,
                    &origin.source,
                ),
            )?;
            let saved = transaction.query_row(
                "SELECT * FROM prompts WHERE name = ? AND content_hash = ?",
                (name, content_hash),
                from_row,
            )?;
            transaction.commit()?;
            Ok(saved)
        })())
    }

    /// The newest version of every prompt, by name.
    pub fn prompts(&self) -> Result<Vec<PromptVersion>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM prompts AS p WHERE version = \
                 (SELECT max(version) FROM prompts WHERE name = p.name) ORDER BY name",
            )?;
            statement.query_map([], from_row)?.collect()
        })())
    }

    /// The first saved version with this hash, whatever its name: the one that a text is known by.
    pub fn prompt_by_hash(&self, content_hash: &str) -> Result<Option<PromptVersion>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM prompts WHERE content_hash = ? ORDER BY created_at, name LIMIT 1",
            )?;
            statement.query_row([content_hash], from_row).optional()
        })())
    }

    /// Every version of a prompt, newest first.
    pub fn prompt_versions(&self, name: &str) -> Result<Vec<PromptVersion>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db
                .conn
                .prepare_cached("SELECT * FROM prompts WHERE name = ? ORDER BY version DESC")?;
            statement.query_map([name], from_row)?.collect()
        })())
    }

    /// One version of a prompt, the newest when none is named.
    pub fn prompt(
        &self,
        name: &str,
        version: Option<u32>,
    ) -> Result<Option<PromptVersion>, StoreError> {
        let db = self.db();
        db.at((|| {
            let mut statement = db.conn.prepare_cached(
                "SELECT * FROM prompts WHERE name = ?1 AND (?2 IS NULL OR version = ?2) \
                 ORDER BY version DESC LIMIT 1",
            )?;
            statement.query_row((name, version), from_row).optional()
        })())
    }

    /// Renames a prompt with all its versions; true when there was one. Fails where the new name
    /// is taken.
    pub fn rename_prompt(&self, name: &str, to: &str) -> Result<bool, StoreError> {
        let db = self.db();
        let sql = "UPDATE prompts SET name = ?2 WHERE name = ?1";
        Ok(db.at(db.conn.execute(sql, (name, to)))? > 0)
    }

    /// Labels one version of a prompt, or removes its label; true when there is such a version.
    pub fn label_prompt(
        &self,
        name: &str,
        version: u32,
        label: Option<&str>,
    ) -> Result<bool, StoreError> {
        let db = self.db();
        let sql = "UPDATE prompts SET label = ?3 WHERE name = ?1 AND version = ?2";
        Ok(db.at(db.conn.execute(sql, (name, version, label)))? > 0)
    }

    /// Deletes a prompt with all its versions; true when there was one.
    pub fn delete_prompt(&self, name: &str) -> Result<bool, StoreError> {
        let db = self.db();
        Ok(db.at(db
            .conn
            .execute("DELETE FROM prompts WHERE name = ?", [name]))?
            > 0)
    }
}

//! Table `run_notes`: the name and the note that the user gave a run.

use super::UserDb;
use super::migration::Migration;
use crate::error::StoreError;
use rusqlite::OptionalExtension;
use std::collections::HashMap;

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_230_301,
    sql: "
CREATE TABLE run_notes (
    run_id     TEXT PRIMARY KEY,
    name       TEXT,
    note       TEXT,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;
",
}];

/// What the user wrote about a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunNote {
    /// What the user calls the run.
    pub name: Option<String>,
    /// A free text about it.
    pub note: Option<String>,
}

impl UserDb {
    /// Writes name and note of a run in place of earlier ones; without either the row goes.
    pub fn set_run_note(&self, run: &str, note: &RunNote, now_ms: i64) -> Result<(), StoreError> {
        let db = self.db();
        let done = if *note == RunNote::default() {
            db.conn
                .execute("DELETE FROM run_notes WHERE run_id = ?", [run])
        } else {
            db.conn.execute(
                "INSERT OR REPLACE INTO run_notes VALUES (?, ?, ?, ?)",
                (run, &note.name, &note.note, now_ms),
            )
        };
        db.at(done).map(drop)
    }

    /// What the user wrote about one run; empty where that is nothing.
    pub fn run_note(&self, run: &str) -> Result<RunNote, StoreError> {
        let db = self.db();
        let sql = "SELECT name, note FROM run_notes WHERE run_id = ?";
        let found = db.conn.query_row(sql, [run], |row| {
            Ok(RunNote {
                name: row.get(0)?,
                note: row.get(1)?,
            })
        });
        Ok(db.at(found.optional())?.unwrap_or_default())
    }

    /// What the user wrote about runs, by the ids of the runs.
    pub fn run_notes(&self) -> Result<HashMap<String, RunNote>, StoreError> {
        let db = self.db();
        db.at((|| {
            let sql = "SELECT run_id, name, note FROM run_notes";
            let mut statement = db.conn.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                let note = RunNote {
                    name: row.get(1)?,
                    note: row.get(2)?,
                };
                Ok((row.get(0)?, note))
            })?;
            rows.collect()
        })())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &str, note: &str) -> RunNote {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        RunNote {
            name: text(name),
            note: text(note),
        }
    }

    #[test]
    fn a_note_is_replaced_and_goes_when_it_is_empty() {
        let db = UserDb::init_in_memory().unwrap();
        db.set_run_note("a", &note("shorter", ""), 1).unwrap();
        db.set_run_note("b", &note("", "lost the ports"), 1)
            .unwrap();
        db.set_run_note("a", &note("shortest", "kept all"), 2)
            .unwrap();
        assert_eq!(db.run_note("a").unwrap(), note("shortest", "kept all"));
        db.set_run_note("b", &RunNote::default(), 3).unwrap();
        assert_eq!(
            db.run_notes().unwrap().into_iter().collect::<Vec<_>>(),
            [("a".to_owned(), note("shortest", "kept all"))]
        );
        assert_eq!(db.run_note("b").unwrap(), RunNote::default());
    }
}

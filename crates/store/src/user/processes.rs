//! Table `processes`: which process makes a run or an experiment, for as long as it does. Another
//! process tells by it what is under way from what was cut off.

use super::UserDb;
use super::migration::Migration;
use crate::error::StoreError;
use rusqlite::{OptionalExtension, Row};

pub(super) const MIGRATIONS: &[Migration] = &[Migration {
    stamp: 202_611_230_845,
    sql: "
CREATE TABLE processes (
    makes TEXT PRIMARY KEY,  -- the id of a run, or lab:ID for an experiment
    pid   INTEGER NOT NULL,
    began TEXT NOT NULL      -- tells processes apart that had the same number
) WITHOUT ROWID;
",
}];

/// A process, told from every other that had its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessMark {
    /// Its number.
    pub pid: u32,
    /// When it began, as the system counts it.
    pub began: String,
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ProcessMark> {
    Ok(ProcessMark {
        pid: row.get("pid")?,
        began: row.get("began")?,
    })
}

impl UserDb {
    /// Notes that a process makes `what`. False where another one does, which `is_live` decides: the
    /// mark of a process that has ended is replaced.
    pub fn claim(
        &self,
        what: &str,
        mark: &ProcessMark,
        is_live: impl Fn(&ProcessMark) -> bool,
    ) -> Result<bool, StoreError> {
        let db = self.db();
        db.at((|| {
            let insert = "INSERT OR IGNORE INTO processes VALUES (?, ?, ?)";
            if db.conn.execute(insert, (what, mark.pid, &mark.began))? > 0 {
                return Ok(true);
            }
            let find = "SELECT pid, began FROM processes WHERE makes = ?";
            let holder = db.conn.query_row(find, [what], from_row).optional()?;
            if holder.as_ref().is_some_and(is_live) {
                return Ok(false);
            }
            if let Some(dead) = holder {
                // Only this very mark: a third process may have been quicker.
                db.conn.execute(
                    "DELETE FROM processes WHERE makes = ? AND pid = ? AND began = ?",
                    (what, dead.pid, &dead.began),
                )?;
            }
            Ok(db.conn.execute(insert, (what, mark.pid, &mark.began))? > 0)
        })())
    }

    /// The process that makes `what`, or made it when it ended.
    pub fn maker(&self, what: &str) -> Result<Option<ProcessMark>, StoreError> {
        let db = self.db();
        let sql = "SELECT pid, began FROM processes WHERE makes = ?";
        db.at(db.conn.query_row(sql, [what], from_row).optional())
    }

    /// Forgets who made `what`, which has ended.
    pub fn release(&self, what: &str) -> Result<(), StoreError> {
        let db = self.db();
        db.at(db
            .conn
            .execute("DELETE FROM processes WHERE makes = ?", [what]))
            .map(drop)
    }

    /// Forgets who made a run, and the run where nothing came of it: a row that still says that it
    /// runs.
    pub fn release_run(&self, run: &str) -> Result<(), StoreError> {
        let db = self.db();
        db.at((|| {
            let stale = "DELETE FROM runs WHERE id = ? AND status = 'running'";
            db.conn.execute(stale, [run])?;
            let mark = "DELETE FROM processes WHERE makes = ?";
            db.conn.execute(mark, [run]).map(drop)
        })())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_live_process_makes_is_claimed_by_no_other() {
        let db = UserDb::init_in_memory().unwrap();
        let mark = |pid: u32| ProcessMark {
            pid,
            began: "1".to_owned(),
        };
        let is_live = |of: &ProcessMark| of.pid != 7;
        assert!(db.claim("a", &mark(7), is_live).unwrap());
        assert!(db.claim("a", &mark(8), is_live).unwrap(), "7 has ended");
        assert_eq!(db.maker("a").unwrap(), Some(mark(8)));
        assert!(!db.claim("a", &mark(9), is_live).unwrap());
        assert!(db.claim("b", &mark(9), is_live).unwrap());
        db.release("a").unwrap();
        assert_eq!(db.maker("a").unwrap(), None);
        assert!(db.claim("a", &mark(9), is_live).unwrap());
    }
}

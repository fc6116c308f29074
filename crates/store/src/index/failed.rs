//! Table `failed_calls`: the calls that failed or were rejected, with what they ran. They are few
//! among all calls, and are what one counts.

use super::IndexWriter;
use crate::connection::int;
use crate::error::StoreError;

pub(super) const SCHEMA: &str = "
CREATE TABLE failed_calls (
    entry    INTEGER NOT NULL,   -- the number of the entry with the result
    nth      INTEGER NOT NULL,   -- several results may be in one entry
    tool     TEXT NOT NULL,      -- empty where it is unknown
    command  TEXT,               -- the program that a shell command runs
    rejected INTEGER NOT NULL,
    PRIMARY KEY (entry, nth)
) WITHOUT ROWID;
";

/// A call that failed or was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCall {
    /// The tool; empty where it is unknown.
    pub tool: String,
    /// The program that a shell command runs, with its subcommand.
    pub command: Option<String>,
    /// True where the user rejected it.
    pub rejected: bool,
}

impl IndexWriter<'_> {
    /// Adds the calls of an entry that failed or were rejected.
    pub fn add_failed_calls(&self, entry: i64, calls: &[FailedCall]) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut insert = self
                .db
                .conn
                .prepare_cached("INSERT INTO failed_calls VALUES (?, ?, ?, ?, ?)")?;
            for (nth, call) in (0_u64..).zip(calls) {
                insert.execute((entry, int(nth), &call.tool, &call.command, call.rejected))?;
            }
            Ok(())
        })())
    }
}

//! Runs that could not be written to the user database: their replies are paid for.

use crate::session::lock;
use palimpsest_core::failure::Problem;
use palimpsest_store::user::RunRow;
use std::sync::Mutex;

/// Runs in memory, for as long as the program runs, each with the reason.
#[derive(Debug, Default)]
pub(crate) struct UnkeptRuns(Mutex<Vec<(RunRow, Problem)>>);

impl UnkeptRuns {
    /// The runs, the newest last.
    pub(super) fn rows(&self) -> Vec<RunRow> {
        lock(&self.0).iter().map(|(row, _)| row.clone()).collect()
    }

    /// Why the run with this id could not be kept.
    pub(super) fn reason(&self, id: &str) -> Option<Problem> {
        let all = lock(&self.0);
        let found = all.iter().find(|(row, _)| row.id == id);
        found.map(|(_, reason)| reason.clone())
    }

    /// Forgets a run; true when there was one.
    pub(super) fn forget(&self, id: &str) -> bool {
        let mut all = lock(&self.0);
        let before = all.len();
        all.retain(|(row, _)| row.id != id);
        all.len() < before
    }

    /// Remembers a run and why it could not be kept.
    pub(super) fn put(&self, row: &RunRow, reason: Problem) {
        self.forget(&row.id);
        lock(&self.0).push((row.clone(), reason));
    }
}

//! Writing runs to the user database, and keeping those in memory that cannot be written.

use crate::error::{AppError, Result};
use crate::workspace::{App, NoticeLevel};
use palimpsest_core::Failure as _;
use palimpsest_core::failure::Problem;
use palimpsest_store::user::RunRow;
use std::sync::atomic::Ordering;

impl App {
    /// Writes a run; one that cannot be written stays in memory, and why is told.
    pub(super) fn keep_row(&self, row: &RunRow) {
        let Err(error) = self.write_row(row) else {
            self.unkept.forget(&row.id);
            return;
        };
        let reason = Problem {
            message: error.to_string(),
            next: error.next(),
        };
        // The second write of the same run, with its figures, says nothing new.
        if self.unkept.reason(&row.id).is_none() {
            let advice = reason.next.as_ref().map(|next| format!(" {next}"));
            self.notice_of(
                NoticeLevel::Error,
                &format!(
                    "the run {} ended and cannot be kept, because {reason}.{}{}",
                    row.id,
                    self.kept_meanwhile(),
                    advice.unwrap_or_default()
                ),
            );
        }
        self.unkept.put(row, reason);
    }

    /// What happens to a run that is not stored: a command ends with it, and prints it.
    fn kept_meanwhile(&self) -> &'static str {
        if self.has_background.load(Ordering::Acquire) {
            " It stays in memory until the program ends, and is kept as soon as that is possible."
        } else {
            ""
        }
    }

    fn write_row(&self, row: &RunRow) -> Result<()> {
        self.user_db()?.save_run(row).map_err(AppError::from)
    }

    /// Tries again to write the runs that could not be written.
    pub(super) fn keep_unkept(&self) {
        for row in self.unkept.rows() {
            self.keep_row(&row);
        }
    }
}

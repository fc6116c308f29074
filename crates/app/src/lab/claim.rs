//! An experiment is run by one process at a time: two would pay for each reply twice.

use crate::error::{AppError, Result};
use crate::process;
use crate::workspace::App;
use palimpsest_core::failure::NextStep;
use std::sync::Arc;

/// The right to run an experiment; dropped when its cells have ended, however that comes.
pub(super) struct Claim {
    app: Arc<App>,
    what: String,
}

/// How an experiment is called among what processes make.
fn name_of(lab: &str) -> String {
    format!("lab:{lab}")
}

impl App {
    /// Claims an experiment for this process.
    ///
    /// Errors: another process runs it, or this one does.
    pub(super) fn claim_lab(self: &Arc<Self>, lab: &str, name: &str) -> Result<Claim> {
        let what = name_of(lab);
        if !self
            .user_db()?
            .claim(&what, process::own(), process::is_live)?
        {
            return Err(AppError::bad_request(
                format!("the experiment '{name}' is under way"),
                NextStep::TryLater,
            ));
        }
        Ok(Claim {
            app: Arc::clone(self),
            what,
        })
    }

    /// Whether a process runs an experiment.
    pub(super) fn lab_is_running(&self, lab: &str) -> bool {
        let maker = self
            .user_db()
            .and_then(|user| Ok(user.maker(&name_of(lab))?));
        maker.is_ok_and(|maker| maker.is_some_and(|maker| process::is_live(&maker)))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Ok(user) = self.app.user_db() {
            let _ = user.release(&self.what);
        }
    }
}

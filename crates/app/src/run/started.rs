//! Runs that have begun, in the user database: other processes list them, and a later one knows
//! which were cut off by the end of the program.

use crate::process;
use crate::workspace::App;
use palimpsest_store::user::RunRow;
use std::sync::Arc;

/// A run that is noted as under way; dropped when it ends, however that comes.
pub(super) struct Started {
    app: Arc<App>,
    /// `None` where nothing was noted.
    id: Option<String>,
}

impl Started {
    /// Notes a run. A database that cannot be written hides it from others and fails nothing.
    pub(super) fn note(app: &Arc<App>, id: &str, row: Option<RunRow>) -> Started {
        let noted = row.is_some_and(|row| {
            let Ok(user) = app.user_db() else {
                return false;
            };
            let claimed = user.claim(id, process::own(), process::is_live);
            claimed.is_ok_and(|claimed| claimed) && user.save_run(&row).is_ok()
        });
        Started {
            app: Arc::clone(app),
            id: noted.then(|| id.to_owned()),
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let (Some(id), Ok(user)) = (&self.id, self.app.user_db()) {
            let _ = user.release_run(id);
        }
    }
}

impl App {
    /// Whether the process lives that makes a run.
    pub(crate) fn is_being_made(&self, run: &str) -> bool {
        let maker = self.user_db().and_then(|user| Ok(user.maker(run)?));
        maker.is_ok_and(|maker| maker.is_some_and(|maker| process::is_live(&maker)))
    }
}

//! Marks follow a session whose file was moved.
//!
//! A session's stable id depends on its path, so that copies stay apart. When the file at the old
//! path is gone and the same session (agent and the agent's own id) is elsewhere, it was moved.

use crate::error::Result;
use crate::source::file_of;
use crate::workspace::{App, AppEvent};
use palimpsest_store::user::MarkedSession;

impl App {
    /// Moves the marks of every session whose file was moved, as far as the index knows its new
    /// place. A session that is now in several places keeps its marks at the old id, because
    /// nothing says which copy was meant.
    pub(crate) fn follow_all(&self) -> Result<()> {
        let user = self.user_db()?;
        let gone = user.marked_sessions()?.into_iter().filter(is_gone);
        for old in gone {
            let reader = self.index_db()?.reader()?;
            let mut here = reader.sessions_by_native_id(old.agent, &old.native_id)?;
            here.retain(|row| row.id != old.session_id && file_of(&row.path).exists());
            if let [row] = here.as_slice() {
                let to = MarkedSession {
                    session_id: row.id.clone(),
                    agent: row.agent,
                    native_id: row.native_id.clone(),
                    path: row.path.clone(),
                };
                user.move_marks(&old.session_id, &to)?;
                self.tell(AppEvent::MarksChanged(to.session_id));
            }
        }
        Ok(())
    }

    /// Moves the marks that were made on `here` when its file was elsewhere. Needs no index, so
    /// that a file named on the command line has its marks as well.
    pub(super) fn follow(&self, here: &MarkedSession) -> Result<()> {
        let user = self.user_db()?;
        let same = |old: &MarkedSession| {
            old.session_id != here.session_id
                && old.agent == here.agent
                && old.native_id == here.native_id
                && is_gone(old)
        };
        for old in user.marked_sessions()?.iter().filter(|old| same(old)) {
            user.move_marks(&old.session_id, here)?;
        }
        Ok(())
    }
}

fn is_gone(session: &MarkedSession) -> bool {
    !file_of(&session.path).exists()
}

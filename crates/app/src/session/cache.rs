//! The few sessions that were looked at last, kept in memory.

use super::bodies::lock;
use super::open::OpenSession;
use crate::error::Result;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Sessions kept open; each is a few megabytes (no texts), and a user moves between a handful.
const KEPT_SESSIONS: usize = 6;

/// Open sessions, most recently used last.
#[derive(Default)]
pub struct SessionCache {
    sessions: Mutex<Vec<Arc<OpenSession>>>,
}

impl SessionCache {
    /// The session in `path` as its source is now.
    pub fn open(&self, path: &Path) -> Result<Arc<OpenSession>> {
        let wanted = path.to_string_lossy();
        let known = {
            let mut sessions = lock(&self.sessions);
            let position = sessions
                .iter()
                .position(|open| open.session.meta.path == wanted);
            // Taken out while it is read, so that the lock is not held over a read of the file.
            position.map(|position| sessions.remove(position))
        };
        let open = match known {
            Some(known) => match known.refreshed()? {
                Some(newer) => Arc::new(newer),
                None => known,
            },
            None => Arc::new(OpenSession::read(path)?),
        };
        let mut sessions = lock(&self.sessions);
        // Another thread may have opened it meanwhile.
        sessions.retain(|other| other.session.meta.path != wanted);
        sessions.push(Arc::clone(&open));
        if sessions.len() > KEPT_SESSIONS {
            sessions.remove(0);
        }
        Ok(open)
    }

    /// The open session with this id, if it is kept.
    pub fn by_id(&self, id: &str) -> Option<Arc<OpenSession>> {
        lock(&self.sessions)
            .iter()
            .find(|open| open.id == id)
            .cloned()
    }
}

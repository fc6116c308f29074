//! A home directory for one test, laid out as the agents lay out theirs.

use crate::session::PiSession;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary home directory, removed when dropped.
#[derive(Debug)]
pub struct TempHome {
    dir: TempDir,
}

impl TempHome {
    /// An empty home.
    ///
    /// # Panics
    /// When the system gives no temporary directory.
    pub fn new() -> TempHome {
        let dir = tempfile::tempdir().expect("the system has a writable temporary directory");
        TempHome { dir }
    }

    /// The home itself.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Where pi keeps its sessions in this home.
    pub fn pi_sessions(&self) -> PathBuf {
        self.path().join(".pi/agent/sessions")
    }

    /// Variables that make a child process live in this home: `HOME`, and the data, config and
    /// cache places of the XDG rules.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("HOME", self.path().to_owned()),
            ("XDG_DATA_HOME", self.path().join(".local/share")),
            ("XDG_CONFIG_HOME", self.path().join(".config")),
            ("XDG_CACHE_HOME", self.path().join(".cache")),
        ]
    }

    /// Stores a session where pi would and returns its path.
    pub fn add_pi_session(&self, session: &PiSession) -> io::Result<PathBuf> {
        let path = self.pi_sessions().join(pi_file_name(
            session.cwd(),
            session.created_at(),
            session.session_id(),
        ));
        self.add_file(&path, session.to_jsonl().as_bytes())?;
        Ok(path)
    }

    /// Writes a file below the home, with the folders it needs; `path` may be relative to it.
    pub fn add_file(&self, path: impl AsRef<Path>, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.path().join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes)?;
        Ok(path)
    }
}

impl Default for TempHome {
    fn default() -> Self {
        TempHome::new()
    }
}

/// The path of a session below pi's session folder: `--<cwd>--/<time>_<id>.jsonl`
/// (pi 1.5, `session-manager.js`).
pub fn pi_file_name(cwd: &str, created_at_iso: &str, session_id: &str) -> PathBuf {
    let folder = cwd
        .trim_start_matches(['/', '\\'])
        .replace(['/', '\\', ':'], "-");
    let time = created_at_iso.replace([':', '.'], "-");
    PathBuf::from(format!("--{folder}--")).join(format!("{time}_{session_id}.jsonl"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_session_as_pi_does() {
        assert_eq!(
            pi_file_name(
                "/home/dana/projects/courier",
                "2026-10-14T08:00:00.000Z",
                "abc"
            ),
            Path::new("--home-dana-projects-courier--/2026-10-14T08-00-00-000Z_abc.jsonl")
        );
    }

    #[test]
    fn stores_a_session_below_the_home() {
        let home = TempHome::new();
        let mut session = PiSession::new();
        session.user("hello");
        let path = home.add_pi_session(&session).unwrap();
        assert!(path.starts_with(home.pi_sessions()));
        assert_eq!(fs::read_to_string(path).unwrap(), session.to_jsonl());
    }
}

//! What Copilot writes beside a session's events (1.0.102): the session's name, its folder and its
//! branch. The file is written whole at each change, so it says what holds now.

use super::yaml::scalars;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The name of the file, in the folder of a session.
const FILE: &str = "workspace.yaml";
/// The name of a session's events in that folder.
const EVENTS: &str = "events.jsonl";

/// What the file says, as far as a session shows it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Workspace {
    /// The session's name: the user's, or the one Copilot gave it.
    pub name: Option<String>,
    /// The folder it works in.
    pub cwd: Option<String>,
    /// The branch of git there.
    pub branch: Option<String>,
}

/// The file beside a session's events; `None` for the one file of an older session.
pub(super) fn file_of(events: &Path) -> Option<PathBuf> {
    let is_events = events.file_name().is_some_and(|name| name == EVENTS);
    is_events.then(|| events.with_file_name(FILE))
}

/// The events of the session that such a file is of.
pub(super) fn events_of(file: &Path) -> Option<PathBuf> {
    let is_own = file.file_name().is_some_and(|name| name == FILE);
    is_own.then(|| file.with_file_name(EVENTS))
}

impl Workspace {
    /// Reads the file's text.
    pub fn read(bytes: &[u8]) -> Workspace {
        let mut told = scalars(&String::from_utf8_lossy(bytes));
        let mut take = |key: &str| {
            let value = told.remove(key)?;
            Some(value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        Workspace {
            // Before sessions had names their summary was shown in place of one.
            name: take("name").or_else(|| take("summary")),
            cwd: take("cwd").or_else(|| take("git_root")),
            branch: take("branch"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_tells_name_folder_and_branch() {
        let told =
            Workspace::read(b"cwd: /w\nname: |-\n  a\n  b\nuser_named: true\nbranch: main\n");
        let expected = Workspace {
            name: Some("a\nb".into()),
            cwd: Some("/w".into()),
            branch: Some("main".into()),
        };
        assert_eq!(told, expected);
        let older = Workspace::read(b"git_root: /w\nname: ''\nsummary: Lamps\n");
        assert_eq!(older.name.as_deref(), Some("Lamps"));
        assert_eq!(older.cwd.as_deref(), Some("/w"));
        assert_eq!(Workspace::read(&[0xff, 0xfe]), Workspace::default());
    }

    #[test]
    fn the_file_stands_beside_the_events() {
        let events = Path::new("/s/5b1e/events.jsonl");
        let file = file_of(events).unwrap();
        assert_eq!(file, Path::new("/s/5b1e/workspace.yaml"));
        assert_eq!(events_of(&file).as_deref(), Some(events));
        assert_eq!(file_of(Path::new("/s/5b1e.jsonl")), None);
        assert_eq!(events_of(Path::new("/s/other.yaml")), None);
    }
}

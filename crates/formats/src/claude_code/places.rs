//! Where Claude Code keeps its sessions.

use crate::Places;
use std::path::{Path, PathBuf};

/// The folders to look in, most specific first: `projects` in `CLAUDE_CONFIG_DIR`, else in
/// `~/.claude` and, for some installations, `~/.config/claude`. The same on every system.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let set = places.env.get("CLAUDE_CONFIG_DIR");
    match set.filter(|value| !value.is_empty()) {
        Some(folder) => {
            let folder = match folder.strip_prefix("~/") {
                Some(rest) => places.home.join(rest),
                None => PathBuf::from(folder),
            };
            vec![folder.join("projects")]
        }
        None => vec![
            places.home.join(".claude/projects"),
            places.home.join(".config/claude/projects"),
        ],
    }
}

/// True for a `.jsonl` file.
pub(super) fn is_candidate(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl")
}

/// The session id or subagent id in a file's name.
pub(super) struct FileName<'p> {
    /// The name without its ending, when it is a UUID: the session's id.
    pub session: Option<&'p str>,
    /// The part after `agent-`: the subagent's id.
    pub subagent: Option<&'p str>,
}

/// What the name of the file at `path` says; a path may be of another system.
pub(super) fn file_name(path: &str) -> FileName<'_> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.strip_suffix(".jsonl").unwrap_or_default();
    let is_uuid = stem.len() == 36
        && stem.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    FileName {
        session: is_uuid.then_some(stem),
        subagent: stem.strip_prefix("agent-").filter(|id| !id.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_overrides_the_home_folder() {
        let mut places = Places {
            home: "/home/ada".into(),
            env: Default::default(),
        };
        assert_eq!(
            default_roots(&places),
            [
                PathBuf::from("/home/ada/.claude/projects"),
                PathBuf::from("/home/ada/.config/claude/projects")
            ]
        );
        places
            .env
            .insert("CLAUDE_CONFIG_DIR".into(), "/srv/c".into());
        assert_eq!(default_roots(&places), [PathBuf::from("/srv/c/projects")]);
    }

    #[test]
    fn names_tell_sessions_from_subagents() {
        let session = file_name("/p/0f5ee877-f8d2-4388-bde0-ac4a62bf788c.jsonl");
        assert_eq!(
            session.session,
            Some("0f5ee877-f8d2-4388-bde0-ac4a62bf788c")
        );
        assert_eq!(session.subagent, None);
        let subagent = file_name("C:\\p\\agent-a1b2.jsonl");
        assert_eq!((subagent.session, subagent.subagent), (None, Some("a1b2")));
        assert_eq!(file_name("notes.jsonl").session, None);
    }
}

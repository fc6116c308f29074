//! Where Codex keeps its sessions (0.169): by day below `sessions`, flat below
//! `archived_sessions`.

use crate::Places;
use std::path::{Path, PathBuf};

/// The folders below Codex's own that hold sessions.
pub(super) const FOLDERS: [&str; 2] = ["sessions", "archived_sessions"];

/// The folders to look in. Windows and macOS have them below the user's home as well.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let set = places.env.get("CODEX_HOME").filter(|dir| !dir.is_empty());
    let home = match set {
        Some(dir) => PathBuf::from(dir),
        None => places.home.join(".codex"),
    };
    FOLDERS.map(|folder| home.join(folder)).to_vec()
}

/// True for `rollout-*.jsonl`, compressed or not.
pub(super) fn is_candidate(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| {
        name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"))
    })
}

/// True for a name of a compressed session.
pub(super) fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The thread that a session's file is named after:
/// `rollout-<time>-<thread>.jsonl`, with `_<segment>` behind the thread for one that was edited.
pub(super) fn thread_of(path: &str) -> Option<&str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let stem = name.strip_prefix("rollout-")?;
    let stem = stem.strip_suffix(".zst").unwrap_or(stem);
    let stem = stem.strip_suffix(".jsonl")?;
    // The time is 19 characters long.
    let ids = stem.get(19..)?.strip_prefix('-')?;
    let thread = ids.split('_').next()?;
    (thread.len() == 36).then_some(thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_folder_replaces_the_default_one() {
        let mut places = Places {
            home: "/home/ada".into(),
            env: Default::default(),
        };
        let roots = [
            "/home/ada/.codex/sessions",
            "/home/ada/.codex/archived_sessions",
        ];
        assert_eq!(default_roots(&places), roots.map(PathBuf::from));
        places.env.insert("CODEX_HOME".into(), "/srv/codex".into());
        let roots = ["/srv/codex/sessions", "/srv/codex/archived_sessions"];
        assert_eq!(default_roots(&places), roots.map(PathBuf::from));
    }

    #[test]
    fn names_tell_thread_and_candidate() {
        let thread = "01a1fbe1-9d3a-74d1-8e3b-9a21c276241c";
        let stem = format!("/s/rollout-2026-11-21T02-13-51-{thread}");
        let segment = format!("{stem}_01a1fbe1-a42c-7a21-9b95-e673867f9ea8.jsonl");
        for name in [
            format!("{stem}.jsonl"),
            format!("{stem}.jsonl.zst"),
            segment,
        ] {
            assert_eq!(thread_of(&name), Some(thread), "{name}");
            assert!(is_candidate(Path::new(&name)), "{name}");
        }
        assert_eq!(thread_of("/s/rollout-é.jsonl"), None);
        assert!(!is_candidate(Path::new("/s/session.jsonl")));
    }
}

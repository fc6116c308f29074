//! Where Copilot CLI keeps its sessions: a folder for each below `session-state`, in older versions
//! one file for each.

use crate::Places;
use std::path::{Path, PathBuf};

/// The folders below Copilot's own that hold sessions; the second until 2025.
const FOLDERS: [&str; 2] = ["session-state", "history-session-state"];
/// The file of a session's events.
const EVENTS: &str = "events.jsonl";
/// Folders of a session that hold no sessions (1.0.102).
const INSIDE: [&str; 4] = ["checkpoints", "files", "research", "rewind-file-snapshots"];

/// The folders to look in, most specific first: those of `COPILOT_HOME`, else of `.copilot` below
/// the state folder that is set and below the home folder. The same on every system.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let set = |name: &str| {
        let value = places.env.get(name).filter(|value| !value.is_empty())?;
        Some(match value.strip_prefix("~/") {
            Some(rest) => places.home.join(rest),
            None => PathBuf::from(value),
        })
    };
    let homes = match set("COPILOT_HOME") {
        Some(home) => vec![home],
        None => {
            let mut homes = Vec::new();
            let profiles = ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "USERPROFILE"];
            homes.extend(profiles.iter().filter_map(|name| set(name)));
            homes.push(places.home.clone());
            homes
                .into_iter()
                .map(|home| home.join(".copilot"))
                .collect()
        }
    };
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in homes
        .iter()
        .flat_map(|home| FOLDERS.map(|folder| home.join(folder)))
    {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// True for the events of a session, and for the one file of an older session.
pub(super) fn is_candidate(path: &Path) -> bool {
    let is_jsonl = path
        .extension()
        .is_some_and(|extension| extension == "jsonl");
    let name = path.file_name().map(|name| name.to_string_lossy());
    let above = path.parent().and_then(Path::file_name);
    is_jsonl
        && (name.is_some_and(|name| name.ends_with(EVENTS))
            || above.is_some_and(|above| FOLDERS.contains(&&*above.to_string_lossy())))
}

/// True for a folder inside a session's own.
pub(super) fn is_internal(folder: &Path) -> bool {
    let named = |levels: usize| {
        let folder = folder.ancestors().nth(levels)?;
        Some(folder.file_name()?.to_string_lossy())
    };
    named(0).is_some_and(|name| INSIDE.contains(&&*name))
        && named(2).is_some_and(|name| FOLDERS.contains(&&*name))
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
        assert_eq!(
            default_roots(&places),
            [
                "/home/ada/.copilot/session-state",
                "/home/ada/.copilot/history-session-state"
            ]
            .map(PathBuf::from)
        );
        places.env.insert("XDG_STATE_HOME".into(), "/state".into());
        let first = default_roots(&places).remove(0);
        assert_eq!(first, PathBuf::from("/state/.copilot/session-state"));
        places.env.insert("COPILOT_HOME".into(), "~/cp".into());
        let roots = [
            "/home/ada/cp/session-state",
            "/home/ada/cp/history-session-state",
        ];
        assert_eq!(default_roots(&places), roots.map(PathBuf::from));
    }

    #[test]
    fn names_tell_sessions_and_inner_folders() {
        let state = Path::new("/h/.copilot/session-state");
        for (name, found) in [
            ("5b1e/events.jsonl", true),
            ("5b1e.jsonl", true),
            ("5b1e/checkpoints/notes.jsonl", false),
            ("5b1e/workspace.yaml", false),
        ] {
            assert_eq!(is_candidate(&state.join(name)), found, "{name}");
        }
        assert!(is_internal(&state.join("5b1e/rewind-file-snapshots")));
        assert!(!is_internal(&state.join("5b1e")));
        assert!(!is_internal(Path::new("/w/files")));
    }
}

//! Where VS Code keeps its chats: below the folder of each workspace, or of windows without one.

use crate::Places;
use std::path::{Path, PathBuf};

/// The editors by the names of their folders: VS Code with its previews, and builds of its source.
const EDITORS: [&str; 4] = ["Code", "Code - Insiders", "VSCodium", "Code - OSS"];
/// The folder of all workspaces below an editor's `User`.
const WORKSPACES: &str = "workspaceStorage";
/// The folder of chats within a workspace's.
const CHATS: &str = "chatSessions";
/// The folders of other chats below `globalStorage`: of windows without a workspace, and of those
/// that were handed to another window.
const GLOBAL: [&str; 2] = ["emptyWindowChatSessions", "transferredChatSessions"];

/// The folders to look in, for all systems: those that are missing on one cost nothing.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let set = |name: &str| {
        let value = places.env.get(name).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(value))
    };
    let home = &places.home;
    let mut users = Vec::new();
    if let Some(portable) = set("VSCODE_PORTABLE") {
        users.push(portable.join("user-data/User"));
    }
    let config = set("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    let roaming = set("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"));
    let bases = [config, home.join("Library/Application Support"), roaming];
    for base in &bases {
        users.extend(EDITORS.map(|editor| base.join(editor).join("User")));
    }
    let servers = [".vscode-server", ".vscode-server-insiders"];
    users.extend(servers.map(|server| home.join(server).join("data/User")));
    let folders = |user: &PathBuf| {
        let global = user.join("globalStorage");
        let mut folders = vec![user.join(WORKSPACES)];
        folders.extend(GLOBAL.map(|folder| global.join(folder)));
        folders
    };
    users.iter().flat_map(folders).collect()
}

/// True for a chat by its place: its name is only its id.
pub(super) fn is_candidate(path: &Path) -> bool {
    let is_json = path
        .extension()
        .is_some_and(|extension| extension == "json" || extension == "jsonl");
    let above = name_above(path, 1);
    is_json && above.is_some_and(|above| above == CHATS || GLOBAL.contains(&&*above))
}

/// True for a folder of a workspace that holds no chats: databases and what extensions store, which
/// can be hundreds of megabytes.
pub(super) fn is_internal(folder: &Path) -> bool {
    name_above(folder, 2).is_some_and(|name| name == WORKSPACES)
        && name_above(folder, 0).is_some_and(|name| name != CHATS)
}

/// The file beside a workspace's chats that names its folder.
pub(super) fn workspace_of(chat: &Path) -> Option<PathBuf> {
    (name_above(chat, 1)? == CHATS)
        .then(|| chat.ancestors().nth(2))?
        .map(|folder| folder.join("workspace.json"))
}

fn name_above(path: &Path, levels: usize) -> Option<String> {
    let folder = path.ancestors().nth(levels)?;
    Some(folder.file_name()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_all_systems_are_offered() {
        let mut places = Places {
            home: "/home/ada".into(),
            env: Default::default(),
        };
        let roots = default_roots(&places);
        for place in [
            "/home/ada/.config/Code/User/workspaceStorage",
            "/home/ada/Library/Application Support/VSCodium/User/globalStorage/emptyWindowChatSessions",
            "/home/ada/AppData/Roaming/Code - Insiders/User/workspaceStorage",
        ] {
            assert!(roots.contains(&PathBuf::from(place)), "{place}");
        }
        places.env.insert("VSCODE_PORTABLE".into(), "/usb".into());
        let first = default_roots(&places).remove(0);
        assert_eq!(first, PathBuf::from("/usb/user-data/User/workspaceStorage"));
    }

    #[test]
    fn chats_are_told_from_what_lies_around_them() {
        let storage = Path::new("/u/User/workspaceStorage/0f3c");
        assert!(is_candidate(&storage.join("chatSessions/5b1e.jsonl")));
        assert!(!is_candidate(&storage.join("workspace.json")));
        assert!(!is_internal(storage) && !is_internal(&storage.join("chatSessions")));
        assert!(is_internal(&storage.join("GitHub.copilot-chat")));
        let beside = workspace_of(&storage.join("chatSessions/5b1e.json"));
        assert_eq!(beside, Some(storage.join("workspace.json")));
        let empty = Path::new("/u/User/globalStorage/emptyWindowChatSessions/1.json");
        assert!(is_candidate(empty) && workspace_of(empty).is_none());
    }
}

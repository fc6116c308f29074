//! Where Mux keeps its workspaces (0.28), and which files there hold their rows.

use crate::Places;
use std::path::{Path, PathBuf};

/// The names that Mux's folder has had, newest first. A fresh start links the older names to the
/// newest; all are looked at, and a folder that is reached twice is read once.
const NAMES: [&str; 3] = [".xum", ".mux", ".cmux"];
/// The folder of all workspaces' files.
const SESSIONS: &str = "sessions";
/// The folder with rows of subagents whose workspaces were removed, in the parent's.
const REMOVED: &str = "subagent-transcripts";
/// The rows since the newest compaction.
pub(super) const CHAT: &str = "chat.jsonl";
/// The rows before it.
pub(super) const ARCHIVE: &str = "chat-archive.jsonl";
/// The answer being streamed.
pub(super) const PARTIAL: &str = "partial.json";
/// A line for each request.
pub(super) const JOURNAL: &str = "durable-events.jsonl";
/// Usage of requests that left no row.
pub(super) const HEADLESS: &str = "headless-usage.jsonl";
/// Folders of a workspace's files in which no rows are.
const INTERNAL: [&str; 3] = ["blobs", "subagent-reports", "terminal-attention"];

/// The folders to look in, most specific first. They lie below the home folder on every system.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = Vec::new();
    let mut add = |root: PathBuf| {
        let sessions = root.join(SESSIONS);
        if !roots.contains(&sessions) {
            roots.push(sessions);
        }
    };
    // The older variable is asked only where the newer is not set.
    let set = |name: &str| {
        places
            .env
            .get(name)
            .filter(|value| !value.trim().is_empty())
    };
    if let Some(root) = set("XUM_ROOT").or_else(|| set("MUX_ROOT")) {
        add(PathBuf::from(root));
    }
    // A variable that is set where Mux runs need not be set where we do.
    for name in NAMES {
        add(places.home.join(name));
    }
    // Builds from source have a folder of their own.
    for name in NAMES {
        add(places.home.join(format!("{name}-dev")));
    }
    roots
}

/// True for a file of rows.
pub(super) fn is_candidate(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    matches!(name, Some(CHAT | ARCHIVE))
}

/// The rows of the workspace that a journal or a list of usage is of. The answer being streamed is
/// left out: it is written again with every piece.
pub(super) fn rows_beside(file: &Path) -> Option<PathBuf> {
    let name = file.file_name().and_then(|name| name.to_str());
    matches!(name, Some(JOURNAL | HEADLESS)).then(|| file.with_file_name(CHAT))
}

/// True for what Mux keeps beside the rows of a workspace.
pub(super) fn is_internal(folder: &Path) -> bool {
    let name = |folder: &Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default().to_owned()
    };
    let above = folder.ancestors().nth(2).map(name);
    above.as_deref() == Some(SESSIONS) && INTERNAL.contains(&name(folder).as_str())
}

/// True when a file that begins with `head` holds rows: the first line that says anything is an
/// object with parts, and with the workspace or the place in its history.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = crate::jsonl::without_mark(head).trim_ascii_start();
    let has = |needle: &str| memchr::memmem::find(head, needle.as_bytes()).is_some();
    head.starts_with(b"{")
        && has("\"parts\"")
        && has("\"role\"")
        && (has("\"workspaceId\"") || has("\"historySequence\""))
}

/// The workspace that a file's folder is named after, and its parent where the folder is that of a
/// removed subagent.
pub(super) fn workspace_of(file: &Path) -> Option<(&str, Option<&str>)> {
    let mut folders = file.ancestors().skip(1).map(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.unwrap_or_default()
    });
    let id = folders.next().filter(|id| !id.is_empty())?;
    match folders.next()? {
        SESSIONS => Some((id, None)),
        REMOVED => Some((id, folders.next().filter(|parent| !parent.is_empty()))),
        _ => None,
    }
}

/// Mux's folder around a file of rows.
pub(super) fn root_of(file: &Path) -> Option<&Path> {
    let sessions = file
        .ancestors()
        .find(|folder| folder.file_name().is_some_and(|name| name == SESSIONS))?;
    sessions.parent()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_come_first_and_the_newer_one_counts() {
        let mut places = Places {
            home: "/home/ada".into(),
            env: Default::default(),
        };
        let usual = default_roots(&places);
        assert_eq!(usual[0], PathBuf::from("/home/ada/.xum/sessions"));
        assert_eq!(usual[1], PathBuf::from("/home/ada/.mux/sessions"));
        assert_eq!(usual.len(), 6);
        places.env.insert("MUX_ROOT".into(), "/srv/mux".into());
        assert_eq!(
            default_roots(&places)[0],
            PathBuf::from("/srv/mux/sessions")
        );
        places.env.insert("XUM_ROOT".into(), "/srv/xum".into());
        let roots = default_roots(&places);
        assert_eq!(roots[0], PathBuf::from("/srv/xum/sessions"));
        assert_eq!(roots[1..], usual);
    }

    #[test]
    fn rows_are_told_from_what_lies_beside_them() {
        let sessions = Path::new("/home/ada/.xum/sessions/0a1b2c3d4e");
        for (name, expected) in [
            ("chat.jsonl", true),
            ("chat-archive.jsonl", true),
            ("subagent-transcripts/ff00/chat.jsonl", true),
            ("partial.json", false),
            ("durable-events.jsonl", false),
            ("headless-usage.jsonl", false),
            ("session-usage.json", false),
        ] {
            assert_eq!(is_candidate(&sessions.join(name)), expected, "{name}");
            let is_beside = ["durable-events.jsonl", "headless-usage.jsonl"].contains(&name);
            let rows = is_beside.then(|| sessions.join(CHAT));
            assert_eq!(rows_beside(&sessions.join(name)), rows, "{name}");
        }
        for (folder, expected) in [
            ("", false),
            ("blobs", true),
            ("subagent-reports", true),
            ("subagent-transcripts", false),
            ("subagent-transcripts/ff00", false),
        ] {
            assert_eq!(is_internal(&sessions.join(folder)), expected, "{folder}");
        }
        assert!(!is_internal(Path::new("/home/ada/src/blobs")));
    }

    #[test]
    fn a_folder_tells_the_workspace() {
        let of = |path: &str| {
            workspace_of(Path::new(path))
                .map(|(id, parent)| (id.to_owned(), parent.map(str::to_owned)))
        };
        let sessions = "/home/ada/.mux/sessions";
        assert_eq!(
            of(&format!("{sessions}/0a1b/chat.jsonl")),
            Some(("0a1b".to_owned(), None))
        );
        assert_eq!(
            of(&format!(
                "{sessions}/0a1b/subagent-transcripts/ff00/chat.jsonl"
            )),
            Some(("ff00".to_owned(), Some("0a1b".to_owned())))
        );
        assert_eq!(of("/tmp/copied/chat.jsonl"), None);
        let root = root_of(Path::new("/home/ada/.mux/sessions/0a1b/chat.jsonl"));
        assert_eq!(root, Some(Path::new("/home/ada/.mux")));
    }

    #[test]
    fn content_decides() {
        let row = br#"{"id":"user-1","role":"user","parts":[],"metadata":{"historySequence":0}}"#;
        assert!(sniff(row));
        assert!(!sniff(b""));
        assert!(!sniff(br#"{"id":"user-1","role":"user","content":"x"}"#));
        assert!(!sniff(br#"[{"role":"user","parts":[],"workspaceId":"x"}]"#));
    }
}

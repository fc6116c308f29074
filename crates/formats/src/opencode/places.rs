//! Where OpenCode keeps its sessions, and which files there hold them (OpenCode 0.5 to 1.18).

use crate::Places;
use std::path::{Path, PathBuf};

/// What every SQLite file begins with.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// The folders to look in, most specific first. `~/.local/share` holds on every system; on Windows
/// it lies in the user's profile.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    let mut add = |root: PathBuf| {
        if !roots.contains(&root) {
            roots.push(root);
        }
    };
    let data = match set(places, "XDG_DATA_HOME") {
        Some(folder) => folder.join("opencode"),
        None => places.home.join(".local/share/opencode"),
    };
    if let Some(database) = set(places, "OPENCODE_DB")
        && database.as_os_str() != ":memory:"
    {
        // A bare name lies in the data folder.
        add(data.join(database));
    }
    add(data);
    // A variable that is set where the agent runs need not be set where we do.
    add(places.home.join(".local/share/opencode"));
    if let Some(profile) = set(places, "USERPROFILE") {
        add(profile.join(".local/share/opencode"));
    }
    roots
}

fn set(places: &Places, name: &str) -> Option<PathBuf> {
    let value = places.env.get(name).filter(|value| !value.is_empty())?;
    Some(PathBuf::from(value))
}

/// What a file is, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `opencode.db`, or `opencode-<channel>.db`.
    Database,
    /// `storage/session/<project>/<session>.json`, 1.0 to 1.1.
    Tree,
    /// `storage/session/info/<session>.json`, 0.x.
    OldTree,
    /// What `opencode export` printed, under any name.
    Export,
}

/// What the file at `path` would be.
pub(super) fn kind(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?;
    let above = |levels: usize| {
        let folder = path.ancestors().nth(levels)?;
        folder.file_name()?.to_str()
    };
    if name.ends_with(".db") {
        return Some(Kind::Database);
    }
    if !name.ends_with(".json") {
        return None;
    }
    if name.starts_with("ses_") && above(2) == Some("session") {
        // A project's id is a hash or `global`, never `info`.
        return Some(if above(1) == Some("info") {
            Kind::OldTree
        } else {
            Kind::Tree
        });
    }
    Some(Kind::Export)
}

/// True for a file name that may hold sessions. An export has no name of its own: one that says
/// what it is, is found; others can be opened by name.
pub(super) fn is_candidate(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    match kind(path) {
        Some(Kind::Database) => name.contains("opencode") || is_of_kilo(path),
        Some(Kind::Tree | Kind::OldTree) => true,
        Some(Kind::Export) => {
            let in_store = path
                .ancestors()
                .any(|folder| folder.file_name().is_some_and(|name| name == "storage"));
            !in_store && (name.starts_with("ses_") || name.contains("export"))
        }
        None => false,
    }
}

/// True for a database of Kilo: `kilo.db`, or `kilo-<channel>.db`.
pub(super) fn is_of_kilo(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with("kilo") && name.ends_with(".db"))
}

/// True for what OpenCode keeps beside its sessions' own files: copies of work trees as git
/// objects, and in the trees of small files the messages and parts, which are found from there.
pub(super) fn is_internal(folder: &Path) -> bool {
    let mut names = folder
        .iter()
        .rev()
        .map(|name| name.to_str().unwrap_or_default());
    let mut next = || names.next().unwrap_or_default();
    matches!(
        (next(), next(), next(), next()),
        ("snapshot" | "log" | "bin", "opencode", _, _)
            | ("snapshots", _, "project", "opencode")
            | ("message" | "part" | "todo" | "project", "storage", _, _)
            | ("session_diff" | "session_share", "storage", _, _)
            | ("message" | "part", "session", "storage", _)
    )
}

/// True when a file that begins with `head` is an SQLite database.
pub(super) fn is_database(head: &[u8]) -> bool {
    head.starts_with(DATABASE)
}

/// True when a file that begins with `head` is what its name says.
pub(super) fn sniff(path: &Path, head: &[u8]) -> bool {
    let has = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    let is_object = head.trim_ascii_start().starts_with(b"{");
    match kind(path) {
        // Other programs have databases too. A name of the user's own (`OPENCODE_DB`) is accepted
        // when the head happens to hold the tables' declarations.
        Some(Kind::Database) => {
            let declared = |table: &str| has(format!("CREATE TABLE `{table}`").as_bytes());
            is_database(head)
                && (is_candidate(path)
                    || ["session", "message", "part"].iter().all(|t| declared(t)))
        }
        Some(Kind::Tree | Kind::OldTree) => is_object && has(b"\"ses_"),
        Some(Kind::Export) => {
            let info = memchr::memmem::find(head, b"\"info\"");
            let id = memchr::memmem::find(head, b"\"ses_");
            let begins = head.trim_ascii_start().get(1..).unwrap_or_default();
            is_object
                && begins.trim_ascii_start().starts_with(b"\"info\"")
                && info.is_some()
                && info < id
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overrides_come_first() {
        let mut places = Places {
            home: "/home/ada".into(),
            env: Default::default(),
        };
        let usual = PathBuf::from("/home/ada/.local/share/opencode");
        assert_eq!(default_roots(&places), std::slice::from_ref(&usual));
        let mut set = |name: &str, value: &str| places.env.insert(name.into(), value.into());
        set("XDG_DATA_HOME", "/srv/data");
        set("OPENCODE_DB", "other.db");
        assert_eq!(
            default_roots(&places),
            [
                PathBuf::from("/srv/data/opencode/other.db"),
                PathBuf::from("/srv/data/opencode"),
                usual.clone()
            ]
        );
        places.env.insert("OPENCODE_DB".into(), "/x/y.db".into());
        assert_eq!(default_roots(&places)[0], PathBuf::from("/x/y.db"));
        places.env.insert("OPENCODE_DB".into(), ":memory:".into());
        assert_eq!(
            default_roots(&places)[0],
            PathBuf::from("/srv/data/opencode")
        );
    }

    #[test]
    fn sessions_are_told_from_what_lies_around_them() {
        let share = "/home/ada/.local/share/opencode";
        for (path, expected) in [
            ("opencode.db", true),
            ("opencode-dev.db", true),
            ("opencode.db-wal", false),
            ("kilo.db", true),
            ("other.db", false),
            ("storage/session/global/ses_1.json", true),
            ("project/home-ada-x/storage/session/info/ses_1.json", true),
            ("storage/message/ses_1/msg_1.json", false),
            ("storage/part/msg_1/prt_1.json", false),
            ("storage/session_diff/ses_1.json", false),
            ("storage/todo/ses_1.json", false),
            ("storage/project/global.json", false),
            ("mine.export.json", true),
            ("auth.json", false),
            ("log/2026.log", false),
        ] {
            let path = Path::new(share).join(path);
            assert_eq!(is_candidate(&path), expected, "{}", path.display());
        }
    }

    #[test]
    fn what_holds_no_sessions_is_not_looked_through() {
        let share = Path::new("/home/ada/.local/share/opencode");
        for (folder, expected) in [
            ("", false),
            ("snapshot", true),
            ("log", true),
            ("storage", false),
            ("storage/part", true),
            ("storage/message", true),
            ("storage/session", false),
            ("storage/session/global", false),
            ("project", false),
            ("project/home-ada-x", false),
            ("project/home-ada-x/snapshots", true),
            ("project/home-ada-x/storage/session/info", false),
            ("project/home-ada-x/storage/session/part", true),
        ] {
            assert_eq!(is_internal(&share.join(folder)), expected, "{folder}");
        }
    }

    #[test]
    fn content_decides_where_names_do_not() {
        let export = br#"{ "info": { "id": "ses_1" }, "messages": [] }"#;
        assert!(sniff(Path::new("/tmp/x.json"), export));
        assert!(!sniff(
            Path::new("/tmp/x.json"),
            br#"{"name":"x","info":"ses_"}"#
        ));
        assert!(sniff(Path::new("/x/opencode.db"), b"SQLite format 3\0rest"));
        assert!(sniff(Path::new("/x/kilo.db"), b"SQLite format 3\0rest"));
        assert!(!sniff(Path::new("/x/history.db"), b"SQLite format 3\0rest"));
        assert!(!sniff(Path::new("/x/opencode.db"), b""));
        let session = Path::new("/x/storage/session/global/ses_1.json");
        assert!(sniff(session, b"{\n  \"id\": \"ses_1\"\n}"));
        assert!(!sniff(session, b"[]"));
    }
}

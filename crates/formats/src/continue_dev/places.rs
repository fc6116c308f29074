//! Where Continue keeps its sessions: one JSON file each below `sessions`, for both editors and the
//! command line.

use crate::Places;
use crate::file_uri::path_of;
use std::path::{Path, PathBuf};

/// The folder to look in, the same on every system: `sessions` in `CONTINUE_GLOBAL_DIR`, else in
/// `~/.continue`.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let set = places.env.get("CONTINUE_GLOBAL_DIR");
    let home = match set.filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => places.home.join(".continue"),
    };
    vec![home.join("sessions")]
}

/// True for a JSON file that is named by a UUID.
pub(super) fn is_candidate(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let is_uuid = stem.is_some_and(|stem| {
        stem.len() == 36
            && stem.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
    });
    is_uuid && path.extension().is_some_and(|ending| ending == "json")
}

/// The list of sessions beside one, which has the times that the sessions themselves have not.
pub(super) fn list_beside(session: &Path) -> PathBuf {
    session.with_file_name("sessions.json")
}

/// A folder as it is stored: a path, or a URI of an editor.
pub(super) fn folder(stored: &str) -> String {
    path_of(stored).unwrap_or_else(|| stored.to_owned())
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
        let roots = default_roots(&places);
        assert_eq!(roots, [PathBuf::from("/home/ada/.continue/sessions")]);
        let set = ("CONTINUE_GLOBAL_DIR".to_owned(), "/srv/c".to_owned());
        places.env.extend([set]);
        assert_eq!(default_roots(&places), [PathBuf::from("/srv/c/sessions")]);
    }

    #[test]
    fn sessions_are_named_by_ids() {
        let is = |path: &str| is_candidate(Path::new(path));
        assert!(is("/s/715d9e99-2d32-40d7-866a-f63344e32192.json"));
        assert!(!is("/s/sessions.json"));
        assert!(!is("/s/715d9e99-2d32-40d7-866a-f63344e32192.jsonl"));
    }

    #[test]
    fn folders_may_be_uris() {
        assert_eq!(folder("/home/ada/a%20b"), "/home/ada/a%20b");
        assert_eq!(folder("file:///home/ada/a%20b"), "/home/ada/a b");
        assert_eq!(folder("file:///c%3A/ada"), "c:/ada");
        assert_eq!(folder("file:///x%"), "/x%");
    }
}

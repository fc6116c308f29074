//! Where Factory Droid keeps its sessions (0.225): in a folder for each project below `sessions`,
//! earlier flat in `sessions` itself, and questions asked beside a session in `sessions/btw`.

use crate::Places;
use std::path::{Path, PathBuf};

/// The ending of the file with a session's settings and totals.
const SETTINGS: &str = "settings.json";

/// The folder to look in, the same on every system: `FACTORY_HOME_OVERRIDE` stands for the user's
/// home, and `.factory` is added to it.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let set = places.env.get("FACTORY_HOME_OVERRIDE");
    let home = match set.filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => places.home.clone(),
    };
    vec![home.join(".factory").join("sessions")]
}

/// True for a `.jsonl` file.
pub(super) fn is_candidate(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl")
}

/// The file with the settings and totals of the session in `file`.
pub(super) fn settings_of(file: &Path) -> PathBuf {
    file.with_extension(SETTINGS)
}

/// The session whose settings and totals a file holds.
pub(super) fn session_of(settings: &Path) -> Option<PathBuf> {
    let name = settings.file_name()?.to_str()?;
    let stem = name.strip_suffix(SETTINGS)?.strip_suffix('.')?;
    (!stem.is_empty()).then(|| settings.with_file_name(format!("{stem}.jsonl")))
}

/// The file of another session: beside `file`, where the agent writes sessions of one project.
/// `None` for an id that is no name of a file.
pub(super) fn beside(file: &Path, id: &str) -> Option<PathBuf> {
    let is_name = !id.is_empty()
        && id
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    is_name.then(|| file.with_file_name(format!("{id}.jsonl")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_home_replaces_the_users() {
        let mut places = Places {
            home: "/home/ada".into(),
            env: Default::default(),
        };
        let roots = |places: &Places| default_roots(places);
        assert_eq!(
            roots(&places),
            [PathBuf::from("/home/ada/.factory/sessions")]
        );
        places
            .env
            .insert("FACTORY_HOME_OVERRIDE".into(), "/srv/f".into());
        assert_eq!(roots(&places), [PathBuf::from("/srv/f/.factory/sessions")]);
    }

    #[test]
    fn files_around_a_session_are_named_after_it() {
        let file = Path::new("/s/-w/0a.b.jsonl");
        assert_eq!(settings_of(file), Path::new("/s/-w/0a.b.settings.json"));
        assert_eq!(session_of(&settings_of(file)).as_deref(), Some(file));
        assert_eq!(session_of(Path::new("/s/settings.json")), None);
        assert_eq!(beside(file, "1-f"), Some("/s/-w/1-f.jsonl".into()));
        assert_eq!(beside(file, "../x"), None);
    }
}

//! Where pi keeps its sessions (pi 1.5, `docs/environment-variables.md`).

use crate::Places;
use std::path::{Path, PathBuf};

/// The folders to look in, most specific first.
pub(super) fn default_roots(places: &Places) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    if let Some(dir) = set(places, "PI_CODING_AGENT_SESSION_DIR") {
        roots.push(dir);
    }
    match set(places, "PI_CODING_AGENT_DIR") {
        Some(dir) => roots.push(dir.join("sessions")),
        None => roots.push(places.home.join(".pi/agent/sessions")),
    }
    // oh-my-pi, a fork that reuses the format.
    roots.push(places.home.join(".omp/agent/sessions"));
    roots.dedup();
    roots
}

/// The folder an environment variable names; `~` is the home folder, as pi expands it.
fn set(places: &Places, name: &str) -> Option<PathBuf> {
    let value = places.env.get(name).filter(|value| !value.is_empty())?;
    if value == "~" {
        return Some(places.home.clone());
    }
    Some(match value.strip_prefix("~/") {
        Some(rest) => places.home.join(rest),
        None => PathBuf::from(value),
    })
}

/// True for a `.jsonl` file.
pub(super) fn is_candidate(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "jsonl")
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
        let fork = PathBuf::from("/home/ada/.omp/agent/sessions");
        assert_eq!(
            default_roots(&places),
            [PathBuf::from("/home/ada/.pi/agent/sessions"), fork.clone()]
        );
        places
            .env
            .insert("PI_CODING_AGENT_DIR".into(), "~/alt".into());
        places
            .env
            .insert("PI_CODING_AGENT_SESSION_DIR".into(), "/srv/s".into());
        assert_eq!(
            default_roots(&places),
            [
                PathBuf::from("/srv/s"),
                PathBuf::from("/home/ada/alt/sessions"),
                fork
            ]
        );
    }
}

//! Which project a session belongs to: the git repository around its working directory.
//!
//! Worktrees of a repository belong to its project. On the machine where the session was made,
//! git's own files tell both; elsewhere the usual places of worktrees in the path do.

use palimpsest_store::regular::read_text;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A project, as far as a working directory tells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Project {
    /// The last part of `root`; empty without a directory.
    pub name: String,
    /// The root of the repository, else the working directory.
    pub root: Option<String>,
    /// The worktree of the repository in which the directory lies.
    pub worktree: Option<String>,
}

/// Folders in which agents and people put the worktrees of a repository, below its root: Claude
/// Code's `.claude/worktrees`, and the names that guides to git recommend.
const WORKTREE_FOLDERS: [&str; 4] = [".worktrees", ".claude/worktrees", "worktrees", ".trees"];

/// Folders in which programs keep the worktrees of all repositories, below one folder for each
/// repository (Mux, under the three names it has had).
const SHARED_FOLDERS: [&str; 3] = [".xum/src", ".mux/src", ".cmux/src"];

/// Folders above this many others are not looked through for a repository.
const MOST_PARENTS: usize = 24;

/// The project of a working directory.
pub fn project_of(cwd: Option<&str>) -> Project {
    let Some(cwd) = cwd.filter(|cwd| !cwd.is_empty()) else {
        return Project::default();
    };
    let found = repository(Path::new(cwd)).or_else(|| by_path(cwd));
    let (root, worktree) = found.unwrap_or_else(|| (cwd.trim_end_matches('/').to_owned(), None));
    Project {
        name: last_part(&root),
        root: Some(root),
        worktree,
    }
}

/// The projects of the working directories met in one run: most sessions share a few.
#[derive(Debug, Default)]
pub(super) struct Projects(Mutex<HashMap<String, Project>>);

impl Projects {
    pub(super) fn of(&self, cwd: Option<&str>) -> Project {
        let Some(cwd) = cwd else {
            return Project::default();
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(project) = known.get(cwd) {
            return project.clone();
        }
        let project = project_of(Some(cwd));
        known.insert(cwd.to_owned(), project.clone());
        project
    }
}

/// The last part of a path, which may be of another system.
fn last_part(path: &str) -> String {
    let trimmed = path.trim_end_matches(['/', '\\']);
    let last = trimmed.rsplit(['/', '\\']).next().unwrap_or(trimmed);
    last.to_owned()
}

/// A name for each of these folders: its last part, with as many parts before it as tell it from
/// the others.
pub fn project_labels(roots: &[&str]) -> HashMap<String, String> {
    let roots: HashSet<&str> = roots.iter().copied().collect();
    let name = |root: &str, parts: usize| -> String {
        let all: Vec<&str> = root.split('/').filter(|part| !part.is_empty()).collect();
        all[all.len().saturating_sub(parts)..].join("/")
    };
    let label = |root: &str| {
        let deepest = root.split('/').count();
        let unique = |parts: &usize| {
            let own = name(root, *parts);
            let same = |other: &&&str| **other != root && name(other, *parts) == own;
            !roots.iter().any(|other| same(&other))
        };
        let parts = (1..=deepest).find(unique).unwrap_or(deepest);
        (root.to_owned(), name(root, parts))
    };
    roots.iter().map(|root| label(root)).collect()
}

/// The root of the repository around `cwd` and the name of its worktree, by git's files.
fn repository(cwd: &Path) -> Option<(String, Option<String>)> {
    let parents = cwd.ancestors().take(MOST_PARENTS);
    let inside = parents.filter(|folder| !is_home(folder));
    for folder in inside {
        let git = folder.join(".git");
        let Ok(metadata) = fs::metadata(&git) else {
            continue;
        };
        if metadata.is_dir() {
            return Some((folder.to_str()?.to_owned(), None));
        }
        return match main_repository(&git) {
            Some(root) => {
                let name = folder.file_name()?.to_str()?.to_owned();
                Some((root.to_str()?.to_owned(), Some(name)))
            }
            // A submodule is a project of its own.
            None => Some((folder.to_str()?.to_owned(), None)),
        };
    }
    None
}

/// The repository whose worktree has this file `.git`: it says `gitdir: ROOT/.git/worktrees/NAME`.
fn main_repository(git: &Path) -> Option<PathBuf> {
    let text = read_text(git).ok()?;
    let target = Path::new(text.trim().strip_prefix("gitdir:")?.trim());
    let target = git.parent()?.join(target);
    let worktrees = target.parent()?;
    let git_folder = worktrees.parent()?;
    let is_worktree = worktrees.file_name()? == "worktrees" && git_folder.file_name()? == ".git";
    is_worktree.then(|| git_folder.parent().map(Path::to_path_buf))?
}

/// A home folder under git holds settings, not the projects below it.
fn is_home(folder: &Path) -> bool {
    let parent = folder.parent().and_then(Path::to_str);
    matches!(parent, Some("/home" | "/Users")) || folder == Path::new("/root")
}

/// The same by the path alone: `ROOT/.worktrees/NAME`, with `NAME` up to the end, because the names
/// of branches have slashes.
fn by_path(cwd: &str) -> Option<(String, Option<String>)> {
    let own = WORKTREE_FOLDERS.iter().find_map(|folder| {
        let (root, name) = cwd.split_once(&format!("/{folder}/"))?;
        let name = name.trim_matches('/');
        let named = !root.is_empty() && !name.is_empty();
        named.then(|| (root.to_owned(), Some(name.to_owned())))
    });
    own.or_else(|| {
        SHARED_FOLDERS.iter().find_map(|folder| {
            let (above, below) = cwd.split_once(&format!("/{folder}/"))?;
            let (repository, name) = below.trim_matches('/').split_once('/')?;
            let root = format!("{above}/{folder}/{repository}");
            Some((root, Some(name.to_owned())))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(cwd: &str) -> (String, String, Option<String>) {
        let project = project_of(Some(cwd));
        (project.name, project.root.unwrap(), project.worktree)
    }

    #[test]
    fn worktrees_belong_to_their_repository_by_their_path() {
        let own = |name: &str| Some(name.to_owned());
        for (cwd, root, worktree) in [
            ("/nowhere/dev/cli", "/nowhere/dev/cli", None),
            (
                "/nowhere/dev/cli/.worktrees/3",
                "/nowhere/dev/cli",
                own("3"),
            ),
            (
                "/nowhere/.xum/src/cli/fix-dates",
                "/nowhere/.xum/src/cli",
                own("fix-dates"),
            ),
            (
                "/nowhere/dev/cli/.claude/worktrees/fix/dates",
                "/nowhere/dev/cli",
                own("fix/dates"),
            ),
        ] {
            assert_eq!(told(cwd), ("cli".to_owned(), root.to_owned(), worktree));
        }
        assert_eq!(project_of(Some("C:\\dev\\cli")).name, "cli");
        assert_eq!(project_of(None), Project::default());
    }

    #[test]
    fn projects_of_one_name_are_told_apart() {
        let labels = project_labels(&["/home/ada/cli", "/home/bob/cli", "/home/ada/courier"]);
        assert_eq!(labels["/home/ada/cli"], "ada/cli");
        assert_eq!(labels["/home/bob/cli"], "bob/cli");
        assert_eq!(labels["/home/ada/courier"], "courier");
    }

    #[test]
    fn the_files_of_git_tell_root_and_worktree() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("courier");
        let worktree = dir.path().join("elsewhere");
        fs::create_dir_all(root.join(".git/worktrees/fix")).unwrap();
        fs::create_dir_all(root.join("src/parser")).unwrap();
        fs::create_dir_all(worktree.join("src")).unwrap();
        let target = format!("gitdir: {}\n", root.join(".git/worktrees/fix").display());
        fs::write(worktree.join(".git"), target).unwrap();
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let expected = ("courier".to_owned(), path(&root), None);
        assert_eq!(told(&path(&root.join("src/parser"))), expected);
        let expected = (
            "courier".to_owned(),
            path(&root),
            Some("elsewhere".to_owned()),
        );
        assert_eq!(told(&path(&worktree.join("src"))), expected);
    }
}

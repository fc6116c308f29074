//! Finding session files below the given places.

use super::Failed;
use super::outside;
use super::plan::Listed;
use crate::source::{HEAD_BYTES, MachineDisk, nanoseconds};
use palimpsest_formats::assembly::split_address;
use palimpsest_formats::{Disk as _, SessionFormat, formats};
use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// Folders inside folders, at most; sessions lie two or three deep.
const MAX_DEPTH: usize = 32;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<Listed>,
    /// What could not be looked into, with the reason.
    pub(super) failed: Vec<Failed>,
    /// The same places: what lies there is unknown, not gone.
    pub(super) unseen: Vec<PathBuf>,
}

/// Lists the candidates at and below `roots`. A root that is a file is a candidate whatever its
/// name; one that does not exist has nothing below it.
pub(super) fn list(roots: &[PathBuf]) -> Listing {
    let mut listing = Listing::default();
    // Links are followed, as people do keep their sessions elsewhere; a folder that was entered
    // before, by whatever way, is not entered again, so loops end.
    let mut entered = HashSet::new();
    for root in roots {
        match fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => {
                listing.folder(root, &metadata, &mut entered, 0);
            }
            Ok(metadata) => listing.file(root, &metadata),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => listing.fail(root, &error),
        }
    }
    listing.drop_moved();
    listing
}

impl Listing {
    fn folder(
        &mut self,
        folder: &Path,
        metadata: &Metadata,
        entered: &mut HashSet<(u64, u64, PathBuf)>,
        depth: usize,
    ) {
        if !entered.insert(identity(folder, metadata)) {
            return;
        }
        if depth > MAX_DEPTH {
            self.failed.push(Failed {
                path: folder.to_path_buf(),
                reason: format!("folders are searched {MAX_DEPTH} deep, and this one is deeper"),
            });
            self.unseen.push(folder.to_path_buf());
            return;
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.fail(folder, &error),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.fail(folder, &error),
            };
            let path = entry.path();
            let kind = entry.file_type();
            // Only folders, links and likely files are asked for their metadata.
            let is_file = kind.as_ref().is_ok_and(fs::FileType::is_file);
            if is_file && !is_candidate(&path) {
                continue;
            }
            // An agent's own small files below a session's folder are read through its assembly.
            if !is_file && formats().iter().any(|format| format.is_internal(&path)) {
                continue;
            }
            let metadata = if is_file {
                // Asked through the open folder, without a walk along the path: ten thousand files
                // are listed before the first of them is read.
                entry.metadata()
            } else {
                fs::metadata(&path)
            };
            match metadata {
                Ok(metadata) if metadata.is_dir() => {
                    self.folder(&path, &metadata, entered, depth + 1);
                }
                Ok(metadata) if is_file || is_candidate(&path) => self.file(&path, &metadata),
                Ok(_) => {}
                // Deleted in between, or a link to nothing.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => self.fail(&path, &error),
            }
        }
    }

    fn file(&mut self, path: &Path, metadata: &Metadata) {
        if !metadata.is_file() {
            return;
        }
        // Paths are keys of the index and part of addresses, which are text.
        let Some(path) = path.to_str() else {
            let reason = "the file cannot be indexed, because its name is not valid UTF-8";
            self.failed.push(Failed {
                path: path.to_path_buf(),
                reason: reason.to_owned(),
            });
            return;
        };
        let container = formats()
            .iter()
            .find(|format| format.is_container(Path::new(path)));
        match container {
            Some(format) => self.container(Path::new(path), *format),
            None => self.files.push(listed(path, metadata)),
        }
    }

    /// Lists the sessions in a database and the like.
    fn container(&mut self, path: &Path, format: &'static dyn SessionFormat) {
        let head = match MachineDisk.read(path, HEAD_BYTES as u64) {
            Ok(head) => head,
            Err(error) => return self.fail(path, &error),
        };
        // Another program's database, or one not yet begun.
        let Some(assembly) = format.assembly(path, &head) else {
            return;
        };
        // Before the sessions: what is written meanwhile is seen the next time.
        let state = fs::metadata(path).map_or(0, |own| outside::state(path, &head, &own));
        match assembly.sessions(path, &MachineDisk) {
            Ok(sessions) => self
                .files
                .extend(sessions.into_iter().map(|session| Listed {
                    path: session.address,
                    size: session.stamp.size,
                    mtime_ns: session.stamp.mtime_ns,
                    // A session in a database has no inode of its own.
                    inode: state,
                })),
            Err(error) => {
                self.failed.push(Failed {
                    path: path.to_path_buf(),
                    reason: error.to_string(),
                });
                // What could not be listed for now is kept in the index instead of being taken for
                // deleted. A damaged database holds no session any more.
                if error.kind() != std::io::ErrorKind::InvalidData {
                    self.unseen.push(path.to_path_buf());
                }
            }
        }
    }

    /// Drops files of sessions that are in a container as well: agents move sessions there and
    /// leave the files behind, which then grow old.
    fn drop_moved(&mut self) {
        // OpenCode did so when it moved its sessions from small files to a database.
        let inside: HashSet<String> = self
            .files
            .iter()
            .filter_map(|file| split_address(&file.path).1.map(str::to_owned))
            .collect();
        if inside.is_empty() {
            return;
        }
        self.files.retain(|file| {
            let (path, id) = split_address(&file.path);
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            id.is_some() || !stem.is_some_and(|stem| inside.contains(stem))
        });
    }

    fn fail(&mut self, path: &Path, error: &std::io::Error) {
        let reason = format!("it cannot be read: {error}");
        self.failed.push(Failed {
            path: path.to_path_buf(),
            reason,
        });
        self.unseen.push(path.to_path_buf());
    }
}

fn is_candidate(path: &Path) -> bool {
    // What one agent keeps beside its sessions can look like a session of another by its name.
    let is_beside = |format: &&dyn SessionFormat| format.session_beside(path).is_some();
    formats().iter().any(|format| format.is_candidate(path)) && !formats().iter().any(is_beside)
}

pub(super) fn listed(path: &str, metadata: &Metadata) -> Listed {
    Listed {
        path: path.to_owned(),
        size: metadata.len(),
        mtime_ns: metadata.modified().map_or(0, nanoseconds),
        inode: inode(metadata),
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

#[cfg(unix)]
fn identity(_: &Path, metadata: &Metadata) -> (u64, u64, PathBuf) {
    (
        std::os::unix::fs::MetadataExt::dev(metadata),
        inode(metadata),
        PathBuf::new(),
    )
}

#[cfg(not(unix))]
fn identity(folder: &Path, _: &Metadata) -> (u64, u64, PathBuf) {
    (
        0,
        0,
        fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf()),
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(listing: &Listing, root: &Path) -> Vec<String> {
        let relative = |file: &Listed| {
            Path::new(&file.path)
                .strip_prefix(root)
                .expect("listed below the root")
                .display()
                .to_string()
        };
        let mut names: Vec<String> = listing.files.iter().map(relative).collect();
        names.sort();
        names
    }

    #[test]
    fn links_are_followed_but_loops_end() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let elsewhere = dir.path().join("elsewhere");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        fs::write(root.join("a/one.jsonl"), "x").unwrap();
        fs::write(root.join("a/notes.txt"), "x").unwrap();
        fs::write(elsewhere.join("two.jsonl"), "x").unwrap();
        symlink(&root, root.join("a/loop")).unwrap();
        symlink(&elsewhere, root.join("linked")).unwrap();
        symlink(root.join("nowhere"), root.join("dangling.jsonl")).unwrap();
        symlink(elsewhere.join("two.jsonl"), root.join("file-link.jsonl")).unwrap();
        let listing = list(std::slice::from_ref(&root));
        assert_eq!(
            names(&listing, &root),
            ["a/one.jsonl", "file-link.jsonl", "linked/two.jsonl"]
        );
        assert!(listing.failed.is_empty(), "{:?}", listing.failed);
    }

    #[test]
    fn folders_that_are_too_deep_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let mut deep = dir.path().to_path_buf();
        for depth in 0..40 {
            fs::create_dir(deep.join("d")).unwrap();
            deep = deep.join("d");
            fs::write(deep.join(format!("{depth}.jsonl")), "x").unwrap();
        }
        let listing = list(&[dir.path().to_path_buf()]);
        assert_eq!(listing.files.len(), MAX_DEPTH);
        let [failed] = &listing.failed[..] else {
            panic!("{:?}", listing.failed)
        };
        assert!(failed.reason.contains("32 deep"), "{}", failed.reason);
        assert_eq!(listing.unseen, std::slice::from_ref(&failed.path));
    }

    #[test]
    fn a_missing_root_is_empty_and_a_file_is_itself() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("any-name.txt");
        fs::write(&file, "x").unwrap();
        let listing = list(&[dir.path().join("nothing"), file]);
        assert_eq!(names(&listing, dir.path()), ["any-name.txt"]);
        assert!(listing.failed.is_empty() && listing.unseen.is_empty());
    }
}

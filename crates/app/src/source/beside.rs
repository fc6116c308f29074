//! What a document was made from besides its own file, so that a change there shows.

use crate::fnv::fnv_of;
use palimpsest_formats::assembly::{Query, Rows};
use palimpsest_formats::{Disk, Stamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Other files and folders that a document was made from, as they were then; what was missing
/// counts as well, because it may come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beside {
    /// Size and time of files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, Option<(u64, i64)>>,
    /// Hashes of the names in folders.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    folders: BTreeMap<String, Option<u64>>,
}

impl Beside {
    /// True when there is nothing of the kind.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.folders.is_empty()
    }

    /// True when all of it is as it was.
    pub(crate) fn still_stands(&self, now: &mut Now<'_>) -> bool {
        self.files.iter().all(|(path, was)| now.file(path) == *was)
            && self
                .folders
                .iter()
                .all(|(path, was)| now.folder(path) == *was)
    }
}

/// Files and folders as they are now, each looked at once: many sessions depend on the same ones.
pub(crate) struct Now<'d> {
    disk: &'d dyn Disk,
    files: HashMap<String, Option<(u64, i64)>>,
    folders: HashMap<String, Option<u64>>,
}

impl<'d> Now<'d> {
    /// Nothing looked at yet.
    pub(crate) fn new(disk: &'d dyn Disk) -> Now<'d> {
        Now {
            disk,
            files: HashMap::new(),
            folders: HashMap::new(),
        }
    }

    fn file(&mut self, path: &str) -> Option<(u64, i64)> {
        if let Some(known) = self.files.get(path) {
            return *known;
        }
        let found = stamp_of(self.disk, Path::new(path));
        self.files.insert(path.to_owned(), found);
        found
    }

    fn folder(&mut self, path: &str) -> Option<u64> {
        if let Some(known) = self.folders.get(path) {
            return *known;
        }
        let found = self.disk.list(Path::new(path)).ok();
        let found = found.map(|names| hash_of(&names));
        self.folders.insert(path.to_owned(), found);
        found
    }
}

fn stamp_of(disk: &dyn Disk, path: &Path) -> Option<(u64, i64)> {
    let stamp = disk.stamp(path).ok()?;
    Some((stamp.size, stamp.mtime_ns))
}

/// A hash of the names in a folder; not of its time, which a file system may not move for two
/// changes in a row.
fn hash_of(paths: &[PathBuf]) -> u64 {
    let names = paths.iter().filter_map(|path| path.file_name());
    fnv_of(names.map(std::ffi::OsStr::as_encoded_bytes))
}

/// A disk that notes what is asked of it.
pub(super) struct Recording<'d> {
    disk: &'d dyn Disk,
    noted: Mutex<Beside>,
}

impl<'d> Recording<'d> {
    /// Nothing asked yet.
    pub(super) fn new(disk: &'d dyn Disk) -> Recording<'d> {
        Recording {
            disk,
            noted: Mutex::default(),
        }
    }

    /// What was asked for besides `own` and what is `settled`.
    pub(super) fn beside(self, own: &Path, settled: &[PathBuf]) -> Beside {
        let mut beside = self
            .noted
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        for path in settled.iter().map(PathBuf::as_path).chain([own]) {
            if let Some(path) = path.to_str() {
                beside.files.remove(path);
                beside.folders.remove(path);
            }
        }
        beside
    }

    fn noted(&self) -> MutexGuard<'_, Beside> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a file before it is read, so that a change meanwhile shows.
    fn note_file(&self, path: &Path) {
        // The index keeps text; a name that is none belongs to no agent.
        if let Some(path) = path.to_str()
            && !self.noted().files.contains_key(path)
        {
            let stamp = stamp_of(self.disk, Path::new(path));
            self.noted().files.insert(path.to_owned(), stamp);
        }
    }
}

impl Disk for Recording<'_> {
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
        self.note_file(path);
        self.disk.read(path, at_most)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let listed = self.disk.list(folder);
        if let Some(folder) = folder.to_str() {
            let hash = listed.as_deref().ok().map(hash_of);
            self.noted().folders.insert(folder.to_owned(), hash);
        }
        listed
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        self.note_file(path);
        self.disk.stamp(path)
    }

    fn query(&self, database: &Path, queries: &[Query]) -> io::Result<Vec<Rows>> {
        self.disk.query(database, queries)
    }
}

//! Sessions that are not simply the lines of one file: rows of a database, folders of small files,
//! compressed files, conversations that go on in a second file.
//!
//! Such a session has an *address* (a path, for several sessions in one file with `#` and the
//! session's id behind it) and is put together into one *document*: JSON lines that the format
//! reads like any file. Nothing of this asks the machine by itself; it goes through a [`Disk`].

use palimpsest_core::SourcePart;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// What separates the path of a container from the id of a session in it.
pub const ADDRESS_MARK: char = '#';

/// What stands for a session when it is listed: equal stamps mean that nothing has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes, or any other number that changes when the session does.
    pub size: u64,
    /// When it was last written, Unix nanoseconds.
    pub mtime_ns: i64,
}

/// A session found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressed {
    /// Its address.
    pub address: String,
    /// Its state.
    pub stamp: Stamp,
}

/// A session put together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// JSON lines, as the format's `read` takes them.
    pub bytes: Vec<u8>,
    /// The files they come from, where that is more than the one in the address.
    pub parts: Vec<SourcePart>,
    /// What of these files could not be read, and why; each becomes a warning of the session.
    pub problems: Vec<String>,
    /// Files and folders whose changes show in the stamp of the listed session, or no longer matter.
    pub settled: Vec<PathBuf>,
}

/// A question to a database: one statement that only reads, and the values of its `?1, ?2, ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The statement.
    pub sql: String,
    /// Its values.
    pub values: Vec<String>,
}

/// Rows of one answer: for each row its columns, blobs as lossy text.
pub type Rows = Vec<Vec<Value>>;

/// The machine's files and databases, read only. No method changes, locks or creates anything
/// beside what it reads.
pub trait Disk: Send + Sync {
    /// The first `at_most` bytes of a file, or all when it is shorter.
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>>;

    /// What lies directly in a folder, sorted by name.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// Size and time of a file.
    fn stamp(&self, path: &Path) -> io::Result<Stamp>;

    /// Answers to all queries as of one moment, from an SQLite database that its owner may be
    /// writing right now.
    fn query(&self, database: &Path, queries: &[Query]) -> io::Result<Vec<Rows>>;
}

/// How sessions that are not the lines of one file are found and put together.
pub trait Assembly: Send + Sync {
    /// The sessions in `file`.
    ///
    /// Errors: what the disk reports, with what to do about it.
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>>;

    /// The session at `address`, whole.
    ///
    /// Errors: what the disk reports; `NotFound` when the session is no longer there.
    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document>;

    /// Files and folders one of which changes when the session does; they need not exist.
    fn signs(&self, address: &str) -> Vec<PathBuf> {
        let (path, _) = split_address(address);
        // What a database's owner writes first goes beside it.
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        vec![path.to_path_buf(), log.into()]
    }
}

/// The file of an address, and the id of the session in it where it names one.
pub fn split_address(address: &str) -> (&Path, Option<&str>) {
    match address.rsplit_once(ADDRESS_MARK) {
        // A file name may hold the mark as well; an id holds no separator.
        Some((file, id)) if !id.is_empty() && !id.contains(['/', '\\']) && !file.is_empty() => {
            (Path::new(file), Some(id))
        }
        _ => (Path::new(address), None),
    }
}

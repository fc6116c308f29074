//! A copy of a damaged user database, made before anything else is done to it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Copies the database and its log beside it, once for each state it is found in; `None` where that
/// fails. The name has the time at which the file was last written, in seconds.
pub(super) fn copy(path: &Path) -> Option<PathBuf> {
    let written = fs::metadata(path).ok()?.modified().ok()?;
    let seconds = written.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let end = format!(".damaged-{seconds}");
    let copy = with_end(path, &end);
    if !copy.exists() {
        // The log first: without it the copy would be an older state.
        let log = with_end(path, "-wal");
        if log.exists() {
            copied(&log, &with_end(&copy, "-wal")).ok()?;
        }
        copied(path, &copy).ok()?;
    }
    Some(copy)
}

/// Copies a file with its permissions. A copy that breaks off is removed.
fn copied(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop).inspect_err(|_| {
        // It may not have been begun.
        let _ = fs::remove_file(to);
    })
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

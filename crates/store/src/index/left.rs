//! How an index was left by the programs that had it open, and whether anybody has it open now.

use crate::private::make_private;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// In what state an index was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Nobody has used it yet, or only an older version of the program.
    New,
    /// Closed by the last program that used it, or nothing is known against it.
    Closed,
    /// The last program that used it did not close it: it was killed, or the machine stopped.
    Open,
    /// Closed, and then changed by something that is not this program.
    Changed,
    /// Another program uses it, which looked at it when it began.
    InUse,
}

/// Says to other programs that the index is in use, until it is dropped.
#[derive(Debug)]
pub(super) struct InUse {
    index: PathBuf,
    /// `None` where the folder cannot be written to.
    file: Option<File>,
}

impl InUse {
    /// Begins to use the index, and says how it was left. Only one program at a time may call this.
    pub fn begin(index: &Path) -> (InUse, Left) {
        let users = beside(index, ".users");
        let is_new = !users.exists();
        let mut in_use = InUse {
            index: index.to_path_buf(),
            file: open(&users),
        };
        let Some(file) = &mut in_use.file else {
            return (in_use, Left::Closed);
        };
        let left = match file.try_lock() {
            Ok(()) if is_new => Left::New,
            Ok(()) => left(index, file),
            Err(TryLockError::WouldBlock) => Left::InUse,
            Err(TryLockError::Error(_)) => Left::Closed,
        };
        // From now on the file may change. Without locks (some network file systems) nothing is
        // known of other programs, and nothing is held against the index.
        let _ = file.set_len(0);
        let _ = file.unlock();
        let _ = file.lock_shared();
        (in_use, left)
    }

    /// Notes how the index was left, after the last connection was closed.
    pub fn end(&self) {
        // SQLite removes the log with the last connection, also with that of another program.
        let is_last = !beside(&self.index, "-wal").exists();
        if let Some(mut file) = self.file.as_ref()
            && is_last
            && let Some(stamp) = stamp(&self.index)
        {
            let _ = file.set_len(0);
            let _ = file.rewind();
            let _ = file.write_all(stamp.as_bytes());
        }
    }

    /// Takes back what [`InUse::end`] noted: the index is written to again.
    pub fn go_on(&self) {
        if let Some(file) = &self.file {
            let _ = file.set_len(0);
        }
    }
}

fn open(path: &Path) -> Option<File> {
    make_private(path).ok()?;
    OpenOptions::new().read(true).write(true).open(path).ok()
}

fn left(index: &Path, file: &mut File) -> Left {
    let log = fs::metadata(beside(index, "-wal"));
    if log.is_ok_and(|log| log.len() > 0) {
        return Left::Open;
    }
    let mut noted = String::new();
    let _ = file.rewind();
    let _ = file.read_to_string(&mut noted);
    // A file that was deleted has no stamp, and is as good as changed.
    if noted.is_empty() || stamp(index).is_some_and(|stamp| stamp == noted) {
        Left::Closed
    } else {
        Left::Changed
    }
}

/// Size and time of a file, which differ after anybody wrote to it.
fn stamp(index: &Path) -> Option<String> {
    let data = fs::metadata(index).ok()?;
    let time = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {}", data.len(), time.as_nanos()))
}

/// The file beside the index whose name ends so.
pub(super) fn beside(index: &Path, end: &str) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

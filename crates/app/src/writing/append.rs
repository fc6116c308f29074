//! An addition to an original: a backup, one write, and back again when it fails.

use super::error::{FileState, WriteError};
use super::in_use;
use super::new_file::{created, sync_folder};
use super::steps::{Step, Watch};
use sha2::{Digest as _, Sha256};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// An original, locked, with its bytes.
pub(super) struct Locked {
    file: File,
    path: PathBuf,
    /// The bytes at the time of the lock.
    pub(super) bytes: Vec<u8>,
    cwd: Option<String>,
    agent: &'static str,
}

/// SHA-256 as hex digits.
pub(super) fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Locked {
    /// Locks the file at `path` against other writers of Palimpsest, after no agent uses it.
    ///
    /// Errors: [`WriteError::InUse`], [`WriteError::Unknown`], [`WriteError::Locked`],
    /// [`WriteError::Io`].
    pub(super) fn of(
        path: &Path,
        cwd: Option<&str>,
        agent: &'static str,
    ) -> Result<Locked, WriteError> {
        let shown = || path.display().to_string();
        not_used(path, cwd, agent)?;
        let opened = OpenOptions::new().read(true).append(true).open(path);
        let mut file = opened.map_err(|source| unchanged(source, path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(WriteError::Locked { path: shown() }),
            Err(TryLockError::Error(source)) => return Err(unchanged(source, path)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|source| unchanged(source, path))?;
        Ok(Locked {
            file,
            path: path.to_path_buf(),
            bytes,
            cwd: cwd.map(str::to_owned),
            agent,
        })
    }

    /// Copies the original to a new file.
    pub(super) fn back_up(&self, to: &Path, watch: &dyn Watch) -> Result<(), WriteError> {
        let copied = (|| {
            watch.before(Step::Backup)?;
            let mut copy = created(to)?;
            copy.write_all(&self.bytes)?;
            copy.sync_all()?;
            to.parent().map_or(Ok(()), sync_folder)
        })();
        copied.map_err(|source| {
            let _ = std::fs::remove_file(to);
            unchanged(source, &self.path)
        })
    }

    /// Appends `addition` by one write. When that fails, the file gets its old length again.
    pub(super) fn append(&mut self, addition: &[u8], watch: &dyn Watch) -> Result<(), WriteError> {
        // Looked at as late as possible: what an agent wrote meanwhile must stay the newest.
        not_used(&self.path, self.cwd.as_deref(), self.agent)?;
        if !self.holds(&[])? {
            return Err(WriteError::Changed {
                path: self.path.display().to_string(),
            });
        }
        watch
            .before(Step::Write)
            .map_err(|source| unchanged(source, &self.path))?;
        let taken = watch.takes(addition.len());
        let written = match self.file.write(&addition[..taken]) {
            // One write and no loop: half an addition must not wait for its other half.
            Ok(count) if count == addition.len() => {
                watch.before(Step::Sync).and_then(|()| self.file.sync_all())
            }
            Ok(_) => Err(ErrorKind::StorageFull.into()),
            Err(error) => Err(error),
        };
        written.map_err(|source| WriteError::Io {
            source,
            state: self.restore(addition),
            path: self.path.display().to_string(),
        })
    }

    /// Takes the addition, or what of it was written, off the end again.
    pub(super) fn restore(&mut self, addition: &[u8]) -> FileState {
        let Ok(now) = self.read() else {
            return FileState::Mixed;
        };
        let ours = now
            .strip_prefix(self.bytes.as_slice())
            .is_some_and(|rest| addition.starts_with(rest));
        if !ours {
            return FileState::Mixed;
        }
        let cut = self
            .file
            .set_len(self.bytes.len() as u64)
            .and_then(|()| self.file.sync_all());
        match cut {
            Ok(()) => FileState::Restored,
            Err(_) if now.len() == self.bytes.len() + addition.len() => FileState::Updated,
            Err(_) => FileState::Mixed,
        }
    }

    /// True when the file at the path is still this one and holds the original with `addition`.
    pub(super) fn holds(&mut self, addition: &[u8]) -> Result<bool, WriteError> {
        let same = same_file(&self.file, &self.path);
        let now = self.read();
        match (same, now) {
            (Ok(same), Ok(now)) => {
                let rest = now.strip_prefix(self.bytes.as_slice());
                Ok(same && rest == Some(addition))
            }
            (Err(source), _) | (_, Err(source)) => Err(unchanged(source, &self.path)),
        }
    }

    fn read(&mut self) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::with_capacity(self.bytes.len() + 4096);
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Shortens the file to `len` bytes, which must have the hash `wanted`.
    pub(super) fn shorten(&mut self, len: u64, wanted: &str) -> Result<(), WriteError> {
        let path = || self.path.display().to_string();
        let kept = usize::try_from(len)
            .ok()
            .and_then(|len| self.bytes.get(..len));
        if kept.map(hash).as_deref() != Some(wanted) {
            return Err(WriteError::Changed { path: path() });
        }
        not_used(&self.path, self.cwd.as_deref(), self.agent)?;
        let cut = self.file.set_len(len).and_then(|()| self.file.sync_all());
        cut.map_err(|source| WriteError::Io {
            source,
            state: FileState::Updated,
            path: path(),
        })
    }
}

fn unchanged(source: io::Error, path: &Path) -> WriteError {
    WriteError::Io {
        source,
        state: FileState::Unchanged,
        path: path.display().to_string(),
    }
}

fn not_used(path: &Path, cwd: Option<&str>, agent: &str) -> Result<(), WriteError> {
    let shown = || path.display().to_string();
    match in_use::user_of(path, cwd, agent) {
        Ok(None) => Ok(()),
        Ok(Some(user)) => Err(WriteError::InUse {
            program: user.program,
            pid: user.pid,
            path: shown(),
        }),
        Err(error) if error.kind() == ErrorKind::Unsupported => {
            Err(WriteError::Unknown { path: shown() })
        }
        Err(source) => Err(unchanged(source, path)),
    }
}

/// True when the open file is the one of that name: it was not replaced.
fn same_file(file: &File, path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let (open, named) = (file.metadata()?, std::fs::metadata(path)?);
        Ok(open.ino() == named.ino() && open.dev() == named.dev())
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(true)
    }
}

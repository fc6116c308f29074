//! A new file that is whole from the moment it has its name.

use super::error::{FileState, WriteError};
use super::steps::{Step, Watch};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

/// Writes `bytes` to a new file at `path`: first under another name in the same folder, then, on
/// the disk, linked to its own. A file that exists is never replaced.
///
/// Errors: [`WriteError::Exists`], [`WriteError::Io`]; no file is left then.
pub(super) fn place(path: &Path, bytes: &[u8], watch: &dyn Watch) -> Result<(), WriteError> {
    let shown = || path.display().to_string();
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // No ending of a session: agents must not read a half of one.
    let beside = folder.join(format!(".{name}.{}.part", std::process::id()));
    let placed = (|| {
        watch.before(Step::Write)?;
        let mut file = created(&beside)?;
        let taken = watch.takes(bytes.len());
        file.write_all(&bytes[..taken])?;
        if taken < bytes.len() {
            return Err(ErrorKind::StorageFull.into());
        }
        watch.before(Step::Sync)?;
        file.sync_all()?;
        watch.before(Step::Name)?;
        named(&beside, path)?;
        sync_folder(folder)
    })();
    // Also after success: the link is a second name of the same file.
    let _ = fs::remove_file(&beside);
    placed.map_err(|source: io::Error| match source.kind() {
        ErrorKind::AlreadyExists => WriteError::Exists { path: shown() },
        _ => WriteError::Io {
            source,
            state: FileState::Unchanged,
            path: shown(),
        },
    })
}

/// A file that did not exist, for its user only.
pub(super) fn created(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Gives the file its name unless another has it.
fn named(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists && !to.exists() => {
            // Some file systems have no links; a rename is whole as well.
            fs::rename(from, to)
        }
        other => other,
    }
}

/// Until the disk has the folder's list of names.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        File::open(folder)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

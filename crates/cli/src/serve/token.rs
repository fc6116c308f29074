//! The access token of `serve`: made once, kept in the data folder, so that links and bookmarks
//! hold when the server is started again.

use palimpsest_api::{ErrorCode, NextStep, WireError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The file in the data folder.
const FILE: &str = "serve-token";
/// 128 random bits as hexadecimal digits.
const LENGTH: usize = 32;

/// The token kept in `folder`; made where there is none, where `renew` asks for another, and where
/// other users could read it.
pub fn kept(folder: &Path, renew: bool) -> Result<String, WireError> {
    let path = folder.join(FILE);
    let refuse = |what: &str, error: &std::io::Error, next: NextStep| {
        let path = path.display();
        let message = format!("the access token cannot be {what} ({error}): {path}");
        let next = match error.kind() {
            ErrorKind::StorageFull => NextStep::FreeSpace,
            _ => next,
        };
        WireError::new(ErrorCode::Io, message, next)
    };
    let unsaved = |error: std::io::Error| refuse("saved", &error, NextStep::CheckFolder);
    if !renew && is_private(&path) {
        match std::fs::read_to_string(&path) {
            Ok(text) if is_token(text.trim()) => return Ok(text.trim().to_owned()),
            // Cut off or edited: as good as none.
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(refuse("read", &error, NextStep::CheckFile)),
        }
    }
    let token = fresh()?;
    std::fs::create_dir_all(folder).map_err(unsaved)?;
    write(&path, &token).map_err(unsaved)?;
    Ok(token)
}

fn is_token(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn fresh() -> Result<String, WireError> {
    let mut bytes = [0_u8; LENGTH / 2];
    getrandom::fill(&mut bytes)
        .map_err(|error| WireError::internal(&format!("no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Written beside and renamed, so that two servers that start at once never read half a token.
fn write(path: &Path, token: &str) -> std::io::Result<()> {
    let beside = PathBuf::from(format!("{}.{}", path.display(), std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let written = options
        .open(&beside)
        .and_then(|mut file| file.write_all(token.as_bytes()))
        .and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // The error is reported; a leftover must not stay beside it.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// Whether only its owner can read the file: another user may know a token that was readable.
fn is_private(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path).map(|found| found.permissions().mode());
        mode.is_ok_and(|mode| mode & 0o077 == 0)
    }
    // Elsewhere the folder of the user protects it.
    #[cfg(not(unix))]
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_until_it_is_renewed() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("not there yet");
        let first = kept(&below, false).unwrap();
        assert!(is_token(&first), "{first}");
        assert_eq!(kept(&below, false).unwrap(), first);
        let second = kept(&below, true).unwrap();
        assert_ne!(second, first);
        assert_eq!(kept(&below, false).unwrap(), second);
        assert_eq!(std::fs::read_dir(&below).unwrap().count(), 1);
    }

    #[test]
    fn a_token_that_cannot_be_saved_leads_to_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "no folder").unwrap();
        let error = kept(&file.join("below"), false).unwrap_err();
        assert!(error.message.contains("cannot be saved"), "{error:?}");
        let hint = error.hint.unwrap_or_default();
        assert!(hint.contains("you can write to it"), "{hint}");
    }

    #[test]
    fn a_damaged_token_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let first = kept(folder.path(), false).unwrap();
        std::fs::write(folder.path().join(FILE), &first[..9]).unwrap();
        assert!(is_token(&kept(folder.path(), false).unwrap()));
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let first = kept(folder.path(), false).unwrap();
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_ne!(kept(folder.path(), false).unwrap(), first);
        assert_eq!(mode(), 0o600);
    }
}

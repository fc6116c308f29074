//! Opening files that other programs own.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a regular file to read.
///
/// Opening a pipe waits until somebody writes to it, and a device may have no end, so that a single
/// one in a folder of sessions would stop the program. Errors: what the system reports;
/// `InvalidInput` for a pipe, a device or a socket, `IsADirectory` for a folder.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        let message = "it is a pipe, a device or a socket, and a session is a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    File::open(path)
}

/// Largest file of settings, of a preset or of a prompt that is read: those in use have kilobytes.
const MOST_TEXT: u64 = 8 << 20;

/// The text of a small file: settings, a preset, a prompt. Errors: those of [`open_regular`];
/// `InvalidData` for more than 8 MiB and for what is no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = open_regular(path)?;
    file.take(MOST_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_TEXT {
        let message = format!("the file is larger than {MOST_TEXT} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(text)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_could_wait_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for path in [pipe.as_path(), Path::new("/dev/zero")] {
            let kind = open_regular(path).unwrap_err().kind();
            assert_eq!(kind, io::ErrorKind::InvalidInput, "{}", path.display());
        }
        let kind = open_regular(dir.path()).unwrap_err().kind();
        assert_eq!(kind, io::ErrorKind::IsADirectory);
        std::fs::write(dir.path().join("file"), "text").unwrap();
        assert!(open_regular(&dir.path().join("file")).is_ok());
    }
}

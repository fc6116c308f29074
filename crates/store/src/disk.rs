//! Whether a disk has space left.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// What SQLite needs at least for the files beside a database, in bytes: the shared memory of its log.
const LEAST_BYTES: usize = 32 * 1024;

/// True where nothing can be written beside `database` because the disk has no space left. Tried with
/// a file that is removed again.
pub(crate) fn is_full(database: &Path) -> bool {
    let Some(name) = database.file_name() else {
        return false;
    };
    let mut probe = name.to_os_string();
    probe.push(format!(".{}.probe", std::process::id()));
    let probe = database.with_file_name(probe);
    let file = OpenOptions::new().write(true).create_new(true).open(&probe);
    let written = file.and_then(|mut file| fill(&mut file));
    let _ = fs::remove_file(&probe);
    written.is_err_and(|error| is_no_space(&error))
}

fn fill(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; LEAST_BYTES])?;
    out.flush()
}

fn is_no_space(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_space_is_not_full_and_nothing_is_left_in_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_full(&folder.path().join("user.db")));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(!is_full(&folder.path().join("missing/user.db")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_write_without_space_is_known() {
        let mut full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let error = fill(&mut full).unwrap_err();
        assert!(is_no_space(&error), "{error}");
    }
}

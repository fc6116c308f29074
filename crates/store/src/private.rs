//! Files that only their user may read: transcripts, prompts and what providers answered.

use std::fs;
use std::io;
use std::path::Path;

/// Makes a folder that only its user may enter (mode 700), with the folders above it. One that is
/// there stays as it is: the user may have chosen to share it.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Makes sure that a database can be read by its user alone (mode 600), before SQLite makes it: the
/// files beside it (`-wal`, `-shm`) get the mode of the database. On Windows the user's profile is
/// private by itself.
#[cfg(unix)]
pub(crate) fn make_private(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    match fs::metadata(file) {
        Ok(metadata) => {
            // A database of an older program is readable by all; one of another user or on a disk
            // without modes is used as it is.
            if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
                let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o600));
            }
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut options = fs::OpenOptions::new();
            let made = options.write(true).create_new(true).mode(0o600).open(file);
            match made {
                // Another program made it meanwhile.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                made => made.map(drop),
            }
        }
        Err(error) => Err(error),
    }
}

/// Nothing to do: see the other one.
#[cfg(not(unix))]
pub(crate) fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{IndexDb, UserDb};
    use std::os::unix::fs::PermissionsExt as _;

    /// The mode of what is there; 0 for nothing.
    fn mode(path: &Path) -> u32 {
        fs::metadata(path).map_or(0, |found| found.permissions().mode() & 0o777)
    }

    #[test]
    fn folders_and_databases_are_their_users() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("share/palimpsest");
        let (index, user) = (folder.join("index.db"), folder.join("user.db"));
        let (db, _) = IndexDb::open(&index).unwrap();
        drop(UserDb::open(&user).unwrap());
        assert_eq!(mode(&folder), 0o700);
        assert_eq!((mode(&index), mode(&user)), (0o600, 0o600));
        let writer = db.writer().unwrap();
        for beside in ["index.db-wal", "index.db-shm"] {
            let path = folder.join(beside);
            assert!(!path.exists() || mode(&path) == 0o600, "{beside}");
        }
        drop(writer);
        drop(db);
        // What an older program left is tightened, a folder that is there is the user's choice.
        fs::set_permissions(&user, fs::Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        drop(UserDb::open(&user).unwrap());
        assert_eq!((mode(&user), mode(&folder)), (0o600, 0o755));
    }
}

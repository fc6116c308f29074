//! Databases that were changed by something else than SQLite.
//!
//! Whether a session in a database changed follows from numbers that its agent writes with every change.
//! Where some bytes of the file were replaced (a damaged disk, a restored copy), these numbers are as
//! before. SQLite counts its own changes in the header: a file that was written while this counter stayed
//! the same was changed outside. In WAL mode the counter may stay while the log is copied into the file, so
//! there is no state while there is a log; after the last connection was closed, sessions may be read again
//! without need.

use std::fs::Metadata;
use std::path::Path;

/// How a database file begins (sqlite.org, "Database File Format").
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where the change counter is: four bytes, the highest first.
const CHANGE_COUNTER: std::ops::Range<usize> = 24..28;

/// The state of a database file: SQLite's number of changes in the upper half, size and time in the
/// lower one; 0 where nothing can be told.
pub(super) fn state(path: &Path, head: &[u8], metadata: &Metadata) -> u64 {
    let counter = head.get(CHANGE_COUNTER).filter(|_| head.starts_with(MAGIC));
    let Some(counter) = counter.and_then(|bytes| <[u8; 4]>::try_from(bytes).ok()) else {
        return 0;
    };
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return 0;
    }
    let time = metadata.modified().map_or(0, crate::source::nanoseconds);
    let mixed = time.cast_unsigned() ^ metadata.len().rotate_left(32);
    let folded = (mixed ^ (mixed >> 32)) & u64::from(u32::MAX);
    u64::from(u32::from_be_bytes(counter)) << 32 | folded.max(1)
}

/// True where a file was written between two states without SQLite.
pub(super) fn was_written_outside(before: u64, now: u64) -> bool {
    before != 0 && now != 0 && before != now && before >> 32 == now >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, SystemTime};

    #[test]
    fn bytes_replaced_in_a_file_are_told_from_changes_by_sqlite() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let mut second = 0;
        let mut written = |changes: u8, content: u8| {
            let mut bytes = MAGIC.to_vec();
            bytes.resize(CHANGE_COUNTER.end, 0);
            bytes[CHANGE_COUNTER.end - 1] = changes;
            bytes.push(content);
            fs::write(&path, &bytes).unwrap();
            second += 1;
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(second))
                .unwrap();
            state(&path, &bytes, &fs::metadata(&path).unwrap())
        };
        let (first, changed, damaged) = (written(1, 7), written(2, 8), written(2, 9));
        assert!(!was_written_outside(first, changed));
        assert!(!was_written_outside(changed, changed));
        assert!(was_written_outside(changed, damaged));
        // An index that was made before has no state.
        assert!(!was_written_outside(0, damaged));
        // With a log nothing is told, nor of another file.
        fs::write(folder.path().join("a.db-wal"), "log").unwrap();
        assert_eq!(written(2, 9), 0);
        assert_eq!(
            state(&path, b"no database", &fs::metadata(&path).unwrap()),
            0
        );
    }
}

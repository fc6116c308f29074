//! The machine's files and databases, as the formats ask for them.

use palimpsest_formats::assembly::{Query, Rows};
use palimpsest_formats::{Disk, Stamp};
use palimpsest_store::regular::open_regular;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The machine itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct MachineDisk;

impl Disk for MachineDisk {
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open_regular(path)?.take(at_most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<PathBuf>>>()?;
        // The order of a folder differs between systems, and a document must have the same bytes
        // everywhere.
        paths.sort();
        Ok(paths)
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let metadata = fs::metadata(path)?;
        Ok(Stamp {
            size: metadata.len(),
            mtime_ns: metadata.modified().map_or(0, nanoseconds),
        })
    }

    fn query(&self, database: &Path, queries: &[Query]) -> io::Result<Vec<Rows>> {
        let queries: Vec<(&str, &[String])> = queries
            .iter()
            .map(|query| (query.sql.as_str(), query.values.as_slice()))
            .collect();
        palimpsest_store::foreign::query(database, &queries)
    }
}

/// A time as Unix nanoseconds, negative before 1970.
pub(crate) fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_nanos()).unwrap_or(i64::MAX),
    }
}

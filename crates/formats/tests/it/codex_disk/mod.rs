//! Folders of rollouts for tests: the machine's, and made-up ones.

use palimpsest_formats::assembly::{Query, Rows};
use palimpsest_formats::{Disk, Stamp};
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The machine's own files.
#[allow(dead_code, reason = "each test file uses one of the two")]
pub struct Machine;

impl Disk for Machine {
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?
            .take(at_most)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let listing = std::fs::read_dir(folder)?;
        let mut paths: Vec<PathBuf> = listing.flatten().map(|item| item.path()).collect();
        paths.sort();
        Ok(paths)
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let size = std::fs::metadata(path)?.len();
        Ok(Stamp { size, mtime_ns: 0 })
    }

    fn query(&self, _: &Path, _: &[Query]) -> io::Result<Vec<Rows>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Files by their paths.
#[allow(dead_code, reason = "each test file uses one of the two")]
#[derive(Default)]
pub struct MadeUp(pub BTreeMap<PathBuf, Vec<u8>>);

impl Disk for MadeUp {
    fn read(&self, path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        let most = usize::try_from(at_most).unwrap_or(usize::MAX);
        Ok(bytes[..bytes.len().min(most)].to_vec())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let below = self.0.keys().filter_map(|path| {
            let first = path.strip_prefix(folder).ok()?.components().next()?;
            Some(folder.join(first))
        });
        let mut paths: Vec<PathBuf> = below.collect();
        paths.dedup();
        if paths.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(paths)
    }

    fn stamp(&self, path: &Path) -> io::Result<Stamp> {
        let size = self.read(path, u64::MAX)?.len() as u64;
        Ok(Stamp { size, mtime_ns: 0 })
    }

    fn query(&self, _: &Path, _: &[Query]) -> io::Result<Vec<Rows>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

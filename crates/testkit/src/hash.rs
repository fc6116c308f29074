//! Proof that files were not touched: their hashes before and after.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The contents of every file below a place, as hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untouched {
    root: PathBuf,
    files: BTreeMap<PathBuf, (u64, String)>,
}

impl Untouched {
    /// Hashes `root`, a file or a folder with everything below it.
    ///
    /// # Panics
    /// When something there cannot be read; a test that cannot look cannot vouch.
    pub fn record(root: impl AsRef<Path>) -> Untouched {
        let root = root.as_ref().to_owned();
        let mut files = BTreeMap::new();
        if let Err(error) = collect(&root, &mut files) {
            panic!("cannot hash {}: {error}", root.display());
        }
        Untouched { root, files }
    }

    /// The number of files recorded.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// True when there was no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Looks again and returns what differs: one line per added, removed or changed file.
    pub fn differences(&self) -> Vec<String> {
        let now = Untouched::record(&self.root);
        let mut lines = Vec::new();
        for (path, before) in &self.files {
            match now.files.get(path) {
                None => lines.push(format!("removed: {}", path.display())),
                Some(after) if after != before => lines.push(format!(
                    "changed: {} ({} bytes, now {})",
                    path.display(),
                    before.0,
                    after.0
                )),
                Some(_) => {}
            }
        }
        let added = now
            .files
            .keys()
            .filter(|path| !self.files.contains_key(*path));
        lines.extend(added.map(|path| format!("added: {}", path.display())));
        lines
    }

    /// Fails the test when anything was added, removed or changed since.
    ///
    /// # Panics
    /// With the list of differences.
    #[track_caller]
    pub fn assert_unchanged(&self) {
        let differences = self.differences();
        assert!(
            differences.is_empty(),
            "source files were touched:\n{}",
            differences.join("\n")
        );
    }
}

/// The SHA-256 of a file's bytes as lower-case hex; the file is read in pieces.
pub fn sha256_file(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut fs::File::open(path)?, &mut HashWriter(&mut hasher))?;
    Ok(hex(&hasher.finalize()))
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn collect(path: &Path, files: &mut BTreeMap<PathBuf, (u64, String)>) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if metadata.is_file() {
        files.insert(path.to_owned(), (metadata.len(), sha256_file(path)?));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_a_change_an_addition_and_a_removal() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        fs::write(file("kept"), "a").unwrap();
        fs::write(file("changed"), "b").unwrap();
        fs::write(file("removed"), "c").unwrap();
        let before = Untouched::record(dir.path());
        before.assert_unchanged();
        fs::write(file("changed"), "B").unwrap();
        fs::write(file("added"), "d").unwrap();
        fs::remove_file(file("removed")).unwrap();
        let words: Vec<String> = before
            .differences()
            .iter()
            .map(|line| line.split(':').next().unwrap().to_owned())
            .collect();
        assert_eq!(words, ["changed", "removed", "added"]);
    }
}

//! Hashes of files, kept while the files have the same size and time: a list of sessions asks for
//! them often.

use super::append::hash;
use crate::session::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::SystemTime;

/// Hashes by path, with the size and time that the files had.
#[derive(Default)]
pub(crate) struct KeptHashes(Mutex<HashMap<String, (SystemTime, u64, String)>>);

impl KeptHashes {
    /// The hash of a file; `None` where it cannot be read.
    pub(super) fn of(&self, path: &str) -> Option<String> {
        let metadata = std::fs::metadata(path).ok()?;
        let (modified, len) = (metadata.modified().ok()?, metadata.len());
        if let Some((at, had, known)) = lock(&self.0).get(path)
            && (*at, *had) == (modified, len)
        {
            return Some(known.clone());
        }
        let own = hash(&std::fs::read(path).ok()?);
        lock(&self.0).insert(path.to_owned(), (modified, len, own.clone()));
        Some(own)
    }
}

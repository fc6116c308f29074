//! The word vectors that are kept between plans.

use super::words::WordVectors;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// The word vectors read last, with what the file was like then.
#[derive(Default)]
pub(crate) struct KeptWords(pub(super) Mutex<Option<LoadedWords>>);

/// One file's.
pub(super) struct LoadedWords {
    pub path: PathBuf,
    pub modified: Option<SystemTime>,
    pub size: u64,
    pub words: Arc<WordVectors>,
}

//! The sample sessions that are shipped, made from the scripts in `crates/testkit/samples`.

use crate::script::{ScriptError, play_folder};
use crate::session::PiSession;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folder names of the scripts; each becomes a file of that name.
pub const NAMES: &[&str] = &[
    "01-coding-task",
    "02-two-compactions",
    "03-three-branches",
    "04-errors-labels-edits",
];

/// Why the samples could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// A script does not play.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// A sample cannot be written.
    #[error(
        "cannot write the sample {path}: {source}; check the folder's rights and the space left"
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The folder of the repository that holds the shipped samples.
pub fn committed_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/samples")
}

/// Plays the script of one sample.
///
/// # Errors
/// With the file and line of the direction that cannot be played.
pub fn play(name: &str) -> Result<PiSession, SampleError> {
    Ok(play_folder(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("samples")
            .join(name),
    )?)
}

/// Writes every sample into `folder` and returns path, number of entries and size in bytes.
///
/// # Errors
/// When a script does not play or a file cannot be written.
pub fn write_all(folder: &Path) -> Result<Vec<(PathBuf, usize, usize)>, SampleError> {
    let mut written = Vec::new();
    for name in NAMES {
        let session = play(name)?;
        let path = folder.join(format!("{name}.jsonl"));
        let text = session.to_jsonl();
        let failed = |source| SampleError::Write {
            path: path.clone(),
            source,
        };
        fs::create_dir_all(folder).map_err(failed)?;
        fs::write(&path, &text).map_err(failed)?;
        written.push((path, session.len(), text.len()));
    }
    Ok(written)
}

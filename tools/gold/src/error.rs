//! Why nothing could be measured.

use std::path::PathBuf;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum GoldError {
    /// A label file is wrong, or was made on another sample.
    #[error("the labels cannot be used ({reason}): {path}", path = path.display())]
    Labels {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The session or its compaction cannot be read.
    #[error("the ledger cannot be made: {0}")]
    Ledger(#[from] palimpsest_app::AppError),
}

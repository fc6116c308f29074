//! The sample sessions that come with the program, unpacked so that they are files like any other.

use crate::error::{AppError, Result};
use std::path::Path;

/// Name and content of every sample session.
pub const SAMPLES: [(&str, &str); 4] = [
    (
        "01-coding-task.jsonl",
        include_str!("../../../assets/samples/01-coding-task.jsonl"),
    ),
    (
        "02-two-compactions.jsonl",
        include_str!("../../../assets/samples/02-two-compactions.jsonl"),
    ),
    (
        "03-three-branches.jsonl",
        include_str!("../../../assets/samples/03-three-branches.jsonl"),
    ),
    (
        "04-errors-labels-edits.jsonl",
        include_str!("../../../assets/samples/04-errors-labels-edits.jsonl"),
    ),
];

/// Writes the samples that are missing or differ; a user who appended to one gets the original
/// back only by deleting it, because what differs in length beyond ours is theirs.
pub fn unpack(folder: &Path) -> Result<()> {
    let failed = |path: &Path, source| AppError::Write {
        path: path.display().to_string(),
        source,
    };
    std::fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    for (name, content) in SAMPLES {
        let path = folder.join(name);
        let present = std::fs::read(&path).unwrap_or_default();
        if present.starts_with(content.as_bytes()) {
            continue;
        }
        // Written beside and renamed: a full disk must not leave half a session behind.
        let beside = folder.join(format!("{name}.part"));
        std::fs::write(&beside, content)
            .and_then(|()| std::fs::rename(&beside, &path))
            .map_err(|source| failed(&path, source))?;
    }
    Ok(())
}

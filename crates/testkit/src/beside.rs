//! Real sessions that may lie beside the project, in `../shared/samples`; they are read in place.

use std::fs;
use std::path::{Path, PathBuf};

/// Every file below `folder` (`""`: all) of the samples beside the project, in the order of their
/// paths; none, with a line on the output, where there are no samples.
#[allow(
    clippy::print_stdout,
    reason = "what a test skips is said on its output"
)]
pub fn sample_files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let root = root.join(folder);
    let mut found = Vec::new();
    collect(&root, &mut found);
    if found.is_empty() {
        println!("skipped: there is no {}", root.display());
    }
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for item in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = item.path();
        if path.is_dir() {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}

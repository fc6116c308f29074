//! Exports written to a file.

use super::new_file;
use super::steps::Calm;
use crate::error::Result;
use crate::workspace::App;
use std::path::{Path, PathBuf};

impl App {
    /// Writes an export to `out`, in a folder under `name`, and gives the path. A file that exists
    /// is not replaced.
    pub fn save_export(&self, out: &str, name: &str, text: &str) -> Result<String> {
        let out = Path::new(out);
        let path: PathBuf = if out.is_dir() {
            out.join(name)
        } else {
            out.to_owned()
        };
        new_file::place(&path, text.as_bytes(), &Calm)?;
        Ok(path.display().to_string())
    }
}

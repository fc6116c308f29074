//! What became of every record of every sample session.

use crate::OracleError;
use palimpsest_app::MachineDisk;
use palimpsest_formats::account::{Account, account};
use palimpsest_formats::{Disk, InMemory, SessionFormat, sniff};
use std::path::{Path, PathBuf};

/// How much of a file's beginning tells whose it is.
const HEAD_BYTES: u64 = 64 << 10;

/// One session of the samples.
#[derive(Debug)]
pub struct Row {
    /// The session's address, below the folder of samples.
    pub name: String,
    /// The agent that wrote it.
    pub agent: &'static str,
    /// Its entries; a record may hold several, and records may share one.
    pub entries: usize,
    /// The records that say again what an entry says: their 0-based lines with the entry's id.
    pub merged: Vec<(u32, String)>,
    /// What became of its lines, or of the lines of the document made of its rows and files.
    pub account: Account,
}

/// The sessions of every agent with a format, sorted by name, and the files that are none.
pub fn rows(shared: &Path) -> Result<(Vec<Row>, Vec<String>), OracleError> {
    let samples = shared.join("samples");
    let mut files = Vec::new();
    for format in palimpsest_formats::formats() {
        files_below(&samples.join(format.agent().name()), &mut files);
    }
    files.sort();
    let (mut rows, mut others) = (Vec::new(), Vec::new());
    for file in files {
        let unreadable = |source| OracleError::Unreadable {
            path: file.clone(),
            source,
        };
        let head = MachineDisk.read(&file, HEAD_BYTES).map_err(unreadable)?;
        let Some(format) = sniff(&file, &head) else {
            others.push(short(&file.to_string_lossy(), &samples));
            continue;
        };
        match format.assembly(&file, &head) {
            None => {
                let bytes = crate::read(&file)?;
                let session = InMemory::read(format, &file.to_string_lossy(), bytes);
                rows.push(row(format, &session, &samples));
            }
            Some(assembly) => {
                let found = assembly.sessions(&file, &MachineDisk).map_err(unreadable)?;
                for one in found {
                    let session = InMemory::assembled(format, assembly, &one.address, &MachineDisk);
                    rows.push(row(format, &session.map_err(unreadable)?, &samples));
                }
            }
        }
    }
    Ok((rows, others))
}

fn row(format: &dyn SessionFormat, read: &InMemory, samples: &Path) -> Row {
    Row {
        name: short(&read.session.meta.path, samples),
        agent: format.agent().name(),
        entries: read.session.entries.len(),
        merged: read
            .session
            .merged
            .iter()
            .map(|merged| {
                let into = read.session.entry(merged.into);
                (merged.line, into.id.to_string())
            })
            .collect(),
        account: account(&read.session, read.bytes()),
    }
}

fn short(path: &str, samples: &Path) -> String {
    let samples = format!("{}/", samples.display());
    path.strip_prefix(&samples).unwrap_or(path).to_owned()
}

/// The files that formats look at by their names.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in MachineDisk.list(folder).unwrap_or_default() {
        let formats = palimpsest_formats::formats();
        if path.is_dir() {
            files_below(&path, files);
        } else if formats.iter().any(|format| format.is_candidate(&path)) {
            files.push(path);
        }
    }
}

//! Our reading of pi's sessions against reference output of pi itself.
//!
//! The reference is a folder made by calling pi's own modules on sample files; it is not part of
//! this repository. Texts are compared as they are, with one exception: the sentence pi wraps
//! round a summary is pi's wording, so only the summary inside is compared.

pub mod contexts;
pub mod expected;
mod hash;
pub mod pairs;
pub mod plans;
pub mod records;
pub mod requests;
pub mod sizes;
pub mod summaries;
pub mod tally;
pub mod thresholds;

pub use hash::sha256;

use expected::Expected;
use flate2::read::GzDecoder;
use palimpsest_formats::{InMemory, pi::Pi};
use std::io::Read;
use std::path::{Path, PathBuf};
use tally::{Case, Tally};

/// Why a comparison cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// A file cannot be read.
    #[error("the file cannot be read ({source}): {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A reference file has another shape.
    #[error("the file is not reference output of format pi-oracle/1 ({source}): {path}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The sample that reference output is about is not there.
    #[error("there is no session for the reference output: {path}")]
    NoSample {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The sample is not the one the reference was made from.
    #[error("the file is not the one that {name} was made from: {path}")]
    OtherSample {
        /// The sample.
        path: PathBuf,
        /// The reference's name for it.
        name: String,
    },
}

/// How one reference file compares.
pub struct Compared {
    /// The session's name and pi's version.
    pub name: String,
    /// The counts.
    pub tally: Tally,
}

fn read(path: &Path) -> Result<Vec<u8>, OracleError> {
    std::fs::read(path).map_err(|source| OracleError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// The reference files in `shared`, sorted by name; none when there is no such folder.
pub fn reference_files(shared: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(shared.join("oracle/pi/expected")) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = listing
        .flatten()
        .map(|item| item.path())
        .filter(|path| path.to_string_lossy().ends_with(".json.gz"))
        .collect();
    files.sort();
    files
}

/// Compares one reference file with what we compute for its sample.
pub fn compare(shared: &Path, reference: &Path) -> Result<Compared, OracleError> {
    let mut json = Vec::new();
    GzDecoder::new(read(reference)?.as_slice())
        .read_to_end(&mut json)
        .map_err(|source| OracleError::Unreadable {
            path: reference.to_owned(),
            source,
        })?;
    let expected: Expected =
        serde_json::from_slice(&json).map_err(|source| OracleError::Malformed {
            path: reference.to_owned(),
            source,
        })?;
    let name = &expected.session.name;
    let sample = match name.as_str() {
        "edge-cases.jsonl" => shared.join("oracle/pi").join(name),
        _ => shared.join("samples/pi").join(name),
    };
    if !sample.exists() {
        return Err(OracleError::NoSample { path: sample });
    }
    let bytes = read(&sample)?;
    if sha256(&bytes) != expected.session.sha256 {
        return Err(OracleError::OtherSample {
            path: sample,
            name: name.clone(),
        });
    }
    let tally = compare_with(&expected, &sample.to_string_lossy(), bytes);
    Ok(Compared {
        name: format!("{name} against pi {}", expected.pi.version),
        tally,
    })
}

/// Compares a reference with what we compute from `bytes`.
pub fn compare_with(expected: &Expected, path: &str, bytes: Vec<u8>) -> Tally {
    let ours = InMemory::read(&Pi, path, bytes);
    let mut tally = Tally::default();
    contexts::compare_entries(&ours, expected, &mut tally);
    let lines = contexts::by_line(&ours);
    let wording = plans::Wording::learn(expected);
    let version = &expected.pi.version;
    for position in &expected.positions {
        let Some(&ix) = lines.get(&position.line) else {
            tally.add("contexts", Case::missing(position.line));
            continue;
        };
        let context = ours.context(Some(ix));
        let case = contexts::compare_context(&ours, &context, position, &expected.llm);
        tally.add("contexts", case);
        for facts in &position.compactions {
            let case = plans::compare_plan(&ours, &context, position, facts, &wording, version);
            tally.add("plans", case);
        }
    }
    for pair in &expected.pairs {
        let (Some(&from), Some(&to)) = (lines.get(&pair.old_line), lines.get(&pair.target_line))
        else {
            tally.add("branches", Case::missing(pair.old_line));
            continue;
        };
        tally.skip(
            pair.budgets
                .iter()
                .filter(|facts| facts.threw.is_some())
                .count(),
        );
        for case in pairs::compare_pair(&ours, from, to, pair, &wording, version) {
            tally.add("branches", case);
        }
    }
    tally
}

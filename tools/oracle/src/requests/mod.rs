//! Contexts against the requests that the agents really sent, recorded beside the sample sessions.
//!
//! One module for each agent says how its sessions are opened and how its provider's format groups
//! messages into blocks. What no file holds (system prompts, tool schemas) is not compared.

pub mod claude_code;
pub mod codex;
pub mod copilot;
pub mod factory_droid;
pub mod mux;
pub mod opencode;
pub mod pi;
pub(crate) mod request;

pub use request::{Request, SentBlock, SentMessage, read_requests};

use crate::OracleError;
use crate::tally::Tally;
use std::path::{Path, PathBuf};

/// How the requests of a file are compared with the session they belong to.
pub type Compare = fn(requests: &Path, session: &Path) -> Result<Tally, OracleError>;

/// The agents by the names of their folders, with the end of their sessions' file names; where an
/// index names a session's folder, with the path of its file there.
const AGENTS: &[(&str, &str, Compare)] = &[
    ("pi", ".jsonl", pi::compare),
    ("opencode", ".export.json", opencode::compare),
    ("codex", ".jsonl", codex::compare),
    ("claude-code", ".jsonl", claude_code::compare),
    ("copilot", "/events.jsonl", copilot::compare),
    ("factory-droid", ".jsonl", factory_droid::compare),
    ("mux", "/chat.jsonl", mux::compare),
];

/// A file of recorded requests.
pub struct RequestFile {
    /// The file.
    pub requests: PathBuf,
    /// The session that was written meanwhile.
    pub session: PathBuf,
    /// How the two are compared.
    pub compare: Compare,
}

impl RequestFile {
    /// The comparison; `None` where the session is not among the samples.
    pub fn tally(&self) -> Result<Option<Tally>, OracleError> {
        if !self.session.exists() {
            return Ok(None);
        }
        (self.compare)(&self.requests, &self.session).map(Some)
    }
}

/// The recorded request files of all agents with the sessions they belong to.
pub fn request_files(shared: &Path) -> Vec<RequestFile> {
    let mut found = Vec::new();
    for &(agent, ending, compare) in AGENTS {
        let Ok(versions) = std::fs::read_dir(shared.join("oracle/requests").join(agent)) else {
            continue;
        };
        for version in versions.flatten() {
            let Ok(files) = std::fs::read_dir(version.path()) else {
                continue;
            };
            let samples = shared.join("samples").join(agent);
            let folders = sample_folders(&samples, &version.file_name().to_string_lossy());
            for file in files.flatten() {
                let name = file.file_name().to_string_lossy().into_owned();
                if let Some(stem) = name.strip_suffix(".requests.jsonl") {
                    let mut places = folders.iter().map(|folder| sample(folder, stem, ending));
                    // Without a sample the first place is named in the error.
                    let first = samples.join(format!("{stem}{ending}"));
                    found.push(RequestFile {
                        requests: file.path(),
                        session: places.find(|path| path.exists()).unwrap_or(first),
                        compare,
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| a.requests.cmp(&b.requests));
    found
}

/// The sample called `stem` in `folder`: the file of that name, or what `index.json` there names, as
/// for agents whose files are named by ids.
pub(crate) fn sample(folder: &Path, stem: &str, ending: &str) -> PathBuf {
    let named = folder.join(format!("{stem}{ending}"));
    if named.exists() {
        return named;
    }
    let index = std::fs::read(folder.join("index.json")).unwrap_or_default();
    let index: serde_json::Value = serde_json::from_slice(&index).unwrap_or_default();
    let Some(place) = index.get(stem).and_then(|place| place.as_str()) else {
        return named;
    };
    let place = folder.join(place);
    if place.is_dir() {
        return place.join(ending.trim_start_matches('/'));
    }
    place
}

/// The folders of samples that one version wrote: `generated-VERSION`, and further runs of it
/// with a letter behind.
fn sample_folders(samples: &Path, version: &str) -> Vec<PathBuf> {
    let first = format!("generated-{version}");
    let further = format!("{first}-");
    let Ok(listing) = std::fs::read_dir(samples) else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = listing
        .flatten()
        .filter(|item| {
            let name = item.file_name();
            let name = name.to_string_lossy();
            name == first.as_str() || name.starts_with(&further)
        })
        .map(|item| item.path())
        .collect();
    folders.sort();
    folders
}

//! Contexts against the requests that the agents really sent, recorded beside the sample sessions.
//!
//! One module for each agent says how its sessions are opened and how its provider's format groups
//! messages into blocks. What no file holds (system prompts, tool schemas) is not compared.

pub mod claude_code;
pub mod codex;
pub mod opencode;
pub mod pi;

use crate::tally::Tally;
use crate::{OracleError, read};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// How the requests of a file are compared with the session they belong to.
pub type Compare = fn(requests: &Path, session: &Path) -> Result<Tally, OracleError>;

/// The agents by the names of their folders, with the end of their sessions' file names.
const AGENTS: &[(&str, &str, Compare)] = &[
    ("pi", ".jsonl", pi::compare),
    ("opencode", ".export.json", opencode::compare),
    ("codex", ".jsonl", codex::compare),
    ("claude-code", ".jsonl", claude_code::compare),
];

/// A recorded request.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// Number in its file, from 1.
    pub request: u32,
    /// `turn`, `summary` or `title`.
    pub kind: String,
    /// The agent's id of the last entry on the path when the request was sent.
    pub at: Option<String>,
    /// What was sent, without the leading system prompt.
    pub messages: Vec<SentMessage>,
    /// Fields that only some agents' records have.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// A message of a request.
#[derive(Debug, Deserialize)]
pub struct SentMessage {
    /// Its role, in the provider's words.
    pub role: String,
    /// Its blocks, in order.
    pub blocks: Vec<SentBlock>,
    /// Fields that only some agents' records have.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// A block of a message.
#[derive(Debug, Deserialize)]
pub struct SentBlock {
    /// `text`, `thinking`, `tool_call`, `tool_result`, `image` or `other`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text, where it may be passed on.
    pub text: Option<String>,
    /// The tool called.
    pub tool_name: Option<String>,
    /// Fields that only some agents' records have.
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// A file of recorded requests.
pub struct RequestFile {
    /// The file.
    pub requests: PathBuf,
    /// The session that was written meanwhile.
    pub session: PathBuf,
    /// How the two are compared.
    pub compare: Compare,
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
                    let session = format!("{stem}{ending}");
                    let mut places = folders.iter().map(|folder| folder.join(&session));
                    // Without a sample the first place is named in the error.
                    let first = samples.join(&session);
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

/// The requests of a file, in the order sent.
pub fn read_requests(path: &Path) -> Result<Vec<Request>, OracleError> {
    read(path)?
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            serde_json::from_slice(line).map_err(|source| OracleError::Malformed {
                path: path.to_owned(),
                source,
            })
        })
        .collect()
}

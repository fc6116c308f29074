//! Chats put together: the changes of a journal made, and the workspace's folder beside them.

use super::{document, journal, places};
use crate::file_uri::path_of;
use crate::json::{parse, some_text};
use crate::{Addressed, Assembly, Disk, Document};
use std::io;
use std::path::{Path, PathBuf};

/// Bytes read of the file that names a workspace's folder.
const WORKSPACE_BYTES: u64 = 64 << 10;

/// Puts chats together.
pub(super) struct Chats;

impl Assembly for Chats {
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
        // A chat that is kept as a journal now may still have its older file.
        let is_object = file
            .extension()
            .is_some_and(|extension| extension == "json");
        if is_object && disk.stamp(&file.with_extension("jsonl")).is_ok() {
            return Ok(Vec::new());
        }
        Ok(vec![Addressed {
            address: file.to_string_lossy().into_owned(),
            stamp: disk.stamp(file)?,
        }])
    }

    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document> {
        let path = Path::new(address);
        let chat = journal::read(&disk.read(path, u64::MAX)?);
        let folder = folder_of(path, disk);
        let wrong = chat.warnings.iter();
        let problems = wrong
            .map(|(line, reason)| format!("line {} of the journal: {reason}; skipped", line + 1));
        Ok(Document {
            bytes: document::lines(&chat, folder.as_deref()),
            problems: problems.collect(),
            ..Document::default()
        })
    }

    fn signs(&self, address: &str) -> Vec<PathBuf> {
        vec![PathBuf::from(address)]
    }
}

/// The folder of the workspace that a chat belongs to; of a workspace of several folders the one
/// its file lies in.
fn folder_of(chat: &Path, disk: &dyn Disk) -> Option<String> {
    let beside = places::workspace_of(chat)?;
    let bytes = disk.read(&beside, WORKSPACE_BYTES).ok()?;
    let told = parse(&String::from_utf8_lossy(&bytes)).ok()?;
    if let Some(folder) = some_text(&told, "folder") {
        return path_of(folder);
    }
    let file = ["workspace", "configuration"]
        .iter()
        .find_map(|key| some_text(&told, key))?;
    let path = path_of(file)?;
    let (folder, _) = path.rsplit_once('/')?;
    Some(folder.to_owned())
}

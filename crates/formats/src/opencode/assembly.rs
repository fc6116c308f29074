//! Which of OpenCode's stores a file belongs to, and how its sessions are put together.

use super::document::Lines;
use super::places::{Kind, kind};
use super::tree::Folders;
use super::{database, tree};
use crate::assembly::split_address;
use crate::{Addressed, Assembly, Disk, Document};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io;
use std::path::{Path, PathBuf};

/// The stores of all versions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stores;

impl Assembly for Stores {
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
        let stamp = match (kind(file), folders(file)) {
            (Some(Kind::Database), _) => return database::sessions(file, disk),
            (_, Some(folders)) => tree::stamp(file, &folders, disk)?,
            _ => disk.stamp(file)?,
        };
        Ok(vec![Addressed {
            address: file.display().to_string(),
            stamp,
        }])
    }

    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document> {
        let (file, session) = split(address);
        match (kind(file), folders(file), session) {
            (Some(Kind::Database), _, Some(session)) => database::document(file, session, disk),
            (Some(Kind::Database), _, None) => {
                let reason = format!(
                    "the file holds several sessions, each with an address {address}#ses_..."
                );
                Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
            }
            (_, Some(folders), _) => tree::document(file, &folders, disk),
            _ => {
                let bytes = disk.read(file, u64::MAX)?;
                Ok(export(&String::from_utf8_lossy(&bytes)))
            }
        }
    }

    fn signs(&self, address: &str) -> Vec<PathBuf> {
        let (file, _) = split(address);
        let mut signs = vec![file.to_path_buf()];
        if let Some(folders) = folders(file) {
            signs.push(folders.messages);
        } else if kind(file) == Some(Kind::Database) {
            // SQLite writes to its log first, and the file itself may stay as it is.
            let mut log = file.as_os_str().to_owned();
            log.push("-wal");
            signs.push(log.into());
        }
        signs
    }
}

/// Only a database's address names a session behind the file; other names may hold the mark.
fn split(address: &str) -> (&Path, Option<&str>) {
    match split_address(address) {
        (file, session) if kind(file) == Some(Kind::Database) => (file, session),
        _ => (Path::new(address), None),
    }
}

fn folders(file: &Path) -> Option<Folders> {
    match kind(file)? {
        Kind::Tree => Folders::of(file, false),
        Kind::OldTree => Folders::of(file, true),
        Kind::Database | Kind::Export => None,
    }
}

/// What `opencode export` prints.
#[derive(Deserialize)]
struct Export<'a> {
    #[serde(borrow)]
    info: &'a RawValue,
    #[serde(borrow, default)]
    messages: Vec<ExportedMessage<'a>>,
}

#[derive(Deserialize)]
struct ExportedMessage<'a> {
    #[serde(borrow)]
    info: &'a RawValue,
    #[serde(borrow, default)]
    parts: Vec<&'a RawValue>,
}

/// The document of an export; of one that is not whole, a line that says so.
fn export(text: &str) -> Document {
    let mut lines = Lines::default();
    match serde_json::from_str::<Export<'_>>(text) {
        Ok(export) => {
            lines.push(export.info.get(), &[]);
            for message in export.messages {
                lines.push(message.info.get(), &[]);
                for part in message.parts {
                    lines.push(part.get(), &[]);
                }
            }
        }
        Err(_) => lines.push(text, &[]),
    }
    lines.finish()
}

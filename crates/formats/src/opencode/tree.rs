//! Sessions in a tree of small JSON files: one for the session, one for each message, one for
//! each part (0.x, and 1.0 to 1.1).

use super::document::Lines;
use super::value::{filled, parse, time};
use crate::{Disk, Document, Stamp};
use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};

/// The folders of one session's files.
pub(super) struct Folders {
    /// Id of the session, from the file's name.
    session: String,
    /// Its messages.
    pub messages: PathBuf,
    /// The folder with a folder of parts for each message: of this session, or of all.
    parts: PathBuf,
    /// True when `parts` holds those of all sessions.
    shared: bool,
    /// The list of things to do.
    todo: Option<PathBuf>,
}

impl Folders {
    /// The folders that belong to a session's own file.
    pub fn of(file: &Path, old: bool) -> Option<Folders> {
        let session = stem(file)?.to_owned();
        // storage/session/<project>/<session>.json, or storage/session/info/<session>.json
        let sessions = file.ancestors().nth(2)?;
        let storage = sessions.parent()?;
        Some(if old {
            Folders {
                messages: sessions.join("message").join(&session),
                parts: sessions.join("part").join(&session),
                shared: false,
                todo: None,
                session,
            }
        } else {
            Folders {
                messages: storage.join("message").join(&session),
                parts: storage.join("part"),
                shared: true,
                todo: Some(storage.join("todo").join(format!("{session}.json"))),
                session,
            }
        })
    }
}

fn stem(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

/// What lies in a folder; nothing where there is none.
fn list(folder: &Path, disk: &dyn Disk) -> io::Result<Vec<PathBuf>> {
    match disk.list(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed,
    }
}

fn json_files(folder: &Path, disk: &dyn Disk) -> io::Result<Vec<PathBuf>> {
    let mut files = list(folder, disk)?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    Ok(files)
}

/// The state of a session: the sizes of its files, how many there are, and when the newest was written.
/// All of them count: an older message is written again when one of its tools ends.
pub(super) fn stamp(file: &Path, folders: &Folders, disk: &dyn Disk) -> io::Result<Stamp> {
    let mut all = disk.stamp(file)?;
    let messages = json_files(&folders.messages, disk)?;
    // A count in the size shows a message that was deleted.
    all.size += messages.len() as u64;
    let mut files = messages.clone();
    for id in messages.iter().filter_map(|path| stem(path)) {
        let parts = json_files(&folders.parts.join(id), disk)?;
        all.size += parts.len() as u64;
        files.extend(parts);
    }
    for path in files {
        // A file may go between being listed and being looked at.
        if let Ok(stamp) = disk.stamp(&path) {
            all.size += stamp.size;
            all.mtime_ns = all.mtime_ns.max(stamp.mtime_ns);
        }
    }
    Ok(all)
}

/// The document of the session at `file`. Its parts name the folder of messages instead of the
/// hundreds of files there, whose names are the ids in the lines.
pub(super) fn document(file: &Path, folders: &Folders, disk: &dyn Disk) -> io::Result<Document> {
    let mut lines = Lines::default();
    let session = folders.session.as_str();
    let own = text(file, disk)?;
    lines.begin(shown(file));
    lines.push(&own, &[("id", session)]);
    let messages = messages(folders, disk)?;
    lines.begin(shown(&folders.messages));
    // What `stamp` looks at.
    let mut settled = vec![folders.messages.clone()];
    for message in &messages {
        let ids = [("id", message.id.as_str()), ("sessionID", session)];
        lines.push(&message.text, &ids);
        settled.push(folders.messages.join(format!("{}.json", message.id)));
        settled.push(folders.parts.join(&message.id));
        settled.extend(parts(&mut lines, folders, &message.id, disk)?);
    }
    for id in orphans(folders, &messages, disk)? {
        parts(&mut lines, folders, &id, disk)?;
    }
    // The folder of all sessions gets a new one with every message of any.
    if folders.shared {
        settled.push(folders.parts.clone());
    }
    todos(&mut lines, folders, disk);
    Ok(Document {
        settled,
        ..lines.finish()
    })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The text of a file; `null` for an empty one, so that it gets a line to complain about.
fn text(path: &Path, disk: &dyn Disk) -> io::Result<String> {
    let bytes = disk.read(path, u64::MAX)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match text.trim() {
        "" => "null".to_owned(),
        text => text.to_owned(),
    })
}

struct StoredMessage {
    id: String,
    text: String,
    created: i64,
}

/// The messages in the order of the conversation. 0.x gives an automatic summary a later id than
/// the prompt it was made for, though it comes before it, so times count before ids.
fn messages(folders: &Folders, disk: &dyn Disk) -> io::Result<Vec<StoredMessage>> {
    let mut messages = Vec::new();
    for path in json_files(&folders.messages, disk)? {
        let Some(id) = stem(&path).map(str::to_owned) else {
            continue;
        };
        let text = text(&path, disk)?;
        let created = parse(&text).ok().and_then(|info| time(&info, "created"));
        messages.push(StoredMessage {
            id,
            text,
            // A file that is half written is the newest one.
            created: created.unwrap_or(i64::MAX),
        });
    }
    messages.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
    Ok(messages)
}

/// Adds the parts of a message; returns their files.
fn parts(
    lines: &mut Lines,
    folders: &Folders,
    message: &str,
    disk: &dyn Disk,
) -> io::Result<Vec<PathBuf>> {
    let files = json_files(&folders.parts.join(message), disk)?;
    for path in &files {
        let Some(id) = stem(path) else { continue };
        let text = text(path, disk)?;
        let ids = [
            ("id", id),
            ("sessionID", folders.session.as_str()),
            ("messageID", message),
        ];
        lines.push(&text, &ids);
    }
    Ok(files)
}

/// Messages of this session that have parts and no file of their own. Where the folder holds the
/// parts of all sessions, those from the time of this one are asked for their session.
fn orphans(
    folders: &Folders,
    messages: &[StoredMessage],
    disk: &dyn Disk,
) -> io::Result<Vec<String>> {
    let mut known: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    known.sort_unstable();
    let mut found = Vec::new();
    for folder in list(&folders.parts, disk)? {
        let Some(id) = folder.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if known.binary_search(&id).is_ok() {
            continue;
        }
        if folders.shared {
            // Ids rise with time, so most of the other sessions' folders need not be opened.
            let within = known.first().is_some_and(|first| id > *first)
                && known.last().is_some_and(|last| id < *last);
            if !within || !is_ours(&folder, folders, disk) {
                continue;
            }
        }
        found.push(id.to_owned());
    }
    Ok(found)
}

fn is_ours(folder: &Path, folders: &Folders, disk: &dyn Disk) -> bool {
    let first = json_files(folder, disk)
        .ok()
        .and_then(|files| files.into_iter().next())
        .and_then(|file| text(&file, disk).ok())
        .and_then(|text| parse(&text).ok());
    first.is_some_and(|part| filled(&part, "sessionID") == Some(&folders.session))
}

/// The list of things to do is an array; it gets a name here.
fn todos(lines: &mut Lines, folders: &Folders, disk: &dyn Disk) {
    let Some(path) = &folders.todo else { return };
    let Ok(stored) = text(path, disk) else { return };
    let todos = parse(&stored).unwrap_or_else(|_| stored.into());
    if todos.as_array().is_some_and(Vec::is_empty) {
        return;
    }
    let mut record = Map::new();
    record.insert("sessionID".to_owned(), folders.session.as_str().into());
    record.insert("todos".to_owned(), todos);
    lines.begin(shown(path));
    lines.record(&Value::Object(record));
}

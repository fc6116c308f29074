//! The files of a workspace as one document: what the configuration says of it, the archive, the
//! rows since, the answer being streamed, and the journal.
//!
//! A request whose system prompt differs from the one before, or that had attachments, gets a line
//! of its own before the row it was sent for, with the texts from the blobs.

use super::config;
use super::journal::{Sent, requests};
use super::lines::Lines;
use super::places::{ARCHIVE, CHAT, HEADLESS, JOURNAL, PARTIAL, root_of, workspace_of};
use super::row::{REQUEST, WORKSPACE};
use crate::json::{field, parse, text};
use crate::{Addressed, Assembly, Disk, Document, Stamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The files that make a workspace's document, in the order of their lines.
const FILES: [&str; 5] = [ARCHIVE, CHAT, PARTIAL, JOURNAL, HEADLESS];

/// Puts workspaces together.
pub(super) struct Workspaces;

impl Assembly for Workspaces {
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
        let is_archive = file.file_name().is_some_and(|name| name == ARCHIVE);
        let chat = file.with_file_name(CHAT);
        // The archive is read with the rows since; alone it is a session when there are none.
        if is_archive && disk.stamp(&chat).is_ok_and(|stamp| stamp.size > 0) {
            return Ok(Vec::new());
        }
        let mut all = disk.stamp(file)?;
        for name in FILES {
            let path = file.with_file_name(name);
            if path != file
                && let Ok(stamp) = disk.stamp(&path)
            {
                all = Stamp {
                    size: all.size + stamp.size,
                    mtime_ns: all.mtime_ns.max(stamp.mtime_ns),
                };
            }
        }
        Ok(vec![Addressed {
            address: file.to_string_lossy().into_owned(),
            stamp: all,
        }])
    }

    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document> {
        let file = Path::new(address);
        // What the address names must be there; the files beside it need not.
        disk.stamp(file)?;
        let journal = stored(&file.with_file_name(JOURNAL), disk)?;
        let mut writing = Writing {
            lines: Lines::default(),
            sent: requests(&palimpsest_core::stored::text(&journal)),
            prompt: None,
            file,
            disk,
        };
        writing.header();
        let partial = partial(file, disk)?;
        writing.rows(ARCHIVE, None)?;
        writing.rows(CHAT, partial.as_ref())?;
        if let Some(partial) = &partial {
            writing.begin(PARTIAL, 0);
            writing.row(partial.as_bytes(), PARTIAL, 0);
        }
        writing.beside(JOURNAL, &journal);
        let headless = stored(&file.with_file_name(HEADLESS), disk)?;
        writing.beside(HEADLESS, &headless);
        Ok(writing.lines.finish())
    }

    fn signs(&self, address: &str) -> Vec<PathBuf> {
        let file = Path::new(address);
        FILES.map(|name| file.with_file_name(name)).to_vec()
    }
}

/// The bytes of a file; none where there is no file.
fn stored(path: &Path, disk: &dyn Disk) -> io::Result<Vec<u8>> {
    match disk.read(path, u64::MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// The answer being streamed, on one line; what is no JSON is kept for the reader to complain about.
fn partial(file: &Path, disk: &dyn Disk) -> io::Result<Option<String>> {
    let bytes = stored(&file.with_file_name(PARTIAL), disk)?;
    let text = palimpsest_core::stored::text(&bytes);
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(match parse(text.trim()) {
        Ok(row) => row.to_string(),
        Err(_) => text.trim().replace(['\n', '\r'], " "),
    }))
}

/// What a row tells before it is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RowHead<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    parts: Option<&'a RawValue>,
}

impl<'a> RowHead<'a> {
    fn of(line: &'a str) -> Option<RowHead<'a>> {
        serde_json::from_str(line.trim()).ok()
    }

    /// Its place in the history.
    fn place(&self) -> Option<u64> {
        #[derive(Deserialize)]
        struct Place {
            #[serde(rename = "historySequence")]
            place: Option<u64>,
        }
        let metadata = self.metadata?.get();
        serde_json::from_str::<Place>(metadata).ok()?.place
    }

    fn part_count(&self) -> usize {
        let parts = self.parts.map_or("[]", RawValue::get);
        serde_json::from_str::<Vec<&RawValue>>(parts).map_or(0, |parts| parts.len())
    }
}

/// A document being written, with what is known of its requests.
struct Writing<'a> {
    lines: Lines,
    sent: BTreeMap<u64, Sent>,
    /// The system prompt written last.
    prompt: Option<String>,
    file: &'a Path,
    disk: &'a dyn Disk,
}

impl Writing<'_> {
    fn path(&self, name: &str) -> PathBuf {
        self.file.with_file_name(name)
    }

    fn begin(&mut self, name: &str, passed: u32) {
        let path = self.path(name);
        self.lines.begin(path.display().to_string(), passed);
    }

    /// The line about the workspace as a whole.
    fn header(&mut self) {
        let Some((id, parent)) = workspace_of(self.file) else {
            return;
        };
        let config = root_of(self.file).map(|root| root.join("config.json"));
        let known = config.as_ref().and_then(|path| {
            let bytes = stored(path, self.disk).ok()?;
            config::workspace(&palimpsest_core::stored::text(&bytes), id)
        });
        let (mut workspace, project) = known.unwrap_or_else(|| (Value::Null, None));
        if !workspace.is_object() {
            let mut own = Map::new();
            own.insert("id".to_owned(), id.into());
            workspace = Value::Object(own);
        }
        if let (Some(parent), Some(own)) = (parent, workspace.as_object_mut()) {
            own.entry("parentWorkspaceId").or_insert(parent.into());
        }
        let mut record = Map::new();
        record.insert("type".to_owned(), WORKSPACE.into());
        if let Some(project) = project {
            record.insert("project".to_owned(), project.into());
        }
        record.insert("workspace".to_owned(), workspace);
        let from = config.unwrap_or_else(|| self.file.to_path_buf());
        self.lines.begin(from.display().to_string(), 0);
        self.lines.record(&Value::Object(record));
    }

    /// The rows of a file. A row that was written before its answer came is empty; the answer
    /// being streamed stands for it.
    fn rows(&mut self, name: &str, partial: Option<&String>) -> io::Result<()> {
        let bytes = stored(&self.path(name), self.disk)?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.begin(name, 0);
        let body = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let all: Vec<&[u8]> = body.split(|&byte| byte == b'\n').collect();
        let last = all.len() - 1;
        for (number, line) in all.into_iter().enumerate() {
            let replaced = number == last && partial.is_some_and(|new| is_replaced(line, new));
            if !replaced {
                self.row(line, name, number as u32);
            }
        }
        Ok(())
    }

    /// A row, after what was sent with the request for it.
    fn row(&mut self, line: &[u8], name: &str, passed: u32) {
        let text = palimpsest_core::stored::text(line);
        let place = RowHead::of(&text).and_then(|row| row.place());
        if let Some(place) = place
            && let Some(sent) = self.sent.remove(&place)
            && self.request(place, &sent)
        {
            self.begin(name, passed);
        }
        self.lines.push(line);
    }

    /// What was sent with a request beside the rows, where it is new; false when nothing is.
    fn request(&mut self, place: u64, sent: &Sent) -> bool {
        let mut record = Map::new();
        record.insert("type".to_owned(), REQUEST.into());
        record.insert("requestHistorySequence".to_owned(), place.into());
        let mut from = None;
        if sent.prompt.is_some() && sent.prompt != self.prompt {
            self.prompt.clone_from(&sent.prompt);
            if let Some((path, text)) = sent.prompt.as_deref().and_then(|hash| self.blob(hash)) {
                record.insert("systemPrompt".to_owned(), text.into());
                from = Some(path);
            }
        }
        let attachments = sent.attachments.as_deref().and_then(|hash| self.blob(hash));
        if let Some((path, text)) = attachments {
            let attachments = parse(&text).unwrap_or_else(|_| text.into());
            record.insert("attachments".to_owned(), attachments);
            from = from.or(Some(path));
        }
        let Some(from) = from else { return false };
        self.lines.begin(from.display().to_string(), 0);
        self.lines.record(&Value::Object(record));
        true
    }

    fn blob(&self, hash: &str) -> Option<(PathBuf, String)> {
        let path = self.path("blobs").join(hash.get(..2)?).join(hash);
        let bytes = self.disk.read(&path, u64::MAX).ok()?;
        Some((path, palimpsest_core::stored::text(&bytes).into_owned()))
    }

    /// Lines of a file that holds no rows.
    fn beside(&mut self, name: &str, bytes: &[u8]) {
        let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if body.is_empty() {
            return;
        }
        self.begin(name, 0);
        for line in body.split(|&byte| byte == b'\n') {
            self.lines.push(line);
        }
    }
}

/// True when the row on `line` is the beginning of the answer being streamed.
fn is_replaced(line: &[u8], partial: &str) -> bool {
    let text_of_line = palimpsest_core::stored::text(line);
    let (Some(row), Ok(new)) = (RowHead::of(&text_of_line), parse(partial)) else {
        return false;
    };
    let id = row.id.map_or("", RawValue::get).trim_matches('"');
    let parts = field(&new, "parts").as_array().map_or(0, Vec::len);
    !id.is_empty() && id == text(&new, "id") && row.part_count() <= parts
}

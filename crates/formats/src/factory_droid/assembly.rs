//! A session with what is written beside it: its settings and totals, the sessions it called, and
//! before a manual compaction, which begins another file, the file it was made from.

use super::places::{beside, settings_of};
use super::record::parse;
use crate::time::parse_iso;
use crate::{Addressed, Assembly, Disk, Document};
use palimpsest_core::SourcePart;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// Most files one session is put together from.
const MOST_PARTS: usize = 64;
/// Most sessions called by one that are looked at for their calls.
const MOST_CHILDREN: usize = 256;
/// Bytes read of a session to find its header, which is its first line.
const HEAD: u64 = 64 << 10;
/// Lines at the beginning of a file that tell whether it continues another.
const FIRST_LINES: usize = 4;

/// Puts sessions together.
pub(super) struct Sessions;

impl Assembly for Sessions {
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
        Ok(vec![Addressed {
            address: file.to_string_lossy().into_owned(),
            stamp: disk.stamp(file)?,
        }])
    }

    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document> {
        let own = Path::new(address);
        let mut pieces = vec![(own.to_path_buf(), disk.read(own, u64::MAX)?)];
        let mut seen = HashSet::from([own.to_path_buf()]);
        // The bound and `seen` end a circle of headers.
        while pieces.len() < MOST_PARTS
            && let Some((file, bytes)) = pieces.last()
            && let Some(origin) = origin(bytes)
            && let Some(before) = beside(file, &origin.id)
            && seen.insert(before.clone())
            && let Ok(mut earlier) = disk.read(&before, u64::MAX)
        {
            earlier.truncate(end_before(&earlier, origin.at_ms));
            pieces.push((before, earlier));
        }
        let before = pieces.get(1).map(|(file, _)| file.clone());
        let mut document = joined(pieces);
        if let Some(line) = settings_line(own, before.as_deref(), disk) {
            end_line(&mut document.bytes);
            if document.parts.is_empty() {
                document.parts.push(part(own, &[]));
            }
            let settings = part(&settings_of(own), &document.bytes);
            document.parts.push(settings);
            document.bytes.extend(line);
        }
        Ok(document)
    }

    fn signs(&self, address: &str) -> Vec<PathBuf> {
        // The file before a compaction does not change what is taken of it.
        let file = PathBuf::from(address);
        let settings = settings_of(&file);
        vec![file, settings]
    }
}

/// The session that a file begins with the summary of, and when that was made.
struct Origin {
    id: String,
    at_ms: Option<i64>,
}

/// What a file continues: its header names a parent, and a summary that keeps nothing follows.
fn origin(bytes: &[u8]) -> Option<Origin> {
    let mut id = None;
    for line in bytes.split(|&byte| byte == b'\n').take(FIRST_LINES) {
        let text = String::from_utf8_lossy(line);
        let Ok(record) = parse(text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}'))
        else {
            continue;
        };
        match record.type_name.as_deref() {
            Some("session_start") => {
                let forked = record.forked_at.0.is_some();
                let parent = record.parent.as_deref().filter(|_| !forked);
                id = parent.map(str::to_owned);
            }
            Some("compaction_state") if record.anchor.id.0.is_none() => {
                return id.map(|id| Origin {
                    id,
                    at_ms: record.timestamp.0,
                });
            }
            _ => return None,
        }
    }
    None
}

/// Where in an earlier file its records end that were written until `at_ms`: the user may have
/// continued it.
fn end_before(bytes: &[u8], at_ms: Option<i64>) -> usize {
    let Some(at_ms) = at_ms else {
        return bytes.len();
    };
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    for end in ends {
        let Some(line) = bytes.get(start..end) else {
            break;
        };
        if time_of(line).is_some_and(|own| own > at_ms) {
            return start;
        }
        start = end + 1;
    }
    bytes.len()
}

/// When a record was written: its time stands before what it says, so that the line need not be
/// parsed.
fn time_of(line: &[u8]) -> Option<i64> {
    const KEY: &[u8] = b"\"timestamp\":\"";
    let at = memchr::memmem::find(line, KEY)? + KEY.len();
    let rest = &line[at..];
    let end = memchr::memchr(b'"', rest)?;
    parse_iso(std::str::from_utf8(&rest[..end]).ok()?)
}

/// The pieces, newest first, as one document.
fn joined(pieces: Vec<(PathBuf, Vec<u8>)>) -> Document {
    let several = pieces.len() > 1;
    let mut document = Document::default();
    for (path, bytes) in pieces.into_iter().rev() {
        end_line(&mut document.bytes);
        if several {
            document.parts.push(part(&path, &document.bytes));
        }
        if document.bytes.is_empty() {
            document.bytes = bytes;
        } else {
            document.bytes.extend(bytes);
        }
    }
    document
}

/// A file whose bytes follow those before.
fn part(path: &Path, before: &[u8]) -> SourcePart {
    SourcePart {
        path: path.to_string_lossy().into_owned(),
        offset: before.len() as u64,
        line: memchr::memchr_iter(b'\n', before).count() as u32,
    }
}

fn end_line(bytes: &mut Vec<u8>) {
    if bytes.last().is_some_and(|&byte| byte != b'\n') {
        bytes.push(b'\n');
    }
}

/// The settings of a session as a line, with those of the session it continues, whose totals its own
/// begin with, and with the sessions it called.
fn settings_line(own: &Path, before: Option<&Path>, disk: &dyn Disk) -> Option<Vec<u8>> {
    let file = settings_of(own);
    let mut line = Map::new();
    line.insert("type".into(), "session_settings".into());
    match settings_in(&file, disk)? {
        Ok(settings) => {
            let children = children(own, &settings, disk);
            if !children.is_empty() {
                line.insert("children".into(), children.into());
            }
            line.insert("settings".into(), settings);
            if let Some(Ok(before)) = before.and_then(|file| settings_in(&settings_of(file), disk))
            {
                line.insert("before".into(), before);
            }
        }
        Err(reason) => {
            let reason = format!("the session's settings are no JSON object ({reason})");
            line.insert("unreadable".into(), reason.into());
        }
    }
    serde_json::to_vec(&line).ok()
}

/// What is written in a file of settings; where it is damaged, in the copy that was made before.
fn settings_in(file: &Path, disk: &dyn Disk) -> Option<Result<Value, String>> {
    let read = |file: &Path| {
        let bytes = disk.read(file, u64::MAX).ok()?;
        Some(match serde_json::from_slice::<Value>(&bytes) {
            Ok(value) if value.is_object() => Ok(value),
            Ok(_) => Err("another value".to_owned()),
            Err(error) => Err(error.to_string()),
        })
    };
    match read(file)? {
        Ok(settings) => Some(Ok(settings)),
        Err(reason) => {
            let mut copy = file.as_os_str().to_owned();
            copy.push(".bak");
            let copy = read(Path::new(&copy)).and_then(Result::ok);
            Some(copy.ok_or(reason))
        }
    }
}

/// The sessions whose tokens are counted with this one's, with the call that each says it answers.
fn children(own: &Path, settings: &Value, disk: &dyn Disk) -> Vec<Value> {
    let by_id = settings.get("childInclusiveTokenUsageBySessionId");
    let ids = by_id.and_then(Value::as_object).into_iter().flatten();
    ids.take(MOST_CHILDREN)
        .map(|(id, _)| {
            let header = beside(own, id)
                .and_then(|file| disk.read(&file, HEAD).ok())
                .and_then(|head| header_in(&head));
            let header = header.unwrap_or_default();
            let told = |key: &str| header.get(key).cloned().unwrap_or_default();
            json!({"id": id, "call": told("callingToolUseId"), "title": told("title")})
        })
        .collect()
}

fn header_in(head: &[u8]) -> Option<Value> {
    let line = head.split(|&byte| byte == b'\n').next()?;
    serde_json::from_slice(line).ok()
}

//! Rollouts that are compressed, and those that go on where another file stops.
//!
//! A paginated fork, and a thread whose earlier turn was edited, begin with a header that says how
//! much of which thread comes before (`history_base`, 0.16x). That beginning is put before them.

use super::json::{count, field, text};
use super::places::{self, FOLDERS};
use crate::{Addressed, Assembly, Disk, Document};
use palimpsest_core::SourcePart;
use ruzstd::decoding::StreamingDecoder;
use serde_json::Value;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// First bytes of a zstd frame.
const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";
/// A compressed rollout may unfold to this many times its size: the samples unfold to 4 to 12
/// times theirs, and a file made for it (363 KB) to 4 GB.
const MOST_UNFOLDED: u64 = 200;
/// It may unfold to this many bytes in any case.
const ALWAYS_UNFOLDED: u64 = 16 << 20;
/// Most files one session is put together from.
const MOST_PARTS: usize = 64;
/// Bytes read of a file to find out whose it is.
// Headers of recorded sessions have up to 22,469 bytes, nearly all of it base instructions.
const HEAD: u64 = 64 << 10;
/// Folders below `sessions` before the files: year, month, day.
const DEPTH: usize = 3;

/// True for a compressed file that is named like a rollout.
pub(super) fn is_compressed_rollout(path: &Path, head: &[u8]) -> bool {
    places::is_candidate(path) && places::is_compressed(path) && head.starts_with(ZSTD_MAGIC)
}

/// True when a file is not the whole session, or not as it is.
pub(super) fn needed(path: &Path, head: &[u8]) -> bool {
    if is_compressed_rollout(path, head) {
        return true;
    }
    match first_record(head) {
        Some(header) => base_of(&header).is_some(),
        // A header longer than what was read may say so further on.
        None => memchr::memchr(b'\n', head).is_none(),
    }
}

/// What comes before a file: the thread, and the ordinal and the byte at which it stops there.
struct Base {
    thread: String,
    end_ordinal: u64,
    end_byte: u64,
}

fn base_of(header: &Value) -> Option<Base> {
    let base = field(field(header, "payload"), "history_base");
    Some(Base {
        thread: super::json::some_text(base, "thread_id")?.to_owned(),
        end_ordinal: count(base, "end_ordinal_exclusive")?,
        end_byte: count(base, "end_byte_offset").unwrap_or(0),
    })
}

fn first_record(bytes: &[u8]) -> Option<Value> {
    let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    serde_json::from_slice(lines.find(|line| !line.is_empty())?).ok()
}

/// Puts rollouts together.
pub(super) struct Rollouts;

impl Assembly for Rollouts {
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
        // Where a file is there with and without compression, Codex reads the latter.
        if places::is_compressed(file) && disk.stamp(&file.with_extension("")).is_ok() {
            return Ok(Vec::new());
        }
        Ok(vec![Addressed {
            address: file.to_string_lossy().into_owned(),
            stamp: disk.stamp(file)?,
        }])
    }

    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document> {
        let path = Path::new(address);
        let Content { bytes, problem } = content(path, disk)?;
        let mut problems: Vec<String> = problem.into_iter().collect();
        let mut pieces = vec![(path.to_path_buf(), bytes)];
        let mut seen = HashSet::from([path.to_path_buf()]);
        // A fork of a fork goes back over several files; the bound and `seen` end a circle of
        // headers.
        while pieces.len() < MOST_PARTS
            && let Some((_, first)) = pieces.last()
            && let Some(base) = first_record(first).as_ref().and_then(base_of)
            && let Some((file, beginning)) = beginning(path, &base, &seen, disk)
        {
            seen.insert(file.clone());
            problems.extend(beginning.problem);
            pieces.push((file, beginning.bytes));
        }
        Ok(Document {
            problems,
            ..joined(pieces)
        })
    }

    fn signs(&self, address: &str) -> Vec<PathBuf> {
        // What comes before is fixed by the file's header.
        vec![PathBuf::from(address)]
    }
}

/// The pieces, newest first, as one document.
fn joined(pieces: Vec<(PathBuf, Vec<u8>)>) -> Document {
    let several = pieces.len() > 1;
    let mut document = Document::default();
    let mut line = 0;
    for (path, bytes) in pieces.into_iter().rev() {
        if several {
            document.parts.push(SourcePart {
                path: path.to_string_lossy().into_owned(),
                offset: document.bytes.len() as u64,
                line,
            });
        }
        line += memchr::memchr_iter(b'\n', &bytes).count() as u32;
        if document.bytes.is_empty() {
            document.bytes = bytes;
        } else {
            document.bytes.extend(bytes);
        }
    }
    document
}

/// All that could be read of a file, unfolded where it is compressed.
struct Content {
    bytes: Vec<u8>,
    /// Why it is not all of it.
    problem: Option<String>,
}

fn content(path: &Path, disk: &dyn Disk) -> io::Result<Content> {
    let bytes = disk.read(path, u64::MAX)?;
    if !bytes.starts_with(ZSTD_MAGIC) {
        return Ok(Content {
            bytes,
            problem: None,
        });
    }
    let most = (bytes.len() as u64 * MOST_UNFOLDED).max(ALWAYS_UNFOLDED);
    let mut rest = bytes.as_slice();
    let mut unfolded = Vec::new();
    let mut problem = None;
    // A compressed file may consist of several frames.
    while !rest.is_empty() {
        let left = most - unfolded.len() as u64;
        let read = StreamingDecoder::new(&mut rest)
            .map_err(io::Error::other)
            // One byte more than allowed tells a file that is too large from one that just fits.
            .and_then(|frame| frame.take(left + 1).read_to_end(&mut unfolded));
        match read {
            Err(reason) if unfolded.is_empty() => {
                let reason = format!(
                    "the file is damaged and cannot be decompressed ({reason}): {}",
                    path.display()
                );
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            // What could be unfolded is shown; its last line is not whole.
            Err(reason) => {
                problem = Some(format!(
                    "the file is damaged ({reason}); only its first {} bytes could be \
                     decompressed: {}",
                    unfolded.len(),
                    path.display()
                ));
                break;
            }
            Ok(_) if unfolded.len() as u64 > most => {
                unfolded.truncate(usize::try_from(most).unwrap_or(usize::MAX));
                problem = Some(format!(
                    "the compressed file unfolds to more than {most} bytes; the rest is not read: \
                     {}",
                    path.display()
                ));
                break;
            }
            Ok(_) => {}
        }
    }
    Ok(Content {
        bytes: unfolded,
        problem,
    })
}

/// The beginning that `base` names, with the file it is from.
fn beginning(
    of: &Path,
    base: &Base,
    seen: &HashSet<PathBuf>,
    disk: &dyn Disk,
) -> Option<(PathBuf, Content)> {
    let mut fits = |file: PathBuf| {
        if seen.contains(&file) {
            return None;
        }
        let mut content = content(&file, disk).ok()?;
        content.bytes.truncate(cut(&content.bytes, base)?);
        Some((file, content))
    };
    let folder = of.parent()?;
    let is_named = |file: &PathBuf| {
        places::is_candidate(file)
            && places::thread_of(&file.to_string_lossy()) == Some(base.thread.as_str())
    };
    // Beside the file first, before the folders of all days.
    let beside = disk.list(folder).unwrap_or_default();
    // The newest first: a thread edited twice goes on from its second file.
    if let Some(found) = beside
        .iter()
        .rev()
        .filter(|file| is_named(file))
        .find_map(|file| fits(file.clone()))
    {
        return Some(found);
    }
    for root in roots_around(of) {
        let mut files = Vec::new();
        files_below(&root, DEPTH, disk, &mut files);
        files.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
        let found = files.into_iter().filter(is_named).find_map(&mut fits);
        if found.is_some() {
            return found;
        }
    }
    // Files that were copied elsewhere may have any name.
    let is_of_thread = |file: &PathBuf| {
        file.extension()
            .is_some_and(|extension| extension == "jsonl")
            && disk.read(file, HEAD).is_ok_and(|head| {
                first_record(&head).is_some_and(|header| {
                    text(&header, "type") == "session_meta"
                        && text(field(&header, "payload"), "id") == base.thread
                })
            })
    };
    if places::is_candidate(of) {
        return None;
    }
    beside.into_iter().filter(is_of_thread).find_map(fits)
}

/// The folders with sessions of the Codex home that a file lies in.
fn roots_around(file: &Path) -> Vec<PathBuf> {
    let root = file.ancestors().find(|folder| {
        let name = folder.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| FOLDERS.contains(&&*name))
    });
    match root.and_then(Path::parent) {
        Some(home) => FOLDERS.map(|folder| home.join(folder)).to_vec(),
        None => Vec::new(),
    }
}

fn files_below(folder: &Path, depth: usize, disk: &dyn Disk, found: &mut Vec<PathBuf>) {
    for item in disk.list(folder).unwrap_or_default() {
        if places::is_candidate(&item) {
            found.push(item);
        } else if depth > 0 && item.extension().is_none() {
            files_below(&item, depth - 1, disk, found);
        }
    }
}

/// Where in a file the beginning stops: at the byte named, where that is the end of the record
/// before the ordinal named, else after that record. `None` when it is not in this file.
fn cut(bytes: &[u8], base: &Base) -> Option<usize> {
    let before = base.end_ordinal.checked_sub(1)?;
    let named = usize::try_from(base.end_byte).ok()?;
    // The byte is a short cut; the ordinal decides.
    if let Some(beginning) = bytes.get(..named)
        && let Some(lines) = beginning.strip_suffix(b"\n")
    {
        let last = memchr::memrchr(b'\n', lines).map_or(0, |at| at + 1);
        if ordinal(&lines[last..]) == Some(before) {
            return Some(named);
        }
    }
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        if ordinal(&bytes[start..end]) == Some(before) {
            return Some(end + 1);
        }
        start = end + 1;
    }
    None
}

fn ordinal(line: &[u8]) -> Option<u64> {
    count(&serde_json::from_slice(line).ok()?, "ordinal")
}

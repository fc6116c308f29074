//! Where a session's bytes come from: a file, or a document put together from rows and files.

mod beside;
mod disk;

pub(crate) use beside::{Beside, Now};
pub use disk::MachineDisk;
pub(crate) use disk::nanoseconds;

use crate::fnv::fnv_of;
use beside::Recording;
use palimpsest_core::{Agent, SourcePart, Warning};
use palimpsest_formats::assembly::{ADDRESS_MARK, split_address};
use palimpsest_formats::{
    Assembly, Disk, Document, Reading, SessionFormat, Stamp, format_of, sniff,
};
use palimpsest_store::regular::open_regular;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much of a file's beginning tells whose it is.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// How much of a file beside a session is read; real ones have some hundred bytes.
const BESIDE_BYTES: u64 = 64 << 10;

/// The bytes of one session.
pub(crate) enum Content {
    /// The file itself, open.
    File(File),
    /// A document that was put together.
    Assembled(Cursor<Arc<[u8]>>),
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Content::File(file) => file.read(buffer),
            Content::Assembled(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Content {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Content::File(file) => file.seek(to),
            Content::Assembled(bytes) => bytes.seek(to),
        }
    }
}

/// A session's bytes and what is known before they are read.
pub(crate) struct Source {
    /// The bytes.
    pub content: Content,
    /// Whose they are; `None` when no format takes them.
    pub format: Option<&'static dyn SessionFormat>,
    /// The first bytes.
    pub head: Vec<u8>,
    /// The files the bytes come from, where there are several.
    pub parts: Vec<SourcePart>,
    /// What of these files could not be read.
    problems: Vec<String>,
    /// Size and time.
    pub stamp: Stamp,
    /// What tells the file from another of the same name; 0 where there is none.
    pub identity: u64,
    /// For documents, what shows whether they would be another now.
    pub signs: Signs,
    /// The small files that tell of a session in a plain file.
    pub told: ToldBeside,
    /// The other files and folders that tell of the session.
    pub beside: Beside,
    /// A hash of the document with its parts and problems; none for a plain file.
    pub document: Option<u64>,
}

/// What the small files beside a plain file hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToldBeside {
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl ToldBeside {
    fn of(format: Option<&dyn SessionFormat>, session: &Path, disk: &dyn Disk) -> ToldBeside {
        let paths = format.map(|format| format.beside(session));
        let read = |path: PathBuf| {
            let bytes = disk.read(&path, BESIDE_BYTES).ok();
            (path, bytes)
        };
        ToldBeside {
            files: paths.unwrap_or_default().into_iter().map(read).collect(),
        }
    }

    /// Gives `reading` what the files say of its session.
    pub(crate) fn give(&self, format: &dyn SessionFormat, reading: &mut Reading) {
        for (path, bytes) in &self.files {
            format.take_beside(reading, path, bytes.as_deref());
        }
    }
}

/// Files and folders around a session with their states at one time; empty for plain files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Signs(Vec<(PathBuf, Option<Stamp>)>);

impl Signs {
    fn now(paths: Vec<PathBuf>) -> Signs {
        let stamped = |path: PathBuf| {
            let stamp = MachineDisk.stamp(&path).ok();
            (path, stamp)
        };
        Signs(paths.into_iter().map(stamped).collect())
    }

    /// True when none has changed since; always false for plain files.
    pub(crate) fn still_stand(&self) -> bool {
        let same =
            |(path, stamp): &(PathBuf, Option<Stamp>)| MachineDisk.stamp(path).ok() == *stamp;
        !self.0.is_empty() && self.0.iter().all(same)
    }
}

impl Source {
    /// What could not be read, as warnings of the session. Each is taken once.
    pub(crate) fn warnings(&mut self) -> Vec<Warning> {
        let problems = std::mem::take(&mut self.problems).into_iter();
        let warning = |reason| Warning { line: None, reason };
        problems.map(warning).collect()
    }

    /// Opens the session at `address`.
    ///
    /// Errors: what the system reports; `InvalidInput` for a file that holds several sessions when
    /// the address names none of them.
    pub(crate) fn open(address: &str) -> io::Result<Source> {
        let (path, id) = parts_of(address);
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut file = open_regular(path)?;
        let mut head = Vec::new();
        file.by_ref()
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(0))?;
        let format = sniff(path, &head);
        let stamp = Stamp {
            size: metadata.len(),
            mtime_ns: metadata.modified().map_or(0, nanoseconds),
        };
        let disk = Recording::new(&MachineDisk);
        let Some(assembly) = format.and_then(|format| format.assembly(path, &head)) else {
            if id.is_some() {
                return Err(io::ErrorKind::NotFound.into());
            }
            let told = ToldBeside::of(format, path, &disk);
            return Ok(Source {
                content: Content::File(file),
                format,
                head,
                parts: Vec::new(),
                problems: Vec::new(),
                stamp,
                identity: identity(&metadata),
                signs: Signs::default(),
                told,
                beside: disk.beside(path, &[]),
                document: None,
            });
        };
        drop(file);
        let named = named(assembly, address, path, id)?;
        // Looked at before the content, so that a change meanwhile shows.
        let signs = Signs::now(assembly.signs(&named));
        let document = assembly.document(&named, &disk)?;
        // A database tells the states of its sessions itself, and is written to all the time.
        let beside = if id.is_some() {
            Beside::default()
        } else {
            disk.beside(path, &document.settled)
        };
        let hash = hash_of(&document);
        head = document.bytes[..document.bytes.len().min(HEAD_BYTES)].to_vec();
        Ok(Source {
            stamp: Stamp {
                size: document.bytes.len() as u64,
                mtime_ns: stamp.mtime_ns,
            },
            content: Content::Assembled(Cursor::new(document.bytes.into())),
            format,
            head,
            parts: document.parts,
            problems: document.problems,
            identity: 0,
            signs,
            told: ToldBeside::default(),
            beside,
            document: Some(hash),
        })
    }
}

impl Content {
    /// The bytes of a session that `agent` stored at `address`, without what [`Source::open`] finds
    /// out beside them: a page of hits may be from fifty files.
    ///
    /// Errors: as of [`Source::open`].
    pub(crate) fn open(address: &str, agent: Agent) -> io::Result<Content> {
        let is_one_file = format_of(agent).is_some_and(SessionFormat::is_one_file);
        if is_one_file {
            return open_regular(Path::new(address)).map(Content::File);
        }
        Source::open(address).map(|source| source.content)
    }
}

fn hash_of(document: &Document) -> u64 {
    let parts = document.parts.iter().map(|part| part.path.as_bytes());
    let problems = document.problems.iter().map(String::as_bytes);
    let counted = [document.parts.len() as u8];
    fnv_of(
        [&document.bytes[..], &counted]
            .into_iter()
            .chain(parts)
            .chain(problems),
    )
}

/// The file of an address and the session's id in it. A file whose own name holds the mark is a
/// file.
pub(crate) fn parts_of(address: &str) -> (&Path, Option<&str>) {
    let whole = Path::new(address);
    if whole.exists() {
        return (whole, None);
    }
    split_address(address)
}

/// The file behind a session's address.
pub fn file_of(address: &str) -> &Path {
    parts_of(address).0
}

/// The address to put together: as given, or that of the only session in the file.
fn named(
    assembly: &dyn Assembly,
    address: &str,
    path: &Path,
    id: Option<&str>,
) -> io::Result<String> {
    if id.is_some() {
        return Ok(address.to_owned());
    }
    let sessions = assembly.sessions(path, &MachineDisk)?;
    match sessions.as_slice() {
        [only] => Ok(only.address.clone()),
        [] => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the file holds no session",
        )),
        [first, ..] => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!(
                "the file holds {} sessions, each with an address FILE{ADDRESS_MARK}ID such as {}",
                sessions.len(),
                first.address
            ),
        )),
    }
}

#[cfg(unix)]
fn identity(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn identity(_: &std::fs::Metadata) -> u64 {
    0
}

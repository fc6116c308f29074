//! One session read from its source, and read on when the source grows.

use super::bodies::FileBodies;
use crate::error::{AppError, Result};
use palimpsest_core::{EntryIx, EntryKind, Session, Tree, Warning};
use palimpsest_formats::{ReadState, Reading, SessionFormat, sniff};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Read at once; a longer line makes the buffer grow to hold it.
const CHUNK_BYTES: usize = 4 << 20;
/// How much of a file's beginning tells whose it is.
const HEAD_BYTES: usize = 64 << 10;

/// A session with its tree and a way to its texts; immutable, shared, replaced when it grows.
pub struct OpenSession {
    /// Palimpsest's id of the session.
    pub id: String,
    /// The rules of its agent.
    pub format: &'static dyn SessionFormat,
    /// The entries.
    pub session: Arc<Session>,
    /// Their tree.
    pub tree: Tree,
    /// Their texts.
    pub bodies: FileBodies,
    /// Which entries lie on the path to the active leaf, by position.
    pub on_active_path: Vec<bool>,
    /// The label in force on each labelled entry; the last one written wins.
    pub labels: HashMap<EntryIx, Box<str>>,
    /// Counts up with every change seen.
    pub generation: u64,
    /// A last line that is not yet a record; the agent may still be writing it.
    pub partial_line: Option<Warning>,
    state: ReadState,
    seen: Seen,
}

/// What a source looked like when it was last read.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    len: u64,
    modified: Option<std::time::SystemTime>,
    identity: u64,
    head: Vec<u8>,
}

impl OpenSession {
    /// Reads the session in `path`.
    pub fn read(path: &Path) -> Result<OpenSession> {
        let shown = path.display().to_string();
        let failed = |source| AppError::Read {
            path: shown.clone(),
            source,
        };
        let mut file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(AppError::NotASession {
                path: shown,
                detail: "it is a folder; `palimpsest index FOLDER` reads all sessions in it".into(),
            });
        }
        let seen = Seen::of(&mut file).map_err(failed)?;
        if seen.len == 0 {
            return Err(AppError::EmptyFile { path: shown });
        }
        let format = sniff(path, &seen.head).ok_or_else(|| not_a_session(&shown, &seen.head))?;
        let mut reading = Reading::new(format.agent(), &shown);
        read_on(format, &mut reading, &mut file).map_err(failed)?;
        if !reading.state.has_header {
            return Err(not_a_session(&shown, &seen.head));
        }
        Ok(OpenSession::assemble(
            format,
            reading,
            Arc::new(Mutex::new(file)),
            seen,
            1,
        ))
    }

    /// The session as its source is now: `None` when nothing changed.
    pub fn refreshed(&self) -> Result<Option<OpenSession>> {
        let path = Path::new(&self.session.meta.path);
        let shown = path.display().to_string();
        let failed = |source| AppError::Read {
            path: shown.clone(),
            source,
        };
        let mut file = File::open(path).map_err(failed)?;
        let seen = Seen::of(&mut file).map_err(failed)?;
        if seen == self.seen {
            return Ok(None);
        }
        let generation = self.generation + 1;
        if !seen.extends(&self.seen) {
            let mut fresh = OpenSession::read(path)?;
            fresh.generation = generation;
            return Ok(Some(fresh));
        }
        let mut reading = Reading::new(self.format.agent(), "");
        reading.session = Session::clone(&self.session);
        reading.state = self.state.clone();
        read_on(self.format, &mut reading, &mut file).map_err(failed)?;
        let file = Arc::new(Mutex::new(file));
        Ok(Some(OpenSession::assemble(
            self.format,
            reading,
            file,
            seen,
            generation,
        )))
    }

    fn assemble(
        format: &'static dyn SessionFormat,
        reading: Reading,
        file: Arc<Mutex<File>>,
        seen: Seen,
        generation: u64,
    ) -> OpenSession {
        let session = Arc::new(reading.session);
        let tree = Tree::new(&session);
        let mut on_active_path = vec![false; session.entries.len()];
        for ix in session
            .active_leaf
            .map(|leaf| tree.path(leaf))
            .unwrap_or_default()
        {
            on_active_path[ix.get()] = true;
        }
        OpenSession {
            id: session.meta.stable_id(),
            format,
            bodies: FileBodies::new(Arc::clone(&session), format, file),
            labels: labels(&session),
            session,
            tree,
            on_active_path,
            generation,
            state: reading.state,
            partial_line: reading.partial_line,
            seen,
        }
    }

    /// The entry a user named: an id, a unique prefix, `leaf` or `line:N`.
    pub fn resolve(&self, name: &str) -> Result<EntryIx> {
        self.session
            .resolve(name)
            .map_err(|reason| AppError::NoSuchEntry {
                reason,
                path: self.session.meta.path.clone(),
            })
    }

    /// The entry named, or the active leaf when none is.
    pub fn resolve_or_leaf(&self, name: Option<&str>) -> Result<Option<EntryIx>> {
        name.map_or(Ok(self.session.active_leaf), |name| {
            self.resolve(name).map(Some)
        })
    }

    /// Size of the source when it was read, in bytes.
    pub fn source_bytes(&self) -> u64 {
        self.seen.len
    }

    /// When the source was last written.
    pub fn source_modified(&self) -> Option<std::time::SystemTime> {
        self.seen.modified
    }
}

/// Reads from where `reading` stopped to the end of `file`.
fn read_on(
    format: &dyn SessionFormat,
    reading: &mut Reading,
    file: &mut File,
) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(reading.state.offset))?;
    let mut buffer = Vec::new();
    let mut chunk_bytes = CHUNK_BYTES as u64;
    loop {
        let got = file.by_ref().take(chunk_bytes).read_to_end(&mut buffer)?;
        let at_end = got == 0;
        let consumed = format.read(reading, &buffer, at_end);
        buffer.drain(..consumed);
        if at_end {
            return Ok(());
        }
        // A line longer than a chunk: double, so that a 50 MB line is scanned few times.
        chunk_bytes = if consumed == 0 {
            chunk_bytes * 2
        } else {
            CHUNK_BYTES as u64
        };
    }
}

fn labels(session: &Session) -> HashMap<EntryIx, Box<str>> {
    let mut labels = HashMap::new();
    for entry in &session.entries {
        if let EntryKind::Label {
            target: Some(target),
            text,
            ..
        } = &entry.kind
        {
            match text {
                Some(text) if !text.is_empty() => labels.insert(*target, text.clone()),
                _ => labels.remove(target),
            };
        }
    }
    labels
}

fn not_a_session(path: &str, head: &[u8]) -> AppError {
    let start: String = String::from_utf8_lossy(&head[..head.len().min(60)])
        .chars()
        .map(|c| if c.is_control() { '.' } else { c })
        .collect();
    AppError::NotASession {
        path: path.to_owned(),
        detail: format!(
            "it begins with '{start}', and a session begins with a header line such as \
             {{\"type\":\"session\"...}}; check the path"
        ),
    }
}

impl Seen {
    fn of(file: &mut File) -> std::io::Result<Seen> {
        let metadata = file.metadata()?;
        let mut head = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.by_ref()
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut head)?;
        #[cfg(unix)]
        let identity = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let identity = 0;
        Ok(Seen {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            identity,
            head,
        })
    }

    /// True when the source can be what `before` was with bytes appended.
    fn extends(&self, before: &Seen) -> bool {
        self.identity == before.identity
            && self.len >= before.len
            && self.head.starts_with(&before.head)
    }
}

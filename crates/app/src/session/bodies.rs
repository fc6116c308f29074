//! Entry texts read back from the source file by byte range.

use crate::source::Content;
use palimpsest_core::{Bodies, Body, BodyError, EntryIx, Session};
use palimpsest_formats::SessionFormat;
use std::collections::{HashMap, VecDeque};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::{Arc, Mutex};

/// Bytes of source records whose parsed bodies are kept at most; a page of a transcript is far
/// less, and a context of 200,000 tokens about 1 MB.
const CACHED_BYTES: usize = 16 << 20;

/// Reads bodies of one session from its source.
///
/// A file is opened once and stays open, so that one replaced by another under the same name
/// goes on showing what was read.
pub struct SourceBodies {
    session: Arc<Session>,
    format: &'static dyn SessionFormat,
    content: Mutex<Content>,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    bodies: HashMap<EntryIx, (Arc<Body>, usize)>,
    order: VecDeque<EntryIx>,
    bytes: usize,
}

impl SourceBodies {
    /// Bodies of `session` from `content`, which it was read from.
    pub(crate) fn new(
        session: Arc<Session>,
        format: &'static dyn SessionFormat,
        content: Content,
    ) -> SourceBodies {
        SourceBodies {
            session,
            format,
            content: Mutex::new(content),
            cache: Mutex::default(),
        }
    }

    /// True when the source is a document put together from something that has no lines.
    pub(super) fn are_assembled(&self) -> bool {
        matches!(&*lock(&self.content), Content::Assembled(_))
    }

    /// The bytes of the record behind an entry.
    pub fn raw(&self, ix: EntryIx) -> Result<Vec<u8>, BodyError> {
        let source = self.session.entry(ix).source;
        let path = || self.session.meta.path.clone();
        let mut raw = vec![0; source.len as usize];
        let read = {
            let mut content = lock(&self.content);
            content
                .seek(SeekFrom::Start(source.offset))
                .and_then(|_| content.read_exact(&mut raw))
        };
        match read {
            Ok(()) => Ok(raw),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(BodyError::Changed {
                    line: source.line,
                    path: path(),
                })
            }
            Err(error) => Err(BodyError::Unreadable {
                path: path(),
                reason: error.to_string(),
            }),
        }
    }
}

impl Bodies for SourceBodies {
    fn body(&self, ix: EntryIx) -> Result<Arc<Body>, BodyError> {
        if let Some((body, _)) = lock(&self.cache).bodies.get(&ix) {
            return Ok(Arc::clone(body));
        }
        let raw = self.raw(ix)?;
        let entry = self.session.entry(ix);
        let body = Arc::new(self.format.body(&self.session.meta, entry, &raw));
        lock(&self.cache).keep(ix, &body, raw.len());
        Ok(body)
    }
}

impl Cache {
    fn keep(&mut self, ix: EntryIx, body: &Arc<Body>, bytes: usize) {
        if bytes > CACHED_BYTES || self.bodies.contains_key(&ix) {
            return;
        }
        self.bodies.insert(ix, (Arc::clone(body), bytes));
        self.order.push_back(ix);
        self.bytes += bytes;
        while self.bytes > CACHED_BYTES {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            if let Some((_, freed)) = self.bodies.remove(&oldest) {
                self.bytes -= freed;
            }
        }
    }
}

/// A poisoned lock only means that another reader panicked; the data behind these locks is valid
/// after every statement.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

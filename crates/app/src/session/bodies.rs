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

/// Bytes of neighbouring records that are read at once for their hashes.
const READ_AT_ONCE: u64 = 1 << 20;

/// A hash of a record's bytes, eight at a time: it tells whether they changed, no more. Each step
/// can be undone, so that records of equal length that differ in one word never have equal hashes.
fn content_hash(record: &[u8]) -> u64 {
    // The golden ratio as a fraction of 2^64, odd.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = record.as_chunks::<8>();
    let hash = words.iter().fold(record.len() as u64, |hash, word| {
        step(hash, u64::from_le_bytes(*word))
    });
    rest.iter()
        .fold(hash, |hash, &byte| step(hash, u64::from(byte)))
}

/// Reads bodies of one session from its source.
///
/// A file is opened once and stays open, so that one replaced by another under the same name
/// goes on showing what was read.
pub struct SourceBodies {
    session: Arc<Session>,
    format: &'static dyn SessionFormat,
    content: Mutex<Content>,
    cache: Mutex<Cache>,
    /// Hashes of records, by entry, as far as they were asked for.
    hashes: Mutex<Vec<Option<u64>>>,
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
            hashes: Mutex::default(),
        }
    }

    /// A hash of the bytes of each record, for entries in file order; one that was read for this
    /// before is not read again.
    pub(crate) fn content_hashes(&self, entries: &[EntryIx]) -> Result<Vec<u64>, BodyError> {
        let known = |hashes: &[Option<u64>], ix: &EntryIx| hashes.get(ix.get()).copied().flatten();
        let missing: Vec<EntryIx> = {
            let hashes = lock(&self.hashes);
            let all = entries.iter().filter(|ix| known(&hashes, ix).is_none());
            all.copied().collect()
        };
        // Not under the lock: it reads the source.
        let read = self.content_hashes_now(&missing)?;
        let mut hashes = lock(&self.hashes);
        hashes.resize(self.session.entries.len(), None);
        for (ix, hash) in missing.iter().zip(read) {
            hashes[ix.get()] = Some(hash);
        }
        let all = entries.iter().map(|ix| known(&hashes, ix));
        Ok(all.map(Option::unwrap_or_default).collect())
    }

    /// The same, read from the source as it is now. Neighbours are read together.
    pub(crate) fn content_hashes_now(&self, entries: &[EntryIx]) -> Result<Vec<u64>, BodyError> {
        let mut hashes = Vec::with_capacity(entries.len());
        let mut at = 0;
        let mut buffer = Vec::new();
        while let Some(&first) = entries.get(at) {
            let start = self.session.entry(first).source.offset;
            let end = |ix: &EntryIx| {
                let source = self.session.entry(*ix).source;
                source.offset + u64::from(source.len)
            };
            // One record at least, then all that lie in the same stretch of the source.
            let mut stretch = end(&first);
            let together = entries[at..].iter().take_while(|ix| {
                let own = self.session.entry(**ix).source.offset;
                let fits = own >= start && end(ix) <= (start + READ_AT_ONCE).max(end(&first));
                stretch = if fits { stretch.max(end(ix)) } else { stretch };
                fits
            });
            let together = together.count().max(1);
            buffer.resize(usize::try_from(stretch - start).unwrap_or(usize::MAX), 0);
            self.read_at(start, &mut buffer, first)?;
            for ix in &entries[at..at + together] {
                let from = usize::try_from(self.session.entry(*ix).source.offset - start);
                let to = usize::try_from(end(ix) - start);
                let record = buffer.get(from.unwrap_or(0)..to.unwrap_or(0));
                hashes.push(content_hash(record.unwrap_or_default()));
            }
            at += together;
        }
        Ok(hashes)
    }

    /// True when the source is a document put together from something that has no lines.
    pub(super) fn are_assembled(&self) -> bool {
        matches!(&*lock(&self.content), Content::Assembled(_))
    }

    /// The bytes of the record behind an entry.
    pub fn raw(&self, ix: EntryIx) -> Result<Vec<u8>, BodyError> {
        let source = self.session.entry(ix).source;
        let mut raw = vec![0; source.len as usize];
        self.read_at(source.offset, &mut raw, ix)?;
        Ok(raw)
    }

    /// Fills `buffer` from the source; `ix` is the entry that an error names.
    fn read_at(&self, offset: u64, buffer: &mut [u8], ix: EntryIx) -> Result<(), BodyError> {
        let path = || self.session.meta.path.clone();
        let read = {
            let mut content = lock(&self.content);
            content
                .seek(SeekFrom::Start(offset))
                .and_then(|_| content.read_exact(buffer))
        };
        match read {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(BodyError::Changed {
                    line: self.session.entry(ix).source.line,
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
        // Two readers may have parsed the same body; its bytes must not count twice.
        if bytes > CACHED_BYTES || self.bodies.contains_key(&ix) {
            return;
        }
        self.bodies.insert(ix, (Arc::clone(body), bytes));
        self.order.push_back(ix);
        self.bytes += bytes;
        // First in, first out: pages are read in order, and a page is a fraction of the cache.
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

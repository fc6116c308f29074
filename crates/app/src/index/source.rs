//! Reading one session file into the index, in chunks.

use super::fields::{failed_calls, fields_with, shown_beside};
use super::kinds::kinds_of;
use super::numbers::Block;
use super::plan::{How, Job, Listed};
use super::record::LONG_RECORD_BYTES;
use super::rows::{EntryWords, files_of};
use super::target::Target;
use super::text::{search_text, search_text_of_ends};
use super::trail::Trail;
use super::write::Batches;
use super::{ChangeKind, Changed, Control};
use crate::fnv::fnv;
use crate::source::{Beside, Content, Now, Source};
use palimpsest_core::{Entry, EntryKind, Session, SessionMeta};
use palimpsest_formats::{ReadState, Reading, Resume, SessionFormat, format_of};
use palimpsest_store::StoreError;
use palimpsest_store::index::SourceRow;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

/// Read at once. Memory goes with it (bytes, texts and entries of a chunk for each thread); below
/// 1 MB the costs for each chunk begin to show.
const CHUNK_BYTES: u64 = 2 << 20;
/// Bytes hashed at each end of what was read, to tell an appended file from a rewritten one.
const HASHED_BYTES: u64 = 4 << 10;
/// After this many entries the links between them are left to the index instead of being kept in
/// memory: half a kilobyte each, and a file may have millions.
const MOST_ENTRIES_IN_MEMORY: usize = 60_000;

/// What reading one file came to.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) bytes: u64,
    pub(super) change: Option<Changed>,
    /// Nothing was new after all, or another program was quicker.
    pub(super) unchanged: bool,
    pub(super) cancelled: bool,
}

/// Why a file was not read.
#[derive(Debug)]
pub(super) enum Failure {
    /// Something is wrong with the file; others can still be read.
    File(String),
    /// Something is wrong with the index.
    Store(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        Failure::Store(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::File(match error.kind() {
            std::io::ErrorKind::NotFound => "the file was deleted while it was read".to_owned(),
            _ => format!("the file cannot be read: {error}"),
        })
    }
}

/// What the index keeps of a reading, as JSON.
#[derive(Serialize, Deserialize)]
struct KeptReading {
    state: ReadState,
    meta: SessionMeta,
    /// A hash of the document; none for the lines of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    document: Option<u64>,
    /// What the entries read so far tell of those to come.
    #[serde(default, skip_serializing_if = "Trail::is_empty")]
    trail: Trail,
}

/// True when another file that a session is made from is not as it was, or one that was missing has
/// come.
pub(super) fn is_stale(stored: &SourceRow, now: &mut Now<'_>) -> bool {
    // Most sessions are one file.
    let Some(stored) = &stored.beside else {
        return false;
    };
    let beside: Result<Beside, _> = serde_json::from_str(stored);
    beside.is_ok_and(|beside| !beside.still_stands(now))
}

/// Other files as the index keeps them; `None` where there are none.
fn kept_beside(beside: &Beside) -> Result<Option<String>, Failure> {
    if beside.is_empty() {
        return Ok(None);
    }
    serde_json::to_string(beside).map(Some).map_err(not_kept)
}

fn not_kept(error: serde_json::Error) -> Failure {
    Failure::File(format!("its state cannot be kept: {error}"))
}

/// Reads the file of `job` as far as its plan says.
pub(super) fn read(
    job: &Job,
    block: Option<&Arc<Block>>,
    batches: &Batches<'_>,
    control: &Control<'_>,
) -> Result<Done, Failure> {
    let mut source = match Source::open(&job.listed.path) {
        // What a fresh index could not read is not kept from earlier.
        Err(error) if holds_no_session(&error) => {
            return skip(job, &error.to_string(), batches);
        }
        opened => opened?,
    };
    // Only plain files grow at their end; an assembled document is made from the whole each time.
    if matches!(source.content, Content::File(_))
        && job.how == How::FromStored
        && let Some(stored) = &job.stored
        // A beginning of few bytes can look like that of another agent.
        && source.format.is_some_and(|format| format.agent() == stored.agent && format.goes_on())
        && let Some((format, resume, trail)) = resumable(stored, &mut source.content, batches)?
        // A file that was written without growing may have changed in the middle.
        && resume.state.offset < job.listed.size
    {
        let mut appended = Pass::new(&job.listed, format, Reading::resume(resume));
        appended.beside = source.beside.clone();
        appended.trail = trail;
        source.told.give(format, &mut appended.reading);
        match appended.read_on(&mut source.content, stored, batches, control) {
            Ok(Some(done)) => return Ok(done),
            Ok(None) => {}
            // What was written of the appended part would be permanent with the next commit.
            Err(failure) => {
                appended.abandon(batches)?;
                return Err(failure);
            }
        }
    }
    if job.how == How::Beside
        && let Some(stored) = &job.stored
        && is_same_document(stored, &source, batches)?
    {
        let beside = kept_beside(&source.beside)?;
        batches.keep_beside(stored, beside.as_deref())?;
        return Ok(Done {
            unchanged: true,
            ..Done::default()
        });
    }
    read_whole(job, source, block, batches, control)
}

/// True for what the content of a file is to blame for, and not the machine.
fn holds_no_session(error: &std::io::Error) -> bool {
    use std::io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::InvalidData | ErrorKind::InvalidInput
    )
}

/// Leaves out a file that is no session. Remembered, so that the next run does not read it again to
/// find the same.
fn skip(job: &Job, reason: &str, batches: &Batches<'_>) -> Result<Done, Failure> {
    let change = batches.skip(&job.listed, job.stored.as_ref(), reason)?;
    if change.is_none() {
        return Err(Failure::File(reason.to_owned()));
    }
    Ok(Done {
        change,
        ..Done::default()
    })
}

/// What the index keeps of the last reading of a source. A state of another version does not parse.
fn kept_reading(
    stored: &SourceRow,
    batches: &Batches<'_>,
) -> Result<Option<KeptReading>, StoreError> {
    let state = batches.state_of(stored)?;
    Ok(state.and_then(|state| serde_json::from_str(&state).ok()))
}

/// True where the document of a source is the same although files beside it changed.
fn is_same_document(
    stored: &SourceRow,
    source: &Source,
    batches: &Batches<'_>,
) -> Result<bool, StoreError> {
    if stored.session.is_none() || source.document.is_none() {
        return Ok(false);
    }
    let kept = kept_reading(stored, batches)?;
    Ok(kept.is_some_and(|kept| kept.document == source.document))
}

/// How to go on where reading stopped; `None` when what was read is no longer what is there, or
/// the place cannot be taken up in the middle.
fn resumable(
    stored: &SourceRow,
    content: &mut Content,
    batches: &Batches<'_>,
) -> Result<Option<(&'static dyn SessionFormat, Resume, Trail)>, Failure> {
    let hashes = hashes(content, stored.read_to)?;
    let Some(format) = format_of(stored.agent) else {
        return Ok(None);
    };
    if hashes != (stored.head_hash, stored.tail_hash) {
        return Ok(None);
    }
    Ok(kept_reading(stored, batches)?
        // What follows an unended line may turn it into something else.
        .filter(|kept| !kept.state.open_line && kept.state.has_header)
        .map(|kept| {
            (
                format,
                Resume {
                    state: kept.state,
                    meta: kept.meta,
                },
                kept.trail,
            )
        }))
}

fn read_whole(
    job: &Job,
    mut source: Source,
    block: Option<&Arc<Block>>,
    batches: &Batches<'_>,
    control: &Control<'_>,
) -> Result<Done, Failure> {
    let path = &job.listed.path;
    let head = &source.head;
    let Some(format) = source.format else {
        let reason = if head.is_empty() {
            "the file is empty"
        } else {
            "the file is not a session of a known agent"
        };
        return skip(job, reason, batches);
    };
    let kind = match job.stored.as_ref().and_then(|stored| stored.session) {
        Some(_) => ChangeKind::Rewritten,
        None => ChangeKind::New,
    };
    let mut foretold = None;
    loop {
        let mut pass = Pass::new(&job.listed, format, Reading::new(format.agent(), path));
        pass.foretell(foretold.take());
        pass.beside = source.beside.clone();
        pass.document = source.document;
        pass.reading.session.parts = source.parts.clone();
        pass.reading.session.warnings.extend(source.warnings());
        source.told.give(format, &mut pass.reading);
        pass.block = block.cloned();
        // A document is whole in memory already, and its size is not that of its file.
        pass.end = match source.content {
            Content::File(_) => job.listed.size,
            Content::Assembled(_) => source.stamp.size,
        };
        let done = pass.read_whole(&mut source.content, kind, batches, control);
        if let Ok(Some(done)) = done {
            return Ok(done);
        }
        pass.abandon(batches)?;
        done?;
        // Entries of a chunk that was written were taken back further on. With their lines known all
        // is read again, once.
        foretold = Some(pass.late);
    }
}

/// One way through a file, or through what was appended to it.
struct Pass<'a> {
    listed: &'a Listed,
    format: &'static dyn SessionFormat,
    reading: Reading,
    /// Entries of `reading` that are written.
    written: usize,
    /// Where they go, once the session is known.
    target: Option<Target>,
    bytes: u64,
    /// Where reading ends.
    end: u64,
    /// Where the numbers of its entries are counted.
    block: Option<Arc<Block>>,
    /// The other files that tell of the session.
    beside: Beside,
    /// A hash of the document.
    document: Option<u64>,
    /// What the entries read so far tell of those to come.
    trail: Trail,
    /// Lines of entries that a record further on takes back, where an earlier pass found them.
    foretold: Option<HashSet<u32>>,
    /// The same of entries that this pass wrote before it read that record.
    late: HashSet<u32>,
}

impl<'a> Pass<'a> {
    fn new(listed: &'a Listed, format: &'static dyn SessionFormat, reading: Reading) -> Pass<'a> {
        Pass {
            listed,
            format,
            reading,
            written: 0,
            target: None,
            bytes: 0,
            end: listed.size,
            block: None,
            beside: Beside::default(),
            document: None,
            trail: Trail::default(),
            foretold: None,
            late: HashSet::new(),
        }
    }

    /// Tells what a record further on takes back, as an earlier pass found.
    fn foretell(&mut self, lines: Option<HashSet<u32>>) {
        self.reading.foretell(lines.clone().unwrap_or_default());
        self.foretold = lines;
    }

    /// Reads what was appended. `None` when it changes what was read before, so that the whole
    /// has to be read again; nothing is written then.
    fn read_on(
        &mut self,
        content: &mut Content,
        stored: &SourceRow,
        batches: &Batches<'_>,
        control: &Control<'_>,
    ) -> Result<Option<Done>, Failure> {
        let Some(session) = stored.session else {
            return Ok(None);
        };
        let mut source = Chunks::new(content, self.reading.state.offset)?;
        loop {
            let at_end = source.fill(self.end)?;
            let from = self.reading.session.entries.len();
            let texts = self.take(&mut source, at_end);
            let fresh = &self.reading.session.entries[from..];
            let back = self.reading.needs_whole
                || !self.late.is_empty()
                || fresh.iter().any(reaches_back)
                || goes_backwards(&self.reading.session, from);
            if self.target.is_none() {
                let Some(target) = batches.go_on(session, stored)? else {
                    // Read by someone else since the plan was made.
                    return Ok(Some(Done {
                        unchanged: true,
                        ..Done::default()
                    }));
                };
                let fresh = &self.reading.session.entries[from..];
                // 91 % of the files of Claude Code begin with a line that does not name the session.
                let is_other = target.is_other_than(&self.reading.session.meta);
                let back = back || is_other || target.is_irregular();
                if back
                    || batches.repeats(&target, fresh)?
                    || batches.lacks_parent(&target, fresh)?
                {
                    batches.give_up(target);
                    return Ok(None);
                }
                self.target = Some(target);
            } else if let Some(target) = &mut self.target
                && (back || target.is_other_than(&self.reading.session.meta))
            {
                // Too late now; the next run will read the whole.
                target.set_irregular();
            }
            self.write(&texts, batches)?;
            // After the chunk is written: what was read until then is kept.
            let cancelled = (control.cancelled)();
            if at_end || cancelled {
                let change = self.settle(source.content, ChangeKind::Appended, batches)?;
                return Ok(Some(self.done(change, cancelled && !at_end)));
            }
        }
    }

    /// Reads a file from its beginning. `None` when what was written has to be written otherwise
    /// ([`Pass::late`]).
    fn read_whole(
        &mut self,
        content: &mut Content,
        kind: ChangeKind,
        batches: &Batches<'_>,
        control: &Control<'_>,
    ) -> Result<Option<Done>, Failure> {
        let mut source = Chunks::new(content, 0)?;
        loop {
            let at_end = source.fill(self.end)?;
            let texts = self.take(&mut source, at_end);
            // The id is made over the header, so the session can be begun after it.
            let session = &self.reading.session;
            let begun = self.reading.state.has_header || !session.entries.is_empty() || at_end;
            if self.target.is_none() && begun {
                let block = self.block.clone();
                self.target = Some(batches.begin(&session.meta, self.listed, block)?);
            }
            self.write(&texts, batches)?;
            let cancelled = (control.cancelled)();
            if at_end && !self.late.is_empty() {
                return Ok(None);
            }
            if at_end || (cancelled && begun) {
                let change = self.settle(source.content, kind, batches)?;
                return Ok(Some(self.done(change, cancelled && !at_end)));
            }
        }
    }

    fn done(&self, change: Option<Changed>, cancelled: bool) -> Done {
        Done {
            bytes: self.bytes,
            change,
            unchanged: false,
            cancelled,
        }
    }

    /// Reads the records that are whole in the buffer and returns the words of the new entries.
    fn take(&mut self, source: &mut Chunks<'_>, at_end: bool) -> Vec<EntryWords> {
        let from = self.reading.session.entries.len();
        let consumed = self.format.read(&mut self.reading, &source.buffer, at_end);
        let taken_back = std::mem::take(&mut self.reading.taken_back);
        let session = &self.reading.session;
        if self.foretold.is_none() {
            let written = taken_back.into_iter().filter(|ix| ix.get() < from);
            let lines = written.map(|ix| session.entry(ix).source.line);
            self.late.extend(lines);
        }
        let trail = &mut self.trail;
        let texts = session.entries[from..]
            .iter()
            .map(|entry| words_of(self.format, &session.meta, entry, source, trail))
            .collect();
        source.consume(consumed);
        self.bytes += consumed as u64;
        texts
    }

    /// Writes the entries that are not written yet; `texts` are those of the last ones.
    fn write(&mut self, texts: &[EntryWords], batches: &Batches<'_>) -> Result<(), StoreError> {
        let Some(target) = &mut self.target else {
            return Ok(());
        };
        batches.add(target, &self.reading.session, self.written, texts)?;
        self.written = self.reading.session.entries.len();
        if self.written >= MOST_ENTRIES_IN_MEMORY {
            batches.sum_up(target, &self.reading.session)?;
            let (state, meta) = (
                self.reading.state.clone(),
                self.reading.session.meta.clone(),
            );
            // Reading goes on as after a restart, so memory stays the same however long the file
            // is.
            self.reading = Reading::resume(Resume { state, meta });
            self.reading
                .foretell(self.foretold.clone().unwrap_or_default());
            self.written = 0;
        }
        Ok(())
    }

    fn settle(
        &mut self,
        content: &mut Content,
        kind: ChangeKind,
        batches: &Batches<'_>,
    ) -> Result<Option<Changed>, Failure> {
        let read_to = self.reading.state.offset;
        let (head_hash, tail_hash) = hashes(content, read_to)?;
        self.trail.settle();
        let open_todos = self.trail.open_todos();
        let kept = KeptReading {
            state: self.reading.state.clone(),
            meta: self.reading.session.meta.clone(),
            document: self.document,
            trail: std::mem::take(&mut self.trail),
        };
        let state = serde_json::to_string(&kept).map_err(not_kept)?;
        let source = SourceRow {
            path: self.listed.path.clone(),
            agent: self.format.agent(),
            size: self.size_kept(read_to),
            mtime_ns: self.listed.mtime_ns,
            inode: self.listed.inode,
            head_hash,
            tail_hash,
            read_to,
            session: None,
            skipped: None,
            beside: kept_beside(&self.beside)?,
        };
        let Some(mut target) = self.target.take() else {
            return Ok(None);
        };
        batches.sum_up(&mut target, &self.reading.session)?;
        target.open_todos = open_todos;
        Ok(Some(batches.settle(
            target,
            (source, &state),
            kind,
            &self.reading.session.meta,
        )?))
    }

    /// Takes back what was written, after an error of the file.
    fn abandon(&mut self, batches: &Batches<'_>) -> Result<(), StoreError> {
        match self.target.take() {
            Some(target) => batches.abandon(target, self.listed),
            None => Ok(()),
        }
    }

    /// The size by which the next run sees whether there is more: as listed, so that what was
    /// appended while reading shows. What was not read because the run was stopped must look
    /// appended as well. A document that was put together can be smaller or larger than its file.
    fn size_kept(&self, read_to: u64) -> u64 {
        // All that is left may be a line still being written.
        if read_to >= self.end || self.reading.partial_line.is_some() {
            self.listed.size
        } else {
            read_to.min(self.listed.size.saturating_sub(1))
        }
    }
}

/// Entries that change what was read before them: the next title is the first words of the user,
/// which lie before.
fn reaches_back(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::SessionInfo { name: None })
}

/// True where an entry from position `from` on is its own parent or has one behind it. Such links can
/// close a circle, which the tree cuts, so leaves cannot be counted from the links alone.
fn goes_backwards(session: &Session, from: usize) -> bool {
    let entries = session.entries.iter().enumerate().skip(from);
    let mut parents = entries.filter_map(|(at, entry)| Some((at, entry.parent?)));
    parents.any(|(at, parent)| parent.get() >= at)
}

fn words_of(
    format: &dyn SessionFormat,
    meta: &SessionMeta,
    entry: &Entry,
    source: &Chunks<'_>,
    trail: &mut Trail,
) -> EntryWords {
    let start = entry.source.offset.checked_sub(source.offset);
    let raw = start
        .and_then(|start| usize::try_from(start).ok())
        .and_then(|start| source.buffer.get(start..start + entry.source.len as usize));
    match raw {
        Some(raw) if raw.len() <= LONG_RECORD_BYTES => {
            let body = format.body(meta, entry, raw);
            let told = trail.pass(entry, Some(&body));
            let kinds = kinds_of(entry, Some(&body), &told);
            let mut text = search_text(entry, &body);
            text.push_str(&shown_beside(entry, &body, &told));
            EntryWords {
                text,
                fields: fields_with(entry, Some(&body), &kinds, &told),
                failed: failed_calls(entry, Some(&body), &told.answered),
                kinds,
                files: files_of(&told),
                about: told.about,
                subagent: told.subagent,
            }
        }
        raw => {
            let told = trail.pass(entry, None);
            let kinds = kinds_of(entry, None, &told);
            EntryWords {
                text: raw.map(search_text_of_ends).unwrap_or_default(),
                fields: fields_with(entry, None, &kinds, &told),
                failed: failed_calls(entry, None, &[]),
                kinds,
                ..EntryWords::default()
            }
        }
    }
}

/// The bytes of a file from an offset on, a chunk at a time.
struct Chunks<'a> {
    content: &'a mut Content,
    buffer: Vec<u8>,
    /// Offset of the buffer in the file.
    offset: u64,
    next: u64,
}

impl<'a> Chunks<'a> {
    fn new(content: &'a mut Content, offset: u64) -> std::io::Result<Chunks<'a>> {
        content.seek(SeekFrom::Start(offset))?;
        // The records of a document lie together in ways a chunk's end would part.
        let next = match content {
            Content::File(_) => CHUNK_BYTES,
            Content::Assembled(_) => u64::MAX,
        };
        Ok(Chunks {
            content,
            buffer: Vec::new(),
            offset,
            next,
        })
    }

    /// Adds bytes to the buffer, up to `end` of the file; true when there are no more. What is
    /// written behind `end` meanwhile is the next run's.
    fn fill(&mut self, end: u64) -> std::io::Result<bool> {
        let have = self.offset + self.buffer.len() as u64;
        let want = self.next.min(end.saturating_sub(have));
        // Exact, because doubling would make a 50 MB line cost 100.
        self.buffer
            .reserve_exact(usize::try_from(want).unwrap_or(0));
        let got = self
            .content
            .by_ref()
            .take(want)
            .read_to_end(&mut self.buffer)? as u64;
        // A file that became shorter meanwhile ends earlier than it was listed.
        Ok(got < want || have + got >= end)
    }

    fn consume(&mut self, bytes: usize) {
        if bytes == 0 {
            // A line longer than a chunk: fewer and larger pieces, as each is looked through for
            // its end again.
            self.next = self.next.saturating_mul(2).min(64 << 20);
            return;
        }
        self.buffer.drain(..bytes);
        self.offset += bytes as u64;
        self.next = CHUNK_BYTES;
        if self.buffer.capacity() as u64 > 4 * CHUNK_BYTES {
            self.buffer.shrink_to(CHUNK_BYTES as usize);
        }
    }
}

/// Hashes of the first and the last bytes before `end`.
fn hashes(content: &mut Content, end: u64) -> std::io::Result<(u64, u64)> {
    let mut hash_at = |offset: u64, len: u64| -> std::io::Result<u64> {
        let mut bytes = Vec::new();
        content.seek(SeekFrom::Start(offset))?;
        content.by_ref().take(len).read_to_end(&mut bytes)?;
        Ok(fnv(&bytes))
    };
    let len = HASHED_BYTES.min(end);
    Ok((hash_at(0, len)?, hash_at(end - len, len)?))
}

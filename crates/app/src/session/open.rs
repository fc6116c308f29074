//! One session read from its source, and read on when the source grows.

use super::bodies::SourceBodies;
use super::lock;
use super::recorded::fit_to_recorded;
use crate::error::{AppError, Result};
use crate::source::{Content, Signs, Source, ToldBeside, parts_of};
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_core::{
    ContextItem, Entry, EntryIx, EntryKind, ItemKind, Session, SourcePart, Tree, Warning,
};
use palimpsest_formats::{
    AfterCompaction, Along, Known, Measure, MeasuredContext, Reading, SessionFormat, SizeAlong,
    SizeBasis, along,
};
use std::collections::HashMap;
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Read at once; a longer line makes the buffer grow to hold it.
const CHUNK_BYTES: usize = 4 << 20;

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
    pub bodies: SourceBodies,
    /// Which entries lie on the path to the active leaf, by position.
    pub on_active_path: Vec<bool>,
    /// The label in force on each labelled entry; the last one written wins.
    pub labels: HashMap<EntryIx, Box<str>>,
    /// Counts up with every change seen.
    pub generation: u64,
    /// A last line that is not yet a record; the agent may still be writing it.
    pub partial_line: Option<Warning>,
    /// False where the session has so many summaries that their contexts are not computed.
    sizes_summaries: bool,
    /// Sizes behind compactions that were asked for.
    after: Mutex<HashMap<EntryIx, AfterCompaction>>,
    known: Known,
    seen: Seen,
}

/// Entries of all contexts behind summaries that are computed for a session, which take about two
/// seconds. Recorded sessions have 3 million at most; one made for it (20,000 entries, every second
/// a compaction that keeps all) would have 200 million.
const MOST_CONTEXT_ENTRIES: usize = 20_000_000;

/// True where the contexts behind all summaries and edits of a session can be computed.
fn sizes_summaries(session: &Session) -> bool {
    let is_sized = |entry: &&Entry| {
        let is_edit = matches!(entry.kind, EntryKind::ContextEdit { .. });
        is_edit || entry.kind.summary().is_some()
    };
    let summaries = session.entries.iter().filter(is_sized).count();
    summaries.saturating_mul(session.entries.len()) <= MOST_CONTEXT_ENTRIES
}

/// Where an entry lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// Its file, where the session is read from several.
    pub file: Option<&'a str>,
    /// 0-based physical line of that file, where it has lines.
    pub line: Option<u32>,
}

/// What a source looked like when it was last read.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    len: u64,
    mtime_ns: i64,
    identity: u64,
    head: Vec<u8>,
    signs: Signs,
    told: ToldBeside,
}

/// An item's share of a reported size is no more than so many times its estimate: estimates of real
/// sessions are off by 14 % at most after a compaction.
const FARTHEST_SHARE: u64 = 2;

impl OpenSession {
    /// What the providers' reports along `path` tell of the size at its end.
    pub fn measure(&self, path: &[EntryIx]) -> Measure {
        Measure::along(self.format, &self.session, path)
    }

    /// The context at `at` with its size and those of its items.
    pub fn measured_context(&self, at: Option<EntryIx>) -> MeasuredContext {
        MeasuredContext::with_next_report(self.format, &self.session, &self.tree, at)
    }

    /// The size of the context behind each entry of `path`, root first, fitted to what compactions on
    /// it record of the size before them. In a session whose contexts would take too long, what was added since the newest summary.
    pub fn sizes_along(&self, path: &[EntryIx]) -> Vec<SizeAlong> {
        self.along(path).sizes
    }

    /// The same with the measure of the path.
    pub fn along(&self, path: &[EntryIx]) -> Along {
        if self.sizes_summaries {
            let mut found = along(self.format, &self.session, &self.tree, path);
            fit_to_recorded(&self.session, path, &mut found.sizes);
            return found;
        }
        let mut tokens = 0;
        let size = |&ix: &EntryIx| {
            let entry = self.session.entry(ix);
            let own = entry.estimate();
            let begins = matches!(entry.kind, EntryKind::Compaction(_));
            tokens = if begins { own } else { tokens + own };
            SizeAlong {
                tokens,
                basis: SizeBasis::Estimated,
            }
        };
        Along {
            sizes: path.iter().map(size).collect(),
            measure: self.measure(path),
        }
    }

    /// The size of the context behind the compaction whose summary stands at `summary`. In a session
    /// whose contexts would take too long, the summary alone.
    pub fn after_compaction(&self, summary: EntryIx) -> AfterCompaction {
        if !self.sizes_summaries {
            let own = self.session.entry(summary).estimate();
            return AfterCompaction {
                tokens: own,
                is_forecast: true,
                summary: own,
            };
        }
        if let Some(known) = lock(&self.after).get(&summary) {
            return *known;
        }
        let sized = self.measured_context(Some(summary));
        // The record may hold more than its summary: a system message (pi 0.87), what it keeps.
        let is_of_record = |item: &ContextItem| item.entries.contains(&summary);
        let is_summary =
            |item: &ContextItem| is_of_record(item) && item.kind == ItemKind::CompactionSummary;
        let items = &sized.context.items;
        let place = items
            .iter()
            .position(is_summary)
            .or_else(|| items.iter().position(is_of_record));
        let own = self.session.entry(summary).estimate();
        let (estimate, share) =
            place.map_or((own, own), |at| (items[at].estimate, sized.items[at]));
        let size = AfterCompaction {
            tokens: sized.tokens,
            is_forecast: sized.basis != SizeBasis::Reported,
            // A share far above the estimate holds what the file does not have: a system prompt that no
            // cache read tells apart from the items. One far below it leaves the summary out: the agent
            // reported a context without it.
            summary: if share / FARTHEST_SHARE > estimate
                || share.saturating_mul(FARTHEST_SHARE) < estimate
            {
                estimate
            } else {
                share
            },
        };
        lock(&self.after).insert(summary, size);
        size
    }

    /// False where a session has so many summaries that their contexts are not computed: it was made
    /// for it.
    pub fn sizes_summaries(&self) -> bool {
        self.sizes_summaries
    }

    /// Reads the session at `path`, which may be an address inside a file.
    pub fn read(path: &Path) -> Result<OpenSession> {
        let shown = path.display().to_string();
        OpenSession::from_source(&shown, opened(&shown)?, 1)
    }

    fn from_source(shown: &str, mut source: Source, generation: u64) -> Result<OpenSession> {
        if source.stamp.size == 0 {
            return Err(AppError::EmptyFile {
                path: shown.to_owned(),
            });
        }
        let seen = Seen::of(&source);
        let format = source
            .format
            .ok_or_else(|| not_a_session(shown, &seen.head, seen.len))?;
        let mut reading = Reading::new(format.agent(), shown);
        reading.session.parts = std::mem::take(&mut source.parts);
        reading.session.warnings.extend(source.warnings());
        source.told.give(format, &mut reading);
        read_on(format, &mut reading, &mut source.content)
            .map_err(|source| failed(shown, source))?;
        if !reading.state.has_header {
            return Err(not_a_session(shown, &seen.head, seen.len));
        }
        Ok(OpenSession::assemble(
            format,
            reading,
            source.content,
            seen,
            generation,
        ))
    }

    /// The session as its source is now: `None` when nothing changed.
    pub fn refreshed(&self) -> Result<Option<OpenSession>> {
        let shown = &self.session.meta.path;
        // For databases and folders: making the document again costs more than a look at the
        // files.
        if self.seen.signs.still_stand() {
            return Ok(None);
        }
        let mut source = opened(shown)?;
        let is_file = matches!(source.content, Content::File(_));
        let seen = Seen::of(&source);
        if is_file && seen == self.seen {
            return Ok(None);
        }
        let generation = self.generation + 1;
        // Rows change in place, so the document is read again.
        if !is_file || !seen.extends(&self.seen) {
            return OpenSession::from_source(shown, source, generation).map(Some);
        }
        let mut reading = Reading::go_on(Session::clone(&self.session), &self.known);
        source.told.give(self.format, &mut reading);
        read_on(self.format, &mut reading, &mut source.content)
            .map_err(|source| failed(shown, source))?;
        Ok(Some(OpenSession::assemble(
            self.format,
            reading,
            source.content,
            seen,
            generation,
        )))
    }

    fn assemble(
        format: &'static dyn SessionFormat,
        reading: Reading,
        content: Content,
        seen: Seen,
        generation: u64,
    ) -> OpenSession {
        let (mut session, partial_line, known) = reading.into_parts();
        session.find_repeated();
        let session = Arc::new(session);
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
            bodies: SourceBodies::new(Arc::clone(&session), format, content),
            labels: labels(&session),
            sizes_summaries: sizes_summaries(&session),
            after: Mutex::default(),
            session,
            tree,
            on_active_path,
            generation,
            known,
            partial_line,
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

    /// Where an entry lies, for showing.
    pub fn place(&self, ix: EntryIx) -> Place<'_> {
        let source = self.session.entry(ix).source;
        match self.part_of(source.offset) {
            Some(part) => Place {
                file: Some(&part.path),
                line: Some(source.line.saturating_sub(part.line)),
            },
            None => Place {
                file: None,
                line: (!self.bodies.are_assembled()).then_some(source.line),
            },
        }
    }

    /// The file that begins with the entry at `ix`, where the session is read from several.
    pub fn begins_file(&self, ix: EntryIx) -> Option<&str> {
        let part = self.part_of(self.session.entry(ix).source.offset)?;
        let before = ix.get().checked_sub(1).map(EntryIx::new);
        let same = before
            .and_then(|before| self.part_of(self.session.entry(before).source.offset))
            .is_some_and(|before| before.offset == part.offset);
        (!same).then_some(part.path.as_str())
    }

    fn part_of(&self, offset: u64) -> Option<&SourcePart> {
        let parts = &self.session.parts;
        let after = parts.partition_point(|part| part.offset <= offset);
        parts.get(after.checked_sub(1)?)
    }

    /// Size of the source when it was read, in bytes.
    pub fn source_bytes(&self) -> u64 {
        self.seen.len
    }

    /// When the source was last written.
    pub fn source_modified(&self) -> Option<SystemTime> {
        let since = u64::try_from(self.seen.mtime_ns).ok()?;
        UNIX_EPOCH.checked_add(Duration::from_nanos(since))
    }
}

fn opened(address: &str) -> Result<Source> {
    Source::open(address).map_err(|source| match source.kind() {
        ErrorKind::IsADirectory => AppError::Folder {
            path: address.to_owned(),
        },
        ErrorKind::InvalidInput => AppError::bad_request(
            format!("{source}: {address}"),
            NextStep::Give {
                what: Input::Session,
            },
        ),
        ErrorKind::NotFound => match parts_of(address) {
            (file, Some(id)) if file.exists() => AppError::not_found(
                format!("there is no session '{id}' in the file: {}", file.display()),
                NextStep::Give {
                    what: Input::Session,
                },
            ),
            _ => failed(address, source),
        },
        _ => failed(address, source),
    })
}

fn failed(address: &str, source: std::io::Error) -> AppError {
    AppError::Read {
        path: address.to_owned(),
        source,
    }
}

/// Reads from where `reading` stopped to the end of `content`.
fn read_on(
    format: &dyn SessionFormat,
    reading: &mut Reading,
    content: &mut Content,
) -> std::io::Result<()> {
    content.seek(SeekFrom::Start(reading.state.offset))?;
    let mut buffer = Vec::new();
    let mut chunk_bytes = CHUNK_BYTES as u64;
    loop {
        let got = content
            .by_ref()
            .take(chunk_bytes)
            .read_to_end(&mut buffer)?;
        // An empty read and not a short one ends a file that is being written.
        let at_end = got == 0;
        let consumed = format.read(reading, &buffer, at_end);
        buffer.drain(..consumed);
        if at_end {
            return Ok(());
        }
        // A line longer than a chunk: double, so that a 50 MB line is scanned few times.
        chunk_bytes = if consumed == 0 {
            chunk_bytes.saturating_mul(2)
        } else {
            CHUNK_BYTES as u64
        };
    }
}

fn labels(session: &Session) -> HashMap<EntryIx, Box<str>> {
    let known = session
        .indices()
        .zip(palimpsest_core::labels::labels(session));
    known
        .filter_map(|(ix, label)| Some((ix, label?.into())))
        .collect()
}

/// `head` is the beginning of a file of `len` bytes.
fn not_a_session(path: &str, head: &[u8], len: u64) -> AppError {
    // What the file holds is not shown: whoever asks over HTTP must not read other files so.
    let kind = if head.contains(&0) {
        "it is not text"
    } else if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
        "it does not begin with JSON"
    } else if len == head.len() as u64 && is_cut_off(head) {
        "its first line is cut off"
    } else {
        "its JSON is not a record of an agent"
    };
    AppError::NotASession {
        path: path.to_owned(),
        detail: kind.to_owned(),
    }
}

/// True for a file whose only line ends in the middle of its JSON.
fn is_cut_off(head: &[u8]) -> bool {
    let text = head.trim_ascii();
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<serde_json::Value>();
    matches!(values.next(), Some(Err(error)) if error.is_eof())
}

impl Seen {
    fn of(source: &Source) -> Seen {
        Seen {
            len: source.stamp.size,
            mtime_ns: source.stamp.mtime_ns,
            identity: source.identity,
            head: source.head.clone(),
            signs: source.signs.clone(),
            told: source.told.clone(),
        }
    }

    /// True when the source can be what `before` was with bytes appended.
    fn extends(&self, before: &Seen) -> bool {
        self.identity == before.identity
            && self.len >= before.len
            && self.head.starts_with(&before.head)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_BYTES, OpenSession, not_a_session};
    use palimpsest_core::{Block, Bodies as _, EntryIx, SummaryKind};
    use palimpsest_testkit::beside::sample_files;
    use palimpsest_testkit::session::{PiSession, Reply};

    /// Lines around the size of a chunk, of which the next one begins in each way.
    #[test]
    fn lines_longer_than_a_chunk_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let mut session = PiSession::new();
        let sizes = [
            CHUNK_BYTES / 2,
            2 * CHUNK_BYTES + 17,
            CHUNK_BYTES - 300,
            3 * CHUNK_BYTES,
            10,
            CHUNK_BYTES,
        ];
        for size in sizes {
            session.user(&"x".repeat(size));
            session.assistant(Reply::new().text("Read."));
        }
        session.write_to(&path).unwrap();
        let open = OpenSession::read(&path).unwrap();
        assert_eq!(open.session.warnings, []);
        let prompts = open.session.indices().step_by(2);
        let read: Vec<usize> = prompts
            .map(
                |ix| match &open.bodies.body(ix).unwrap().messages[0].blocks[..] {
                    [Block::Text(text)] => text.len(),
                    other => panic!("{other:?}"),
                },
            )
            .collect();
        assert_eq!(read, sizes);
    }

    #[test]
    fn an_appended_entry_finds_its_parent_in_what_was_read_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let mut session = PiSession::new();
        session.user("Build the clock.");
        session.assistant(Reply::new().text("It ticks."));
        session.write_to(&path).unwrap();
        let open = OpenSession::read(&path).unwrap();
        session.user("And the bell.");
        session.write_to(&path).unwrap();
        let grown = open.refreshed().unwrap().expect("the file has grown");
        let whole = OpenSession::read(&path).unwrap();
        let leaf = grown.session.active_leaf.unwrap();
        assert_eq!(grown.tree.path(leaf), whole.tree.path(leaf));
        assert_eq!(grown.tree.path(leaf).len(), whole.session.entries.len());
    }

    #[test]
    fn contexts_behind_thousands_of_compactions_are_not_computed() {
        let open = |compactions: usize| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("session.jsonl");
            let mut session = PiSession::new();
            session.user("Build the clock.");
            session.write_to(&path).unwrap();
            let mut text = std::fs::read_to_string(&path).unwrap();
            for at in 0..compactions {
                let parent = at.checked_sub(1).map(|before| format!("c{before}"));
                let record = serde_json::json!({
                    "type": "compaction", "id": format!("c{at}"), "parentId": parent,
                    "summary": "It ticks.", "firstKeptEntryId": "c0", "tokensBefore": 10,
                    "timestamp": "2026-10-01T10:00:00.000Z",
                });
                text.push_str(&format!("{record}\n"));
            }
            std::fs::write(&path, text).unwrap();
            OpenSession::read(&path).unwrap()
        };
        let few = open(20);
        assert!(few.sizes_summaries());
        let many = open(4_600);
        assert!(!many.sizes_summaries());
        // The summary alone, whatever it keeps.
        let last = many.session.active_leaf.unwrap();
        let size = many.after_compaction(last);
        assert_eq!((size.tokens, size.is_forecast), (size.summary, true));
    }

    /// pi 0.87 stores the system message in the record of the compaction.
    #[test]
    fn the_size_of_a_summary_is_of_the_summary_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let mut session = PiSession::new();
        session.user("Build the clock.");
        session.write_to(&path).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        let parent: serde_json::Value =
            serde_json::from_str(text.lines().next_back().unwrap()).unwrap();
        let record = serde_json::json!({
            "type": "compaction", "id": "c0", "parentId": parent["id"], "summary": "It ticks.",
            "firstKeptEntryId": "c0", "tokensBefore": 900, "timestamp": "2026-10-01T10:00:00.000Z",
            "systemMessage": {"role": "system", "content": "You build clocks. ".repeat(400), "timestamp": 1},
        });
        text.push_str(&format!("{record}\n"));
        std::fs::write(&path, text).unwrap();
        let open = OpenSession::read(&path).unwrap();
        let last = open.session.active_leaf.unwrap();
        let size = open.after_compaction(last);
        assert!(size.summary > 0 && size.summary < 100, "{size:?}");
        assert!(size.tokens > 1_000, "{size:?}");
    }

    #[test]
    fn a_summary_that_the_agents_report_leaves_out_keeps_its_estimate() {
        // OpenCode 0.5.29 reports 14,871 tokens behind it, which its system prompt alone takes.
        for path in sample_files("opencode/generated-0.5.29-json") {
            if !path.ends_with("ses_e03e4625effeDgHM4sKd0dJz0C.json") {
                continue;
            }
            let open = OpenSession::read(&path).unwrap();
            let is_summary = |ix: &EntryIx| {
                open.session.entry(*ix).kind.summary() == Some(SummaryKind::Compaction)
            };
            let summaries: Vec<EntryIx> = open.session.indices().filter(is_summary).collect();
            assert_eq!(summaries.len(), 6);
            for ix in summaries {
                let size = open.after_compaction(ix);
                assert_eq!(size.summary, open.session.entry(ix).estimate(), "{size:?}");
            }
        }
    }

    #[test]
    fn a_name_written_beside_a_session_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let fixture = "../formats/tests/fixtures/copilot/valid/linear-resumed.jsonl";
        let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture);
        std::fs::copy(fixture, &path).unwrap();
        let title = |open: &OpenSession| open.session.meta.title.clone();
        let open = OpenSession::read(&path).unwrap();
        assert_eq!(title(&open).as_deref(), Some("A brighter lamp"));
        assert!(open.refreshed().unwrap().is_none());
        let file = folder.path().join("workspace.yaml");
        std::fs::write(&file, "name: The keeper's lamp\n").unwrap();
        let named = open.refreshed().unwrap().expect("a name was written");
        assert_eq!(title(&named).as_deref(), Some("The keeper's lamp"));
        assert!(named.refreshed().unwrap().is_none());
        std::fs::remove_file(&file).unwrap();
        let again = named.refreshed().unwrap().expect("the file is gone");
        assert_eq!(again.session.meta, open.session.meta);
    }

    #[test]
    fn the_refusal_of_another_file_shows_nothing_of_it() {
        let said = |head: &[u8]| not_a_session("/etc/shadow", head, head.len() as u64).to_string();
        let text = said(b"root:*:19000:0");
        assert!(
            text.contains("does not begin with JSON") && text.contains("/etc/shadow"),
            "{text}"
        );
        assert!(!text.contains("19000"), "{text}");
        assert!(said(b"\x7fELF\0").contains("it is not text"));
        assert!(said(b"{\"secret\": 1}").contains("not a record of an agent"));
        assert!(!said(b"{\"secret\": 1}").contains("secret"));
        assert!(said(b"{\"secret\": ").contains("its first line is cut off"));
        let longer = not_a_session("a.jsonl", b"{\"secret\": ", 99).to_string();
        assert!(!longer.contains("cut off"), "{longer}");
    }
}

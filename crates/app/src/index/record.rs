//! One record of a source, for its words or to show it.

use super::text::{search_text, search_text_of_ends};
use crate::source::Content;
use palimpsest_core::{Body, Entry, SessionMeta};
use palimpsest_formats::{Queueing, ReadState, Reading, Resume, SessionFormat, format_of};
use palimpsest_store::index::{EntryRow, SessionRow};
use std::cell::OnceCell;
use std::io::{Read as _, Seek as _, SeekFrom};

/// Records longer than this are not parsed for their words: mostly images, or one huge output.
pub(super) const LONG_RECORD_BYTES: usize = 4 << 20;

/// A record that is known by its place, as it stands alone. What an agent tells only by the records
/// before it, such as the tool of a result, is missing in it.
pub(crate) struct RecordAt {
    /// The entry.
    pub(crate) entry: Entry,
    format: &'static dyn SessionFormat,
    meta: SessionMeta,
    raw: Vec<u8>,
    /// Parsed once: a failed result needs it for its text and for the call that it answers.
    body: OnceCell<Body>,
}

impl RecordAt {
    /// What can be searched for in it. Of a very long one only the ends would be used, so it is not
    /// worth parsing: a 50 MB line would be three times in memory.
    pub(crate) fn text(&self) -> String {
        if self.is_long() {
            return search_text_of_ends(&self.raw);
        }
        search_text(&self.entry, self.body())
    }

    /// Its messages; none of a record that is too long to be read for a list.
    pub(crate) fn body(&self) -> &Body {
        self.body.get_or_init(|| {
            if self.is_long() {
                return Body::default();
            }
            self.format.body(&self.meta, &self.entry, &self.raw)
        })
    }

    fn is_long(&self) -> bool {
        self.raw.len() > LONG_RECORD_BYTES
    }

    /// What it does with the queue of prompts.
    pub(crate) fn queueing(&self) -> Option<Queueing> {
        self.format.queueing(&self.entry)
    }
}

/// The bytes at a place of a source; `None` where it has become shorter.
pub(crate) fn raw_at(content: &mut Content, row: &EntryRow) -> Option<Vec<u8>> {
    content.seek(SeekFrom::Start(row.offset)).ok()?;
    let len = row.len as usize;
    // Room for the line end that `record_in` appends.
    let mut raw = Vec::with_capacity(len + 1);
    raw.resize(len, 0);
    content.read_exact(&mut raw).ok()?;
    Some(raw)
}

/// The record that these bytes of a source are; `None` when they are none any more.
pub(crate) fn record_in(
    session: &SessionRow,
    row: &EntryRow,
    mut raw: Vec<u8>,
) -> Option<RecordAt> {
    let (agent, path) = (session.agent, &*session.path);
    let format = format_of(agent)?;
    let mut meta = Reading::new(agent, path).session.meta;
    // Version 1 of pi has no ids, and the reader must know which version the record is of.
    meta.format_version = session.format_version;
    let state = ReadState {
        offset: row.offset,
        line: row.line,
        last_entry_id: None,
        records: 1,
        has_header: true,
        open_line: false,
        native: serde_json::Value::Null,
    };
    let mut reading = Reading::resume(Resume { state, meta });
    // Without a line end the reader would parse the record twice, first to check that it is complete.
    raw.push(b'\n');
    format.read(&mut reading, &raw, true);
    raw.pop();
    let mut session = reading.session;
    if session.entries.is_empty() {
        return None;
    }
    Some(RecordAt {
        entry: session.entries.swap_remove(0),
        format,
        meta: session.meta,
        raw,
        body: OnceCell::new(),
    })
}

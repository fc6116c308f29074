//! Lines into entries: the header, version 1's positions, links, and everything that is wrong.

use super::entry::entry_of;
use super::record::{Record, parse};
use crate::Reading;
use crate::jsonl::{self, LineText, mended, plain};
use crate::links::{Link, Resolved};
use crate::measure::head;
use crate::repair::replace_lone_surrogates;
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{Entry, EntryId, EntryIx, EntryKind, Role, SourceSpan, Warning};
use serde_json::value::RawValue;

/// Newest version of the session file that the command line program writes (pi 1.5.2).
const NEWEST_VERSION: u32 = 3;
/// Version of the file that pi's embeddable harness writes (pi-agent-core 0.80 to 1.0).
const HARNESS_VERSION: u32 = 4;
/// What is said of a line with more than one record.
const GLUED: &str = "several records on one line, shown as recovered; pi skips the line";

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    jsonl::read_lines(reading, chunk, at_end, read_line)
}

fn read_line(reading: &mut Reading, line: &[u8]) {
    let number = reading.state.line;
    // The beginning of this line was read before its end was written.
    let continued = reading.state.open_line;
    let line = LineText::of(line, reading.state.offset, number);
    if line.marked {
        let reason = "byte order mark at the beginning; pi would refuse this file";
        warn(reading, number, reason);
    }
    if line.lossy() {
        warn(reading, number, jsonl::NOT_UTF8);
    }
    if line.is_blank() {
        return;
    }
    let (text, source) = (&line.text, line.span);
    if continued {
        warn(reading, number, GLUED);
        // The record read before its line had ended shares the line with others; pi skips them
        // all.
        if let Some(last) = reading.links.last
            && reading.session.entries[last.get()].source.line == number
        {
            disown(reading, last);
        }
        recover(reading, text, source);
    } else if let Some(error) = accept(reading, text, source, false) {
        recover_or_report(reading, text, source, &error);
    }
}

/// Takes one record; returns the parser's complaint when the text is not one JSON value.
fn accept(
    reading: &mut Reading,
    text: &str,
    source: SourceSpan,
    recovered: bool,
) -> Option<serde_json::Error> {
    match parse(text) {
        Ok(record) => take(reading, &record, source, recovered, text),
        Err(error) => match mended(text) {
            None => return Some(error),
            Some(fixed) => match parse(&fixed) {
                Ok(record) => take(reading, &record, source, recovered, &fixed),
                Err(error) => return Some(error),
            },
        },
    }
    None
}

fn recover_or_report(
    reading: &mut Reading,
    text: &str,
    source: SourceSpan,
    error: &serde_json::Error,
) {
    // Two records glued together: the first is complete and is followed by another object.
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let glued = matches!(values.next(), Some(Ok(first)) if first.get().starts_with('{'))
        && text[values.byte_offset()..].trim_start().starts_with('{');
    if glued {
        warn(reading, source.line, GLUED);
        recover(reading, text, source);
    } else {
        let reason = format!("not a JSON record ({}), skipped by pi", plain(error));
        warn(reading, source.line, &reason);
    }
}

/// Takes all complete records of a line that pi skips.
fn recover(reading: &mut Reading, text: &str, source: SourceSpan) {
    let fixed = replace_lone_surrogates(text);
    let mut values = serde_json::Deserializer::from_str(&fixed).into_iter::<&RawValue>();
    while let Some(Ok(value)) = values.next() {
        let piece = value.get();
        let start = values.byte_offset() - piece.len();
        let span = jsonl::part(source, start, piece.len());
        if let Some(error) = accept(reading, piece, span, true) {
            let reason = format!("a record on this line cannot be read ({})", plain(&error));
            warn(reading, source.line, &reason);
        }
    }
    let rest = fixed[values.byte_offset()..].trim();
    if !rest.is_empty() {
        warn(
            reading,
            source.line,
            "the end of the line is not a record, skipped",
        );
    }
}

fn take(
    reading: &mut Reading,
    record: &Record<'_>,
    source: SourceSpan,
    recovered: bool,
    text: &str,
) {
    if !record.is_object {
        warn(
            reading,
            source.line,
            "a JSON value that is not a record, skipped",
        );
        // pi counts it nevertheless, unless it is null, false, 0 or empty text.
        if !recovered && !matches!(text, "null" | "false" | "0" | "\"\"") {
            count(reading, None);
        }
        return;
    }
    let kind = record.harness_kind.as_deref();
    if record.type_name.as_deref() == Some("session") {
        take_header(reading, record, source, recovered);
    } else if record.type_name.0.is_none() && kind == Some("header") {
        take_harness_header(reading, record, source);
    } else if record.type_name.0.is_none() && record.id.0.is_none() && kind.is_none() {
        warn(
            reading,
            source.line,
            "a JSON object that is not a session record, skipped",
        );
        if !recovered {
            count(reading, None);
        }
    } else {
        take_entry(reading, record, source, recovered);
    }
}

fn take_header(reading: &mut Reading, record: &Record<'_>, source: SourceSpan, recovered: bool) {
    if !recovered {
        count(reading, None);
    }
    if reading.state.has_header {
        warn(reading, source.line, "duplicate header, skipped");
        return;
    }
    if !reading.session.entries.is_empty() {
        let reason = "the header is not the first record; pi would refuse this file";
        warn(reading, source.line, reason);
    }
    reading.state.has_header = true;
    reading.session.headers.push(source.line);
    let meta = &mut reading.session.meta;
    meta.native_id = record.id.as_deref().unwrap_or_default().to_owned();
    // Version 1 has no such field.
    let version = record.version.0.map_or(1, |version| version as u32);
    meta.format_version = Some(version);
    meta.cwd = record.cwd.as_deref().map(str::to_owned);
    let parent = record
        .parent_session
        .as_deref()
        .or(record.branched_from.as_deref());
    meta.parent_session = parent.map(str::to_owned);
    meta.created_at_ms = record.timestamp.0;
    if record.id.0.is_none() {
        warn(
            reading,
            source.line,
            "the header has no id; pi would refuse this file",
        );
    }
    if version > NEWEST_VERSION {
        let reason = format!(
            "unsupported version {version} (supported: 1 to {NEWEST_VERSION}); read as version \
             {NEWEST_VERSION}"
        );
        warn(reading, source.line, &reason);
    }
}

fn take_harness_header(reading: &mut Reading, record: &Record<'_>, source: SourceSpan) {
    count(reading, None);
    if reading.state.has_header {
        warn(reading, source.line, "duplicate header, skipped");
        return;
    }
    reading.state.has_header = true;
    reading.session.headers.push(source.line);
    let meta = &mut reading.session.meta;
    meta.native_id = record.id.as_deref().unwrap_or_default().to_owned();
    meta.format_version = Some(record.version.0.map_or(HARNESS_VERSION, |v| v as u32));
    meta.cwd = record.cwd.as_deref().map(str::to_owned);
    let parent = record
        .parent_session_id
        .as_deref()
        .or(record.legacy_parent_path.as_deref());
    meta.parent_session = parent.map(str::to_owned);
    meta.created_at_ms = record.created_at.0;
    warn(
        reading,
        source.line,
        "written by pi's embeddable harness, whose format is not supported; its records are \
         listed without content",
    );
}

fn take_entry(reading: &mut Reading, record: &Record<'_>, source: SourceSpan, recovered: bool) {
    let version = reading
        .session
        .meta
        .format_version
        .unwrap_or(NEWEST_VERSION);
    let ix = EntryIx::new(reading.session.entries.len());
    let id = entry_id(reading, record, source, version);
    let (mut entry, odd) = entry_of(record, id.clone(), source, version);
    entry.recovered = recovered;
    if let Some(reason) = odd {
        warn(reading, source.line, &reason);
    }
    if is_harness(record) {
        let type_name = record.harness_kind.boxed_or_empty();
        entry.preview = head(&type_name);
        entry.kind = EntryKind::Opaque { type_name };
    } else if record.type_name.0.is_none() {
        warn(
            reading,
            source.line,
            "a record without a type, kept as an opaque entry",
        );
    }
    note_session(reading, &entry);
    reading.session.entries.push(entry);
    let waiting = match reading.links.insert(&id, ix) {
        Ok(waiting) => waiting,
        Err(earlier) => {
            let line = reading.session.entries[earlier.get()].source.line + 1;
            let reason =
                format!("duplicate id {id}, first used on line {line}; links lead to that entry");
            warn(reading, source.line, &reason);
            Vec::new()
        }
    };
    link_parent(reading, record, ix, version, source.line);
    link_others(reading, record, ix, version);
    for resolved in waiting {
        resolve(reading, resolved, ix);
    }
    if !recovered {
        count(reading, Some(ix));
        reading.links.last = Some(ix);
        reading.session.active_leaf = Some(ix);
        reading.state.last_entry_id = Some(id.as_str().to_owned());
    }
}

/// True for a record of the harness format, which has a `kind` where others have a `type`.
fn is_harness(record: &Record<'_>) -> bool {
    record.type_name.0.is_none() && record.harness_kind.0.is_some()
}

/// The stored id, or one by line where the format or the record has none.
fn entry_id(
    reading: &mut Reading,
    record: &Record<'_>,
    source: SourceSpan,
    version: u32,
) -> EntryId {
    if version >= 2 {
        if let Some(id) = record.id.as_deref().filter(|id| !id.is_empty()) {
            return id.into();
        }
        if !is_harness(record) {
            warn(
                reading,
                source.line,
                "a record without an id, named by its line",
            );
        }
    }
    match reading.session.entries_on(source.line) {
        0 => format!("line:{}", source.line).into(),
        nth => format!("line:{}.{}", source.line, nth + 1).into(),
    }
}

fn link_parent(reading: &mut Reading, record: &Record<'_>, ix: EntryIx, version: u32, line: u32) {
    // Version 1 has no links: each record follows the one before it.
    if version < 2 || (is_harness(record) && record.parent_id.0.is_none()) {
        let entry = &mut reading.session.entries[ix.get()];
        match reading.links.last {
            Some(last) => entry.parent = Some(last),
            None => {
                entry.missing_parent = reading.state.last_entry_id.as_deref().map(Into::into);
            }
        }
        return;
    }
    let Some(parent_id) = record.parent_id.as_deref().filter(|id| !id.is_empty()) else {
        return;
    };
    let parent_id: EntryId = parent_id.into();
    let found = reading.links.find(&parent_id, ix, Link::Parent);
    let entry = &mut reading.session.entries[ix.get()];
    match found {
        Some(parent) if parent == ix => {
            warn(
                reading,
                line,
                "the entry is its own parent; it is shown as a root",
            );
        }
        Some(parent) => entry.parent = Some(parent),
        None => entry.missing_parent = Some(parent_id),
    }
}

fn link_others(reading: &mut Reading, record: &Record<'_>, ix: EntryIx, version: u32) {
    let entry = &reading.session.entries[ix.get()];
    let (id, link) = match &entry.kind {
        EntryKind::ContextEdit { target_id, .. } | EntryKind::Label { target_id, .. } => {
            (target_id.clone(), Link::Target)
        }
        EntryKind::BranchSummary(summary) => match &summary.from_id {
            // Until pi 0.84.2 the field held the destination, which is the parent.
            Some(id)
                if id.as_str() != "root" && record.parent_id.as_deref() != Some(id.as_str()) =>
            {
                (id.clone(), Link::From)
            }
            _ => return,
        },
        EntryKind::Compaction(compaction) => match &compaction.first_kept_id {
            Some(id) if version >= 2 => (id.clone(), Link::FirstKept),
            _ => {
                // The number counts every record, the header included, as pi's migration to
                // version 2 does.
                if let Some(number) = record.first_kept_index.0.filter(|_| version < 2)
                    && number >= 0.0
                    && let Some(kept) = reading.links.find_record(number as u32, ix)
                {
                    keep_from(reading, ix, kept);
                }
                return;
            }
        },
        _ => return,
    };
    if let Some(to) = reading.links.find(&id, ix, link) {
        resolve(reading, Resolved { from: ix, link }, to);
    }
}

/// Writes a reference whose other end is now known into the entry that holds it.
fn resolve(reading: &mut Reading, resolved: Resolved, to: EntryIx) {
    let from = resolved.from;
    if resolved.link == Link::Parent {
        let entry = &mut reading.session.entries[from.get()];
        entry.missing_parent = None;
        entry.parent = Some(to);
        report_cycle(reading, from, to);
        return;
    }
    match &mut reading.session.entries[from.get()].kind {
        EntryKind::ContextEdit { target, .. } | EntryKind::Label { target, .. } => {
            *target = Some(to);
        }
        EntryKind::BranchSummary(summary) => summary.from = Some(to),
        EntryKind::Compaction(compaction) => compaction.first_kept = Some(to),
        _ => {}
    }
}

/// Version 1 names the first kept entry by its number in the file.
fn keep_from(reading: &mut Reading, compaction: EntryIx, kept: EntryIx) {
    let id = reading.session.entries[kept.get()].id.clone();
    if let EntryKind::Compaction(compaction) = &mut reading.session.entries[compaction.get()].kind {
        compaction.first_kept_id = Some(id);
        compaction.first_kept = Some(kept);
    }
}

/// A cycle closes with the link from one of its entries to the last of them in the file.
fn report_cycle(reading: &mut Reading, from: EntryIx, to: EntryIx) {
    let entries = &reading.session.entries;
    let (mut at, mut first, mut last) = (from, from, from);
    // A bound, since the walk may enter a cycle that `from` is no part of.
    for _ in 0..entries.len() {
        if !reading.links.walk.step() {
            return;
        }
        let Some(parent) = entries[at.get()].parent else {
            return;
        };
        at = parent;
        first = first.min(at);
        last = last.max(at);
        if at == from {
            if last == to {
                let line = entries[first.get()].source.line;
                let reason = "the entry is its own ancestor; its parent link is ignored";
                warn(reading, line, reason);
            }
            return;
        }
    }
}

/// Counts a record by pi's numbering, which version 1 refers to.
fn count(reading: &mut Reading, entry: Option<EntryIx>) {
    reading.state.records += 1;
    for compaction in reading.links.push_record(entry) {
        if let Some(kept) = entry {
            keep_from(reading, compaction, kept);
        }
    }
}

/// Takes an entry back that turned out to share its line with others.
fn disown(reading: &mut Reading, ix: EntryIx) {
    let entries = &mut reading.session.entries;
    entries[ix.get()].recovered = true;
    // pi has not counted it.
    reading.links.pop_record();
    reading.state.records = reading.state.records.saturating_sub(1);
    let before = entries[..ix.get()]
        .iter()
        .rposition(|entry| !entry.recovered);
    // What came before them is not at hand.
    if before.is_none() {
        reading.leads_back();
    }
    reading.links.last = before.map(EntryIx::new);
    reading.session.active_leaf = reading.links.last;
    reading.state.last_entry_id =
        before.map(|at| reading.session.entries[at].id.as_str().to_owned());
}

/// Keeps what the session as a whole takes from its entries.
fn note_session(reading: &mut Reading, entry: &Entry) {
    let meta = &mut reading.session.meta;
    meta.updated_at_ms = meta.updated_at_ms.max(entry.at_ms);
    match &entry.kind {
        EntryKind::SessionInfo { name: Some(name) } => meta.title = Some(head(name).into()),
        EntryKind::SessionInfo { name: None } => {
            meta.title = reading.links.first_words.as_deref().map(str::to_owned);
        }
        EntryKind::Message(Role::User) if reading.links.first_words.is_none() => {
            let title = title_of_prompt(&entry.preview);
            reading.links.first_words = title.as_deref().map(Into::into);
            if meta.title.is_none() {
                meta.title = title;
            }
        }
        _ => {}
    }
}

fn warn(reading: &mut Reading, line: u32, reason: &str) {
    reading.session.warnings.push(Warning {
        line: Some(line),
        reason: reason.to_owned(),
    });
}

/// True when the first record of `head` is a header of pi; blank and broken lines before it are
/// skipped, as in pi, and a header longer than `head` is recognized by its beginning.
pub(super) fn sniff(head: &[u8]) -> bool {
    let head = jsonl::without_mark(head);
    for line in head.split(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if let Ok(record) = parse(text) {
            let is_session = record.type_name.as_deref() == Some("session");
            let is_harness = record.harness_kind.as_deref() == Some("header");
            return record.is_object && record.id.0.is_some() && (is_session || is_harness);
        }
    }
    let start = &head[..head.len().min(4096)];
    let start: String = String::from_utf8_lossy(start).split_whitespace().collect();
    start.starts_with("{\"type\":\"session\",")
}

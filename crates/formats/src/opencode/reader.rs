//! Lines of a document into entries: a message with the parts that follow it is one entry.

use super::entry::{Request, entry_of, request};
use super::value::{filled, items, parse, text, time};
use crate::Reading;
use crate::links::Link;
use crate::measure::head;
use palimpsest_core::entry::{Compaction, Entry};
use palimpsest_core::session::{LinkKind, Merged};
use palimpsest_core::{
    EntryId, EntryIx, EntryKind, MessageSize, Role, SessionLink, SourceSpan, Warning,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::Range;

/// What is remembered between records.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Memory {
    /// First message that was reverted, and whether only some of its parts were.
    revert: Option<(String, bool)>,
    /// True once the messages read are reverted ones.
    hidden: bool,
    /// The newest request for a compaction.
    request: Option<Request>,
    /// The last system prompt seen (0.x), as a hash.
    system: Option<u64>,
}

/// A message whose parts are still coming.
struct Open {
    info: Value,
    parts: Vec<Value>,
    source: SourceSpan,
    part_lines: Vec<u32>,
    warnings: Vec<Warning>,
}

/// A line of the document.
struct Line<'a> {
    number: u32,
    offset: u64,
    bytes: &'a [u8],
}

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
///
/// A message is taken when the next record shows that no further part belongs to it, or at the
/// end; until then it stays unread.
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    reading.partial_line = None;
    let mut memory: Memory =
        serde_json::from_value(reading.state.native.clone()).unwrap_or_default();
    let start = reading.state.offset;
    let mut taken = 0;
    let mut open: Option<Open> = None;
    let mut kept = (0, reading.state.line);
    let mut number = reading.state.line;
    let mut ended = true;
    while taken < chunk.len() {
        let Some(range) = line_at(chunk, taken, at_end) else {
            break;
        };
        let next = (range.end + 1).min(chunk.len());
        ended = range.end < chunk.len();
        let line = Line {
            number,
            offset: start + taken as u64,
            bytes: &chunk[range],
        };
        if !ended && !is_whole(line.bytes) {
            reading.partial_line = Some(Warning {
                line: Some(number),
                reason: "the last line is not a complete record; it is left for later".to_owned(),
            });
            ended = true;
            break;
        }
        if !line.bytes.trim_ascii().is_empty() {
            take_line(reading, &mut memory, &mut open, &line);
        }
        // Up to where nothing has to be read again.
        match &open {
            Some(message) if message.source.line == number => kept = (taken, number),
            Some(_) => {}
            None => kept = (next, number + u32::from(ended)),
        }
        taken = next;
        number += u32::from(ended);
    }
    if at_end {
        if let Some(open) = open.take() {
            take_message(reading, &mut memory, open);
        }
        kept = (taken, number);
    }
    reading.state.offset = start + kept.0 as u64;
    reading.state.line = kept.1;
    reading.state.open_line = !ended;
    if let Ok(native) = serde_json::to_value(&memory) {
        reading.state.native = native;
    }
    kept.0
}

/// The line that begins at `from`, without its end; `None` when its end is still to come.
fn line_at(chunk: &[u8], from: usize, at_end: bool) -> Option<Range<usize>> {
    match memchr::memchr(b'\n', &chunk[from..]) {
        Some(length) => Some(from..from + length),
        None => at_end.then_some(from..chunk.len()),
    }
}

fn is_whole(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    text.trim().is_empty() || parse(text.trim()).is_ok()
}

fn take_line(reading: &mut Reading, memory: &mut Memory, open: &mut Option<Open>, line: &Line<'_>) {
    let leading = line.bytes.len() - line.bytes.trim_ascii_start().len();
    let bytes = line.bytes.trim_ascii();
    let source = SourceSpan {
        line: line.number,
        offset: line.offset + leading as u64,
        len: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
    };
    let text_of_line = String::from_utf8_lossy(bytes);
    let mut warnings = Vec::new();
    let mut warn = |reason: String| {
        warnings.push(Warning {
            line: Some(line.number),
            reason,
        });
    };
    if matches!(text_of_line, std::borrow::Cow::Owned(_)) {
        warn("not valid UTF-8; the bad bytes are shown as U+FFFD".to_owned());
    }
    let record = match parse(&text_of_line) {
        Ok(record) if record.is_object() => Some(record),
        Ok(_) => {
            warn("a JSON value that is not a record; left out".to_owned());
            None
        }
        Err(error) => {
            let at = format!(" at line 1 column {}", error.column());
            let error = error.to_string();
            let plain = error.strip_suffix(&at).unwrap_or(&error);
            warn(format!("not a JSON record ({plain}); it is left out"));
            None
        }
    };
    let Some(record) = record else {
        // Parts of the open message may follow.
        match open {
            Some(open) => open.warnings.append(&mut warnings),
            None => reading.session.warnings.append(&mut warnings),
        }
        return;
    };
    if let (Some(of), Some(message)) = (filled(&record, "messageID"), open.as_mut())
        && text(&message.info, "id") == of
    {
        message.warnings.append(&mut warnings);
        message.part_lines.push(line.number);
        let end = source.offset + u64::from(source.len);
        message.source.len = u32::try_from(end - message.source.offset).unwrap_or(u32::MAX);
        message.parts.push(record);
        return;
    }
    if let Some(message) = open.take() {
        take_message(reading, memory, message);
    }
    reading.session.warnings.append(&mut warnings);
    if filled(&record, "role").is_some() {
        *open = Some(Open {
            info: record,
            parts: Vec::new(),
            source,
            part_lines: Vec::new(),
            warnings: Vec::new(),
        });
    } else if let Some(of) = filled(&record, "messageID") {
        let reason = format!(
            "a part ({}) of message {of}, which is not there or cannot be read; left out",
            text(&record, "type")
        );
        warn_at(reading, line.number, reason);
    } else if record.get("todos").is_some() {
        take_todos(reading, &record, source);
    } else if filled(&record, "type").is_some() {
        take_other(reading, &record, source);
    } else {
        take_session(reading, memory, &record, line.number);
    }
}

fn warn_at(reading: &mut Reading, line: u32, reason: String) {
    reading.session.warnings.push(Warning {
        line: Some(line),
        reason,
    });
}

/// The session's own record: the columns of its row, or its JSON file.
fn take_session(reading: &mut Reading, memory: &mut Memory, record: &Value, line: u32) {
    let id = text(record, "id");
    if !id.starts_with("ses") && record.get("time").is_none() {
        let reason = "a JSON object that is not a session's record; left out";
        warn_at(reading, line, reason.to_owned());
        return;
    }
    if reading.state.has_header {
        let reason = "a second record of the session; the first one counts";
        warn_at(reading, line, reason.to_owned());
        return;
    }
    reading.state.has_header = true;
    reading.session.headers.push(line);
    let either = |one: &str, other: &str| {
        filled(record, one)
            .or_else(|| filled(record, other))
            .map(str::to_owned)
    };
    let meta = &mut reading.session.meta;
    meta.native_id = id.to_owned();
    meta.cwd = either("directory", "directory");
    if let Some(title) = either("title", "title") {
        meta.title = Some(title);
    }
    meta.agent_version = either("version", "version");
    meta.created_at_ms = time(record, "created");
    meta.updated_at_ms = meta.updated_at_ms.max(time(record, "updated"));
    meta.parent_session = either("parentID", "parent_id");
    if let Some(parent) = meta.parent_session.clone() {
        meta.parent_kind = Some(LinkKind::SubagentOf);
        reading.session.links.push(SessionLink {
            kind: LinkKind::SubagentOf,
            native_id: parent,
            path: None,
            at: None,
            label: None,
        });
    }
    if let Some(revert) = record.get("revert")
        && let Some(message) = filled(revert, "messageID")
    {
        let partly = filled(revert, "partID").is_some();
        memory.revert = Some((message.to_owned(), partly));
    }
}

fn take_message(reading: &mut Reading, memory: &mut Memory, open: Open) {
    let Open {
        info,
        parts,
        source,
        part_lines,
        mut warnings,
    } = open;
    reading.session.warnings.append(&mut warnings);
    let answered = memory.request.clone().filter(|request| {
        let parent = text(&info, "parentID");
        parent.is_empty() || parent == request.id
    });
    let mut entry = entry_of(&info, &parts, source, answered.as_ref());
    drop_known_system(memory, &info, &mut entry);
    if entry.id.as_str().is_empty() {
        entry.id = format!("line:{}", source.line).into();
        let reason = "a message without an id; it is named by its line".to_owned();
        warn_at(reading, source.line, reason);
    }
    if parts.is_empty() {
        let reason = "a message without parts; it is not sent".to_owned();
        warn_at(reading, source.line, reason);
    }
    if let Some(request) = request(&info, &parts) {
        memory.request = Some(request);
    }
    // What was reverted to part of is itself still there (1.18, `SessionRevert.cleanup`).
    let reverted = memory.revert.as_ref();
    let at_revert = reverted.filter(|(first, _)| entry.id.as_str() == first);
    memory.hidden |= at_revert.is_some_and(|(_, partly)| !partly);
    let hides_rest = at_revert.is_some();
    measure_compactions(reading, &mut entry);
    note_in_meta(reading, &entry, &info);
    let ix = push(reading, entry, memory.hidden);
    memory.hidden |= hides_rest;
    let merged = part_lines.into_iter().map(|line| Merged { line, into: ix });
    reading.session.merged.extend(merged);
    let subagents = parts.iter().filter_map(|part| subagent(part, ix));
    reading.session.links.extend(subagents);
}

/// The system prompt is the same with every reply; it is told where it changes.
fn drop_known_system(memory: &mut Memory, info: &Value, entry: &mut Entry) {
    if entry.messages.first().map(|size| size.role) != Some(Role::System) {
        return;
    }
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for prompt in items(info, "system").iter().filter_map(Value::as_str) {
        for byte in prompt.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    if memory.system.replace(hash) == Some(hash) {
        entry.messages.remove(0);
    }
}

/// A summary follows the largest context; what is left of it shows in the next request. Neither
/// is stored with the summary, so the replies before and after it tell.
fn measure_compactions(reading: &mut Reading, entry: &mut Entry) {
    let mut earlier = reading.session.entries.iter_mut().rev();
    match &mut entry.kind {
        EntryKind::Compaction(compaction) => {
            compaction.tokens_before = earlier
                .find(|earlier| earlier.usage_trusted)
                .and_then(|earlier| earlier.usage)
                .map(|usage| usage.context_tokens());
        }
        EntryKind::Message(Role::Assistant) if entry.usage_trusted => {
            let newest = earlier.find_map(|earlier| match &mut earlier.kind {
                EntryKind::Compaction(compaction) => Some(Some(compaction)),
                _ => earlier.usage_trusted.then_some(None),
            });
            if let (Some(Some(Compaction { tokens_after, .. })), Some(usage)) =
                (newest, entry.usage)
            {
                // Of a reply in several steps the figures are sums; its first request is unknown.
                let request = usage.input + usage.cache_read + usage.cache_write;
                *tokens_after = Some(request.min(usage.context_tokens()));
            }
        }
        _ => {}
    }
}

fn note_in_meta(reading: &mut Reading, entry: &Entry, info: &Value) {
    let meta = &mut reading.session.meta;
    let newest = entry.at_ms.max(time(info, "completed"));
    meta.updated_at_ms = meta.updated_at_ms.max(newest);
    if meta.native_id.is_empty() {
        meta.native_id = text(info, "sessionID").to_owned();
    }
    if meta.cwd.is_none() {
        meta.cwd = info
            .get("path")
            .and_then(|path| filled(path, "cwd"))
            .map(str::to_owned);
    }
    if meta.title.is_none()
        && entry.kind == EntryKind::Message(Role::User)
        && !entry.preview.is_empty()
    {
        meta.title = Some(entry.preview.to_string());
    }
}

/// Appends an entry to the chain, and resolves what refers to it or from it.
fn push(reading: &mut Reading, mut entry: Entry, hidden: bool) -> EntryIx {
    let ix = EntryIx::new(reading.session.entries.len());
    match reading.links.last {
        Some(last) => entry.parent = Some(last),
        None => entry.missing_parent = reading.state.last_entry_id.as_deref().map(Into::into),
    }
    let id = entry.id.clone();
    let line = entry.source.line;
    if let EntryKind::Compaction(compaction) = &mut entry.kind {
        compaction.first_kept = match &compaction.first_kept_id {
            Some(tail) => reading.links.find(tail, ix, Link::FirstKept),
            None => Some(ix),
        };
        if compaction.first_kept.is_none() {
            let reason = "the summary keeps messages from one on that is not there".to_owned();
            warn_at(reading, line, reason);
        }
    }
    reading.session.entries.push(entry);
    if let Err(earlier) = reading.links.insert(&id, ix) {
        let first = reading.session.entries[earlier.get()].source.line;
        let reason = format!("the id {id} was used before, on line {first}");
        warn_at(reading, line, reason);
    }
    reading.links.last = Some(ix);
    reading.state.records += 1;
    reading.state.last_entry_id = Some(id.as_str().to_owned());
    if !hidden {
        reading.session.active_leaf = Some(ix);
    }
    ix
}

/// The session that a task call started.
fn subagent(part: &Value, at: EntryIx) -> Option<SessionLink> {
    if text(part, "type") != "tool" {
        return None;
    }
    let state = part.get("state")?;
    let child = filled(state.get("metadata")?, "sessionId")?;
    let kind = state
        .get("input")
        .and_then(|input| filled(input, "subagent_type"));
    Some(SessionLink {
        kind: LinkKind::Subagent,
        native_id: child.to_owned(),
        path: None,
        at: Some(at),
        label: kind.map(Into::into),
    })
}

/// The list of things to do, which is stored beside the messages and replaced as a whole.
fn take_todos(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let open = items(record, "todos")
        .iter()
        .filter(|todo| !matches!(text(todo, "status"), "completed" | "cancelled"));
    let preview = format!(
        "{} to do, {} open",
        items(record, "todos").len(),
        open.count()
    );
    let kind = EntryKind::Custom {
        custom_type: "todo".into(),
    };
    push_aside(reading, kind, "todo", &preview, record, source);
}

/// A record of a kind we do not know: kept, so that nothing is lost.
fn take_other(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let type_name = text(record, "type");
    let kind = EntryKind::Opaque {
        type_name: type_name.into(),
    };
    push_aside(reading, kind, type_name, type_name, record, source);
}

/// Hangs a record that is no part of the conversation on the message where the agent would go on.
fn push_aside(
    reading: &mut Reading,
    kind: EntryKind,
    name: &str,
    preview: &str,
    record: &Value,
    source: SourceSpan,
) {
    let ix = EntryIx::new(reading.session.entries.len());
    let id: EntryId = match filled(record, "id") {
        Some(id) => id.into(),
        None => format!("{name}:{}", source.line).into(),
    };
    let messages = match kind {
        EntryKind::Custom { .. } => vec![MessageSize {
            role: Role::User,
            native_role: "todo",
            estimate: 0,
            units: Vec::new(),
            tool_name: None,
            sent: false,
        }],
        _ => Vec::new(),
    };
    let parent = reading.session.active_leaf.or(reading.links.last);
    reading.session.entries.push(Entry {
        id: id.clone(),
        parent,
        missing_parent: None,
        kind,
        at_ms: time(record, "updated").or_else(|| time(record, "created")),
        source,
        messages,
        tool_calls: Vec::new(),
        usage: None,
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        model: None,
        preview: head(preview),
        recovered: false,
        sidechain: false,
    });
    if let Err(earlier) = reading.links.insert(&id, ix) {
        let first = reading.session.entries[earlier.get()].source.line;
        let reason = format!("the id {id} was used before, on line {first}");
        warn_at(reading, source.line, reason);
    }
}

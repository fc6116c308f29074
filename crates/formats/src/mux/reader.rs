//! Lines of a document into entries: rows, what was sent with requests, and what lies beside.

use super::attachments;
use super::entry::{INTERRUPTED, PARTIAL, Place, entry_of, entry_of_run, tool_usages};
use super::journal;
use super::places;
use super::row::{self, Asked, Kind, REQUEST, WORKSPACE};
use super::spoken::{Spoken, agent_switch, request, spoken};
use super::steps::runs;
use super::usage::usage;
use crate::Reading;
use crate::blank_entry::blank_entry;
use crate::json::{count, field, filled, items, mended, text, time};
use crate::jsonl::{LineText, NOT_UTF8, plain, read_lines};
use crate::measure::head;
use crate::time::parse_iso;
use palimpsest_core::entry::Entry;
use palimpsest_core::session::{LinkKind, Merged, SourcePart};
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{EntryId, EntryIx, EntryKind, Role, SessionLink, SourceSpan, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// What is remembered between lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    /// The agent mode of the last answer that a request holds.
    agent: Option<String>,
    /// The newest request for a summary that has no summary yet.
    asked: Option<Asked>,
    /// The prompt that Mux sends behind the last summary.
    follow_up: Option<String>,
    /// The last size that was reported since the newest boundary, in tokens.
    size: Option<u64>,
    /// True once a system prompt was sent.
    prompted: bool,
    /// True once the title is that of the configuration or of a prompt.
    named: bool,
}

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    let mut memory: Memory =
        serde_json::from_value(reading.state.native.clone()).unwrap_or_default();
    let read = read_lines(reading, chunk, at_end, |reading, line| {
        take_line(reading, &mut memory, line);
    });
    let read = if at_end && reading.partial_line.is_some() {
        read + take_rest(reading, &chunk[read..])
    } else {
        read
    };
    if let Ok(native) = serde_json::to_value(&memory) {
        reading.state.native = native;
    }
    read
}

/// Reads a last line that is no record and holds parts of a row, as the bytes of an entry do.
fn take_rest(reading: &mut Reading, rest: &[u8]) -> usize {
    let line = LineText::of(rest, reading.state.offset, reading.state.line);
    let Some(parts) = row::bare_parts(&mended(&line.text)) else {
        return 0;
    };
    take_bare(reading, &parts, line.span);
    reading.partial_line = None;
    reading.state.offset += rest.len() as u64;
    reading.state.open_line = true;
    rest.len()
}

fn warn(reading: &mut Reading, line: u32, reason: String) {
    reading.session.warnings.push(Warning {
        line: Some(line),
        reason,
    });
}

fn take_line(reading: &mut Reading, memory: &mut Memory, line: &[u8]) {
    let line = LineText::of(line, reading.state.offset, reading.state.line);
    if line.is_blank() {
        return;
    }
    let number = line.span.line;
    if line.lossy() {
        warn(reading, number, NOT_UTF8.to_owned());
    }
    let whole = mended(&line.text);
    let record = match serde_json::from_str::<Value>(&whole) {
        Ok(record) if record.is_object() => record,
        Ok(_) => {
            let reason = "a JSON value that is not a record, skipped";
            return warn(reading, number, reason.to_owned());
        }
        Err(error) => {
            return match row::bare_parts(&whole) {
                Some(parts) => take_bare(reading, &parts, line.span),
                None => {
                    let reason = format!("not a JSON record ({}), skipped", plain(&error));
                    warn(reading, number, reason);
                }
            };
        }
    };
    if row::is_part(&record) {
        return take_bare(reading, &[record], line.span);
    }
    if filled(&record, "role").is_some() || field(&record, "parts").is_array() {
        return take_row(reading, memory, &record, &line, &whole);
    }
    match text(&record, "type") {
        WORKSPACE if field(&record, "workspace").is_object() => {
            take_workspace(reading, memory, &record, number);
        }
        REQUEST => take_request(reading, memory, &record, line.span),
        _ if filled(&record, "kind").is_some() && record.get("data").is_some() => {
            take_event(reading, &record, line.span);
        }
        _ if field(&record, "usage").is_object() => take_usage(reading, &record, line.span),
        _ => take_other(reading, &record, line.span),
    }
}

/// What the configuration says of the workspace.
fn take_workspace(reading: &mut Reading, memory: &mut Memory, record: &Value, line: u32) {
    reading.session.headers.push(line);
    if reading.state.has_header {
        return warn(
            reading,
            line,
            "duplicate workspace record, skipped".to_owned(),
        );
    }
    reading.state.has_header = true;
    let workspace = field(record, "workspace");
    let of = |key: &str| filled(workspace, key).map(str::to_owned);
    let meta = &mut reading.session.meta;
    if let Some(id) = of("id") {
        meta.native_id = id;
    }
    meta.cwd = of("path").or_else(|| filled(record, "project").map(str::to_owned));
    meta.created_at_ms = filled(workspace, "createdAt").and_then(parse_iso);
    meta.parent_session = of("parentWorkspaceId");
    meta.parent_kind = meta.parent_session.as_ref().map(|_| LinkKind::SubagentOf);
    // A workspace without a title is called by the name of its branch until the first prompt.
    memory.named = of("title").is_some();
    meta.title = of("title").or_else(|| of("name"));
    let runtime = text(field(workspace, "runtimeConfig"), "type");
    if let Some(branch) = of("name").filter(|_| runtime == "worktree") {
        meta.on_branch(&branch);
    }
}

/// The system prompt and the attachments of a request.
fn take_request(reading: &mut Reading, memory: &mut Memory, record: &Value, source: SourceSpan) {
    let kind = EntryKind::Custom {
        custom_type: REQUEST.into(),
    };
    let mut entry = blank_entry(kind, source);
    entry.id = match count(record, "requestHistorySequence") {
        Some(place) => format!("{REQUEST}-{place}").into(),
        None => format!("line:{}", source.line).into(),
    };
    entry.messages = request(record).iter().map(Spoken::size).collect();
    for size in &mut entry.messages {
        if size.role == Role::System {
            // One prompt is sent in place of another, so only the first adds to what was sent.
            if memory.prompted {
                size.estimate = 0;
            }
            memory.prompted = true;
        }
    }
    let attached = field(record, "attachments");
    entry.preview = if attached.is_null() {
        head("system prompt")
    } else {
        head(&format!("sent again: {}", attachments::preview(attached)))
    };
    push(reading, entry);
}

/// A line of the journal. Those about requests are in the rows and in the records above; of others
/// nothing is known.
fn take_event(reading: &mut Reading, record: &Value, source: SourceSpan) {
    if text(record, "kind") == journal::REQUEST {
        reading.session.headers.push(source.line);
        return;
    }
    let kind = EntryKind::Opaque {
        type_name: text(record, "kind").into(),
    };
    let mut entry = blank_entry(kind, source);
    entry.at_ms = time(record, "ts");
    entry.preview = head(text(record, "kind"));
    push_aside(reading, entry, filled(record, "id"));
}

/// Usage of a request that left no row.
fn take_usage(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let purpose = filled(record, "source").unwrap_or("request");
    let kind = EntryKind::UsageRecord {
        purpose: purpose.into(),
    };
    let mut entry = blank_entry(kind, source);
    entry.at_ms = time(record, "timestamp");
    entry.usage = usage(record);
    entry.model = filled(record, "model").map(row::model_named);
    entry.preview = head(purpose);
    push_aside(reading, entry, None);
}

/// A record of a kind that is not known: kept, so that nothing is lost.
fn take_other(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let type_name = text(record, "type");
    let kind = EntryKind::Opaque {
        type_name: type_name.into(),
    };
    let mut entry = blank_entry(kind, source);
    entry.preview = head(type_name);
    push_aside(reading, entry, filled(record, "id"));
}

/// Parts whose row is damaged or elsewhere.
fn take_bare(reading: &mut Reading, parts: &[Value], source: SourceSpan) {
    let mut entry = entry_of_run(&Value::Null, parts, source, Place::Between);
    entry.id = format!("line:{}", source.line).into();
    let reason = "parts without their row, named by their line";
    warn(reading, source.line, reason.to_owned());
    push(reading, entry);
}

fn take_row(
    reading: &mut Reading,
    memory: &mut Memory,
    record: &Value,
    line: &LineText<'_>,
    whole: &str,
) {
    let number = line.span.line;
    let id: EntryId = match filled(record, "id") {
        Some(id) => id.into(),
        None => {
            let reason = "a row without an id, named by its line";
            warn(reading, number, reason.to_owned());
            format!("line:{number}").into()
        }
    };
    if let Some(into) = reading.links.known(&id) {
        let first = reading.session.entry(into).source.line + 1;
        let reason = format!("duplicate id {id}, first used on line {first}; left out");
        warn(reading, number, reason);
        reading.session.merged.push(Merged { line: number, into });
        return;
    }
    let kind = row::kind(record);
    let first = EntryIx::new(reading.session.entries.len());
    let parts = items(record, "parts");
    let split = match kind {
        Kind::Reply if !line.lossy() => places_of_runs(parts, whole),
        _ => None,
    };
    match split {
        Some(places) => {
            let last = places.len() - 1;
            for (number, (run, place)) in places.into_iter().enumerate() {
                let source = line.part(place.start, place.len());
                let run = &parts[run];
                let (place, own) = match number {
                    0 => (Place::First { alone: last == 1 }, id.clone()),
                    _ => (Place::Between, format!("{id}.{}", number + 1).into()),
                };
                let place = if number == last { Place::Last } else { place };
                let mut entry = entry_of_run(record, run, source, place);
                entry.id = own;
                let ix = push(reading, entry);
                link_subagents(reading, run, ix);
            }
        }
        None => {
            let mut entry = entry_of(record, line.span, memory.asked.as_ref());
            entry.id = id;
            prepare(reading, memory, record, kind, &mut entry);
            let ix = push(reading, entry);
            link_subagents(reading, parts, ix);
        }
    }
    let last = EntryIx::new(reading.session.entries.len() - 1);
    // Mux moves an answer out of the file of the one being streamed when it ends.
    let end = &mut reading.session.entries[last.get()];
    if end.stop_reason.as_deref() == Some(PARTIAL) && !is_streamed(&reading.session.parts, number) {
        end.stop_reason = Some(INTERRUPTED.into());
    }
    reading.session.active_leaf = Some(last);
    note_in_meta(reading, memory, record, kind, first);
    remember(reading, memory, record, kind, (first, last));
    for (number, (purpose, model, spent)) in tool_usages(record).into_iter().enumerate() {
        let kind = EntryKind::UsageRecord {
            purpose: purpose.as_str().into(),
        };
        let mut entry = blank_entry(kind, line.span);
        entry.at_ms = reading.session.entry(last).at_ms;
        entry.usage = Some(spent);
        entry.model = model.map(row::model_named);
        entry.preview = head(&purpose);
        let id = format!("{}.usage{}", reading.session.entry(first).id, number + 1);
        push_aside(reading, entry, Some(&id));
    }
}

/// The runs of a reply with where they stand in its line; `None` for a reply of one run.
fn places_of_runs(
    parts: &[Value],
    whole: &str,
) -> Option<Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>> {
    let runs = runs(parts);
    if runs.len() < 2 {
        return None;
    }
    let places = row::places_of_parts(whole)?;
    let placed = runs.into_iter().map(|run| {
        let (first, last) = (places.get(run.start)?, places.get(run.end.checked_sub(1)?)?);
        Some((run, first.start..last.end))
    });
    placed.collect()
}

/// What the rows before it make of a row.
fn prepare(reading: &Reading, memory: &mut Memory, record: &Value, kind: Kind, entry: &mut Entry) {
    match kind {
        Kind::Synthetic => {
            // The prompt that waited for a compaction is the user's own.
            let waited = memory.follow_up.take();
            let own = waited.is_some_and(|waited| says(record, &waited));
            if own {
                entry.messages = spoken(Kind::Prompt, items(record, "parts"))
                    .iter()
                    .map(Spoken::size)
                    .collect();
            }
        }
        Kind::Summary { durable } => {
            if let EntryKind::Compaction(compaction) = &mut entry.kind {
                compaction.tokens_before = memory.size;
                let own = EntryIx::new(reading.session.entries.len());
                // What an old summary replaced was deleted, so all that is left before it is sent.
                let is_first = reading.session.entries.is_empty();
                compaction.first_kept = if durable || is_first {
                    Some(own)
                } else {
                    Some(EntryIx::new(0))
                };
            }
        }
        _ => {}
    }
    let answers = matches!(
        kind,
        Kind::Prompt | Kind::Synthetic | Kind::CompactionRequest
    );
    let asked_of = row::agent_of(record);
    if answers
        && let (Some(last), Some(own)) = (&memory.agent, asked_of)
        && last != own
    {
        entry.messages.insert(0, agent_switch(record).size());
    }
}

fn says(record: &Value, words: &str) -> bool {
    let texts = items(record, "parts").iter().map(|part| text(part, "text"));
    texts.collect::<String>().trim() == words.trim()
}

/// What later rows need to know of this one.
fn remember(
    reading: &mut Reading,
    memory: &mut Memory,
    record: &Value,
    kind: Kind,
    (first, last): (EntryIx, EntryIx),
) {
    match kind {
        Kind::CompactionRequest => memory.asked = Some(Asked::by(record)),
        Kind::Summary { .. } => {
            memory.asked = None;
            memory.agent = row::agent_of(record).map(str::to_owned);
            memory.follow_up = row::follow_up(record).map(str::to_owned);
            memory.size = None;
        }
        Kind::Reset => {
            memory.agent = None;
            memory.size = None;
        }
        Kind::Reply => {
            let entry = reading.session.entry(last);
            let is_sent = entry.messages.iter().any(|size| size.sent);
            // An answer that says nothing is left out of requests.
            if is_sent {
                memory.agent = row::agent_of(record).map(str::to_owned);
            }
            if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
                memory.size = Some(usage.context_tokens());
                measure_compaction(reading, first);
            }
        }
        _ => {}
    }
}

/// The first answer behind a summary tells how large the context has become; Mux's own figure leaves
/// the tools out. Where the first request that is known is a later one of the turn, what the turn
/// added before it is taken off.
fn measure_compaction(reading: &mut Reading, first: EntryIx) {
    let (earlier, answer) = reading.session.entries.split_at_mut(first.get());
    let mut added = 0;
    let mut request = None;
    for entry in answer {
        if let Some(usage) = entry.usage.filter(|_| entry.usage_trusted) {
            let size = usage.context_tokens().saturating_sub(usage.output);
            request = Some(size.saturating_sub(added));
            break;
        }
        added += entry.estimate();
    }
    let mut earlier = earlier
        .iter_mut()
        .rev()
        .take_while(|earlier| !earlier.usage_trusted);
    let newest = earlier.find_map(|earlier| match &mut earlier.kind {
        EntryKind::Compaction(compaction) => Some(compaction),
        _ => None,
    });
    if let (Some(compaction), Some(request)) = (newest, request) {
        compaction.tokens_after = Some(request);
    }
}

fn note_in_meta(
    reading: &mut Reading,
    memory: &mut Memory,
    record: &Value,
    kind: Kind,
    first: EntryIx,
) {
    let newest = reading.session.entries[first.get()..].iter();
    let newest = newest.filter_map(|entry| entry.at_ms).max();
    let entry = reading.session.entry(first);
    let is_typed = entry.messages.iter().any(|size| size.native_role == "user");
    let prompt = (kind == Kind::Prompt || is_typed).then(|| entry.preview.clone());
    let started = entry.at_ms;
    let meta = &mut reading.session.meta;
    meta.updated_at_ms = meta.updated_at_ms.max(newest);
    meta.created_at_ms = meta.created_at_ms.or(started);
    if meta.native_id.is_empty() {
        meta.native_id = text(record, "workspaceId").to_owned();
    }
    if let Some(prompt) = prompt
        && !memory.named
        && let Some(title) = title_of_prompt(&prompt)
    {
        memory.named = true;
        meta.title = Some(title);
    }
}

fn link_subagents(reading: &mut Reading, parts: &[Value], at: EntryIx) {
    for (id, kind) in row::started(parts) {
        reading.session.links.push(SessionLink {
            kind: LinkKind::Subagent,
            native_id: id,
            path: None,
            at: Some(at),
            label: kind.map(Into::into),
        });
    }
}

/// Appends an entry to the chain.
fn push(reading: &mut Reading, mut entry: Entry) -> EntryIx {
    let ix = EntryIx::new(reading.session.entries.len());
    match reading.links.last {
        Some(last) => entry.parent = Some(last),
        None => entry.missing_parent = reading.state.last_entry_id.as_deref().map(Into::into),
    }
    let (id, line) = (entry.id.clone(), entry.source.line);
    reading.session.entries.push(entry);
    register(reading, &id, ix, line);
    reading.links.last = Some(ix);
    reading.state.records += 1;
    reading.state.last_entry_id = Some(id.as_str().to_owned());
    ix
}

/// Hangs an entry that is no part of the conversation on the row where Mux would go on.
fn push_aside(reading: &mut Reading, mut entry: Entry, id: Option<&str>) {
    let ix = EntryIx::new(reading.session.entries.len());
    let line = entry.source.line;
    entry.id = match id {
        Some(id) => id.into(),
        None => format!("line:{line}").into(),
    };
    entry.parent = reading.session.active_leaf.or(reading.links.last);
    if entry.parent.is_none() {
        entry.missing_parent = reading.state.last_entry_id.as_deref().map(Into::into);
    }
    let id = entry.id.clone();
    reading.session.entries.push(entry);
    register(reading, &id, ix, line);
}

/// True for a line of the file with the answer that is being streamed.
fn is_streamed(parts: &[SourcePart], line: u32) -> bool {
    let part = parts.iter().rev().find(|part| part.line <= line);
    part.is_some_and(|part| Path::new(&part.path).ends_with(places::PARTIAL))
}

fn register(reading: &mut Reading, id: &EntryId, ix: EntryIx, line: u32) {
    if let Err(earlier) = reading.links.insert(id, ix) {
        let first = reading.session.entry(earlier).source.line + 1;
        let reason = format!("duplicate id {id}, first used on line {first}");
        warn(reading, line, reason);
    }
}

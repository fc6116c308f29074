//! Lines of a document into entries: the chat, then its messages.

use super::entry::entry_of;
use super::parts::{CLEARED, children, is_deleted};
use crate::Reading;
use crate::json::{count, field, filled, mended, text};
use crate::jsonl::{LineText, NOT_UTF8, plain, read_lines};
use crate::time::parse_iso;
use palimpsest_core::entry::Entry;
use palimpsest_core::session::{LinkKind, Merged};
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{
    EntryId, EntryIx, EntryKind, Role, Session, SessionLink, SourceSpan, Tree, Warning,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The type of a line about the context window, which the assembly writes.
pub(super) const WINDOW: &str = "window";
/// What stands before the window in the first words of its entry.
const WORDS: &str = "window of ";

/// The model's window in tokens at `at`.
pub(super) fn window(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Option<u64> {
    let mut next = at;
    // Read from the preview, because an entry has no field for a window.
    while let Some(ix) = next {
        let entry = session.entry(ix);
        let is_window =
            matches!(&entry.kind, EntryKind::Custom { custom_type } if **custom_type == *WINDOW);
        if let Some(rest) = entry.preview.strip_prefix(WORDS).filter(|_| is_window) {
            return rest.strip_suffix(" tokens")?.parse().ok();
        }
        next = tree.parent(ix);
    }
    None
}

/// What is remembered between lines.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Memory {
    /// True once the session has a title.
    named: bool,
    /// True once the chat's own record was read.
    chat: bool,
    /// The newest of the rows that the user took back, where they go on.
    taken_back: Option<String>,
}

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    let mut memory: Memory =
        serde_json::from_value(reading.state.native.clone()).unwrap_or_default();
    let read = read_lines(reading, chunk, at_end, |reading, line| {
        take_line(reading, &mut memory, line);
    });
    if let Ok(native) = serde_json::to_value(&memory) {
        reading.state.native = native;
    }
    read
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
    let record = match serde_json::from_str::<Value>(&mended(&line.text)) {
        Ok(record) if record.is_object() => record,
        Ok(_) => {
            let reason = "a JSON value that is not a record, skipped";
            return warn(reading, number, reason.to_owned());
        }
        Err(error) => {
            let reason = format!("not a JSON record ({}), skipped", plain(&error));
            return warn(reading, number, reason);
        }
    };
    if text(&record, "type") == WINDOW && record.get("role").is_none() {
        return take_window(reading, &record, line.span);
    }
    if record.get("role").is_none() && record.get("content").is_none() {
        return take_chat(reading, memory, &record, number);
    }
    let mut entry = entry_of(&record, line.span);
    let id = field(&record, "id");
    entry.id = match (id.as_i64(), id.as_str()) {
        (Some(id), _) => id.to_string().into(),
        (None, Some(id)) if !id.is_empty() => id.into(),
        _ => format!("line:{number}").into(),
    };
    if let Some(into) = reading.links.known(&entry.id) {
        let first = reading.session.entry(into).source.line + 1;
        let reason = format!(
            "duplicate id {}, first used on line {first}; left out",
            entry.id
        );
        warn(reading, number, reason);
        reading.session.merged.push(Merged { line: number, into });
        return;
    }
    note_in_meta(reading, memory, &record, &entry);
    if is_deleted(&record) {
        return push_aside(reading, memory, entry);
    }
    memory.taken_back = None;
    push(reading, entry);
}

/// Adds what the user took back: a branch of its own, which the conversation does not go on from.
fn push_aside(reading: &mut Reading, memory: &mut Memory, mut entry: Entry) {
    let ix = EntryIx::new(reading.session.entries.len());
    let above = memory.taken_back.as_deref().map(EntryId::from);
    let above = above.and_then(|id| reading.links.known(&id));
    entry.parent = above.or(reading.links.last);
    memory.taken_back = Some(entry.id.as_str().to_owned());
    let id = entry.id.clone();
    reading.session.entries.push(entry);
    // Ids that are in use were left out before.
    let _ = reading.links.insert(&id, ix);
    reading.state.records += 1;
}

/// The window of the messages that follow.
fn take_window(reading: &mut Reading, record: &Value, source: SourceSpan) {
    let mut entry = entry_of(&Value::Null, source);
    entry.kind = EntryKind::Custom {
        custom_type: WINDOW.into(),
    };
    entry.messages = Vec::new();
    entry.id = format!("{WINDOW}-{}", field(record, "before")).into();
    if let Some(tokens) = count(record, "context_limit") {
        entry.preview = format!("{WORDS}{tokens} tokens").into();
    }
    let leaf = reading.session.active_leaf;
    push(reading, entry);
    // The server goes on from the last message.
    reading.session.active_leaf = leaf;
}

/// What is known of the chat as a whole.
fn take_chat(reading: &mut Reading, memory: &mut Memory, chat: &Value, line: u32) {
    reading.session.headers.push(line);
    if std::mem::replace(&mut memory.chat, true) {
        return warn(reading, line, "duplicate chat record, skipped".to_owned());
    }
    reading.state.has_header = true;
    let of = |key: &str| filled(chat, key).map(str::to_owned);
    let meta = &mut reading.session.meta;
    meta.native_id = of("id").unwrap_or_default();
    meta.title = of("title");
    meta.created_at_ms = filled(chat, "created_at").and_then(parse_iso);
    let updated = filled(chat, "updated_at").and_then(parse_iso);
    meta.updated_at_ms = meta.updated_at_ms.max(updated);
    meta.parent_session = of("parent_chat_id");
    meta.parent_kind = meta.parent_session.as_ref().map(|_| LinkKind::SubagentOf);
    memory.named = meta.title.is_some();
    for (id, label) in children(chat) {
        reading.session.links.push(SessionLink {
            kind: LinkKind::Subagent,
            native_id: id,
            path: None,
            at: None,
            label: label.map(Into::into),
        });
    }
}

fn note_in_meta(reading: &mut Reading, memory: &mut Memory, record: &Value, entry: &Entry) {
    let meta = &mut reading.session.meta;
    meta.updated_at_ms = meta.updated_at_ms.max(entry.at_ms);
    meta.created_at_ms = meta.created_at_ms.or(entry.at_ms);
    let chat = text(record, "chat_id");
    if meta.native_id.is_empty() {
        meta.native_id = chat.to_owned();
    }
    // Pages of messages alone name their chat as well.
    reading.state.has_header |= !chat.is_empty();
    if !memory.named
        && entry.kind == EntryKind::Message(Role::User)
        && let Some(title) = title_of_prompt(&entry.preview)
    {
        memory.named = true;
        meta.title = Some(title);
    }
}

/// Appends an entry to the chain.
fn push(reading: &mut Reading, mut entry: Entry) {
    let ix = EntryIx::new(reading.session.entries.len());
    match reading.links.last {
        Some(last) => entry.parent = Some(last),
        None => entry.missing_parent = reading.state.last_entry_id.as_deref().map(Into::into),
    }
    if let EntryKind::Compaction(compaction) = &mut entry.kind {
        // Nothing before it is kept.
        compaction.first_kept = Some(ix);
        if compaction.tokens_before.is_none() {
            compaction.tokens_before = last_size(&reading.session.entries);
        }
    }
    let id: EntryId = entry.id.clone();
    reading.session.entries.push(entry);
    // Ids that are in use were left out before.
    let _ = reading.links.insert(&id, ix);
    reading.links.last = Some(ix);
    reading.state.records += 1;
    reading.state.last_entry_id = Some(id.as_str().to_owned());
    reading.session.active_leaf = Some(ix);
}

/// The last size that was reported since the newest compaction.
fn last_size(entries: &[Entry]) -> Option<u64> {
    let mut recent = entries.iter().rev().take_while(|entry| {
        let is_cleared =
            matches!(&entry.kind, EntryKind::Custom { custom_type } if **custom_type == *CLEARED);
        !matches!(entry.kind, EntryKind::Compaction(_)) && !is_cleared
    });
    let newest = recent.find(|entry| entry.usage_trusted)?;
    newest.usage.map(|usage| usage.context_tokens())
}

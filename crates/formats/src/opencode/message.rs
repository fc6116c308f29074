//! A message and its parts as the next entry of the chain.

use super::entry::{Request, entry_of, request};
use super::value::{filled, items, text, time};
use super::warn::warn_at;
use crate::Reading;
use crate::links::Link;
use palimpsest_core::entry::Entry;
use palimpsest_core::session::{LinkKind, Merged};
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{EntryIx, EntryKind, Role, SessionLink, SourceSpan, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is remembered between records.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    /// First message that was reverted, and whether only some of its parts were.
    pub revert: Option<(String, bool)>,
    /// True once the messages read are reverted ones.
    pub hidden: bool,
    /// The newest request for a compaction.
    pub request: Option<Request>,
    /// The last system prompt seen (0.x), as a hash.
    pub system: Option<u64>,
}

/// A message whose parts are still coming.
pub(super) struct Open {
    pub info: Value,
    pub parts: Vec<Value>,
    pub source: SourceSpan,
    pub part_lines: Vec<u32>,
    pub warnings: Vec<Warning>,
}

/// Takes a message whose parts are all there.
pub(super) fn take_message(reading: &mut Reading, memory: &mut Memory, open: Open) {
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
        // 0.x stores no parent.
        parent.is_empty() || parent == request.id
    });
    let mut entry = entry_of(&info, &parts, source, answered.as_ref());
    drop_known_system(memory, &info, &mut entry);
    if entry.id.as_str().is_empty() {
        entry.id = format!("line:{}", source.line).into();
        let reason = "a message without an id, named by its line".to_owned();
        warn_at(reading, source.line, reason);
    }
    if parts.is_empty() {
        let reason = "a message without parts, not sent".to_owned();
        warn_at(reading, source.line, reason);
    }
    if let Some(request) = request(&info, &parts) {
        memory.request = Some(request);
    }
    // A message of which only a part was reverted stays (1.18, `SessionRevert.cleanup`).
    let reverted = memory.revert.as_ref();
    let at_revert = reverted.filter(|(first, _)| entry.id.as_str() == first);
    memory.hidden |= at_revert.is_some_and(|(_, partly)| !partly);
    let hides_rest = at_revert.is_some();
    measure_compactions(reading, &mut entry);
    note_in_meta(reading, &entry, &info);
    entry.undone = memory.hidden;
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
        // The 0 keeps two prompts apart from one with the same text.
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
            // A reply from before the last summary tells of a context that is gone.
            let reply = earlier
                .take_while(|earlier| !matches!(earlier.kind, EntryKind::Compaction(_)))
                .find(|earlier| earlier.usage_trusted);
            compaction.tokens_before = reply
                .and_then(|reply| reply.usage)
                .map(|usage| usage.context_tokens());
        }
        EntryKind::Message(Role::Assistant) if entry.usage_trusted => {
            let newest = earlier.find_map(|earlier| match &mut earlier.kind {
                EntryKind::Compaction(compaction) => Some(Some(compaction)),
                _ => earlier.usage_trusted.then_some(None),
            });
            if let (Some(Some(compaction)), Some(usage)) = (newest, entry.usage) {
                // Of a reply in several steps the figures are sums; its first request is unknown.
                let read = usage.input.saturating_add(usage.cache_read);
                let request = read.saturating_add(usage.cache_write);
                compaction.tokens_after = Some(request.min(usage.context_tokens()));
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
    if meta.title.is_none() && entry.kind == EntryKind::Message(Role::User) {
        meta.title = title_of_prompt(&entry.preview);
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
            // Its own place: nothing before it is kept.
            None => Some(ix),
        };
        if compaction.first_kept.is_none() {
            let reason = "the summary refers to a missing message as its first kept one".to_owned();
            warn_at(reading, line, reason);
        }
    }
    reading.session.entries.push(entry);
    if let Err(earlier) = reading.links.insert(&id, ix) {
        let first = reading.session.entries[earlier.get()].source.line + 1;
        let reason = format!("duplicate id {id}, first used on line {first}");
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

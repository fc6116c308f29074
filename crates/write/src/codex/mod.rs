//! Codex's rollouts (0.104 to 0.169) of the form without ordinals: a header, the items of the
//! conversation, and a `compacted` record where something is summarized.
//!
//! 0.169 resumes such a file by its id without a row in its databases. The replacement history of
//! the newest `compacted` record is the whole context before it.

use crate::expected::ExpectedItem;
use crate::members::{Edit, edited, text, value};
use crate::parts::Parts;
use crate::planned::NewSession;
use crate::refusal::{Refusal, check_summary};
use crate::request::{Change, NewCompaction, Request};
use palimpsest_core::{Block, ContextItem, EntryIx, EntryKind, Message, Role};

/// A rollout of its own.
pub(crate) fn new_session(request: &Request<'_>) -> Result<NewSession, Refusal> {
    let id = request.fresh.uuid();
    let mut bytes = header(request, &id).into_bytes();
    let head = bytes.len();
    let items = request.context.items.iter().cloned();
    let originals = items.clone().map(ExpectedItem::Original);
    let context = match request.change {
        Change::None => {
            bytes.extend(history(request, None)?);
            originals.collect()
        }
        Change::BranchSummary { text, .. } | Change::Message { text } => {
            check_summary(text)?;
            bytes.extend(history(request, None)?);
            let item = user_item(text);
            bytes.extend(line(request, "response_item", &item).into_bytes());
            originals.chain([told("user", text)]).collect()
        }
        Change::Replace { summary, text } => {
            check_summary(text)?;
            if request.context.compaction != Some(*summary) {
                let id = request.session.name_of(*summary);
                return Err(Refusal::NoSummary { id });
            }
            bytes.extend(history(request, Some(text))?);
            let is_summary = |item: &ContextItem| item.native_role == SUMMARY;
            items
                .map(|item| {
                    if is_summary(&item) {
                        told(SUMMARY, text)
                    } else {
                        ExpectedItem::Original(item)
                    }
                })
                .collect()
        }
        Change::Compaction(new) => {
            check_summary(&new.text)?;
            let parts = Parts::of(request, new)?;
            bytes.extend(compacted(request, new, &parts)?.into_bytes());
            for &ix in &parts.later {
                bytes.extend(copied(request, ix)?);
            }
            let [kept, later] = parts.items(request, new);
            let summary = std::iter::once(told(SUMMARY, &new.text));
            kept.into_iter().chain(summary).chain(later).collect()
        }
    };
    if bytes.len() == head {
        return Err(Refusal::Empty);
    }
    let local = request.fresh.now_ms + i64::from(request.fresh.utc_offset_s) * 1000;
    let stamp = crate::fresh::iso(local).replace(':', "-");
    // Without the fraction: 2026-01-31T09-05-00.
    let stamp = stamp.split('.').next().unwrap_or_default();
    Ok(NewSession {
        bytes,
        file_name: format!("rollout-{stamp}-{id}.jsonl"),
        found_as: Some(format!("rollout-{stamp}-{id}.jsonl")),
        context,
        resume: ["codex", "resume", &id].map(str::to_owned).to_vec(),
        native_id: id,
    })
}

/// The reader's word for a summary.
const SUMMARY: &str = "compactionSummary";

fn told(native_role: &'static str, text: &str) -> ExpectedItem {
    ExpectedItem::New(Message {
        role: Role::User,
        native_role,
        blocks: vec![Block::Text(text.to_owned())],
        tool: None,
        sent: true,
    })
}

fn user_item(content: &str) -> String {
    format!(
        "{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":{}}}]}}",
        text(content)
    )
}

fn line(request: &Request<'_>, kind: &str, payload: &str) -> String {
    format!(
        "{{\"timestamp\":{},\"type\":{},\"payload\":{payload}}}\n",
        text(&request.fresh.iso()),
        text(kind)
    )
}

fn header(request: &Request<'_>, id: &str) -> String {
    let meta = &request.session.meta;
    let word = |name: &str, value: &str| format!(",{}:{}", text(name), text(value));
    let mut payload = format!("{{\"id\":{}", text(id));
    payload.push_str(&word("timestamp", &request.fresh.iso()));
    payload.push_str(&word("cwd", meta.cwd.as_deref().unwrap_or_default()));
    payload.push_str(&word("originator", "codex_cli_rs"));
    payload.push_str(&word(
        "cli_version",
        meta.agent_version.as_deref().unwrap_or("0.0.0"),
    ));
    payload.push_str(&word("source", "cli"));
    payload.push_str(&word("forked_from_id", &meta.native_id));
    if let Some(model) = &request.context.model
        && !model.provider.is_empty()
    {
        payload.push_str(&word("model_provider", &model.provider));
    }
    payload.push('}');
    line(request, "session_meta", &payload)
}

/// What the model has seen at the leaf, from the newest compaction on.
fn history(request: &Request<'_>, summary: Option<&str>) -> Result<Vec<u8>, Refusal> {
    let context = request.context;
    let mut bytes = Vec::new();
    let mut from = 0;
    if let Some(compaction) = context.compaction {
        let place = context.path.iter().position(|&ix| ix == compaction);
        from = place.map_or(0, |place| place + 1);
        bytes.extend(stored_compaction(request, compaction, summary)?);
    }
    for &ix in &context.path[from..] {
        bytes.extend(copied(request, ix)?);
    }
    Ok(bytes)
}

/// A record of the conversation; others belong to the process that wrote them.
fn copied(request: &Request<'_>, ix: EntryIx) -> Result<Vec<u8>, Refusal> {
    let raw = request.records.record(ix)?;
    let sent = |item: &ContextItem| item.entries.contains(&ix);
    match value(&raw, "type") {
        // What a compaction asked the model beside the conversation is not sent.
        Some(b"\"response_item\"") if !request.context.items.iter().any(sent) => Ok(Vec::new()),
        Some(b"\"response_item\"" | b"\"turn_context\"") => stripped(request, ix, &raw, &[]),
        _ => Ok(Vec::new()),
    }
}

/// The record without its ordinal: the file has the form without them.
fn stripped(
    request: &Request<'_>,
    ix: EntryIx,
    raw: &[u8],
    more: &[(&str, Edit)],
) -> Result<Vec<u8>, Refusal> {
    let mut edits = vec![("ordinal", Edit::Remove)];
    edits.extend(more.iter().cloned());
    let line = request.session.entry(ix).source.line;
    let mut record = edited(raw, &edits).ok_or(Refusal::Record {
        line,
        reason: "it is not a JSON object".to_owned(),
    })?;
    record.retain(|byte| *byte != b'\n' && *byte != b'\r');
    record.push(b'\n');
    Ok(record)
}

fn opaque(request: &Request<'_>, compaction: EntryIx) -> Result<(), Refusal> {
    match &request.session.entry(compaction).kind {
        EntryKind::Compaction(told) if told.opaque_bytes.is_some() => Err(Refusal::Opaque {
            id: request.session.name_of(compaction),
        }),
        _ => Ok(()),
    }
}

fn stored_compaction(
    request: &Request<'_>,
    compaction: EntryIx,
    summary: Option<&str>,
) -> Result<Vec<u8>, Refusal> {
    opaque(request, compaction)?;
    let raw = request.records.record(compaction)?;
    let line = request.session.entry(compaction).source.line;
    let wrong = |reason: &str| Refusal::Record {
        line,
        reason: reason.to_owned(),
    };
    let payload = value(&raw, "payload").ok_or_else(|| wrong("it has no payload"))?;
    let Some(history) = value(payload, "replacement_history") else {
        // Its context holds messages of the original that the new file has no copy of.
        return Err(wrong("its summary stands alone, as in versions of 2025"));
    };
    let Some(new) = summary else {
        return stripped(request, compaction, &raw, &[]);
    };
    let old = value(payload, "message").unwrap_or(b"\"\"");
    let mut items: Vec<serde_json::Value> =
        serde_json::from_slice(history).map_err(|_| wrong("its history cannot be read"))?;
    let old: String = serde_json::from_slice(old).unwrap_or_default();
    let texts = items
        .iter_mut()
        .filter_map(|item| item.pointer_mut("/content/0/text"));
    // The summary is the item that repeats the record's own text.
    for stored in texts {
        if !old.is_empty() && stored.as_str() == Some(&old) {
            *stored = new.into();
        }
    }
    let items = serde_json::Value::Array(items).to_string();
    let edits = [
        ("message", Edit::Set(text(new))),
        ("replacement_history", Edit::Set(items)),
    ];
    let payload = edited(payload, &edits).and_then(|payload| String::from_utf8(payload).ok());
    let payload = payload.ok_or_else(|| wrong("it is not a JSON object"))?;
    stripped(
        request,
        compaction,
        &raw,
        &[("payload", Edit::Set(payload))],
    )
}

/// A new `compacted` record: what is kept, then the summary, as Codex orders them itself.
fn compacted(request: &Request<'_>, new: &NewCompaction, parts: &Parts) -> Result<String, Refusal> {
    let mut items = Vec::new();
    for &ix in &parts.kept {
        let sent = |item: &ContextItem| item.entries.contains(&ix);
        if !new.context.items.iter().any(sent) {
            continue;
        }
        let raw = request.records.record(ix)?;
        if value(&raw, "type") == Some(b"\"response_item\"")
            && let Some(payload) = value(&raw, "payload")
        {
            items.push(String::from_utf8_lossy(payload).into_owned());
        }
    }
    items.push(user_item(&new.text));
    let payload = format!(
        "{{\"message\":{},\"replacement_history\":[{}]}}",
        text(&new.text),
        items.join(",")
    );
    let mut record = line(request, "compacted", &payload);
    record.retain(|c| c != '\r');
    Ok(record)
}

//! Claude Code's session files (2.0 to 2.1): a chain of copied records, with a boundary and a
//! summary where something is summarized.
//!
//! 2.1.329 resumes a file that starts with the boundary, and one made of copies that name each
//! other as parents; records keep their uuids, as `--fork-session` copies them. A summary without a
//! boundary before it is not used, so that one is always written.

mod behind;
mod cleared;

use self::behind::behind;
use self::cleared::{blanked, cleared_calls};
use crate::expected::ExpectedItem;
use crate::members::{Edit, edited, text, value};
use crate::parts::Parts;
use crate::planned::NewSession;
use crate::refusal::{Refusal, check_summary};
use crate::request::{Change, NewCompaction, Request};
use palimpsest_core::{Block, EntryIx, EntryKind, Message, Role};
use std::collections::HashSet;

/// A session file of its own.
pub(crate) fn new_session(request: &Request<'_>) -> Result<NewSession, Refusal> {
    let session = request.session;
    if let Some(&leaf) = request.context.path.last() {
        let raw = request.records.record(leaf)?;
        if value(&raw, "isSidechain") == Some(b"true") {
            let agent = session.meta.agent;
            return Err(Refusal::Subagent { agent });
        }
    }
    let id = request.fresh.uuid();
    let mut writer = Writer {
        request,
        id: &id,
        bytes: Vec::new(),
        parent: None,
        made: 0,
        cleared: cleared_calls(session, request.context),
    };
    let items = request.context.items.iter().cloned();
    let originals = items.clone().map(ExpectedItem::Original);
    let context = match request.change {
        Change::None => {
            writer.history(None)?;
            originals.collect()
        }
        Change::BranchSummary { text, .. } | Change::Message { text } => {
            check_summary(text)?;
            writer.history(None)?;
            writer.said(text, "");
            originals.chain([told("user", text)]).collect()
        }
        Change::Replace { summary, text } => {
            check_summary(text)?;
            if request.context.compaction != Some(*summary) {
                let id = session.name_of(*summary);
                return Err(Refusal::NoSummary { id });
            }
            writer.history(Some((*summary, text)))?;
            let is_summary = |ix: Option<&EntryIx>| ix == Some(summary);
            items
                .map(|item| {
                    if is_summary(item.entries.first()) {
                        told("summary", text)
                    } else {
                        ExpectedItem::Original(item)
                    }
                })
                .collect()
        }
        Change::Compaction(new) => {
            check_summary(&new.text)?;
            let parts = Parts::of(request, new)?;
            writer.cleared.extend(cleared_calls(session, &new.context));
            writer.boundary(new);
            writer.said(
                &new.text,
                ",\"isVisibleInTranscriptOnly\":true,\"isCompactSummary\":true",
            );
            for &ix in parts.kept.iter().chain(&parts.later) {
                writer.copy(ix, None, true)?;
            }
            let stay = parts.kept.iter().chain(&parts.later).copied();
            behind(
                session,
                request.context,
                new,
                told("summary", &new.text),
                stay,
            )
        }
    };
    if writer.bytes.is_empty() {
        return Err(Refusal::Empty);
    }
    Ok(NewSession {
        bytes: writer.bytes,
        file_name: format!("{id}.jsonl"),
        found_as: Some(format!(
            "{}/{id}.jsonl",
            folder(session.meta.cwd.as_deref())
        )),
        context,
        resume: ["claude", "--resume", &id].map(str::to_owned).to_vec(),
        native_id: id,
    })
}

/// The folder of a project: its path, with a hyphen for each character that is no ASCII letter or figure.
/// Source: the folders that Claude Code 2.1 makes.
fn folder(cwd: Option<&str>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    match cwd {
        Some(cwd) if !cwd.is_empty() => cwd.chars().map(plain).collect(),
        _ => "PROJECT".to_owned(),
    }
}

fn told(native_role: &'static str, text: &str) -> ExpectedItem {
    ExpectedItem::New(Message {
        role: Role::User,
        native_role,
        blocks: vec![Block::Text(text.to_owned())],
        tool: None,
        sent: true,
    })
}

/// Writes records, each the child of the one before it.
struct Writer<'a> {
    request: &'a Request<'a>,
    id: &'a str,
    bytes: Vec<u8>,
    parent: Option<String>,
    made: u64,
    /// The calls whose results the model no longer sees.
    cleared: HashSet<&'a str>,
}

impl Writer<'_> {
    /// What the model has seen at the leaf: without a compaction all of it; else what the newest
    /// kept, its boundary, its summary, and what follows.
    fn history(&mut self, replaced: Option<(EntryIx, &str)>) -> Result<(), Refusal> {
        let context = self.request.context;
        let session = self.request.session;
        let Some(summary) = context.compaction else {
            for &ix in &context.selected {
                self.copy(ix, None, true)?;
            }
            return Ok(());
        };
        let path = &context.path;
        let is_boundary = |ix: &EntryIx| matches!(&session.entry(*ix).kind, EntryKind::Custom { custom_type } if &**custom_type == "compact_boundary");
        let place = path.iter().position(|&ix| ix == summary).unwrap_or(0);
        let boundary = path[..place].iter().rposition(is_boundary).unwrap_or(place);
        // Kept messages stay before the boundary, whose record names them.
        if let EntryKind::Compaction(told) = &session.entry(summary).kind {
            for &ix in &told.kept {
                self.copy(ix, None, true)?;
            }
        }
        for (at, &ix) in path.iter().enumerate().skip(boundary) {
            let new = replaced.filter(|(summary, _)| *summary == ix);
            // A boundary has no parent: the history before it is not read.
            self.copy(ix, new.map(|(_, text)| text), at != boundary)?;
        }
        Ok(())
    }

    fn copy(
        &mut self,
        ix: EntryIx,
        content: Option<&str>,
        has_parent: bool,
    ) -> Result<(), Refusal> {
        let raw = self.request.records.record(ix)?;
        let is_said = |kind: &[u8]| kind == b"\"user\"" || kind == b"\"assistant\"";
        let uuid = match string(&raw, "uuid") {
            Some(uuid) => uuid,
            // A message of another program's file can lack one, and would have no child.
            None if value(&raw, "type").is_some_and(is_said) => {
                self.made += 1;
                self.request.fresh.nth_uuid(self.made)
            }
            // Records beside the chain, such as the queue, belong to a process that has ended.
            None => return Ok(()),
        };
        if value(&raw, "type") == Some(b"\"progress\"") {
            return Ok(());
        }
        // A boundary within the history, of a compaction that is undone or replaced, would hide
        // what is above it.
        if has_parent && value(&raw, "subtype") == Some(b"\"compact_boundary\"") {
            return Ok(());
        }
        let parent = self.parent.as_deref().filter(|_| has_parent);
        let mut edits = vec![
            ("parentUuid", Edit::Set(parent.map_or("null".into(), text))),
            ("sessionId", Edit::Set(text(self.id))),
            ("uuid", Edit::Set(text(&uuid))),
        ];
        if let Some(content) = content
            && let Some(message) = value(&raw, "message")
            && let Some(message) = edited(message, &[("content", Edit::Set(text(content)))])
            && let Ok(message) = String::from_utf8(message)
        {
            edits.push(("message", Edit::Set(message)));
        }
        if content.is_none()
            && !self.cleared.is_empty()
            && let Some(message) = value(&raw, "message")
            && let Some(message) = blanked(message, &self.cleared)
        {
            edits.push(("message", Edit::Set(message)));
        }
        let line = self.request.session.entry(ix).source.line;
        let mut record = edited(&raw, &edits).ok_or(Refusal::Record {
            line,
            reason: "it is not a JSON object".to_owned(),
        })?;
        record.retain(|byte| *byte != b'\n' && *byte != b'\r');
        self.bytes.extend(record);
        self.bytes.push(b'\n');
        self.parent = Some(uuid);
        Ok(())
    }

    fn boundary(&mut self, new: &NewCompaction) {
        let logical = self.request.records.record(new.after).ok();
        let logical = logical.and_then(|raw| string(&raw, "uuid"));
        let logical = logical.map_or(String::new(), |uuid| {
            format!(",\"logicalParentUuid\":{}", text(&uuid))
        });
        self.parent = None;
        self.record(&format!(
            "\"type\":\"system\",\"subtype\":\"compact_boundary\",\"content\":\"Conversation \
             compacted\",\"isMeta\":false,\"level\":\"info\"{logical},\"compactMetadata\":\
             {{\"trigger\":\"manual\",\"preTokens\":{}}}",
            new.tokens_before
        ));
    }

    /// A message in the user's place.
    fn said(&mut self, content: &str, more: &str) {
        self.record(&format!(
            "\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":{}}}{more}",
            text(content)
        ));
    }

    fn record(&mut self, members: &str) {
        self.made += 1;
        let uuid = self.request.fresh.nth_uuid(self.made);
        let meta = &self.request.session.meta;
        let parent = self.parent.as_deref().map_or("null".into(), text);
        let line = format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":{},\
             \"sessionId\":{},\"version\":{},{members},\"uuid\":{},\"timestamp\":{}}}\n",
            text(meta.cwd.as_deref().unwrap_or_default()),
            text(self.id),
            text(meta.agent_version.as_deref().unwrap_or_default()),
            text(&uuid),
            text(&self.request.fresh.iso())
        );
        self.bytes.extend(line.into_bytes());
        self.parent = Some(uuid);
    }
}

/// The text of a member.
fn string(raw: &[u8], name: &str) -> Option<String> {
    serde_json::from_slice(value(raw, name)?).ok()
}

//! Lines into entries: what stands for what, what is said twice, and everything that is wrong.

use super::entry::{entry_of, is_result, is_tool, said_in, usage_of};
use super::places::file_name;
use super::prompt::Said;
use super::record::{Record, parse};
use super::trail::{Above, BOUNDARY, Boundary, Placing, Trail};
use crate::Reading;
use crate::measure::head;
use crate::repair::replace_lone_surrogates;
use palimpsest_core::entry::{Compaction, Trigger};
use palimpsest_core::{
    Entry, EntryId, EntryIx, EntryKind, LinkKind, Merged, Role, SessionLink, SourceSpan, Usage,
    Warning,
};
use std::borrow::Cow;

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    reading.partial_line = None;
    let begin = |reading: &Reading| Trail::behind(&reading.session, &reading.state.native);
    let begun = begin_if_needed(reading, begin);
    let mut trail = begun;
    let mut consumed = 0;
    while consumed < chunk.len() {
        let rest = &chunk[consumed..];
        let (line, taken, ended) = match memchr::memchr(b'\n', rest) {
            Some(at) => (&rest[..at], at + 1, true),
            None if at_end => (rest, rest.len(), false),
            None => break,
        };
        if !ended && !is_whole(line) {
            reading.partial_line = Some(Warning {
                line: Some(reading.state.line),
                reason: "the last line is not a complete record; it is left for later, in case \
                         it is still being written"
                    .to_owned(),
            });
            break;
        }
        Lines {
            reading,
            trail: &mut trail,
        }
        .take_line(line);
        consumed += taken;
        reading.state.offset += taken as u64;
        reading.state.open_line = !ended;
        if ended {
            reading.state.line += 1;
        }
    }
    reading.state.native = trail.keep(&reading.session);
    reading.scratch.put(trail);
    consumed
}

fn begin_if_needed(reading: &mut Reading, begin: impl FnOnce(&Reading) -> Trail) -> Box<Trail> {
    let scratch = std::mem::take(&mut reading.scratch);
    let mut scratch = scratch;
    scratch.take_or(|| begin(reading))
}

/// True for a line that is blank or one complete JSON value.
fn is_whole(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    text.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

struct Lines<'r> {
    reading: &'r mut Reading,
    trail: &'r mut Trail,
}

impl Lines<'_> {
    fn take_line(&mut self, line: &[u8]) {
        let number = self.reading.state.line;
        let mut offset = self.reading.state.offset;
        let mut record = line;
        if offset == 0
            && let Some(rest) = line.strip_prefix(b"\xef\xbb\xbf")
        {
            self.warn(number, "begins with a byte order mark; passed over");
            record = rest;
        }
        let start = record.iter().position(|byte| !byte.is_ascii_whitespace());
        offset += (line.len() - record.len() + start.unwrap_or(0)) as u64;
        let record = record.trim_ascii();
        let text = match std::str::from_utf8(record) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.warn(number, "not valid UTF-8; the bad bytes are shown as U+FFFD");
                String::from_utf8_lossy(record)
            }
        };
        if text.trim().is_empty() {
            return;
        }
        if self.reading.state.open_line {
            let reason = "more follows a record on its line; Claude Code would skip the line, \
                          here only the rest is left out";
            self.warn(number, reason);
            return;
        }
        let source = SourceSpan {
            line: number,
            offset,
            len: u32::try_from(record.len()).unwrap_or(u32::MAX),
        };
        let mut parsed = parse(&text);
        let fixed = replace_lone_surrogates(&text);
        if parsed.is_err()
            && let Cow::Owned(fixed) = &fixed
        {
            parsed = parse(fixed);
        }
        match parsed {
            Ok(record) if record.is_object => self.take(&record, source),
            Ok(_) => self.warn(number, "a JSON value that is not a record; left out"),
            Err(error) => {
                self.trail.kept.broken = true;
                let reason = format!(
                    "not a JSON record ({}); Claude Code skips the line",
                    plain(&error)
                );
                self.warn(number, &reason);
            }
        }
    }

    fn take(&mut self, record: &Record<'_>, source: SourceSpan) {
        if record.type_name.0.is_none() {
            let reason = "a record without a type; kept as an opaque entry";
            self.warn(source.line, reason);
        } else {
            self.reading.state.has_header = true;
        }
        self.reading.state.records += 1;
        self.note_file(record);
        let uuid = record.uuid.as_deref().filter(|id| !id.is_empty());
        if let Some(first) = uuid.and_then(|id| self.trail.place(id)) {
            self.merge(record, first, source.line);
            return;
        }
        let ix = EntryIx::new(self.reading.session.entries.len());
        let id: EntryId = match uuid {
            Some(id) => id.into(),
            None => format!("line:{}", source.line).into(),
        };
        let mut entry = entry_of(record, id, source);
        if self.trail.kept.subagent {
            entry.sidechain = false;
        }
        let reply = self.count_usage(record, &mut entry);
        self.name_results(record, &mut entry);
        if record.compact_summary.0 {
            entry.kind = EntryKind::Compaction(self.compaction());
        }
        let placing = Placing {
            is_linked: uuid.is_some(),
            parent: record.parent.as_deref(),
            before_boundary: record.logical_parent.as_deref(),
            is_boundary: is_boundary(&entry),
            is_report: entry.kind == EntryKind::Message(Role::Tool)
                || record.type_name.as_deref() == Some("progress"),
            reply: reply.as_ref().and_then(|reply| reply.turn),
            sidechain: entry.sidechain,
            prompt: record
                .message
                .content
                .blocks
                .first()
                .map(|block| block.text.hash),
        };
        let above = self.trail.above(&self.reading.session, &placing);
        match &above {
            Above::Entry(parent) => entry.parent = Some(*parent),
            Above::Earlier(id) | Above::Missing(id) => {
                entry.missing_parent = Some(EntryId(id.clone()));
            }
            Above::Nothing => {}
        }
        if uuid.is_some() && placing.parent == uuid {
            entry.missing_parent = None;
            let reason = "the entry names itself as its parent; it is shown as a root";
            self.warn(source.line, reason);
        }
        let waiting = self.trail.add(ix, &entry, &above);
        if let Some(parent) = &entry.missing_parent {
            self.trail.wait(ix, parent.as_str());
        }
        if let Some(reply) = reply {
            self.trail.count(reply.key, reply.output, ix, &entry.id);
        }
        if uuid.is_some() {
            self.trail.kept.begun = true;
            self.trail.kept.broken = false;
        }
        self.note_calls(record, ix, &entry);
        self.note_session(record, &entry, uuid.is_some(), ix);
        self.reading.state.last_entry_id = Some(entry.id.as_str().to_owned());
        self.reading.session.entries.push(entry);
        for child in waiting {
            self.adopt(child, ix);
        }
        self.after(record, ix);
    }

    /// What the first records say about the file.
    fn note_file(&mut self, record: &Record<'_>) {
        let meta = &mut self.reading.session.meta;
        let name = file_name(&meta.path);
        if meta.native_id.is_empty() {
            let is_subagent = record.sidechain.0 && !self.trail.kept.begun;
            let in_file = record.agent_id.as_deref().or(name.subagent);
            if is_subagent && let Some(agent) = in_file {
                self.trail.kept.subagent = true;
                let parent = record.session_id.as_deref().map(str::to_owned);
                meta.native_id = agent.to_owned();
                meta.parent_kind = Some(LinkKind::SubagentOf);
                let link = SessionLink {
                    kind: LinkKind::SubagentOf,
                    native_id: parent.clone().unwrap_or_default(),
                    path: None,
                    at: None,
                    label: None,
                };
                meta.parent_session = parent;
                self.reading.session.links.push(link);
            } else if let Some(id) = name.session.or(record.session_id.as_deref()) {
                meta.native_id = id.to_owned();
            }
        }
        let session = &mut self.reading.session;
        let meta = &mut session.meta;
        if let Some(origin) = record.forked_from.session_id.as_deref()
            && meta.parent_session.is_none()
        {
            meta.parent_session = Some(origin.to_owned());
            meta.parent_kind = Some(LinkKind::ForkedFrom);
            session.links.push(SessionLink {
                kind: LinkKind::ForkedFrom,
                native_id: origin.to_owned(),
                path: None,
                at: None,
                label: None,
            });
        }
        if let Some(version) = record.version.as_deref() {
            meta.agent_version = Some(version.to_owned());
        }
        if meta.cwd.is_none() {
            meta.cwd = record.cwd.as_deref().map(str::to_owned);
        }
        meta.created_at_ms = meta.created_at_ms.or(record.timestamp.0);
        meta.updated_at_ms = meta.updated_at_ms.max(record.timestamp.0);
    }

    /// A record whose id was used before says the same again. When it stands behind a compaction,
    /// the message was kept there.
    fn merge(&mut self, record: &Record<'_>, first: EntryIx, line: u32) {
        self.reading
            .session
            .merged
            .push(Merged { line, into: first });
        let parent = record.parent.as_deref().and_then(|id| self.trail.place(id));
        let Some(compaction) = self.trail.compaction.filter(|&ix| ix > first) else {
            return;
        };
        let behind = parent.is_some_and(|parent| self.trail.moved(parent) >= compaction);
        let entry = &mut self.reading.session.entries[compaction.get()];
        if behind && let EntryKind::Compaction(told) = &mut entry.kind {
            if !told.kept.contains(&first) {
                told.kept.push(first);
            }
            self.trail.move_below(first, compaction);
        }
    }

    /// Gives an entry what its record adds to the usage of its reply: all of it for the first
    /// block, later growth of the output for the others.
    fn count_usage(&mut self, record: &Record<'_>, entry: &mut Entry) -> Option<Counting> {
        if entry.kind != EntryKind::Message(Role::Assistant) || entry.model.is_none() {
            return None;
        }
        let usage = usage_of(&record.message.usage);
        let key = record.message.id.as_deref().map(|id| {
            let request = record.request_id.as_deref().unwrap_or_default();
            format!("{id} {request}").into_boxed_str()
        });
        let Some(key) = key else {
            entry.usage = usage;
            entry.usage_trusted = usage.is_some_and(|usage| usage.context_tokens() > 0);
            return None;
        };
        let output = usage.map_or(0, |usage| usage.output);
        match self.trail.reply(&key) {
            None => {
                entry.usage = usage;
                entry.usage_trusted = usage.is_some_and(|usage| usage.context_tokens() > 0);
                if usage.is_some() && !entry.usage_trusted {
                    entry.usage = None;
                }
                Some(Counting {
                    key,
                    output,
                    turn: None,
                })
            }
            Some((turn, counted)) => {
                entry.usage = Some(Usage {
                    output: output.saturating_sub(counted),
                    ..Usage::default()
                });
                Some(Counting {
                    key,
                    output: output.max(counted),
                    turn: Some(turn),
                })
            }
        }
    }

    /// Results name only the call; the tool's name stands there.
    fn name_results(&mut self, record: &Record<'_>, entry: &mut Entry) {
        let blocks = record.message.content.blocks.iter();
        let results = blocks.filter(|block| is_result(block));
        let sizes = entry.messages.iter_mut().filter(|size| is_tool(size));
        for (size, block) in sizes.zip(results) {
            let tool = block.call_id.as_deref().and_then(|id| self.trail.tool(id));
            size.tool_name = tool.map(|(_, name)| name.into());
        }
    }

    fn note_calls(&mut self, record: &Record<'_>, ix: EntryIx, entry: &Entry) {
        for block in &record.message.content.blocks {
            if is_result(block) && entry.kind == EntryKind::Message(Role::Tool) {
                self.trail
                    .result(block.call_id.as_deref().unwrap_or_default(), ix);
            } else if block.type_name.as_deref() == Some("tool_use")
                && let (Some(id), Some(name)) = (block.id.as_deref(), block.name.as_deref())
            {
                let prompt = block.input.prompt.filter(|_| !entry.sidechain);
                self.trail.call(id, name, ix, prompt);
            }
        }
        let started = record
            .tool_use_result
            .agent_id
            .as_deref()
            .or(record.data.agent_id.as_deref());
        if let Some(agent) = started {
            self.link_subagent(record, agent);
        }
    }

    fn link_subagent(&mut self, record: &Record<'_>, agent: &str) {
        let blocks = record.message.content.blocks.iter();
        let mut calls = blocks.filter_map(|block| block.call_id.as_deref());
        let call = calls.next().or(record.parent_tool_use.as_deref());
        let at = call
            .and_then(|id| self.trail.tool(id))
            .and_then(|(ix, _)| ix);
        let links = &mut self.reading.session.links;
        let known = links
            .iter_mut()
            .find(|link| link.kind == LinkKind::Subagent && link.native_id == agent);
        let label = record.tool_use_result.agent_type.boxed();
        match known {
            Some(link) => {
                link.at = link.at.or(at);
                link.label = link.label.take().or(label);
            }
            None => links.push(SessionLink {
                kind: LinkKind::Subagent,
                native_id: agent.to_owned(),
                path: None,
                at,
                label,
            }),
        }
    }

    /// What the summary's record is, from the boundary before it.
    fn compaction(&mut self) -> Compaction {
        let told = self.trail.kept.boundary.take().unwrap_or_default();
        let mut kept: Vec<EntryIx> = told
            .kept
            .iter()
            .filter_map(|id| self.trail.place(id))
            .collect();
        if kept.is_empty()
            && let (Some(from), Some(to)) = (&told.kept_from, &told.kept_to)
            && let (Some(from), Some(to)) = (self.trail.place(from), self.trail.place(to))
        {
            kept = self.between(from, to);
        }
        let first = kept.iter().min().copied();
        Compaction {
            first_kept_id: first.map(|ix| self.reading.session.entry(ix).id.clone()),
            first_kept: first,
            tokens_before: told.before,
            tokens_after: told.after,
            duration_ms: told.duration_ms,
            instructions: told.instructions,
            trigger: told.trigger.as_deref().and_then(|trigger| match trigger {
                "auto" => Some(Trigger::Auto),
                "manual" => Some(Trigger::Manual),
                _ => None,
            }),
            kept,
            ..Compaction::default()
        }
    }

    /// The entries from `from` to `to`, where one is above the other.
    fn between(&self, from: EntryIx, to: EntryIx) -> Vec<EntryIx> {
        let mut kept = vec![to];
        let mut at = to;
        while at > from {
            match self.reading.session.entry(at).parent {
                Some(parent) if parent < at => at = parent,
                _ => return Vec::new(),
            }
            kept.push(at);
        }
        kept.reverse();
        match at == from {
            true => kept,
            false => Vec::new(),
        }
    }

    /// What later records need of this one.
    fn after(&mut self, record: &Record<'_>, ix: EntryIx) {
        let entry = &mut self.reading.session.entries[ix.get()];
        match &mut entry.kind {
            EntryKind::Compaction(told) => {
                for &kept in &told.kept {
                    self.trail.move_below(kept, ix);
                }
                self.trail.compaction = Some(ix);
            }
            EntryKind::Clearing(told) => told.results = self.trail.results_of(&told.call_ids),
            EntryKind::Custom { custom_type } if &**custom_type == BOUNDARY => {
                let count = |number: crate::measure::Number| number.0.map(|n| n as u64);
                let told = &record.compact;
                self.trail.kept.boundary = Some(Boundary {
                    trigger: told.trigger.boxed(),
                    before: count(told.before),
                    after: count(told.after),
                    duration_ms: count(told.duration_ms),
                    instructions: told.instructions.boxed(),
                    kept: told.preserved.uuids.0.clone(),
                    kept_from: told.segment.head.boxed(),
                    kept_to: told.segment.tail.boxed(),
                });
            }
            EntryKind::CustomMessage { .. } => self.instruct(record),
            _ => {}
        }
    }

    /// A `/compact` command is written behind the summary it asked for.
    fn instruct(&mut self, record: &Record<'_>) {
        let blocks = record.message.content.blocks.iter();
        let mut asked = blocks.filter_map(|block| block.text.instructions.clone());
        let (Some(asked), Some(ix)) = (asked.next(), self.trail.compaction) else {
            return;
        };
        if let EntryKind::Compaction(told) = &mut self.reading.session.entries[ix.get()].kind {
            told.instructions.get_or_insert(asked);
        }
    }

    /// Gives an entry the parent it waited for, unless that is one of its own descendants.
    fn adopt(&mut self, child: EntryIx, parent: EntryIx) {
        let entries = &mut self.reading.session.entries;
        let mut above = Some(parent);
        for _ in 0..=entries.len() {
            match above {
                Some(ix) if ix == child => {
                    let line = entries[child.get()].source.line;
                    entries[child.get()].missing_parent = None;
                    let reason = "the entry is its own ancestor; its link to its parent is ignored";
                    self.warn(line, reason);
                    return;
                }
                Some(ix) => above = entries[ix.get()].parent,
                None => break,
            }
        }
        let entry = &mut entries[child.get()];
        entry.parent = Some(parent);
        entry.missing_parent = None;
    }

    /// Title and leaf.
    fn note_session(&mut self, record: &Record<'_>, entry: &Entry, is_linked: bool, ix: EntryIx) {
        let known = |id: Option<&str>| id.and_then(|id| self.trail.place(id));
        let leaf = known(record.leaf.as_deref());
        let session = &mut self.reading.session;
        let is_said = matches!(
            entry.kind,
            EntryKind::Message(_) | EntryKind::Compaction(_) | EntryKind::CustomMessage { .. }
        );
        if is_linked && !entry.sidechain || !self.trail.kept.begun && is_said {
            session.active_leaf = Some(ix);
        } else if record.type_name.as_deref() == Some("last-prompt")
            && let Some(leaf) = leaf
            && !session.entries[leaf.get()].sidechain
        {
            session.active_leaf = Some(leaf);
        }
        let title = match &entry.kind {
            EntryKind::SessionInfo { name: Some(name) } => {
                // A summary may be another session's, which the leaf it names tells.
                let rank = match record.type_name.as_deref() {
                    Some("custom-title") => 5,
                    Some("ai-title") => 4,
                    _ if leaf.is_some() => 3,
                    _ => 1,
                };
                Some((rank, name.clone()))
            }
            EntryKind::Message(Role::User) if said_in(record) == Said::Prompt => {
                (!entry.preview.is_empty() && !entry.sidechain).then(|| (2, entry.preview.clone()))
            }
            _ => None,
        };
        if let Some((rank, title)) = title {
            let better = match rank {
                2 => self.trail.kept.title_rank < rank,
                _ => self.trail.kept.title_rank <= rank,
            };
            if better {
                self.trail.kept.title_rank = rank;
                session.meta.title = Some(head(&title).into());
            }
        }
    }

    fn warn(&mut self, line: u32, reason: &str) {
        self.reading.session.warnings.push(Warning {
            line: Some(line),
            reason: reason.to_owned(),
        });
    }
}

/// What is counted of a reply once a block of it is read.
struct Counting {
    key: Box<str>,
    output: u64,
    turn: Option<u32>,
}

fn is_boundary(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Custom { custom_type } if &**custom_type == BOUNDARY)
}

/// The parser's words without its line number, which is always 1 here.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((words, _)) => format!("{words} at column {}", error.column()),
        None => text,
    }
}

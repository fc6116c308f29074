//! Records into entries: where they hang, what is said twice, what later records need of them.

use super::about::{note_file, note_title};
use super::entry::{entry_of, is_result, is_tool};
use super::given_again::file_state;
use super::process::{is_restart, is_said, note_process};
use super::record::Record;
use super::spent::{count_report, count_usage, name_reported};
use super::trail::{Above, BOUNDARY, Boundary, Placing, Trail};
use crate::Reading;
use palimpsest_core::entry::{Compaction, Trigger};
use palimpsest_core::{
    Entry, EntryId, EntryIx, EntryKind, LinkKind, Merged, Role, SessionLink, SourceSpan, Warning,
};

/// What is said of a record whose parent is missing while its process goes on.
const GUESSED: &str = "the record names a parent that is not in the file; the record before it is \
                       taken as its parent";
/// What is said of a record whose parent is missing behind a restart.
const CUT: &str = "the record names a parent that is not in the file, and the agent was started \
                   again before it; it is shown as a root";

/// What is said of a summary above whose boundary the file has nothing.
const NO_SPAN: &str = "what this compaction summarizes is not in the file; its summary can be \
                       compared with nothing";

/// A source being read, line by line.
pub(super) struct Lines<'r> {
    pub reading: &'r mut Reading,
    pub trail: &'r mut Trail,
}

impl Lines<'_> {
    /// Takes one record; the agent skips a `recovered` one.
    pub fn take(&mut self, record: &Record<'_>, source: SourceSpan, recovered: bool) {
        if record.type_name.0.is_none() {
            let reason = "a record without a type, kept as an opaque entry";
            self.warn(source.line, reason);
        } else {
            self.reading.state.has_header = true;
        }
        self.reading.state.records += 1;
        note_file(&mut self.reading.session, &mut self.trail.kept, record);
        let uuid = record.uuid.as_deref().filter(|id| !id.is_empty());
        if let Some(first) = uuid.and_then(|id| self.trail.place(id)) {
            self.note_another_text(record, first, source);
            self.merge(record, first, source.line);
            return;
        }
        let ix = EntryIx::new(self.reading.session.entries.len());
        let id: EntryId = match uuid {
            Some(id) => id.into(),
            None => self.made_up_id(source.line),
        };
        let mut entry = entry_of(record, id, source);
        entry.recovered = recovered;
        // In a subagent's own file its conversation is the main one.
        if self.trail.kept.subagent {
            entry.sidechain = false;
        }
        let reply = count_usage(self.reading, self.trail, record, &mut entry);
        count_report(self.trail, record, &mut entry);
        name_reported(self.trail, &mut entry);
        self.name_results(record, &mut entry);
        if record.compact_summary.0 {
            entry.kind = EntryKind::Compaction(Box::new(self.compaction()));
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
                // A subagent (1.x) is found by the text of its first prompt, which is that of the
                // call.
                .message
                .content
                .blocks
                .first()
                .map(|block| block.text.hash),
            is_restart: uuid.is_some() && is_restart(&self.trail.kept, record, &entry),
        };
        if self.leads_back(record, &placing) {
            self.reading.leads_back();
        }
        let above = match self.trail.above(&self.reading.session, &placing) {
            Above::Guessed(_, id) | Above::Missing(id) if Some(&*id) == uuid => {
                let reason = "the entry is its own parent; it is shown as a root";
                self.warn(source.line, reason);
                Above::Nothing
            }
            above => above,
        };
        match &above {
            Above::Entry(parent) => entry.parent = Some(*parent),
            Above::Guessed(parent, id) => {
                entry.parent = Some(*parent);
                entry.missing_parent = Some(EntryId(id.clone()));
                self.trail.kept.guessed = true;
                self.warn(source.line, GUESSED);
            }
            Above::Earlier(id) => entry.missing_parent = Some(EntryId(id.clone())),
            Above::Missing(id) => {
                // It may be an entry that a compaction moved, or one of another branch.
                self.reading.leads_back();
                entry.missing_parent = Some(EntryId(id.clone()));
                // Only in a whole file is a branch cut off: one that begins in the middle lacks
                // what was before.
                if self.trail.kept.begun && self.trail.has_all() && !entry.sidechain {
                    self.trail.kept.cut = true;
                    self.warn(source.line, CUT);
                }
            }
            Above::Nothing => {}
        }
        if placing.is_restart && self.trail.kept.begun {
            self.reading.session.restarts.push(ix);
        }
        if matches!(entry.kind, EntryKind::Compaction(_)) && self.is_without_span(&entry) {
            self.warn(source.line, NO_SPAN);
        }
        // A child may be read before its parent.
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
            note_process(&mut self.trail.kept, record, &entry, placing.is_restart);
        }
        self.note_calls(record, ix, &entry);
        // Files that a subagent read are not in view of the main model.
        if !entry.sidechain {
            let state = file_state(&record.tool_use_result, ix);
            self.reading.session.file_states.extend(state);
        }
        self.note_session(record, &entry, uuid.is_some(), ix);
        self.reading.state.last_entry_id = Some(entry.id.as_str().to_owned());
        self.reading.session.entries.push(entry);
        for child in waiting {
            self.adopt(child, ix);
        }
        self.after(record, ix);
    }

    /// True for a record whose place or meaning depends on all that is in the file.
    fn leads_back(&self, record: &Record<'_>, placing: &Placing<'_>) -> bool {
        if self.trail.has_all() {
            return false;
        }
        let unknown = |id: &str| self.trail.place(id).is_none();
        let parent = placing.parent.filter(|id| !id.is_empty());
        let blocks = &record.message.content.blocks;
        let mut results = blocks.iter().filter(|block| is_result(block));
        // The call that started a subagent (1.x) is found by its prompt; a second conversation follows
        // what stands before the first.
        (placing.is_linked && parent.is_none_or(|id| !self.trail.knows(id)))
            // The place of a session's newest entry is known only where it is of the conversation.
            || self.trail.kept.newest.is_none()
            || self.trail.is_late(placing)
            || record.compact_summary.0
            || placing.is_boundary
            // A title counts for more where the entry it is of is in the file.
            || record.type_name.as_deref() == Some("summary")
                && record.leaf.as_deref().is_some_and(unknown)
            || record.uuid.as_deref().is_some_and(|id| self.trail.is_awaited(id))
            || results.any(|block| {
                let call = block.call_id.as_deref();
                call.is_some_and(|id| self.trail.tool(id).is_none())
            })
    }

    /// The id of a record that has none.
    fn made_up_id(&self, line: u32) -> EntryId {
        match self.reading.session.entries_on(line) {
            0 => format!("line:{line}").into(),
            // Several recovered records can be on one line.
            nth => format!("line:{line}.{}", nth + 1).into(),
        }
    }

    /// Warns when a record whose id was used before says something else: its text is not shown.
    fn note_another_text(&mut self, record: &Record<'_>, first: EntryIx, source: SourceSpan) {
        let stored = &self.reading.session.entries[first.get()];
        let again = entry_of(record, stored.id.clone(), source);
        if (&again.preview, again.role()) != (&stored.preview, stored.role()) {
            let reason = format!(
                "the id {} was used on line {} for another text; this record is not shown",
                stored.id.as_str(),
                stored.source.line + 1,
            );
            self.warn(source.line, &reason);
        }
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
            // What is kept was moved there.
            if self.trail.moved(first) != compaction {
                told.kept.push(first);
                self.trail.move_below(first, compaction);
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
        let known = self.trail.agents.get(agent).copied();
        let label = record.tool_use_result.agent_type.boxed();
        match known.and_then(|at| links.get_mut(at)) {
            Some(link) => {
                // Progress records name the agent before the result does.
                link.at = link.at.or(at);
                link.label = link.label.take().or(label);
            }
            None => {
                self.trail.agents.insert(agent.into(), links.len());
                links.push(SessionLink {
                    kind: LinkKind::Subagent,
                    native_id: agent.to_owned(),
                    path: None,
                    at,
                    label,
                });
            }
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
        // Some records name only both ends of what was kept.
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

    /// True where no message stands above the boundary of a summary.
    fn is_without_span(&mut self, summary: &Entry) -> bool {
        let entries = &self.reading.session.entries;
        let mut behind_boundary = true;
        let mut at = summary.parent;
        while let Some(ix) = at {
            let entry = &entries[ix.get()];
            if !behind_boundary && is_said(entry) || !self.trail.span.step() {
                return false;
            }
            behind_boundary &= !is_boundary(entry);
            // Upwards only, so that a damaged file cannot make it go round.
            at = entry.parent.filter(|parent| *parent < ix);
            if at.is_none() && !self.trail.has_all() {
                return false;
            }
        }
        !behind_boundary
    }

    /// The entries from `from` to `to`, where one is above the other.
    fn between(&mut self, from: EntryIx, to: EntryIx) -> Vec<EntryIx> {
        let mut kept = vec![to];
        let mut at = to;
        while at > from {
            if !self.trail.span.step() {
                return Vec::new();
            }
            match self.reading.session.entry(at).parent {
                Some(parent) if parent < at => at = parent,
                _ => return Vec::new(),
            }
            kept.push(at);
        }
        kept.reverse();
        if at == from { kept } else { Vec::new() }
    }

    /// What later records need of this one.
    fn after(&mut self, record: &Record<'_>, ix: EntryIx) {
        let entry = &mut self.reading.session.entries[ix.get()];
        match &mut entry.kind {
            EntryKind::Compaction(told) => {
                // What follows the compaction hangs below its summary and not below the kept
                // messages' old place.
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
            // What the boundary itself says goes first.
            told.instructions.get_or_insert(asked);
        }
    }

    /// Gives an entry the parent it waited for, unless that is one of its own descendants.
    fn adopt(&mut self, child: EntryIx, parent: EntryIx) {
        let entries = &mut self.reading.session.entries;
        let mut above = Some(parent);
        // A bound, because parents are not yet free of cycles here.
        for _ in 0..=entries.len() {
            if !self.trail.walk.step() {
                break;
            }
            match above {
                Some(ix) if ix == child => {
                    let line = entries[child.get()].source.line;
                    entries[child.get()].parent = None;
                    entries[child.get()].missing_parent = None;
                    self.trail.found_parents.insert(line);
                    let reason = "the entry is its own ancestor; its parent link is ignored";
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
        let line = entry.source.line;
        self.trail.found_parents.insert(line);
    }

    /// Takes back what was said of missing parents that have been read since: once for all, because
    /// a search through the warnings for each of 60,000 late parents took most of the reading.
    pub fn unwarn(&mut self) {
        let found = std::mem::take(&mut self.trail.found_parents);
        if found.is_empty() {
            return;
        }
        let of_parent = |warning: &Warning| {
            warning.line.is_some_and(|line| found.contains(&line))
                && [GUESSED, CUT].contains(&warning.reason.as_str())
        };
        self.reading
            .session
            .warnings
            .retain(|warning| !of_parent(warning));
    }

    /// Active leaf and title.
    fn note_session(&mut self, record: &Record<'_>, entry: &Entry, is_linked: bool, ix: EntryIx) {
        let known = |id: Option<&str>| id.and_then(|id| self.trail.place(id));
        let leaf = known(record.leaf.as_deref());
        let session = &mut self.reading.session;
        let is_said = matches!(
            entry.kind,
            EntryKind::Message(_) | EntryKind::Compaction(_) | EntryKind::CustomMessage { .. }
        );
        let may_lead = !entry.sidechain && !entry.recovered && !self.trail.kept.cut;
        if may_lead && (is_linked || !self.trail.kept.begun && is_said) {
            session.active_leaf = Some(ix);
        } else if record.type_name.as_deref() == Some("last-prompt")
            && let Some(leaf) = leaf
            && !session.entries[leaf.get()].sidechain
        {
            session.active_leaf = Some(leaf);
        }
        note_title(session, &mut self.trail.kept, record, entry, leaf);
    }

    pub fn warn(&mut self, line: u32, reason: &str) {
        self.reading.session.warnings.push(Warning {
            line: Some(line),
            reason: reason.to_owned(),
        });
    }
}

fn is_boundary(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Custom { custom_type } if &**custom_type == BOUNDARY)
}

//! Records into entries: the header, where each record hangs, what it adds to the session.

use super::entry::{OF_USER, entry_of, said_in, signer};
use super::record::Record;
use super::said::{RESULT, Said};
use super::totals;
use super::trail::Trail;
use crate::Reading;
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{
    Entry, EntryId, EntryIx, EntryKind, LinkKind, Merged, SessionLink, SourceSpan, Warning,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The title of a session that has none yet.
const UNNAMED: &str = "New Session";
/// What is said of a record whose parent is missing.
const GUESSED: &str = "the record names a parent that is not in the file; the record before it is \
                       taken as its parent";
/// What is said of a compaction whose kept tail cannot be found.
const NO_ANCHOR: &str = "the compaction names a last summarized message that is not above it; \
                         nothing is shown as kept";

/// What is remembered of a session beside its entries.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Native {
    /// The message at which the session was forked, until it is read.
    pub forked_at: Option<String>,
    /// True once the title is a name and not the first words of a prompt.
    pub is_named: bool,
    /// The user's models, with who signs their reasoning.
    pub signers: BTreeMap<String, String>,
}

/// A source being read, line by line.
pub(super) struct Lines<'r> {
    pub reading: &'r mut Reading,
    pub trail: &'r mut Trail,
    pub native: &'r mut Native,
}

impl Lines<'_> {
    /// Takes one record; the agent skips a `recovered` one.
    pub fn take(&mut self, record: &Record<'_>, source: SourceSpan, recovered: bool) {
        self.reading.state.records += 1;
        match record.type_name.as_deref() {
            None => self.warn(
                source.line,
                "a record without a type, kept as an opaque entry",
            ),
            Some(_) => self.reading.state.has_header = true,
        }
        match record.type_name.as_deref() {
            Some("session_start") => self.begin(record, source.line),
            Some("session_settings") if record.settings.is_object => self.total(record, source),
            Some("session_settings") if record.unreadable.units > 0 => {
                let reason = format!("{}; its totals are unknown", record.unreadable.head);
                self.warn(source.line, &reason);
            }
            _ => self.take_entry(record, source, recovered),
        }
    }

    /// A header. A document of several files has several, and the last is its own.
    fn begin(&mut self, record: &Record<'_>, line: u32) {
        let session = &mut self.reading.session;
        session.headers.push(line);
        let meta = &mut session.meta;
        if let Some(id) = record.id.as_deref() {
            meta.native_id = id.to_owned();
        }
        if let Some(version) = record.version.0 {
            meta.format_version = Some(version as u32);
        }
        if let Some(cwd) = record.cwd.as_deref() {
            meta.cwd = Some(cwd.to_owned());
        }
        meta.created_at_ms = record.timestamp.0;
        let names = [&record.session_title.head, &record.title.head];
        let mut names = names
            .into_iter()
            .filter(|name| !name.is_empty() && &***name != UNNAMED);
        if let Some(name) = names.next() {
            meta.title = Some(name.to_string());
            self.native.is_named = true;
        }
        let filled = |id: Option<&str>| id.filter(|id| !id.is_empty()).map(str::to_owned);
        let forked_at = filled(record.forked_at.as_deref());
        let parent = filled(record.parent.as_deref());
        let caller = filled(record.calling_session.as_deref());
        let kind = match (&parent, &caller) {
            (Some(_), _) if forked_at.is_some() => LinkKind::ForkedFrom,
            (_, Some(_)) => LinkKind::SubagentOf,
            // A manual compaction begins another file.
            _ => LinkKind::Continues,
        };
        let other = match kind {
            LinkKind::SubagentOf => caller,
            _ => parent,
        };
        // What an earlier file of the document belongs with is its own.
        session.links.clear();
        session.meta.parent_kind = other.as_ref().map(|_| kind);
        session.meta.parent_session = other.clone();
        if let Some(native_id) = other {
            session.links.push(SessionLink {
                kind,
                native_id,
                path: None,
                at: None,
                label: None,
            });
        }
        self.native.forked_at = forked_at;
    }

    /// What the session spent, as far as its earlier files did not, and whom it called.
    fn total(&mut self, record: &Record<'_>, source: SourceSpan) {
        self.reading.session.headers.push(source.line);
        let entries = totals::entries(&self.reading.session, record, source);
        for (at, mut entry) in entries.into_iter().enumerate() {
            self.name_provider(None, &mut entry);
            entry.id = match at {
                0 => format!("line:{}", source.line).into(),
                nth => format!("line:{}.{}", source.line, nth + 1).into(),
            };
            entry.parent = self.trail.last;
            self.push(entry);
        }
        for child in &record.children.0 {
            let Some(id) = child.id.as_deref().filter(|id| !id.is_empty()) else {
                continue;
            };
            let call = child.call.as_deref().and_then(|call| self.trail.call(call));
            let label = Some(child.title.head.clone()).filter(|title| !title.is_empty());
            self.reading.session.links.push(SessionLink {
                kind: LinkKind::Subagent,
                native_id: id.to_owned(),
                path: None,
                at: call.map(|(ix, _)| ix),
                label,
            });
        }
    }

    fn take_entry(&mut self, record: &Record<'_>, source: SourceSpan, recovered: bool) {
        let (id, first) = self.id_of(record, source.line);
        let mut entry = entry_of(record, id, source);
        if let Some(first) = first {
            let known = self.reading.session.entry(first);
            if known.preview == entry.preview && known.estimate() == entry.estimate() {
                let merged = Merged {
                    line: source.line,
                    into: first,
                };
                self.reading.session.merged.push(merged);
                return;
            }
            let reason = "the record has the id of an earlier one and says something else; it is \
                          shown as an entry of its own";
            self.warn(source.line, reason);
        }
        entry.recovered = recovered;
        self.name_provider(signer(record), &mut entry);
        self.find_parent(record, &mut entry);
        self.name_results(record, &mut entry);
        if let Some(anchor) = record.anchor.id.as_deref() {
            self.find_kept(anchor, &mut entry);
        }
        self.note_session(record, &entry);
        let is_fork = self.native.forked_at.as_deref() == record.id.as_deref();
        let ix = self.push(entry);
        if is_fork && self.native.forked_at.take().is_some() {
            let links = self.reading.session.links.iter_mut();
            for link in links.filter(|link| link.kind == LinkKind::ForkedFrom) {
                link.at = Some(ix);
            }
        }
    }

    /// The record's id, or one made up; and the entry that has the stored one already.
    fn id_of(&self, record: &Record<'_>, line: u32) -> (EntryId, Option<EntryIx>) {
        let stored = record.id.as_deref().filter(|id| !id.is_empty());
        let outcome = record.turn_id.as_deref().filter(|id| !id.is_empty());
        let id: Option<EntryId> = match (stored, outcome) {
            (Some(id), _) => Some(id.into()),
            (None, Some(turn)) => Some(format!("outcome-{turn}").into()),
            (None, None) => None,
        };
        let first = id.as_ref().and_then(|id| self.trail.entry(id.as_str()));
        match id {
            Some(id) if first.is_none() => (id, None),
            _ => {
                let id = match self.reading.session.entries_on(line) {
                    0 => format!("line:{line}"),
                    nth => format!("line:{line}.{}", nth + 1),
                };
                (id.into(), first)
            }
        }
    }

    /// Rows name the row before; other records stand where the file has them.
    fn find_parent(&mut self, record: &Record<'_>, entry: &mut Entry) {
        entry.parent = self.trail.last;
        let Some(named) = record.parent_id.as_deref().filter(|id| !id.is_empty()) else {
            return;
        };
        if Some(named) == record.id.as_deref() {
            let reason = "the entry is its own parent; the record before it is taken as its parent";
            return self.warn(entry.source.line, reason);
        }
        match self.trail.entry(named) {
            Some(parent) => entry.parent = Some(self.trail.tip(parent)),
            None => {
                entry.missing_parent = Some(named.into());
                if entry.parent.is_some() {
                    self.warn(entry.source.line, GUESSED);
                }
            }
        }
    }

    /// A model of the user's is one of the provider that signs its reasoning, from the first signed
    /// reply on.
    fn name_provider(&mut self, signer: Option<&str>, entry: &mut Entry) {
        let Some(model) = entry.model.as_mut().filter(|own| &*own.provider == OF_USER) else {
            return;
        };
        let signers = &mut self.native.signers;
        if let Some(signer) = signer.filter(|name| !name.is_empty()) {
            signers.insert(model.model.to_string(), signer.to_owned());
        }
        if let Some(signer) = signers.get(&*model.model) {
            model.provider = signer.as_str().into();
        }
    }

    /// Results name only the call; the tool's name stands there.
    fn name_results(&mut self, record: &Record<'_>, entry: &mut Entry) {
        let blocks = record.message.content.blocks.iter();
        let results = blocks.filter(|block| block.is_result());
        let sizes = entry.messages.iter_mut();
        let sizes = sizes.filter(|size| size.native_role == RESULT);
        for (size, block) in sizes.zip(results) {
            let call = block.call_id.as_deref();
            let call = call.and_then(|id| self.trail.call(id));
            size.tool_name = call.map(|(_, name)| name.into());
        }
    }

    /// The kept tail of a compaction begins behind the last message it dropped.
    fn find_kept(&mut self, anchor: &str, entry: &mut Entry) {
        let EntryKind::Compaction(told) = &mut entry.kind else {
            return;
        };
        let entries = &self.reading.session.entries;
        let anchor = self.trail.entry(anchor);
        let mut kept = None;
        // An anchor that is not in the file is not above.
        let mut at = entry.parent.filter(|_| anchor.is_some());
        while let Some(ix) = at
            && at != anchor
            && self.trail.walk.step()
        {
            let above = &entries[ix.get()];
            if !above.messages.is_empty() && !matches!(above.kind, EntryKind::Compaction(_)) {
                kept = Some(ix);
            }
            // Upwards only, so that it ends.
            at = above.parent.filter(|parent| *parent < ix);
        }
        if at.is_none() || at != anchor {
            return self.warn(entry.source.line, NO_ANCHOR);
        }
        told.first_kept = kept;
        told.first_kept_id = kept.map(|ix| entries[ix.get()].id.clone());
    }

    fn note_session(&mut self, record: &Record<'_>, entry: &Entry) {
        let meta = &mut self.reading.session.meta;
        meta.created_at_ms = meta.created_at_ms.or(entry.at_ms);
        meta.updated_at_ms = meta.updated_at_ms.max(entry.at_ms);
        let is_prompt = entry.kind == EntryKind::Message(palimpsest_core::Role::User)
            && said_in(record) == Said::Prompt;
        if is_prompt && !self.native.is_named && meta.title.is_none() {
            meta.title = title_of_prompt(&entry.preview);
        }
    }

    fn push(&mut self, entry: Entry) -> EntryIx {
        let session = &mut self.reading.session;
        let ix = EntryIx::new(session.entries.len());
        self.trail.add(ix, &entry);
        if !entry.recovered {
            session.active_leaf = Some(ix);
        }
        self.reading.state.last_entry_id = Some(entry.id.as_str().to_owned());
        session.entries.push(entry);
        ix
    }

    pub fn warn(&mut self, line: u32, reason: &str) {
        self.reading.session.warnings.push(Warning {
            line: Some(line),
            reason: reason.to_owned(),
        });
    }
}

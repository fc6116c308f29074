//! Records into entries: headers, turns, the chain, and what repeats what.

use super::json::{count, field, some_text, text};
use super::lines::{Announcement, ends_lookout};
use super::state::{Index, Native, Recent, is_said};
use crate::Reading;
use crate::measure::head;
use crate::time::parse_iso;
use palimpsest_core::session::{LinkKind, SessionLink};
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{
    Category, Entry, EntryId, EntryIx, EntryKind, Merged, Role, SourceSpan, Warning,
};
use serde_json::Value;
use std::borrow::Cow;

/// Milliseconds after a fork's first record within which its copied records are written.
const COPIED_WITHIN_MS: i64 = 1000;
/// Entries looked back for the one that an event repeats.
const LOOK_BACK: usize = 24;

/// A reading in progress.
pub(super) struct Take<'r> {
    pub reading: &'r mut Reading,
    pub native: Native,
    pub index: Box<Index>,
    /// The entry the next one follows.
    last: Option<EntryIx>,
}

/// A record with where it is from.
pub(super) struct Record<'v> {
    pub payload: &'v Value,
    pub whole: &'v Value,
    pub source: SourceSpan,
    pub at_ms: Option<i64>,
    pub recovered: bool,
}

impl<'r> Take<'r> {
    pub fn new(reading: &'r mut Reading, native: Native, index: Box<Index>) -> Take<'r> {
        let last = reading.state.last_entry_id.as_deref();
        let last = last.and_then(|id| index.by_id(id));
        Take {
            reading,
            native,
            index,
            last,
        }
    }

    /// What is to be kept.
    pub fn finish(mut self) -> (Native, Box<Index>) {
        self.keep_recent();
        (self.native, self.index)
    }

    pub fn warn(&mut self, line: u32, reason: &str) {
        self.reading.session.warnings.push(Warning {
            line: Some(line),
            reason: reason.to_owned(),
        });
    }

    /// Takes one record.
    pub fn record(&mut self, whole: &Value, source: SourceSpan, recovered: bool) {
        let record = Record {
            payload: field(whole, "payload"),
            whole,
            source,
            at_ms: some_text(whole, "timestamp").and_then(parse_iso),
            recovered,
        };
        self.native.begun_ms = self.native.begun_ms.or(record.at_ms);
        // Before the record is taken: it may be the first of the session itself.
        if self.native.copying && self.ends_copy(&record) {
            self.native.copying = false;
        }
        match text(whole, "type") {
            "session_meta" => self.header(&record),
            "response_item" => self.item(&record),
            "event_msg" => self.event(&record),
            "turn_context" => self.turn_context(&record),
            "compacted" => self.compacted(&record),
            "token_usage_record" => self.usage_record(&record),
            name @ ("world_state"
            | "inter_agent_communication"
            | "inter_agent_communication_metadata"
            | "retained_context"
            | "security_risk_score"
            | "realtime_item") => self.custom(&record, name),
            "" => {
                let reason = "a record without a type, kept as an opaque entry";
                self.warn(source.line, reason);
                self.opaque(&record, "");
            }
            name => self.opaque(&record, name),
        }
    }

    /// True while records of another session are read.
    pub fn is_inherited(&self, source: SourceSpan) -> bool {
        self.native.copying || source.line < self.native.own_line
    }

    fn header(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        let id = text(payload, "id");
        let foreign = record.source.line < self.native.own_line;
        if !foreign && self.reading.state.has_header && self.native.has_own_header {
            // A resume writes its header again; a legacy fork copies its parent's.
            self.native.copying |= id != self.native.thread;
            let own = self.native.header.clone();
            let own = own.and_then(|own| self.index.by_id(&own));
            self.merge(record.source.line, own);
            return;
        }
        if !foreign {
            self.native.has_own_header = true;
            self.native.thread = id.to_owned();
            self.own_header(record);
        }
        let meta = &mut self.reading.session.meta;
        if foreign && meta.native_id.is_empty() {
            // The own header comes after the parent's records; its id is in the file's name.
            let own = super::places::thread_of(&meta.path);
            meta.native_id = own.unwrap_or(id).to_owned();
        }
        self.reading.state.has_header = true;
        if let Some(provider) = some_text(payload, "model_provider") {
            self.native.provider = provider.to_owned();
        }
        let base = some_text(field(payload, "history_base"), "thread_id");
        if let Some(missing) = base
            && self.reading.state.last_entry_id.is_none()
        {
            let reason = format!(
                "continues thread {missing}, whose file is missing; only the continuation is \
                 shown. Restore that file to see the whole session"
            );
            self.warn(record.source.line, &reason);
        }
        let mut entry = self.entry(record, "session_meta");
        let cwd = text(payload, "cwd");
        let version = text(payload, "cli_version");
        entry.preview = head(&format!("Codex {version} in {cwd}"));
        let ix = self.push(record, entry);
        self.native.header = Some(self.reading.session.entry(ix).id.to_string());
    }

    fn own_header(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        let base = field(payload, "history_base");
        let subagent = field(field(field(payload, "source"), "subagent"), "thread_spawn");
        let spawned_by = some_text(payload, "parent_thread_id")
            .or_else(|| some_text(subagent, "parent_thread_id"));
        let forked = some_text(payload, "forked_from_id");
        let thread = text(payload, "id");
        let parent = if let Some(parent) = spawned_by {
            Some((parent, LinkKind::SubagentOf))
        } else if let Some(parent) = forked {
            Some((parent, LinkKind::ForkedFrom))
        } else {
            some_text(base, "thread_id").map(|parent| {
                // An edited earlier turn: the thread goes on in a file of its own.
                let kind = if parent == thread {
                    LinkKind::Continues
                } else {
                    LinkKind::ForkedFrom
                };
                (parent, kind)
            })
        };
        let meta = &mut self.reading.session.meta;
        meta.native_id = thread.to_owned();
        meta.cwd = some_text(payload, "cwd").map(str::to_owned);
        if let Some(branch) = some_text(field(payload, "git"), "branch") {
            meta.on_branch(branch);
        }
        meta.agent_version = some_text(payload, "cli_version").map(str::to_owned);
        meta.parent_session = parent.map(|(id, _)| id.to_owned());
        meta.parent_kind = parent.map(|(_, kind)| kind);
        let made = some_text(payload, "timestamp").and_then(parse_iso);
        meta.created_at_ms = made.or(record.at_ms);
    }

    /// True for the first record that a fork wrote itself: it names the fork's own thread, a turn
    /// younger than the thread (ids carry their time), or comes later than a copy takes.
    fn ends_copy(&self, record: &Record<'_>) -> bool {
        let own = &self.native.thread;
        let payload = record.payload;
        let kind = match text(record.whole, "type") {
            "event_msg" => text(payload, "type"),
            kind => kind,
        };
        if kind == "session_meta" {
            return false;
        }
        if let Some(thread) = some_text(payload, "thread_id") {
            return thread == own;
        }
        if matches!(kind, "task_started" | "turn_context")
            && let Some(turn) = some_text(payload, "turn_id").and_then(uuid_time)
            && let Some(own) = uuid_time(own)
        {
            return turn >= own;
        }
        // Copied records get the time of the fork, all within a moment (0.169).
        match (record.at_ms, self.native.begun_ms) {
            (Some(at), Some(begun)) => at > begun + COPIED_WITHIN_MS,
            _ => false,
        }
    }

    fn turn_context(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        let model = text(payload, "model");
        let effort = text(payload, "effort");
        let turn = text(payload, "turn_id");
        let other_model = !model.is_empty() && model != self.native.model;
        let other_effort = !effort.is_empty() && effort != self.native.effort;
        // Some versions write it again before every step.
        if !other_model
            && !other_effort
            && let Some(before) = self.native.turn_context.clone()
            && turn == self.native.turn
        {
            let before = self.index.by_id(&before);
            self.merge(record.source.line, before);
            return;
        }
        if !model.is_empty() {
            self.native.model = model.to_owned();
        }
        if !effort.is_empty() {
            self.native.effort = effort.to_owned();
        }
        self.native.turn = turn.to_owned();
        let mut entry = self.entry(record, "turn_context");
        entry.preview = head(model);
        if other_effort {
            entry.kind = EntryKind::ThinkingChange {
                level: effort.into(),
            };
            entry.preview = head(&format!("{model}, {effort}"));
        } else if other_model {
            entry.kind = EntryKind::ModelChange;
        }
        if other_effort || other_model {
            entry.model = self.native.model_ref();
        }
        let ix = self.push(record, entry);
        self.native.turn_context = Some(self.reading.session.entry(ix).id.to_string());
    }

    /// Drops the newest user turns: what comes next follows the entry before them.
    pub fn rolled_back(&mut self, record: &Record<'_>) {
        let turns = count(record.payload, "num_turns").unwrap_or(0);
        let mut entry = self.entry(record, "thread_rolled_back");
        entry.preview = head(&format!("{turns} turns rolled back"));
        self.push(record, entry);
        if record.recovered {
            return;
        }
        let mut cut = None;
        for _ in 0..turns {
            match self.native.cuts.pop() {
                Some(before) => cut = Some(before),
                None => break,
            }
        }
        let Some(cut) = cut else {
            if turns > 0 {
                let reason = "rolls back turns that are not in this file, ignored";
                self.warn(record.source.line, reason);
            }
            return;
        };
        let newest = self
            .last
            .and_then(|marker| self.reading.session.entry(marker).parent);
        self.last = cut.as_deref().and_then(|id| self.index.by_id(id));
        self.reading.take_back(newest, self.last);
        if newest.is_none() {
            // The turns are in what was read before.
            self.reading.leads_back();
        }
        self.reading.state.last_entry_id = cut;
        self.reading.session.active_leaf = self.last.or(self.reading.session.active_leaf);
    }

    pub fn custom(&mut self, record: &Record<'_>, name: &str) {
        let entry = self.entry(record, name);
        self.push(record, entry);
    }

    pub fn opaque(&mut self, record: &Record<'_>, name: &str) {
        let mut entry = self.entry(record, name);
        entry.kind = EntryKind::Opaque {
            type_name: name.into(),
        };
        self.push(record, entry);
    }

    /// An entry without messages.
    pub fn entry(&self, record: &Record<'_>, name: &str) -> Entry {
        Entry {
            id: self.id_of(record),
            parent: None,
            missing_parent: None,
            kind: EntryKind::Custom {
                custom_type: name.into(),
            },
            at_ms: record.at_ms,
            source: record.source,
            messages: Vec::new(),
            tool_calls: Vec::new(),
            usage: None,
            usage_trusted: false,
            stop_reason: None,
            is_error: false,
            model: None,
            preview: head(name),
            recovered: record.recovered,
            sidechain: false,
            subagent: None,
            side_agent: None,
            rejected: false,
            undone: false,
        }
    }

    /// The stored id, else the ordinal, else the line: the first that is not taken.
    fn id_of(&self, record: &Record<'_>) -> EntryId {
        let has_id = matches!(text(record.whole, "type"), "response_item" | "session_meta");
        let stored = some_text(record.payload, "id").filter(|_| has_id);
        let ordinal = count(record.whole, "ordinal").map(|number| format!("ordinal:{number}"));
        let line = format!("line:{}", record.source.line);
        let free = |id: &String| self.index.by_id(id).is_none();
        let names = stored.map(str::to_owned).into_iter().chain(ordinal);
        let nth = (2..).map(|nth| format!("{line}.{nth}"));
        let id = names.chain([line.clone()]).chain(nth).find(free);
        id.unwrap_or(line).into()
    }

    /// Adds an entry after the last one.
    pub fn push(&mut self, record: &Record<'_>, mut entry: Entry) -> EntryIx {
        match self.last {
            Some(last) => entry.parent = Some(last),
            None => {
                let missing = self.reading.state.last_entry_id.as_deref();
                entry.missing_parent = missing.map(Into::into);
            }
        }
        let said = !entry.messages.is_empty();
        entry.undone = said && self.reading.is_foretold(entry.source.line);
        let session = &mut self.reading.session;
        let ix = EntryIx::new(session.entries.len());
        let meta = &mut session.meta;
        meta.updated_at_ms = meta.updated_at_ms.max(entry.at_ms);
        match &entry.kind {
            EntryKind::SessionInfo { name: Some(name) } => meta.title = Some(head(name).into()),
            EntryKind::Message(Role::User) if meta.title.is_none() => {
                meta.title = title_of_prompt(&entry.preview);
            }
            _ => {}
        }
        let id = entry.id.to_string();
        if some_text(record.payload, "id").is_some_and(|stored| stored == id) {
            self.native.items.note(&id);
        }
        for call in &entry.tool_calls {
            self.native.items.note(&call.call_id);
        }
        session.entries.push(entry);
        self.index.add(session, ix);
        // Codex skips the line, so nothing descends from its records.
        if !record.recovered {
            self.last = Some(ix);
            session.active_leaf = Some(ix);
            self.reading.state.last_entry_id = Some(id);
        }
        self.reading.state.records += 1;
        let line = record.source.line;
        let expected = std::mem::take(&mut self.native.expected);
        for (item, event) in expected {
            if item == line {
                self.merge(event, Some(ix));
            } else {
                self.native.expected.push((item, event));
            }
        }
        ix
    }

    /// Notes that a line repeats an entry; nothing is noted of one that lies before this reading.
    pub fn merge(&mut self, line: u32, into: Option<EntryIx>) {
        if let Some(into) = into {
            self.index.repeat(into);
            self.reading.session.merged.push(Merged { line, into });
        }
    }

    /// Notes that an event became an entry because the item that it announces has not been written.
    pub fn wait_for_item(&mut self, event: &Value) {
        self.native.alone.push(event.to_string());
    }

    /// Looks whether a record is the item of an event that an earlier reading took for an entry.
    pub fn look_for_events(&mut self, record: &Value) {
        if self.native.alone.is_empty() {
            return;
        }
        let is_item = self.native.alone.iter().any(|event| {
            let event = serde_json::from_str::<Value>(event).unwrap_or_default();
            Announcement::of(&event).is_some_and(|event| event.is_of(record))
        });
        if is_item {
            self.reading.leads_back();
        }
        if is_item || ends_lookout(record) {
            self.native.alone.clear();
        }
    }

    /// Notes that the event on line `event` is repeated by the item on line `item`.
    pub fn expect(&mut self, item: u32, event: u32) {
        self.native.expected.push((item, event));
    }

    /// True when an item to come repeats the event on `line`.
    pub fn is_expected(&self, line: u32) -> bool {
        self.native.expected.iter().any(|&(_, event)| event == line)
    }

    /// The entry that an event repeats, among those read.
    pub fn repeated(&self, event: &Announcement<'_>) -> Option<EntryIx> {
        let by_id = |id: &str| self.index.by_id(id).or_else(|| self.index.by_call(id));
        if let Some(found) = event.id.and_then(by_id) {
            return Some(found);
        }
        let (role, words) = event.words.as_ref()?;
        let preview = head(words);
        let entries = &self.reading.session.entries;
        let nearest = (0..entries.len()).rev().take(LOOK_BACK);
        let mut said = nearest.map(EntryIx::new).filter(|&ix| {
            let message = self.message_at(ix);
            message.is_some_and(|message| is_said(message, (*role, words), &preview))
                // A prompt said twice has two items and two events.
                && !(role.is_some() && self.index.is_repeated(ix))
        });
        said.next()
    }

    /// Role, bytes of text and first words of a message.
    fn message_at(&self, ix: EntryIx) -> Option<(&'static str, u64, &str)> {
        let entry = self.reading.session.entry(ix);
        let size = entry.messages.first()?;
        let of_text = |(category, bytes): &(Category, u64)| match category {
            Category::Images => 0,
            _ => *bytes,
        };
        let bytes = size.units.iter().map(of_text).sum();
        Some((size.native_role, bytes, &entry.preview))
    }

    /// True when an event may repeat an item that an earlier reading took.
    pub fn may_repeat_earlier(&self, event: &Announcement<'_>) -> bool {
        if !self.reading.is_resumed() {
            return false;
        }
        let of_words = |(role, words): &(Option<&'static str>, Cow<'_, str>)| {
            let preview = head(words);
            let mut recent = self.native.recent.iter();
            recent.any(|recent| {
                let message = (recent.role.as_str(), recent.bytes, recent.preview.as_str());
                is_said(message, (*role, words), &preview)
            })
        };
        event.id.is_some_and(|id| self.native.items.has(id))
            || event.words.as_ref().is_some_and(of_words)
    }

    /// Notes of the last entries what an event to come may repeat.
    fn keep_recent(&mut self) {
        let count = self.reading.session.entries.len();
        let from = count.saturating_sub(LOOK_BACK);
        let told = ["user", "assistant", super::item::REASONING];
        let newest = (from..count).map(EntryIx::new).filter_map(|ix| {
            let (role, bytes, preview) = self.message_at(ix)?;
            // Reasoning is repeated part by part.
            let is_done = self.index.is_repeated(ix) && role != super::item::REASONING;
            (told.contains(&role) && !is_done).then(|| Recent {
                role: role.to_owned(),
                bytes,
                preview: preview.to_owned(),
            })
        });
        let newest: Vec<Recent> = newest.collect();
        if !self.reading.is_resumed() {
            self.native.recent.clear();
        }
        self.native.recent.extend(newest);
        let surplus = self.native.recent.len().saturating_sub(LOOK_BACK);
        self.native.recent.drain(..surplus);
    }

    /// Links a subagent that was started here.
    pub fn link_agent(&mut self, thread: &str, at: Option<EntryIx>, label: Option<&str>) {
        if !self.native.agents.insert(thread.to_owned()) {
            return;
        }
        self.reading.session.links.push(SessionLink {
            kind: LinkKind::Subagent,
            native_id: thread.to_owned(),
            path: None,
            at,
            label: label.map(Into::into),
        });
    }

    /// The id of the entry that the next one follows.
    pub fn last_id(&self) -> Option<String> {
        self.reading.state.last_entry_id.clone()
    }

    /// The entries from the root to the last one, as far as they are in this reading; only the newest
    /// ones where compactions went up too often.
    pub fn path(&mut self) -> Vec<EntryIx> {
        let mut path = Vec::new();
        let mut next = self.last;
        while let Some(ix) = next.filter(|_| self.index.walk.step()) {
            path.push(ix);
            next = self.reading.session.entry(ix).parent;
        }
        path.reverse();
        path
    }
}

/// Unix milliseconds in a UUID of version 7.
fn uuid_time(id: &str) -> Option<u64> {
    let hex: String = id.chars().filter(|&c| c != '-').take(13).collect();
    let (time, version) = hex.split_at_checked(12)?;
    (version == "7").then(|| u64::from_str_radix(time, 16).ok())?
}

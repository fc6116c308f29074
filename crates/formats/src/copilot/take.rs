//! Records into entries: the chain of each conversation, and what names the session.

use super::state::{Index, Native};
use super::{kinds, window};
use crate::Reading;
use crate::json::{count, field, some_text, text};
use crate::measure::head;
use crate::time::parse_iso;
use palimpsest_core::session::{LinkKind, SessionLink};
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{Entry, EntryId, EntryIx, EntryKind, Role, SourceSpan, Warning};
use serde_json::Value;

/// A reading in progress.
pub(super) struct Take<'r> {
    pub reading: &'r mut Reading,
    pub native: Native,
    pub index: Box<Index>,
}

/// A record with where it is from.
pub(super) struct Record<'v> {
    pub kind: &'v str,
    pub data: &'v Value,
    pub whole: &'v Value,
    /// The subagent whose conversation it is of; empty for the session's own.
    pub agent: &'v str,
    pub source: SourceSpan,
    pub at_ms: Option<i64>,
    pub recovered: bool,
}

impl<'r> Take<'r> {
    pub fn new(reading: &'r mut Reading, native: Native, index: Box<Index>) -> Take<'r> {
        Take {
            reading,
            native,
            index,
        }
    }

    /// What is to be kept.
    pub fn finish(self) -> (Native, Box<Index>) {
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
        let data = field(whole, "data");
        // Before events named the subagent they named the call that had started it.
        let agent = some_text(whole, "agentId").or_else(|| some_text(data, "parentToolCallId"));
        let record = Record {
            kind: text(whole, "type"),
            data,
            whole,
            agent: agent.unwrap_or_default(),
            source,
            at_ms: some_text(whole, "timestamp").and_then(parse_iso),
            recovered,
        };
        match record.kind {
            "session.start" => self.start(&record),
            "session.resume" | "session.context_changed" => self.resumed(&record),
            "session.model_change" => self.model_changed(&record),
            "session.info" => self.info(&record),
            "session.title_changed" => self.named(&record, text(data, "title")),
            "session.snapshot_rewind" => self.rewound(&record),
            "session.handoff" => self.handed_off(&record),
            "session.usage_record" => self.usage_record(&record),
            "session.shutdown" => self.shutdown(&record),
            "session.compaction_start" => self.compaction_start(&record),
            "session.compaction_complete" => self.compaction_complete(&record),
            "session.truncation" => self.truncated(&record),
            "permission.completed" => self.permission(&record),
            "user.message"
            | "assistant.message"
            | "tool.execution_complete"
            | "system.message"
            | "system.notification" => self.said(&record),
            "assistant.turn_end" | "abort" => self.turn_ended(&record),
            "" => {
                let reason = "a record without a type, kept as an opaque entry";
                self.warn(source.line, reason);
                self.other(&record);
            }
            _ => self.other(&record),
        }
    }

    /// A record without a message: known by its type, or opaque.
    pub fn other(&mut self, record: &Record<'_>) {
        let entry = self.entry(record);
        self.push(record, entry);
    }

    fn start(&mut self, record: &Record<'_>) {
        let data = record.data;
        let id = text(data, "sessionId");
        let is_first = !self.reading.state.has_header;
        if is_first && !record.recovered && record.agent.is_empty() {
            self.reading.state.has_header = true;
            self.native.session = id.to_owned();
            let meta = &mut self.reading.session.meta;
            meta.native_id = id.to_owned();
            meta.format_version = count(data, "version").map(|own| own.min(1 << 20) as u32);
            let begun = some_text(data, "startTime").and_then(parse_iso);
            meta.created_at_ms = begun.or(record.at_ms);
        }
        if let Some(version) = some_text(data, "copilotVersion") {
            self.reading.session.meta.agent_version = Some(version.to_owned());
        }
        self.place(data);
        let mut entry = self.entry(record);
        let version = text(data, "copilotVersion");
        let cwd = text(field(data, "context"), "cwd");
        entry.preview = head(&format!("Copilot {version} in {cwd}"));
        self.model_named(&mut entry, text(data, "selectedModel"));
        self.effort_named(&mut entry, text(data, "reasoningEffort"));
        self.push(record, entry);
    }

    /// Folder and branch at the moment.
    fn place(&mut self, data: &Value) {
        let context = match field(data, "context") {
            Value::Null => data,
            context => context,
        };
        let told = &mut self.native.told;
        if told.cwd.is_none() {
            told.cwd = some_text(context, "cwd").map(str::to_owned);
        }
        if let Some(branch) = some_text(context, "branch") {
            let meta = &mut self.reading.session.meta;
            if !std::mem::replace(&mut told.has_branch, true) {
                meta.branches.clear();
            }
            meta.on_branch(branch);
        }
    }

    fn resumed(&mut self, record: &Record<'_>) {
        self.place(record.data);
        let mut entry = self.entry(record);
        self.model_named(&mut entry, text(record.data, "selectedModel"));
        self.push(record, entry);
    }

    fn model_changed(&mut self, record: &Record<'_>) {
        let mut entry = self.entry(record);
        let model = text(record.data, "newModel");
        entry.preview = head(model);
        self.model_named(&mut entry, model);
        self.effort_named(&mut entry, text(record.data, "reasoningEffort"));
        if entry.model.is_some() && matches!(entry.kind, EntryKind::Custom { .. }) {
            entry.kind = EntryKind::ModelChange;
        }
        self.push(record, entry);
    }

    /// Notes the model that a record chooses; one of a subagent is that subagent's.
    fn model_named(&mut self, entry: &mut Entry, model: &str) {
        if model.is_empty() {
            return;
        }
        if !entry.sidechain {
            self.native.model = model.to_owned();
        }
        entry.model = self.native.model_ref(model);
    }

    fn effort_named(&mut self, entry: &mut Entry, effort: &str) {
        if effort.is_empty() || !entry.sidechain && effort == self.native.effort {
            return;
        }
        if !entry.sidechain {
            self.native.effort = effort.to_owned();
        }
        entry.kind = EntryKind::ThinkingChange {
            level: effort.into(),
        };
    }

    /// A fork says in words what it is of: the only link to its parent (1.0.102).
    fn info(&mut self, record: &Record<'_>) {
        let told = text(record.data, "message");
        let mut entry = self.entry(record);
        entry.preview = head(told);
        if text(record.data, "infoType") != "fork" {
            self.push(record, entry);
            return;
        }
        let ids = ids_in(told);
        if let Some(&parent) = ids.first()
            && parent != self.native.session
        {
            let meta = &mut self.reading.session.meta;
            meta.parent_session = Some(parent.to_owned());
            meta.parent_kind = Some(LinkKind::ForkedFrom);
        }
        // A fork of a fork has copied this record with the name of the first.
        let is_own = ids.len() > 1 && ids.last() == Some(&self.native.session.as_str());
        if let Some(name) = name_in(told).filter(|_| is_own) {
            entry.kind = EntryKind::SessionInfo {
                name: Some(name.into()),
            };
        }
        self.push(record, entry);
    }

    fn named(&mut self, record: &Record<'_>, name: &str) {
        let mut entry = self.entry(record);
        entry.preview = head(name);
        if !name.is_empty() && record.agent.is_empty() {
            entry.kind = EntryKind::SessionInfo {
                name: Some(name.into()),
            };
        }
        self.push(record, entry);
    }

    /// What follows is said in place of an earlier event and all after it. Later versions delete the
    /// lines instead.
    fn rewound(&mut self, record: &Record<'_>) {
        let upto = text(record.data, "upToEventId");
        let removed = count(record.data, "eventsRemoved").unwrap_or(0);
        let mut entry = self.entry(record);
        entry.preview = head(&format!("{removed} events taken back"));
        let marker = self.push(record, entry);
        if record.recovered || !record.agent.is_empty() {
            return;
        }
        let before = match self.native.take_back(upto) {
            Some(before) => before,
            None => {
                let first = self.index.by_id(upto);
                let Some(first) = first.map(|ix| self.reading.session.entry(ix)) else {
                    self.reading.leads_back();
                    return;
                };
                if first.sidechain {
                    return;
                }
                let before = first.parent.map(|ix| self.reading.session.entry(ix));
                before.map(|entry| entry.id.to_string())
            }
        };
        let leaf = before.as_deref().and_then(|id| self.index.by_id(id));
        if leaf.is_none() {
            self.reading.leads_back();
        }
        let newest = self.reading.session.entry(marker).parent;
        self.reading.take_back(newest, leaf);
        let session = &mut self.reading.session;
        session.active_leaf = leaf.or(session.active_leaf);
        self.reading.state.last_entry_id = before;
    }

    fn handed_off(&mut self, record: &Record<'_>) {
        let mut entry = self.entry(record);
        let summary = text(record.data, "summary");
        entry.preview = head(&format!("{}: {summary}", record.kind));
        let ix = self.push(record, entry);
        if let Some(remote) = some_text(record.data, "remoteSessionId") {
            self.reading.session.links.push(SessionLink {
                kind: LinkKind::Continues,
                native_id: remote.to_owned(),
                path: None,
                at: Some(ix),
                label: None,
            });
        }
    }

    fn permission(&mut self, record: &Record<'_>) {
        let answer = text(field(record.data, "result"), "kind");
        if answer.starts_with("denied")
            && let Some(call) = some_text(record.data, "toolCallId")
        {
            self.native.refuse(call);
        }
        let mut entry = self.entry(record);
        entry.preview = head(&format!("{}: {answer}", record.kind));
        self.push(record, entry);
    }

    /// An entry without messages.
    pub fn entry(&self, record: &Record<'_>) -> Entry {
        let kind = if kinds::is_known(record.kind) {
            EntryKind::Custom {
                custom_type: record.kind.into(),
            }
        } else {
            EntryKind::Opaque {
                type_name: record.kind.into(),
            }
        };
        Entry {
            id: self.id_of(record),
            parent: None,
            missing_parent: None,
            kind,
            at_ms: record.at_ms,
            source: record.source,
            messages: Vec::new(),
            tool_calls: Vec::new(),
            usage: None,
            usage_trusted: false,
            stop_reason: None,
            is_error: matches!(
                record.kind,
                "session.error" | "model.call_failure" | "subagent.failed"
            ),
            model: None,
            preview: told(record),
            recovered: record.recovered,
            sidechain: !record.agent.is_empty(),
            subagent: None,
            side_agent: (!record.agent.is_empty()).then(|| record.agent.into()),
            rejected: false,
            undone: false,
        }
    }

    /// The stored id, else the line: the first that is not taken.
    fn id_of(&self, record: &Record<'_>) -> EntryId {
        let stored = some_text(record.whole, "id").map(str::to_owned);
        let line = format!("line:{}", record.source.line);
        let free = |id: &String| self.index.by_id(id).is_none();
        // Several recovered records can be on one line.
        let on_line = self.reading.session.entries_on(record.source.line);
        let nth = (on_line + 1..).map(|nth| format!("{line}.{nth}"));
        let id = stored
            .into_iter()
            .chain([line.clone()])
            .chain(nth)
            .find(free);
        id.unwrap_or(line).into()
    }

    /// Adds an entry to its conversation.
    pub fn push(&mut self, record: &Record<'_>, mut entry: Entry) -> EntryIx {
        let begins = entry.sidechain && self.newest_of(record.agent).is_none();
        self.link(record, &mut entry);
        // A subagent begins at a call, which may have been read before.
        if begins && entry.parent.is_none() {
            self.reading.leads_back();
        }
        let said = !entry.messages.is_empty();
        entry.undone = said && self.reading.is_foretold(entry.source.line);
        let session = &mut self.reading.session;
        let ix = EntryIx::new(session.entries.len());
        let meta = &mut session.meta;
        meta.updated_at_ms = meta.updated_at_ms.max(entry.at_ms);
        let told = &mut self.native.told;
        match &entry.kind {
            EntryKind::SessionInfo { name: Some(name) } => told.name = Some(name.to_string()),
            EntryKind::Message(Role::User) if told.prompt.is_none() && !entry.sidechain => {
                told.prompt = title_of_prompt(&entry.preview);
            }
            _ => {}
        }
        let id = entry.id.to_string();
        let (sidechain, recovered) = (entry.sidechain, entry.recovered);
        session.entries.push(entry);
        self.index.add(session, ix);
        let has_main = self.reading.state.last_entry_id.is_some();
        if recovered || sidechain {
            // Only where the session has no conversation of its own.
            if !has_main {
                session.active_leaf = session.active_leaf.or(Some(ix));
            }
            // Nothing descends from a record that Copilot skips.
            if !recovered {
                self.set_last_of(record.agent, id);
            }
        } else {
            session.active_leaf = Some(ix);
            self.reading.state.last_entry_id = Some(id);
        }
        self.reading.state.records += 1;
        ix
    }

    fn set_last_of(&mut self, agent: &str, id: String) {
        match self.native.agents.get_mut(agent) {
            Some(last) => *last = id,
            None => _ = self.native.agents.insert(agent.to_owned(), id),
        }
    }

    /// Sets what the entry follows: the newest entry of its conversation. A subagent's begins at
    /// the call that started it.
    fn link(&self, record: &Record<'_>, entry: &mut Entry) {
        let newest = self.newest_of(record.agent);
        let begins = || self.begins_below(record);
        let above = newest.map(str::to_owned);
        let above = above.or_else(|| entry.sidechain.then(begins).flatten());
        let Some(above) = above else { return };
        match self.index.by_id(&above) {
            Some(parent) => entry.parent = Some(parent),
            // Read before; the index knows it.
            None => entry.missing_parent = Some(above.into()),
        }
    }

    /// The newest entry of a conversation.
    pub fn newest_of(&self, agent: &str) -> Option<&str> {
        if agent.is_empty() {
            return self.reading.state.last_entry_id.as_deref();
        }
        self.native.agents.get(agent).map(String::as_str)
    }

    /// The call that started a subagent, else the newest entry of the session.
    fn begins_below(&self, record: &Record<'_>) -> Option<String> {
        let call =
            some_text(record.data, "toolCallId").filter(|_| record.kind == "subagent.started");
        let call = call.or_else(|| some_text(record.data, "parentToolCallId"));
        let call = call.unwrap_or_default();
        let known = self.native.call(call).map(|call| call.entry.clone());
        let entry = known.or_else(|| {
            let ix = self.index.by_call(call)?;
            Some(self.reading.session.entry(ix).id.to_string())
        });
        entry.or_else(|| self.reading.state.last_entry_id.clone())
    }
}

/// The first words of a record without a message.
fn told(record: &Record<'_>) -> Box<str> {
    let (kind, data) = (record.kind, record.data);
    if let Some(tokens) = count(data, "tokenLimit") {
        return window::preview(kind, tokens);
    }
    let request = field(data, "permissionRequest");
    let asked = ["fullCommandText", "path", "fileName", "intention"]
        .iter()
        .find_map(|key| some_text(request, key));
    let called = || {
        let name = some_text(data, "toolName")?;
        let arguments = field(data, "arguments");
        Some(super::calls::preview(name, arguments, &[]).into_string())
    };
    const TELLING: [&str; 9] = [
        "message",
        "error",
        "reason",
        "agentDisplayName",
        "name",
        "content",
        "summary",
        "intent",
        "newMode",
    ];
    let words = asked.map(str::to_owned).or_else(called).or_else(|| {
        TELLING
            .iter()
            .find_map(|key| some_text(data, key))
            .map(str::to_owned)
    });
    match words {
        Some(words) => head(&format!("{kind}: {words}")),
        None => head(kind),
    }
}

/// The ids of sessions in parentheses, in order.
fn ids_in(told: &str) -> Vec<&str> {
    let parts = told.split('(').skip(1);
    let inside = parts.filter_map(|part| part.split_once(')').map(|(id, _)| id));
    inside
        .filter(|id| {
            id.len() == 36
                && id
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        })
        .collect()
}

/// The name that a fork got: in quotes behind the last `as`.
fn name_in(told: &str) -> Option<String> {
    let (_, rest) = told.rsplit_once(" as \"")?;
    let (name, _) = rest.rsplit_once("\" (")?;
    let name = name.replace("\\n", " ").replace("\\\"", "\"");
    Some(name).filter(|name| !name.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_tells_its_parent_and_its_name() {
        let parent = "ef406ef5-fbc4-4c04-a6c9-0ac26fb7ea8d";
        let own = "8a582f83-56a9-4ab6-a5d5-8e0e9d37efaf";
        let told =
            format!("Forked from \"a (b) as \\\"c\\\"\" ({parent}) as \"mill (fork)\" ({own}).");
        assert_eq!(ids_in(&told), [parent, own]);
        assert_eq!(name_in(&told).as_deref(), Some("mill (fork)"));
        assert_eq!(name_in("Forked."), None);
    }
}

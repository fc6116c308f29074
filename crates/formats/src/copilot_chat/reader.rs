//! The lines of a chat into entries.

use super::message;
use crate::Reading;
use crate::by_bytes;
use crate::json::{count, field, parse, some_text, text};
use crate::jsonl::{self, LineText, plain, read_lines};
use crate::measure::head;
use palimpsest_core::entry::{Compaction, ModelRef, Trigger};
use palimpsest_core::title::title_of_prompt;
use palimpsest_core::{Entry, EntryId, EntryIx, EntryKind, Role, SourceSpan, Usage, Warning};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a resume needs; kept in [`crate::ReadState::native`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Native {
    /// The newest entry of what was not taken back.
    visible: Option<String>,
    /// True within a request that the user took back.
    hidden: bool,
    /// True within a request that only asked for a summary.
    by_command: bool,
    /// The newest entries of the last request, of each round and of all before the newest request.
    rounds: BTreeMap<String, String>,
    /// The newest entry before the newest request.
    before: Option<String>,
}

/// Ids of the session read so far.
#[derive(Default)]
struct Index(HashMap<Box<str>, EntryIx>);

/// Reads the lines of `chunk` into `reading`; see [`crate::SessionFormat::read`].
pub(super) fn read(reading: &mut Reading, chunk: &[u8], at_end: bool) -> usize {
    let native: Native = serde_json::from_value(reading.state.native.take()).unwrap_or_default();
    let session = &reading.session;
    let index = reading.scratch.take_or(|| {
        let ids = session
            .indices()
            .map(|ix| (session.entry(ix).id.0.clone(), ix));
        Index(ids.collect())
    });
    let mut kept = (native, index);
    let consumed = read_lines(reading, chunk, at_end, |reading, line| {
        let (native, index) = &mut kept;
        Take {
            reading,
            native,
            index,
        }
        .line(line);
    });
    let (native, index) = kept;
    reading.scratch.put(index);
    reading.state.native = serde_json::to_value(native).unwrap_or_default();
    consumed
}

struct Take<'r> {
    reading: &'r mut Reading,
    native: &'r mut Native,
    index: &'r mut Index,
}

impl Take<'_> {
    fn warn(&mut self, line: u32, reason: String) {
        let line = Some(line);
        self.reading.session.warnings.push(Warning { line, reason });
    }

    fn line(&mut self, line: &[u8]) {
        let state = &self.reading.state;
        let number = state.line;
        let line = LineText::of(line, state.offset, number);
        if line.is_blank() {
            return;
        }
        if line.lossy() {
            self.warn(number, jsonl::NOT_UTF8.to_owned());
        }
        match parse(&line.text) {
            Ok(record @ Value::Object(_)) => self.record(&record, line.span),
            Ok(_) => self.warn(
                number,
                "a JSON value that is not a record, skipped".to_owned(),
            ),
            Err(error) => {
                let reason = format!("not a JSON record ({}), skipped", plain(&error));
                self.warn(number, reason);
            }
        }
    }

    fn record(&mut self, record: &Value, source: SourceSpan) {
        match text(record, "type") {
            "chat" => self.header(record, source.line),
            "prompt" => {
                if !self.native.hidden {
                    self.native.before = self.native.visible.clone();
                }
                self.native.hidden = record.get("hidden").and_then(Value::as_bool) == Some(true);
                // What was taken back is a branch of its own.
                self.reading.state.last_entry_id = self.native.visible.clone();
                self.native.by_command = text(record, "command") == "compact";
                self.push(record, source);
            }
            _ => self.push(record, source),
        }
    }

    fn header(&mut self, record: &Value, line: u32) {
        let chat = field(record, "chat");
        let session = &mut self.reading.session;
        session.headers.push(line);
        if self.reading.state.has_header {
            return;
        }
        self.reading.state.has_header = true;
        let meta = &mut session.meta;
        meta.native_id = text(chat, "sessionId").to_owned();
        meta.format_version = count(chat, "version").map(|own| own.min(1 << 20) as u32);
        meta.cwd = some_text(record, "folder").map(str::to_owned);
        meta.agent_version = some_text(record, "extensionVersion").map(str::to_owned);
        meta.title = some_text(chat, "customTitle").map(|title| head(title).into());
        meta.created_at_ms = time(chat, "creationDate");
        meta.updated_at_ms = time(chat, "lastMessageDate");
    }

    fn push(&mut self, record: &Value, source: SourceSpan) {
        let mut entry = self.entry(record, source);
        if let Some(own) = message::message(record) {
            entry.tool_calls = message::briefs(record);
            entry.preview = message::preview(&own, &entry.tool_calls);
            entry.messages = vec![by_bytes::sized(&own, by_bytes::units(&own))];
            entry.kind = EntryKind::Message(own.role);
        }
        let kind = text(record, "type");
        match kind {
            "prompt" | "round" => {
                entry.model = model(text(record, "model"));
                entry.usage = usage(field(record, "usage"));
                entry.usage_trusted = entry.usage.is_some();
            }
            "summary" => entry.kind = self.compaction(record),
            "error" => entry.is_error = true,
            _ => {}
        }
        entry.undone = self.native.hidden;
        let parent = self.reading.state.last_entry_id.clone();
        match parent.as_deref().map(|id| (id, self.index.0.get(id))) {
            Some((_, Some(&parent))) => entry.parent = Some(parent),
            Some((id, None)) => entry.missing_parent = Some(id.into()),
            None => {}
        }
        let id = entry.id.to_string();
        let session = &mut self.reading.session;
        let ix = EntryIx::new(session.entries.len());
        let meta = &mut session.meta;
        meta.updated_at_ms = meta.updated_at_ms.max(entry.at_ms);
        if entry.kind == EntryKind::Message(Role::User) && meta.title.is_none() {
            meta.title = title_of_prompt(&entry.preview);
        }
        session.entries.push(entry);
        self.index.0.insert(id.as_str().into(), ix);
        if matches!(kind, "round" | "result") {
            let round = match kind {
                "round" => some_text(record, "round"),
                _ => None,
            };
            self.round_grows(round, &id);
        }
        let leaf = &mut self.reading.session.active_leaf;
        if !self.native.hidden || leaf.is_none() {
            *leaf = Some(ix);
        }
        if !self.native.hidden {
            self.native.visible = Some(id.clone());
        }
        self.reading.state.last_entry_id = Some(id);
        self.reading.state.records += 1;
    }

    /// Notes the newest entry of a round: its results follow it.
    fn round_grows(&mut self, round: Option<&str>, id: &str) {
        const NEWEST: &str = "";
        if let Some(round) = round {
            self.native
                .rounds
                .insert(NEWEST.to_owned(), round.to_owned());
        }
        if let Some(newest) = self.native.rounds.get(NEWEST).cloned() {
            self.native
                .rounds
                .insert(format!("round:{newest}"), id.to_owned());
        }
    }

    /// A summary replaces everything up to a round; what followed that stays.
    fn compaction(&self, record: &Value) -> EntryKind {
        let path = self.path();
        let upto = match text(record, "upto") {
            "" => path.last().copied(),
            "previous" => self.native.before.as_deref().and_then(|id| self.by_id(id)),
            round => {
                let newest = self.native.rounds.get(&format!("round:{round}"));
                newest.and_then(|id| self.by_id(id))
            }
        };
        let session = &self.reading.session;
        let on_path: HashSet<EntryIx> = path.iter().copied().collect();
        let upto = upto.filter(|ix| on_path.contains(ix));
        let kept = path.iter().copied().filter(|&ix| {
            let entry = session.entry(ix);
            upto.is_some_and(|upto| ix > upto) && matches!(entry.kind, EntryKind::Message(_))
        });
        EntryKind::Compaction(Box::new(Compaction {
            kept: kept.collect(),
            trigger: Some(if self.native.by_command {
                Trigger::Manual
            } else {
                Trigger::Auto
            }),
            ..Compaction::default()
        }))
    }

    fn by_id(&self, id: &str) -> Option<EntryIx> {
        self.index.0.get(id).copied()
    }

    fn path(&self) -> Vec<EntryIx> {
        let last = self.reading.state.last_entry_id.as_deref();
        let mut next = last.and_then(|id| self.by_id(id));
        let mut path = Vec::new();
        while let Some(ix) = next {
            path.push(ix);
            next = self.reading.session.entry(ix).parent;
        }
        path.reverse();
        path
    }

    /// An entry without a message.
    fn entry(&self, record: &Value, source: SourceSpan) -> Entry {
        let kind = text(record, "type");
        let shown = some_text(record, "text").or_else(|| some_text(record, "kind"));
        let named = match kind {
            "part" => text(record, "kind"),
            other => other,
        };
        Entry {
            id: self.id_of(record, source.line),
            parent: None,
            missing_parent: None,
            kind: match kind {
                "error" => EntryKind::Custom {
                    custom_type: "error".into(),
                },
                _ => EntryKind::Opaque {
                    type_name: named.into(),
                },
            },
            at_ms: time(record, "at"),
            source,
            messages: Vec::new(),
            tool_calls: Vec::new(),
            usage: None,
            usage_trusted: false,
            stop_reason: None,
            is_error: false,
            model: None,
            preview: head(shown.unwrap_or(kind)),
            recovered: false,
            sidechain: false,
            subagent: None,
            side_agent: None,
            rejected: false,
            undone: false,
        }
    }

    fn id_of(&self, record: &Value, line: u32) -> EntryId {
        let stored = some_text(record, "id").map(str::to_owned);
        let line = format!("line:{line}");
        let free = |id: &String| !self.index.0.contains_key(id.as_str());
        let nth = (2..).map(|nth| format!("{line}.{nth}"));
        let id = stored
            .into_iter()
            .chain([line.clone()])
            .chain(nth)
            .find(free);
        id.unwrap_or(line).into()
    }
}

fn time(holder: &Value, key: &str) -> Option<i64> {
    let number = field(holder, key);
    number
        .as_i64()
        .or_else(|| number.as_f64().map(|ms| ms as i64))
}

/// `copilot/claude-sonnet-4.5`: the vendor and the model.
fn model(name: &str) -> Option<ModelRef> {
    let (provider, model) = name.split_once('/').unwrap_or(("copilot", name));
    (!model.is_empty()).then(|| ModelRef {
        provider: provider.into(),
        model: model.into(),
    })
}

fn usage(told: &Value) -> Option<Usage> {
    Some(Usage {
        input: count(told, "input")?,
        output: count(told, "output").unwrap_or(0),
        ..Usage::default()
    })
}

//! OpenCode's sessions in the form of `opencode export`, which `opencode import` takes (1.18).
//!
//! Sessions, messages and parts have new ids, so that an import never touches the original: twelve
//! hex digits of the time and a counter, descending for sessions, then letters and digits. A
//! compaction is a pair: a user message that asks for it and names the kept tail, and the reply
//! with the summary.

use crate::expected::ExpectedItem;
use crate::parts::Parts;
use crate::planned::NewSession;
use crate::refusal::{Refusal, check_summary};
use crate::request::{Change, Kept, NewCompaction, Request};
use palimpsest_core::{Block, EntryIx, Message, Role};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The reader's words for the message that asks for a summary.
const QUESTION: &str = "(asks what was done so far)";

/// A session to import.
pub(crate) fn new_session(request: &Request<'_>) -> Result<NewSession, Refusal> {
    let mut writer = Writer::new(request);
    let items = request.context.items.iter().cloned();
    let originals = items.clone().map(ExpectedItem::Original);
    let path = &request.context.path;
    let context = match request.change {
        Change::None => {
            writer.copy(path, None)?;
            originals.collect()
        }
        Change::BranchSummary { text, .. } | Change::Message { text } => {
            check_summary(text)?;
            writer.copy(path, None)?;
            writer.user(json!({ "type": "text", "text": text }));
            originals.chain([told(Role::User, "user", text)]).collect()
        }
        Change::Replace { summary, text } => {
            check_summary(text)?;
            if request.context.compaction != Some(*summary) {
                let id = request.session.name_of(*summary);
                return Err(Refusal::NoSummary { id });
            }
            writer.copy(path, Some((*summary, text)))?;
            let is_summary = |ix: Option<&EntryIx>| ix == Some(summary);
            items
                .map(|item| {
                    if is_summary(item.entries.first()) {
                        told(Role::Assistant, "summary", text)
                    } else {
                        ExpectedItem::Original(item)
                    }
                })
                .collect()
        }
        Change::Compaction(new) => {
            check_summary(&new.text)?;
            compacted(&mut writer, new)?
        }
    };
    if writer.messages.is_empty() {
        return Err(Refusal::Empty);
    }
    let id = writer.session.clone();
    // Kilo is a fork of OpenCode with the same commands.
    let version = request.session.meta.agent_version.as_deref();
    let is_kilo = version.is_some_and(|version| version.starts_with("Kilo "));
    let program = if is_kilo { "kilo" } else { "opencode" };
    Ok(NewSession {
        bytes: writer.finish(),
        file_name: format!("{id}.json"),
        context,
        resume: [program, "import", "{path}", "&&", program, "--session", &id]
            .map(str::to_owned)
            .to_vec(),
        native_id: id,
        found_as: None,
    })
}

fn told(role: Role, native_role: &'static str, text: &str) -> ExpectedItem {
    ExpectedItem::New(Message {
        role,
        native_role,
        blocks: vec![Block::Text(text.to_owned())],
        tool: None,
        sent: true,
    })
}

fn compacted(writer: &mut Writer<'_>, new: &NewCompaction) -> Result<Vec<ExpectedItem>, Refusal> {
    let request = writer.request;
    let parts = Parts::of(request, new)?;
    let path = &request.context.path;
    let place = path.iter().position(|&ix| ix == new.after).unwrap_or(0);
    writer.copy(&path[..=place], None)?;
    let mut asks = json!({ "type": "compaction", "auto": false });
    match &new.kept {
        Kept::Nothing => {}
        Kept::From(first) => {
            let tail = writer.ids.get(first).cloned();
            let id = request.session.name_of(*first);
            asks["tail_start_id"] = tail.ok_or(Refusal::NotKeepable { id })?.into();
        }
        // The pair names where the tail begins, and nothing between.
        Kept::These(entries) => {
            let id = entries.first().map(|&ix| request.session.name_of(ix));
            return Err(Refusal::NotKeepable {
                id: id.unwrap_or_default(),
            });
        }
    }
    let asked = writer.user(asks);
    writer.summary(&asked, &new.text);
    writer.copy(&parts.later, None)?;
    let [kept, later] = parts.items(request, new);
    let mut all = vec![
        told(Role::User, "compaction", QUESTION),
        told(Role::Assistant, "summary", &new.text),
    ];
    all.extend(kept);
    all.extend(later);
    Ok(all)
}

struct Writer<'a> {
    request: &'a Request<'a>,
    session: String,
    messages: Vec<Value>,
    /// New ids of copied messages, by entry.
    ids: HashMap<EntryIx, String>,
    /// New ids by those stored, for references.
    by_stored: HashMap<String, String>,
    counter: u64,
    /// The newest copied user message and reply, whose agent and model new ones have.
    user: Map<String, Value>,
    reply: Map<String, Value>,
}

impl<'a> Writer<'a> {
    fn new(request: &'a Request<'a>) -> Writer<'a> {
        let mut writer = Writer {
            request,
            session: String::new(),
            messages: Vec::new(),
            ids: HashMap::new(),
            by_stored: HashMap::new(),
            counter: 0,
            user: Map::new(),
            reply: Map::new(),
        };
        // The newest session has the smallest id.
        writer.session = writer.id("ses", true);
        writer
    }

    /// Prefix, twelve hex digits of the time times 4096 plus a counter, fourteen of base 62.
    fn id(&mut self, prefix: &str, descending: bool) -> String {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        self.counter += 1;
        let now = u64::try_from(self.request.fresh.now_ms).unwrap_or(0);
        let stamp = now.wrapping_mul(4096).wrapping_add(self.counter);
        let stamp = if descending { !stamp } else { stamp } & 0xffff_ffff_ffff;
        let uuid = self.request.fresh.nth_uuid(self.counter);
        let hex: String = uuid
            .chars()
            .filter(char::is_ascii_hexdigit)
            .skip(14)
            .collect();
        let mut bits = u64::from_str_radix(&hex, 16).unwrap_or(self.counter);
        let mut tail = String::new();
        for _ in 0..14 {
            tail.push(char::from(DIGITS[(bits % 62) as usize]));
            // 14 digits need more bits than the uuid has; the counter makes the ids differ.
            bits = (bits / 62).wrapping_add(bits << 40);
        }
        format!("{prefix}_{stamp:012x}{tail}")
    }

    fn copy(&mut self, entries: &[EntryIx], new: Option<(EntryIx, &str)>) -> Result<(), Refusal> {
        for &ix in entries {
            let raw = self.request.records.record(ix)?;
            let line = self.request.session.entry(ix).source.line;
            let text = String::from_utf8_lossy(&raw);
            let mut records = Vec::new();
            for record in text.split('\n').filter(|record| !record.trim().is_empty()) {
                let parsed: Result<Map<String, Value>, _> = serde_json::from_str(record);
                records.push(parsed.map_err(|error| Refusal::Record {
                    line,
                    reason: error.to_string(),
                })?);
            }
            let Some((info, parts)) = records.split_first() else {
                continue;
            };
            if !info.contains_key("role") {
                // To-do lists and states of the session are no messages.
                continue;
            }
            let replaced = new.filter(|(summary, _)| *summary == ix);
            self.message(ix, info.clone(), parts, replaced.map(|(_, text)| text));
        }
        Ok(())
    }

    fn message(
        &mut self,
        ix: EntryIx,
        mut info: Map<String, Value>,
        parts: &[Map<String, Value>],
        text: Option<&str>,
    ) {
        let id = self.id("msg", false);
        if let Some(stored) = info.get("id").and_then(Value::as_str) {
            self.by_stored.insert(stored.to_owned(), id.clone());
        }
        self.ids.insert(ix, id.clone());
        let stored_id = info.insert("id".into(), id.clone().into());
        info.insert("sessionID".into(), self.session.clone().into());
        self.refer(&mut info, "parentID");
        match info.get("role").and_then(Value::as_str) {
            Some("user") => self.user = info.clone(),
            _ => self.reply = info.clone(),
        }
        let of_message = |part: &&Map<String, Value>| part.get("messageID") == stored_id.as_ref();
        let mut told = text;
        let mut copied = Vec::new();
        for part in parts.iter().filter(of_message) {
            let mut part = part.clone();
            let kind = part
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            if kind == "text" && text.is_some() {
                // One text in place of all that the reply had.
                let Some(new) = told.take() else { continue };
                part.insert("text".into(), new.into());
            }
            self.refer(&mut part, "tail_start_id");
            copied.push(self.part(&id, part));
        }
        self.messages.push(json!({ "info": info, "parts": copied }));
    }

    /// Replaces a stored id by the new one of the same message.
    fn refer(&self, holder: &mut Map<String, Value>, key: &str) {
        let stored = holder.get(key).and_then(Value::as_str);
        if let Some(new) = stored.and_then(|stored| self.by_stored.get(stored)) {
            holder.insert(key.to_owned(), new.clone().into());
        }
    }

    fn part(&mut self, message: &str, mut part: Map<String, Value>) -> Value {
        part.insert("id".into(), self.id("prt", false).into());
        part.insert("sessionID".into(), self.session.clone().into());
        part.insert("messageID".into(), message.into());
        Value::Object(part)
    }

    /// A message in the user's place; its id.
    fn user(&mut self, part: Value) -> String {
        let id = self.id("msg", false);
        let info = json!({
            "id": id, "sessionID": self.session, "role": "user",
            "time": { "created": self.request.fresh.now_ms },
            "agent": self.user.get("agent").cloned().unwrap_or("build".into()),
            "model": self.user.get("model").cloned().unwrap_or_else(|| self.model()),
        });
        let part = part.as_object().cloned().unwrap_or_default();
        let part = self.part(&id, part);
        self.messages.push(json!({ "info": info, "parts": [part] }));
        id
    }

    fn model(&self) -> Value {
        let word = |key: &str| self.reply.get(key).cloned().unwrap_or_default();
        json!({ "providerID": word("providerID"), "modelID": word("modelID") })
    }

    fn summary(&mut self, asked: &str, text: &str) {
        let id = self.id("msg", false);
        let now = self.request.fresh.now_ms;
        let none =
            json!({ "input": 0, "output": 0, "reasoning": 0, "cache": { "read": 0, "write": 0 } });
        let cwd = self.request.session.meta.cwd.clone().unwrap_or_default();
        let word = |key: &str| self.reply.get(key).cloned().unwrap_or("".into());
        let info = json!({
            "id": id, "sessionID": self.session, "role": "assistant", "parentID": asked,
            "modelID": word("modelID"), "providerID": word("providerID"),
            "mode": "compaction", "agent": "compaction", "summary": true, "finish": "stop",
            "path": self.reply.get("path").cloned().unwrap_or(json!({ "cwd": cwd, "root": cwd })),
            "cost": 0, "tokens": none, "time": { "created": now, "completed": now },
        });
        let part = json!({ "type": "text", "text": text, "time": { "start": now, "end": now } });
        let part = self.part(&id, part.as_object().cloned().unwrap_or_default());
        self.messages.push(json!({ "info": info, "parts": [part] }));
    }

    fn finish(self) -> Vec<u8> {
        let meta = &self.request.session.meta;
        let now = self.request.fresh.now_ms;
        let word = |value: Option<&String>| value.cloned().unwrap_or_default();
        let version = word(meta.agent_version.as_ref());
        // The name of the program that counts so is no part of it.
        let version = version.rsplit(' ').next().unwrap_or_default();
        let slug = self.session.chars().rev().take(8).collect::<String>();
        let info = json!({
            "id": self.session, "slug": slug.to_lowercase(), "projectID": "global",
            "directory": word(meta.cwd.as_ref()), "path": "", "title": word(meta.title.as_ref()),
            "version": version, "time": { "created": now, "updated": now },
        });
        let document = json!({ "info": info, "messages": self.messages });
        let mut bytes = document.to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }
}

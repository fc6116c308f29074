//! A saved chat as lines: the chat, then its messages, oldest first.

use super::reader::WINDOW;
use crate::json::{count, field, items, parse};
use crate::{Addressed, Assembly, Disk, Document};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Pages inside pages, at most.
const DEPTH: usize = 4;

/// Puts saved chats together.
pub(super) struct Saved;

impl Assembly for Saved {
    fn sessions(&self, file: &Path, disk: &dyn Disk) -> io::Result<Vec<Addressed>> {
        Ok(vec![Addressed {
            address: file.to_string_lossy().into_owned(),
            stamp: disk.stamp(file)?,
        }])
    }

    fn document(&self, address: &str, disk: &dyn Disk) -> io::Result<Document> {
        let bytes = disk.read(Path::new(address), u64::MAX)?;
        let text = String::from_utf8_lossy(crate::jsonl::without_mark(&bytes));
        let lines = match parse(text.trim()) {
            Ok(saved) => lines(&saved),
            // What is no JSON is kept on one line for the reader to complain about.
            Err(_) => text.trim().replace(['\n', '\r'], " ") + "\n",
        };
        Ok(Document {
            bytes: lines.into_bytes(),
            ..Document::default()
        })
    }
}

fn lines(saved: &Value) -> String {
    let mut found = Found::default();
    found.take(saved, 0);
    let mut out = String::new();
    let mut add = |record: &Value| {
        out.push_str(&record.to_string());
        out.push('\n');
    };
    if let Some(chat) = &found.chat {
        add(chat);
    }
    let mut known = None;
    for message in found.messages.values() {
        // The window is stored with every message; a line says where it is another.
        let window = count(field(message, "usage"), "context_limit").filter(|&limit| limit > 0);
        if window.is_some() && window != known {
            let mut record = Map::new();
            record.insert("type".to_owned(), WINDOW.into());
            record.insert("before".to_owned(), field(message, "id").clone());
            record.insert("context_limit".to_owned(), window.into());
            add(&Value::Object(record));
            known = window;
        }
        add(message);
    }
    found.others.iter().for_each(&mut add);
    out
}

#[derive(Default)]
struct Found {
    chat: Option<Value>,
    /// Messages by their numbers, which rise with time; a page that was saved twice counts once.
    messages: BTreeMap<i64, Value>,
    /// What has no number: queued messages, damaged ones.
    others: Vec<Value>,
}

impl Found {
    fn take(&mut self, saved: &Value, depth: usize) {
        if depth > DEPTH {
            return self.others.push(saved.clone());
        }
        match saved {
            Value::Array(pages) => pages.iter().for_each(|page| self.take(page, depth + 1)),
            Value::Object(object) => {
                if saved.get("role").is_some() {
                    return self.message(saved);
                }
                let messages = items(saved, "messages").iter();
                messages.for_each(|message| self.message(message));
                let queued = items(saved, "queued_messages").iter();
                self.others.extend(queued.cloned());
                let chat = field(saved, "chat");
                if chat.is_object() {
                    // Messages may have been saved within the chat.
                    self.chat.get_or_insert_with(|| without_messages(chat));
                    let held = items(chat, "messages").iter();
                    held.for_each(|message| self.message(message));
                } else if object.contains_key("organization_id") {
                    self.chat.get_or_insert_with(|| without_messages(saved));
                }
            }
            other => self.others.push(other.clone()),
        }
    }

    fn message(&mut self, message: &Value) {
        match field(message, "id").as_i64() {
            Some(id) => {
                self.messages.entry(id).or_insert_with(|| message.clone());
            }
            None => self.others.push(message.clone()),
        }
    }
}

fn without_messages(chat: &Value) -> Value {
    let mut chat = chat.clone();
    if let Some(object) = chat.as_object_mut() {
        object.shift_remove("messages");
        object.shift_remove("queued_messages");
    }
    chat
}

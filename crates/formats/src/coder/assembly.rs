//! A saved chat as lines: the chat, then its messages, oldest first.

use super::reader::WINDOW;
use crate::json::{count, field, parse};
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
        let bytes = match parse(text.trim()) {
            Ok(saved) => lines(saved),
            // What is no JSON is kept on one line for the reader to complain about.
            Err(_) => (text.trim().replace(['\n', '\r'], " ") + "\n").into_bytes(),
        };
        Ok(Document {
            bytes,
            ..Document::default()
        })
    }
}

fn lines(saved: Value) -> Vec<u8> {
    let mut found = Found::default();
    found.take(saved, 0);
    let mut out = Vec::new();
    let mut add = |record: &Value| {
        // Writing to memory does not fail.
        serde_json::to_writer(&mut out, record).ok();
        out.push(b'\n');
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
    /// Takes a document apart; its messages are moved, because a chat can have many megabytes.
    fn take(&mut self, saved: Value, depth: usize) {
        if depth > DEPTH {
            return self.others.push(saved);
        }
        match saved {
            Value::Array(pages) => {
                for page in pages {
                    self.take(page, depth + 1);
                }
            }
            Value::Object(object) if object.contains_key("role") => {
                self.message(Value::Object(object));
            }
            Value::Object(mut object) => {
                self.take_messages(&mut object);
                match object.shift_remove("chat") {
                    Some(Value::Object(mut chat)) => {
                        // Messages may have been saved within the chat.
                        self.take_messages(&mut chat);
                        self.chat.get_or_insert(Value::Object(chat));
                    }
                    _ if object.contains_key("organization_id") => {
                        self.chat.get_or_insert(Value::Object(object));
                    }
                    _ => {}
                }
            }
            other => self.others.push(other),
        }
    }

    fn take_messages(&mut self, object: &mut Map<String, Value>) {
        if let Some(Value::Array(messages)) = object.shift_remove("messages") {
            for message in messages {
                self.message(message);
            }
        }
        if let Some(Value::Array(queued)) = object.shift_remove("queued_messages") {
            self.others.extend(queued);
        }
    }

    fn message(&mut self, message: Value) {
        match field(&message, "id").as_i64() {
            Some(id) => {
                self.messages.entry(id).or_insert(message);
            }
            None => self.others.push(message),
        }
    }
}

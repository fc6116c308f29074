//! The lines of a chunk as records, with a look at those to come.

use super::json::{field, items, text};
use crate::jsonl::{LineText, RawLine, first_line, plain};
use crate::repair::replace_lone_surrogates;
use palimpsest_core::SourceSpan;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::VecDeque;

/// Records looked at for the one that an event announces, other such events not counted.
// In recorded sessions (0.169) the two are neighbours in all 83 pairs: the item precedes
// its event in 35 and follows it in 48. The rest is room for records of other versions.
const LOOK_AHEAD: usize = 4;
/// Lines looked at for it.
const LINES_AHEAD: usize = 16;

/// One line.
pub(super) struct Line {
    /// Bytes up to the next line.
    pub taken: usize,
    /// True when the line end is there.
    pub ended: bool,
    /// True when it holds bytes that are no text.
    pub lossy: bool,
    /// True when a byte order mark stands before it.
    pub marked: bool,
    /// What it holds.
    pub held: Held,
}

/// What a line holds.
pub(super) enum Held {
    /// White space.
    Nothing,
    /// One record.
    Record(Value, SourceSpan),
    /// Several records, and whether something is left over.
    Several(Vec<(Value, SourceSpan)>, bool),
    /// Something else, in words.
    Broken(String),
}

/// What is to be done with an event that repeats an item.
pub(super) enum Announced {
    /// The item is on this line.
    By(u32),
    /// It does not come.
    Alone,
    /// It has not come by the end of what there is, though other records have.
    AloneYet,
    /// It may still come.
    Undecided,
}

/// The lines of a chunk.
pub(super) struct Lines<'c> {
    chunk: &'c [u8],
    at_end: bool,
    /// Where in the chunk, in the source, and in lines the next line to be parsed begins.
    at: usize,
    offset: u64,
    number: u32,
    ready: VecDeque<Line>,
}

impl<'c> Lines<'c> {
    pub fn new(chunk: &'c [u8], at_end: bool, offset: u64, number: u32) -> Lines<'c> {
        Lines {
            chunk,
            at_end,
            at: 0,
            offset,
            number,
            ready: VecDeque::new(),
        }
    }

    /// The next line, where the chunk has it whole.
    pub fn next(&mut self) -> Option<Line> {
        // Parsed at most once: a line that was looked at ahead waits in the queue.
        self.peek(0)?;
        self.ready.pop_front()
    }

    /// The line after `ahead` more.
    fn peek(&mut self, ahead: usize) -> Option<&Line> {
        while self.ready.len() <= ahead {
            let rest = &self.chunk[self.at..];
            let raw = first_line(rest, self.at_end)?;
            let line = parse(raw, self.offset, self.number);
            self.at += raw.taken;
            self.offset += raw.taken as u64;
            self.number += 1;
            self.ready.push_back(line);
        }
        self.ready.get(ahead)
    }

    /// Whether the item that an event tells of follows it.
    pub fn announced(&mut self, event: &Announcement<'_>) -> Announced {
        let (mut ahead, mut records, mut followed) = (0, 0, false);
        while records < LOOK_AHEAD && ahead < LINES_AHEAD {
            let at_end = self.at_end;
            let Some(line) = self.peek(ahead) else {
                // At the very end it may be a moment until the item is there.
                return if at_end && followed {
                    Announced::AloneYet
                } else {
                    Announced::Undecided
                };
            };
            // A last line that is no record yet may become the item.
            if !line.ended && !matches!(line.held, Held::Nothing | Held::Record(..)) {
                return Announced::AloneYet;
            }
            followed |= !matches!(line.held, Held::Nothing);
            ahead += 1;
            match &line.held {
                Held::Nothing => {}
                Held::Record(record, span) => {
                    if event.is_of(record) {
                        return Announced::By(span.line);
                    }
                    // An item of another turn is not the one announced.
                    if ends_lookout(record) {
                        return Announced::Alone;
                    }
                    records += usize::from(Announcement::of(record).is_none());
                }
                _ => records += 1,
            }
        }
        Announced::Alone
    }
}

/// Where a turn ends or another one begins.
pub(super) fn ends_lookout(record: &Value) -> bool {
    match text(record, "type") {
        "event_msg" => matches!(
            text(field(record, "payload"), "type"),
            "task_started" | "task_complete" | "turn_aborted" | "user_message"
        ),
        "response_item" => text(field(record, "payload"), "role") == "user",
        "turn_context" | "compacted" | "session_meta" => true,
        _ => false,
    }
}

/// An event that says what an item of the conversation says.
pub(super) struct Announcement<'e> {
    /// The item's id, where the event has it.
    pub id: Option<&'e str>,
    /// Role and text of the item; no role is the model's reasoning.
    pub words: Option<(Option<&'static str>, Cow<'e, str>)>,
}

impl<'e> Announcement<'e> {
    /// What a record announces or repeats, if it is such an event.
    pub fn of(record: &'e Value) -> Option<Announcement<'e>> {
        if text(record, "type") != "event_msg" {
            return None;
        }
        let event = field(record, "payload");
        let said = |role, words: &'e str| {
            Some(Announcement {
                id: None,
                words: Some((role, Cow::Borrowed(words))),
            })
        };
        match text(event, "type") {
            "user_message" => said(Some("user"), text(event, "message")),
            "agent_message" => said(Some("assistant"), text(event, "message")),
            "agent_reasoning" | "agent_reasoning_raw_content" => said(None, text(event, "text")),
            "item_completed" => {
                let item = field(event, "item");
                let id = Some(text(item, "id")).filter(|id| !id.is_empty());
                let words = match text(item, "type") {
                    "UserMessage" => Some((Some("user"), joined(item))),
                    "AgentMessage" => Some((Some("assistant"), joined(item))),
                    "Reasoning" => Some((None, joined(item))),
                    // These are known by their id only; their items have no text.
                    "WebSearch" | "ImageGeneration" => None,
                    _ => return None,
                };
                Some(Announcement { id, words })
            }
            _ => None,
        }
    }

    /// True when `record` is the item.
    pub fn is_of(&self, record: &Value) -> bool {
        if text(record, "type") != "response_item" {
            return false;
        }
        let item = field(record, "payload");
        if self.id.is_some_and(|id| text(item, "id") == id) {
            return true;
        }
        let Some((role, words)) = &self.words else {
            return false;
        };
        match role {
            Some(role) => {
                text(item, "type") == "message"
                    && text(item, "role") == *role
                    && joined(item) == *words
            }
            None => {
                // Reasoning is announced part by part.
                let parts = items(item, "summary").iter().chain(items(item, "content"));
                text(item, "type") == "reasoning"
                    && parts
                        .map(|part| text(part, "text"))
                        .any(|part| part == words)
            }
        }
    }
}

/// The texts of an item's content.
fn joined(item: &Value) -> Cow<'_, str> {
    match items(item, "content") {
        [one] => Cow::Borrowed(text(one, "text")),
        parts => Cow::Owned(parts.iter().map(|part| text(part, "text")).collect()),
    }
}

fn parse(raw: RawLine<'_>, offset: u64, number: u32) -> Line {
    let line = LineText::of(raw.bytes, offset, number);
    let held = if line.is_blank() {
        Held::Nothing
    } else {
        match one(&line.text) {
            Ok(value @ Value::Object(_)) => Held::Record(value, line.span),
            Ok(_) => Held::Broken("a JSON value that is not a record, skipped".to_owned()),
            Err(error) => several(&line).unwrap_or_else(|| {
                let reason = plain(&error);
                Held::Broken(format!("not a JSON record ({reason}), skipped"))
            }),
        }
    };
    Line {
        taken: raw.taken,
        ended: raw.ended,
        lossy: line.lossy(),
        marked: line.marked,
        held,
    }
}

/// One record; halves of surrogate pairs are replaced.
pub(super) fn one(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| match replace_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(fixed) => serde_json::from_str(&fixed),
    })
}

/// Records glued together on one line, when there is more than one or something after the first.
fn several(line: &LineText<'_>) -> Option<Held> {
    let fixed = replace_lone_surrogates(&line.text);
    let mut values = serde_json::Deserializer::from_str(&fixed).into_iter::<Value>();
    let mut records = Vec::new();
    let mut start = 0;
    while let Some(Ok(value)) = values.next() {
        let end = values.byte_offset();
        let blank = fixed[start..end].len() - fixed[start..end].trim_start().len();
        if value.is_object() {
            records.push((value, line.part(start + blank, end - start - blank)));
        }
        start = end;
    }
    let rest = !fixed[start..].trim().is_empty();
    let glued = fixed[start..].trim_start().starts_with('{') || records.len() > 1;
    (!records.is_empty() && glued).then_some(Held::Several(records, rest))
}

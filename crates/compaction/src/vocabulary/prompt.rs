//! A prompt: as a preset has it, piece by piece while it is filled in, and complete.

use crate::vocabulary::fill::Fill;
use crate::vocabulary::request::RequestMessage;
use crate::vocabulary::slot::{PromptPart, ReplySlot};
use memchr::memmem;
use palimpsest_core::json::utf16_len;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

/// A prompt as a preset has it: a text, or lines to be joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PromptText {
    /// One text.
    Text(String),
    /// Lines without their ends.
    Lines(Vec<String>),
}

impl PromptText {
    /// The text.
    pub fn text(&self) -> String {
        match self {
            PromptText::Text(text) => text.clone(),
            PromptText::Lines(lines) => lines.join("\n"),
        }
    }
}

/// A stretch of text that is filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// Text as it is.
    Text(String),
    /// The reply of the call with this number.
    Reply(usize),
    /// What follows from the reply of the call with this number, and those before it.
    Filled(usize, Fill),
    /// The serialized conversation, shared: it can be as long as the session.
    Conversation(Arc<Conversation>),
    /// The same as a text from which nothing is left out.
    Quoted(Arc<Conversation>),
    /// One text where messages stay behind the summary, another where none do.
    ByTail {
        /// Whether any stay, as far as is known.
        stays: bool,
        /// What is said then.
        with: String,
        /// What is said otherwise.
        without: String,
    },
    /// Several, shared: where each call quotes all replies before it there are many.
    Several(Arc<[Chunk]>),
}

impl Chunk {
    /// Bytes of what stands in a prompt.
    pub(crate) fn len(&self) -> usize {
        match self {
            Chunk::Text(text) => text.len(),
            Chunk::Reply(call) => ReplySlot::mark_len(*call, Fill::Reply) as usize,
            Chunk::Filled(call, fill) => ReplySlot::mark_len(*call, *fill) as usize,
            Chunk::Conversation(own) | Chunk::Quoted(own) => own.len,
            Chunk::ByTail { .. } => self.by_tail().len(),
            Chunk::Several(own) => own.iter().map(Chunk::len).sum(),
        }
    }

    /// What is said by whether messages stay; empty for every other piece.
    fn by_tail(&self) -> &str {
        match self {
            Chunk::ByTail {
                stays,
                with,
                without,
            } => {
                if *stays {
                    with
                } else {
                    without
                }
            }
            _ => "",
        }
    }
}

/// Messages as text, with where each stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// The messages as text; none where they are only counted.
    pub texts: Vec<Arc<String>>,
    /// What stands between two of them.
    pub separator: String,
    /// What stands behind those that `tight` names by position instead.
    pub tight_separator: String,
    /// By position: whether the next text belongs to the same message; may end early.
    pub tight: Vec<bool>,
    /// One part per message that has any text, oldest first; ranges are bytes of the whole.
    pub parts: Vec<PromptPart>,
    /// Bytes of the whole.
    pub len: usize,
    /// UTF-16 units of the whole, also where it is only counted.
    pub units: u64,
    /// The messages as such, where they are sent as such; ranges are bytes of the whole.
    pub messages: Vec<RequestMessage>,
}

impl Conversation {
    /// A text of which no part can be left out.
    pub fn of_text(text: String) -> Conversation {
        Conversation {
            len: text.len(),
            units: utf16_len(&text),
            texts: vec![Arc::new(text)],
            ..Conversation::default()
        }
    }

    /// Puts the whole behind `out`.
    pub fn write(&self, out: &mut String) {
        for (at, text) in self.texts.iter().enumerate() {
            if let Some(before) = at.checked_sub(1) {
                let is_tight = self.tight.get(before).copied().unwrap_or_default();
                out.push_str(if is_tight {
                    &self.tight_separator
                } else {
                    &self.separator
                });
            }
            out.push_str(text);
        }
    }
}

/// The tag that stands right before a piece and is ended right behind it.
fn marker_around(chunks: &[Chunk], at: usize) -> Option<&str> {
    let (Chunk::Text(before), Chunk::Text(behind)) =
        (chunks.get(at.checked_sub(1)?)?, chunks.get(at + 1)?)
    else {
        return None;
    };
    tag_around(before, behind)
}

/// The tag with which `before` ends, where `behind` begins with its end marker.
pub(crate) fn tag_around<'a>(before: &'a str, behind: &str) -> Option<&'a str> {
    let (_, tag) = before.trim_end().strip_suffix('>')?.rsplit_once('<')?;
    let closed = behind.trim_start().strip_prefix("</")?.strip_prefix(tag)?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let fits = closed.starts_with('>') && !tag.is_empty() && tag.chars().all(is_name);
    fits.then_some(tag)
}

/// Takes end markers of `tag` out of `text` from the byte `start` on: text of a session must not end
/// the part of a prompt that is said to hold it, and go on as the prompt itself. What takes their
/// place has the same length, so that every range, count and limit stays, and a conversation of
/// many megabytes is not copied.
pub(crate) fn remove_ends(text: &mut String, start: usize, tag: &str) {
    let end = format!("</{tag}");
    let bytes = text.as_bytes();
    let is_end = |&at: &usize| {
        let here = bytes.get(at..at + end.len());
        here.is_some_and(|here| here.eq_ignore_ascii_case(end.as_bytes()))
    };
    let found: Vec<usize> = memmem::find_iter(bytes.get(start..).unwrap_or_default(), "</")
        .map(|at| start + at)
        .filter(is_end)
        .collect();
    for at in found {
        text.replace_range(at + 1..at + 2, "\\");
    }
}

/// A prompt with everything in its place but the replies of other calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The text; where a reply goes it has a mark.
    pub text: String,
    /// Where the conversation lies, in bytes.
    pub conversation: Range<usize>,
    /// Its parts, in bytes of `text`.
    pub parts: Vec<PromptPart>,
    /// Where replies go.
    pub slots: Vec<ReplySlot>,
    /// UTF-16 units of the text, those of a conversation that is only counted included.
    pub units: u64,
    /// The messages of a conversation that is sent as such, in bytes of `text`.
    pub messages: Vec<RequestMessage>,
}

impl Prompt {
    /// Puts the pieces together.
    pub fn of(chunks: Vec<Chunk>) -> Prompt {
        let mut prompt = Prompt {
            text: String::with_capacity(chunks.iter().map(Chunk::len).sum()),
            ..Prompt::default()
        };
        for (at, chunk) in chunks.iter().enumerate() {
            let start = prompt.text.len();
            prompt.add(chunk);
            if let Some(tag) = marker_around(&chunks, at) {
                remove_ends(&mut prompt.text, start, tag);
            }
        }
        prompt
    }

    fn add(&mut self, chunk: &Chunk) {
        let start = self.text.len();
        match chunk {
            Chunk::Text(text) => {
                self.units += utf16_len(text);
                self.text.push_str(text);
            }
            Chunk::Reply(call) => self.add_slot(*call, Fill::Reply),
            Chunk::Filled(call, fill) => self.add_slot(*call, *fill),
            Chunk::Conversation(conversation) => {
                conversation.write(&mut self.text);
                self.units += conversation.units;
                self.conversation = start..self.text.len();
                self.take_messages(conversation, start);
                self.parts.clone_from(&conversation.parts);
                for part in &mut self.parts {
                    part.range = part.range.start + start..part.range.end + start;
                }
            }
            Chunk::Quoted(conversation) => {
                conversation.write(&mut self.text);
                self.units += conversation.units;
                self.take_messages(conversation, start);
            }
            Chunk::ByTail { .. } => {
                let said = chunk.by_tail();
                self.units += utf16_len(said);
                self.text.push_str(said);
            }
            Chunk::Several(chunks) => chunks.iter().for_each(|chunk| self.add(chunk)),
        }
    }

    fn take_messages(&mut self, conversation: &Conversation, start: usize) {
        let moved = |range: &Range<usize>| range.start + start..range.end + start;
        let messages = conversation.messages.iter();
        self.messages.extend(messages.map(|own| own.at(moved)));
    }

    fn add_slot(&mut self, call: usize, fill: Fill) {
        let start = self.text.len();
        ReplySlot::write_mark(&mut self.text, call, fill);
        let range = start..self.text.len();
        self.units += ReplySlot::mark_len(call, fill);
        self.slots.push(ReplySlot { range, call, fill });
    }
}

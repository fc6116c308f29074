//! The records of a session file as far as the reader needs them: names, links and sizes.

use super::said::told_of_change;
use crate::measure::{Any, Arguments, Flag, Measured, Moment, Number, Shape, Word, record};
use crate::patch;
use crate::rejection::{Rejection, rejection};
use palimpsest_core::entry::FileAccess;
use palimpsest_core::json::utf16_len;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};

record! {
    /// One line.
    Record {
        type_name: Word<'de> = "type",
        id: Word<'de> = "id",
        parent_id: Word<'de> = "parentId",
        timestamp: Moment = "timestamp",
        message: MessageRecord<'de> = "message",
        // session_start
        title: Measured = "title",
        session_title: Measured = "sessionTitle",
        version: Number = "version",
        cwd: Word<'de> = "cwd",
        parent: Word<'de> = "parent",
        forked_at: Word<'de> = "forkedAtMessageId",
        calling_session: Word<'de> = "callingSessionId",
        // agent_turn_outcome
        turn_id: Word<'de> = "turnId",
        reason: Word<'de> = "reason",
        // compaction_state
        summary: Measured = "summaryText",
        summary_kind: Word<'de> = "summaryKind",
        anchor: Anchor<'de> = "anchorMessage",
        system_info: Measured = "systemInfoText",
        // todo_state
        todos: Todos = "todos",
        // what the assembly adds
        settings: SettingsRecord<'de> = "settings",
        before: SettingsRecord<'de> = "before",
        children: Children<'de> = "children",
        unreadable: Measured = "unreadable",
    }
}

record! {
    /// What is said in a row.
    MessageRecord {
        role: Word<'de> = "role",
        content: Content<'de> = "content",
        visibility: Word<'de> = "visibility",
        model: Word<'de> = "modelId",
        provider: Word<'de> = "apiProvider",
        effort: Word<'de> = "reasoningEffort",
        hook: Word<'de> = "hookEventName",
        hook_status: Word<'de> = "hookStatus",
    }
}

record! {
    /// The last message that a compaction dropped.
    Anchor {
        id: Word<'de> = "id",
    }
}

record! {
    /// The settings and totals of a session.
    SettingsRecord {
        model: Word<'de> = "model",
        provider: Word<'de> = "apiProviderLock",
        spent: UsageRecord<'de> = "tokenUsage",
        last: UsageRecord<'de> = "lastCallTokenUsage",
    }
}

record! {
    /// Tokens spent; the input leaves out what was read from and written to the cache (0.225.2).
    UsageRecord {
        input: Number = "inputTokens",
        output: Number = "outputTokens",
        cache_read: Number = "cacheReadTokens",
        cache_write: Number = "cacheCreationTokens",
        thinking: Number = "thinkingTokens",
    }
}

record! {
    /// A session that a call of this one started.
    Child {
        id: Word<'de> = "id",
        call: Word<'de> = "call",
        title: Measured = "title",
    }
}

record! {
    /// One todo.
    Todo {
        content: Measured = "content",
        status: Word<'de> = "status",
    }
}

record! {
    /// One block of a message.
    Block {
        type_name: Word<'de> = "type",
        text: Measured = "text",
        thinking: Measured = "thinking",
        data: Measured = "data",
        signed_by: Word<'de> = "signatureProvider",
        id: Word<'de> = "id",
        name: Word<'de> = "name",
        input: Input = "input",
        call_id: Word<'de> = "tool_use_id",
        is_error: Flag = "is_error",
        content: Inner = "content",
        source: Attachment<'de> = "source",
    }
}

/// A call's arguments, and the files that a patch in them names (`ApplyPatch`, for models of OpenAI).
#[derive(Debug, Default)]
pub(super) struct Input {
    /// Their size and what a list shows of them.
    pub arguments: Arguments,
    /// The files, with what is done to each.
    pub patched: Vec<(String, FileAccess)>,
}

impl<'de> Shape<'de> for Input {
    fn of_text(text: &str) -> Self {
        Input {
            arguments: Arguments::of_text(text),
            patched: patch::files(text),
        }
    }
    fn of_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let mut patched = Vec::new();
        let arguments = Arguments::of_members(map, |_, text| {
            patched.extend(text.map(patch::files).into_iter().flatten());
        })?;
        Ok(Input { arguments, patched })
    }
    fn of_seq<A: SeqAccess<'de>>(seq: A) -> Result<Self, A::Error> {
        Ok(Input {
            arguments: Arguments::of_seq(seq)?,
            patched: Vec::new(),
        })
    }
}

record! {
    /// A file in a message.
    Attachment {
        type_name: Word<'de> = "type",
        data: Measured = "data",
        parsed: Measured = "parsed_data",
    }
}

record! {
    /// One block of a tool's result.
    InnerBlock {
        type_name: Word<'de> = "type",
        text: Measured = "text",
    }
}

/// A list of todos, in short.
#[derive(Debug, Default)]
pub(super) struct Todos {
    /// How many there are.
    pub count: usize,
    /// How many are done.
    pub done: usize,
    /// First words of the one at work.
    pub current: Box<str>,
}

impl<'de> Shape<'de> for Todos {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut todos = Todos::default();
        while let Some(todo) = seq.next_element_seed(Any::<Todo<'de>>::new())? {
            todos.count += 1;
            match todo.status.as_deref() {
                Some("completed") => todos.done += 1,
                Some("in_progress") => todos.current = todo.content.head,
                _ => {}
            }
        }
        Ok(todos)
    }
}

/// The sessions that calls of this one started.
#[derive(Debug, Default)]
pub(super) struct Children<'de>(pub Vec<Child<'de>>);

impl<'de> Shape<'de> for Children<'de> {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut children = Vec::new();
        while let Some(child) = seq.next_element_seed(Any::<Child<'de>>::new())? {
            children.push(child);
        }
        Ok(Children(children))
    }
}

/// The content of a tool's result, as the model got it.
#[derive(Debug, Default)]
pub(super) struct Inner {
    /// UTF-16 units of its texts.
    pub units: u64,
    /// Number of images and documents.
    pub media: u64,
    /// First words of the first text.
    pub head: Box<str>,
    /// The user's refusal, where the text tells of one.
    pub rejection: Option<Rejection>,
}

impl<'de> Shape<'de> for Inner {
    fn of_text(stored: &str) -> Self {
        let told = told_of_change(stored);
        let text = told.as_deref().unwrap_or(stored);
        let measured = Measured::of_text(text);
        Inner {
            units: measured.units,
            media: 0,
            head: measured.head,
            rejection: rejection(text),
        }
    }

    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut inner = Inner::default();
        while let Some(block) = seq.next_element_seed(Any::<InnerBlock<'de>>::new())? {
            match block.type_name.as_deref() {
                Some("image" | "document") => inner.media += 1,
                _ => {
                    inner.units += block.text.units;
                    if inner.head.is_empty() {
                        inner.head = block.text.head;
                    }
                }
            }
        }
        Ok(inner)
    }
}

/// A message's content.
#[derive(Debug, Default)]
pub(super) struct Content<'de> {
    /// The blocks; a plain string is one text.
    pub blocks: Vec<Block<'de>>,
}

impl<'de> Shape<'de> for Content<'de> {
    fn of_text(text: &str) -> Self {
        let block = Block {
            type_name: Word(Some("text".into())),
            text: Measured::of_text(text),
            is_object: true,
            ..Block::default()
        };
        Content {
            blocks: vec![block],
        }
    }

    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = seq.next_element_seed(Any::<Block<'de>>::new())? {
            blocks.push(block);
        }
        Ok(Content { blocks })
    }
}

impl Block<'_> {
    /// True for a result of a tool.
    pub fn is_result(&self) -> bool {
        self.type_name.as_deref() == Some("tool_result")
    }

    /// True for a call of a tool.
    pub fn is_call(&self) -> bool {
        self.type_name.as_deref() == Some("tool_use")
    }

    /// True for an image, and for a document of which the model gets no text.
    pub fn is_media(&self) -> bool {
        match self.type_name.as_deref() {
            Some("image") => true,
            Some("document") => self.document_units() == 0,
            _ => false,
        }
    }

    /// UTF-16 units of a document's text.
    pub fn document_units(&self) -> u64 {
        match self.source.type_name.as_deref() {
            Some("text") => self.source.data.units,
            _ => self.source.parsed.units,
        }
    }

    /// UTF-16 units of a call: its tool and its arguments as JSON.
    pub fn call_units(&self) -> u64 {
        utf16_len(self.name.as_deref().unwrap_or_default()) + self.input.arguments.units
    }
}

/// Parses one record; an error means the text is not one JSON value.
pub(super) fn parse(text: &str) -> Result<Record<'_>, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let record = Any::<Record<'_>>::new().deserialize(&mut parser)?;
    parser.end()?;
    Ok(record)
}

//! The records of a session file as far as a reader needs them: sizes, names and links.

use crate::measure::{
    Any, Arguments, Flag, JsonSize, Measured, Moment, Names, Number, Shape, Word, head, record,
    value,
};
use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use std::marker::PhantomData;

record! {
    /// One line: the header, an entry, or a record of the harness format.
    Record {
        type_name: Word<'de> = "type",
        id: Word<'de> = "id",
        parent_id: Word<'de> = "parentId",
        timestamp: Moment = "timestamp",
        // header
        version: Number = "version",
        cwd: Word<'de> = "cwd",
        parent_session: Word<'de> = "parentSession",
        branched_from: Word<'de> = "branchedFrom",
        // harness
        harness_kind: Word<'de> = "kind",
        created_at: Moment = "createdAt",
        parent_session_id: Word<'de> = "parentSessionId",
        legacy_parent_path: Word<'de> = "legacyParentSessionPath",
        // entries
        message: MessageRecord<'de> = "message",
        provider: Word<'de> = "provider",
        model_id: Word<'de> = "modelId",
        model: Word<'de> = "model",
        thinking_level: Word<'de> = "thinkingLevel",
        summary: Measured = "summary",
        first_kept_id: Word<'de> = "firstKeptEntryId",
        first_kept_index: Number = "firstKeptEntryIndex",
        tokens_before: Number = "tokensBefore",
        details: Details<'de> = "details",
        from_hook: Flag = "fromHook",
        system_message: MessageRecord<'de> = "systemMessage",
        from_id: Word<'de> = "fromId",
        custom_type: Word<'de> = "customType",
        content: Content<'de> = "content",
        display: Flag = "display",
        target_id: Word<'de> = "targetId",
        label: Word<'de> = "label",
        name: Word<'de> = "name",
        usage: UsageRecord<'de> = "usage",
        replacement: Replacement<'de> = "replacement",
    }
}

record! {
    /// A message of any role.
    MessageRecord {
        role: Word<'de> = "role",
        content: Content<'de> = "content",
        timestamp: Moment = "timestamp",
        provider: Word<'de> = "provider",
        model: Word<'de> = "model",
        usage: UsageRecord<'de> = "usage",
        stop_reason: Word<'de> = "stopReason",
        error_message: Measured = "errorMessage",
        tool_name: Word<'de> = "toolName",
        custom_type: Word<'de> = "customType",
        display: Flag = "display",
        is_error: Flag = "isError",
        nested_calls: NestedCalls<'de> = "nestedCalls",
        command: Measured = "command",
        output: Measured = "output",
        excluded: Flag = "excludeFromContext",
        summary: Measured = "summary",
        sections: Sections = "sections",
        tools_added: JsonSize = "toolsAdded",
    }
}

record! {
    /// What a context edit puts in its target's place; not an object when it puts nothing.
    Replacement {
        content: Content<'de> = "content",
    }
}

record! {
    /// The file lists of a summary.
    Details {
        read_files: Names = "readFiles",
        modified_files: Names = "modifiedFiles",
    }
}

record! {
    /// Reported usage.
    UsageRecord {
        input: Number = "input",
        output: Number = "output",
        cache_read: Number = "cacheRead",
        cache_write: Number = "cacheWrite",
        reasoning: Number = "reasoning",
        total: Number = "totalTokens",
        cost: Cost<'de> = "cost",
    }
}

record! {
    /// Cost in US dollars.
    Cost {
        total: Number = "total",
    }
}

record! {
    /// Calls made inside a tool (pi 1.x).
    NestedCalls {
        calls: Calls = "calls",
    }
}

record! {
    /// One block of a message's content, or one nested call.
    Block {
        type_name: Word<'de> = "type",
        text: Measured = "text",
        thinking: Measured = "thinking",
        id: Word<'de> = "id",
        name: Word<'de> = "name",
        arguments: Arguments = "arguments",
    }
}

/// A system message's sections.
#[derive(Debug, Default, Clone)]
pub(super) struct Sections {
    /// Sum of their lengths in UTF-16 units, removed ones left out.
    pub units: u64,
    /// Name and first words of the first section that is set.
    pub head: Box<str>,
    /// Name of the first section that is removed.
    pub removed: Box<str>,
}

impl<'de> Shape<'de> for Sections {
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut sections = Sections::default();
        while let Some(name) = map.next_key::<Word<'de>>()? {
            let name = name.as_deref().unwrap_or_default();
            let text = value::<Measured, A>(&mut map)?;
            sections.units += text.units;
            if text.units == 0 && sections.removed.is_empty() {
                sections.removed = head(name);
            } else if text.units > 0 && sections.head.is_empty() {
                sections.head = head(&format!("{name}: {}", text.head));
            }
        }
        Ok(sections)
    }
}

/// A tool call in short.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub name: Box<str>,
    pub call_id: Box<str>,
    pub path: Option<Box<str>>,
    /// What its arguments say in short.
    pub gist: Box<str>,
}

impl From<&Block<'_>> for Call {
    fn from(block: &Block<'_>) -> Call {
        Call {
            name: block.name.boxed_or_empty(),
            call_id: block.id.boxed_or_empty(),
            path: block.arguments.path.clone(),
            gist: block.arguments.gist.clone(),
        }
    }
}

/// The calls of a list.
#[derive(Debug, Default)]
pub(super) struct Calls(pub Vec<Call>);

impl<'de> Shape<'de> for Calls {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut calls = Vec::new();
        while let Some(block) = seq.next_element_seed(Any::<Block<'de>>::new())? {
            calls.push(Call::from(&block));
        }
        Ok(Calls(calls))
    }
}

/// A message's content: a string or blocks, as sizes by kind of block.
#[derive(Debug, Default)]
pub(super) struct Content<'de> {
    /// UTF-16 units of text.
    pub text: u64,
    /// UTF-16 units of reasoning.
    pub thinking: u64,
    /// UTF-16 units of tool names and printed arguments.
    pub calls_units: u64,
    /// Number of images.
    pub images: u64,
    /// The tool calls.
    pub calls: Vec<Call>,
    /// First words of the first text that has any.
    pub head: Box<str>,
    /// First words of the first reasoning that has any.
    pub thinking_head: Box<str>,
    life: PhantomData<&'de ()>,
}

impl<'de> Shape<'de> for Content<'de> {
    fn of_text(text: &str) -> Self {
        let measured = Measured::of_text(text);
        Content {
            text: measured.units,
            head: measured.head,
            ..Content::default()
        }
    }

    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut content = Content::default();
        while let Some(block) = seq.next_element_seed(Any::<Block<'de>>::new())? {
            match block.type_name.as_deref() {
                Some("text") => {
                    content.text += block.text.units;
                    if content.head.is_empty() {
                        content.head = block.text.head;
                    }
                }
                Some("thinking") => {
                    content.thinking += block.thinking.units;
                    if content.thinking_head.is_empty() {
                        content.thinking_head = block.thinking.head;
                    }
                }
                Some("toolCall") => {
                    let name = block.name.as_deref().unwrap_or_default();
                    content.calls_units +=
                        palimpsest_core::json::utf16_len(name) + block.arguments.units;
                    content.calls.push(Call::from(&block));
                }
                Some("image") => content.images += 1,
                _ => {}
            }
        }
        Ok(content)
    }
}

/// Parses one record; an error means the text is not one JSON value.
pub(super) fn parse(text: &str) -> Result<Record<'_>, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let record = Any::<Record<'_>>::new().deserialize(&mut parser)?;
    parser.end()?;
    Ok(record)
}

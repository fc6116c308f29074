//! The records of a session file as far as the reader needs them: names, links and sizes.

use super::estimate::tokens_of;
use super::prompt::{compact_instructions, preview};
use crate::measure;
use crate::measure::{
    Any, Arguments, Flag, JsonSize, Measured, Moment, Names, Number, Shape, TextSize, Word, record,
};
use crate::rejection::{Rejection, rejection};
use palimpsest_core::context_tags;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess};

record! {
    /// One line.
    Record {
        type_name: Word<'de> = "type",
        subtype: Word<'de> = "subtype",
        uuid: Word<'de> = "uuid",
        parent: Word<'de> = "parentUuid",
        logical_parent: Word<'de> = "logicalParentUuid",
        timestamp: Moment = "timestamp",
        session_id: Word<'de> = "sessionId",
        version: Word<'de> = "version",
        cwd: Word<'de> = "cwd",
        branch: Word<'de> = "gitBranch",
        agent_id: Word<'de> = "agentId",
        sidechain: Flag = "isSidechain",
        meta: Flag = "isMeta",
        compact_summary: Flag = "isCompactSummary",
        api_error: Flag = "isApiErrorMessage",
        request_id: Word<'de> = "requestId",
        forked_from: Origin<'de> = "forkedFrom",
        message: MessageRecord<'de> = "message",
        tool_use_result: ToolUseResult<'de> = "toolUseResult",
        // system
        content: Measured = "content",
        compact: CompactRecord<'de> = "compactMetadata",
        microcompact: MicrocompactRecord<'de> = "microcompactMetadata",
        duration_ms: Number = "durationMs",
        hook_count: Number = "hookCount",
        error: ErrorRecord<'de> = "error",
        // attachment
        attachment: AttachmentRecord<'de> = "attachment",
        rendered: Rendered = "rendered",
        rendered_role: Word<'de> = "renderedRole",
        // progress
        data: ProgressRecord<'de> = "data",
        parent_tool_use: Word<'de> = "parentToolUseID",
        // records beside the conversation
        summary: Measured = "summary",
        leaf: Word<'de> = "leafUuid",
        custom_title: Measured = "customTitle",
        ai_title: Measured = "aiTitle",
        agent_name: Measured = "agentName",
        last_prompt: Measured = "lastPrompt",
        operation: Word<'de> = "operation",
        mode: Word<'de> = "mode",
        permission_mode: Word<'de> = "permissionMode",
        pr_number: Number = "prNumber",
        pr_url: Measured = "prUrl",
        tag: Measured = "tag",
        cost: Number = "totalCostUSD",
        snapshot: SnapshotRecord<'de> = "snapshot",
        tools: Names = "tools",
    }
}

record! {
    /// The API's message.
    MessageRecord {
        id: Word<'de> = "id",
        role: Word<'de> = "role",
        model: Word<'de> = "model",
        content: Content<'de> = "content",
        stop_reason: Word<'de> = "stop_reason",
        usage: UsageRecord<'de> = "usage",
    }
}

record! {
    /// Reported usage.
    UsageRecord {
        input: Number = "input_tokens",
        output: Number = "output_tokens",
        cache_read: Number = "cache_read_input_tokens",
        cache_write: Number = "cache_creation_input_tokens",
        cache_creation: CacheCreation<'de> = "cache_creation",
        details: OutputDetails<'de> = "output_tokens_details",
    }
}

record! {
    /// How long the provider keeps what was written to its cache.
    CacheCreation {
        hour: Number = "ephemeral_1h_input_tokens",
    }
}

record! {
    /// What the output is made of.
    OutputDetails {
        thinking: Number = "thinking_tokens",
    }
}

record! {
    /// The session a fork was made from.
    Origin {
        session_id: Word<'de> = "sessionId",
    }
}

record! {
    /// What a tool gave the agent beside the text for the model.
    ToolUseResult {
        agent_id: Word<'de> = "agentId",
        agent_type: Word<'de> = "agentType",
        todos: Todos = "newTodos",
        // a file that was read
        file: FileRecord<'de> = "file",
        // a file that was changed
        file_path: Word<'de> = "filePath",
        original: TextSize = "originalFile",
        content: TextSize = "content",
        old: TextSize = "oldString",
        new: TextSize = "newString",
    }
}

record! {
    /// What was read of a file.
    FileRecord {
        path: Word<'de> = "filePath",
        content: TextSize = "content",
        lines: Number = "numLines",
        of_lines: Number = "totalLines",
    }
}

record! {
    /// What a compaction's boundary says.
    CompactRecord {
        trigger: Word<'de> = "trigger",
        before: Number = "preTokens",
        after: Number = "postTokens",
        duration_ms: Number = "durationMs",
        instructions: Word<'de> = "userContext",
        segment: Segment<'de> = "preservedSegment",
        preserved: Preserved<'de> = "preservedMessages",
    }
}

record! {
    /// Kept messages by their ends.
    Segment {
        head: Word<'de> = "headUuid",
        tail: Word<'de> = "tailUuid",
    }
}

record! {
    /// Kept messages one by one.
    Preserved {
        uuids: Names = "uuids",
    }
}

record! {
    /// What a microcompaction's boundary says.
    MicrocompactRecord {
        before: Number = "preTokens",
        saved: Number = "tokensSaved",
        calls: Names = "compactedToolIds",
    }
}

record! {
    /// Why a call to the API failed.
    ErrorRecord {
        message: Measured = "message",
        status: Number = "status",
        error: ErrorBody<'de> = "error",
    }
}

record! {
    /// What the API answered.
    ErrorBody {
        message: Measured = "message",
        error: ErrorText<'de> = "error",
    }
}

record! {
    /// The error in that answer.
    ErrorText {
        message: Measured = "message",
    }
}

record! {
    /// A tool or hook at work.
    ProgressRecord {
        type_name: Word<'de> = "type",
        agent_id: Word<'de> = "agentId",
        prompt: Measured = "prompt",
        hook_event: Word<'de> = "hookEvent",
        hook_name: Word<'de> = "hookName",
        output: Measured = "output",
        query: Measured = "query",
        message: SubagentMessage<'de> = "message",
    }
}

record! {
    /// A subagent's record inside a report on it.
    SubagentMessage {
        type_name: Word<'de> = "type",
        message: MessageRecord<'de> = "message",
    }
}

record! {
    /// A checkpoint.
    SnapshotRecord {
        files: Members = "trackedFileBackups",
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
    /// One text that an attachment becomes.
    RenderedRecord {
        content: Measured = "content",
    }
}

record! {
    /// One block of a message's content, or of a tool result's.
    Block {
        type_name: Word<'de> = "type",
        text: Said = "text",
        thinking: Measured = "thinking",
        data: Measured = "data",
        id: Word<'de> = "id",
        name: Word<'de> = "name",
        input: Input = "input",
        call_id: Word<'de> = "tool_use_id",
        is_error: Flag = "is_error",
        content: Inner = "content",
    }
}

/// The number of an object's members.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Members(pub u64);

impl<'de> Shape<'de> for Members {
    fn of_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut count = 0;
        // Counted and not read: a checkpoint names every file the agent has touched.
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(Members(count))
    }
}

/// A todo list in short.
#[derive(Debug, Default)]
pub(super) struct Todos {
    /// Number of todos.
    pub count: usize,
    /// Number of those done.
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

/// The texts an attachment becomes on its way to the model.
#[derive(Debug, Default)]
pub(super) struct Rendered(pub Vec<Measured>);

impl<'de> Shape<'de> for Rendered {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = seq.next_element_seed(Any::<RenderedRecord<'de>>::new())? {
            texts.push(text.content);
        }
        Ok(Rendered(texts))
    }
}

/// A text of the conversation.
#[derive(Debug, Default, Clone)]
pub(super) struct Said {
    /// Estimated tokens.
    pub tokens: u64,
    /// First words, as stored.
    pub head: Box<str>,
    /// First words, as a row of a list shows them.
    pub preview: Box<str>,
    /// What a `/compact` command in it asks for.
    pub instructions: Option<Box<str>>,
    /// A number that is equal for equal texts.
    pub hash: u64,
    /// True for what the agent puts before the user's words, and nothing else.
    pub is_context: bool,
}

impl<'de> Shape<'de> for Said {
    fn of_text(text: &str) -> Self {
        let measured = Measured::of_text(text);
        // The user's words may stand behind what the agent puts before them.
        let is_context = context_tags::is_context(text);
        let own = if is_context {
            0
        } else {
            context_tags::end(text)
        };
        let head = if own > 0 {
            measure::head(&text[own..])
        } else {
            measured.head
        };
        // Only texts that begin with a tag can hold a command.
        let is_marked = text[own..].starts_with('<');
        Said {
            tokens: tokens_of(measured.units),
            is_context,
            preview: if is_marked {
                preview(&text[own..])
            } else {
                head.clone()
            },
            head,
            instructions: is_marked.then(|| compact_instructions(text)).flatten(),
            hash: hash_of(text),
        }
    }
}

/// A number that is equal for equal texts: FNV-1a, 64 bit, which no compiler changes.
pub(super) fn hash_of(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A tool call's arguments, and which prompt they give a subagent.
#[derive(Debug, Default)]
pub(super) struct Input {
    /// Their size and what a list shows of them.
    pub arguments: Arguments,
    /// Hash of the `prompt` argument.
    pub prompt: Option<u64>,
}

impl<'de> Shape<'de> for Input {
    fn of_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        let mut prompt = None;
        let arguments = Arguments::of_members(map, |key, text| {
            if key == "prompt" {
                prompt = text.map(hash_of);
            }
        })?;
        Ok(Input { arguments, prompt })
    }
}

/// The content of a tool result.
#[derive(Debug, Default)]
pub(super) struct Inner {
    /// Estimated tokens of its texts.
    pub tokens: u64,
    /// Number of images and documents.
    pub media: u64,
    /// First words of the first text.
    pub head: Box<str>,
    /// The user's refusal, where the text tells of one.
    pub rejection: Option<Rejection>,
}

impl<'de> Shape<'de> for Inner {
    fn of_text(text: &str) -> Self {
        let measured = Measured::of_text(text);
        Inner {
            tokens: tokens_of(measured.units),
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
                    inner.tokens += tokens_of(block.text.units);
                    if inner.head.is_empty() {
                        inner.head = block.text.head;
                    }
                }
            }
        }
        Ok(inner)
    }
}

record! {
    /// One block of a tool result.
    InnerBlock {
        type_name: Word<'de> = "type",
        text: Measured = "text",
    }
}

/// A message's content.
#[derive(Debug, Default)]
pub(super) struct Content<'de> {
    /// The blocks; a plain string is one text.
    pub blocks: Vec<Block<'de>>,
    /// True when there was any content.
    pub present: bool,
}

impl<'de> Shape<'de> for Content<'de> {
    fn of_text(text: &str) -> Self {
        let block = Block {
            type_name: Word(Some("text".into())),
            text: Said::of_text(text),
            is_object: true,
            ..Block::default()
        };
        Content {
            blocks: vec![block],
            present: true,
        }
    }
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = seq.next_element_seed(Any::<Block<'de>>::new())? {
            blocks.push(block);
        }
        Ok(Content {
            blocks,
            present: true,
        })
    }
}

impl UsageRecord<'_> {
    /// True where any number is given.
    pub fn is_given(&self) -> bool {
        self.is_object && (self.input.0.is_some() || self.output.0.is_some())
    }
}

record! {
    /// What an attachment says about itself.
    AttachmentRecord {
        type_name: Word<'de> = "type",
        filename: Measured = "filename",
        display_path: Measured = "displayPath",
        prompt: Measured = "prompt",
        text: Measured = "text",
        date: Measured = "date",
        hook_name: Word<'de> = "hookName",
        identity: Identity<'de> = "identity",
        system_prompt: Texts = "systemPrompt",
        tools: Json = "tools",
    }
}

record! {
    /// The model announced.
    Identity {
        model: Word<'de> = "modelId",
    }
}

/// The sum of a list of texts.
#[derive(Debug, Default)]
pub(super) struct Texts(pub Measured);

impl<'de> Shape<'de> for Texts {
    fn of_seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Self, A::Error> {
        let mut sum = Measured::default();
        while let Some(text) = seq.next_element_seed(Any::<Measured>::new())? {
            sum.units += text.units;
            if sum.head.is_empty() {
                sum.head = text.head;
            }
        }
        Ok(Texts(sum))
    }
}

/// Size of the JSON of a value that is not read otherwise.
pub(super) type Json = JsonSize;

/// Parses one record; an error means the text is not one JSON value.
pub(super) fn parse(text: &str) -> Result<Record<'_>, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let record = Any::<Record<'_>>::new().deserialize(&mut parser)?;
    // A second value on the line is an error here; the reader then takes the line apart.
    parser.end()?;
    Ok(record)
}

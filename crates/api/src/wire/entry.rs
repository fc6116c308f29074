//! One entry, rendered.

use super::{CodeSpan, FileDiff, QueueFate, RecordKind, Role, StyleSpan};

wire! {
    /// Names an entry of a session: an id, a unique prefix, `leaf`, or `line:N`.
    pub struct EntryRequest {
        /// The session.
        pub session: String,
        /// The entry.
        pub entry: String,
    }
}

wire! {
    /// An entry, rendered.
    pub struct EntryView {
        /// The entry's id.
        pub id: String,
        /// Its position in the file's order.
        pub ix: u32,
        /// 0-based physical line of its file, where that has lines.
        pub line: Option<u32>,
        /// The file it is in, where the session is read from several.
        pub file: Option<String>,
        /// Byte offset in the source.
        pub offset: u64,
        /// Length in bytes.
        pub bytes: u32,
        /// What the record is.
        pub kind: RecordKind,
        /// The agent's own word for its role; each agent has others.
        pub role: Option<String>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// Its parent.
        pub parent_id: Option<String>,
        /// Its children, oldest first.
        pub children_ids: Vec<String>,
        /// The label on it.
        pub label: Option<String>,
        /// Model named by it.
        pub model: Option<String>,
        /// The model before it on its path, where it is another.
        pub model_before: Option<String>,
        /// Why the model stopped, as the provider spells it.
        pub stop_reason: Option<String>,
        /// Tokens by the agent's own estimate.
        pub estimated: u64,
        /// Tokens counted with o200k.
        pub counted: u64,
        /// Usage the provider reported, as the record states it.
        pub usage: Option<UsageView>,
        /// The part of `usage` that is this entry's own, where several records of one message state
        /// the usage of the whole message.
        pub usage_share: Option<UsageView>,
        /// True for a failed tool or message.
        pub is_error: bool,
        /// True for a reply that the user stopped.
        pub aborted: bool,
        /// True for what the user took back.
        pub undone: bool,
        /// What became of a queued prompt.
        pub queued: Option<QueuedView>,
        /// True when the agent itself does not see this record.
        pub recovered: bool,
        /// True for the result of a call that the user refused.
        pub rejected: bool,
        /// True for a subagent's conversation kept in this session.
        pub sidechain: bool,
        /// Sessions linked to it, such as subagents it started.
        pub links: Vec<super::SessionLinkView>,
        /// Subagents that its calls started.
        pub subagents: Vec<super::SubagentView>,
        /// Its messages.
        pub messages: Vec<MessageView>,
        /// Named details of records that are not messages, for showing as a list.
        pub details: Vec<Detail>,
    }
}

wire! {
    /// An entry as plain text, whole.
    pub struct EntryTextView {
        /// The entry's id.
        pub id: String,
        /// 0-based physical line of its file, where that has lines.
        pub line: Option<u32>,
        /// What the record is.
        pub kind: RecordKind,
        /// Who speaks in it, where it has one message.
        pub role: Option<Role>,
        /// The agent's own word for its role.
        pub native_role: Option<String>,
        /// When it was written.
        pub timestamp: Option<i64>,
        /// Its parent.
        pub parent_id: Option<String>,
        /// The label on it.
        pub label: Option<String>,
        /// Model named by it.
        pub model: Option<String>,
        /// The model before it on its path, where it is another.
        pub model_before: Option<String>,
        /// Tokens by the agent's own estimate.
        pub tokens: u64,
        /// The tools it calls or holds results of.
        pub tools: Vec<String>,
        /// True for a failed tool or message.
        pub is_error: bool,
        /// True for a reply that the user stopped.
        pub aborted: bool,
        /// True for what the user took back.
        pub undone: bool,
        /// What became of a queued prompt.
        pub queued: Option<QueuedView>,
        /// True for the result of a call that the user rejected.
        pub rejected: bool,
        /// The agent's own name for a record that is of no common kind.
        pub record: Option<String>,
        /// True on the path to the active leaf.
        pub on_active_path: bool,
        /// What it says, block by block.
        pub parts: Vec<EntryPart>,
        /// Named details of records that are not messages.
        pub details: Vec<Detail>,
        /// The subagents that its calls started.
        pub subagents: Vec<super::SubagentView>,
    }
}

wire! {
    /// A block of an entry as plain text.
    pub struct EntryPart {
        /// What it is.
        pub kind: PartKind,
        /// Who speaks in its message.
        pub role: Role,
        /// The tool that is called, or whose result it is.
        pub tool: Option<String>,
        /// The call that a result answers, unless it is in the same entry.
        pub call: Option<AnsweredCall>,
        /// How the call went whose result it is.
        pub outcome: Option<CallOutcome>,
        /// True for what the agent keeps to itself.
        pub kept: bool,
        /// The changes of files that a call asks for.
        pub files: Vec<super::FileDiff>,
        /// The text; of an image its type and size, of a call its arguments as JSON.
        pub text: String,
    }
}

wire! {
    /// What a block of an entry is.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum PartKind {
        /// What is said.
        Text,
        /// What was said of a failure; not sent to the model.
        Failure,
        /// The model's reasoning.
        Thinking,
        /// A call of a tool.
        Call,
        /// The result of a call.
        Result,
        /// An image.
        Image,
        /// A part of a system prompt, a list of tools, or a block of unknown type.
        Other,
    }
}

wire! {
    /// Asks for an image of an entry.
    pub struct ImageRequest {
        /// The session.
        pub session: String,
        /// The entry.
        pub entry: String,
        /// Which of its images, from 0.
        pub number: u32,
    }
}

wire! {
    /// An image of an entry.
    pub struct ImageView {
        /// MIME type; one that a page shows.
        pub mime: String,
        /// The picture in base64.
        pub base64: String,
    }
}

wire! {
    /// What became of a prompt that the user wrote while the model was at work.
    pub struct QueuedView {
        /// What became of it.
        pub fate: QueueFate,
        /// The entry that it was sent as, where the session has one.
        pub entry_id: Option<String>,
    }
}

wire! {
    /// A named detail.
    pub struct Detail {
        /// What it is.
        pub name: String,
        /// Its value in words.
        pub value: String,
        /// The entry it refers to.
        pub entry_id: Option<String>,
    }
}

wire! {
    /// Tokens and cost of a request.
    #[derive(Default, Copy)]
    pub struct UsageView {
        /// Uncached input.
        pub input: u64,
        /// Output.
        pub output: u64,
        /// Read from the cache.
        pub cache_read: u64,
        /// Written to the cache.
        pub cache_write: u64,
        /// All of it.
        pub total: u64,
        /// Cost, where known.
        pub cost_usd: Option<f64>,
        /// True where the catalog's prices gave the cost; otherwise the agent stored it.
        #[serde(default)]
        pub cost_computed: bool,
    }
}

wire! {
    /// A message, rendered.
    pub struct MessageView {
        /// Who speaks in it.
        pub role: Role,
        /// The agent's own word for it; each agent has others.
        pub native_role: String,
        /// The tool whose result it is.
        pub tool_name: Option<String>,
        /// The call that it answers.
        pub answers: Option<AnsweredCall>,
        /// False when the agent keeps it to itself.
        pub sent: bool,
        /// Its blocks.
        pub blocks: Vec<BlockView>,
    }
}

wire! {
    /// The call that a result answers.
    pub struct AnsweredCall {
        /// The entry with the call.
        pub entry_id: String,
        /// The one argument that tells most: a path, a command, a query.
        pub headline: String,
    }
}

wire! {
    /// A block, rendered. Long texts are cut to their beginning; `total_chars` tells.
    #[serde(tag = "type", rename_all = "snake_case")]
    pub enum BlockView {
        /// Markdown by the model or the user.
        Markdown {
            /// The sanitized blocks.
            blocks: Vec<MdBlock>,
            /// Length of the whole text.
            total_chars: u64,
            /// True when the blocks show only the beginning.
            cut: bool,
        },
        /// Text to be shown as it is: tool output, file contents.
        Plain {
            /// The text, or its beginning.
            text: String,
            /// Length of the whole text.
            total_chars: u64,
            /// True when `text` is only the beginning.
            cut: bool,
            /// Styles that a program printed.
            styles: Vec<StyleSpan>,
            /// What the words of a file are that was read.
            spans: Vec<CodeSpan>,
        },
        /// The user refused a call of a tool.
        Rejection {
            /// What the user said instead, where stored.
            said: Option<String>,
        },
        /// The model's reasoning.
        Thinking {
            /// The text, or its beginning.
            text: String,
            /// True when only an encrypted form is stored.
            redacted: bool,
        },
        /// A call of a tool.
        ToolCall {
            /// The provider's id of the call.
            call_id: String,
            /// The tool.
            name: String,
            /// The one argument that tells most: a path, a command, a query.
            headline: String,
            /// The arguments, indented.
            arguments: String,
            /// The entry that holds its result.
            result_id: Option<String>,
            /// What became of it.
            outcome: CallOutcome,
            /// What it is, for showing.
            shape: CallShape,
        },
        /// An image; its data is sent on request.
        Image {
            /// MIME type.
            mime: String,
            /// Bytes of the picture; 0 where the session does not hold it.
            bytes: u64,
            /// Which image of the entry it is, from 0.
            number: u32,
        },
        /// A section of a system message.
        Section {
            /// Its name.
            name: String,
            /// Its text; absent when the section is removed.
            text: Option<String>,
        },
        /// A block of unknown type.
        Opaque {
            /// Its `type`, which the agent or the provider chose.
            kind: String,
            /// The block as JSON.
            json: String,
        },
    }
}

wire! {
    /// What became of a call.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum CallOutcome {
        /// No result is stored.
        Unanswered,
        /// It has a result.
        Done,
        /// It failed.
        Failed,
        /// The user refused it.
        Rejected,
    }
}

wire! {
    /// What a call is, by its arguments.
    #[serde(tag = "type", rename_all = "snake_case")]
    pub enum CallShape {
        /// Nothing that is shown in a way of its own.
        Other,
        /// Changes of files.
        Edits {
            /// The files.
            files: Vec<FileDiff>,
        },
        /// A shell command.
        Command {
            /// The command.
            text: String,
            /// What its words are.
            spans: Vec<CodeSpan>,
            /// What the model says it is for.
            about: Option<String>,
        },
        /// A plan for the user to approve.
        Plan {
            /// The plan.
            blocks: Vec<MdBlock>,
        },
        /// What is to be done.
        Todos {
            /// One thing after the other.
            items: Vec<TodoView>,
        },
        /// Questions to the user.
        Questions {
            /// One after the other.
            questions: Vec<QuestionView>,
        },
        /// A task for a subagent.
        Subagent {
            /// Which kind of subagent.
            kind: Option<String>,
            /// The task in a few words.
            task: Option<String>,
            /// The prompt.
            prompt: Vec<MdBlock>,
        },
    }
}

wire! {
    /// A thing to do.
    pub struct TodoView {
        /// What it is.
        pub text: String,
        /// How far it is.
        pub state: TodoState,
    }
}

wire! {
    /// How far a thing to do is.
    #[derive(Copy, Eq, Hash)]
    #[serde(rename_all = "snake_case")]
    pub enum TodoState {
        /// Not begun.
        Open,
        /// Being done.
        Active,
        /// Done.
        Done,
        /// Given up.
        Cancelled,
    }
}

wire! {
    /// A question of the model to the user.
    pub struct QuestionView {
        /// The question.
        pub question: String,
        /// The answers offered.
        pub options: Vec<String>,
    }
}

wire! {
    /// A block of sanitized markdown.
    #[serde(tag = "type", rename_all = "snake_case")]
    pub enum MdBlock {
        /// A paragraph.
        Paragraph {
            /// Its words.
            spans: Vec<MdSpan>,
        },
        /// A heading.
        Heading {
            /// 1 to 6.
            level: u8,
            /// Its words.
            spans: Vec<MdSpan>,
        },
        /// A code block.
        Code {
            /// The language named, if any.
            language: Option<String>,
            /// The code.
            text: String,
            /// What its words are.
            spans: Vec<CodeSpan>,
        },
        /// A quotation.
        Quote {
            /// Its blocks.
            blocks: Vec<MdBlock>,
        },
        /// A list.
        List {
            /// First number of an ordered list.
            start: Option<u64>,
            /// Its items.
            items: Vec<MdItem>,
        },
        /// A table.
        Table {
            /// The head row.
            head: Vec<MdCell>,
            /// The rows.
            rows: Vec<MdRow>,
        },
        /// A rule.
        Rule,
    }
}

wire! {
    /// An item of a list.
    pub struct MdItem {
        /// Ticked or not, for a task.
        pub checked: Option<bool>,
        /// Its blocks.
        pub blocks: Vec<MdBlock>,
    }
}

wire! {
    /// A cell of a table.
    pub struct MdCell {
        /// Its words.
        pub spans: Vec<MdSpan>,
    }
}

wire! {
    /// A row of a table.
    pub struct MdRow {
        /// Its cells.
        pub cells: Vec<MdCell>,
    }
}

wire! {
    /// A run of words in one style.
    pub struct MdSpan {
        /// The words.
        pub text: String,
        /// Bold.
        #[serde(default)]
        pub strong: bool,
        /// Italic.
        #[serde(default)]
        pub emphasis: bool,
        /// Code.
        #[serde(default)]
        pub code: bool,
        /// Struck out.
        #[serde(default)]
        pub strike: bool,
        /// Where a link leads (http, https or mailto; others are shown as text).
        #[serde(default)]
        pub href: Option<String>,
    }
}

wire! {
    /// Asks for part of an entry's source record.
    pub struct RawRequest {
        /// The session.
        pub session: String,
        /// The entry.
        pub entry: String,
        /// Where to begin.
        #[serde(default)]
        pub offset: u64,
        /// How many UTF-16 units at most.
        pub limit: u64,
    }
}

wire! {
    /// Part of a longer text.
    pub struct TextPage {
        /// The part.
        pub text: String,
        /// Where it begins.
        pub offset: u64,
        /// Length of the whole.
        pub total: u64,
    }
}

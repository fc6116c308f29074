//! A conversation builder.

use palimpsest_core::ledger::Ledger;
use palimpsest_core::{Block, EntryIx, Message, Role, ToolRef};
use palimpsest_ledger::{LedgerInput, Span, SpanItem, build};

/// Messages in order; entry numbers start at `first`.
#[derive(Default)]
pub struct Conversation {
    pub messages: Vec<Message>,
    first: usize,
    calls: usize,
}

impl Conversation {
    pub fn starting_at(first: usize) -> Conversation {
        Conversation {
            first,
            ..Conversation::default()
        }
    }

    fn push(mut self, role: Role, native_role: &'static str, block: Block) -> Self {
        self.messages.push(Message {
            role,
            native_role,
            blocks: vec![block],
            tool: None,
            sent: true,
        });
        self
    }

    pub fn user(self, text: &str) -> Self {
        self.push(Role::User, "user", Block::Text(text.to_owned()))
    }

    pub fn assistant(self, text: &str) -> Self {
        self.push(Role::Assistant, "assistant", Block::Text(text.to_owned()))
    }

    /// A call and its result.
    pub fn tool(
        mut self,
        name: &str,
        arguments: serde_json::Value,
        output: &str,
        is_error: bool,
    ) -> Self {
        self.calls += 1;
        let id = format!("call{}-{}", self.first, self.calls);
        let arguments = arguments.to_string();
        let call = Block::ToolCall {
            id: id.clone(),
            name: name.to_owned(),
            arguments,
        };
        let mut made = self.push(Role::Assistant, "assistant", call).push(
            Role::Tool,
            "toolResult",
            Block::Text(output.to_owned()),
        );
        let tool = ToolRef {
            call_id: id,
            name: name.to_owned(),
            is_error,
        };
        made.messages.last_mut().expect("two were just pushed").tool = Some(tool);
        made
    }

    pub fn bash(self, command: &str, output: &str) -> Self {
        self.tool(
            "bash",
            serde_json::json!({ "command": command }),
            output,
            false,
        )
    }

    pub fn read(self, path: &str, output: &str) -> Self {
        self.tool("read", serde_json::json!({ "path": path }), output, false)
    }

    pub fn edit(self, path: &str, old: &str, new: &str) -> Self {
        let arguments = serde_json::json!({ "path": path, "oldText": old, "newText": new });
        self.tool("edit", arguments, "ok", false)
    }

    pub fn items(&self) -> Vec<SpanItem<'_>> {
        self.messages
            .iter()
            .enumerate()
            .map(|(index, message)| SpanItem {
                entry: EntryIx::new(self.first + index),
                message_index: 0,
                message,
                at_ms: None,
            })
            .collect()
    }

    /// All texts, call arguments included, one after the other.
    pub fn transcript(&self) -> String {
        let items = self.items();
        Span::new(&items)
            .parts()
            .map(|part| part.text)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// The ledger of a conversation and its summary.
pub fn ledger(span: &Conversation, summary: &str) -> Ledger {
    let items = span.items();
    build(&LedgerInput {
        span: Span::new(&items),
        summary,
        ..LedgerInput::default()
    })
}

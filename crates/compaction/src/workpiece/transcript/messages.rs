//! Messages as they are sent: each by itself, with where its blocks lie in the prompt.
//!
//! Around the texts stand labels, which are not sent. A program that takes one text gets the whole.

use crate::vocabulary::estimate::UNITS_PER_TOKEN;
use crate::vocabulary::memo::{Weight, question};
use crate::vocabulary::prompt::Conversation;
use crate::vocabulary::request::{BlockKind, RequestBlock, RequestMessage};
use crate::vocabulary::slot::PromptPart;
use crate::workpiece::draft::Draft;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{Block, BodyError, ContextItem, ItemEntries, Message, Role};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// What stands between two messages.
const SEPARATOR: &str = "\n\n";

/// A message that a call shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    /// Position of its item in the context.
    pub at: usize,
    /// True where the agent's attachments behind a result are left out.
    pub is_bare: bool,
}

/// A message with its labels.
struct Labelled {
    text: Arc<String>,
    units: u64,
    role: Role,
    blocks: Vec<RequestBlock>,
}

impl Weight for Labelled {
    fn bytes(&self) -> usize {
        self.text.len() + self.blocks.len() * size_of::<RequestBlock>()
    }
}

/// The messages as a conversation, in the order given; where the plan only counts they are
/// measured, and their texts are left out.
pub(crate) fn write(draft: &Draft<'_>, shown: &[Shown]) -> Result<Conversation, BodyError> {
    let between = utf16_len(SEPARATOR);
    let mut whole = Conversation {
        separator: SEPARATOR.to_owned(),
        ..Conversation::default()
    };
    let mut said = Vec::with_capacity(shown.len());
    for one in shown {
        let own = labelled(draft, *one)?;
        if !own.blocks.is_empty() {
            said.push((one, own));
        }
    }
    let mut unit = 0;
    for (number, (one, own)) in said.iter().enumerate() {
        let is_tool_result = draft.input.context.items[one.at].role == Role::Tool;
        unit += usize::from(!is_tool_result);
        let start = whole.len;
        if !draft.only_counts {
            let moved = |range: &Range<usize>| range.start + start..range.end + start;
            let of = (own.role, Some(one.at));
            let message = RequestMessage::of_blocks(of, &own.blocks, moved);
            whole.messages.push(message);
            whole.len += own.text.len();
            whole.texts.push(Arc::clone(&own.text));
        }
        let mut units = own.units;
        if number + 1 < said.len() {
            units += between;
            if !draft.only_counts {
                whole.len += SEPARATOR.len();
            }
        }
        whole.units += units;
        whole.parts.push(PromptPart {
            range: start..whole.len,
            item: one.at,
            unit,
            is_tool_result,
            units,
        });
    }
    Ok(whole)
}

/// Estimated tokens of the parts of `conversation` up to the item at `last`.
pub(crate) fn tokens_up_to(parts: &[PromptPart], last: usize) -> u64 {
    let before = parts.iter().take_while(|part| part.item <= last);
    let units: u64 = before.map(|part| part.units).sum();
    units.div_ceil(UNITS_PER_TOKEN)
}

fn labelled(draft: &Draft<'_>, shown: Shown) -> Result<Arc<Labelled>, BodyError> {
    static QUESTION: LazyLock<u64> = LazyLock::new(|| question("message of a call", &()));
    let item = &draft.input.context.items[shown.at];
    if shown.is_bare && item.entries.len() > 1 {
        let bare = ContextItem {
            entries: ItemEntries::from_slice(&item.entries[..1]),
            ..item.clone()
        };
        let message = draft.input.messages.message(&bare)?;
        return Ok(Arc::new(of_message(&message)));
    }
    draft.memo(shown.at, *QUESTION, of_message)
}

fn of_message(message: &Message) -> Labelled {
    let mut text = String::new();
    let mut blocks: Vec<RequestBlock> = Vec::new();
    let mut add = |label: &str, said: &str, end: &str, kind: BlockKind| {
        if !text.is_empty() {
            text.push('\n');
        }
        // Texts of one message in a row have one label.
        let goes_on = |last: &RequestBlock| last.kind == BlockKind::Text && kind == BlockKind::Text;
        if !blocks.last().is_some_and(goes_on) {
            text.push_str(label);
        }
        let start = text.len();
        text.push_str(said);
        let range = start..text.len();
        text.push_str(end);
        blocks.push(RequestBlock { kind, range });
    };
    if let Some(tool) = &message.tool {
        let (id, is_error) = (tool.call_id.clone(), tool.is_error);
        let kind = BlockKind::ToolResult { id, is_error };
        let label = if is_error {
            "[Tool error]: "
        } else {
            "[Tool result]: "
        };
        add(label, &message.text("\n"), "", kind);
    } else {
        let speaker = match message.role {
            Role::System => "[Developer]: ",
            Role::User => "[User]: ",
            Role::Assistant => "[Assistant]: ",
            Role::Tool => "[Tool result]: ",
        };
        for block in &message.blocks {
            match block {
                Block::Text(said) => add(speaker, said, "", BlockKind::Text),
                Block::Thinking { text: said, .. } => {
                    add("[Assistant reasoning]: ", said, "", BlockKind::Thinking);
                }
                Block::ToolCall {
                    id,
                    name,
                    arguments,
                } => {
                    let kind = BlockKind::ToolCall {
                        id: id.clone(),
                        name: name.clone(),
                    };
                    let label = format!("[Assistant tool call]: {name}(");
                    add(&label, arguments, ")", kind);
                }
                Block::Image { mime, .. } => {
                    let mime = mime.clone();
                    add("[Image]", "", "", BlockKind::Image { mime });
                }
                _ => {}
            }
        }
    }
    Labelled {
        units: utf16_len(&text),
        text: Arc::new(text),
        role: message.role,
        blocks,
    }
}

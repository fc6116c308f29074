//! The context at an entry, with rows for what the session does not hold.

use crate::error::Result;
use crate::session::OpenSession;
use palimpsest_core::estimate::{IMAGE_UNITS, tokens_of_units};
use palimpsest_core::{
    Block, Bodies as _, Category, Context, ContextItem, EntryIx, ItemEntries, ItemKind, Message,
    Origin, Role,
};
use palimpsest_formats::MeasuredContext;
use palimpsest_tokens::{Encoding, count_tokens};
use std::collections::{BTreeMap, HashSet};

/// The context at `at` with its sizes, and with an item of its own for what is sent with every
/// request and not recorded (in front) and for what the agent sends again after a compaction
/// without recording it (behind the summary), as far as reports tell of them.
pub fn context_at(open: &OpenSession, at: Option<EntryIx>) -> MeasuredContext {
    let mut sized = open.measured_context(at);
    let items = &mut sized.context.items;
    let again = sized.given_again.tokens;
    if again > 0 {
        let is_summary = |item: &ContextItem| item.kind == ItemKind::CompactionSummary;
        let behind = items.iter().position(is_summary).map_or(0, |at| at + 1);
        let row = unrecorded(ItemKind::GivenAgain, Category::GivenAgain, again);
        items.insert(behind, row);
        sized.items.insert(behind, again);
    }
    // Last, as it moves the positions of all others.
    if sized.prefix > 0 {
        let row = unrecorded(ItemKind::NotRecorded, Category::NotRecorded, sized.prefix);
        items.insert(0, row);
        sized.items.insert(0, sized.prefix);
    }
    sized
}

fn unrecorded(kind: ItemKind, category: Category, tokens: u64) -> ContextItem {
    ContextItem {
        role: match kind {
            ItemKind::GivenAgain => Role::User,
            _ => Role::System,
        },
        native_role: match kind {
            ItemKind::GivenAgain => "givenAgain",
            _ => "notRecorded",
        },
        kind,
        entries: ItemEntries::new(),
        message_index: 0,
        edited_by: None,
        origin: Origin::NotRecorded,
        estimate: tokens,
        by_category: vec![(category, tokens)],
        tool_name: None,
        sent: true,
    }
}

/// The message of an item as the model gets it; for what is not recorded, sentences that say what
/// it is.
pub fn item_message(open: &OpenSession, item: &ContextItem) -> Result<Message> {
    let unrecorded = match item.kind {
        ItemKind::NotRecorded => {
            "The session does not contain this part of the context (system prompt, tool \
             definitions). Its size is what the provider reported beyond the session's content."
        }
        ItemKind::GivenAgain => {
            "The agent sends this part again after a compaction (files it had in view, memory \
             files, reminders). The session does not contain it. Its size is what the first \
             request after the compaction reported beyond the rest; before that request, a \
             forecast from the files the agent read and wrote."
        }
        _ => {
            return Ok(open
                .format
                .item_message(&open.session, item, &open.bodies)?);
        }
    };
    Ok(Message {
        role: item.role,
        native_role: item.native_role,
        blocks: vec![Block::Text(unrecorded.to_owned())],
        tool: None,
        sent: true,
    })
}

/// A message as one text: text as it is, calls as `name(arguments)`, images by kind, blocks joined
/// by a blank line.
pub fn message_text(message: &Message) -> String {
    let parts: Vec<String> = message.blocks.iter().map(block_text).collect();
    parts.join("\n\n")
}

/// A block as text; see [`message_text`].
pub fn block_text(block: &Block) -> String {
    match block {
        Block::Text(text) => text.clone(),
        Block::Thinking {
            redacted: true,
            text,
        } if text.is_empty() => "[reasoning, stored encrypted]".to_owned(),
        Block::Thinking { text, .. } => text.clone(),
        Block::ToolCall {
            name, arguments, ..
        } => format!("{name}({arguments})"),
        Block::Image { mime, base64_len } => {
            format!("[{}]", image_words(mime, *base64_len))
        }
        Block::Section {
            name,
            text: Some(text),
        } => format!("[{name}]\n{text}"),
        Block::Section { name, text: None } => format!("[{name} removed]"),
        Block::ToolsAdded(json) => format!("[tools added]\n{json}"),
        Block::Opaque { json, .. } => json.clone(),
    }
}

/// An image in words: its size and type, such as `image, 12 KB png`.
pub fn image_words(mime: &str, base64_len: u64) -> String {
    let kind = mime.rsplit('/').next().unwrap_or(mime);
    // Four characters of base64 are three bytes; padding is not subtracted.
    match base64_len / 4 * 3 {
        0 => format!("image, {kind}"),
        bytes @ 1..1_000 => format!("image, {bytes} bytes {kind}"),
        bytes @ 1_000..1_000_000 => format!("image, {} KB {kind}", bytes.div_ceil(1_000)),
        bytes => format!("image, {:.1} MB {kind}", bytes as f64 / 1e6),
    }
}

/// Tokens of a message counted with `encoding`; an image counts by the estimate pi uses (1,200),
/// because its size in tokens is the provider's secret. A block of an unknown type counts nothing, as
/// in the estimates: agents store such blocks for themselves.
pub fn count_message(message: &Message, encoding: Encoding) -> u64 {
    message
        .blocks
        .iter()
        .map(|block| match block {
            Block::Image { .. } => tokens_of_units(IMAGE_UNITS),
            Block::Opaque { .. } => 0,
            other => count_tokens(&block_text(other), encoding),
        })
        .sum()
}

/// Tokens by category, and those of tool results by tool: `sizes` of the items, each shared out
/// among the categories as its estimate is.
pub fn breakdown(
    context: &Context,
    sizes: &[u64],
) -> (BTreeMap<Category, u64>, BTreeMap<String, u64>) {
    let mut by_category = BTreeMap::new();
    let mut by_tool = BTreeMap::new();
    for (item, &size) in context.items.iter().zip(sizes) {
        let mut left = size;
        for (position, &(category, tokens)) in item.by_category.iter().enumerate() {
            let is_last = position + 1 == item.by_category.len();
            let share = u128::from(size) * u128::from(tokens) / u128::from(item.estimate.max(1));
            let share = u64::try_from(share).unwrap_or(left).min(left);
            // The last has the rest, so that the parts add up to the size.
            let part = if is_last { left } else { share };
            left -= part;
            *by_category.entry(category).or_insert(0) += part;
            if let (Category::ToolResults, Some(tool)) = (category, &item.tool_name) {
                *by_tool.entry(tool.to_string()).or_insert(0) += part;
            }
        }
    }
    (by_category, by_tool)
}

/// How two contexts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Positions of the items only in the first.
    pub removed: Vec<usize>,
    /// Positions of the items only in the second.
    pub added: Vec<usize>,
    /// Number of items in both.
    pub shared: usize,
    /// Their tokens, by the sizes of the second.
    pub shared_tokens: u64,
}

/// How two contexts differ. Items are the same when they come from the same message in the same
/// form.
pub fn difference(from: &MeasuredContext, to: &MeasuredContext) -> Difference {
    let key = |item: &ContextItem| {
        let of = (item.entries.clone(), item.message_index, item.edited_by);
        (of, item.kind)
    };
    let keys = |of: &MeasuredContext| of.context.items.iter().map(key).collect::<HashSet<_>>();
    let beyond = |of: &MeasuredContext, known: &HashSet<_>| {
        let items = of.context.items.iter().enumerate();
        let beyond = items.filter(|(_, item)| !known.contains(&key(item)));
        beyond.map(|(at, _)| at).collect::<Vec<usize>>()
    };
    let (in_from, in_to) = (keys(from), keys(to));
    let added = beyond(to, &in_from);
    let in_added: u64 = added.iter().map(|&at| to.items[at]).sum();
    Difference {
        removed: beyond(from, &in_to),
        shared: to.items.len() - added.len(),
        shared_tokens: to.items.iter().sum::<u64>() - in_added,
        added,
    }
}

/// The whole text of an entry: its messages' blocks joined by blank lines.
pub fn entry_text(open: &OpenSession, ix: EntryIx) -> Result<String> {
    let body = open.bodies.body(ix)?;
    let parts: Vec<String> = body.messages.iter().map(message_text).collect();
    Ok(parts.join("\n\n"))
}

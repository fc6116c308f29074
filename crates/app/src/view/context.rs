//! The context at an entry with its sizes three ways.

use super::measure::Measure;
use crate::error::Result;
use crate::session::OpenSession;
use palimpsest_core::context::ReportedSize;
use palimpsest_core::estimate::{IMAGE_UNITS, tokens_of_units};
use palimpsest_core::{
    Block, Bodies as _, Category, Context, ContextItem, EntryIx, ItemKind, Message, Origin, Role,
};
use palimpsest_tokens::{Encoding, count_tokens};
use std::collections::BTreeMap;

/// The context at `at` with one item in front for what the provider counted and the session does
/// not hold, where a trusted usage tells: reported size minus the estimates of the items up to the
/// reply that reported it. A usage from before the newest compaction or edit is of another context:
/// then the size is not known until the next reply, and the part before it is what the first reply
/// reported ([`Measure::fixed`]).
pub fn context_at(open: &OpenSession, at: Option<EntryIx>) -> Context {
    let mut context = open.format.context(&open.session, &open.tree, at);
    let measure = Measure::along(open, &context.path);
    let place = |entry: EntryIx| context.path.iter().rposition(|&ix| ix == entry);
    let is_older = |size: &ReportedSize| place(size.entry) < measure.changed;
    context.reported = context.reported.filter(|size| !is_older(size));
    let rest = match context.reported {
        Some(reported) => beyond(&context, reported),
        None if measure.is_current => 0,
        None => measure.fixed,
    };
    if rest > 0 {
        context.items.insert(0, not_recorded(rest));
    }
    context
}

/// What was reported beyond the estimates of the items up to the reply.
fn beyond(context: &Context, reported: ReportedSize) -> u64 {
    let items = context.items.iter();
    let upto = items
        .clone()
        .position(|item| item.entries.contains(&reported.entry));
    let Some(upto) = upto else { return 0 };
    let counted: u64 = items.take(upto + 1).map(|item| item.estimate).sum();
    reported.usage_tokens.saturating_sub(counted)
}

fn not_recorded(tokens: u64) -> ContextItem {
    ContextItem {
        role: Role::System,
        native_role: "notRecorded",
        kind: ItemKind::NotRecorded,
        entries: Vec::new(),
        message_index: 0,
        edited_by: None,
        origin: Origin::NotRecorded,
        estimate: tokens,
        by_category: vec![(Category::NotRecorded, tokens)],
        tool_name: None,
        sent: true,
    }
}

/// The message of an item as the model gets it; for what is not recorded, a sentence that says so.
pub fn item_message(open: &OpenSession, item: &ContextItem) -> Result<Message> {
    if item.kind == ItemKind::NotRecorded {
        let text = "The session does not contain this part of the context (system prompt, tool \
            definitions). Its size is the total of the provider minus the size of the session's \
            content.";
        return Ok(Message {
            role: Role::System,
            native_role: "notRecorded",
            blocks: vec![Block::Text(text.to_owned())],
            tool: None,
            sent: true,
        });
    }
    Ok(open
        .format
        .item_message(&open.session, item, &open.bodies)?)
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
            format!("[image {mime}, {} bytes]", base64_len / 4 * 3)
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

/// Tokens of a message counted with `encoding`; an image counts by the estimate pi uses (1,200),
/// because its size in tokens is the provider's secret.
pub fn count_message(message: &Message, encoding: Encoding) -> u64 {
    message
        .blocks
        .iter()
        .map(|block| match block {
            Block::Image { .. } => tokens_of_units(IMAGE_UNITS),
            other => count_tokens(&block_text(other), encoding),
        })
        .sum()
}

/// Estimates by category, and those of tool results by tool.
pub fn breakdown(context: &Context) -> (BTreeMap<Category, u64>, BTreeMap<String, u64>) {
    let mut by_category = BTreeMap::new();
    let mut by_tool = BTreeMap::new();
    for item in &context.items {
        for &(category, tokens) in &item.by_category {
            *by_category.entry(category).or_insert(0) += tokens;
            if let (Category::ToolResults, Some(tool)) = (category, &item.tool_name) {
                *by_tool.entry(tool.to_string()).or_insert(0) += tokens;
            }
        }
    }
    (by_category, by_tool)
}

/// How two contexts differ: items only in the first, items only in the second, number shared and
/// their tokens. Items are the same when they come from the same message in the same form.
pub fn difference<'a>(
    from: &'a Context,
    to: &'a Context,
) -> (Vec<&'a ContextItem>, Vec<&'a ContextItem>, usize, u64) {
    let key = |item: &ContextItem| (item.entries.clone(), item.message_index, item.edited_by);
    let in_to: std::collections::HashSet<_> = to.items.iter().map(key).collect();
    let in_from: std::collections::HashSet<_> = from.items.iter().map(key).collect();
    let removed: Vec<_> = from
        .items
        .iter()
        .filter(|item| !in_to.contains(&key(item)))
        .collect();
    let added: Vec<_> = to
        .items
        .iter()
        .filter(|item| !in_from.contains(&key(item)))
        .collect();
    let shared = to.items.len() - added.len();
    let shared_tokens = to
        .items
        .iter()
        .filter(|item| in_from.contains(&key(item)))
        .map(|item| item.estimate)
        .sum();
    (removed, added, shared, shared_tokens)
}

/// The whole text of an entry: its messages' blocks joined by blank lines.
pub fn entry_text(open: &OpenSession, ix: EntryIx) -> Result<String> {
    let body = open.bodies.body(ix)?;
    let parts: Vec<String> = body.messages.iter().map(message_text).collect();
    Ok(parts.join("\n\n"))
}

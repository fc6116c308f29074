//! What Mux sends from an entry (0.28, `prepareMessagesForProvider` and what it calls).

use super::entry::{COMPACTION_REQUEST, CONTEXT_RESET, INTERRUPTED, PARTIAL};
use super::output;
use super::row::REQUEST;
use super::spoken::{AGENT_SWITCH, ATTACHMENTS, UNSIGNED, tokens};
use crate::context_item::{blank_message, context_item, stored_message};
use palimpsest_core::context::ReportedSize;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::json::utf16_len;
use palimpsest_core::{
    Block, Bodies, BodyError, Category, Context, ContextItem, EntryIx, EntryKind, ItemEntries,
    ItemKind, Message, MessageSize, Origin, Role, Session, Tree,
};

/// The role name of a result in the turn that is still going on: what is for the window is sent with
/// it until the next prompt.
const RESULT_NOW: &str = "toolResultNow";
/// The role name of what Mux puts behind an answer that was cut short where no prompt follows it.
const CONTINUE: &str = "continue";
/// Its text (all versions).
const CONTINUE_TEXT: &str = "[CONTINUE]";

/// The context at `at`.
pub(super) fn context(session: &Session, tree: &Tree, at: Option<EntryIx>) -> Context {
    let path = at.map(|at| tree.path(at)).unwrap_or_default();
    let boundary = path.iter().rposition(|&ix| is_boundary(session, ix));
    let selected: Vec<EntryIx> = path[boundary.unwrap_or(0)..].to_vec();
    let turn = Turn::at(session, &path);
    let model = model(session, &path);
    let mut items: Vec<ContextItem> = Vec::new();
    items.extend(system_prompt(session, &path));
    for (position, &ix) in selected.iter().enumerate() {
        items.extend(items_of(session, ix, &turn, model.as_ref()));
        if is_cut_short(session, ix) && !is_answered(session, &selected[position + 1..]) {
            items.push(continued(ix));
        }
        // What is sent again stands behind the summary, before all rows.
        if position == 0 && Some(ix) == boundary.map(|at| path[at]) {
            items.extend(attachments(session, &turn));
        }
    }
    if boundary.is_none() {
        items.extend(attachments(session, &turn));
    }
    let estimated = items.iter().map(|item| item.estimate).sum();
    let reported = reported(session, &selected, &items);
    let summary = boundary.map(|at| path[at]);
    Context {
        at,
        model,
        thinking_level: None,
        estimated,
        reported,
        projected: reported.map_or(estimated, |size| size.tokens),
        compaction: summary.filter(|&ix| is_summary(session, ix)),
        own_categories: Vec::new(),
        path,
        selected,
        items,
    }
}

fn is_summary(session: &Session, ix: EntryIx) -> bool {
    matches!(session.entry(ix).kind, EntryKind::Compaction(_))
}

fn is_custom(session: &Session, ix: EntryIx, name: &str) -> bool {
    matches!(&session.entry(ix).kind, EntryKind::Custom { custom_type } if **custom_type == *name)
}

/// True where the context begins: at a durable summary, or behind the row that clears it.
fn is_boundary(session: &Session, ix: EntryIx) -> bool {
    match &session.entry(ix).kind {
        EntryKind::Compaction(compaction) => compaction.first_kept == Some(ix),
        _ => is_custom(session, ix, CONTEXT_RESET),
    }
}

/// The turn that goes on at the end of a path.
struct Turn {
    /// The line of the answer that is not finished there.
    answer: Option<u32>,
    /// The prompt that is being answered.
    prompt: Option<EntryIx>,
    /// What was sent with the request for it beside the rows.
    request: Option<EntryIx>,
}

impl Turn {
    fn at(session: &Session, path: &[EntryIx]) -> Turn {
        let Some((&at, before)) = path.split_last() else {
            return Turn {
                answer: None,
                prompt: None,
                request: None,
            };
        };
        let line = session.entry(at).source.line;
        // The runs of one answer stand on one line, the last of them ends the turn.
        let next = session.entries.get(at.get() + 1);
        let goes_on = next.is_some_and(|next| {
            next.source.line == line && next.kind == EntryKind::Message(Role::Assistant)
        });
        let asks = |ix: EntryIx| {
            let entry = session.entry(ix);
            entry.kind == EntryKind::Message(Role::User)
                || is_custom(session, ix, COMPACTION_REQUEST)
        };
        let mut rows = before.iter().rev().copied();
        let prompt = if asks(at) {
            Some(at)
        } else if goes_on {
            rows.find(|&ix| asks(ix))
        } else {
            None
        };
        let above = prompt.and_then(|prompt| session.entry(prompt).parent);
        Turn {
            answer: goes_on.then_some(line),
            prompt,
            request: above.filter(|&ix| is_custom(session, ix, REQUEST)),
        }
    }
}

/// The system prompt in force. That of a request for a summary is for this request alone.
fn system_prompt(session: &Session, path: &[EntryIx]) -> Option<ContextItem> {
    let mut places = (0..path.len()).rev().filter(|&at| {
        let first = session.entry(path[at]).messages.first();
        is_custom(session, path[at], REQUEST) && first.is_some_and(|size| size.role == Role::System)
    });
    let is_for_a_summary = |&at: &usize| {
        let next = path.get(at + 1);
        next.is_some_and(|&ix| is_custom(session, ix, COMPACTION_REQUEST)) && at + 2 < path.len()
    };
    let newest = places.next()?;
    let place = if is_for_a_summary(&newest) {
        places.find(|at| !is_for_a_summary(at)).unwrap_or(newest)
    } else {
        newest
    };
    let size = session.entry(path[place]).messages.first()?;
    // A prompt that was changed adds nothing to the sum along the path; here it has its own size.
    let units = size.units.iter().map(|(_, units)| *units).sum();
    let whole = MessageSize {
        estimate: tokens(units),
        ..size.clone()
    };
    Some(item(path[place], 0, &whole))
}

/// What was sent again with the request that is being answered.
fn attachments(session: &Session, turn: &Turn) -> Option<ContextItem> {
    let ix = turn.request?;
    let messages = session.entry(ix).messages.iter().enumerate();
    let mut attached = messages.filter(|(_, size)| size.native_role == ATTACHMENTS);
    attached.next().map(|(index, size)| item(ix, index, size))
}

fn items_of(
    session: &Session,
    ix: EntryIx,
    turn: &Turn,
    model: Option<&ModelRef>,
) -> Vec<ContextItem> {
    let entry = session.entry(ix);
    if is_custom(session, ix, REQUEST) {
        return Vec::new();
    }
    let is_now = turn.answer == Some(entry.source.line);
    let to_anthropic = model.is_some_and(is_anthropic);
    let mut items = Vec::new();
    for (index, size) in entry.messages.iter().enumerate() {
        // The notice of another agent mode is sent until the prompt is answered.
        if size.native_role == AGENT_SWITCH && turn.prompt != Some(ix) {
            continue;
        }
        let mut item = item(ix, index, size);
        match item.native_role {
            "toolResult" if is_now => item.native_role = RESULT_NOW,
            UNSIGNED if to_anthropic => leave_out_thinking(&mut item),
            UNSIGNED => item.native_role = "assistant",
            _ => {}
        }
        items.push(item);
    }
    items
}

/// Takes the reasoning off an item's size.
fn leave_out_thinking(item: &mut ContextItem) {
    item.by_category
        .retain(|(category, _)| *category != Category::Thinking);
    item.estimate = item.by_category.iter().map(|(_, share)| share).sum();
}

/// True for models that Anthropic's rules are followed for, gateways included.
fn is_anthropic(model: &ModelRef) -> bool {
    &*model.provider == "anthropic" || model.model.starts_with("anthropic/")
}

/// True for the end of an answer that was cut short.
fn is_cut_short(session: &Session, ix: EntryIx) -> bool {
    let stop = session.entry(ix).stop_reason.as_deref();
    stop.is_some_and(|stop| [PARTIAL, INTERRUPTED].contains(&stop))
}

/// True when the next row that is sent is a prompt.
fn is_answered(session: &Session, after: &[EntryIx]) -> bool {
    let sent = after.iter().flat_map(|&ix| {
        let messages = session.entry(ix).messages.iter();
        messages.filter(move |size| size.sent && !is_custom(session, ix, REQUEST))
    });
    sent.map(|size| size.role).next() == Some(Role::User)
}

/// What Mux puts behind an answer that was cut short.
fn continued(ix: EntryIx) -> ContextItem {
    let estimate = tokens(utf16_len(CONTINUE_TEXT));
    ContextItem {
        role: Role::User,
        native_role: CONTINUE,
        kind: ItemKind::NotRecorded,
        entries: ItemEntries::from_slice(&[ix]),
        message_index: 0,
        edited_by: None,
        origin: Origin::NotRecorded,
        estimate,
        by_category: vec![(Category::NotRecorded, estimate)],
        tool_name: None,
        sent: true,
    }
}

fn item(ix: EntryIx, message_index: usize, size: &MessageSize) -> ContextItem {
    let (kind, origin) = match size.native_role {
        "summary" => (ItemKind::CompactionSummary, Origin::Summary),
        "synthetic" | "compactionRequest" | AGENT_SWITCH | ATTACHMENTS => {
            (ItemKind::Custom, Origin::Injected)
        }
        _ => (ItemKind::Message, Origin::Verbatim),
    };
    context_item(ix, message_index, size, (kind, origin))
}

/// The model in force: of the newest row that names one.
fn model(session: &Session, path: &[EntryIx]) -> Option<ModelRef> {
    let mut newest = path.iter().rev().map(|&ix| session.entry(ix));
    newest.find_map(|entry| entry.model.clone())
}

/// The size that the last answer reports, and the estimates of what came after it.
fn reported(
    session: &Session,
    selected: &[EntryIx],
    items: &[ContextItem],
) -> Option<ReportedSize> {
    let ix = *selected
        .iter()
        .rfind(|&&ix| session.entry(ix).usage_trusted)?;
    let usage_tokens = session.entry(ix).usage?.context_tokens();
    let of_reply =
        |item: &ContextItem| item.entries.first() == Some(&ix) && item.role == Role::Assistant;
    let reply = items.iter().rposition(of_reply);
    let after = reply.map_or(&[][..], |position| &items[position + 1..]);
    let sent = after.iter().filter(|item| item.sent);
    let trailing_tokens = sent.map(|item| item.estimate).sum();
    Some(ReportedSize {
        tokens: usage_tokens + trailing_tokens,
        usage_tokens,
        trailing_tokens,
        entry: ix,
    })
}

/// The message of an item as the model gets it.
pub(super) fn item_message(item: &ContextItem, bodies: &dyn Bodies) -> Result<Message, BodyError> {
    if item.native_role == CONTINUE {
        let mut message = blank_message(item);
        message.blocks.push(Block::Text(CONTINUE_TEXT.to_owned()));
        return Ok(message);
    }
    let mut message = stored_message(item, bodies)?;
    if item.native_role == "toolResult" {
        output::shorten(&mut message);
    }
    let is_unsigned = item.native_role == UNSIGNED;
    // Parts of kinds that are not known are not sent, and neither is a text of white space.
    message.blocks.retain(|block| match block {
        Block::Opaque { .. } => false,
        Block::Thinking { .. } => !is_unsigned,
        Block::Text(text) => item.role != Role::Assistant || !text.trim().is_empty(),
        _ => true,
    });
    join_texts(&mut message);
    Ok(message)
}

/// Joins texts of an answer between which something was left out.
fn join_texts(message: &mut Message) {
    if message.role != Role::Assistant {
        return;
    }
    let mut joined: Vec<Block> = Vec::with_capacity(message.blocks.len());
    for block in message.blocks.drain(..) {
        match (joined.last_mut(), block) {
            (Some(Block::Text(last)), Block::Text(text)) => last.push_str(&text),
            (_, block) => joined.push(block),
        }
    }
    message.blocks = joined;
}

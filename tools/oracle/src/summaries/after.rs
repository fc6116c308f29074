//! What the next request holds after a compaction: by the plan of the preset, and as it was sent.
//!
//! The plan says what stands for the conversation until then. Behind it the request has what was said
//! since, which no plan can know: that is taken from the session.

use super::recorded::Recorded;
use crate::requests::Request;
use palimpsest_compaction::Plan;
use palimpsest_compaction::assemble::NextItem;
use palimpsest_compaction::plan::SummaryPart;
use palimpsest_core::context::RESENT_PROMPT;
use palimpsest_core::{Context, ContextItem, EntryIx, ItemKind, Message, Role};
use palimpsest_formats::InMemory;
use serde_json::Value;
use std::collections::HashSet;

/// The role names of what is sent again beside a summary: it belongs to the compaction.
const AGAIN: [&str; 2] = [RESENT_PROMPT, "standing_reminder"];

/// The first request whose context begins with a summary.
pub(super) struct Next<'a> {
    /// The request.
    pub request: &'a Request,
    /// The context at its entry.
    pub context: Context,
    /// The text of the summary, as the session holds it.
    pub summary: String,
}

/// A part of a planned request.
pub(super) enum Part {
    /// The message with the summary.
    Summary(Role, String),
    /// A text that the preset adds.
    Added(Role, String),
    /// An item of the context, with its message.
    Kept(ContextItem, Message),
}

/// The first request that was sent with the summary of this one's compaction.
pub(super) fn next<'a>(recorded: &Recorded<'a>) -> Result<Next<'a>, String> {
    let (ours, ids) = (recorded.ours, recorded.ours.session.by_id());
    let reply = recorded.request.more.get("reply").and_then(Value::as_str);
    let summary = reply.and_then(|id| ids.get(id)).copied();
    let summary = summary.ok_or("the summary is not in the session")?;
    let behind = recorded.all.iter().filter(|own| own.kind == "turn");
    let mut contexts = behind.filter_map(|request| {
        let event = request.more.get("at_event").and_then(Value::as_str);
        let at = event.or(request.at.as_deref())?;
        let context = ours.context(Some(*ids.get(at)?));
        (context.compaction == Some(summary)).then_some((request, context))
    });
    let (request, context) = contexts
        .next()
        .ok_or("no request was sent with this summary")?;
    let is_summary = |item: &&ContextItem| item.kind == ItemKind::CompactionSummary;
    let item = context.items.iter().find(is_summary);
    let item = item.ok_or("the summary is not in its context")?;
    let message = ours.format.item_message(&ours.session, item, ours);
    let summary = message.map_err(|error| error.to_string())?.text("");
    Ok(Next {
        request,
        context,
        summary,
    })
}

/// What the plan has in the next request, without the system prompt, the recorded summary in the
/// place of the reply.
pub(super) fn parts(
    ours: &InMemory,
    context: &Context,
    plan: &Plan,
    summary: &str,
) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for item in &plan.next {
        parts.push(match item {
            NextItem::Kept { item, .. } => {
                let item = &context.items[*item];
                if item.role == Role::System {
                    continue;
                }
                let message = ours.format.item_message(&ours.session, item, ours);
                let message = message.map_err(|error| error.to_string())?;
                Part::Kept(item.clone(), message)
            }
            NextItem::Summary { role, parts, .. } => {
                let texts = parts.iter().map(|part| match part {
                    SummaryPart::Reply(_) => Some(summary),
                    other => other.known(),
                });
                let text: Option<String> = texts.collect();
                Part::Summary(*role, text.ok_or("the summary needs more than a reply")?)
            }
            NextItem::Text { role, text, .. } => Part::Added(*role, text.clone()),
        });
    }
    Ok(parts)
}

/// The items of the next request's context that were said behind what the plan is made from.
pub(super) fn since(context: &Context, next: &Context) -> Vec<ContextItem> {
    let known: HashSet<EntryIx> = context.path.iter().copied().collect();
    let is_new = |item: &&ContextItem| {
        item.sent
            && item.role != Role::System
            && item.kind != ItemKind::CompactionSummary
            && !AGAIN.contains(&item.native_role)
            && !item.entries.iter().any(|ix| known.contains(ix))
    };
    let summary = next.compaction;
    let of_summary = |item: &&ContextItem| item.entries.first().copied() == summary;
    let items = next.items.iter().filter(is_new);
    items.filter(|item| !of_summary(item)).cloned().collect()
}

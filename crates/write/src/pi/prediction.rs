//! What pi will read from the written branch, from the context of the original.

use super::chain::{Chain, Link};
use super::system;
use crate::expected::ExpectedItem;
use crate::refusal::Refusal;
use crate::request::{Change, Kept, NewCompaction, Request};
use palimpsest_core::{Block, Context, ContextItem, EntryIx, Message, Role};
use std::collections::HashMap;

/// The context at the leaf of `chain`.
pub(super) fn context(request: &Request<'_>, chain: &Chain) -> Result<Vec<ExpectedItem>, Refusal> {
    let items = || request.context.items.iter().cloned();
    Ok(match request.change {
        Change::None => items().map(ExpectedItem::Original).collect(),
        Change::BranchSummary { text, .. } => {
            let summary = ExpectedItem::New(summary("branchSummary", text));
            items()
                .map(ExpectedItem::Original)
                .chain([summary])
                .collect()
        }
        Change::Message { text } => {
            let said = ExpectedItem::New(summary("user", text));
            items().map(ExpectedItem::Original).chain([said]).collect()
        }
        Change::Replace { summary: at, text } => items()
            .map(|item| match item.native_role {
                // A compaction may have a system message before its summary.
                "compactionSummary" | "branchSummary" if item.entries.first() == Some(at) => {
                    ExpectedItem::New(summary(item.native_role, text))
                }
                _ => ExpectedItem::Original(item),
            })
            .collect(),
        Change::Compaction(new) => compacted(request, chain, new)?,
    })
}

fn compacted(
    request: &Request<'_>,
    chain: &Chain,
    new: &NewCompaction,
) -> Result<Vec<ExpectedItem>, Refusal> {
    let mut all = Vec::new();
    all.extend(system::message(request, &new.context)?.map(ExpectedItem::New));
    all.push(ExpectedItem::New(summary("compactionSummary", &new.text)));
    let now = by_entry(request.context);
    let then = by_entry(&new.context);
    // An edit that follows the new compaction still holds for an entry before it.
    let items_of = |ix: EntryIx| now.get(&ix).or_else(|| then.get(&ix)).cloned();
    let summary_at = chain.links.iter().position(|link| *link == Link::Summary);
    let (before, behind) = chain
        .links
        .split_at(summary_at.unwrap_or(chain.links.len()));
    if let Kept::From(first) = new.kept {
        let from = before.iter().position(|link| *link == Link::Copy(first));
        let kept = from.map_or(&[][..], |from| &before[from..]);
        for link in kept {
            let Link::Copy(ix) = link else { continue };
            let items = items_of(*ix).unwrap_or_default();
            // An older summary in the kept tail says nothing; the system message stands in front.
            let stays = |item: &ContextItem| {
                item.role != Role::System && item.native_role != "compactionSummary"
            };
            all.extend(items.into_iter().filter(stays).map(ExpectedItem::Original));
        }
    }
    for link in behind {
        if let Link::Copy(ix) | Link::Again(ix) = link {
            let items = items_of(*ix).unwrap_or_default();
            all.extend(items.into_iter().map(ExpectedItem::Original));
        }
    }
    Ok(all)
}

fn by_entry(context: &Context) -> HashMap<EntryIx, Vec<ContextItem>> {
    let mut map: HashMap<EntryIx, Vec<ContextItem>> = HashMap::new();
    for item in &context.items {
        if let Some(&ix) = item.entries.first() {
            map.entry(ix).or_default().push(item.clone());
        }
    }
    map
}

fn summary(native_role: &'static str, text: &str) -> Message {
    Message {
        role: Role::User,
        native_role,
        blocks: vec![Block::Text(text.to_owned())],
        tool: None,
        sent: true,
    }
}

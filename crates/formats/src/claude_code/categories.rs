//! A context in the terms of Claude Code's own `/context` list (2.1.63), as far as a session file
//! tells them: what is free and what is reserved depends on the model's window.

use super::attachment::{PROMPT_ROLE, TOOLS_ROLE};
use palimpsest_core::{ContextItem, EntryIx, EntryKind, Session};

/// Attachments that the list counts apart from messages, in the list's order.
const APART: [(&str, &str); 3] = [
    ("deferred_tools_delta", "System tools (deferred)"),
    ("agent_listing_delta", "Custom agents"),
    ("skill_listing", "Skills"),
];

/// Names and tokens, in the list's order; empty ones are left out.
pub(super) fn own_categories(
    session: &Session,
    lane: &[EntryIx],
    items: &[ContextItem],
) -> Vec<(Box<str>, u64)> {
    // System prompt and tools are recorded beside the messages; the newest record counts.
    let recorded = |role: &str| {
        let mut entries = lane.iter().rev().map(|&ix| session.entry(ix));
        entries
            .find_map(|entry| {
                let size = entry
                    .messages
                    .iter()
                    .find(|size| size.native_role == role)?;
                Some(size.estimate)
            })
            .unwrap_or(0)
    };
    let mut list: Vec<(Box<str>, u64)> = vec![
        ("System prompt".into(), recorded(PROMPT_ROLE)),
        ("System tools".into(), recorded(TOOLS_ROLE)),
    ];
    let mut messages: u64 = items.iter().map(|item| item.estimate).sum();
    for (attachment, name) in APART {
        let of_type = |item: &&ContextItem| {
            let [ix] = item.entries.as_slice() else {
                return false;
            };
            matches!(
                &session.entry(*ix).kind,
                EntryKind::CustomMessage { custom_type, .. } if &**custom_type == attachment
            )
        };
        let tokens: u64 = items.iter().filter(of_type).map(|item| item.estimate).sum();
        // Attachments are messages too; the list counts each once.
        messages -= tokens;
        list.push((name.into(), tokens));
    }
    list.push(("Messages".into(), messages));
    list.retain(|&(_, tokens)| tokens > 0);
    list
}

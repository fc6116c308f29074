//! Copilot CLI: the session's own request with the instruction behind it, block by block.

use super::planned;
use super::recorded::Recorded;
use crate::requests::copilot::{Piece, add, compare_pieces};
use crate::tally::Case;
use palimpsest_core::{EntryIx, EntryKind, Message};
use palimpsest_formats::InMemory;
use serde_json::{Map, Value};

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let begun = request.more.get("compaction_start").and_then(Value::as_str);
    let Some(&at) = begun.or(request.at.as_deref()).and_then(|id| ids.get(id)) else {
        return case.differs("entry", "it is not in the session");
    };
    let context = ours.context(Some(truncated(ours, at)));
    let plan = match planned::plan(ours, &context, "copilot", &Map::new()) {
        Ok(plan) => plan,
        Err(reason) => return case.differs("plan", &reason),
    };
    let [call] = plan.calls.as_slice() else {
        return case.differs("calls", &format!("{} and not one", plan.calls.len()));
    };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut request_of_ours: Option<Message> = None;
    for (item, message) in planned::messages(&context, call) {
        match item {
            Some(item) => add(&mut pieces, &context.items[item], &message),
            None => request_of_ours = Some(message),
        }
    }
    // The request itself is Copilot's own text.
    let Some((last, sent)) = request.messages.split_last() else {
        return case.differs("messages", "none were sent");
    };
    case.same("role of the request", &"user", &last.role.as_str());
    case.same("a request behind", &request_of_ours.is_some(), &true);
    compare_pieces(&pieces, sent, case);
}

/// Where the list was cut because it was too long for the request: right behind the beginning.
fn truncated(ours: &InMemory, begun: EntryIx) -> EntryIx {
    let next = match ours.tree.children(begun) {
        [next, ..] => *next,
        [] => return begun,
    };
    match ours.session.entry(next).kind {
        EntryKind::Clearing(_) => next,
        _ => begun,
    }
}

//! Mux: the session's own request with the instruction behind it, in the last message of the user.

use super::planned;
use super::recorded::Recorded;
use crate::requests::mux::{Piece, as_asked, beside_calls, equals, pieces_of, sent_pieces};
use crate::tally::Case;
use palimpsest_core::Role;
use serde_json::Map;

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let Some(&at) = request.at.as_deref().and_then(|id| ids.get(id)) else {
        return case.differs("entry", "it is not in the session");
    };
    // The row that asks for the summary is no part of the context it is made from.
    let before = ours.tree.parent(at);
    let context = ours.context(before);
    let plan = match planned::plan(ours, &context, "mux", &Map::new()) {
        Ok(plan) => plan,
        Err(reason) => return case.differs("plan", &reason),
    };
    let [call] = plan.calls.as_slice() else {
        return case.differs("calls", &format!("{} and not one", plan.calls.len()));
    };
    let mut pieces: Vec<Piece> = Vec::new();
    for (item, message) in planned::messages(&context, call) {
        let is_system = item.is_some_and(|item| context.items[item].role == Role::System);
        if is_system {
            continue;
        }
        match (message.role, pieces.last_mut()) {
            // Rows of the user that follow each other are one message.
            (Role::User, Some(Piece::User(last))) => {
                last.extend(as_asked(&message, item.is_none()))
            }
            (Role::User, _) => pieces.push(Piece::User(as_asked(&message, item.is_none()))),
            _ => pieces.extend(pieces_of(&message)),
        }
    }
    let pieces = beside_calls(pieces);
    let sent = request.messages.iter().flat_map(sent_pieces).collect();
    let sent = beside_calls(sent);
    case.same("number of pieces", &pieces.len(), &sent.len());
    for (ours, theirs) in pieces.iter().zip(&sent) {
        if !equals(ours, theirs) {
            case.same("piece", ours, theirs);
        }
    }
}

//! Mux: the session's own request with the instruction behind it, in the last message of the user.

use super::after::{self, Part};
use super::planned;
use super::recorded::Recorded;
use crate::requests::mux::{Piece, Words, as_asked, beside_calls, equals, pieces_of, sent_pieces};
use crate::tally::Case;
use palimpsest_compaction::Plan;
use palimpsest_core::{Context, Role};
use serde_json::Map;

/// The context from which the summary was made, and the plan there.
fn planned(recorded: &Recorded<'_>) -> Result<(Context, Box<Plan>), String> {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let at = request.at.as_deref().and_then(|id| ids.get(id));
    let &at = at.ok_or("the entry is not in the session")?;
    // The row that asks for the summary is no part of the context it is made from.
    let before = ours.tree.parent(at);
    let context = ours.context(before);
    let plan = planned::plan(ours, &context, "mux", &Map::new())?;
    Ok((context, plan))
}

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let request = recorded.request;
    let (context, plan) = match planned(recorded) {
        Ok(planned) => planned,
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

/// The next request: the summary as an answer, the changes to files before the next prompt in one
/// message with it, and what was said since.
pub(super) fn after(recorded: &Recorded<'_>, case: &mut Case) {
    if let Err(reason) = compare_next(recorded, case) {
        case.differs("plan", &reason);
    }
}

fn compare_next(recorded: &Recorded<'_>, case: &mut Case) -> Result<(), String> {
    let ours = recorded.ours;
    let (context, plan) = planned(recorded)?;
    let next = after::next(recorded)?;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut add = |role: Role, piece: Vec<Piece>, words: Words| match (role, pieces.last_mut()) {
        (Role::User, Some(Piece::User(last))) => last.push(words),
        (Role::User, _) => pieces.push(Piece::User(vec![words])),
        _ => pieces.extend(piece),
    };
    for part in after::parts(ours, &context, &plan, &next.summary)? {
        match part {
            Part::Summary(role, text) => {
                add(role, vec![Piece::Text(text.clone())], Words::Own(text));
            }
            // How Mux shows a change is its own; every changed line is in it.
            Part::Added(role, text) => add(
                role,
                vec![Piece::Text(text.clone())],
                Words::Wording(changes(&text)),
            ),
            Part::Kept(item, message) => {
                add(
                    item.role,
                    pieces_of(&message),
                    Words::Own(message.text("\n")),
                );
            }
        }
    }
    // What was edited is in the plan already.
    let said = after::since(&context, &next.context).into_iter();
    for item in said.filter(|item| item.native_role != "postCompaction") {
        let message = ours.format.item_message(&ours.session, &item, ours);
        let message = message.map_err(|error| error.to_string())?;
        add(
            item.role,
            pieces_of(&message),
            Words::Own(message.text("\n")),
        );
    }
    let pieces = beside_calls(pieces);
    let sent = next.request.messages.iter().flat_map(sent_pieces).collect();
    let sent = beside_calls(sent);
    case.same("number of pieces", &pieces.len(), &sent.len());
    for (ours, theirs) in pieces.iter().zip(&sent) {
        if !equals(ours, theirs) {
            case.same("piece", ours, theirs);
        }
    }
    Ok(())
}

/// The changed lines of a text with changes.
fn changes(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with(['+', '-']));
    lines.map(str::to_owned).collect()
}

//! Copilot CLI: the session's own request with the instruction behind it, block by block.

use super::after::{self, Part};
use super::planned;
use super::recorded::Recorded;
use crate::requests::copilot::{Piece, add, compare_pieces};
use crate::tally::Case;
use palimpsest_compaction::Plan;
use palimpsest_core::context::RESENT_PROMPT;
use palimpsest_core::{Context, ContextItem, EntryIx, EntryKind, Message};
use palimpsest_formats::InMemory;
use serde_json::{Map, Value};

/// The context from which the summary was made, and the plan there.
fn planned(recorded: &Recorded<'_>) -> Result<(Context, Box<Plan>), String> {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let begun = request.more.get("compaction_start").and_then(Value::as_str);
    let at = begun.or(request.at.as_deref()).and_then(|id| ids.get(id));
    let &at = at.ok_or("the entry is not in the session")?;
    let context = ours.context(Some(truncated(ours, at)));
    let plan = planned::plan(ours, &context, "copilot", &Map::new())?;
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

/// The next request: all prompts and the summary in one message of the user, then what was said since
/// the compaction began.
pub(super) fn after(recorded: &Recorded<'_>, case: &mut Case) {
    if let Err(reason) = compare_next(recorded, case) {
        case.differs("plan", &reason);
    }
}

fn compare_next(recorded: &Recorded<'_>, case: &mut Case) -> Result<(), String> {
    let ours = recorded.ours;
    let (context, plan) = planned(recorded)?;
    let next = after::next(recorded)?;
    let parts = after::parts(ours, &context, &plan, &next.summary)?;
    let [Part::Summary(role, text)] = parts.as_slice() else {
        case.differs("planned parts", &format!("{} and not one", parts.len()));
        return Ok(());
    };
    let frame = next.request.messages.first();
    let frame = frame.and_then(|message| Some((&*message.role, message.blocks.first()?.shown())));
    let (sent_role, sent) = frame.ok_or("the next request is empty")?;
    case.same("role of the summary", &role.name(), &sent_role);
    let said = after::since(&context, &next.context);
    let mut pieces = Vec::new();
    let mut words = Vec::new();
    for item in &said {
        let message = ours.format.item_message(&ours.session, item, ours);
        let message = message.map_err(|error| error.to_string())?;
        add(&mut pieces, item, &message);
        let bare = ContextItem {
            native_role: RESENT_PROMPT,
            ..item.clone()
        };
        let bare = ours.format.item_message(&ours.session, &bare, ours);
        words.push(bare.map_err(|error| error.to_string())?.text(""));
    }
    // Prompts that were sent while the summary was written stand in the frame as well.
    let mut prompts = tagged(text, "user_message");
    let sent_prompts = tagged(&sent, "user_message");
    let later = sent_prompts.iter().skip(prompts.len());
    prompts.extend(later.filter(|prompt| words.contains(prompt)).cloned());
    case.same("prompts", &prompts, &sent_prompts);
    case.same(
        "summary",
        &tagged(text, "summary"),
        &tagged(&sent, "summary"),
    );
    compare_pieces(&pieces, &next.request.messages[1..], case);
    Ok(())
}

/// The texts between tags, each on lines of their own.
fn tagged(text: &str, tag: &str) -> Vec<String> {
    let (start, end) = (format!("<{tag}>\n"), format!("\n</{tag}>"));
    let parts = text.split(&*start).skip(1);
    let inside = parts.filter_map(|part| part.split_once(&*end));
    inside.map(|(inside, _)| inside.to_owned()).collect()
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

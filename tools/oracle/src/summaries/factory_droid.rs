//! Droid: one user message with the transcript in a fence, before it the previous summary in
//! another where there is one, and behind them custom instructions.

use super::after::{self, Part};
use super::planned;
use super::recorded::{Recorded, within};
use crate::requests::factory_droid::{FRAME, Piece, compare_block, pieces};
use crate::requests::request::{SentBlock, is_hash};
use crate::tally::Case;
use palimpsest_compaction::Plan;
use palimpsest_core::entry::Trigger;
use palimpsest_core::{Context, ContextItem, EntryIx, EntryKind};
use palimpsest_formats::InMemory;
use serde_json::{Map, Value};

/// What Droid writes in place of a reminder, and what the preset does.
const OMITTED: (&str, &str) = (
    "[System reminder omitted at compaction boundary.]",
    "[reminder omitted]",
);
/// What begins a result of a tool.
const RESULT: &str = "TOOL_RESULT: ";

/// The context from which a summary was made, the plan there, and the first entry that was kept.
struct Planned {
    context: Context,
    plan: Box<Plan>,
    kept: Option<EntryIx>,
}

fn planned(recorded: &Recorded<'_>) -> Result<Planned, String> {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let at = request.at.as_deref().and_then(|id| ids.get(id));
    let &at = at.ok_or("the entry is not in the session")?;
    let reply = request.more.get("reply").and_then(Value::as_str);
    let summary = reply.and_then(|id| ids.get(id)).copied();
    let trigger = summary.and_then(|ix| match &ours.session.entry(ix).kind {
        EntryKind::Compaction(told) => told.trigger,
        _ => None,
    });
    let is_manual = trigger == Some(Trigger::Manual);
    // An automatic compaction looks when the reply is there and not yet part of the history.
    let from = if is_manual {
        Some(at)
    } else {
        ours.tree.parent(at)
    };
    let context = ours.context(from);
    let mut settings = Map::new();
    if is_manual {
        settings.insert("drain_tokens".to_owned(), 0.into());
    }
    let kept = planned::first_kept(ours, reply);
    let kept = kept.filter(|kept| context.path.contains(kept));
    let tail = ("drain_tokens", &settings);
    let plan = planned::plan_keeping(ours, &context, "factory-droid", tail, kept)?;
    Ok(Planned {
        context,
        plan,
        kept,
    })
}

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let request = recorded.request;
    let Planned { plan, kept, .. } = match planned(recorded) {
        Ok(planned) => planned,
        Err(reason) => return case.differs("plan", &reason),
    };
    let ([call], [message]) = (plan.calls.as_slice(), request.messages.as_slice()) else {
        let counts = format!(
            "{} calls, {} messages",
            plan.calls.len(),
            request.messages.len()
        );
        return case.differs("calls and messages", &counts);
    };
    case.same("role", &"user", &message.role.as_str());
    case.same("first kept", &plan.first_kept, &kept);
    let text: String = message.blocks.iter().map(SentBlock::shown).collect();
    if is_hash(&text) {
        case.differs("text", "recorded only as a hash, so it was not compared");
        return;
    }
    let previous = plan.previous_summary.as_deref();
    let rest = match previous.filter(|own| !own.is_empty()) {
        Some(own) => match text.split_once(&format!("```\n{}\n```", own.trim())) {
            Some((_, rest)) => rest,
            None => return case.differs("summary before", "it is not in the request"),
        },
        None => &text,
    };
    let sent = rest
        .split_once("```\n")
        .and_then(|(_, rest)| rest.rsplit_once("\n```"));
    let sent = sent.map(|(inside, _)| as_planned(inside));
    let ours = without_repeats(call.conversation());
    if sent.as_deref() != Some(ours.as_str()) {
        let theirs = sent.unwrap_or_default();
        let mut lines = ours.lines().zip(theirs.lines()).enumerate();
        let differs = lines.find(|(_, (a, b))| a != b);
        let counts = (ours.lines().count(), theirs.lines().count());
        case.differs("transcript", &format!("{differs:?}, lines {counts:?}"));
    }
}

/// The next request: the summary with a description of the machine, the reminders that are sent
/// again, what was kept, and what was said since.
pub(super) fn after(recorded: &Recorded<'_>, case: &mut Case) {
    if let Err(reason) = compare_next(recorded, case) {
        case.differs("plan", &reason);
    }
}

fn compare_next(recorded: &Recorded<'_>, case: &mut Case) -> Result<(), String> {
    let ours = recorded.ours;
    let Planned { context, plan, .. } = planned(recorded)?;
    let next = after::next(recorded)?;
    let mut pieces: Vec<(&'static str, Piece)> = Vec::new();
    for part in after::parts(ours, &context, &plan, &next.summary)? {
        match part {
            Part::Summary(role, text) => {
                let inside = within(&text, FRAME).unwrap_or(&text).to_owned();
                pieces.push((role.name(), Piece::text(inside, true)));
                // Droid describes the machine as it is then; no plan knows how.
                let mut told = next.context.items.iter();
                if let Some(item) = told.find(|item| item.native_role == "system_info") {
                    pieces.extend(pieces_of(ours, item)?);
                }
            }
            Part::Added(role, text) => pieces.push((role.name(), Piece::text(text, false))),
            Part::Kept(item, _) => pieces.extend(pieces_of(ours, &item)?),
        }
    }
    for item in after::since(&context, &next.context) {
        pieces.extend(pieces_of(ours, &item)?);
    }
    let sent = next.request.messages.iter();
    let sent: Vec<(&str, &SentBlock)> = sent
        .flat_map(|message| message.blocks.iter().map(|block| (&*message.role, block)))
        .collect();
    case.same("number of blocks", &pieces.len(), &sent.len());
    for ((role, ours), (sent_role, theirs)) in pieces.iter().zip(sent) {
        case.same("role", role, &sent_role);
        compare_block(ours, theirs, case);
    }
    Ok(())
}

fn pieces_of(ours: &InMemory, item: &ContextItem) -> Result<Vec<(&'static str, Piece)>, String> {
    let message = ours.format.item_message(&ours.session, item, ours);
    let message = message.map_err(|error| error.to_string())?;
    let role = item.role.name();
    let pieces = pieces(&message, false).into_iter();
    Ok(pieces.map(|piece| (role, piece)).collect())
}

/// The transcript with the preset's word for a reminder, and with results of edits as the model got
/// them: a compaction on command shows them as they are stored.
fn as_planned(sent: &str) -> String {
    let lines = sent.split('\n').map(|line| {
        let stored = line.split_once(RESULT);
        match stored.and_then(|(before, stored)| Some((before, told(stored)?))) {
            Some((before, told)) => format!("{before}{RESULT}{told}"),
            None => line.replace(OMITTED.0, OMITTED.1),
        }
    });
    without_repeats(&lines.collect::<Vec<_>>().join("\n"))
}

fn told(stored: &str) -> Option<String> {
    let shown: Value = serde_json::from_str(stored).ok()?;
    let path = shown.get("file_path")?.as_str()?;
    let done = match shown.get("diffLines") {
        Some(_) => "updated",
        None => "created",
    };
    Some(format!("The file {path} has been {done} successfully."))
}

/// One reminder for several in a row: of a row behind a compaction the plan has only those that do
/// not stand above it as well.
fn without_repeats(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        if line != OMITTED.1 || !lines.last().is_some_and(|last| last.ends_with(OMITTED.1)) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

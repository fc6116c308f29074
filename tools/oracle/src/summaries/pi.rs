//! pi: one user message for each call, with the serialized conversation and the summary before.

use super::planned;
use super::recorded::{Recorded, within};
use crate::plans::Wording;
use crate::requests::request::{SentBlock, is_hash};
use crate::tally::Case;
use palimpsest_compaction::branch::{BranchInput, BranchOutcome, plan as plan_branch};
use palimpsest_compaction::{Instructions, Plan, Preset, Purpose};
use palimpsest_core::{ContextItem, EntryIx};
use serde_json::{Map, Value};

/// What stands around the conversation, by version, and around the summary before.
const CONVERSATIONS: [(&str, &str); 2] = [
    ("<conversation>\n", "\n</conversation>"),
    ("# Conversation\n", "\n\n# Instructions\n"),
];
const PREVIOUS: (&str, &str) = ("<previous-summary>\n", "\n</previous-summary>");

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let Some(&at) = request.at.as_deref().and_then(|id| ids.get(id)) else {
        return case.differs("entry", "it is not in the session");
    };
    let [message] = request.messages.as_slice() else {
        return case.differs(
            "messages",
            &format!("{} and not one", request.messages.len()),
        );
    };
    case.same("role", &"user", &message.role.as_str());
    let texts: Vec<String> = message.blocks.iter().map(SentBlock::shown).collect();
    let theirs = texts.concat();
    if is_hash(&theirs) {
        case.differs("text", "recorded only as a hash, so it was not compared");
        return;
    }
    let part = request.more.get("summary_part").and_then(Value::as_str);
    let purpose = match part {
        Some("branch") => Purpose::Branch,
        Some("turn-prefix") => Purpose::TurnPrefix,
        _ => Purpose::History,
    };
    let wording = wording(recorded);
    if purpose == Purpose::Branch {
        let plans = branch_plans(recorded, at);
        let said =
            |plan: &Plan| wording.apply(plan.calls.first().map_or("", |own| own.conversation()));
        let sent = conversation(&theirs);
        let found = plans.iter().find(|plan| Some(said(plan).as_str()) == sent);
        if found.is_none() {
            let nearest = plans.first().map(said);
            case.same("conversation", &nearest.as_deref(), &sent);
        }
        return;
    }
    let context = ours.context(Some(at));
    let kept = request.more.get("first_kept").and_then(Value::as_str);
    let kept = kept.and_then(|id| ids.get(id).copied());
    let tail = ("keep_recent_tokens", &Map::new());
    let plan = match planned::plan_keeping(ours, &context, preset(recorded.version), tail, kept) {
        Ok(plan) => plan,
        Err(reason) => return case.differs("plan", &reason),
    };
    case.same("first kept", &plan.first_kept, &kept);
    let Some(call) = plan.calls.iter().find(|call| call.purpose == purpose) else {
        return case.differs("call", &format!("no call for {part:?}"));
    };
    let ours = wording.apply(call.conversation());
    case.same("conversation", &Some(ours.as_str()), &conversation(&theirs));
    if purpose == Purpose::History {
        let previous = plan
            .previous_summary
            .as_deref()
            .filter(|text| !text.is_empty());
        case.same("summary before", &previous, &within(&theirs, PREVIOUS));
    }
}

/// The preset of this version's compaction.
fn preset(version: &str) -> &'static str {
    match numbers(version) {
        (0, minor) if minor < 80 => "pi-0.73",
        (0, _) => "pi-0.87",
        _ => "pi",
    }
}

fn numbers(version: &str) -> (u64, u64) {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn conversation(text: &str) -> Option<&str> {
    let mut found = CONVERSATIONS
        .iter()
        .filter_map(|marks| within(text, *marks));
    found.next()
}

/// pi's words round summaries, from all texts of the file.
fn wording(recorded: &Recorded<'_>) -> Wording {
    let messages = recorded.all.iter().flat_map(|request| &request.messages);
    let blocks = messages.flat_map(|message| &message.blocks);
    Wording::of_texts(blocks.filter_map(|block| block.text.as_deref()))
}

/// The plans of the branch that was left at `from`. A record does not say which entry was chosen: the
/// one under which the summary stands, or the prompt behind it that was written again.
fn branch_plans(recorded: &Recorded<'_>, from: EntryIx) -> Vec<Plan> {
    let (ours, request) = (recorded.ours, recorded.request);
    let reply = request.more.get("reply").and_then(Value::as_str);
    let ids = ours.session.by_id();
    let Some(under) = reply
        .and_then(|id| ids.get(id))
        .and_then(|&summary| ours.tree.parent(summary))
    else {
        return Vec::new();
    };
    let behind = ours.tree.children(under).iter().copied();
    let targets = std::iter::once(under).chain(behind);
    targets
        .filter_map(|to| branch_plan(recorded, from, to, under))
        .collect()
}

fn branch_plan(
    recorded: &Recorded<'_>,
    from: EntryIx,
    to: EntryIx,
    under: EntryIx,
) -> Option<Plan> {
    let ours = recorded.ours;
    let name = match preset(recorded.version) {
        "pi-0.73" => "pi-branch-0.73",
        "pi-0.87" => "pi-branch-0.87",
        _ => "pi-branch",
    };
    let messages = |item: &ContextItem| ours.format.item_message(&ours.session, item, ours);
    let input = BranchInput {
        session: &ours.session,
        tree: &ours.tree,
        leaving: &ours.context(Some(from)),
        to,
        destination: &ours.context(Some(under)),
        messages: &messages,
        window: None,
        instructions: &Instructions::default(),
        vectors: None,
    };
    match plan_branch(Preset::known(name).ok()?, &input) {
        Ok(BranchOutcome::Summary { plan, .. }) => Some(*plan),
        Ok(BranchOutcome::Nothing { .. }) | Err(_) => None,
    }
}

//! OpenCode: one user message with the transcript, and the summary before where there is one.

use super::planned;
use super::recorded::{Recorded, within};
use crate::requests::request::{SentBlock, is_hash};
use crate::tally::Case;
use palimpsest_compaction::{Plan, PlannedCall};
use serde_json::Map;

/// What stands around the transcript and the summary before; the words about them are OpenCode's.
const CONVERSATION: (&str, &str) = ("<conversation>\n", "\n</conversation>");
const PRIOR: (&str, &str) = ("<prior-summary>\n", "\n</prior-summary>");

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let Some(&at) = request.at.as_deref().and_then(|id| ids.get(id)) else {
        return case.differs("entry", "it is not in the session");
    };
    // The marker that asks for the summary is no part of the context it is made from.
    let before = ours.tree.parent(at);
    let context = ours.context(before);
    let reply = request.more.get("reply").and_then(|id| id.as_str());
    let kept = planned::first_kept(ours, reply);
    let kept = kept.filter(|kept| context.path.contains(kept));
    let [message] = request.messages.as_slice() else {
        let counts = format!("{} and not one", request.messages.len());
        return case.differs("number of messages", &counts);
    };
    case.same("role", &"user", &message.role.as_str());
    let texts: Vec<String> = message.blocks.iter().map(SentBlock::shown).collect();
    let text = texts.concat();
    if is_hash(&text) {
        case.differs("text", "recorded only as a hash, so it was not compared");
        return;
    }
    let sent = within(&text, CONVERSATION);
    // After a request that did not fit, the last prompt is left out of it all. A record does not say
    // which of the two it was.
    let planned = [false, true].map(|replays| {
        let mut settings = Map::new();
        settings.insert("replay_last_prompt".to_owned(), replays.into());
        if replays && kept.is_none() {
            settings.insert("tail_tokens".to_owned(), 0.into());
        }
        let tail = ("tail_tokens", &settings);
        planned::plan_keeping(ours, &context, "opencode", tail, kept)
    });
    let is_equal = |plan: &&Result<Box<Plan>, String>| match plan {
        Ok(plan) => plan.calls.first().map(PlannedCall::conversation) == sent,
        Err(_) => false,
    };
    let found = planned.iter().find(is_equal).unwrap_or(&planned[0]);
    let plan = match found {
        Ok(plan) => plan,
        Err(reason) => return case.differs("plan", reason),
    };
    let [call] = plan.calls.as_slice() else {
        return case.differs("calls", &format!("{} and not one", plan.calls.len()));
    };
    if std::ptr::eq(found, &planned[0]) {
        case.same("first kept", &plan.first_kept, &kept);
    }
    case.same("transcript", &Some(call.conversation()), &sent);
    let previous = plan
        .previous_summary
        .as_deref()
        .filter(|text| !text.is_empty());
    case.same("summary before", &previous, &within(&text, PRIOR));
}

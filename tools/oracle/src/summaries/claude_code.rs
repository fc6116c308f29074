//! Claude Code: the session's own request, without the round that stays, with the instruction behind
//! it in the last message of the user.

use super::planned;
use super::recorded::Recorded;
use crate::requests::claude_code::{Wire, add, compare_blocks};
use crate::tally::Case;
use serde_json::{Map, Value};

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let Some(&at) = request.at.as_deref().and_then(|id| ids.get(id)) else {
        return case.differs("entry", "it is not in the session");
    };
    let context = ours.context(Some(at));
    let is_auto = request.more.get("trigger").and_then(Value::as_str) == Some("auto");
    let preset = if is_auto {
        "claude-code-auto"
    } else {
        "claude-code"
    };
    let plan = match planned::plan(ours, &context, preset, &Map::new()) {
        Ok(plan) => plan,
        Err(reason) => return case.differs("plan", &reason),
    };
    let [call] = plan.calls.as_slice() else {
        return case.differs("calls", &format!("{} and not one", plan.calls.len()));
    };
    let mut wire: Vec<Wire> = Vec::new();
    for (item, message) in planned::messages(&context, call) {
        match item {
            Some(item) => add(&mut wire, ours, &context.items[item], &message),
            None => Wire::say(&mut wire, &message),
        }
    }
    let theirs = &request.messages;
    let roles: Vec<&str> = wire.iter().map(|message| message.role).collect();
    let sent: Vec<&str> = theirs.iter().map(|message| message.role.as_str()).collect();
    case.same("roles", &roles, &sent);
    let last = wire.len().saturating_sub(1);
    for (number, (message, theirs)) in wire.iter().zip(theirs).enumerate() {
        let count = message.blocks.len();
        case.same("number of blocks", &count, &theirs.blocks.len());
        // The request itself is Claude Code's own text.
        let own = if number == last { count - 1 } else { count };
        compare_blocks(&message.blocks[..own], &theirs.blocks, case);
    }
}

//! Codex: the session's own request with the instruction behind it, item by item.

use super::planned;
use super::recorded::Recorded;
use crate::requests::codex::{our_item, sent_item};
use crate::tally::Case;
use serde_json::Map;

pub(super) fn compare(recorded: &Recorded<'_>, case: &mut Case) {
    let (ours, request) = (recorded.ours, recorded.request);
    let ids = ours.session.by_id();
    let Some(&at) = request.at.as_deref().and_then(|id| ids.get(id)) else {
        return case.differs("entry", "it is not in the session");
    };
    let context = ours.context(Some(at));
    let plan = match planned::plan(ours, &context, "codex", &Map::new()) {
        Ok(plan) => plan,
        Err(reason) => return case.differs("plan", &reason),
    };
    let [call] = plan.calls.as_slice() else {
        return case.differs("calls", &format!("{} and not one", plan.calls.len()));
    };
    let messages = planned::messages(&context, call);
    case.same("number of items", &messages.len(), &request.messages.len());
    let last = messages.len().saturating_sub(1);
    for (number, ((_, message), theirs)) in messages.iter().zip(&request.messages).enumerate() {
        let (own, theirs) = (our_item(message), sent_item(theirs));
        if number == last {
            case.same("role of the request", &own.role, &theirs.role);
        } else {
            case.same("item", &own.like(&theirs), &theirs);
        }
    }
}

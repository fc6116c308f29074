//! What of a call the session's provider has in its cache.

use crate::vocabulary::call::{PlannedCall, Step};
use crate::vocabulary::request::RequestForm;
use crate::workpiece::draft::Draft;
use crate::workpiece::transcript::messages::tokens_up_to;

/// Notes in each call that sends messages as such how many of its first tokens are those of the last
/// request that was answered. A call that looks over the reply of another begins as that one does.
pub(crate) fn mark(calls: &mut [PlannedCall], draft: &Draft<'_>) {
    let context = draft.input.context;
    let Some(reported) = context.reported else {
        return;
    };
    let holds = |item: &palimpsest_core::ContextItem| item.entries.contains(&reported.entry);
    // From the end, where the newest reply is; its first item, because an entry may hold the results
    // of its own calls (OpenCode).
    let Some(newest) = context.items.iter().rposition(holds) else {
        return;
    };
    let own = context.items[..newest]
        .iter()
        .rev()
        .take_while(|item| holds(item));
    let answered = newest - own.count();
    // Behind a message that was made smaller nothing is as it was.
    let changed = draft.changes().first().map(|change| change.item);
    let last = match changed {
        Some(0) => return,
        Some(first) => answered.min(first - 1),
        None => answered,
    };
    let mut before = 0;
    for call in calls {
        if call.request != RequestForm::Conversation {
            continue;
        }
        if call.step != Step::Check {
            before = tokens_up_to(&call.parts, last);
        }
        call.cached_tokens = before.min(call.input_tokens);
    }
}

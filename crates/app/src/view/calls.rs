//! Results and the calls that they answer.

use super::headline::headline;
use crate::session::OpenSession;
use palimpsest_core::entry::ToolCallBrief;
use palimpsest_core::{Block, Bodies as _, Body, Entry, EntryIx, EntryKind};
use palimpsest_formats::rejection;

/// The call that a result answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredCall {
    /// The entry with the call.
    pub entry_id: String,
    /// The one argument that tells most: a path, a command, a query.
    pub headline: String,
}

/// The call that a result answers: in the same record or among its ancestors.
pub fn call_of<'a>(
    open: &'a OpenSession,
    from: EntryIx,
    call_id: &str,
) -> Option<(EntryIx, &'a ToolCallBrief)> {
    // Results stand close behind their calls; a result without one is not looked for to the root.
    const FARTHEST: usize = 256;
    let above = std::iter::successors(Some(from), |&ix| open.tree.parent(ix));
    // Records beside the conversation have no calls and may be thousands.
    let above = above.filter(|&ix| !is_beside(open.session.entry(ix)));
    above.take(FARTHEST).find_map(|ix| {
        let calls = open.session.entry(ix).tool_calls.iter();
        let call = calls.clone().find(|call| &*call.call_id == call_id)?;
        Some((ix, call))
    })
}

/// The call of a result as a line, unless both are in one entry.
pub fn answered_call(open: &OpenSession, ix: EntryIx, call_id: &str) -> Option<AnsweredCall> {
    let (at, call) = call_of(open, ix, call_id).filter(|(at, _)| *at != ix)?;
    let body = open.bodies.body(at).ok();
    let line = body.and_then(|body| headline_in(&body, &call.call_id));
    Some(AnsweredCall {
        entry_id: open.session.name_of(at),
        headline: line.unwrap_or_default(),
    })
}

/// The call behind an entry with a failed or rejected result.
pub fn troubled_call(open: &OpenSession, ix: EntryIx) -> Option<AnsweredCall> {
    let entry = open.session.entry(ix);
    if !entry.is_failure() && !entry.rejected {
        return None;
    }
    let call_id = troubled_id(&*open.bodies.body(ix).ok()?)?;
    answered_call(open, ix, &call_id)
}

/// The id of the call whose result in `body` is a failure or a refusal; of the first result where
/// none says so.
pub(crate) fn troubled_id(body: &Body) -> Option<String> {
    let results = || {
        let messages = body.messages.iter();
        messages.filter_map(|message| Some((message, message.tool.as_ref()?)))
    };
    let mut troubled = results()
        .filter(|(message, tool)| tool.is_error || rejection(&message.text("\n")).is_some());
    let found = troubled.next().or_else(|| results().next());
    found.map(|(_, tool)| tool.call_id.clone())
}

/// The line of a call in the record that has it.
pub(crate) fn headline_in(body: &Body, call_id: &str) -> Option<String> {
    let blocks = body.messages.iter().flat_map(|message| &message.blocks);
    let mut arguments = blocks.filter_map(|block| match block {
        Block::ToolCall { id, arguments, .. } if id == call_id => Some(arguments),
        _ => None,
    });
    let arguments = serde_json::from_str(arguments.next()?).ok();
    Some(arguments.map(|own| headline(&own)).unwrap_or_default())
}

/// True for a record beside the conversation.
pub fn is_beside(entry: &Entry) -> bool {
    !matches!(
        entry.kind,
        EntryKind::Message(_)
            | EntryKind::UserShell
            | EntryKind::CustomMessage { .. }
            | EntryKind::Compaction(_)
            | EntryKind::BranchSummary(_)
    )
}

//! Results and the calls that they answer.

use super::headline::headline;
use crate::session::OpenSession;
use palimpsest_core::entry::ToolCallBrief;
use palimpsest_core::{
    Block, Bodies as _, Body, Entry, EntryIx, EntryKind, Message, Outcome, ToolRef,
};
use palimpsest_formats::outcome_of;

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
    if !entry.is_found_as_failure() && !entry.is_found_as_rejected() {
        return None;
    }
    if entry.subagent.is_some() {
        let call_id = reported_trouble(entry)?;
        let (at, headline) = reported_call(open, ix, call_id)?;
        return Some(AnsweredCall {
            entry_id: open.session.name_of(at),
            headline,
        });
    }
    let body = open.bodies.body(ix).ok()?;
    answered_call(open, ix, &troubled_id(entry, &body)?)
}

/// The call of a subagent whose result an entry reports as failed or rejected.
fn reported_trouble(entry: &Entry) -> Option<&str> {
    let results = entry.subagent.iter().flat_map(|report| &report.results);
    let mut troubled = results.filter(|result| result.outcome != Outcome::Fine);
    troubled.next().map(|result| &*result.call_id)
}

/// The report of a subagent's call, before the report of its result.
fn reported_call(open: &OpenSession, from: EntryIx, call_id: &str) -> Option<(EntryIx, String)> {
    // Several subagents at work report in turn, and a call may take long.
    const FARTHEST: usize = 1024;
    let before = (0..from.get()).rev().take(FARTHEST).map(EntryIx::new);
    let has_call = |ix: &EntryIx| {
        let report = open.session.entry(*ix).subagent.as_ref();
        report.is_some_and(|report| report.calls.iter().any(|call| &*call.call_id == call_id))
    };
    let at = before.into_iter().find(has_call)?;
    let body = open.bodies.body(at).ok()?;
    Some((at, headline_in(&body, call_id)?))
}

/// The results in a body, each with the call that it answers and how that went.
pub fn results<'b>(
    entry: &Entry,
    body: &'b Body,
) -> impl Iterator<Item = (&'b Message, &'b ToolRef, Outcome)> {
    // The sizes are those of the messages, in their order, where the record is read as it was then.
    let known = entry.messages.len() == body.messages.len();
    let outcomes: Vec<Outcome> = body
        .messages
        .iter()
        .enumerate()
        .map(|(at, message)| match entry.messages.get(at) {
            Some(size) if known => size.outcome,
            _ => outcome_of(message),
        })
        .collect();
    let all = body.messages.iter().zip(outcomes);
    all.filter_map(|(message, outcome)| Some((message, message.tool.as_ref()?, outcome)))
}

/// How a call went whose result is in this record or, of a subagent, beside it.
pub fn outcome_in(entry: &Entry, body: &Body, call_id: &str) -> Option<Outcome> {
    let mut own = results(entry, body).filter(|(_, tool, _)| tool.call_id == call_id);
    let is_it = |message: &&Message| {
        let tool = message.tool.as_ref();
        tool.is_some_and(|tool| tool.call_id == call_id)
    };
    own.next()
        .map(|(_, _, outcome)| outcome)
        .or_else(|| body.beside.iter().find(is_it).map(outcome_of))
}

/// The id of the call whose result in `body` is a failure or a refusal; of the first result where
/// none says so.
pub(crate) fn troubled_id(entry: &Entry, body: &Body) -> Option<String> {
    if let Some(id) = reported_trouble(entry) {
        return Some(id.to_owned());
    }
    let troubled = results(entry, body).find(|(_, _, outcome)| *outcome != Outcome::Fine);
    let found = troubled.or_else(|| results(entry, body).next());
    found.map(|(_, tool, _)| tool.call_id.clone())
}

/// The calls of a record stored with their results that failed or were refused, each with the words
/// of its result.
pub(crate) fn troubled_inside(entry: &Entry, body: &Body) -> Vec<(AnsweredCall, String)> {
    let troubled = results(entry, body).filter(|(_, _, outcome)| *outcome != Outcome::Fine);
    let inside = troubled.filter_map(|(message, tool, _)| {
        let call = AnsweredCall {
            entry_id: entry.id.to_string(),
            headline: headline_in(body, &tool.call_id)?,
        };
        Some((call, message.text("\n")))
    });
    inside.collect()
}

/// The line of a call in the record that has it.
pub(crate) fn headline_in(body: &Body, call_id: &str) -> Option<String> {
    // The call of a subagent stands beside the conversation.
    let messages = body.messages.iter().chain(&body.beside);
    let blocks = messages.flat_map(|message| &message.blocks);
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

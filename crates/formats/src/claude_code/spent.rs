//! What each record adds to the usage of its reply or of its subagent, and which calls of a subagent its
//! results answer.

use super::entry::usage_of;
use super::record::Record;
use super::trail::{KEPT_REPORTED_CALLS, KEPT_REPORTS, Trail};
use crate::Reading;
use palimpsest_core::{Entry, EntryKind, Role, Usage};

/// What is counted of a reply once a block of it is read.
pub(super) struct Counting {
    pub key: Box<str>,
    pub output: u64,
    pub turn: Option<u32>,
}

/// Gives an entry what its record adds to the usage of its reply: all of it for the first
/// block, later growth of the output for the others.
pub(super) fn count_usage(
    reading: &mut Reading,
    trail: &Trail,
    record: &Record<'_>,
    entry: &mut Entry,
) -> Option<Counting> {
    // Messages that the agent made up have a usage of zeros.
    if entry.kind != EntryKind::Message(Role::Assistant) || entry.model.is_none() {
        return None;
    }
    let usage = usage_of(&record.message.usage);
    let key = record.message.id.as_deref().map(|id| {
        let request = record.request_id.as_deref().unwrap_or_default();
        // By message and request, because the usage repeats on each of their records.
        format!("{id} {request}").into_boxed_str()
    });
    let Some(key) = key else {
        entry.usage = usage;
        entry.usage_trusted = usage.is_some_and(|usage| usage.context_tokens() > 0);
        return None;
    };
    if trail.is_earlier_reply(&key) {
        reading.leads_back();
    }
    let output = usage.map_or(0, |usage| usage.output);
    match trail.reply(&key) {
        None => {
            entry.usage = usage;
            entry.usage_trusted = usage.is_some_and(|usage| usage.context_tokens() > 0);
            if usage.is_some() && !entry.usage_trusted {
                entry.usage = None;
            }
            Some(Counting {
                key,
                output,
                turn: None,
            })
        }
        Some((turn, counted)) => {
            entry.usage = Some(Usage {
                // 89 % of the records repeat the usage of their reply, 11 % with an output
                // that has grown.
                output: output.saturating_sub(counted),
                ..Usage::default()
            });
            Some(Counting {
                key,
                output: output.max(counted),
                turn: Some(turn),
            })
        }
    }
}

/// A subagent's reply is reported block by block, each with the usage of the request: the first
/// one counts, of the others only what the output grew by.
pub(super) fn count_report(trail: &mut Trail, record: &Record<'_>, entry: &mut Entry) {
    let Some((_, usage)) = entry.subagent.as_mut().and_then(|own| own.spent.as_mut()) else {
        return;
    };
    let Some(id) = record.data.message.message.id.as_deref() else {
        return;
    };
    let output = usage.output;
    let reports = &mut trail.kept.reports;
    let known = reports.iter().position(|(known, _)| &**known == id);
    let counted = known.map(|at| reports.remove(at).1);
    if let Some(counted) = counted {
        *usage = Usage {
            output: output.saturating_sub(counted),
            ..Usage::default()
        };
    }
    reports.push((id.into(), output.max(counted.unwrap_or(0))));
    if reports.len() > KEPT_REPORTS {
        reports.remove(0);
    }
}

/// Names the tools of a subagent's results, whose calls were reported before them.
pub(super) fn name_reported(trail: &mut Trail, entry: &mut Entry) {
    let Some(report) = &mut entry.subagent else {
        return;
    };
    let open = &mut trail.kept.reported_calls;
    for result in &mut report.results {
        if let Some(at) = open.iter().position(|(id, _)| *id == result.call_id) {
            result.tool = open.remove(at).1;
        }
    }
    open.extend(
        report
            .calls
            .iter()
            .map(|call| (call.call_id.clone(), call.name.clone())),
    );
    let many = open.len().saturating_sub(KEPT_REPORTED_CALLS);
    open.drain(..many);
}

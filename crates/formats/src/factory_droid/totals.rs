//! What a session spent. Droid stores no usage with its messages, only the session's totals and the
//! figures of its last call, in a file beside it (0.225.2).

use super::entry::model_ref;
use super::record::{Record, UsageRecord};
use crate::measure::head;
use palimpsest_core::entry::Entry;
use palimpsest_core::{EntryId, EntryIx, EntryKind, Role, Session, SourceSpan, Usage};

/// Least tokens of the system prompt and the tools: 0.225.2 sends 11,000 to 12,000 of them with a
/// turn, and none of the tools when it asks for a summary.
const LEAST_BESIDE: u64 = 4_000;

/// The entries for the totals in `record`: what earlier calls spent, and the last call.
pub(super) fn entries(session: &Session, record: &Record<'_>, source: SourceSpan) -> Vec<Entry> {
    let settings = &record.settings;
    let own = less(&usage_of(&settings.spent), &usage_of(&record.before.spent));
    if own.context_tokens() == 0 {
        return Vec::new();
    }
    let model = model_ref(settings.model.as_deref(), settings.provider.as_deref());
    let entry = |purpose: &str, usage: Usage| Entry {
        id: EntryId::from(""),
        parent: None,
        missing_parent: None,
        kind: EntryKind::UsageRecord {
            purpose: purpose.into(),
        },
        at_ms: None,
        source,
        messages: Vec::new(),
        tool_calls: Vec::new(),
        usage: Some(usage),
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        model: model.clone(),
        preview: head(&format!("{} tokens", usage.context_tokens())),
        recovered: false,
        sidechain: false,
        subagent: None,
        side_agent: None,
        rejected: false,
        undone: false,
    };
    let last = usage_of(&settings.last);
    let is_part = last.context_tokens() > 0 && last.context_tokens() <= own.context_tokens();
    if !is_part {
        return vec![entry("session", own)];
    }
    let mut entries = Vec::new();
    let earlier = less(&own, &last);
    if earlier.context_tokens() > 0 {
        entries.push(entry("earlier calls", earlier));
    }
    // What a call writes to the cache is missing in its figures.
    let is_whole = settings.spent.cache_write.count() == 0;
    entries.push(Entry {
        usage_trusted: is_whole && is_of_turn(session, &last),
        ..entry("last call", last)
    });
    entries
}

fn usage_of(record: &UsageRecord<'_>) -> Usage {
    Usage {
        input: record.input.count(),
        output: record.output.count(),
        cache_read: record.cache_read.count(),
        cache_write: record.cache_write.count(),
        reasoning: record.thinking.0.map(|tokens| tokens as u64),
        ..Usage::default()
    }
}

/// What is left of `all` without `part`.
fn less(all: &Usage, part: &Usage) -> Usage {
    let reasoning = all.reasoning.map(|tokens| {
        // The last call's figures leave the reasoning out.
        tokens.saturating_sub(part.reasoning.unwrap_or(0))
    });
    Usage {
        input: all.input.saturating_sub(part.input),
        output: all.output.saturating_sub(part.output),
        cache_read: all.cache_read.saturating_sub(part.cache_read),
        cache_write: all.cache_write.saturating_sub(part.cache_write),
        reasoning,
        ..Usage::default()
    }
}

/// True where the last call may be the request of the last reply. It may also have asked for a
/// summary, which is smaller than what it summarizes: without tools, results shortened.
fn is_of_turn(session: &Session, last: &Usage) -> bool {
    let is = |kind: &EntryKind, ix: &EntryIx| session.entry(*ix).kind == *kind;
    let reply = session
        .indices()
        .rfind(|ix| is(&EntryKind::Message(Role::Assistant), ix));
    let Some(reply) = reply else { return false };
    let compaction = session.indices().rev().find_map(|ix| {
        let entry = session.entry(ix);
        match &entry.kind {
            EntryKind::Compaction(told) => Some((ix, told.first_kept)),
            _ => None,
        }
    });
    let from = match compaction {
        Some((ix, _)) if ix > reply => return false,
        Some((ix, kept)) => kept.unwrap_or(ix),
        None => EntryIx::new(0),
    };
    let entries = &session.entries[from.get()..reply.get()];
    let sizes = entries.iter().flat_map(|entry| &entry.messages);
    let held: u64 = sizes
        .filter(|size| size.sent)
        .map(|size| size.estimate)
        .sum();
    let request = last.context_tokens().saturating_sub(last.output);
    request >= held.saturating_add(LEAST_BESIDE)
}

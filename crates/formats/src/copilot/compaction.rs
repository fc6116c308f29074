//! Compactions, which may run while the conversation goes on, and what is cut away meanwhile.

use super::said::usage_of;
use super::state::Begun;
use super::take::{Record, Take};
use super::{context, message, window};
use crate::json::{count, field, some_text, text};
use palimpsest_core::entry::{Clearing, Compaction, Trigger};
use palimpsest_core::{EntryIx, EntryKind, Role};
use serde_json::Value;

impl Take<'_> {
    /// A compaction begins: what comes from here on stays beside its summary.
    pub fn compaction_start(&mut self, record: &Record<'_>) {
        let entry = self.entry(record);
        if let Some(limit) = count(record.data, "tokenLimit") {
            self.native.window = limit;
        }
        let ix = self.push(record, entry);
        if !record.recovered {
            self.native.begun.push(Begun {
                agent: record.agent.to_owned(),
                attempt: text(record.data, "compactionAttemptId").to_owned(),
                entry: self.reading.session.entry(ix).id.to_string(),
                at_ms: record.at_ms,
            });
        }
    }

    /// A compaction ends. One that failed, or whose summary was not applied, changes nothing.
    pub fn compaction_complete(&mut self, record: &Record<'_>) {
        let data = record.data;
        let begun = self
            .native
            .end_compaction(record.agent, some_text(data, "compactionAttemptId"));
        let mut entry = self.entry(record);
        let spent = usage_of(field(data, "compactionTokensUsed"));
        if spent.context_tokens() > 0 && !self.native.is_copy {
            entry.usage = Some(spent);
            let model = some_text(field(data, "compactionTokensUsed"), "model");
            entry.model = self.native.model_ref(model.unwrap_or(&self.native.model));
        }
        let applied = data.get("success").and_then(Value::as_bool) != Some(false)
            && matches!(text(data, "outcome"), "" | "applied")
            && some_text(data, "summaryContent").is_some();
        if !applied || record.recovered {
            entry.is_error = !applied;
            self.push(record, entry);
            return;
        }
        // What it keeps may have been read before.
        self.reading.leads_back();
        let path = self.path_of(record);
        let start = begun.as_ref().and_then(|own| self.index.by_id(&own.entry));
        let (kept, kept_after) = self.kept(&path, start);
        let ended = |own: &Begun| record.at_ms?.checked_sub(own.at_ms?);
        let ran = count(field(data, "compactionTokensUsed"), "duration");
        let took = begun.as_ref().and_then(ended);
        entry.kind = EntryKind::Compaction(Box::new(Compaction {
            tokens_before: count(data, "preCompactionTokens"),
            tokens_after: count(data, "postCompactionTokens"),
            trigger: trigger(text(data, "trigger")),
            duration_ms: took.and_then(|took| u64::try_from(took).ok()).or(ran),
            instructions: some_text(data, "customInstructions").map(Into::into),
            kept,
            kept_after,
            ..Compaction::default()
        }));
        if let Some(summary) = message::message(record.kind, data, None) {
            entry.messages = vec![message::size(&summary, data)];
            entry.preview = message::preview(&summary, data);
        }
        self.push(record, entry);
    }

    /// What a compaction leaves: all prompts so far, which are sent before the summary, and behind
    /// it what was said since it began (1.0.102).
    fn kept(&self, path: &[EntryIx], start: Option<EntryIx>) -> (Vec<EntryIx>, Vec<u32>) {
        let session = &self.reading.session;
        let dropped = context::dropped(session, path);
        let is_prompt = |ix: &&EntryIx| session.entry(**ix).kind == EntryKind::Message(Role::User);
        let mut kept: Vec<EntryIx> = path.iter().filter(is_prompt).copied().collect();
        let mut kept_after = vec![0; kept.len()];
        let since = path
            .iter()
            .filter(|ix| start.is_some_and(|start| **ix > start));
        for &ix in since {
            let entry = session.entry(ix);
            let is_said = entry.messages.iter().any(|own| own.role != Role::System);
            let is_summary = matches!(entry.kind, EntryKind::Compaction(_));
            if is_said && !is_summary && !dropped.contains(&ix) {
                kept.push(ix);
                kept_after.push(1);
            }
        }
        (kept, kept_after)
    }

    /// Messages were cut away because the context was full before a compaction had ended: of the
    /// model's and the tools', as many as are told, the oldest first; prompts stay. So in both
    /// truncations of recorded sessions (1.0.102, `BasicTruncator`).
    pub fn truncated(&mut self, record: &Record<'_>) {
        let data = record.data;
        let removed = count(data, "messagesRemovedDuringTruncation").unwrap_or(0);
        self.reading.leads_back();
        let path = self.path_of(record);
        let session = &self.reading.session;
        let items = context::items(session, &path);
        let goes = items
            .iter()
            .filter(|item| matches!(item.role, Role::Assistant | Role::Tool))
            .take(usize::try_from(removed).unwrap_or(usize::MAX));
        let results: Vec<EntryIx> = goes.flat_map(|item| item.entries.iter().copied()).collect();
        let called = results
            .iter()
            .flat_map(|&ix| &session.entry(ix).tool_calls)
            .map(|call| call.call_id.clone());
        let clearing = Clearing {
            call_ids: called.collect(),
            tokens_before: count(data, "preTruncationTokensInMessages"),
            tokens_saved: count(data, "tokensRemovedDuringTruncation"),
            results,
        };
        let mut entry = self.entry(record);
        if !record.recovered {
            entry.preview = match count(data, "tokenLimit") {
                Some(limit) => window::preview(&format!("messages cut away: {removed}"), limit),
                None => entry.preview,
            };
            entry.kind = EntryKind::Clearing(Box::new(clearing));
        }
        self.push(record, entry);
    }

    /// The entries of the conversation that a record goes on with, the first one first.
    fn path_of(&mut self, record: &Record<'_>) -> Vec<EntryIx> {
        let last = self.newest_of(record.agent);
        let mut path = Vec::new();
        let mut next = last.and_then(|id| self.index.by_id(id));
        while let Some(ix) = next.filter(|_| self.index.walk.step()) {
            path.push(ix);
            next = self.reading.session.entry(ix).parent;
        }
        path.reverse();
        let lane = context::lane(&self.reading.session, &path).len();
        path.split_off(path.len() - lane)
    }
}

/// What started a compaction: everything but the user's command is Copilot itself (threshold, full
/// context, memory, another model).
fn trigger(word: &str) -> Option<Trigger> {
    match word {
        "" => None,
        "manual" => Some(Trigger::Manual),
        _ => Some(Trigger::Auto),
    }
}

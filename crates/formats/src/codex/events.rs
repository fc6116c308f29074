//! Items, events, usage and compactions.

use super::json::{count, field, items, some_text, text};
use super::lines::Announcement;
use super::take::{Record, Take};
use super::{calls, compaction, item, window};
use crate::measure::head;
use palimpsest_core::entry::{COPIED_USAGE, Trigger};
use palimpsest_core::{EntryIx, EntryKind, Outcome, Role, Usage};
use serde_json::Value;

/// What a usage was spent on: a reply, or the summary of a compaction.
const RESPONSE_USAGE: &str = "response";
const COMPACTION_USAGE: &str = "compaction";

/// Events that are kept for what they say of the run, and repeat nothing that the model reads.
const TOLD: [&str; 32] = [
    "task_started",
    "task_complete",
    "turn_started",
    "turn_complete",
    "turn_aborted",
    "turn_diff",
    "token_count",
    "thread_settings_applied",
    "session_configured",
    "entered_review_mode",
    "exited_review_mode",
    "item_started",
    "item_completed",
    "plan_update",
    "background_event",
    "stream_error",
    "warning",
    "error",
    "undo_started",
    "undo_completed",
    "user_message",
    "agent_message",
    "agent_reasoning",
    "agent_reasoning_raw_content",
    "agent_reasoning_section_break",
    "context_compacted",
    "hook_started",
    "hook_completed",
    "sub_agent_activity",
    "model_reroute",
    "thread_goal_updated",
    "view_image_tool_call",
];

impl Take<'_> {
    pub fn item(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        let kind = text(payload, "type");
        let call_id = text(payload, "call_id");
        // Results name only the call.
        let tool = kind.ends_with("_output").then(|| self.tool_of(call_id));
        let tool = tool.flatten();
        let Some(message) = item::message(payload, tool.as_deref()) else {
            match kind {
                // A state of the work tree for undo (until 2026).
                "ghost_snapshot" => self.custom(record, kind),
                _ => self.opaque(record, kind),
            }
            return;
        };
        let mut entry = self.entry(record, kind);
        let size = item::size(payload, &message);
        entry.tool_calls = calls::briefs(payload);
        entry.preview = item::preview(&message, &entry.tool_calls);
        entry.rejected = size.outcome == Outcome::Rejected;
        entry.is_error = size.outcome == Outcome::Failed;
        entry.kind = match message.native_role {
            item::INJECTED => EntryKind::CustomMessage {
                custom_type: item::injected_kind(payload).into(),
                display: false,
            },
            _ => EntryKind::Message(message.role),
        };
        if message.role == Role::Assistant {
            entry.model = self.native.model_ref();
        }
        if let Some(call) = entry.tool_calls.first() {
            let (id, name) = (call.call_id.clone(), call.name.clone());
            self.native.open_call(&id, &name);
        }
        entry.messages = vec![size];
        if entry.kind == EntryKind::Message(Role::User) && !record.recovered {
            self.user_turn();
        }
        self.push(record, entry);
    }

    /// The tool that a result is of.
    fn tool_of(&mut self, call_id: &str) -> Option<String> {
        let known = self.native.close_call(call_id);
        let known = known.or_else(|| {
            let ix = self.index.by_call(call_id)?;
            let calls = &self.reading.session.entry(ix).tool_calls;
            let call = calls.iter().find(|call| &*call.call_id == call_id)?;
            Some(call.name.to_string())
        });
        // A second result of a call that lies before this reading, and whose first result does too.
        if known.is_none() && self.native.items.has(call_id) {
            self.reading.leads_back();
        }
        known
    }

    /// Notes where the user's turn begins: at the turn's first record. What stands before the
    /// first turn of all stays when turns are taken back (`drop_last_n_user_turns`, codex-rs
    /// context manager).
    fn user_turn(&mut self) {
        self.native.user_spoke = true;
        let open = self.native.turn_open.take();
        let before = match open {
            Some(before) if !self.native.cuts.is_empty() => before,
            _ => self.last_id(),
        };
        self.native.push_cut(before);
    }

    pub fn event(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        let line = record.source.line;
        let kind = text(payload, "type");
        // The item on a later line will be merged with this event.
        if self.is_expected(line) {
            return;
        }
        if let Some(event) = Announcement::of(record.whole) {
            if let Some(repeated) = self.repeated(&event) {
                self.merge(line, Some(repeated));
                return;
            }
            if self.may_repeat_earlier(&event) {
                self.reading.leads_back();
            }
        }
        match kind {
            "token_count" => return self.token_count(record),
            "thread_rolled_back" => return self.rolled_back(record),
            "task_started" | "turn_started" => self.task_started(payload),
            "thread_settings_applied" => {
                let settings = field(payload, "thread_settings");
                if let Some(provider) = some_text(settings, "model_provider_id") {
                    self.native.provider = provider.to_owned();
                }
            }
            "thread_name_updated" => return self.named(record),
            "context_compacted" if self.native.compaction.is_some() => {
                return self.merge_compaction(line, None);
            }
            "item_completed" | "item_started" if self.item_event(record) => return,
            _ => {}
        }
        self.note_agents(payload);
        if self.merge_call(line, text(payload, "call_id")) {
            return;
        }
        // Events of tools come and go with versions, but keep these endings.
        let known = TOLD.contains(&kind)
            || ["_begin", "_end", "_delta", "_request", "_response"]
                .iter()
                .any(|ending| kind.ends_with(ending));
        if !known {
            return self.opaque(record, kind);
        }
        let mut entry = self.entry(record, kind);
        entry.is_error = kind == "error" || kind == "stream_error";
        let words = ["message", "text", "reason", "last_agent_message"];
        let words = words.iter().find_map(|key| some_text(payload, key));
        let words = words.or_else(|| some_text(field(payload, "item"), "type"));
        if let Some(words) = words {
            entry.preview = head(&format!("{kind}: {words}"));
        } else if let Some(window) = count(payload, "model_context_window") {
            self.native.window = window;
            entry.preview = window::preview(kind, window);
        }
        self.push(record, entry);
    }

    fn task_started(&mut self, payload: &Value) {
        self.native.turn_open = Some(self.last_id());
        self.native.turns_told = true;
        self.native.user_spoke = false;
        self.native.attributed = payload.get("turn_attribution").is_some();
        self.native.any_attributed |= self.native.attributed;
    }

    fn named(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        let name = some_text(payload, "thread_name").or_else(|| some_text(payload, "name"));
        let mut entry = self.entry(record, "thread_name_updated");
        entry.preview = head(name.unwrap_or_default());
        entry.kind = EntryKind::SessionInfo {
            name: name.map(Into::into),
        };
        self.push(record, entry);
    }

    /// Takes an event about an item that is known already; false when it says something new.
    fn item_event(&mut self, record: &Record<'_>) -> bool {
        let done = field(record.payload, "item");
        let line = record.source.line;
        if text(done, "type") == "ContextCompaction" {
            let ended = text(record.payload, "type") == "item_completed";
            if !ended || self.native.compaction.is_none() {
                return false;
            }
            self.merge_compaction(line, compaction::duration_ms(record.payload));
            return true;
        }
        self.note_agents(done);
        self.merge_call(line, text(done, "id"))
    }

    /// Merges further records of a call into it; false when there is no such call. A call that lies
    /// before this reading cannot be named.
    fn merge_call(&mut self, line: u32, id: &str) -> bool {
        if id.is_empty() {
            return false;
        }
        let call = self.index.by_call(id);
        self.merge(line, call);
        let is_known = call.is_some() || self.native.is_open(id);
        if !is_known && self.reading.is_resumed() && self.native.items.has(id) {
            self.reading.leads_back();
        }
        is_known
    }

    /// Subagents that a record says were started.
    fn note_agents(&mut self, told: &Value) {
        let at = some_text(told, "call_id").or_else(|| some_text(told, "id"));
        let at = at.and_then(|id| self.index.by_call(id));
        let label = [
            "new_agent_nickname",
            "agent_nickname",
            "new_agent_role",
            "agent_role",
        ]
        .iter()
        .find_map(|key| some_text(told, key));
        let one = ["new_thread_id", "agent_thread_id"].map(|key| text(told, key));
        let many = items(told, "receiver_thread_ids")
            .iter()
            .filter_map(Value::as_str);
        // Waiting for and writing to subagents name their threads as well.
        let spawned = text(told, "tool").is_empty() || text(told, "tool").contains("spawn");
        let threads: Vec<&str> = one.into_iter().chain(many.filter(|_| spawned)).collect();
        for thread in threads.into_iter().filter(|thread| !thread.is_empty()) {
            self.link_agent(thread, at, label);
        }
    }

    fn merge_compaction(&mut self, line: u32, duration_ms: Option<u64>) {
        let id = self.native.compaction.clone();
        let ix = id.and_then(|id| self.index.by_id(&id));
        if ix.is_none() {
            self.reading.leads_back();
        }
        self.merge(line, ix);
        if let Some(ix) = ix
            && let EntryKind::Compaction(compaction) =
                &mut self.reading.session.entries[ix.get()].kind
        {
            compaction.duration_ms = compaction.duration_ms.or(duration_ms);
        }
    }

    pub fn compacted(&mut self, record: &Record<'_>) {
        let path = self.path();
        let entries = &self.reading.session.entries;
        let (mut details, own, preview) =
            compaction::read(record.payload, &self.index, entries, &path);
        // The record stores no size; that of the newest response is the size it was decided by. The
        // request for the summary sends no tools and is smaller (0.169).
        details.tokens_before = self.native.real_tokens;
        if let Some(ix) = self.usage_of_summary(&path, &preview) {
            details.tokens_before = self.native.earlier_tokens;
            let usage = &mut self.reading.session.entries[ix.get()];
            usage.usage_trusted = false;
            // A copied one was spent in the other session.
            if let EntryKind::UsageRecord { purpose } = &mut usage.kind
                && &**purpose == RESPONSE_USAGE
            {
                *purpose = COMPACTION_USAGE.into();
            }
        }
        details.trigger = match (self.native.user_spoke, self.native.attributed) {
            // A turn in which the user spoke was compacted on the way; a manual compaction is a
            // turn without a message.
            (true, _) | (false, true) if self.native.turns_told => Some(Trigger::Auto),
            // Only the turn of a manual compaction has no origin.
            (false, false) if self.native.any_attributed => Some(Trigger::Manual),
            _ => None,
        };
        let mut entry = self.entry(record, "compacted");
        entry.preview = preview;
        if let Some(bytes) = details.opaque_bytes
            && entry.preview.is_empty()
        {
            entry.preview = head(&format!("opaque summary, {bytes} bytes"));
        }
        entry.messages = own;
        // Its replacement repeats earlier items, which count as those.
        self.reading.leads_back();
        entry.kind = EntryKind::Compaction(Box::new(details));
        let ix = self.push(record, entry);
        if !record.recovered {
            self.native.compaction = Some(self.reading.session.entry(ix).id.to_string());
            self.native.awaits_size = true;
        }
    }

    /// The usage of the request for a summary with these first words, at the end of `path`: its reply is
    /// the summary, or is not stored.
    fn usage_of_summary(&self, path: &[EntryIx], summary: &str) -> Option<EntryIx> {
        let usage = self.index.by_id(self.native.usage_entry.as_deref()?)?;
        let entry = |ix: EntryIx| self.reading.session.entry(ix);
        let mut above = path.iter().rev().copied().filter(|&ix| {
            // Records of the agent's own say nothing of requests.
            !matches!(entry(ix).kind, EntryKind::Custom { .. })
        });
        if above.next() != Some(usage) {
            return None;
        }
        let reply = entry(above.next()?);
        let is_summary = match reply.kind {
            EntryKind::Message(Role::Assistant) => &*reply.preview == summary,
            EntryKind::UsageRecord { .. } => true,
            _ => false,
        };
        is_summary.then_some(usage)
    }

    pub fn usage_record(&mut self, record: &Record<'_>) {
        let payload = record.payload;
        let total = tokens(field(payload, "thread_token_usage"));
        self.usage(record, "token_usage_record", field(payload, "usage"), total);
    }

    fn token_count(&mut self, record: &Record<'_>) {
        let line = record.source.line;
        let info = field(record.payload, "info");
        let last = field(info, "last_token_usage");
        if !last.is_object() {
            // The first of a session tells of rate limits only.
            return self.custom(record, "token_count");
        }
        let total = tokens(field(info, "total_token_usage"));
        let spent = ["input_tokens", "output_tokens"];
        // Around a compaction Codex writes an estimate: all zeros but the total (0.169).
        let is_estimate = spent.iter().all(|key| count(last, key).unwrap_or(0) == 0);
        let size = count(last, "total_tokens").unwrap_or(0);
        if is_estimate {
            let compaction = self.native.compaction.clone();
            let compaction = compaction.and_then(|id| self.index.by_id(&id));
            if self.native.awaits_size && compaction.is_some() {
                self.native.awaits_size = false;
                self.merge(line, compaction);
                if let Some(ix) = compaction
                    && let EntryKind::Compaction(details) =
                        &mut self.reading.session.entries[ix.get()].kind
                {
                    details.tokens_after = Some(size);
                }
                return;
            }
            if self.native.awaits_size {
                self.reading.leads_back();
            }
            let mut entry = self.entry(record, "token_count");
            entry.preview = head(&format!("token_count: {size} tokens by estimate"));
            self.push(record, entry);
        // Written twice with identical figures: 162 events for 81 turns in one recorded session.
        } else if total == self.native.total
            && let Some(known) = self.native.usage_entry.clone()
        {
            let known = self.index.by_id(&known);
            self.merge(line, known);
        } else {
            self.usage(record, "token_count", last, total);
        }
    }

    /// The first words of a usage, with the window where it is news.
    fn usage_preview(&mut self, record: &Record<'_>, usage: &Usage) -> Box<str> {
        let spent = format!("{} tokens", usage.context_tokens());
        match count(field(record.payload, "info"), "model_context_window") {
            Some(window) if window != self.native.window => {
                self.native.window = window;
                window::preview(&spent, window)
            }
            _ => head(&spent),
        }
    }

    /// Takes the usage of one response. In copied records it tells the size of the context, as Codex
    /// takes it when it goes on in a fork, but it was spent in the other session.
    fn usage(&mut self, record: &Record<'_>, name: &str, spent: &Value, total: Vec<u64>) {
        let mut entry = self.entry(record, name);
        let usage = usage_of(spent);
        entry.preview = self.usage_preview(record, &usage);
        let purpose = if self.is_inherited(record.source) {
            COPIED_USAGE
        } else {
            RESPONSE_USAGE
        };
        entry.kind = EntryKind::UsageRecord {
            purpose: purpose.into(),
        };
        entry.usage = Some(usage);
        entry.usage_trusted = usage.context_tokens() > 0;
        entry.model = self.native.model_ref();
        let ix = self.push(record, entry);
        if !record.recovered {
            self.native.total = total;
            self.native.earlier_tokens = self.native.real_tokens;
            self.native.real_tokens = Some(usage.context_tokens());
            self.native.usage_entry = Some(self.reading.session.entry(ix).id.to_string());
            self.native.awaits_size = false;
        }
    }
}

/// Usage as Codex stores it: `input_tokens` includes what was read from and written to the cache.
fn usage_of(spent: &Value) -> Usage {
    let of = |key| count(spent, key).unwrap_or(0);
    let (read, written) = (of("cached_input_tokens"), of("cache_write_input_tokens"));
    Usage {
        input: of("input_tokens")
            .saturating_sub(read)
            .saturating_sub(written),
        output: of("output_tokens"),
        cache_read: read,
        cache_write: written,
        cache_write_hour: 0,
        reasoning: count(spent, "reasoning_output_tokens"),
        total: of("total_tokens"),
        cost_usd: None,
    }
}

/// The figures by which two reports of a thread's usage are the same.
fn tokens(usage: &Value) -> Vec<u64> {
    [
        "input_tokens",
        "cached_input_tokens",
        "output_tokens",
        "total_tokens",
    ]
    .iter()
    .map(|key| count(usage, key).unwrap_or(0))
    .collect()
}

//! Messages, their calls and results, and what requests cost.

use super::state::{Call, Spent};
use super::take::{Record, Take};
use super::{calls, message, window};
use crate::json::{count, field, items, some_text, text};
use crate::measure::head;
use palimpsest_core::session::AnswerPlace;
use palimpsest_core::{EntryKind, Outcome, Role, Usage};
use serde_json::Value;

impl Take<'_> {
    /// Takes a record with a message.
    pub fn said(&mut self, record: &Record<'_>) {
        let data = record.data;
        let answered = text(data, "toolCallId");
        let call = (record.kind == "tool.execution_complete").then(|| self.call(answered));
        let call = call.flatten();
        if call.is_none() && record.kind == "tool.execution_complete" {
            self.reading.leads_back();
        }
        let tool = call.as_ref().map(|call| call.tool.as_str());
        let Some(message) = message::message(record.kind, data, tool) else {
            return self.other(record);
        };
        let mut entry = self.entry(record);
        let size = message::size(&message, data);
        entry.preview = message::preview(&message, data);
        entry.kind = match (message.role, record.kind) {
            (Role::User, "system.notification") => EntryKind::CustomMessage {
                custom_type: record.kind.into(),
                display: true,
            },
            (Role::User, _) => match message::injected_by(data) {
                Some(source) => EntryKind::CustomMessage {
                    custom_type: source.into(),
                    display: false,
                },
                None => EntryKind::Message(Role::User),
            },
            (role, _) => EntryKind::Message(role),
        };
        entry.messages = vec![size];
        if message.role == Role::Tool {
            entry.rejected = self.native.was_refused(answered);
            entry.is_error = calls::is_failure(data) && !entry.rejected;
            for size in &mut entry.messages {
                size.outcome = match (entry.rejected, entry.is_error) {
                    (true, _) => Outcome::Rejected,
                    (false, true) => Outcome::Failed,
                    (false, false) => Outcome::Fine,
                };
            }
        }
        if message.role == Role::Assistant {
            entry.tool_calls = calls::briefs(data);
            let model = some_text(data, "model").unwrap_or(&self.native.model);
            entry.model = self.native.model_ref(model);
            let spent = self
                .native
                .take_spent(record.agent, some_text(data, "apiCallId"));
            if let Some(spent) = spent {
                entry.usage = Some(spent.usage);
                entry.usage_trusted = spent.usage.context_tokens() > 0;
            }
        }
        let before = self.reading.state.last_entry_id.clone();
        let is_prompt = entry.kind == EntryKind::Message(Role::User) && !entry.sidechain;
        let is_reply = message.role == Role::Assistant;
        let ix = self.push(record, entry);
        let id = self.reading.session.entry(ix).id.to_string();
        if is_prompt && !record.recovered {
            self.native.add_prompt(id, before);
        } else if is_reply {
            self.add_calls(data, &id);
        }
        if let Some(place) = call.and_then(|call| call.place) {
            let places = &mut self.reading.session.answer_places;
            places.push(AnswerPlace { at: ix, place });
        }
    }

    /// Remembers the calls of a reply; of several, their order, in which results are sent.
    fn add_calls(&mut self, data: &Value, entry: &str) {
        let requests = items(data, "toolRequests");
        let several = requests.len() > 1;
        for (place, request) in (0..).zip(requests) {
            self.native.add_call(Call {
                id: text(request, "toolCallId").to_owned(),
                tool: text(request, "name").to_owned(),
                entry: entry.to_owned(),
                place: several.then_some(place),
            });
        }
    }

    /// The call that a result answers.
    fn call(&self, id: &str) -> Option<Call> {
        let known = self.native.call(id).cloned();
        known.or_else(|| {
            let ix = self.index.by_call(id)?;
            let entry = self.reading.session.entry(ix);
            let call = entry.tool_calls.iter().find(|call| &*call.call_id == id)?;
            Some(Call {
                id: id.to_owned(),
                tool: call.name.to_string(),
                entry: entry.id.to_string(),
                place: None,
            })
        })
    }

    /// The usage of a request, which stands before its reply. Copied records are another session's
    /// spending.
    pub fn usage_record(&mut self, record: &Record<'_>) {
        let told = field(record.data, "usage");
        self.native.has_usage = true;
        let source = some_text(field(told, "accounting"), "sourceSessionId");
        if let (Some(source), true) = (source, record.agent.is_empty()) {
            self.native.is_copy = source != self.native.session;
        }
        let provider = match told.get("isByok").and_then(Value::as_bool) {
            Some(true) => text(told, "providerType"),
            _ => "",
        };
        self.native.provider = provider.to_owned();
        let usage = usage_of(told);
        let mut entry = self.entry(record);
        let spent = format!("{} tokens", usage.context_tokens());
        entry.preview = match count(told, "maxPromptTokens") {
            Some(most) if most != self.native.window => {
                self.native.window = most;
                window::preview(&spent, most)
            }
            _ => head(&spent),
        };
        // A request whose reply never came.
        if let Some(lost) = self.native.take_spent(record.agent, None) {
            entry.kind = EntryKind::UsageRecord {
                purpose: "response".into(),
            };
            entry.usage = Some(lost.usage);
            entry.model = self.native.model_ref(&self.native.model);
        }
        if !self.native.is_copy && !record.recovered {
            self.native.spent.push(Spent {
                agent: record.agent.to_owned(),
                call: text(told, "apiCallId").to_owned(),
                usage,
            });
        }
        self.push(record, entry);
    }

    /// The end of a turn, with the usage of a request whose reply never came.
    pub fn turn_ended(&mut self, record: &Record<'_>) {
        let mut entry = self.entry(record);
        if let Some(lost) = self.native.take_spent(record.agent, None) {
            entry.kind = EntryKind::UsageRecord {
                purpose: "response".into(),
            };
            entry.usage = Some(lost.usage);
            entry.model = self.native.model_ref(&self.native.model);
        }
        self.push(record, entry);
    }

    /// The end of a process. Versions that keep no usage of each request have their sums here, over
    /// all processes of the session.
    pub fn shutdown(&mut self, record: &Record<'_>) {
        let mut entry = self.entry(record);
        let models = field(record.data, "modelMetrics").as_object();
        let mut sum = Usage::default();
        for model in models.iter().flat_map(|models| models.values()) {
            sum.add(&usage_of(field(model, "usage")));
        }
        if !self.native.has_usage && sum.context_tokens() > 0 {
            let since = less(&sum, &self.native.totals.unwrap_or_default());
            self.native.totals = Some(sum);
            entry.kind = EntryKind::UsageRecord {
                purpose: "session".into(),
            };
            entry.preview = head(&format!(
                "{} tokens since the start",
                since.context_tokens()
            ));
            entry.usage = Some(since);
            let model = some_text(record.data, "currentModel").unwrap_or(&self.native.model);
            entry.model = self.native.model_ref(model);
        }
        self.push(record, entry);
    }
}

/// Usage as Copilot stores it: `inputTokens` includes what was read from and written to the cache.
pub(super) fn usage_of(told: &Value) -> Usage {
    let of = |key| count(told, key).unwrap_or(0);
    let (read, written) = (of("cacheReadTokens"), of("cacheWriteTokens"));
    Usage {
        input: of("inputTokens")
            .saturating_sub(read)
            .saturating_sub(written),
        output: of("outputTokens"),
        cache_read: read,
        cache_write: written,
        cache_write_hour: 0,
        reasoning: count(told, "reasoningTokens"),
        total: 0,
        cost_usd: None,
    }
}

fn less(all: &Usage, known: &Usage) -> Usage {
    Usage {
        input: all.input.saturating_sub(known.input),
        output: all.output.saturating_sub(known.output),
        cache_read: all.cache_read.saturating_sub(known.cache_read),
        cache_write: all.cache_write.saturating_sub(known.cache_write),
        reasoning: all
            .reasoning
            .map(|all| all.saturating_sub(known.reasoning.unwrap_or(0))),
        total: 0,
        ..Usage::default()
    }
}

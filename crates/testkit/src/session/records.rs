//! One method for each kind of record pi writes.

use super::accounting::{
    context_estimate, file_lists, find_cut, path, projection, role_of, tokens_before, type_of,
    with_file_lists,
};
use super::parts::{Block, CutChoice};
use super::{CompactionSpec, Id, PiSession, Reply, ReplyUsage, SessionModel, Shell};
use serde_json::{Map, Value, json};

/// The two lines with which a stored branch summary begins; the builder's own words.
const BRANCH_PREAMBLE: &str = "The user tried another way in this conversation and then came back to this point.\n\
     What happened there, in short:";

impl PiSession {
    /// A message of the user.
    pub fn user(&mut self, text: &str) -> Id {
        self.user_blocks(json!([{ "type": "text", "text": text }]))
    }

    /// A message of the user with any content: a string, or blocks such as images.
    pub fn user_blocks(&mut self, content: Value) -> Id {
        self.clock.advance_ms(1_000);
        let message =
            json!({ "role": "user", "content": content, "timestamp": self.clock.now_ms() });
        self.message(message)
    }

    /// A message of the assistant; usage is worked out from the context unless it is set.
    pub fn assistant(&mut self, reply: Reply) -> Id {
        let started_ms = self.clock.now_ms() + 40;
        let model = reply.model.clone().unwrap_or_else(|| self.model.clone());
        let content = self.reply_content(&reply);
        let natural = if reply.has_call() { "toolUse" } else { "stop" };
        let stop_reason = reply
            .stop_reason
            .clone()
            .unwrap_or_else(|| natural.to_owned());
        let mut message = json!({
            "role": "assistant",
            "content": content,
            "api": model.api,
            "provider": model.provider,
            "model": model.id,
            "usage": null,
            "stopReason": stop_reason,
            "timestamp": started_ms,
        });
        let failed = matches!(stop_reason.as_str(), "error" | "aborted");
        let usage = match reply.usage {
            Some(usage) => usage,
            None if failed => ReplyUsage::default(),
            None => self.work_out_usage(&message),
        };
        message["usage"] = usage_value(&usage, &model);
        if let Some(error) = &reply.error_message {
            message["errorMessage"] = json!(error);
        }
        // A reply takes a second to begin and then about 15 ms a token.
        self.clock
            .advance_ms(1_100 + 15 * usage.output.min(6_000) as i64);
        self.message(message)
    }

    fn reply_content(&mut self, reply: &Reply) -> Value {
        self.pending.clear();
        let mut content = Vec::new();
        for block in &reply.blocks {
            content.push(match block {
                Block::Thinking(text) => json!({ "type": "thinking", "thinking": text }),
                Block::Text(text) => json!({ "type": "text", "text": text }),
                Block::Call {
                    id,
                    name,
                    arguments,
                } => {
                    let made_up = format!("toolu_01{:016x}", self.rng.next_u64());
                    let id = id.clone().unwrap_or(made_up);
                    self.pending.push((id.clone(), name.clone()));
                    json!({ "type": "toolCall", "id": id, "name": name, "arguments": arguments })
                }
            });
        }
        Value::Array(content)
    }

    /// Usage as a provider with a prompt cache would report it: what the previous request held is
    /// read from the cache, what came since is written to it.
    fn work_out_usage(&self, message: &Value) -> ReplyUsage {
        let output = super::accounting::estimate(&json!({ "type": "message", "message": message }));
        let scale = |tokens: u64| tokens * self.options.reported_percent / 100;
        let prompt =
            self.options.unrecorded_tokens + scale(context_estimate(&self.records, self.leaf));
        let cached = self.cached_prefix().min(prompt);
        let input = (prompt - cached).min(4);
        let output = scale(output).max(1);
        ReplyUsage {
            input,
            output,
            cache_read: cached,
            cache_write: prompt - cached - input,
            total: prompt + output,
        }
    }

    /// What of the next request the provider has seen: the newest request on the path, or only
    /// the system prompt when a compaction or an edit changed the beginning since.
    fn cached_prefix(&self) -> u64 {
        let mut seen_any = false;
        for at in path(&self.records, self.leaf).into_iter().rev() {
            let value = &self.records[at].value;
            if matches!(type_of(value), "compaction" | "context_edit") {
                return self.options.unrecorded_tokens;
            }
            let usage = &value["message"]["usage"];
            if role_of(value) == "assistant" {
                seen_any = true;
                if let Some(total) = usage["totalTokens"].as_u64().filter(|&total| total > 0) {
                    return total - usage["output"].as_u64().unwrap_or(0).min(total);
                }
            }
        }
        if seen_any {
            self.options.unrecorded_tokens
        } else {
            0
        }
    }

    /// The result of the oldest call that has none yet.
    ///
    /// # Panics
    /// When every call has its result.
    #[track_caller]
    pub fn tool_result(&mut self, text: &str) -> Id {
        self.tool_result_with(json!([{ "type": "text", "text": text }]), false, None)
    }

    /// The failed result of the oldest call that has none yet.
    ///
    /// # Panics
    /// When every call has its result.
    #[track_caller]
    pub fn tool_error(&mut self, text: &str) -> Id {
        self.tool_result_with(json!([{ "type": "text", "text": text }]), true, None)
    }

    /// A result with any content blocks and details.
    ///
    /// # Panics
    /// When every call has its result.
    #[track_caller]
    pub fn tool_result_with(
        &mut self,
        content: Value,
        is_error: bool,
        details: Option<Value>,
    ) -> Id {
        assert!(
            !self.pending.is_empty(),
            "no tool call is waiting for a result"
        );
        let (call_id, name) = self.pending.remove(0);
        self.clock
            .advance_ms(60 + (self.rng.next_u64() % 900) as i64);
        let mut message = json!({
            "role": "toolResult", "toolCallId": call_id, "toolName": name, "content": content,
        });
        if let Some(details) = details {
            message["details"] = details;
        }
        message["isError"] = json!(is_error);
        message["timestamp"] = json!(self.clock.now_ms());
        self.message(message)
    }

    /// A command the user ran beside the model.
    pub fn shell(&mut self, shell: Shell) -> Id {
        self.clock.advance_ms(800);
        let message = shell.message(self.clock.now_ms());
        self.message(message)
    }

    /// A system message: named sections (`None` removes one) and tool declarations (pi 0.86).
    pub fn system(&mut self, sections: &[(&str, Option<&str>)], tools_added: Option<Value>) -> Id {
        let sections: Map<String, Value> = sections
            .iter()
            .map(|(name, text)| ((*name).to_owned(), json!(text)))
            .collect();
        let mut message = json!({
            "role": "system", "content": "", "sections": sections, "timestamp": self.clock.now_ms(),
        });
        if let Some(tools) = tools_added {
            message["toolsAdded"] = tools;
        }
        self.message(message)
    }

    /// A message record with any message in it.
    pub fn message(&mut self, message: Value) -> Id {
        self.append(json!({ "type": "message", "message": message }))
    }

    /// Changes the model for what follows.
    pub fn model_change(&mut self, model: SessionModel) -> Id {
        let record =
            json!({ "type": "model_change", "provider": model.provider, "modelId": model.id });
        self.model = model;
        self.append(record)
    }

    /// Changes the reasoning level.
    pub fn thinking_change(&mut self, level: &str) -> Id {
        self.append(json!({ "type": "thinking_level_change", "thinkingLevel": level }))
    }

    /// Names the session; `None` clears the name.
    pub fn session_info(&mut self, name: Option<&str>) -> Id {
        let mut record = json!({ "type": "session_info" });
        if let Some(name) = name {
            record["name"] = json!(name);
        }
        self.append(record)
    }

    /// Labels an entry; `None` clears its label.
    pub fn label(&mut self, target: &str, label: Option<&str>) -> Id {
        let mut record = json!({ "type": "label", "targetId": target });
        if let Some(label) = label {
            record["label"] = json!(label);
        }
        self.append(record)
    }

    /// Replaces what the model sees of an entry; `None` drops it (pi 0.87).
    pub fn context_edit(&mut self, target: &str, replacement: Option<Value>) -> Id {
        let replacement = replacement.map(|content| json!({ "content": content }));
        self.append(
            json!({ "type": "context_edit", "targetId": target, "replacement": replacement }),
        )
    }

    /// A message put in by an extension; the model sees it as user text.
    pub fn custom_message(&mut self, custom_type: &str, content: Value, display: bool) -> Id {
        self.append(json!({
            "type": "custom_message", "customType": custom_type, "content": content, "display": display,
        }))
    }

    /// Data stored by an extension; the model never sees it.
    pub fn custom(&mut self, custom_type: &str, data: Value) -> Id {
        self.append(json!({ "type": "custom", "customType": custom_type, "data": data }))
    }

    /// Usage of a request outside the conversation (pi 1.x).
    pub fn usage_record(&mut self, kind: &str, usage: ReplyUsage) -> Id {
        let (provider, model) = (self.model.provider.clone(), self.model.id.clone());
        let usage = usage_value(&usage, &self.model);
        self.append(json!({
            "type": "usage", "kind": kind, "provider": provider, "model": model, "usage": usage,
        }))
    }

    /// A compaction at the leaf. The cut, the size before, the file lists and the usage of the
    /// summarizing call are worked out.
    ///
    /// # Panics
    /// When there is nothing to cut.
    pub fn compact(&mut self, spec: CompactionSpec) -> Id {
        let shown = projection(&self.records, self.leaf);
        let own_id = self.ids.clone().next_id();
        let (first_kept_id, end) = match &spec.cut {
            CutChoice::KeepNothing => (own_id, shown.len()),
            CutChoice::FirstKept(id) => {
                let end = shown
                    .iter()
                    .position(|&at| self.records[at].value["id"] == id.as_str());
                (id.clone(), end.unwrap_or(shown.len()))
            }
            CutChoice::KeepRecent(tokens) => {
                let cut = find_cut(&self.records, self.leaf, *tokens)
                    .expect("a compaction needs at least one message before it");
                let end = shown.iter().position(|&at| at == cut.first_kept);
                (self.id_of(cut.first_kept), end.unwrap_or(shown.len()))
            }
        };
        let previous = shown.first().map(|&at| &self.records[at].value);
        let previous = previous.filter(|value| type_of(value) == "compaction");
        let (read, modified) = file_lists(&self.records, &shown[..end], previous);
        let summary = if spec.append_files {
            with_file_lists(&spec.summary, &read, &modified)
        } else {
            spec.summary.clone()
        };
        let before = tokens_before(&self.records, self.leaf);
        let read_tokens: u64 = shown[..end]
            .iter()
            .map(|&at| super::accounting::estimate(&self.records[at].value))
            .sum();
        let usage = summary_usage(read_tokens, &summary);
        self.clock.advance_ms(9_000 + 15 * usage.output as i64);
        let usage = usage_value(&usage, &self.model);
        let mut record = json!({
            "type": "compaction",
            "summary": summary,
            "firstKeptEntryId": first_kept_id,
            "tokensBefore": spec.tokens_before.unwrap_or(before),
        });
        if self.options.version > 1 {
            record["details"] = json!({ "readFiles": read, "modifiedFiles": modified });
            record["usage"] = usage;
            record["fromHook"] = json!(spec.from_hook);
        }
        self.append(record)
    }

    /// Moves to `to` and stores there a summary of what lies between the common ancestor and the
    /// present leaf (pi 0.84.3 and later: `fromId` is the leaf that is left).
    ///
    /// # Panics
    /// When no record has the id `to`.
    pub fn branch_summary(&mut self, to: &str, summary: &str) -> Id {
        let left = self.leaf();
        let old_path = path(&self.records, self.leaf);
        let new_path = path(&self.records, Some(self.position(to)));
        let shared = old_path
            .iter()
            .zip(&new_path)
            .take_while(|(a, b)| a == b)
            .count();
        let (read, modified) = file_lists(&self.records, &old_path[shared..], None);
        let summary = with_file_lists(&format!("{BRANCH_PREAMBLE}\n\n{summary}"), &read, &modified);
        let read_tokens: u64 = old_path[shared..]
            .iter()
            .map(|&at| super::accounting::estimate(&self.records[at].value))
            .sum();
        let usage = summary_usage(read_tokens, &summary);
        self.clock.advance_ms(4_000 + 15 * usage.output as i64);
        let usage = usage_value(&usage, &self.model);
        self.at(to);
        self.append(json!({
            "type": "branch_summary",
            "fromId": left.unwrap_or_else(|| "root".to_owned()),
            "summary": summary,
            "details": { "readFiles": read, "modifiedFiles": modified },
            "usage": usage,
            "fromHook": false,
        }))
    }
}

/// Usage of a summarizing call: the span is sent once and not cached.
fn summary_usage(span_tokens: u64, summary: &str) -> ReplyUsage {
    let input = span_tokens + 900;
    let output = palimpsest_core::estimate::text_tokens(summary);
    ReplyUsage {
        input,
        output,
        cache_read: 0,
        cache_write: 0,
        total: input + output,
    }
}

/// Usage as pi stores it, with the cost by the model's prices in US dollars.
fn usage_value(usage: &ReplyUsage, model: &SessionModel) -> Value {
    // Rounded to a hundred-millionth of a dollar, so that sums print the same everywhere.
    let cost = |tokens: u64, price: f64| (tokens as f64 * price * 100.0).round() / 100_000_000.0;
    let [input, output, cache_read, cache_write] = model.prices;
    let parts = [
        cost(usage.input, input),
        cost(usage.output, output),
        cost(usage.cache_read, cache_read),
        cost(usage.cache_write, cache_write),
    ];
    let total = (parts.iter().sum::<f64>() * 100_000_000.0).round() / 100_000_000.0;
    json!({
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "totalTokens": usage.total,
        "cost": {
            "input": parts[0], "output": parts[1], "cacheRead": parts[2], "cacheWrite": parts[3],
            "total": total,
        },
    })
}

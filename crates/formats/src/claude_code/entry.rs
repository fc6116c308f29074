//! One parsed record as an entry; its place in the tree is made by the reader.

use super::attachment::attachment;
use super::estimate::{size, tokens_of};
use super::prompt::{Said, said};
use super::queue::QUEUE;
use super::record::{Block, Record, UsageRecord};
use super::size::{assistant_size, result_outcome, result_size, user_size};
use super::trail::BOUNDARY;
use crate::measure::head;
use palimpsest_core::entry::{
    Clearing, Entry, FileAccess, ModelRef, ResultBrief, SubagentReport, ToolCallBrief,
};
use palimpsest_core::{Category, EntryId, EntryKind, MessageSize, Role, SourceSpan, Usage};

/// The model named by messages that the agent made up.
pub(super) const SYNTHETIC: &str = "<synthetic>";

/// The type of a report that holds a subagent's message.
pub(super) const SUBAGENT_REPORT: &str = "agent_progress";

/// What a user's record says, tool results aside.
pub(super) fn said_in(record: &Record<'_>) -> Said {
    if record.compact_summary.0 {
        return Said::Summary;
    }
    if record.meta.0 {
        return Said::Meta;
    }
    let blocks = record.message.content.blocks.iter();
    let texts = blocks.filter(|block| block.type_name.as_deref() == Some("text"));
    let texts = texts.map(|block| &block.text);
    let own = texts
        .clone()
        .find(|text| !text.is_context && !text.head.is_empty());
    // An image beside what the editor shows is the user's.
    let shows = || record.message.content.blocks.iter().any(media);
    match own.or_else(|| texts.clone().next()) {
        Some(text) if text.is_context && shows() => Said::Prompt,
        Some(text) => said(&text.head),
        None => Said::Prompt,
    }
}

/// True for a block that answers a call.
pub(super) fn is_result(block: &Block<'_>) -> bool {
    block.type_name.as_deref() == Some("tool_result") && block.is_object
}

/// The entry of `record`, its parent, usage and tool names left open.
pub(super) fn entry_of(record: &Record<'_>, id: EntryId, source: SourceSpan) -> Entry {
    let mut entry = Entry {
        id,
        parent: None,
        missing_parent: None,
        kind: EntryKind::Message(Role::User),
        at_ms: record.timestamp.0,
        source,
        messages: Vec::new(),
        tool_calls: Vec::new(),
        usage: None,
        usage_trusted: false,
        stop_reason: None,
        is_error: false,
        model: None,
        preview: Box::default(),
        recovered: false,
        sidechain: record.sidechain.0,
        subagent: None,
        side_agent: if record.sidechain.0 {
            record.agent_id.boxed()
        } else {
            None
        },
        rejected: false,
        undone: false,
    };
    match record.type_name.as_deref().unwrap_or_default() {
        "user" => fill_user(&mut entry, record),
        "assistant" => fill_assistant(&mut entry, record),
        "attachment" => {
            (entry.kind, entry.messages, entry.preview) = attachment(record);
            let model = record.attachment.identity.model.as_deref();
            entry.model = model_ref(model);
        }
        "system" => fill_system(&mut entry, record),
        "progress" if record.data.type_name.as_deref() == Some(SUBAGENT_REPORT) => {
            fill_report(&mut entry, record);
        }
        "progress" => {
            let data = &record.data;
            let name = data.type_name.as_deref().unwrap_or("progress");
            let about = [
                data.hook_name.as_deref().unwrap_or_default(),
                data.hook_event.as_deref().unwrap_or_default(),
                &data.query.head,
                &data.output.head,
                &data.prompt.head,
            ];
            custom(&mut entry, name, about);
        }
        other => fill_beside(&mut entry, record, other),
    }
    entry
}

fn custom<'a>(entry: &mut Entry, name: &str, about: impl IntoIterator<Item = &'a str>) {
    let about = about.into_iter().find(|text| !text.is_empty());
    entry.preview = match about {
        Some(about) => head(&format!("{name}: {about}")),
        None => head(name),
    };
    entry.kind = EntryKind::Custom {
        custom_type: name.into(),
    };
}

/// A subagent's message that the main conversation's file holds (2.0 to 2.1.40); later versions give
/// each subagent a file.
fn fill_report(entry: &mut Entry, record: &Record<'_>) {
    let data = &record.data;
    let message = &data.message.message;
    let blocks = &message.content.blocks;
    let is_reply = data.message.type_name.as_deref() == Some("assistant");
    let about = if is_reply {
        reply_preview(blocks)
    } else {
        let results = blocks.iter().filter(|block| is_result(block));
        let mut heads = results.map(|block| &block.content.head);
        let result = heads.find(|text| !text.is_empty()).cloned();
        result.unwrap_or_else(|| text_preview(blocks))
    };
    custom(entry, SUBAGENT_REPORT, [&*about]);
    let calls = blocks.iter().filter(|block| is_call(block));
    let results = blocks.iter().filter(|block| is_result(block));
    entry.subagent = data.agent_id.boxed().map(|agent_id| {
        Box::new(SubagentReport {
            agent_id,
            call_id: record.parent_tool_use.boxed(),
            is_reply,
            calls: calls.map(brief).collect(),
            results: results
                .map(|block| ResultBrief {
                    // Only the call names it.
                    tool: Box::default(),
                    call_id: block.call_id.boxed_or_empty(),
                    outcome: result_outcome(block),
                })
                .collect(),
            spent: usage_of(&message.usage)
                .zip(message.model.as_deref().and_then(named_model))
                .map(|(usage, model)| (model, usage)),
            written: if is_reply {
                assistant_size(message, false).estimate
            } else {
                0
            },
        })
    });
}

fn is_call(block: &Block<'_>) -> bool {
    block.type_name.as_deref() == Some("tool_use")
}

fn fill_user(entry: &mut Entry, record: &Record<'_>) {
    let message = &record.message;
    let blocks = &message.content.blocks;
    let said = said_in(record);
    let category = match said {
        Said::Prompt => Category::User,
        Said::Summary => Category::Summaries,
        _ => Category::Injected,
    };
    let results = blocks.iter().filter(|block| is_result(block));
    entry.messages = results.map(result_size).collect();
    let is_tool = !entry.messages.is_empty();
    if !is_tool || blocks.iter().any(|block| !is_result(block)) {
        let beside = user_size(message, said.native_role(), category);
        entry.messages.push(beside);
    }
    entry.is_error = blocks
        .iter()
        .any(|block| is_result(block) && block.is_error.0);
    let mut refused = blocks
        .iter()
        .filter_map(|block| block.content.rejection.as_ref());
    let refused = refused.next();
    entry.rejected = refused.is_some();
    entry.is_error &= !entry.rejected;
    entry.preview = if let Some(refused) = refused {
        head(
            refused
                .said
                .as_deref()
                .unwrap_or("the user refused the call"),
        )
    } else if is_tool {
        result_preview(record)
    } else {
        text_preview(blocks)
    };
    entry.kind = match (is_tool, said.custom_type()) {
        // A record with results is theirs, whatever text stands beside them.
        (true, _) => EntryKind::Message(Role::Tool),
        (false, _) if said == Said::Shell => EntryKind::UserShell,
        (false, Some(custom_type)) => EntryKind::CustomMessage {
            custom_type: custom_type.into(),
            display: said.is_users() || said == Said::CommandOutput,
        },
        (false, None) => EntryKind::Message(Role::User),
    };
}

fn text_preview(blocks: &[Block<'_>]) -> Box<str> {
    let texts = blocks
        .iter()
        .map(|block| &block.text)
        .filter(|text| !text.preview.is_empty());
    let own = texts.clone().find(|text| !text.is_context);
    match own.or_else(|| texts.clone().next()) {
        Some(text) => text.preview.clone(),
        None if blocks.iter().any(|block| media(block)) => "(image)".into(),
        None => Box::default(),
    }
}

fn media(block: &Block<'_>) -> bool {
    matches!(block.type_name.as_deref(), Some("image" | "document"))
}

fn result_preview(record: &Record<'_>) -> Box<str> {
    let todos = &record.tool_use_result.todos;
    if todos.count > 0 {
        let list = format!("todos: {} of {} done", todos.done, todos.count);
        return if todos.current.is_empty() {
            list.into()
        } else {
            head(&format!("{list}, now: {}", todos.current))
        };
    }
    let blocks = &record.message.content.blocks;
    let mut heads = blocks.iter().map(|block| &block.content.head);
    match heads.find(|text| !text.is_empty()) {
        Some(text) => text.clone(),
        None if blocks.iter().any(|block| block.content.media > 0) => "(image)".into(),
        None => Box::default(),
    }
}

fn fill_assistant(entry: &mut Entry, record: &Record<'_>) {
    let message = &record.message;
    let blocks = &message.content.blocks;
    let failed = record.api_error.0;
    entry.kind = EntryKind::Message(Role::Assistant);
    entry.messages = vec![assistant_size(message, !failed)];
    entry.is_error = failed;
    entry.stop_reason = message.stop_reason.boxed();
    // No request was made for a message that the agent made up, so it names no model.
    entry.model = model_ref(message.model.as_deref());
    let calls = blocks.iter().filter(|block| is_call(block));
    entry.tool_calls = calls.map(brief).collect();
    entry.preview = reply_preview(blocks);
}

/// First words of a reply, or what it calls, or what it thinks.
fn reply_preview(blocks: &[Block<'_>]) -> Box<str> {
    let mut preview = text_preview(blocks);
    if preview.is_empty() {
        let calls = blocks.iter().filter(|block| block.name.0.is_some());
        let calls: Vec<String> = calls
            .map(|block| {
                let name = block.name.as_deref().unwrap_or_default();
                format!("{name} {}", block.input.arguments.gist)
            })
            .collect();
        preview = head(&calls.join(", "));
    }
    if preview.is_empty() {
        let mut thinking = blocks.iter().map(|block| &block.thinking.head);
        let thinking = thinking.find(|text| !text.is_empty());
        preview = thinking.cloned().unwrap_or_default();
    }
    // Newer models give no readable thinking; the block is still there.
    if preview.is_empty() && blocks.iter().any(is_thinking) {
        preview = "(thinking, encrypted)".into();
    }
    preview
}

fn is_thinking(block: &Block<'_>) -> bool {
    matches!(
        block.type_name.as_deref(),
        Some("thinking" | "redacted_thinking")
    )
}

/// A call with what it does to its file: Claude Code's tools for files, 1.0 to 2.1.
fn brief(block: &Block<'_>) -> ToolCallBrief {
    let path = block.input.arguments.path.clone();
    let path = path.filter(|path| !path.is_empty());
    let access = match block.name.as_deref().unwrap_or_default() {
        "Read" | "NotebookRead" => Some(FileAccess::Read),
        "Write" => Some(FileAccess::Write),
        "Edit" | "MultiEdit" | "NotebookEdit" => Some(FileAccess::Edit),
        _ => None,
    };
    ToolCallBrief {
        name: block.name.boxed_or_empty(),
        call_id: block.id.boxed_or_empty(),
        access: access.filter(|_| path.is_some()),
        path,
    }
}

fn model_ref(model: Option<&str>) -> Option<ModelRef> {
    model.and_then(named_model)
}

/// A model by its id; none for what the agent made up.
fn named_model(model: &str) -> Option<ModelRef> {
    (model != SYNTHETIC).then(|| ModelRef {
        provider: "anthropic".into(),
        model: model.into(),
    })
}

fn fill_system(entry: &mut Entry, record: &Record<'_>) {
    let seconds = |ms: Option<f64>| ms.map(|ms| format!("{:.1} s", ms / 1000.0));
    let subtype = record.subtype.as_deref().unwrap_or("system");
    let about = match subtype {
        "compact_boundary" => record.compact.trigger.as_deref().map(str::to_owned),
        "turn_duration" => seconds(record.duration_ms.0),
        "stop_hook_summary" => record.hook_count.0.map(|count| format!("{count} hooks")),
        "api_error" => {
            entry.is_error = true;
            let status = record.error.status.0.map(|status| status.to_string());
            let answer = &record.error.error;
            let texts = [
                &record.error.message,
                &answer.message,
                &answer.error.message,
            ];
            let said = texts.into_iter().map(|text| &text.head);
            let said = said
                .filter(|text| !text.is_empty())
                .map(ToString::to_string);
            let told: Vec<String> = status.into_iter().chain(said.take(1)).collect();
            Some(told.join(" ")).filter(|text| !text.is_empty())
        }
        _ => None,
    };
    let content = &record.content.head;
    custom(
        entry,
        subtype,
        [about.as_deref().unwrap_or_default(), content],
    );
    match subtype {
        // The summary is a record of its own and becomes the compaction.
        BOUNDARY => {}
        "microcompact_boundary" => {
            let told = &record.microcompact;
            entry.preview = head(&format!("{} tool results cleared", told.calls.0.len()));
            entry.kind = EntryKind::Clearing(Box::new(Clearing {
                call_ids: told.calls.0.clone(),
                tokens_before: told.before.0.map(|tokens| tokens as u64),
                tokens_saved: told.saved.0.map(|tokens| tokens as u64),
                ..Clearing::default()
            }));
        }
        // Sent as a user's text (2.1.63).
        "local_command" => {
            let tokens = tokens_of(record.content.units);
            entry.messages = vec![size(
                Role::User,
                "command_output",
                vec![(Category::Injected, tokens)],
            )];
            entry.preview = record.content.head.clone();
            entry.kind = EntryKind::CustomMessage {
                custom_type: "command_output".into(),
                display: true,
            };
        }
        _ => {}
    }
}

/// Records that stand beside the conversation, and those of types we do not know.
fn fill_beside(entry: &mut Entry, record: &Record<'_>, type_name: &str) {
    let word = |word: &crate::measure::Word<'_>| word.as_deref().unwrap_or_default().to_owned();
    let named = |text: &crate::measure::Measured| Some(text.head.clone()).filter(|t| !t.is_empty());
    let about = match type_name {
        "summary" | "custom-title" | "ai-title" => {
            let name = named(&record.custom_title)
                .or_else(|| named(&record.ai_title))
                .or_else(|| named(&record.summary));
            entry.preview = name.clone().unwrap_or_default();
            entry.kind = EntryKind::SessionInfo { name };
            return;
        }
        "file-history-snapshot" => {
            let files = record.snapshot.files.0;
            custom(entry, "file-history-snapshot", []);
            entry.preview = format!("checkpoint of {files} files").into();
            return;
        }
        "agent-name" => record.agent_name.head.to_string(),
        "last-prompt" => record.last_prompt.head.to_string(),
        "mode" => word(&record.mode),
        "permission-mode" => word(&record.permission_mode),
        "pr-link" => match record.pr_number.0 {
            Some(number) => format!("#{number} {}", record.pr_url.head),
            None => record.pr_url.head.to_string(),
        },
        "tag" => record.tag.head.to_string(),
        QUEUE => format!("{} {}", word(&record.operation), record.content.head),
        "cost-state" => match record.cost.0 {
            Some(cost) => format!("{cost:.4} USD so far"),
            None => String::new(),
        },
        "tools-used" => record.tools.0.join(", "),
        "agent-setting" | "atis-latch" | "bridge-session" | "api-request" | "api-request-shape"
        | "api-request-blob" => String::new(),
        // Types of later versions stay in the tree, so that no link through them is lost.
        other => {
            entry.preview = if other.is_empty() {
                "(a record without a type)".into()
            } else {
                head(other)
            };
            entry.kind = EntryKind::Opaque {
                type_name: other.into(),
            };
            return;
        }
    };
    custom(entry, type_name, [about.trim()]);
}

/// The reported usage; Anthropic's input leaves out what was cached.
pub(super) fn usage_of(record: &UsageRecord<'_>) -> Option<Usage> {
    record.is_given().then(|| Usage {
        input: record.input.count(),
        output: record.output.count(),
        cache_read: record.cache_read.count(),
        cache_write: record.cache_write.count(),
        cache_write_hour: record.cache_creation.hour.count(),
        reasoning: record.details.thinking.0.map(|tokens| tokens as u64),
        // The API reports no total; the sum of the parts counts.
        total: 0,
        cost_usd: None,
    })
}

/// True where a size is a tool result's.
pub(super) fn is_tool(size: &MessageSize) -> bool {
    size.role == Role::Tool
}

//! One parsed record as an entry; its place in the tree is made by the reader.

use super::record::{Block, Record};
use super::said::{Facts, RESULT, SUMMARY, SYSTEM_INFO, Said, reminder_type, said};
use super::size::{result_size, said_size, size};
use crate::blank_entry::blank_entry;
use crate::measure::head;
use palimpsest_core::entry::{Compaction, FileAccess, ModelRef, ToolCallBrief, Trigger};
use palimpsest_core::{Category, Entry, EntryId, EntryKind, MessageSize, Role, SourceSpan};

/// What begins the id of a model that the user set up; the agent's own have none.
const CUSTOM: &str = "custom:";
/// The provider of a model of the user's, where nothing tells of another.
pub(super) const OF_USER: &str = "custom";
/// The provider of the agent's own models.
const FACTORY: &str = "factory";

/// Who speaks in a message row.
pub(super) fn said_in(record: &Record<'_>) -> Said {
    let message = &record.message;
    let blocks = &message.content.blocks;
    said(&Facts {
        role: message.role.as_deref().unwrap_or_default(),
        visibility: message.visibility.as_deref().unwrap_or_default(),
        hook: message.hook.as_deref().unwrap_or_default(),
        has_results: blocks.iter().any(Block::is_result),
        has_content: !blocks.is_empty(),
    })
}

/// The entry of `record`, its parent, tool names and kept tail left open.
pub(super) fn entry_of(record: &Record<'_>, id: EntryId, source: SourceSpan) -> Entry {
    let mut entry = blank_entry(EntryKind::Message(Role::User), source);
    entry.id = id;
    entry.at_ms = record.timestamp.0;
    match record.type_name.as_deref().unwrap_or_default() {
        "message" => fill_message(&mut entry, record),
        "compaction_state" => fill_compaction(&mut entry, record),
        "agent_turn_outcome" => {
            let reason = record.reason.as_deref().unwrap_or_default();
            custom(&mut entry, "agent_turn_outcome", reason);
        }
        "todo_state" => {
            let todos = &record.todos;
            let mut about = format!("{} of {} done", todos.done, todos.count);
            if !todos.current.is_empty() {
                about = format!("{about}, now: {}", todos.current);
            }
            custom(&mut entry, "todo_state", &about);
        }
        "session_end" => custom(
            &mut entry,
            "session_end",
            record.reason.as_deref().unwrap_or_default(),
        ),
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
        }
    }
    entry
}

fn custom(entry: &mut Entry, name: &str, about: &str) {
    entry.preview = if about.is_empty() {
        head(name)
    } else {
        head(&format!("{name}: {about}"))
    };
    entry.kind = EntryKind::Custom {
        custom_type: name.into(),
    };
}

fn fill_message(entry: &mut Entry, record: &Record<'_>) {
    let message = &record.message;
    let blocks = &message.content.blocks;
    let said = said_in(record);
    let visibility = message.visibility.as_deref().unwrap_or_default();
    let id = record.id.as_deref().unwrap_or_default();
    entry.preview = text_preview(blocks);
    let native = said.native_role();
    let whole = |role: Role, category: Category| said_size(role, native, category, blocks);
    match said {
        Said::Prompt => entry.messages = vec![whole(Role::User, Category::User)],
        Said::System => {
            entry.messages = vec![whole(Role::System, Category::System)];
            entry.kind = EntryKind::Message(Role::System);
        }
        Said::Results => fill_results(entry, blocks, native),
        Said::Reply => {
            entry.messages = vec![whole(Role::Assistant, Category::AssistantText)];
            fill_reply(entry, record);
        }
        Said::Reminder => {
            let one = |block| said_size(Role::User, native, Category::Injected, [block]);
            entry.messages = blocks.iter().map(one).collect();
            entry.kind = EntryKind::CustomMessage {
                custom_type: reminder_type(id).into(),
                display: false,
            };
        }
        Said::Notice | Said::Unknown => {
            entry.messages = vec![whole(Role::User, Category::Injected)];
            let role = message.role.as_deref().unwrap_or_default();
            entry.kind = EntryKind::CustomMessage {
                custom_type: if said == Said::Notice { "notice" } else { role }.into(),
                display: true,
            };
        }
        Said::Hook => {
            let event = message.hook.as_deref().unwrap_or_default();
            let status = message.hook_status.as_deref().unwrap_or_default();
            custom(entry, "hook", format!("{event} {status}").trim());
        }
    }
    if !said.is_sent(visibility) {
        for size in &mut entry.messages {
            size.sent = false;
        }
    }
}

/// Results one by one, then what stands beside them.
fn fill_results(entry: &mut Entry, blocks: &[Block<'_>], native: &'static str) {
    let results = || blocks.iter().filter(|block| block.is_result());
    entry.messages = results().map(|block| result_size(RESULT, block)).collect();
    let mut rest = blocks.iter().filter(|block| !block.is_result()).peekable();
    if rest.peek().is_some() {
        let beside = said_size(Role::User, native, Category::User, rest);
        entry.messages.push(beside);
    }
    entry.kind = EntryKind::Message(Role::Tool);
    entry.is_error = results().any(|block| block.is_error.0);
    let refused = results().find_map(|block| block.content.rejection.as_ref());
    entry.rejected = refused.is_some();
    entry.is_error &= !entry.rejected;
    let mut heads = results().map(|block| &block.content.head);
    entry.preview = match refused {
        Some(refused) => head(
            refused
                .said
                .as_deref()
                .unwrap_or("the user refused the call"),
        ),
        None => match heads.find(|text| !text.is_empty()) {
            Some(text) => text.clone(),
            None if results().any(|block| block.content.media > 0) => "(image)".into(),
            None => Box::default(),
        },
    };
}

fn fill_reply(entry: &mut Entry, record: &Record<'_>) {
    let message = &record.message;
    let blocks = &message.content.blocks;
    entry.kind = EntryKind::Message(Role::Assistant);
    entry.model = model_ref(message.model.as_deref(), message.provider.as_deref());
    let calls = || blocks.iter().filter(|block| block.is_call());
    entry.tool_calls = calls().flat_map(briefs).collect();
    if entry.preview.is_empty() {
        let calls = calls().map(|block| {
            let name = block.name.as_deref().unwrap_or_default();
            format!("{name} {}", block.input.arguments.gist)
        });
        entry.preview = head(&calls.collect::<Vec<_>>().join(", "));
    }
    if entry.preview.is_empty() {
        let mut thinking = blocks.iter().map(|block| &block.thinking.head);
        let thinking = thinking.find(|text| !text.is_empty());
        entry.preview = thinking.cloned().unwrap_or_default();
    }
}

fn text_preview(blocks: &[Block<'_>]) -> Box<str> {
    let mut texts = blocks.iter().map(|block| &block.text.head);
    match texts.find(|text| !text.is_empty()) {
        Some(text) => text.clone(),
        None if blocks.iter().any(Block::is_media) => "(image)".into(),
        None => Box::default(),
    }
}

/// A call with what it does to its files: one for each file of a patch (0.225).
fn briefs(block: &Block<'_>) -> Vec<ToolCallBrief> {
    let patched = &block.input.patched;
    if patched.is_empty() {
        return vec![brief(block)];
    }
    let files = patched.iter().map(|(path, access)| ToolCallBrief {
        name: block.name.boxed_or_empty(),
        call_id: block.id.boxed_or_empty(),
        path: Some(path.as_str().into()),
        access: Some(*access),
    });
    files.collect()
}

fn brief(block: &Block<'_>) -> ToolCallBrief {
    let path = block
        .input
        .arguments
        .path
        .clone()
        .filter(|path| !path.is_empty());
    let access = match block.name.as_deref().unwrap_or_default() {
        "Read" => Some(FileAccess::Read),
        "Create" => Some(FileAccess::Write),
        "Edit" | "MultiEdit" => Some(FileAccess::Edit),
        _ => None,
    };
    ToolCallBrief {
        name: block.name.boxed_or_empty(),
        call_id: block.id.boxed_or_empty(),
        access: access.filter(|_| path.is_some()),
        path,
    }
}

/// Who signed the reasoning in a reply; a model that the user set up is not said to be anybody's.
pub(super) fn signer<'r>(record: &'r Record<'_>) -> Option<&'r str> {
    let mut blocks = record.message.content.blocks.iter();
    blocks.find_map(|block| block.signed_by.as_deref())
}

/// A model by its id. The user's own are marked in it; of the others the record may name the
/// provider.
pub(super) fn model_ref(id: Option<&str>, provider: Option<&str>) -> Option<ModelRef> {
    let id = id.filter(|id| !id.is_empty())?;
    let (provider, model) = match id.strip_prefix(CUSTOM) {
        Some(model) if !model.is_empty() => (OF_USER, model),
        _ => (provider.unwrap_or(FACTORY), id),
    };
    Some(ModelRef {
        provider: provider.into(),
        model: model.into(),
    })
}

fn fill_compaction(entry: &mut Entry, record: &Record<'_>) {
    let of = |role: &'static str, category: Category, units: u64| -> MessageSize {
        size(Role::User, role, vec![(category, units)])
    };
    entry.messages = vec![of(SUMMARY, Category::Summaries, record.summary.units)];
    if record.system_info.units > 0 {
        let info = of(SYSTEM_INFO, Category::Injected, record.system_info.units);
        entry.messages.push(info);
    }
    entry.preview = record.summary.head.clone();
    // A change of the provider writes a state of another kind, which nobody asked for.
    let of_model = record.summary_kind.as_deref().unwrap_or("llm_summary") == "llm_summary";
    let trigger = match record.anchor.id.0 {
        Some(_) => Trigger::Auto,
        None => Trigger::Manual,
    };
    entry.kind = EntryKind::Compaction(Box::new(Compaction {
        trigger: of_model.then_some(trigger),
        ..Compaction::default()
    }));
}

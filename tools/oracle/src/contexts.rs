//! Entries and contexts against pi's.

use crate::expected::{EntryFacts, Expected, Model, Part, Position, Sent, UsageFacts};
use crate::tally::{Case, Tally};
use palimpsest_core::{Block, Context, ContextItem, EntryIx, EntryKind, Message, Origin, Role};
use palimpsest_formats::InMemory;
use std::collections::HashMap;

/// Entries by their line, as pi sees them: recovered records are not among them.
pub fn by_line(ours: &InMemory) -> HashMap<u32, EntryIx> {
    let session = &ours.session;
    session
        .indices()
        .filter(|&ix| !session.entry(ix).recovered)
        .map(|ix| (session.entry(ix).source.line, ix))
        .collect()
}

/// The line of an entry.
pub fn line_of(ours: &InMemory, ix: EntryIx) -> u32 {
    ours.session.entry(ix).source.line
}

/// Compares every entry: parent, roles, estimates, references, and the set of entries as such.
pub fn compare_entries(ours: &InMemory, expected: &Expected, tally: &mut Tally) {
    let lines = by_line(ours);
    for facts in &expected.entries {
        let mut case = Case::new(format!("entry at line {}", facts.line));
        match lines.get(&facts.line) {
            Some(&ix) => compare_entry(ours, ix, facts, &mut case),
            None => case.differs("entry", "not read by us"),
        }
        tally.add("entries", case);
    }
    let mut case = Case::new("session".to_owned());
    case.same("number of entries", &lines.len(), &expected.entries.len());
    let leaf = ours.session.active_leaf.map(|ix| line_of(ours, ix));
    case.same("active leaf", &leaf, &expected.session.last_leaf_line);
    for line in &expected.session.malformed_lines {
        if !ours
            .session
            .warnings
            .iter()
            .any(|warning| warning.line == Some(*line))
        {
            case.differs("malformed line", &format!("no warning for line {line}"));
        }
    }
    tally.add("session", case);
}

fn compare_entry(ours: &InMemory, ix: EntryIx, facts: &EntryFacts, case: &mut Case) {
    let entry = ours.session.entry(ix);
    if let Some(id) = &facts.id {
        case.same("id", &entry.id.as_str(), &id.as_str());
    }
    let parent = entry
        .parent
        .filter(|&parent| !ours.session.entry(parent).recovered);
    case.same(
        "parent",
        &parent.map(|parent| line_of(ours, parent)),
        &facts.parent_line,
    );
    let roles: Vec<&str> = entry
        .messages
        .iter()
        .map(|message| message.native_role)
        .collect();
    case.same("roles", &roles, &facts.roles);
    let estimates: Vec<u64> = entry
        .messages
        .iter()
        .map(|message| message.estimate)
        .collect();
    case.same("estimates", &estimates, &facts.estimates);
    let line = |ix: Option<EntryIx>| ix.map(|ix| line_of(ours, ix));
    match &entry.kind {
        EntryKind::Compaction(compaction) => {
            case.same(
                "first kept",
                &Some(line(compaction.first_kept)),
                &facts.first_kept_line,
            );
        }
        EntryKind::Label { target, .. } | EntryKind::ContextEdit { target, .. } => {
            case.same("target", &Some(line(*target)), &facts.target_line);
        }
        _ => {}
    }
}

/// Compares the context at one position.
pub fn compare_context(
    ours: &InMemory,
    context: &Context,
    position: &Position,
    llm: &[Sent],
) -> Case {
    let mut case = Case::new(format!("context at line {}", position.line));
    case.same("path length", &context.path.len(), &position.path_length);
    let model = context.model.as_ref().map(|model| Model {
        provider: Some(model.provider.to_string()),
        model_id: Some(model.model.to_string()),
    });
    case.same("model", &model, &position.model);
    let level = context.thinking_level.as_deref().unwrap_or_default();
    case.same("reasoning level", &level, &position.thinking_level.as_str());
    case.same(
        "number of items",
        &context.items.len(),
        &position.items.len(),
    );
    for (item, theirs) in context.items.iter().zip(&position.items) {
        let ix = item.entries.first().copied();
        case.same(
            "item's line",
            &ix.map(|ix| line_of(ours, ix)),
            &Some(theirs.line),
        );
        case.same("item's role", &item.native_role, &theirs.role.as_str());
        case.same("item's estimate", &item.estimate, &theirs.estimate);
        let shares: u64 = item.by_category.iter().map(|(_, share)| share).sum();
        case.same("sum of shares", &shares, &item.estimate);
        match theirs.llm.and_then(|index| llm.get(index)) {
            Some(sent) => compare_sent(ours, item, sent, &mut case),
            None => case.same("sent", &item.sent, &false),
        }
    }
    case.same(
        "sum of estimates",
        &context.estimated,
        &position.sum_estimate,
    );
    let usage = match context.reported {
        Some(size) => UsageFacts {
            tokens: size.tokens,
            usage_tokens: size.usage_tokens,
            trailing_tokens: size.trailing_tokens,
            usage_line: Some(line_of(ours, size.entry)),
        },
        None => UsageFacts {
            tokens: context.estimated,
            usage_tokens: 0,
            trailing_tokens: context.estimated,
            usage_line: None,
        },
    };
    case.same("usage", &usage, &position.usage);
    if let Some(projected) = position.projected_tokens {
        case.same("projected tokens", &context.projected, &projected);
    }
    case
}

fn compare_sent(ours: &InMemory, item: &ContextItem, sent: &Sent, case: &mut Case) {
    case.same("sent", &item.sent, &true);
    let message = match ours.format.item_message(&ours.session, item, ours) {
        Ok(message) => message,
        Err(error) => return case.differs("text", &error.to_string()),
    };
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "toolResult",
    };
    case.same("sent role", &role, &sent.role.as_str());
    let call_id = message.tool.as_ref().map(|tool| tool.call_id.as_str());
    case.same("call id", &call_id, &sent.tool_call_id.as_deref());
    if item.origin == Origin::Summary {
        let theirs = match sent.parts.as_slice() {
            [Part::Text { text }] => text.as_str(),
            _ => "",
        };
        if unwrap_summary(theirs) != Some(without_last_line_end(&message.text(""))) {
            let detail = format!("ours {:?}, pi's {theirs:?}", message.text(""));
            case.differs("summary", &detail);
        }
    } else {
        case.same("parts", &parts(&message), &sent.parts);
    }
}

/// The summary inside the sentence and tags that pi wraps round it. A compaction's closing tag
/// stands on its own line, a branch summary's does not, so a last line end is left off.
pub fn unwrap_summary(text: &str) -> Option<&str> {
    let (_, inner) = text.split_once("\n\n<summary>\n")?;
    inner.strip_suffix("</summary>").map(without_last_line_end)
}

/// `text` without one line end at its end.
pub fn without_last_line_end(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

fn parts(message: &Message) -> Vec<Part> {
    let mut parts = Vec::new();
    for block in &message.blocks {
        parts.push(match block {
            Block::Text(text) => Part::Text { text: text.clone() },
            Block::Thinking { text, .. } => Part::Thinking { text: text.clone() },
            Block::ToolCall {
                id,
                name,
                arguments,
            } => Part::ToolCall {
                id: id.clone(),
                name: name.clone(),
                arguments: arguments.clone(),
            },
            Block::Image { mime, base64_len } => Part::Image {
                mime_type: mime.clone(),
                base64_chars: *base64_len,
            },
            Block::Section {
                name,
                text: Some(text),
            } if !text.is_empty() => Part::Section {
                name: name.clone(),
                text: text.clone(),
            },
            Block::ToolsAdded(json) => Part::ToolsAdded { json: json.clone() },
            Block::Section { .. } | Block::Opaque { .. } => continue,
        });
    }
    parts
}

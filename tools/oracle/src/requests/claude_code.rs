//! Contexts against the requests that Claude Code really sent.
//!
//! Its own texts are cut out of the record; they are compared by the hash of what the session file
//! has in their place. Messages are put together here as the API wants them: what the user's side
//! says becomes one message, and where a user's record follows a text of that message the text gets
//! a line end. An attachment that follows a reply begins a message with each of its texts but the
//! last.

use super::{Request, SentBlock, read_requests};
use crate::tally::{Case, Tally};
use crate::{OracleError, read, sha256};
use palimpsest_core::{Block, Context, ContextItem, Message, Role};
use palimpsest_formats::InMemory;
use palimpsest_formats::claude_code::ClaudeCode;
use serde_json::Value;
use std::path::Path;

/// A message as the API gets it.
pub(crate) struct Wire {
    pub(crate) role: &'static str,
    pub(crate) blocks: Vec<Piece>,
}

/// A block of it.
pub(crate) struct Piece {
    kind: &'static str,
    text: String,
    name: Option<String>,
    call_id: Option<String>,
}

/// Compares every conversation request of a file with the context at its entry.
pub fn compare(requests: &Path, session: &Path) -> Result<Tally, OracleError> {
    let ours = InMemory::read(&ClaudeCode, &session.to_string_lossy(), read(session)?);
    let ids = ours.session.by_id();
    let mut tally = Tally::default();
    for request in read_requests(requests)? {
        if request.kind != "turn" {
            continue;
        }
        let mut case = Case::new(format!("request {}", request.request));
        match request.at.as_deref().and_then(|id| ids.get(id)) {
            Some(&ix) => compare_messages(&ours, &ours.context(Some(ix)), &request, &mut case),
            None => case.differs("entry", &format!("{:?} is not in the session", request.at)),
        }
        tally.add("requests", case);
    }
    Ok(tally)
}

fn compare_messages(ours: &InMemory, context: &Context, request: &Request, case: &mut Case) {
    let mut wire: Vec<Wire> = Vec::new();
    for item in context.items.iter().filter(|item| item.sent) {
        match ours.format.item_message(&ours.session, item, ours) {
            Ok(message) => add(&mut wire, ours, item, &message),
            Err(error) => case.differs("text", &error.to_string()),
        }
    }
    let roles: Vec<&str> = wire.iter().map(|message| message.role).collect();
    let sent: Vec<&str> = request
        .messages
        .iter()
        .map(|message| message.role.as_str())
        .collect();
    case.same("roles", &roles, &sent);
    for (message, theirs) in wire.iter().zip(&request.messages) {
        let count = message.blocks.len();
        case.same("number of blocks", &count, &theirs.blocks.len());
        compare_blocks(&message.blocks, &theirs.blocks, case);
    }
}

/// Compares blocks one after the other.
pub(crate) fn compare_blocks(ours: &[Piece], theirs: &[SentBlock], case: &mut Case) {
    for (piece, theirs) in ours.iter().zip(theirs) {
        compare_block(piece, theirs, case);
    }
}

impl Wire {
    /// Adds what stands behind the session's messages to the last message of the user.
    pub(crate) fn say(wire: &mut Vec<Wire>, message: &Message) {
        if wire.last().is_none_or(|last| last.role != "user") {
            wire.push(Wire {
                role: "user",
                blocks: Vec::new(),
            });
        }
        if let Some(last) = wire.last_mut() {
            last.blocks.extend(message.blocks.iter().map(piece));
        }
    }
}

pub(crate) fn add(wire: &mut Vec<Wire>, ours: &InMemory, item: &ContextItem, message: &Message) {
    let role = match item.role {
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
        Role::System => return,
    };
    let is_attachment = matches!(item.native_role, "attachment" | "user_attachment");
    // The texts of an attachment that is the first behind a reply are messages of their own.
    let is_first = |index: usize| {
        let before = &wire[wire.len() - index..];
        before.iter().all(|message| message.blocks.len() == 1)
            && wire
                .len()
                .checked_sub(index + 1)
                .is_none_or(|at| wire[at].role == "assistant")
    };
    let of_same = item.message_index;
    let apart = is_attachment
        && of_same > 0
        && wire.len() >= of_same
        && is_first(of_same)
        && ours.session.entry(item.entries[0]).messages.len() > of_same;
    let begins = wire.last().is_none_or(|last| last.role != role) || apart;
    if begins || role == "assistant" {
        let blocks = Vec::new();
        wire.push(Wire { role, blocks });
    }
    let Some(last) = wire.last_mut() else { return };
    let said_by_user = item.role == Role::User && !is_attachment;
    if said_by_user
        && let Some(piece) = last.blocks.last_mut()
        && piece.kind == "text"
    {
        piece.text.push('\n');
    }
    if let Some(tool) = message.tool.as_ref().filter(|_| item.role == Role::Tool) {
        last.blocks.push(Piece {
            kind: "tool_result",
            text: message.text("\n"),
            name: None,
            call_id: Some(tool.call_id.clone()),
        });
        return;
    }
    last.blocks.extend(message.blocks.iter().map(piece));
}

fn piece(block: &Block) -> Piece {
    let (kind, text, name, call_id) = match block {
        Block::Text(text) => ("text", text.clone(), None, None),
        Block::Thinking { text, .. } => ("thinking", text.clone(), None, None),
        Block::ToolCall {
            id,
            name,
            arguments,
        } => ("tool_call", arguments.clone(), Some(name), Some(id)),
        Block::Image { .. } => ("image", String::new(), None, None),
        _ => ("other", String::new(), None, None),
    };
    Piece {
        kind,
        text,
        name: name.cloned(),
        call_id: call_id.cloned(),
    }
}

fn compare_block(ours: &Piece, theirs: &SentBlock, case: &mut Case) {
    let more = |key: &str| theirs.more.get(key).and_then(Value::as_str);
    case.same("type of block", &ours.kind, &theirs.kind.as_str());
    case.same("call id", &ours.call_id.as_deref(), &more("call_id"));
    if ours.kind == "tool_call" {
        case.same("tool", &ours.name, &theirs.tool_name);
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let sent = json(theirs.text.as_deref().unwrap_or_default());
        case.same("arguments", &json(&ours.text), &sent);
        return;
    }
    let hash = sha256(ours.text.as_bytes());
    let sent = more("stripped_sha256").or_else(|| more("sha256"));
    if sent != Some(hash.as_str()) {
        let detail = format!(
            "{} of {} characters {:?}, sent {}",
            ours.kind,
            ours.text.chars().count(),
            ours.text.chars().take(60).collect::<String>(),
            theirs
                .more
                .get("stripped_chars")
                .or(theirs.more.get("chars"))
                .unwrap_or(&Value::Null)
        );
        case.differs("text", &detail);
    }
}

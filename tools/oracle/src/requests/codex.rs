//! Contexts against the requests that Codex really sent.
//!
//! One item of the conversation is one message of a request, so items are compared as wholes:
//! role, texts, reasoning, calls and results with the ids that pair them. The summary request of a
//! compaction has the context before it, and the agent's own prompt behind it.

use super::request::as_shown;
use super::{Request, SentMessage, read_requests};
use crate::OracleError;
use crate::tally::{Case, Tally};
use palimpsest_app::MachineDisk;
use palimpsest_core::{Block, Context, Message, Role};
use palimpsest_formats::codex::Codex;
use palimpsest_formats::{Disk as _, InMemory, SessionFormat};
use std::path::Path;

/// An item as both sides have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) role: String,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Thinking(String),
    Call(String, String, String),
    Result(String, String),
}

/// Compares every request of a file with the context at its entry.
pub fn compare(requests: &Path, session: &Path) -> Result<Tally, OracleError> {
    let unreadable = |source| OracleError::Unreadable {
        path: session.to_owned(),
        source,
    };
    let address = session.to_string_lossy();
    let head = MachineDisk.read(session, 64 << 10).map_err(unreadable)?;
    let ours = match Codex.assembly(session, &head) {
        Some(assembly) => {
            InMemory::assembled(&Codex, assembly, &address, &MachineDisk).map_err(unreadable)?
        }
        None => InMemory::read(&Codex, &address, crate::read(session)?),
    };
    let ids = ours.session.by_id();
    let mut tally = Tally::default();
    for request in read_requests(requests)? {
        let mut case = Case::new(format!("request {}", request.request));
        match request.at.as_deref().and_then(|id| ids.get(id)) {
            Some(&ix) => compare_items(&ours, &ours.context(Some(ix)), &request, &mut case),
            None => case.differs("entry", &format!("{:?} is not in the session", request.at)),
        }
        let topic = match request.kind.as_str() {
            "turn" => "requests",
            _ => "summary requests",
        };
        tally.add(topic, case);
    }
    Ok(tally)
}

fn compare_items(ours: &InMemory, context: &Context, request: &Request, case: &mut Case) {
    let mut items = Vec::new();
    for item in context.items.iter().filter(|item| item.sent) {
        match ours.format.item_message(&ours.session, item, ours) {
            Ok(message) => items.push(our_item(&message)),
            Err(error) => case.differs("text", &error.to_string()),
        }
    }
    let prompts = usize::from(request.kind != "turn");
    let sent = &request.messages[..request.messages.len().saturating_sub(prompts)];
    case.same("number of items", &items.len(), &sent.len());
    for (ours, theirs) in items.iter().zip(sent) {
        let theirs = sent_item(theirs);
        case.same("item", &ours.clone().like(&theirs), &theirs);
    }
}

impl Item {
    /// Itself, with what stands for their texts where only hashes of those are recorded.
    pub(crate) fn like(mut self, theirs: &Item) -> Item {
        for (own, theirs) in self.pieces.iter_mut().zip(&theirs.pieces) {
            let text = |piece: &Piece| match piece {
                Piece::Text(text) | Piece::Thinking(text) => text.clone(),
                Piece::Call(_, _, text) | Piece::Result(_, text) => text.clone(),
            };
            let shown = as_shown(text(own), &text(theirs));
            match own {
                Piece::Text(text) | Piece::Thinking(text) => *text = shown,
                Piece::Call(_, _, text) | Piece::Result(_, text) => *text = shown,
            }
        }
        self
    }
}

pub(crate) fn our_item(message: &Message) -> Item {
    let role = match message.role {
        Role::System => message.native_role,
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let pieces = if let Some(tool) = &message.tool {
        vec![Piece::Result(tool.call_id.clone(), message.text("\n"))]
    } else {
        message.blocks.iter().filter_map(our_piece).collect()
    };
    Item {
        role: role.to_owned(),
        pieces,
    }
}

fn our_piece(block: &Block) -> Option<Piece> {
    Some(match block {
        Block::Text(text) => Piece::Text(text.clone()),
        Block::Thinking { text, .. } => Piece::Thinking(text.clone()),
        Block::ToolCall {
            id,
            name,
            arguments,
        } => Piece::Call(id.clone(), name.clone(), arguments.clone()),
        _ => return None,
    })
}

pub(crate) fn sent_item(message: &SentMessage) -> Item {
    let pieces = message.blocks.iter().map(|block| {
        let text = block.shown();
        let call_id = block.more.get("call_id").and_then(|id| id.as_str());
        let call_id = call_id.unwrap_or_default().to_owned();
        match block.kind.as_str() {
            "thinking" => Piece::Thinking(text),
            "tool_call" => Piece::Call(call_id, block.tool_name.clone().unwrap_or_default(), text),
            "tool_result" => Piece::Result(call_id, text),
            _ => Piece::Text(text),
        }
    });
    Item {
        role: message.role.clone(),
        pieces: pieces.collect(),
    }
}

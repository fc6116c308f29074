//! Contexts against the requests that pi really sent.
//!
//! Providers' formats group messages differently, so the blocks are compared one after the other:
//! texts, reasoning, tool calls (as JSON) and tool results (text parts joined by a line end).
//! Empty texts are not sent; system prompts are not part of the record.

use super::request::{as_shown, is_hash, shown_value, value_as_shown};
use super::{Request, SentMessage, read_requests};
use crate::contexts::{unwrap_summary, without_last_line_end};
use crate::tally::{Case, Tally};
use crate::{OracleError, read};
use palimpsest_core::{Block, Context, Message, Origin, Role};
use palimpsest_formats::{InMemory, pi::Pi};
use serde_json::Value;
use std::path::Path;

/// A block as both sides have it.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Summary(String),
    Thinking(String),
    ToolCall(String, Value, String),
    ToolResult(String),
}

/// Compares every conversation request of a file with the context at its entry.
pub fn compare(requests: &Path, session: &Path) -> Result<Tally, OracleError> {
    let ours = InMemory::read(&Pi, &session.to_string_lossy(), read(session)?);
    let ids = ours.session.by_id();
    let mut tally = Tally::default();
    for request in read_requests(requests)? {
        if request.kind != "turn" {
            continue;
        }
        let mut case = Case::new(format!("request {}", request.request));
        match request.at.as_deref().and_then(|id| ids.get(id)) {
            Some(&ix) => {
                let context = ours.context(Some(ix));
                compare_blocks(&ours, &context, &request, &mut case);
            }
            None => case.differs("entry", &format!("{:?} is not in the session", request.at)),
        }
        tally.add("requests", case);
    }
    Ok(tally)
}

fn compare_blocks(ours: &InMemory, context: &Context, request: &Request, case: &mut Case) {
    let mut pieces = Vec::new();
    for item in context
        .items
        .iter()
        .filter(|item| item.sent && item.role != Role::System)
    {
        match ours.format.item_message(&ours.session, item, ours) {
            Ok(message) => add_pieces(&message, item.origin == Origin::Summary, &mut pieces),
            Err(error) => case.differs("text", &error.to_string()),
        }
    }
    let sent: Vec<Piece> = request
        .messages
        .iter()
        .flat_map(|message| sent_pieces(message, case))
        .collect();
    case.same("number of blocks", &pieces.len(), &sent.len());
    for (ours, theirs) in pieces.iter().zip(&sent) {
        case.same("block", &ours.clone().like(theirs), theirs);
    }
}

impl Piece {
    /// Itself, with what stands for their text where only the hash of that is recorded. Of a summary
    /// pi's words round it are hashed as well, so its place is all that can be compared.
    fn like(self, theirs: &Piece) -> Piece {
        match (self, theirs) {
            (Piece::Text(own), Piece::Text(text)) => Piece::Text(as_shown(own, text)),
            (Piece::Thinking(own), Piece::Thinking(text)) => Piece::Thinking(as_shown(own, text)),
            (Piece::Summary(_), Piece::Text(text)) if is_hash(text) => Piece::Text(text.clone()),
            (Piece::ToolResult(own), Piece::ToolResult(text)) => {
                Piece::ToolResult(as_shown(own, text))
            }
            (Piece::ToolCall(name, _, own), Piece::ToolCall(_, json, text)) => {
                Piece::ToolCall(name, value_as_shown(&own, json), text.clone())
            }
            (own, _) => own,
        }
    }
}

fn add_pieces(message: &Message, is_summary: bool, pieces: &mut Vec<Piece>) {
    if message.role == Role::Tool {
        pieces.push(Piece::ToolResult(message.text("\n")));
        return;
    }
    for block in &message.blocks {
        pieces.push(match block {
            Block::Text(text) if is_summary => {
                Piece::Summary(without_last_line_end(text).to_owned())
            }
            Block::Text(text) if !text.trim().is_empty() => Piece::Text(text.clone()),
            Block::Thinking { text, .. } => Piece::Thinking(text.clone()),
            Block::ToolCall {
                name, arguments, ..
            } => Piece::ToolCall(name.clone(), Value::Null, arguments.clone()),
            _ => continue,
        });
    }
}

fn sent_pieces(message: &SentMessage, case: &mut Case) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for block in &message.blocks {
        let text = block.shown();
        pieces.push(match block.kind.as_str() {
            "text" => match unwrap_summary(&text).filter(|_| message.role == "user") {
                Some(summary) => Piece::Summary(summary.to_owned()),
                None => Piece::Text(text),
            },
            "thinking" => Piece::Thinking(text),
            "tool_call" => Piece::ToolCall(
                block.tool_name.clone().unwrap_or_default(),
                shown_value(block),
                String::new(),
            ),
            "tool_result" => Piece::ToolResult(text),
            other => {
                case.differs("block", &format!("of unknown type {other}"));
                continue;
            }
        });
    }
    pieces
}

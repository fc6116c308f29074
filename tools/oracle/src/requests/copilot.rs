//! Contexts against the requests that Copilot CLI really sent.
//!
//! Blocks are compared one after the other, with the side that sends them; how a provider's format
//! groups results and prompts into messages is that provider's. After a compaction the first message
//! holds all prompts and the summary in a frame whose words are Copilot's: the parts are compared,
//! in their places.

use super::{Request, SentBlock, SentMessage, read_requests};
use crate::requests::request::{as_shown, is_hash, shown_value, value_as_shown};
use crate::tally::{Case, Tally};
use crate::{OracleError, read};
use palimpsest_core::{Block, ContextItem, EntryIx, ItemKind, Message, Role};
use palimpsest_formats::InMemory;
use palimpsest_formats::copilot::Copilot;
use serde_json::Value;
use std::path::Path;

/// A block as we would send it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// All prompts and the summary, in one text.
    Frame(Vec<String>, String),
    Text(Role, String),
    Thinking(String),
    Call(String, String, String),
    Result(String, String),
    Image,
}

/// Compares every conversation request of a file with the context at its entry.
pub fn compare(requests: &Path, session: &Path) -> Result<Tally, OracleError> {
    let ours = InMemory::read(&Copilot, &session.to_string_lossy(), read(session)?);
    let ids = ours.session.by_id();
    let mut tally = Tally::default();
    for request in read_requests(requests)? {
        if request.kind != "turn" {
            continue;
        }
        let mut case = Case::new(format!("request {}", request.request));
        // A compaction that ran meanwhile may have ended behind the entry that was answered.
        let before_reply = request.more.get("at_event").and_then(Value::as_str);
        let at = before_reply.or(request.at.as_deref());
        match at.and_then(|id| ids.get(id)) {
            Some(&ix) => compare_request(&ours, ix, &request, &mut case),
            None => case.differs("entry", &format!("{at:?} is not in the session")),
        }
        tally.add("requests", case);
    }
    Ok(tally)
}

fn compare_request(ours: &InMemory, at: EntryIx, request: &Request, case: &mut Case) {
    let context = ours.context(Some(at));
    let mut pieces = Vec::new();
    for item in context.items.iter().filter(|item| item.sent) {
        match ours.format.item_message(&ours.session, item, ours) {
            Ok(message) => add(&mut pieces, item, &message),
            Err(error) => case.differs("text", &error.to_string()),
        }
    }
    compare_pieces(&pieces, &request.messages, case);
}

/// Compares our blocks with those of a request.
pub(crate) fn compare_pieces(ours: &[Piece], sent: &[SentMessage], case: &mut Case) {
    let theirs: Vec<(&str, &SentBlock)> = sent
        .iter()
        .flat_map(|message| {
            message
                .blocks
                .iter()
                .map(|block| (message.role.as_str(), block))
        })
        .collect();
    case.same("number of blocks", &ours.len(), &theirs.len());
    for (ours, (role, theirs)) in ours.iter().zip(theirs) {
        compare_block(ours, role, theirs, case);
    }
}

/// Adds the blocks of an item; the system prompt stands apart from the messages of a request.
pub(crate) fn add(pieces: &mut Vec<Piece>, item: &ContextItem, message: &Message) {
    if item.role == Role::System {
        return;
    }
    if item.native_role == "prompt" {
        let text = message.text("");
        match pieces.last_mut() {
            Some(Piece::Frame(prompts, _)) => prompts.push(text),
            _ => pieces.push(Piece::Frame(vec![text], String::new())),
        }
        return;
    }
    if item.kind == ItemKind::CompactionSummary {
        if let Some(Piece::Frame(_, summary)) = pieces.last_mut() {
            *summary = message.text("");
        } else {
            pieces.push(Piece::Frame(Vec::new(), message.text("")));
        }
        return;
    }
    if let Some(tool) = &message.tool {
        pieces.push(Piece::Result(tool.call_id.clone(), message.text("\n")));
        return;
    }
    pieces.extend(message.blocks.iter().filter_map(|block| {
        Some(match block {
            Block::Text(text) => Piece::Text(message.role, text.clone()),
            Block::Thinking { text, .. } => Piece::Thinking(text.clone()),
            Block::ToolCall {
                id,
                name,
                arguments,
            } => Piece::Call(id.clone(), name.clone(), arguments.clone()),
            Block::Image { .. } => Piece::Image,
            _ => return None,
        })
    }));
}

fn compare_block(ours: &Piece, role: &str, theirs: &SentBlock, case: &mut Case) {
    let text = theirs.shown();
    let call_id = theirs.more.get("call_id").and_then(Value::as_str);
    let kind = theirs.kind.as_str();
    match ours {
        Piece::Frame(prompts, summary) => {
            case.same("role", &"user", &role);
            if !holds(&text, prompts, summary) {
                let detail = format!("{prompts:?} and {summary:?} are not in {text:?}");
                case.differs("prompts and summary", &detail);
            }
        }
        Piece::Text(side, own) => {
            case.same("role", &side.name(), &role);
            case.same("type of block", &"text", &kind);
            case.same("text", &as_shown(own.clone(), &text), &text);
        }
        Piece::Thinking(own) => {
            case.same("type of block", &"thinking", &kind);
            case.same("thinking", &as_shown(own.clone(), &text), &text);
        }
        Piece::Call(id, name, arguments) => {
            case.same("type of block", &"tool_call", &kind);
            case.same("call id", &Some(id.as_str()), &call_id);
            case.same("tool", &Some(name.as_str()), &theirs.tool_name.as_deref());
            let sent = match shown_value(theirs) {
                // The input of a custom tool is a text and not JSON.
                Value::Null => Value::String(text),
                sent => sent,
            };
            case.same("arguments", &value_as_shown(arguments, &sent), &sent);
        }
        Piece::Result(id, own) => {
            case.same("type of block", &"tool_result", &kind);
            case.same("call id", &Some(id.as_str()), &call_id);
            case.same("result", &as_shown(own.clone(), &text), &text);
        }
        Piece::Image => case.same("type of block", &"image", &kind),
    }
}

/// True where a text holds these prompts, one after the other and no others, and behind them the
/// summary. Of a text that is cut out of the record only the place is known.
fn holds(text: &str, prompts: &[String], summary: &str) -> bool {
    if is_hash(text) || text.starts_with("[stripped ") {
        return true;
    }
    let tagged = prompts.iter();
    let tagged: String = tagged
        .map(|prompt| format!("<user_message>\n{prompt}\n</user_message>\n"))
        .collect();
    let Some((before, behind)) = text.split_once(&tagged) else {
        return false;
    };
    let summary = format!("<summary>\n{summary}\n</summary>");
    let Some((between, _)) = behind.split_once(&summary) else {
        return false;
    };
    ![before, between]
        .iter()
        .any(|part| part.contains("<user_message>"))
}

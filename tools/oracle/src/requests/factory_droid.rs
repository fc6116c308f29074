//! Contexts against the requests that Droid really sent.
//!
//! Rows become messages as the provider wants them: Anthropic gets the results of one row in one
//! message, the chat API each as a message, and the responses API items whose grouping is not
//! compared. Texts cut out of the record are compared by the hash of what stands in their place.

use super::{Request, SentBlock, SentMessage, read_requests};
use crate::tally::{Case, Tally};
use crate::{OracleError, sha256};
use palimpsest_app::MachineDisk;
use palimpsest_core::{Block, Context, EntryIx, Message, Role};
use palimpsest_formats::factory_droid::FactoryDroid;
use palimpsest_formats::{Disk as _, InMemory, SessionFormat};
use serde_json::Value;
use std::path::Path;

/// What the row says that Droid writes when the user stops an answer.
const CANCELLED: &str = "Request cancelled by user";
/// Why a request after such a row may hold one message more.
const INTERRUPTED: &str = "the answer that the user stopped was still in memory; no file has it";
/// What stands around a summary; the words before and behind are Droid's.
pub(crate) const FRAME: (&str, &str) = ("<summary>\n", "\n</summary>");

/// A message as a provider gets it.
struct Wire {
    role: &'static str,
    pieces: Vec<Piece>,
}

/// A block of a message.
pub(crate) struct Piece {
    kind: &'static str,
    text: String,
    name: Option<String>,
    call_id: Option<String>,
    is_summary: bool,
}

/// Compares every conversation request of a file with the context at its entry.
pub fn compare(requests: &Path, session: &Path) -> Result<Tally, OracleError> {
    let unreadable = |source| OracleError::Unreadable {
        path: session.to_owned(),
        source,
    };
    let address = session.to_string_lossy();
    let head = MachineDisk.read(session, 64 << 10).map_err(unreadable)?;
    let ours = match FactoryDroid.assembly(session, &head) {
        Some(assembly) => InMemory::assembled(&FactoryDroid, assembly, &address, &MachineDisk)
            .map_err(unreadable)?,
        None => InMemory::read(&FactoryDroid, &address, crate::read(session)?),
    };
    let ids = ours.session.by_id();
    let mut tally = Tally::default();
    for mut request in read_requests(requests)? {
        if request.kind != "turn" {
            continue;
        }
        let mut case = Case::new(format!("request {}", request.request));
        match request.at.as_deref().and_then(|id| ids.get(id)) {
            Some(&ix) => {
                let wire = wire(&ours, &ours.context(Some(ix)), &request, &mut case);
                if case.differences().is_empty() && drop_interrupted(&wire, &mut request) {
                    compare_wire(&wire, &request, &mut case);
                    if case.differences().is_empty() {
                        tally.explain(INTERRUPTED);
                        continue;
                    }
                } else {
                    compare_wire(&wire, &request, &mut case);
                }
            }
            None => case.differs("entry", &format!("{:?} is not in the session", request.at)),
        }
        tally.add("requests", case);
    }
    Ok(tally)
}

/// Takes a stopped answer out of a request whose session has only the row that says so.
fn drop_interrupted(wire: &[Wire], request: &mut Request) -> bool {
    let says = |message: &Wire| message.pieces.iter().any(|piece| piece.text == CANCELLED);
    let Some(at) = wire.iter().position(says) else {
        return false;
    };
    let sent = &mut request.messages;
    let is_answer = |message: &SentMessage| message.role == "assistant";
    if sent.len() != wire.len() + 1 || !sent.get(at).is_some_and(is_answer) {
        return false;
    }
    sent.remove(at);
    true
}

fn provider(request: &Request) -> &str {
    let name = request.more.get("provider_api").and_then(Value::as_str);
    name.unwrap_or_default()
}

/// The context as messages.
fn wire(ours: &InMemory, context: &Context, request: &Request, case: &mut Case) -> Vec<Wire> {
    let by_result = !provider(request).starts_with("anthropic");
    let mut wire: Vec<Wire> = Vec::new();
    let mut row: Option<(EntryIx, bool)> = None;
    for item in context.items.iter().filter(|item| item.sent) {
        let message = match ours.format.item_message(&ours.session, item, ours) {
            Ok(message) => message,
            Err(error) => {
                case.differs("text", &error.to_string());
                continue;
            }
        };
        let role = match item.role {
            Role::Assistant => "assistant",
            Role::Tool if by_result => "tool",
            Role::Tool | Role::User => "user",
            Role::System => continue,
        };
        // Reminders sent again are a message of their own, though they come from one row.
        let own = item.entries.first();
        let own = own.map(|&ix| (ix, item.native_role == "standing_reminder"));
        let joins = role != "tool"
            && own == row
            && wire
                .last()
                .is_some_and(|last: &Wire| last.role == role && role == "user");
        row = own;
        if !joins {
            wire.push(Wire {
                role,
                pieces: Vec::new(),
            });
        }
        if let Some(last) = wire.last_mut() {
            last.pieces
                .extend(pieces(&message, item.native_role == "summary"));
        }
    }
    wire
}

impl Piece {
    /// A text of the user's side; one with a summary is compared by what is in its frame.
    pub(crate) fn text(text: String, is_summary: bool) -> Piece {
        Piece {
            kind: "text",
            text,
            name: None,
            call_id: None,
            is_summary,
        }
    }
}

/// The blocks of a message.
pub(crate) fn pieces(message: &Message, is_summary: bool) -> Vec<Piece> {
    let piece = |kind, text: String, name: Option<&String>, call_id: Option<&String>| Piece {
        kind,
        text,
        name: name.cloned(),
        call_id: call_id.cloned(),
        is_summary,
    };
    if let Some(tool) = &message.tool {
        let text = message.text("\n");
        return vec![piece("tool_result", text, None, Some(&tool.call_id))];
    }
    let pieces = message.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(piece("text", text.clone(), None, None)),
        Block::Thinking { text, .. } => Some(piece("thinking", text.clone(), None, None)),
        Block::ToolCall {
            id,
            name,
            arguments,
        } => Some(piece("tool_call", arguments.clone(), Some(name), Some(id))),
        Block::Image { .. } => Some(piece("image", String::new(), None, None)),
        _ => None,
    });
    pieces.collect()
}

fn compare_wire(wire: &[Wire], request: &Request, case: &mut Case) {
    if provider(request) == "openai-responses" {
        let ours: Vec<&Piece> = wire.iter().flat_map(|own| &own.pieces).collect();
        let theirs: Vec<&SentBlock> = request
            .messages
            .iter()
            .flat_map(|own| &own.blocks)
            .collect();
        case.same("number of blocks", &ours.len(), &theirs.len());
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            compare_block(ours, theirs, case);
        }
        return;
    }
    let roles: Vec<&str> = wire.iter().map(|message| message.role).collect();
    let sent = request.messages.iter();
    let sent: Vec<&str> = sent.map(|message| message.role.as_str()).collect();
    case.same("roles", &roles, &sent);
    for (message, theirs) in wire.iter().zip(&request.messages) {
        let count = message.pieces.len();
        case.same("number of blocks", &count, &theirs.blocks.len());
        for (ours, theirs) in message.pieces.iter().zip(&theirs.blocks) {
            compare_block(ours, theirs, case);
        }
    }
}

/// Compares a block with one that was sent.
pub(crate) fn compare_block(ours: &Piece, theirs: &SentBlock, case: &mut Case) {
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
    if ours.is_summary {
        let text = theirs.text.as_deref().unwrap_or_default();
        let inside = text.split_once(FRAME.0);
        let inside = inside.and_then(|(_, rest)| rest.rsplit_once(FRAME.1));
        let inside = inside.map(|(inside, _)| inside.trim());
        case.same("summary", &Some(ours.text.trim()), &inside);
        return;
    }
    let hash = sha256(ours.text.as_bytes());
    let sent = more("stripped_sha256").or_else(|| more("sha256"));
    if ours.kind != "image" && sent != Some(hash.as_str()) {
        let start: String = ours.text.chars().take(60).collect();
        let theirs: String = theirs
            .text
            .iter()
            .flat_map(|text| text.chars())
            .take(60)
            .collect();
        let detail = format!("{} {start:?}, sent {theirs:?}", ours.kind);
        case.differs("text", &detail);
    }
}

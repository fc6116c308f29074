//! Contexts against the requests that Mux really sent.
//!
//! Roles, texts, reasoning, calls (as JSON) and results are compared one after the other, each result
//! behind its call, because a row does not tell which calls were made in one step. A row is sent in
//! several requests: those in the middle of a turn are compared with the context at the run of parts
//! that made the last call, up to that call. Mux joins rows of the user that follow each other by a
//! line end. Its notices and the words about what is sent again are its own: any text is accepted
//! there, as long as it has our facts in it.

use super::request::{as_shown, is_hash, shown_value, value_as_shown};
use super::{Request, SentMessage, read_requests};
use crate::OracleError;
use crate::tally::{Case, Tally};
use palimpsest_app::MachineDisk;
use palimpsest_core::{Block, Context, EntryIx, ItemKind, Message, Origin, Role};
use palimpsest_formats::mux::Mux;
use palimpsest_formats::{Disk as _, InMemory, SessionFormat};
use serde_json::Value;
use std::io;
use std::path::Path;

/// A piece of a request as both sides have it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// Text of the user, by the rows it comes from.
    User(Vec<Words>),
    Text(String),
    Thinking(String),
    Call(String, String, Value, String),
    Result(String, String),
    /// What stands for something on the provider's side.
    Reference,
}

/// Words of the user's role.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Words {
    Own(String),
    /// Mux's wording about these lines.
    Wording(Vec<String>),
}

/// Why a request cannot be equal to what the files hold now.
const REASONS: [(&str, Explains); 3] = [
    (
        "it was sent before the oldest rows were deleted from the file",
        oldest_were_deleted,
    ),
    (
        "a report of a subagent was rewritten in its row afterwards",
        report_was_rewritten,
    ),
    (
        "reasoning and text of earlier steps were sent as references to the provider's own state",
        sent_by_reference,
    ),
];

type Explains = fn(&InMemory, &Request, ours: &[Piece], theirs: &[Piece]) -> bool;

/// Compares every request of a file with the context at its entry. One that the files hold no more is
/// counted by its reason.
pub fn compare(requests: &Path, session: &Path) -> Result<Tally, OracleError> {
    let ours = open(session)?;
    let mut tally = Tally::default();
    for request in read_requests(requests)? {
        let mut case = Case::new(format!("request {}", request.request));
        let reason = compare_one(&ours, &request, &mut case);
        match reason {
            Some(reason) => tally.explain(reason),
            None => {
                let topic = match request.kind.as_str() {
                    "turn" => "requests",
                    _ => "summary requests",
                };
                tally.add(topic, case);
            }
        }
    }
    Ok(tally)
}

fn open(path: &Path) -> Result<InMemory, OracleError> {
    let unreadable = |source: io::Error| OracleError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let head = MachineDisk.read(path, 64 << 10).map_err(unreadable)?;
    let assembly = Mux.assembly(path, &head).ok_or_else(|| {
        let reason = "not recognised as Mux's";
        unreadable(io::Error::new(io::ErrorKind::InvalidData, reason))
    })?;
    let address = path.to_string_lossy();
    InMemory::assembled(&Mux, assembly, &address, &MachineDisk).map_err(unreadable)
}

/// Compares a request; gives the reason where its difference is explained.
fn compare_one(ours: &InMemory, request: &Request, case: &mut Case) -> Option<&'static str> {
    let ids = ours.session.by_id();
    let Some(&prompt) = request.at.as_deref().and_then(|id| ids.get(id)) else {
        case.differs("entry", &format!("{:?} is not in the session", request.at));
        return None;
    };
    let (at, upto) = place(ours, prompt, request);
    let pieces = our_pieces(ours, &ours.context(Some(at)), upto.as_deref(), case);
    let sent: Vec<Piece> = request.messages.iter().flat_map(sent_pieces).collect();
    let sent = beside_calls(sent);
    if is_equal(&pieces, &sent) {
        return None;
    }
    let explained = REASONS
        .iter()
        .find(|(_, explains)| explains(ours, request, &pieces, &sent));
    if let Some((reason, _)) = explained {
        return Some(reason);
    }
    case.same("number of pieces", &pieces.len(), &sent.len());
    for (ours, theirs) in pieces.iter().zip(&sent) {
        if !equals(ours, theirs) {
            case.same("piece", ours, theirs);
        }
    }
    None
}

/// The entry whose context a request is, and the last call in it where the request is one in the
/// middle of a turn.
fn place(ours: &InMemory, prompt: EntryIx, request: &Request) -> (EntryIx, Option<String>) {
    let calls = request.more.get("after_calls").and_then(Value::as_array);
    let last = calls.and_then(|calls| calls.last()).and_then(Value::as_str);
    let reply = request.more.get("reply").and_then(Value::as_str);
    let ids = ours.session.by_id();
    let answer = reply.and_then(|id| ids.get(id)).copied();
    let (Some(last), Some(answer)) = (last, answer) else {
        return (prompt, None);
    };
    // The runs of an answer stand on one line.
    let line = ours.session.entry(answer).source.line;
    let mut runs = ours.session.indices().filter(|&ix| {
        let entry = ours.session.entry(ix);
        entry.source.line == line && entry.tool_calls.iter().any(|call| *call.call_id == *last)
    });
    match runs.next() {
        Some(run) => (run, Some(last.to_owned())),
        None => (prompt, None),
    }
}

fn our_pieces(
    ours: &InMemory,
    context: &Context,
    upto: Option<&str>,
    case: &mut Case,
) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let sent = context.items.iter().filter(|item| item.sent);
    for item in sent.filter(|item| item.role != Role::System) {
        let is_wording = item.native_role == "agentSwitch" || item.native_role == "postCompaction";
        let is_wording = is_wording && item.origin == Origin::Injected;
        match ours.format.item_message(&ours.session, item, ours) {
            Ok(message) if item.role == Role::User => {
                let words = match item.kind {
                    ItemKind::Custom if is_wording => Words::Wording(facts(&message)),
                    _ => Words::Own(message.text("\n")),
                };
                match pieces.last_mut() {
                    Some(Piece::User(last)) => last.push(words),
                    _ => pieces.push(Piece::User(vec![words])),
                }
            }
            Ok(message) => pieces.extend(pieces_of(&message)),
            Err(error) => case.differs("text", &error.to_string()),
        }
    }
    let mut pieces = beside_calls(pieces);
    if let Some(upto) = upto {
        let is_last = |piece: &Piece| matches!(piece, Piece::Result(id, _) if id == upto);
        if let Some(end) = pieces.iter().rposition(is_last) {
            pieces.truncate(end + 1);
        }
    }
    pieces
}

/// The lines that must be in Mux's wording: of a notice the name behind its last word, of what is
/// sent again every line.
fn facts(message: &Message) -> Vec<String> {
    let text = message.text("\n");
    if message.native_role == "agentSwitch" {
        let name = text.trim_end_matches(')').rsplit(' ').next();
        return name.map(str::to_owned).into_iter().collect();
    }
    text.lines().map(str::to_owned).collect()
}

pub(crate) fn pieces_of(message: &Message) -> Vec<Piece> {
    if let Some(tool) = &message.tool {
        return vec![Piece::Result(tool.call_id.clone(), message.text("\n"))];
    }
    let pieces = message.blocks.iter().filter_map(|block| {
        Some(match block {
            Block::Text(text) => Piece::Text(text.clone()),
            // What only the provider can read is no text in a request.
            Block::Thinking { text, .. } if text.is_empty() => return None,
            Block::Thinking { text, .. } => Piece::Thinking(text.clone()),
            Block::ToolCall {
                id,
                name,
                arguments,
            } => {
                let json = serde_json::from_str(arguments).unwrap_or_default();
                Piece::Call(id.clone(), name.clone(), json, arguments.clone())
            }
            _ => return None,
        })
    });
    pieces.collect()
}

pub(crate) fn sent_pieces(message: &SentMessage) -> Vec<Piece> {
    // Images are in neither: a row holds only where they are.
    let blocks = message.blocks.iter().filter(|block| block.kind != "image");
    let pieces = blocks.map(|block| {
        let text = block.shown();
        let id = block.more.get("call_id").and_then(Value::as_str);
        let id = id.unwrap_or_default().to_owned();
        match block.kind.as_str() {
            "thinking" => Piece::Thinking(text),
            "tool_call" => {
                let name = block.tool_name.clone().unwrap_or_default();
                Piece::Call(id, name, shown_value(block), text)
            }
            "tool_result" => Piece::Result(id, text),
            "text" if message.role == "assistant" => Piece::Text(text),
            "text" => Piece::User(vec![Words::Own(text)]),
            _ => Piece::Reference,
        }
    });
    pieces.collect()
}

/// The pieces with each result behind its call.
pub(crate) fn beside_calls(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut ordered: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let call = match &piece {
            Piece::Result(id, _) => {
                let is_call = |own: &Piece| matches!(own, Piece::Call(other, ..) if other == id);
                ordered.iter().rposition(is_call)
            }
            _ => None,
        };
        match call {
            Some(call) => ordered.insert(call + 1, piece),
            None => ordered.push(piece),
        }
    }
    ordered
}

/// The words of a message of the user; of the request behind a plan's messages only that there are
/// some, as the request is Mux's own text.
pub(crate) fn as_asked(message: &Message, is_request: bool) -> Vec<Words> {
    vec![if is_request {
        Words::Wording(Vec::new())
    } else {
        Words::Own(message.text("\n"))
    }]
}

fn is_equal(ours: &[Piece], theirs: &[Piece]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(own, sent)| equals(own, sent))
}

pub(crate) fn equals(ours: &Piece, theirs: &Piece) -> bool {
    match (ours, theirs) {
        (Piece::User(own), Piece::User(sent)) => match sent.as_slice() {
            [Words::Own(text)] if is_hash(text) => {
                let own: Vec<&str> = own.iter().map(Words::own).collect();
                as_shown(own.join("\n"), text) == *text
            }
            [Words::Own(text)] => fits(own, text),
            _ => false,
        },
        (Piece::Text(own), Piece::Text(text)) | (Piece::Thinking(own), Piece::Thinking(text)) => {
            as_shown(own.clone(), text) == *text
        }
        (Piece::Result(id, own), Piece::Result(other, text)) => {
            id == other && as_shown(own.clone(), text) == *text
        }
        (Piece::Call(id, name, _, own), Piece::Call(other, sent_name, json, _)) => {
            id == other && name == sent_name && value_as_shown(own, json) == *json
        }
        _ => false,
    }
}

impl Words {
    fn own(&self) -> &str {
        match self {
            Words::Own(text) => text,
            Words::Wording(_) => "",
        }
    }
}

/// True when the words, joined by line ends, are the text.
fn fits(words: &[Words], text: &str) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return text.is_empty();
    };
    let goes_on = |after: &str| match rest {
        [] => after.is_empty(),
        rest => after
            .strip_prefix('\n')
            .is_some_and(|after| fits(rest, after)),
    };
    match first {
        Words::Own(own) => text.strip_prefix(own.as_str()).is_some_and(goes_on),
        Words::Wording(facts) => {
            let ends = text.match_indices('\n').map(|(at, _)| at);
            let mut ends = ends.chain([text.len()]);
            ends.any(|end| {
                let wording = &text[..end];
                facts.iter().all(|fact| wording.contains(fact.as_str())) && goes_on(&text[end..])
            })
        }
    }
}

/// True when the session begins behind its beginning and ours is the end of what was sent.
fn oldest_were_deleted(session: &InMemory, _: &Request, ours: &[Piece], theirs: &[Piece]) -> bool {
    let rows = session.bytes().split(|&byte| byte == b'\n');
    let mut rows = rows.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let first = rows.find(|row| row.get("role").is_some());
    let begins_late = first.is_some_and(|row| {
        let metadata = &row["metadata"];
        metadata["historySequence"].as_u64() > Some(0) && metadata["compacted"].is_null()
    });
    let more = theirs.len().checked_sub(ours.len());
    begins_late && more.is_some_and(|more| more > 0 && is_equal(ours, &theirs[more..]))
}

/// True when all is equal but for what stands in reports of subagents.
fn report_was_rewritten(_: &InMemory, _: &Request, ours: &[Piece], theirs: &[Piece]) -> bool {
    const REPORT: (&str, &str) = ("<mux_subagent_report>", "</mux_subagent_report>");
    let without = |text: &str| {
        let mut parts = text.split(REPORT.0);
        let mut rest = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            rest.push_str(part.split_once(REPORT.1).map_or("", |(_, after)| after));
        }
        rest
    };
    let is_same = |own: &Piece, sent: &Piece| match (own, sent) {
        (Piece::User(own), Piece::User(sent)) => {
            let join = |words: &[Words]| {
                let texts: Vec<&str> = words.iter().map(Words::own).collect();
                texts.join("\n")
            };
            let (own, sent) = (join(own), join(sent));
            own.contains(REPORT.0) && without(&own) == without(&sent)
        }
        _ => false,
    };
    ours.len() == theirs.len()
        && ours
            .iter()
            .zip(theirs)
            .all(|(own, sent)| equals(own, sent) || is_same(own, sent))
}

/// True when all that is not the model's own text or reasoning is equal, and some of that was sent by
/// reference, which a record of the request may leave out.
fn sent_by_reference(_: &InMemory, request: &Request, ours: &[Piece], theirs: &[Piece]) -> bool {
    let api = request.more.get("provider_api").and_then(Value::as_str);
    let has_reference = api == Some("openai-responses")
        && (theirs.contains(&Piece::Reference) || theirs.len() < ours.len());
    let shown = |pieces: &[Piece]| -> Vec<Piece> {
        let is_shown = |piece: &&Piece| {
            !matches!(
                piece,
                Piece::Text(_) | Piece::Thinking(_) | Piece::Reference
            )
        };
        pieces.iter().filter(is_shown).cloned().collect()
    };
    has_reference && is_equal(&shown(ours), &shown(theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wording_is_accepted_where_it_has_our_facts() {
        let own = |text: &str| Words::Own(text.to_owned());
        let wording = |fact: &str| Words::Wording(vec![fact.to_owned()]);
        let words = [wording("compact"), own("Sum up.\nAll of it.")];
        assert!(fits(&words, "[now it is\n compact]\nSum up.\nAll of it."));
        assert!(!fits(&words, "[now it is plan]\nSum up.\nAll of it."));
        assert!(!fits(&words, "Sum up.\nAll of it."));
        assert!(fits(&[own("a"), own("b")], "a\nb"));
        assert!(!fits(&[own("a"), own("b")], "a\nb\nc"));
    }

    #[test]
    fn results_stand_behind_their_calls() {
        let call = |id: &str| Piece::Call(id.into(), String::new(), Value::Null, String::new());
        let result = |id: &str| Piece::Result(id.into(), String::new());
        let (one, two) = (vec![call("a"), call("b")], vec![result("a"), result("b")]);
        let ordered = beside_calls([one, two].concat());
        assert_eq!(ordered, [call("a"), result("a"), call("b"), result("b")]);
    }
}

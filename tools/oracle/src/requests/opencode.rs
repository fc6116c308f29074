//! Contexts against the requests that OpenCode really sent, from its exports and its database.
//!
//! Roles, texts, reasoning, tool calls (as JSON) and tool results are compared one after the
//! other, calls and results with their ids. The question that OpenCode puts before a summary is
//! its wording: any user text is accepted in its place. System prompts are not part of the record.

use super::request::{as_shown, shown_value, value_as_shown};
use super::{Request, SentMessage, read_requests};
use crate::OracleError;
use crate::tally::{Case, Tally};
use palimpsest_app::MachineDisk;
use palimpsest_core::{Block, Context, Message, Origin, Role};
use palimpsest_formats::opencode::OpenCode;
use palimpsest_formats::{Disk as _, InMemory, SessionFormat};
use serde_json::Value;
use std::io;
use std::path::Path;

/// The database that a folder of exports was made from.
const DATABASE: &str = "h1-opencode.db";

/// A block as both sides have it.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Thinking(String),
    ToolCall(String, String, Value, String),
    ToolResult(String, String),
    /// A sentence of the agent's own.
    Wording,
}

/// Compares every conversation request of a file with the context at its entry, read from the
/// export, and again from the database beside it.
pub fn compare(requests: &Path, session: &Path) -> Result<Tally, OracleError> {
    let requests = read_requests(requests)?;
    let mut tally = Tally::default();
    let export = open(&session.to_string_lossy(), session)?;
    compare_all(&export, &requests, "requests", &mut tally);
    let database = session.with_file_name(DATABASE);
    if database.exists() {
        let id = &export.session.meta.native_id;
        let address = format!("{}#{id}", database.display());
        let Ok(rows) = open(&address, &database) else {
            tally.note(format!("not in the database: {address}"));
            return Ok(tally);
        };
        // The database was written on: what had been reverted is deleted in it, so requests from
        // there are not compared again.
        let ids = rows.session.by_id();
        let hidden = |at: &str| {
            let leaf = export.session.active_leaf;
            let there = export.session.by_id().get(at).copied();
            there > leaf && !ids.contains_key(at)
        };
        let there: Vec<Request> = requests
            .into_iter()
            .filter(|request| !request.at.as_deref().is_some_and(hidden))
            .collect();
        compare_all(&rows, &there, "requests by the database", &mut tally);
    }
    Ok(tally)
}

pub(crate) fn open(address: &str, path: &Path) -> Result<InMemory, OracleError> {
    let unreadable = |source: io::Error| OracleError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let head = MachineDisk.read(path, 64 * 1024).map_err(unreadable)?;
    let assembly = OpenCode
        .assembly(path, &head)
        .filter(|_| OpenCode.sniff(path, &head));
    let assembly = assembly.ok_or_else(|| {
        let reason = "not recognised as OpenCode's";
        unreadable(io::Error::new(io::ErrorKind::InvalidData, reason))
    })?;
    InMemory::assembled(&OpenCode, assembly, address, &MachineDisk).map_err(unreadable)
}

fn compare_all(ours: &InMemory, requests: &[Request], topic: &'static str, tally: &mut Tally) {
    let ids = ours.session.by_id();
    for request in requests.iter().filter(|request| request.kind == "turn") {
        let mut case = Case::new(format!("request {}", request.request));
        match request.at.as_deref().and_then(|id| ids.get(id)) {
            Some(&ix) => compare_blocks(ours, &ours.context(Some(ix)), request, &mut case),
            None => case.differs("entry", &format!("{:?} is not in the session", request.at)),
        }
        tally.add(topic, case);
    }
}

fn compare_blocks(ours: &InMemory, context: &Context, request: &Request, case: &mut Case) {
    let mut pieces = Vec::new();
    for item in context
        .items
        .iter()
        .filter(|item| item.sent && item.role != Role::System)
    {
        let is_wording = item.native_role == "compaction" && item.origin == Origin::Injected;
        match ours.format.item_message(&ours.session, item, ours) {
            Ok(message) => add_pieces(&message, is_wording, &mut pieces),
            Err(error) => case.differs("text", &error.to_string()),
        }
    }
    let sent: Vec<(String, Piece)> = request
        .messages
        .iter()
        .flat_map(|message| sent_pieces(message, case))
        .collect();
    case.same("number of blocks", &pieces.len(), &sent.len());
    for ((role, ours), (sent_role, theirs)) in pieces.iter().zip(&sent) {
        case.same("role", role, &sent_role.as_str());
        let accepted = *ours == Piece::Wording && matches!(theirs, Piece::Text(_));
        if !accepted {
            case.same("block", &ours.clone().like(theirs), theirs);
        }
    }
}

impl Piece {
    /// Itself, with what stands for their text where only the hash of that is recorded.
    fn like(self, theirs: &Piece) -> Piece {
        match (self, theirs) {
            (Piece::Text(own), Piece::Text(text)) => Piece::Text(as_shown(own, text)),
            (Piece::Thinking(own), Piece::Thinking(text)) => Piece::Thinking(as_shown(own, text)),
            (Piece::ToolResult(id, own), Piece::ToolResult(_, text)) => {
                Piece::ToolResult(id, as_shown(own, text))
            }
            (Piece::ToolCall(id, name, _, own), Piece::ToolCall(_, _, json, text)) => {
                Piece::ToolCall(id, name, value_as_shown(&own, json), text.clone())
            }
            (own, _) => own,
        }
    }
}

fn add_pieces(message: &Message, is_wording: bool, pieces: &mut Vec<(&'static str, Piece)>) {
    if let Some(tool) = &message.tool {
        let result = Piece::ToolResult(tool.call_id.clone(), message.text("\n"));
        pieces.push(("tool", result));
        return;
    }
    let role = match message.role {
        Role::Assistant => "assistant",
        _ => "user",
    };
    for block in &message.blocks {
        let piece = match block {
            Block::Text(_) if is_wording => Piece::Wording,
            Block::Text(text) if !text.is_empty() => Piece::Text(text.clone()),
            Block::Thinking { text, .. } => Piece::Thinking(text.clone()),
            Block::ToolCall {
                id,
                name,
                arguments,
            } => Piece::ToolCall(id.clone(), name.clone(), Value::Null, arguments.clone()),
            _ => continue,
        };
        pieces.push((role, piece));
    }
}

fn sent_pieces(message: &SentMessage, case: &mut Case) -> Vec<(String, Piece)> {
    let mut pieces = Vec::new();
    for block in &message.blocks {
        let text = block.shown();
        let id = block.more.get("call_id").and_then(Value::as_str);
        let id = id.unwrap_or_default().to_owned();
        let piece = match block.kind.as_str() {
            "text" => Piece::Text(text),
            "thinking" => Piece::Thinking(text),
            "tool_call" => Piece::ToolCall(
                id,
                block.tool_name.clone().unwrap_or_default(),
                shown_value(block),
                String::new(),
            ),
            "tool_result" => Piece::ToolResult(id, text),
            other => {
                case.differs("block", &format!("of unknown type {other}"));
                continue;
            }
        };
        pieces.push((message.role.clone(), piece));
    }
    pieces
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

    use super::*;
    use palimpsest_core::Usage;
    use palimpsest_formats::account::account;
    use palimpsest_store::foreign;
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    /// The sessions of a sample database with their addresses; none where it is absent.
    fn sessions(name: &str) -> Option<(PathBuf, Vec<(String, InMemory)>)> {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
        let path = samples.join("opencode").join(name);
        if !path.exists() {
            eprintln!("SKIPPED: no {}", path.display());
            return None;
        }
        let head = MachineDisk.read(&path, 64 * 1024).unwrap();
        assert!(OpenCode.is_candidate(&path) && OpenCode.sniff(&path, &head));
        let assembly = OpenCode.assembly(&path, &head).unwrap();
        let found = assembly.sessions(&path, &MachineDisk).unwrap();
        let open = |address: &str| super::open(address, &path).unwrap();
        let opened = found
            .into_iter()
            .map(|one| (one.address.clone(), open(&one.address)))
            .collect();
        Some((path, opened))
    }

    const DATABASES: [&str; 2] = [
        "generated-1.18.33/h1-opencode.db",
        "generated-1.2.27-migrated/opencode.db",
    ];

    fn one_number(database: &Path, sql: &str, session: &str) -> f64 {
        let values = [session.to_owned()];
        let rows = foreign::query(database, &[(sql, &values)]).unwrap();
        rows[0][0][0].as_f64().unwrap_or(0.0)
    }

    #[test]
    fn every_row_is_accounted_for() {
        for name in DATABASES {
            let Some((path, sessions)) = sessions(name) else {
                continue;
            };
            let names = || -> BTreeSet<PathBuf> {
                MachineDisk
                    .list(path.parent().unwrap())
                    .unwrap()
                    .into_iter()
                    .collect()
            };
            let before = (names(), crate::sha256(&std::fs::read(&path).unwrap()));
            for (address, ours) in &sessions {
                let id = &ours.session.meta.native_id;
                let head = MachineDisk.read(&path, 100).unwrap();
                let assembly = OpenCode.assembly(&path, &head).unwrap();
                let document = assembly.document(address, &MachineDisk).unwrap();
                let account = account(&ours.session, &document.bytes);
                assert_eq!(ours.session.warnings, [], "{address}");
                let messages = "SELECT count(*) FROM message WHERE session_id = ?1";
                let parts = "SELECT count(*) FROM part WHERE session_id = ?1";
                assert_eq!(account.entries as f64, one_number(&path, messages, id));
                assert_eq!(account.merged as f64, one_number(&path, parts, id));
                assert_eq!(account.lines, 1 + account.entries + account.merged);
            }
            let after = (names(), crate::sha256(&std::fs::read(&path).unwrap()));
            assert_eq!(before, after, "reading leaves no trace");
        }
    }

    #[test]
    fn totals_are_those_of_the_rows() {
        for name in DATABASES {
            let Some((path, sessions)) = sessions(name) else {
                continue;
            };
            for (address, ours) in &sessions {
                let id = &ours.session.meta.native_id;
                let mut total = Usage::default();
                let usages = ours.session.entries.iter().filter_map(|entry| entry.usage);
                usages.for_each(|usage| total.add(&usage));
                let steps = |what: &str| {
                    let sql = format!(
                        "SELECT sum(json_extract(data, '$.{what}')) FROM part \
                         WHERE session_id = ?1 AND json_extract(data, '$.type') = 'step-finish'"
                    );
                    one_number(&path, &sql, id)
                };
                assert_eq!(total.input as f64, steps("tokens.input"), "{address}");
                assert_eq!(total.output as f64, steps("tokens.output"), "{address}");
                assert_eq!(total.cache_read as f64, steps("tokens.cache.read"));
                assert_eq!(total.cache_write as f64, steps("tokens.cache.write"));
                assert!((total.cost_usd.unwrap_or(0.0) - steps("cost")).abs() < 1e-9);
                if name.contains("1.18") {
                    let row = |column: &str| {
                        let sql = format!("SELECT {column} FROM session WHERE id = ?1");
                        one_number(&path, &sql, id)
                    };
                    assert_eq!(total.input as f64, row("tokens_input"), "{address}");
                    assert_eq!(total.output as f64, row("tokens_output"), "{address}");
                    assert_eq!(total.cache_read as f64, row("tokens_cache_read"));
                    assert!((total.cost_usd.unwrap_or(0.0) - row("cost")).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn a_migrated_session_is_the_one_in_the_tree() {
        let Some((path, rows)) = sessions(DATABASES[1]) else {
            return;
        };
        let tree = path
            .ancestors()
            .nth(2)
            .unwrap()
            .join("generated-1.1.65-json");
        let mut compared = 0;
        for project in MachineDisk.list(&tree.join("storage/session")).unwrap() {
            for file in MachineDisk.list(&project).unwrap() {
                let ours = open(&file.to_string_lossy(), &file).unwrap();
                let id = &ours.session.meta.native_id;
                let same = rows
                    .iter()
                    .find(|(_, row)| row.session.meta.native_id == *id);
                let (_, migrated) = same.unwrap();
                let ids = |one: &InMemory| -> Vec<String> {
                    let entries = one.session.entries.iter();
                    entries.map(|entry| entry.id.to_string()).collect()
                };
                // The database was used after the migration.
                let (before, after) = (ids(&ours), ids(migrated));
                let kept = before.iter().filter(|id| after.contains(id)).count();
                assert!(kept + 3 >= before.len(), "{id}: {kept} of {}", before.len());
                compared += 1;
            }
        }
        assert_eq!(compared, rows.len());
    }
}

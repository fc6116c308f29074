//! What was observed: exchanges of a session, with when each was last looked at.

use super::importance::{Exchange, Kind};
use super::recency::Seen;
use crate::lexical::identifiers;
use crate::select::Scene;
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::{Block, BodyError, ItemKind, Message, Role};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

/// Characters of an observation that are kept and compared.
const HEAD_CHARS: usize = 500;

/// A message with the results that follow it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observation {
    /// Positions of its entries in the scene.
    pub positions: Range<usize>,
    /// What kind of thing it is.
    pub kind: Kind,
    /// The beginning of what it says.
    pub text: String,
    /// The files and identifiers it names.
    touches: Vec<String>,
    /// When it was written.
    pub written: Seen,
}

/// The observations from position `start` on; `message` gives the message of an item.
pub(crate) fn observe(
    scene: &Scene<'_>,
    start: usize,
    message: &dyn Fn(usize) -> Result<Message, BodyError>,
) -> Result<Vec<Observation>, BodyError> {
    let session = scene.input.session;
    let exchanges = exchanges(scene, start);
    let mut edited: HashMap<&str, usize> = HashMap::new();
    let calls = |own: &Range<usize>| -> Vec<&ToolCallBrief> {
        let positions = own.clone();
        positions
            .flat_map(|at| &session.entry(scene.entries[at].entry).tool_calls)
            .collect()
    };
    for (at, own) in exchanges.iter().enumerate() {
        for call in calls(own) {
            if let (Some(path), Some(FileAccess::Edit | FileAccess::Write)) =
                (call.path.as_deref(), call.access)
            {
                edited.insert(path, at);
            }
        }
    }
    let mut observations = Vec::with_capacity(exchanges.len());
    for (at, own) in exchanges.iter().enumerate() {
        let told = told(scene, own, message)?;
        let calls = calls(own);
        let changes_later = |call: &&ToolCallBrief| {
            let path = call.path.as_deref();
            path.and_then(|path| edited.get(path))
                .is_some_and(|&last| last > at)
        };
        let first = scene.entries[own.start].items.clone().next();
        let first = first.map(|item| scene.input.context.items[item].kind);
        let exchange = Exchange {
            is_prompt: scene.is_prompt(own.start),
            is_summary: matches!(
                first,
                Some(ItemKind::CompactionSummary | ItemKind::BranchSummary)
            ),
            text: &told.text.to_lowercase(),
            edited_later: calls.iter().any(changes_later),
            failed: told.failed,
            calls: calls.clone(),
        };
        let kind = exchange.kind();
        let paths = calls.iter().filter_map(|call| call.path.as_deref());
        let mut touches: Vec<String> = paths.map(str::to_owned).collect();
        touches.extend(identifiers(&told.named));
        observations.push(Observation {
            positions: own.clone(),
            kind,
            text: told.text,
            touches,
            written: Seen {
                position: own.start,
                at_ms: session.entry(scene.entries[own.start].entry).at_ms,
            },
        });
    }
    Ok(observations)
}

/// When each observation was last looked at: when it was written, or where `touches` says so when
/// the latest later one was that names the same file or identifier.
pub(crate) fn last_seen(observations: &[Observation], touches: bool) -> Vec<Seen> {
    let mut latest: HashMap<&str, Seen> = HashMap::new();
    let mut seen = Vec::with_capacity(observations.len());
    for own in observations.iter().rev() {
        let mut last = own.written;
        for touched in own.touches.iter().filter(|_| touches) {
            let later = *latest.entry(touched).or_insert(own.written);
            if later.position > last.position {
                last = later;
            }
        }
        seen.push(last);
    }
    seen.reverse();
    seen
}

/// A message with the results that follow it, as positions of entries.
fn exchanges(scene: &Scene<'_>, start: usize) -> Vec<Range<usize>> {
    let mut exchanges: Vec<Range<usize>> = Vec::new();
    for position in start..scene.len() {
        let continues = scene.entries[position].items.is_empty() || !scene.may_cut_before(position);
        match exchanges.last_mut() {
            Some(last) if continues => last.end = position + 1,
            _ => exchanges.push(position..position + 1),
        }
    }
    exchanges
}

/// What an exchange says.
#[derive(Default)]
struct Told {
    /// Its beginning.
    text: String,
    /// The beginning of what names things in it.
    named: String,
    /// True when a tool failed.
    failed: bool,
}

fn told(
    scene: &Scene<'_>,
    exchange: &Range<usize>,
    message: &dyn Fn(usize) -> Result<Message, BodyError>,
) -> Result<Told, BodyError> {
    let mut told = Told::default();
    let entries = exchange.clone();
    for item in entries.flat_map(|at| scene.entries[at].items.clone()) {
        let message = message(item)?;
        for block in &message.blocks {
            match block {
                Block::Text(text) => {
                    told.text.push_str(text);
                    told.named.push_str(text);
                }
                Block::ToolCall { arguments, .. } => {
                    told.text.push_str(arguments);
                    // The names of parameters are the same in every call.
                    if let Ok(Value::Object(values)) = serde_json::from_str(arguments) {
                        let values = values.values().filter_map(Value::as_str);
                        told.named.extend(values.flat_map(|value| [value, "\n"]));
                    }
                }
                _ => continue,
            }
            told.text.push('\n');
            told.named.push('\n');
        }
        told.failed |=
            message.role == Role::Tool && message.tool.as_ref().is_some_and(|tool| tool.is_error);
    }
    for text in [&mut told.text, &mut told.named] {
        let end = text.char_indices().nth(HEAD_CHARS).map(|(at, _)| at);
        text.truncate(end.unwrap_or(text.len()));
    }
    Ok(told)
}

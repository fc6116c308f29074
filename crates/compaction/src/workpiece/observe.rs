//! What was observed: exchanges of a session, with when each was last looked at.

use crate::memory::importance::{Exchange, Kind};
use crate::memory::recency::Seen;
use crate::text::lexical::identifiers;
use crate::text::ranking::Ranking;
use crate::vocabulary::input::{ItemMessages, memoized};
use crate::vocabulary::memo::{MemoKey, Weight, question};
use crate::workpiece::draft::Draft;
use crate::workpiece::sized_context::SizedContext;
use palimpsest_core::entry::{FileAccess, ToolCallBrief};
use palimpsest_core::{Block, BodyError, ItemKind, Message, Role};
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::{Arc, LazyLock};

/// Characters of an observation that are kept and compared.
const HEAD_CHARS: usize = 500;

/// A message with the results that follow it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observation {
    /// Positions of its entries in the sized.
    pub positions: Range<usize>,
    /// What kind of thing it is.
    pub kind: Kind,
    /// The beginning of what it says.
    pub text: String,
    /// The same on one line.
    pub line: String,
    /// The files and identifiers it names, by number.
    touches: Box<[u32]>,
    /// When it was written.
    pub written: Seen,
}

/// All that was observed on the way to one place. None of it depends on a cut.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The observations, oldest first.
    pub observations: Vec<Observation>,
    /// A number that stands for what was observed.
    subject: u64,
    /// How many files and identifiers are named.
    named: usize,
}

impl Weight for Stream {
    fn bytes(&self) -> usize {
        let own = self.observations.iter();
        own.map(|own| {
            size_of::<Observation>() + own.text.len() + own.line.len() + own.touches.len() * 4
        })
        .sum()
    }
}

impl Stream {
    /// The observations in the items of `draft`, as they are now.
    pub fn of(sized: &SizedContext<'_>, draft: &Draft<'_>) -> Result<Arc<Stream>, BodyError> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("observations", &()));
        let start = sized.start();
        let mut hasher = DefaultHasher::new();
        start.hash(&mut hasher);
        for seen in &sized.entries {
            seen.entry.hash(&mut hasher);
            for item in seen.items.clone() {
                // As they are now: an item that a step has changed is observed again.
                draft.subject(item, None).hash(&mut hasher);
            }
        }
        let key = MemoKey::whole(*QUESTION, hasher.finish());
        memoized(sized.input.messages, key, || {
            let message = |item| draft.message(item);
            let (observations, named) = observe(sized, start, &message)?;
            Ok(Stream {
                observations,
                subject: key.subject,
                named,
            })
        })
    }

    /// When each of its observations was last looked at; see [`last_seen`].
    pub fn last_seen<'a>(
        &self,
        observations: impl DoubleEndedIterator<Item = &'a Observation>,
        touches: bool,
    ) -> Vec<Seen> {
        last_seen(observations, touches, self.named)
    }

    /// The texts, to be ranked by their words.
    pub fn ranking(&self, messages: &dyn ItemMessages) -> Result<Arc<Ranking>, BodyError> {
        static QUESTION: LazyLock<u64> = LazyLock::new(|| question("words of observations", &()));
        let key = MemoKey::whole(*QUESTION, self.subject);
        memoized(messages, key, || {
            let texts = self.observations.iter();
            Ok(Ranking::new(texts.map(|own| own.text.as_str())))
        })
    }
}

/// The observations from position `start` on, and how many things they name; `message` gives the
/// message of an item.
fn observe(
    sized: &SizedContext<'_>,
    start: usize,
    message: &dyn Fn(usize) -> Result<Message, BodyError>,
) -> Result<(Vec<Observation>, usize), BodyError> {
    let session = sized.input.session;
    let exchanges = exchanges(sized, start);
    let mut edited: HashMap<&str, usize> = HashMap::new();
    let calls = |own: &Range<usize>| -> Vec<&ToolCallBrief> {
        let positions = own.clone();
        positions
            .flat_map(|at| &session.entry(sized.entries[at].entry).tool_calls)
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
    // All of them first: a kind depends on what came later.
    let all_told = exchanges
        .iter()
        .map(|own| told(sized, own, &calls(own), message));
    let all_told: Vec<Told> = all_told.collect::<Result<_, _>>()?;
    let mut worked: HashMap<u64, usize> = HashMap::new();
    for (at, told) in all_told.iter().enumerate() {
        worked.extend(told.worked.iter().map(|&done| (done, at)));
    }
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut observations = Vec::with_capacity(exchanges.len());
    for (at, (own, told)) in exchanges.iter().zip(all_told).enumerate() {
        let calls = calls(own);
        let works_later = |done: &u64| worked.get(done).is_some_and(|&last| last > at);
        let changes_later = |call: &&ToolCallBrief| {
            let path = call.path.as_deref();
            path.and_then(|path| edited.get(path))
                .is_some_and(|&last| last > at)
        };
        let first = sized.entries[own.start].items.clone().next();
        let first = first.map(|item| sized.input.context.items[item].kind);
        let exchange = Exchange {
            is_prompt: sized.is_prompt(own.start),
            is_summary: matches!(
                first,
                Some(ItemKind::CompactionSummary | ItemKind::BranchSummary)
            ),
            text: &told.text,
            edited_later: calls.iter().any(changes_later),
            failed: told.failed,
            fixed_later: !told.broke.is_empty() && told.broke.iter().all(works_later),
            calls: calls.clone(),
        };
        let kind = exchange.kind();
        let paths = calls.iter().filter_map(|call| call.path.as_deref());
        let named = paths.map(str::to_owned).chain(identifiers(&told.named));
        let touches = named.map(|name| {
            let next = numbers.len() as u32;
            *numbers.entry(name).or_insert(next)
        });
        observations.push(Observation {
            positions: own.clone(),
            kind,
            touches: touches.collect(),
            line: one_line(&told.text),
            text: told.text,
            written: Seen {
                position: own.start,
                at_ms: session.entry(sized.entries[own.start].entry).at_ms,
            },
        });
    }
    Ok((observations, numbers.len()))
}

/// A text without its line ends and runs of white space.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

/// When each observation was last looked at: when it was written, or where `touches` says so when
/// the latest later one was that names the same file or identifier, of which there are `named`.
fn last_seen<'a>(
    observations: impl DoubleEndedIterator<Item = &'a Observation>,
    touches: bool,
    named: usize,
) -> Vec<Seen> {
    let mut latest: Vec<Option<Seen>> = vec![None; named];
    let mut seen = Vec::new();
    for own in observations.rev() {
        let mut last = own.written;
        for &touched in own.touches.iter().filter(|_| touches) {
            // On the way back the first that names a thing is the latest.
            let later = *latest[touched as usize].get_or_insert(own.written);
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
fn exchanges(sized: &SizedContext<'_>, start: usize) -> Vec<Range<usize>> {
    let mut exchanges: Vec<Range<usize>> = Vec::new();
    for position in start..sized.len() {
        let continues = sized.entries[position].items.is_empty() || !sized.may_cut_before(position);
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
    /// What was done and worked, as [`deed`] numbers it.
    worked: Vec<u64>,
    /// What was done and failed.
    broke: Vec<u64>,
}

/// A number for what a call does: its tool with the file it is about, or else with the command, or
/// all its arguments.
fn deed(name: &str, path: Option<&str>, arguments: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let values: Option<Value> = match path {
        Some(_) => None,
        None => serde_json::from_str(arguments).ok(),
    };
    // The command alone, whatever else the call sets.
    let command = values.as_ref().and_then(|own| own.get("command"));
    match (path, command) {
        (Some(path), _) => path.hash(&mut hasher),
        (None, Some(command)) => command.to_string().hash(&mut hasher),
        (None, None) => arguments.hash(&mut hasher),
    }
    hasher.finish()
}

fn told(
    sized: &SizedContext<'_>,
    exchange: &Range<usize>,
    calls: &[&ToolCallBrief],
    message: &dyn Fn(usize) -> Result<Message, BodyError>,
) -> Result<Told, BodyError> {
    let mut told = Told::default();
    let mut deeds: HashMap<String, u64> = HashMap::new();
    let entries = exchange.clone();
    for item in entries.flat_map(|at| sized.entries[at].items.clone()) {
        let message = message(item)?;
        for block in &message.blocks {
            match block {
                Block::Text(text) => {
                    told.text.push_str(text);
                    told.named.push_str(text);
                }
                Block::ToolCall {
                    id,
                    name,
                    arguments,
                } => {
                    let brief = calls.iter().find(|call| *call.call_id == **id);
                    let path = brief.and_then(|call| call.path.as_deref());
                    deeds.insert(id.clone(), deed(name, path, arguments));
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
        if message.role != Role::Tool {
            continue;
        }
        let Some(tool) = &message.tool else { continue };
        told.failed |= tool.is_error;
        if let Some(&deed) = deeds.get(&tool.call_id) {
            if tool.is_error {
                told.broke.push(deed)
            } else {
                told.worked.push(deed)
            }
        }
    }
    for text in [&mut told.text, &mut told.named] {
        let end = text.char_indices().nth(HEAD_CHARS).map(|(at, _)| at);
        text.truncate(end.unwrap_or(text.len()));
    }
    Ok(told)
}

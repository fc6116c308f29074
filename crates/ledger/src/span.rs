//! The ledger's view of a conversation: spans of messages, and the texts inside them.

use crate::{arguments, beside, commands, scripts, voices};
use palimpsest_core::estimate::message_tokens;
use palimpsest_core::ledger::SourcePlace;
use palimpsest_core::{Block, EntryIx, Message};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::ops::Range;

pub use crate::tool_action::ToolAction;
pub use crate::voices::PartKind;

/// One message of a span, with the entry it comes from.
#[derive(Debug, Clone, Copy)]
pub struct SpanItem<'a> {
    /// The entry.
    pub entry: EntryIx,
    /// Which message of the entry.
    pub message_index: usize,
    /// The message.
    pub message: &'a Message,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
}

/// A run of messages, oldest first: what was summarized, what was kept, or what came later.
#[derive(Debug, Clone, Copy, Default)]
pub struct Span<'a> {
    /// The messages.
    pub items: &'a [SpanItem<'a>],
}

/// One text of a span with its place.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Index of its item in the span.
    pub item: usize,
    /// The entry.
    pub entry: EntryIx,
    /// Which message of the entry.
    pub message: usize,
    /// Which block of the message.
    pub block: usize,
    /// What it is.
    pub kind: PartKind,
    /// The text itself.
    pub text: &'a str,
    /// Where it begins in the text of its block, in bytes.
    pub base: usize,
    /// For calls and results: the tool's name.
    pub tool: Option<&'a str>,
    /// For calls and results: the provider's id of the call.
    pub call_id: Option<&'a str>,
    /// True for the result of a call that failed.
    pub is_error: bool,
}

impl Part<'_> {
    /// The place of `range` in this text.
    pub fn place(&self, range: Range<usize>) -> SourcePlace {
        SourcePlace {
            entry: self.entry,
            message: self.message,
            block: self.block,
            range: self.base + range.start..self.base + range.end,
        }
    }

    /// What the tool of a call or result does.
    pub fn action(&self) -> ToolAction {
        self.tool.map_or(ToolAction::Other, ToolAction::of)
    }
}

impl<'a> Span<'a> {
    /// A span over `items`.
    pub fn new(items: &'a [SpanItem<'a>]) -> Span<'a> {
        Span { items }
    }

    /// All texts of the span in order.
    pub fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        self.items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| item_parts(index, item))
    }

    /// What each call of the span does, by call id, so that a result can be read in its light.
    pub fn calls(&self) -> HashMap<&'a str, Call<'a>> {
        let mut calls = HashMap::default();
        for part in self.parts() {
            if part.kind == PartKind::ToolCall
                && let Some(id) = part.call_id
            {
                calls.insert(id, Call::read(&part));
            }
        }
        calls
    }

    /// The calls of the span that the user refused, by call id: nothing came of them.
    pub fn refused(&self) -> HashSet<&'a str> {
        let results = self.items.iter().filter_map(|item| {
            let tool = item.message.tool.as_ref()?;
            let refused = item.message.blocks.iter().any(|block| match block {
                Block::Text(text) => voices::refuses(text),
                _ => false,
            });
            refused.then_some(tool.call_id.as_str())
        });
        results.collect()
    }

    /// Size of the span in tokens by pi's estimate: per message, UTF-16 units / 4, rounded up;
    /// an image counts 4,800 units.
    pub fn estimate(&self) -> u64 {
        self.items
            .iter()
            .map(|item| message_tokens(item.message))
            .sum()
    }
}

/// The texts of a span, with its calls read once.
pub(crate) struct ReadSpan<'a> {
    /// The texts in order.
    pub parts: Vec<Part<'a>>,
    /// For each text that is a call what it does.
    calls: Vec<Option<Call<'a>>>,
}

impl<'a> ReadSpan<'a> {
    /// Reads `span`.
    pub fn of(span: &Span<'a>) -> ReadSpan<'a> {
        let parts: Vec<Part<'a>> = span.parts().collect();
        let call = |part: &Part<'a>| (part.kind == PartKind::ToolCall).then(|| Call::read(part));
        let calls = beside::each(&parts, call);
        ReadSpan { parts, calls }
    }

    /// The texts, calls with what they do.
    pub fn each(&self) -> impl Iterator<Item = (&Part<'a>, Option<&Call<'a>>)> {
        let calls = self.calls.iter().map(Option::as_ref);
        self.parts.iter().zip(calls)
    }

    /// What each call does, by call id, as [`Span::calls`] gives it.
    pub fn by_id(&self) -> HashMap<&'a str, &Call<'a>> {
        let calls = self.each();
        calls
            .filter_map(|(part, call)| Some((part.call_id?, call?)))
            .collect()
    }
}

fn item_parts<'a>(index: usize, item: &'a SpanItem<'a>) -> impl Iterator<Item = Part<'a>> {
    let message = item.message;
    let tool = message.tool.as_ref();
    let blocks = message.blocks.iter().enumerate();
    blocks
        .flat_map(move |(block, content)| {
            let part = Part {
                item: index,
                entry: item.entry,
                message: item.message_index,
                block,
                kind: PartKind::Injected,
                text: "",
                base: 0,
                tool: tool.map(|tool| tool.name.as_str()),
                call_id: tool.map(|tool| tool.call_id.as_str()),
                is_error: tool.is_some_and(|tool| tool.is_error),
            };
            block_parts(message, content, part)
        })
        .filter(|part| !part.text.is_empty())
}

fn block_parts<'a>(message: &'a Message, content: &'a Block, part: Part<'a>) -> Vec<Part<'a>> {
    match content {
        Block::Text(text) => voices::pieces(message, text)
            .into_iter()
            .map(|(kind, range)| Part {
                kind,
                base: range.start,
                text: &text[range],
                ..part
            })
            .collect(),
        Block::Thinking { text, .. } => vec![Part {
            text,
            kind: PartKind::Thinking,
            ..part
        }],
        Block::ToolCall {
            id,
            name,
            arguments,
        } => vec![Part {
            text: arguments,
            kind: PartKind::ToolCall,
            tool: Some(name),
            call_id: Some(id),
            ..part
        }],
        Block::Section { text, .. } => text.iter().map(|text| Part { text, ..part }).collect(),
        // What no reader knows is an agent's own record: a step, a snapshot.
        Block::Opaque { .. } | Block::Image { .. } | Block::ToolsAdded(_) => Vec::new(),
    }
}

/// A tool call, as far as the ledger reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// What it does.
    pub action: ToolAction,
    /// The tool's name.
    pub tool: &'a str,
    /// The file it names.
    pub path: Option<String>,
    /// The first telling line of its shell command.
    pub command: Option<String>,
    /// Its whole shell script.
    pub script: Option<String>,
    /// True when all its commands only look at things (`ls`, `cat`, `grep`...).
    pub looks_only: bool,
    /// The part of a file that is read: offset and limit as JSON text.
    pub read_range: Option<String>,
}

/// Where tools keep the script they run.
const SCRIPT_KEYS: [&str; 4] = ["command", "cmd", "script", "code"];

/// Where tools keep the file that they are given, the first that is there counts.
const PATH_KEYS: [&str; 9] = [
    "path",
    "file_path",
    "filePath",
    "absolute_path",
    "filename",
    "file",
    "target_file",
    "filepath",
    "notebook_path",
];

/// All that is read of the arguments of a call: what it writes is left where it is.
const KEYS: [&str; 16] = {
    let [command, cmd, script, code] = SCRIPT_KEYS;
    let [a, b, c, d, e, f, g, h, i] = PATH_KEYS;
    [
        a, b, c, d, e, f, g, h, i, command, cmd, script, code, "commands", "offset", "limit",
    ]
};

/// The scripts of a tool that takes a list of them (Cline's `run_commands`), one behind the other.
fn several(commands: &serde_json::Value) -> Option<String> {
    let all = commands.as_array()?;
    let scripts: Vec<&str> = all.iter().filter_map(serde_json::Value::as_str).collect();
    (!scripts.is_empty()).then(|| scripts.join("\n"))
}

impl<'a> Call<'a> {
    /// Reads the call in `part`; arguments that are not a JSON object leave all but the tool empty.
    pub fn read(part: &Part<'a>) -> Call<'a> {
        let tool = part.tool.unwrap_or_default();
        let action = ToolAction::of(tool);
        let mut call = Call {
            action,
            tool,
            path: None,
            command: None,
            script: None,
            looks_only: matches!(action, ToolAction::Read | ToolAction::Search),
            read_range: None,
        };
        let Some(arguments) = arguments::fields(part.text, &KEYS) else {
            return call;
        };
        let named = arguments.get("command").and_then(serde_json::Value::as_str);
        call.action = ToolAction::of_call(tool, named);
        let action = call.action;
        call.looks_only = matches!(action, ToolAction::Read | ToolAction::Search);
        call.path = PATH_KEYS
            .iter()
            .find_map(|key| arguments.get(*key)?.as_str())
            .map(str::to_owned);
        if action == ToolAction::Shell {
            call.command = SCRIPT_KEYS
                .iter()
                .find_map(|key| commands::from_json(arguments.get(*key)?));
            call.script = SCRIPT_KEYS
                .iter()
                .find_map(|key| commands::script_of(arguments.get(*key)?))
                .or_else(|| several(arguments.get("commands")?));
            call.looks_only = call.script.as_deref().is_some_and(scripts::only_looks);
        }
        let bound = |key: &str| arguments.get(key).map(ToString::to_string);
        if let (None, None) = (bound("offset"), bound("limit")) {
            return call;
        }
        call.read_range = Some(format!("{:?}+{:?}", bound("offset"), bound("limit")));
        call
    }
}

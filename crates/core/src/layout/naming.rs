//! What a row is called: its class, its kind, and the first words of those that need no text.

use super::model::NodeClass;
use crate::body::Role;
use crate::category::Category;
use crate::entry::{Entry, EntryKind};
use crate::words::noun;
use std::borrow::Cow;
use std::collections::HashMap;

/// Longest label, in characters.
const LABEL_CHARS: usize = 80;

/// Numbers the names of kinds and tools, which are few.
#[derive(Debug, Default)]
pub(super) struct Namer {
    pub names: Vec<String>,
    known: HashMap<String, u32>,
}

impl Namer {
    /// The number of an entry's kind or tools.
    pub(super) fn name(&mut self, entry: &Entry) -> u32 {
        let name = kind_text(entry);
        // A name that is known is clipped already.
        if let Some(&number) = self.known.get(&*name) {
            return number;
        }
        let name = clipped(&name);
        if let Some(&number) = self.known.get(&*name) {
            return number;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.clone().into_owned());
        self.known.insert(name.into_owned(), number);
        number
    }
}

/// The label of a row: the sizes around a compaction, a label, first words of a prompt or a summary.
pub(super) fn label(entry: &Entry, label: Option<&str>, before: u64, after: u64) -> String {
    match (&entry.kind, label) {
        (EntryKind::Compaction(compaction), _) => {
            let before = compaction.tokens_before.unwrap_or(before);
            let unit = noun(after, "token", "tokens");
            let (before, after) = (short_count(before), short_count(after));
            format!("{before} \u{2192} {after} {unit}")
        }
        (_, Some(label)) => clip(label),
        (EntryKind::BranchSummary(_) | EntryKind::Message(Role::User), None) => words(entry),
        _ => String::new(),
    }
}

/// The first words of an entry; empty for bookkeeping.
pub(super) fn words(entry: &Entry) -> String {
    clip(own_words(entry).unwrap_or(""))
}

/// The class of a single entry.
pub(super) fn class_of(entry: &Entry) -> NodeClass {
    // Before the kind, so that a failed reply or result shows as an error.
    if entry.failed_itself() {
        return NodeClass::Error;
    }
    match &entry.kind {
        EntryKind::Message(Role::User) => NodeClass::User,
        EntryKind::Message(Role::Assistant) => NodeClass::Assistant,
        EntryKind::Message(Role::Tool) | EntryKind::UserShell => NodeClass::Tool,
        EntryKind::Message(Role::System) => NodeClass::System,
        EntryKind::Compaction(_) => NodeClass::Compaction,
        EntryKind::BranchSummary(_) => NodeClass::BranchSummary,
        EntryKind::Label { .. } => NodeClass::Label,
        EntryKind::Custom { .. } | EntryKind::CustomMessage { .. } => NodeClass::Custom,
        EntryKind::ContextEdit { .. }
        | EntryKind::Clearing(_)
        | EntryKind::ModelChange
        | EntryKind::ThinkingChange { .. }
        | EntryKind::SessionInfo { .. }
        | EntryKind::UsageRecord { .. }
        | EntryKind::Opaque { .. } => NodeClass::Other,
    }
}

/// What an entry says, where that is worth a line: not the bookkeeping.
fn own_words(entry: &Entry) -> Option<&str> {
    let says = matches!(
        entry.kind,
        EntryKind::Message(_)
            | EntryKind::UserShell
            | EntryKind::CustomMessage { .. }
            | EntryKind::BranchSummary(_)
            | EntryKind::Compaction(_)
    );
    Some(entry.preview.trim()).filter(|words| says && !words.is_empty())
}

/// A short name for what a single entry is.
fn kind_text(entry: &Entry) -> Cow<'_, str> {
    let tool = entry
        .messages
        .iter()
        .find_map(|message| message.tool_name.as_deref());
    match &entry.kind {
        EntryKind::Message(Role::Tool) => match tool {
            Some(name) if entry.is_failure() => format!("{name} failed").into(),
            Some(name) => name.into(),
            None => "tool result".into(),
        },
        EntryKind::Message(Role::User) => "user".into(),
        EntryKind::Message(Role::System) => "system".into(),
        EntryKind::Message(Role::Assistant) => {
            // Several reads in a row are named once; the order of calls stays.
            let mut names: Vec<&str> = match &*entry.tool_calls {
                [] => Vec::new(),
                [one] => return Cow::Borrowed(&one.name),
                calls => calls.iter().map(|call| &*call.name).collect(),
            };
            names.dedup();
            match (names.is_empty(), entry.failed_itself()) {
                (false, _) => names.join(", ").into(),
                (true, true) => "reply failed".into(),
                (true, false) if entry.is_aborted() => "reply stopped by the user".into(),
                (true, false) if only_thinks(entry) => "thinking".into(),
                (true, false) => "assistant".into(),
            }
        }
        EntryKind::UserShell => "shell".into(),
        EntryKind::ModelChange => match &entry.model {
            Some(model) => format!("model {}", model.model).into(),
            None => "model change".into(),
        },
        EntryKind::ThinkingChange { level } => format!("thinking {level}").into(),
        EntryKind::Label {
            text: Some(text), ..
        } => format!("label \u{201c}{text}\u{201d}").into(),
        EntryKind::SessionInfo { name: Some(name) } => {
            format!("named \u{201c}{name}\u{201d}").into()
        }
        EntryKind::CustomMessage { custom_type, .. } | EntryKind::Custom { custom_type } => {
            (&**custom_type).into()
        }
        EntryKind::UsageRecord { purpose } => format!("usage {purpose}").into(),
        EntryKind::Opaque { type_name } => (&**type_name).into(),
        EntryKind::Compaction(_)
        | EntryKind::BranchSummary(_)
        | EntryKind::ContextEdit { .. }
        | EntryKind::Clearing(_)
        | EntryKind::Label { text: None, .. }
        | EntryKind::SessionInfo { name: None } => entry.kind.name().replace('_', " ").into(),
    }
}

fn only_thinks(entry: &Entry) -> bool {
    let mut units = entry.messages.iter().flat_map(|message| &message.units);
    let thinks = units.clone().any(|(part, _)| *part == Category::Thinking);
    thinks && !units.any(|&(part, units)| part == Category::AssistantText && units > 0)
}

/// The first line of `text`, at most [`LABEL_CHARS`] characters of it.
fn clip(text: &str) -> String {
    clipped(text).into_owned()
}

/// The same, copied only where an ellipsis is added.
fn clipped(text: &str) -> Cow<'_, str> {
    let line = text.lines().next().unwrap_or("").trim();
    // Fewer bytes than that are never more characters.
    if line.len() <= LABEL_CHARS {
        return Cow::Borrowed(line);
    }
    // Characters, not bytes, and an ellipsis takes the last one.
    match line.char_indices().nth(LABEL_CHARS) {
        None => Cow::Borrowed(line),
        Some(_) => {
            let mut short: String = line.chars().take(LABEL_CHARS - 1).collect();
            short.push('\u{2026}');
            Cow::Owned(short)
        }
    }
}

/// A number in at most four signs: 950, 1.2k, 45k, 1.3M.
pub fn short_count(value: u64) -> String {
    let scaled = |unit: u128, sign: &str| {
        // Rounded in integers, so that native code and the page print the same; of 128 bits, because
        // a session can claim any size.
        let value = u128::from(value);
        let tenths = (value * 10 + unit / 2) / unit;
        if tenths < 100 && !tenths.is_multiple_of(10) {
            format!("{}.{}{sign}", tenths / 10, tenths % 10)
        } else {
            format!("{}{sign}", (value + unit / 2) / unit)
        }
    };
    match value {
        0..1_000 => value.to_string(),
        // From 999,500 rounding gives 1000k, which is five signs.
        1_000..999_500 => scaled(1_000, "k"),
        _ => scaled(1_000_000, "M"),
    }
}

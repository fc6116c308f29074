//! What a node is called: class, label, second line, tokens.

use super::model::{GraphNode, NodeClass};
use crate::body::Role;
use crate::entry::{Compaction, Entry, EntryKind};
use crate::ids::EntryIx;
use crate::session::Session;
use crate::tree::Tree;
use crate::words::noun;
use std::collections::BTreeMap;

/// Longest label, in characters; more does not fit a node at any zoom.
const LABEL_CHARS: usize = 80;

/// Names the nodes of one session.
pub(super) struct Namer<'a> {
    session: &'a Session,
    labels: &'a [Option<&'a str>],
    /// Per entry, the estimates of the messages from the root down to it, itself included,
    /// without summaries of compactions and system messages.
    running: Vec<u64>,
    /// Per entry, its place in preorder and one past the last place of its subtree.
    spans: Vec<(u32, u32)>,
    tree: &'a Tree,
    tokens_after: &'a BTreeMap<EntryIx, u64>,
}

impl<'a> Namer<'a> {
    pub(super) fn new(
        session: &'a Session,
        tree: &'a Tree,
        labels: &'a [Option<&'a str>],
        tokens_after: &'a BTreeMap<EntryIx, u64>,
    ) -> Self {
        let order = tree.preorder();
        let mut running = vec![0; session.entries.len()];
        let mut spans = vec![(0, 0); session.entries.len()];
        // Running sums make each kept tail a subtraction, and preorder spans make each test for
        // an ancestor a comparison.
        for (place, &ix) in (0u32..).zip(&order) {
            let above = tree.parent(ix).map_or(0, |parent| running[parent.get()]);
            running[ix.get()] = above + carried(session.entry(ix));
            spans[ix.get()] = (place, place + 1);
        }
        for &ix in order.iter().rev() {
            if let Some(parent) = tree.parent(ix) {
                let end = spans[ix.get()].1.max(spans[parent.get()].1);
                spans[parent.get()].1 = end;
            }
        }
        Namer {
            session,
            labels,
            running,
            spans,
            tree,
            tokens_after,
        }
    }

    /// Fills in class, label, second line and tokens; `count`, `tokens` (the sum of estimates) and
    /// `has_error` must be there.
    pub(super) fn name(&self, node: &mut GraphNode) {
        let first = self.session.entry(node.first);
        let last = self.session.entry(node.last);
        node.class = match class_of(first) {
            // A folded chain is named for the user's message that begins it, else it is a run of
            // several kinds.
            class if node.count == 1 => class,
            NodeClass::User => NodeClass::User,
            _ => NodeClass::Run,
        };
        match &first.kind {
            EntryKind::Compaction(compaction) => self.name_compaction(node, compaction),
            EntryKind::BranchSummary(_) => {
                let words = own_words(first).unwrap_or("");
                node.label = clip(if words.is_empty() {
                    "branch summary"
                } else {
                    words
                });
                node.sublabel = joined(&["branch summary", &tokens_text(node.tokens)]);
            }
            _ if node.class == NodeClass::Run => {
                node.label = self.run_label(node);
                node.sublabel = joined(&[&entries_text(node.count), &tokens_text(node.tokens)]);
            }
            _ => {
                let words = own_words(first).unwrap_or("");
                let kind = kind_text(first);
                node.label = clip(if words.is_empty() { &kind } else { words });
                let size = if node.count > 1 {
                    entries_text(node.count)
                } else {
                    kind.clone()
                };
                node.sublabel = joined(&[&size, &tokens_text(node.tokens)]);
            }
        }
        // A label replaces the words, which move to the second line; a compaction keeps its kind
        // there.
        if let Some(label) = self.labels[node.last.get()] {
            let words = std::mem::replace(&mut node.label, clip(label));
            if !matches!(last.kind, EntryKind::Compaction(_)) {
                node.sublabel = words;
            }
        }
    }

    fn name_compaction(&self, node: &mut GraphNode, compaction: &Compaction) {
        let known = self.tokens_after.get(&node.first).copied();
        // Known sizes include what the estimate lacks: the system prompt and what the agent sends
        // again.
        let after = known.unwrap_or_else(|| node.tokens + self.kept_tokens(node.first, compaction));
        node.tokens_after = Some(after);
        node.label = match compaction.tokens_before {
            Some(before) => {
                node.tokens = before;
                format!(
                    "{} \u{2192} {} {}",
                    short_count(before),
                    short_count(after),
                    noun(after, "token", "tokens")
                )
            }
            None => format!(
                "to {} {}",
                short_count(after),
                noun(after, "token", "tokens")
            ),
        };
        node.sublabel = if compaction.from_hook {
            "compaction by an extension".to_owned()
        } else {
            "compaction".to_owned()
        };
    }

    /// Estimates of what a compaction kept: from its first kept entry down to itself.
    fn kept_tokens(&self, ix: EntryIx, compaction: &Compaction) -> u64 {
        let Some(kept) = compaction.first_kept.filter(|&kept| kept != ix) else {
            return 0;
        };
        let (start, end) = self.spans[kept.get()];
        // A damaged file can name a kept entry on another branch. Its tokens would be no part of
        // this context.
        if !(start..end).contains(&self.spans[ix.get()].0) {
            return 0;
        }
        let above = |of: EntryIx| self.tree.parent(of).map_or(0, |p| self.running[p.get()]);
        // From above the first kept entry to above the compaction itself: the summary is counted
        // in `tokens`.
        above(ix).saturating_sub(above(kept))
    }

    /// The words of the first message in the run, else what it mostly consists of.
    fn run_label(&self, node: &GraphNode) -> String {
        // Chains are linked upwards only, so the first words found last are those of the first
        // message.
        let mut at = Some(node.last);
        let mut words = "";
        let mut kind = "";
        while let Some(ix) = at {
            let entry = self.session.entry(ix);
            if let Some(found) = own_words(entry) {
                words = found;
            }
            kind = entry.kind.name();
            at = if ix == node.first {
                None
            } else {
                self.tree.parent(ix)
            };
        }
        if words.is_empty() {
            clip(&kind.replace('_', " "))
        } else {
            clip(words)
        }
    }
}

/// Estimates of an entry that stay in the context when it is in a kept tail.
fn carried(entry: &Entry) -> u64 {
    // Only the newest compaction contributes: an older summary inside a kept tail is not sent (pi
    // 1.5).
    if matches!(entry.kind, EntryKind::Compaction(_)) {
        return 0;
    }
    // pi drops system messages from the kept tail and sends the current one instead.
    let stays = |role: Role| role != Role::System;
    entry
        .messages
        .iter()
        .filter(|m| m.sent && stays(m.role))
        .map(|m| m.estimate)
        .sum()
}

/// The class of a single entry.
fn class_of(entry: &Entry) -> NodeClass {
    // Before the kind, so that a failed reply or result shows as an error.
    if entry.is_error {
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
fn kind_text(entry: &Entry) -> String {
    let tool = entry
        .messages
        .iter()
        .find_map(|message| message.tool_name.as_deref());
    match &entry.kind {
        EntryKind::Message(Role::Tool) => match tool {
            Some(name) if entry.is_error => format!("{name} failed"),
            Some(name) => name.to_owned(),
            None => "tool result".to_owned(),
        },
        EntryKind::Message(Role::User) => "user".to_owned(),
        EntryKind::Message(Role::System) => "system".to_owned(),
        EntryKind::Message(Role::Assistant) => {
            let mut names: Vec<&str> = entry.tool_calls.iter().map(|c| &*c.name).collect();
            // Several reads in a row are named once; the order of calls stays.
            names.dedup();
            match (names.is_empty(), entry.is_error) {
                (false, _) => names.join(", "),
                (true, true) => "reply failed".to_owned(),
                (true, false) => "assistant".to_owned(),
            }
        }
        EntryKind::UserShell => "shell".to_owned(),
        EntryKind::ModelChange => match &entry.model {
            Some(model) => format!("model {}", model.model),
            None => "model change".to_owned(),
        },
        EntryKind::ThinkingChange { level } => format!("thinking {level}"),
        EntryKind::Label {
            text: Some(text), ..
        } => format!("label \u{201c}{text}\u{201d}"),
        EntryKind::SessionInfo { name: Some(name) } => format!("named \u{201c}{name}\u{201d}"),
        EntryKind::CustomMessage { custom_type, .. } | EntryKind::Custom { custom_type } => {
            custom_type.to_string()
        }
        EntryKind::UsageRecord { purpose } => format!("usage {purpose}"),
        EntryKind::Opaque { type_name } => type_name.to_string(),
        EntryKind::Compaction(_)
        | EntryKind::BranchSummary(_)
        | EntryKind::ContextEdit { .. }
        | EntryKind::Clearing(_)
        | EntryKind::Label { text: None, .. }
        | EntryKind::SessionInfo { name: None } => entry.kind.name().replace('_', " "),
    }
}

fn joined(parts: &[&str]) -> String {
    let filled: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !part.is_empty())
        .collect();
    filled.join(" \u{b7} ")
}

fn entries_text(count: u32) -> String {
    let word = noun(u64::from(count), "entry", "entries");
    format!("{count} {word}")
}

fn tokens_text(tokens: u64) -> String {
    if tokens == 0 {
        String::new()
    } else {
        format!(
            "{} {}",
            short_count(tokens),
            noun(tokens, "token", "tokens")
        )
    }
}

/// The first line of `text`, at most [`LABEL_CHARS`] characters of it.
fn clip(text: &str) -> String {
    let line = text.lines().next().unwrap_or("").trim();
    // Characters, not bytes, and an ellipsis takes the last one.
    match line.char_indices().nth(LABEL_CHARS) {
        None => line.to_owned(),
        Some(_) => {
            let mut short: String = line.chars().take(LABEL_CHARS - 1).collect();
            short.push('\u{2026}');
            short
        }
    }
}

/// A number in at most four signs: 950, 1.2k, 45k, 1.3M.
pub fn short_count(value: u64) -> String {
    let scaled = |unit: u64, sign: &str| {
        // Rounded in integers, so that native code and the page print the same.
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

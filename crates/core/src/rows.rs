//! The rows of a tree: which entries a filter shows, and the outline of those.
//!
//! The canvas opens a node at each entry that is a row here, so that outline and canvas show the
//! same entries. Only with [`TreeFilter::Default`] does it fold further, to one node for a turn.

use crate::body::Role;
use crate::entry::{Entry, EntryKind};
use crate::ids::EntryIx;
use crate::session::Session;
use crate::tree::Tree;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Which entries a tree shows; pi's five tree filters (1.5, `treeFilterMode`).
///
/// Labelled entries, branch points and the active leaf are shown by every filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeFilter {
    /// Without records of settings: labels, edits, extension data, model and reasoning changes,
    /// names, usage.
    #[default]
    Default,
    /// Also without tool results.
    NoTools,
    /// Only user messages and summaries.
    UserOnly,
    /// Only labelled entries and summaries.
    LabeledOnly,
    /// Every record.
    All,
}

impl TreeFilter {
    /// Whether an entry is shown for what it is.
    fn shows(self, entry: &Entry) -> bool {
        let is_summary = matches!(
            entry.kind,
            EntryKind::Compaction(_) | EntryKind::BranchSummary(_)
        );
        match self {
            TreeFilter::All => true,
            TreeFilter::LabeledOnly => is_summary,
            TreeFilter::UserOnly => is_summary || entry.kind == EntryKind::Message(Role::User),
            TreeFilter::NoTools => {
                is_readable(entry) && entry.kind != EntryKind::Message(Role::Tool)
            }
            TreeFilter::Default => is_readable(entry),
        }
    }
}

/// Whether an entry is part of the conversation and says something: agents store replies of white
/// space alone as blocks of their own (Claude Code 2.1.42).
pub fn is_readable(entry: &Entry) -> bool {
    let has_words = entry.preview.contains(|c: char| !c.is_whitespace());
    let says = has_words || !entry.tool_calls.is_empty();
    is_conversation(&entry.kind) && (says || !matches!(entry.kind, EntryKind::Message(_)))
}

/// Where one stands to read what is at `ix`: there, or at the nearest entry above that is readable.
/// Behind the last message agents write hooks, durations and other records of their own. `None`
/// where nothing above is readable.
pub fn reading_place(session: &Session, tree: &Tree, ix: EntryIx) -> Option<EntryIx> {
    let mut at = ix;
    while !is_readable(session.entry(at)) {
        at = tree.parent(at)?;
    }
    Some(at)
}

fn is_conversation(kind: &EntryKind) -> bool {
    match kind {
        EntryKind::Message(_)
        | EntryKind::UserShell
        | EntryKind::CustomMessage { .. }
        | EntryKind::Compaction(_)
        | EntryKind::BranchSummary(_)
        | EntryKind::Clearing(_)
        // An unknown record may be part of the conversation, so hiding it could hide text.
        | EntryKind::Opaque { .. } => true,
        EntryKind::ContextEdit { .. }
        | EntryKind::Label { .. }
        | EntryKind::ModelChange
        | EntryKind::ThinkingChange { .. }
        | EntryKind::SessionInfo { .. }
        | EntryKind::Custom { .. }
        | EntryKind::UsageRecord { .. } => false,
    }
}

/// The entries of one session that are rows.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The session.
    pub session: &'a Session,
    /// Its tree.
    pub tree: &'a Tree,
    /// Whether an entry has a label.
    pub is_labelled: &'a dyn Fn(EntryIx) -> bool,
    /// Which entries are shown.
    pub filter: TreeFilter,
}

/// A row of the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The entry.
    pub ix: EntryIx,
    /// Number of branch points above it.
    pub depth: u32,
    /// True when its parent has several children or it is an extra root.
    pub starts_branch: bool,
    /// True when its descendants are folded away.
    pub folded: bool,
    /// True for the row that stands for the active leaf.
    pub is_leaf: bool,
}

impl Rows<'_> {
    /// Whether an entry is a row. Entries that begin a branch, branch points, labelled entries and
    /// the active leaf always are, so that no filter hides the shape of the tree. For the active leaf
    /// stands the entry one reads there ([`Rows::shown_leaf`]).
    pub fn is_row(&self, ix: EntryIx) -> bool {
        let begins = match self.tree.parent(ix) {
            Some(parent) => self.is_aside(ix, parent) || self.branches(parent),
            // A single root is shown only if the filter shows it; pi's first record is often a
            // model change.
            None => self.tree.roots().len() > 1,
        };
        begins
            || self.tree.children(ix).len() > 1
            || (self.is_labelled)(ix)
            || self.filter.shows(self.session.entry(ix))
            || self.shown_leaf() == Some(ix)
    }

    /// The row that stands for the active leaf.
    pub fn shown_leaf(&self) -> Option<EntryIx> {
        let leaf = self.session.active_leaf?;
        if self.filter == TreeFilter::All || (self.is_labelled)(leaf) {
            return Some(leaf);
        }
        Some(reading_place(self.session, self.tree, leaf).unwrap_or(leaf))
    }

    /// All rows in order, a branch whole before its next sibling. A folded entry is a row, and what
    /// is below it is left out.
    pub fn outline(&self, folded: &HashSet<EntryIx>) -> Vec<Row> {
        let tree = self.tree;
        let leaf = self.shown_leaf();
        let mut rows = Vec::new();
        let several_roots = tree.roots().len() > 1;
        // An own stack instead of recursion: a session of 200,000 entries in one line would
        // overflow the call stack.
        let mut stack: Vec<(EntryIx, u32, bool)> = tree
            .roots()
            .iter()
            .rev()
            .map(|&root| (root, u32::from(several_roots), several_roots))
            .collect();
        while let Some((ix, depth, starts_branch)) = stack.pop() {
            let is_folded = folded.contains(&ix);
            if is_folded || self.is_row(ix) {
                rows.push(Row {
                    ix,
                    depth,
                    starts_branch,
                    folded: is_folded,
                    is_leaf: leaf == Some(ix),
                });
            }
            if is_folded {
                continue;
            }
            let branches = self.branches(ix);
            let below = depth + u32::from(branches);
            // Reversed, because the last one pushed is the first one popped.
            stack.extend(tree.children(ix).iter().rev().map(|&child| {
                if self.is_aside(child, ix) {
                    (child, depth + 1, true)
                } else {
                    (child, below, branches)
                }
            }));
        }
        rows
    }

    /// Whether a child is the beginning of a subagent's conversation, which hangs beside the one
    /// that started it; that one goes on unbent.
    fn is_aside(&self, child: EntryIx, parent: EntryIx) -> bool {
        self.session.entry(child).sidechain && !self.session.entry(parent).sidechain
    }

    /// Whether a conversation has several continuations; subagents are none.
    fn branches(&self, ix: EntryIx) -> bool {
        let children = self.tree.children(ix);
        children.len() > 1
            && children
                .iter()
                .filter(|&&child| !self.is_aside(child, ix))
                .count()
                > 1
    }
}

//! The outline: a session's tree as rows, a branch whole before its next sibling.

use crate::session::OpenSession;
use palimpsest_core::{EntryIx, EntryKind, Role};
use std::collections::HashSet;

/// Which entries a tree shows; pi's five tree filters (1.5, `treeFilterMode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TreeFilter {
    /// Without records of settings: labels, edits, extension data, model and reasoning changes,
    /// names, usage.
    #[default]
    Default,
    /// Also without tool results.
    NoTools,
    /// Only what the user said, and summaries.
    UserOnly,
    /// Only labelled entries and summaries.
    LabeledOnly,
    /// Every record.
    All,
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
}

/// All rows in order. Entries in `labelled` (by the user) and by the agent, branch points, leaves and the active leaf are always shown, so that no
/// filter hides the shape of the tree.
pub fn rows(
    open: &OpenSession,
    filter: TreeFilter,
    folded: &HashSet<EntryIx>,
    labelled: &HashSet<EntryIx>,
) -> Vec<Row> {
    let tree = &open.tree;
    let mut rows = Vec::new();
    let several_roots = tree.roots().len() > 1;
    let mut stack: Vec<(EntryIx, u32, bool)> = tree
        .roots()
        .iter()
        .rev()
        .map(|&root| (root, u32::from(several_roots), several_roots))
        .collect();
    while let Some((ix, depth, starts_branch)) = stack.pop() {
        let is_folded = folded.contains(&ix);
        let children = tree.children(ix);
        let always = starts_branch || is_folded || children.len() > 1 || labelled.contains(&ix);
        if always || shows(open, filter, ix) {
            rows.push(Row {
                ix,
                depth,
                starts_branch,
                folded: is_folded,
            });
        }
        if is_folded {
            continue;
        }
        // A subagent's conversation hangs beside the one that started it, which goes on unbent.
        let aside = |child: EntryIx| {
            open.session.entry(child).sidechain && !open.session.entry(ix).sidechain
        };
        let own = children.iter().filter(|&&child| !aside(child)).count();
        let branches = own > 1;
        let below = depth + u32::from(branches);
        stack.extend(children.iter().rev().map(|&child| match aside(child) {
            true => (child, depth + 1, true),
            false => (child, below, branches),
        }));
    }
    rows
}

/// The first entries of subagents' conversations kept in the session.
pub fn sidechains(open: &OpenSession) -> impl Iterator<Item = EntryIx> + '_ {
    open.session.indices().filter(|&ix| {
        let parent = open.tree.parent(ix);
        let begins = |parent: EntryIx| !open.session.entry(parent).sidechain;
        open.session.entry(ix).sidechain && parent.is_none_or(begins)
    })
}

fn shows(open: &OpenSession, filter: TreeFilter, ix: EntryIx) -> bool {
    let entry = open.session.entry(ix);
    if open.session.active_leaf == Some(ix) || open.labels.contains_key(&ix) {
        return true;
    }
    let is_summary = matches!(
        entry.kind,
        EntryKind::Compaction(_) | EntryKind::BranchSummary(_)
    );
    match filter {
        TreeFilter::All => true,
        TreeFilter::LabeledOnly => is_summary,
        TreeFilter::UserOnly => is_summary || entry.kind == EntryKind::Message(Role::User),
        TreeFilter::NoTools => {
            is_conversation(&entry.kind) && entry.kind != EntryKind::Message(Role::Tool)
        }
        TreeFilter::Default => is_conversation(&entry.kind),
    }
}

fn is_conversation(kind: &EntryKind) -> bool {
    match kind {
        EntryKind::Message(_)
        | EntryKind::UserShell
        | EntryKind::CustomMessage { .. }
        | EntryKind::Compaction(_)
        | EntryKind::BranchSummary(_)
        | EntryKind::Clearing(_)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_label_of_the_user_shows_its_entry_whatever_is_chosen() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
        let file = fixtures.join("claude-code/valid/sidechains-inside.jsonl");
        let open = OpenSession::read(&file).unwrap();
        let none = HashSet::new();
        let shown = |labelled: &HashSet<EntryIx>| -> HashSet<EntryIx> {
            let rows = rows(&open, TreeFilter::LabeledOnly, &none, labelled);
            rows.into_iter().map(|row| row.ix).collect()
        };
        let before = shown(&none);
        let hidden = open.session.indices().find(|ix| !before.contains(ix));
        let hidden = hidden.expect("the filter hides an entry");
        let after = shown(&HashSet::from([hidden]));
        assert!(after.contains(&hidden));
        assert_eq!(after.len(), before.len() + 1);
    }

    #[test]
    fn a_subagent_does_not_bend_the_conversation_that_started_it() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/tests/fixtures");
        let file = fixtures.join("claude-code/valid/sidechains-inside.jsonl");
        let open = OpenSession::read(&file).unwrap();
        let none = HashSet::new();
        let rows = rows(&open, TreeFilter::Default, &none, &none);
        let depths = |sidechain: bool| -> Vec<u32> {
            let of = |row: &&Row| open.session.entry(row.ix).sidechain == sidechain;
            rows.iter().filter(of).map(|row| row.depth).collect()
        };
        assert!(depths(false).iter().all(|&depth| depth == 0), "{rows:?}");
        assert!(!depths(true).is_empty(), "the fixture has a subagent");
        assert!(depths(true).iter().all(|&depth| depth > 0), "{rows:?}");
        assert_eq!(sidechains(&open).count(), 2);
    }
}

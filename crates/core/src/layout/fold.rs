//! Which entries share a node.

use super::model::GraphOptions;
use crate::body::Role;
use crate::entry::EntryKind;
use crate::ids::EntryIx;
use crate::rows::{Rows, TreeFilter};
use crate::session::Session;
use crate::tree::Tree;

/// For each entry, whether it lies on the path to the active leaf.
pub(super) fn active_path(session: &Session, tree: &Tree) -> Vec<bool> {
    let mut on_path = vec![false; session.entries.len()];
    let mut at = session.active_leaf;
    while let Some(ix) = at {
        on_path[ix.get()] = true;
        at = tree.parent(ix);
    }
    on_path
}

/// The entries parted into chains; nodes are numbered parents first.
pub(super) struct Groups {
    /// Per entry, its node.
    pub node_of: Vec<u32>,
    /// Per node, its first entry.
    pub firsts: Vec<EntryIx>,
    /// Per node, its last entry.
    pub lasts: Vec<EntryIx>,
    /// Per node, the first entry of the chain it would be part of if nothing were unfolded.
    pub group_of: Vec<EntryIx>,
    /// Per node, whether it stands alone because its chain was unfolded.
    pub is_expanded: Vec<bool>,
}

impl Groups {
    pub(super) fn new(
        session: &Session,
        tree: &Tree,
        labels: &[Option<&str>],
        options: &GraphOptions,
    ) -> Groups {
        let count = session.entries.len();
        let mut groups = Groups {
            node_of: vec![0; count],
            firsts: Vec::new(),
            lasts: Vec::new(),
            group_of: Vec::new(),
            is_expanded: Vec::new(),
        };
        let is_labelled = |ix: EntryIx| labels[ix.get()].is_some();
        let rows = Rows {
            session,
            tree,
            is_labelled: &is_labelled,
            filter: options.filter,
        };
        // With the default filter a node is a turn, which begins with the user's message.
        // The other filters give each of their rows a node, as the outline does.
        let opens = |ix: EntryIx| match options.filter {
            TreeFilter::Default => session.entry(ix).kind == EntryKind::Message(Role::User),
            _ => rows.is_row(ix),
        };
        let alone = |ix: EntryIx| stands_alone(session, tree, labels, options, ix);
        // Per entry, the first entry of its chain; parents are visited before children.
        let mut heads = vec![EntryIx(0); count];
        // Only an only child joins its parent, so that branches never fold into the chain they
        // leave.
        for ix in tree.preorder() {
            let joined = tree.parent(ix).filter(|&parent| {
                tree.children(parent).len() == 1 && !alone(ix) && !alone(parent) && !opens(ix)
            });
            let head = joined.map_or(ix, |parent| heads[parent.get()]);
            heads[ix.get()] = head;
            // The head stays the key of a chain when it is unfolded, so the same key folds it
            // again.
            let unfolded = options.expanded.contains(&head);
            match joined.filter(|_| !unfolded) {
                Some(parent) => {
                    let node = groups.node_of[parent.get()];
                    groups.node_of[ix.get()] = node;
                    groups.lasts[node as usize] = ix;
                }
                None => {
                    let node = u32::try_from(groups.firsts.len()).unwrap_or(u32::MAX);
                    groups.node_of[ix.get()] = node;
                    groups.firsts.push(ix);
                    groups.lasts.push(ix);
                    groups.group_of.push(head);
                    groups.is_expanded.push(unfolded);
                }
            }
        }
        groups
    }
}

/// True for entries that share their node with no other.
fn stands_alone(
    session: &Session,
    tree: &Tree,
    labels: &[Option<&str>],
    options: &GraphOptions,
    ix: EntryIx,
) -> bool {
    let entry = session.entry(ix);
    let always = matches!(
        entry.kind,
        EntryKind::Compaction(_) | EntryKind::BranchSummary(_)
    ) || labels[ix.get()].is_some()
        || session.active_leaf == Some(ix)
        || options.keep.contains(&ix);
    let in_turns = options.filter == TreeFilter::Default
        // The other filters show branch points and errors as rows anyway.
        && (tree.children(ix).len() != 1 || (options.keep_errors && entry.is_error));
    always || in_turns
}

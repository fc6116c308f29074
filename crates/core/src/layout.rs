//! The branch tree as it is drawn: which entries share a node, and where each node lies.
//!
//! Pure and iterative: a session of 200,000 entries in one line takes no more stack than one of
//! ten. [`graph_model`] folds the tree ([`GraphOptions`]), names the nodes and places them; the
//! canvas and the outline both show its result.

mod bytes;
mod fold;
mod model;
mod naming;
mod patch;
mod place;

pub use bytes::{GraphBytes, GraphBytesError};
pub use model::{
    EdgeClass, GraphBounds, GraphEdge, GraphModel, GraphNode, GraphOptions, NodeClass,
};
pub use naming::short_count;
pub use patch::{GraphRevision, received};
pub use place::{COLUMN_PITCH, NODE_HEIGHT, NODE_WIDTH, Placement, ROW_PITCH, place};

use crate::entry::EntryKind;
use crate::ids::EntryIx;
use crate::labels::labels;
use crate::session::Session;
use crate::tree::Tree;
use fold::Groups;

/// Folds, names and places a session's tree.
///
/// Every entry is in exactly one node, and the entries of a node are a chain: each is the only
/// child of the one before it. The same input gives the same model, and appending entries to the
/// active path leaves the nodes above where they are.
pub fn graph_model(session: &Session, tree: &Tree, options: &GraphOptions) -> GraphModel {
    let labels = labels(session);
    let on_path = fold::active_path(session, tree);
    let groups = Groups::new(session, tree, &labels, options);
    let namer = naming::Namer::new(session, tree, &labels, &options.tokens_after);

    let parents: Vec<Option<u32>> = groups
        // An edge runs from the node that holds the parent, which is the parent's own last entry:
        // a node is a chain.
        .firsts
        .iter()
        .map(|&first| {
            tree.parent(first)
                .map(|parent| groups.node_of[parent.get()])
        })
        .collect();
    let active = session.active_leaf.map(|leaf| groups.node_of[leaf.get()]);
    let placement = place(&parents, active);

    let mut nodes: Vec<GraphNode> = groups
        .firsts
        .iter()
        .zip(&groups.lasts)
        .enumerate()
        .map(|(i, (&first, &last))| GraphNode {
            id: u32::try_from(i).unwrap_or(u32::MAX),
            first,
            last,
            entry_id: session.entry(last).id.clone(),
            parent: parents[i],
            count: 0,
            group: groups.group_of[i],
            is_expanded: groups.is_expanded[i],
            class: NodeClass::Other,
            label: String::new(),
            sublabel: String::new(),
            tokens: 0,
            tokens_after: None,
            x: placement.x[i],
            y: placement.y[i],
            on_active_path: on_path[first.get()],
            is_active_leaf: session.active_leaf == Some(last),
            has_error: false,
            flag: labels[last.get()].is_some(),
        })
        .collect();
    // The entries are read once instead of one chain after the other: chains are only linked
    // upwards.
    for ix in session.indices() {
        let node = &mut nodes[groups.node_of[ix.get()] as usize];
        let entry = session.entry(ix);
        node.count += 1;
        node.tokens += entry.estimate();
        node.has_error |= entry.is_error;
    }
    for node in &mut nodes {
        namer.name(node);
    }

    let edges = edges(session, &groups, &parents, &on_path);
    GraphModel {
        session: options.session.clone(),
        nodes,
        edges,
        node_of: groups.node_of,
        ids: session
            .entries
            .iter()
            .map(|entry| entry.id.clone())
            .collect(),
        bounds: placement.bounds(),
    }
}

/// One edge per node with a parent, in node order, then the bridges from abandoned leaves to the
/// branch summaries written about them.
fn edges(
    session: &Session,
    groups: &Groups,
    parents: &[Option<u32>],
    on_path: &[bool],
) -> Vec<GraphEdge> {
    let mut edges = Vec::with_capacity(parents.len());
    for (to, parent) in (0u32..).zip(parents) {
        if let Some(from) = *parent {
            let active = on_path[groups.firsts[to as usize].get()];
            let class = if active {
                EdgeClass::Active
            } else {
                EdgeClass::Side
            };
            edges.push(GraphEdge { from, to, class });
        }
    }
    let node_of = |ix: EntryIx| groups.node_of[ix.get()];
    for ix in session.indices() {
        if let EntryKind::BranchSummary(summary) = &session.entry(ix).kind
            && let Some(left) = summary.from
            // A damaged record can name itself as the leaf it left.
            && node_of(left) != node_of(ix)
        {
            edges.push(GraphEdge {
                from: node_of(left),
                to: node_of(ix),
                class: EdgeClass::Bridge,
            });
        }
    }
    edges
}

#[cfg(test)]
mod tests;

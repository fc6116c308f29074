//! The folded and placed tree as data, and what can be chosen about it.

use crate::ids::{EntryId, EntryIx};
use crate::rows::TreeFilter;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A session's tree, ready to be drawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphModel {
    /// Names the session ([`GraphOptions::session`]); a view keeps its place while it is the same.
    pub session: String,
    /// The nodes; parents before children, `nodes[i].id == i`.
    pub nodes: Vec<GraphNode>,
    /// The edges between them.
    pub edges: Vec<GraphEdge>,
    /// For each entry, in file order, the node that holds it.
    pub node_of: Vec<u32>,
    /// The entries' ids, in file order: an entry's place in it is its position.
    pub ids: Vec<EntryId>,
    /// The rectangle that holds all nodes whole.
    pub bounds: GraphBounds,
}

/// One node: an entry, or a chain of entries folded into one.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphNode {
    /// Position in [`GraphModel::nodes`].
    pub id: u32,
    /// The first entry of the chain.
    pub first: EntryIx,
    /// The last entry of the chain, on which one stands when the node is selected.
    pub last: EntryIx,
    /// Id of the last entry.
    pub entry_id: EntryId,
    /// The node above; `None` for roots.
    pub parent: Option<u32>,
    /// Number of entries in the chain.
    pub count: u32,
    /// First entry of the chain this node belongs to when nothing is unfolded: the key to put
    /// into, or take out of, [`GraphOptions::expanded`].
    pub group: EntryIx,
    /// True when the node stands alone because its chain was unfolded.
    pub is_expanded: bool,
    /// What the node is.
    pub class: NodeClass,
    /// One line: the entry's label, else the first words, else the kind; at most 80 characters.
    pub label: String,
    /// A second, quieter line: kind, number of entries, tokens.
    pub sublabel: String,
    /// Tokens of the chain by the agent's own estimate; for compactions the context before, where
    /// the session has it.
    pub tokens: u64,
    /// For compactions: tokens of the summary and of what was kept, by the agent's estimate.
    pub tokens_after: Option<u64>,
    /// Centre of the node, in points; the active path is at `x == 0`.
    pub x: f32,
    /// Centre of the node, in points; roots are at `y == 0` and children lie below.
    pub y: f32,
    /// True when the node is on the path to the active leaf.
    pub on_active_path: bool,
    /// True when the agent would resume from this node's last entry.
    pub is_active_leaf: bool,
    /// True when any of its entries is an error.
    pub has_error: bool,
    /// True when its last entry carries a label.
    pub flag: bool,
}

/// A line between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphEdge {
    /// The upper node, or the abandoned leaf of a bridge.
    pub from: u32,
    /// The lower node, or the branch summary of a bridge.
    pub to: u32,
    /// What the line means.
    pub class: EdgeClass,
}

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeClass {
    /// Part of the path to the active leaf.
    Active,
    /// Parent and child elsewhere.
    Side,
    /// From the leaf that was left to the summary written about its branch.
    Bridge,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeClass {
    /// A user message, with what followed it when folded.
    User,
    /// A message by the model.
    Assistant,
    /// A tool result, or a shell command of the user.
    Tool,
    /// A failed tool result or model message.
    Error,
    /// A compaction.
    Compaction,
    /// A branch summary.
    BranchSummary,
    /// A record that sets or clears a label.
    Label,
    /// System instructions.
    System,
    /// An extension's message or data.
    Custom,
    /// Bookkeeping, edits and unknown records.
    Other,
    /// A folded run that does not begin with a user message.
    Run,
}

/// The rectangle that holds all nodes; all zero for an empty tree.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GraphBounds {
    /// Left edge, in points.
    pub min_x: f32,
    /// Top edge, in points.
    pub min_y: f32,
    /// Right edge, in points.
    pub max_x: f32,
    /// Bottom edge, in points.
    pub max_y: f32,
}

/// What to fold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphOptions {
    /// Copied into [`GraphModel::session`].
    pub session: String,
    /// Which entries get a node. With [`TreeFilter::Default`] there is one node per turn, with
    /// branch points, leaves and (if asked for) errors alone. Whatever is chosen, compactions,
    /// branch summaries, labelled entries and the active leaf stand alone, and a branch never folds
    /// into the chain it leaves.
    pub filter: TreeFilter,
    /// Gives errors a node of their own (with [`TreeFilter::Default`]; the other filters decide
    /// alone).
    pub keep_errors: bool,
    /// Chains to unfold, by the [`GraphNode::group`] of any of their nodes.
    pub expanded: BTreeSet<EntryIx>,
    /// Entries that must stand alone, such as the two ends of a chosen path.
    pub keep: BTreeSet<EntryIx>,
    /// Context sizes behind compactions in tokens, where they are known better than by the estimates
    /// of the summary and of what was kept.
    pub tokens_after: BTreeMap<EntryIx, u64>,
}

//! What the canvas tells the page.

use palimpsest_core::layout::GraphNode;
use serde::{Deserialize, Serialize};

/// A node, as far as the page needs to know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeRef {
    /// Position in the model's nodes.
    pub node: u32,
    /// Position of the node's first entry in the session.
    pub first: u32,
    /// Position of its last entry.
    pub last: u32,
    /// Id of its last entry.
    pub entry: String,
}

impl From<&GraphNode> for NodeRef {
    fn from(node: &GraphNode) -> Self {
        NodeRef {
            node: node.id,
            first: node.first.0,
            last: node.last.0,
            entry: node.entry_id.to_string(),
        }
    }
}

/// Something the user did on the canvas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TreeEvent {
    /// A node was clicked and is now the selected one.
    NodeSelected(NodeRef),
    /// A node was clicked twice.
    NodeActivated(NodeRef),
    /// The user collapsed or expanded a chain; the model must be rebuilt.
    NodeToggled {
        /// First entry of the chain, the key in `GraphOptions::expanded`.
        group: u32,
        /// True when it should now be unfolded.
        expanded: bool,
    },
    /// The pointer came to a node, or left one (`node` is null).
    Hover {
        /// The node under the pointer.
        node: Option<NodeRef>,
        /// Left edge of its box in points from the canvas's left edge; of the pointer without one.
        x: f32,
        /// Top edge of its box in points from the canvas's top edge; of the pointer without one.
        y: f32,
        /// Width of its box in points.
        width: f32,
        /// Height of its box in points.
        height: f32,
    },
    /// The pointer took hold of the cut.
    CutHeld,
    /// The cut was dragged to another of the places it may be at.
    CutMoved {
        /// Number of the place, from 0.
        place: u32,
    },
    /// The pointer let go of the cut.
    CutReleased,
    /// The grip of the cut came to another place on screen.
    CutShown {
        /// Its middle in points from the canvas's left edge.
        x: f32,
        /// Its middle in points from the canvas's top edge.
        y: f32,
    },
    /// The visible part changed.
    ViewportChanged {
        /// Points on screen per point of the model.
        zoom: f32,
        /// Model position in the middle of the canvas.
        x: f32,
        /// Model position in the middle of the canvas.
        y: f32,
    },
}

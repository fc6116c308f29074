//! The tree as the canvas receives it: whole once, then what changed.

use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_core::layout::{GraphBytes, GraphOptions, GraphRevision, graph_model};

impl App {
    /// The tree of a session, folded and placed, as bytes for the canvas: the difference to the
    /// tree `known` where that is still kept, else the whole.
    pub fn geometry(
        &self,
        open: &OpenSession,
        options: &GraphOptions,
        known: Option<GraphRevision>,
    ) -> Vec<u8> {
        let bytes = GraphBytes::of(&graph_model(&open.session, &open.tree, options));
        let before = known.and_then(|known| self.sent_trees.find(known));
        let answer = match before {
            Some(before) => bytes.since(&before),
            None => bytes.whole(),
        };
        self.sent_trees.keep(bytes);
        answer
    }
}

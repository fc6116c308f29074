//! The tree as the canvas receives it: whole once, then what changed.

use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_core::layout::{GraphBytes, GraphOptions, GraphRevision, graph_model};
use palimpsest_core::{EntryIx, EntryKind};
use std::collections::BTreeMap;

impl App {
    /// The tree of a session, folded and placed, as bytes for the canvas: the difference to the
    /// tree `known` where that is still kept, else the whole.
    pub fn geometry(
        &self,
        open: &OpenSession,
        options: &GraphOptions,
        known: Option<GraphRevision>,
    ) -> Vec<u8> {
        let options = GraphOptions {
            tokens_after: sizes_after(open),
            ..options.clone()
        };
        let bytes = GraphBytes::of(&graph_model(&open.session, &open.tree, &options));
        let before = known.and_then(|known| self.sent_trees.find(known));
        let answer = match before {
            Some(before) => bytes.since(&before),
            None => bytes.whole(),
        };
        self.sent_trees.keep(bytes);
        answer
    }
}

/// The sizes of the contexts behind a session's compactions, in tokens.
fn sizes_after(open: &OpenSession) -> BTreeMap<EntryIx, u64> {
    let is_compaction = |ix: &EntryIx| {
        let kind = &open.session.entry(*ix).kind;
        matches!(kind, EntryKind::Compaction(_))
    };
    let compactions = open.session.indices().filter(is_compaction);
    compactions
        .map(|ix| (ix, open.after_compaction(ix).tokens))
        .collect()
}

//! The picture of a session as the canvas receives it: whole once, then what changed.

use crate::session::OpenSession;
use crate::workspace::App;
use palimpsest_core::entry::ModelRef;
use palimpsest_core::layout::{
    GraphBytes, GraphRevision, Picture, PictureOptions, SizeAfter, picture,
};
use palimpsest_core::{EntryIx, EntryKind};
use std::collections::BTreeMap;

impl App {
    /// The picture of a session as bytes for the canvas: the difference to the one `known` where
    /// that is still kept, else the whole.
    pub fn geometry(
        &self,
        open: &OpenSession,
        options: &PictureOptions,
        known: Option<GraphRevision>,
    ) -> Vec<u8> {
        let leaf = open.session.active_leaf;
        let budget = self.budget(open, leaf, last_model(open).as_ref());
        let options = PictureOptions {
            window: budget.window.unwrap_or(0),
            threshold: budget.threshold.unwrap_or(0),
            ..options.clone()
        };
        let bytes = GraphBytes::of(&picture_of(open, options));
        let before = known.and_then(|known| self.sent_trees.find(known));
        let answer = match before {
            Some(before) => bytes.since(&before),
            None => bytes.whole(),
        };
        self.sent_trees.keep(bytes);
        answer
    }
}

/// The picture of a session, with the sizes that providers reported.
pub fn picture_of(open: &OpenSession, options: PictureOptions) -> Picture {
    let path = open.session.active_leaf.map(|leaf| open.tree.path(leaf));
    let path = path.unwrap_or_default();
    let mut sizes = vec![0; open.session.entries.len()];
    let along = open.along(&path);
    for (&ix, size) in path.iter().zip(along.sizes) {
        sizes[ix.get()] = size.tokens;
    }
    let options = PictureOptions {
        fixed: along.measure.fixed,
        after: sizes_after(open),
        sizes,
        ..options
    };
    picture(&open.session, &open.tree, &options)
}

/// The sizes of the contexts behind a session's compactions.
fn sizes_after(open: &OpenSession) -> BTreeMap<EntryIx, SizeAfter> {
    let is_compaction = |ix: &EntryIx| {
        let kind = &open.session.entry(*ix).kind;
        matches!(kind, EntryKind::Compaction(_))
    };
    let compactions = open.session.indices().filter(is_compaction);
    compactions
        .map(|ix| {
            let after = open.after_compaction(ix);
            let size = SizeAfter {
                tokens: after.tokens,
                summary: after.summary,
            };
            (ix, size)
        })
        .collect()
}

/// The model named last on the way to the active leaf.
fn last_model(open: &OpenSession) -> Option<ModelRef> {
    let mut at = open.session.active_leaf;
    while let Some(ix) = at {
        let entry = open.session.entry(ix);
        if entry.model.is_some() {
            return entry.model.clone();
        }
        at = open.tree.parent(ix);
    }
    None
}

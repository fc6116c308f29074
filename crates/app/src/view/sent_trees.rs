//! The trees sent last to a canvas.

use crate::session::lock;
use palimpsest_core::layout::{GraphBytes, GraphRevision};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Bytes of sent trees that are kept at most beside the newest one. A tree of 50,000 entries takes
/// half a megabyte folded into turns, and up to 6 MB with a node for each entry.
const KEPT_BYTES: usize = 8 << 20;

/// The trees sent last, newest last, so that the next answer can be the difference.
#[derive(Default)]
pub(crate) struct SentTrees(Mutex<VecDeque<(GraphRevision, Arc<GraphBytes>)>>);

impl SentTrees {
    /// The bytes with this revision, while they are kept.
    pub(super) fn find(&self, revision: GraphRevision) -> Option<Arc<GraphBytes>> {
        let sent = lock(&self.0);
        let found = sent.iter().find(|(own, _)| *own == revision);
        found.map(|(_, bytes)| Arc::clone(bytes))
    }

    /// Keeps bytes that were sent, and removes older ones.
    pub(super) fn keep(&self, bytes: GraphBytes) {
        let revision = bytes.revision();
        let mut sent = lock(&self.0);
        sent.retain(|(own, _)| *own != revision);
        sent.push_back((revision, Arc::new(bytes)));
        while sent.len() > 1
            && sent.iter().map(|(_, own)| own.bytes().len()).sum::<usize>() > KEPT_BYTES
        {
            sent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::layout::Picture;

    fn bytes(session: &str) -> GraphBytes {
        GraphBytes::of(&Picture {
            session: session.to_owned(),
            ..Picture::default()
        })
    }

    #[test]
    fn old_trees_are_forgotten_and_the_newest_is_kept() {
        let sent = SentTrees::default();
        let small = bytes("small");
        let revision = small.revision();
        sent.keep(small.clone());
        assert_eq!(sent.find(revision).as_deref(), Some(&small));
        let large = bytes(&"x".repeat(KEPT_BYTES));
        let newest = large.revision();
        sent.keep(large);
        assert_eq!(sent.find(revision), None);
        assert!(sent.find(newest).is_some());
    }
}

//! The branch tree of a session: children, paths, turns, common ancestors.

use crate::ids::EntryIx;
use crate::session::Session;

/// The tree over a session's entries.
///
/// Every entry is in it exactly once: entries without a parent, with a missing one, and one entry
/// of every parent cycle are roots.
#[derive(Debug, Clone)]
pub struct Tree {
    parents: Vec<Option<EntryIx>>,
    /// The children of all entries one after the other; those of `ix` are in
    /// `starts[ix]..starts[ix + 1]`. A list for each entry would cost an allocation for each.
    children: Vec<EntryIx>,
    starts: Vec<usize>,
    roots: Vec<EntryIx>,
    depths: Vec<u32>,
    /// Every entry once, parents before children.
    order: Vec<EntryIx>,
    broken_cycles: Vec<EntryIx>,
}

impl Tree {
    /// Builds the tree; children and roots are ordered by time, then by position (pi's order).
    pub fn new(session: &Session) -> Tree {
        let mut parents: Vec<Option<EntryIx>> =
            session.entries.iter().map(|entry| entry.parent).collect();
        // Damaged files and some Claude Code versions have links that lead back to a descendant.
        let broken_cycles = break_cycles(&mut parents);
        let count = parents.len();
        let mut starts = vec![0; count + 1];
        for parent in parents.iter().flatten() {
            starts[parent.get() + 1] += 1;
        }
        for ix in 0..count {
            starts[ix + 1] += starts[ix];
        }
        let mut free = starts.clone();
        let mut children = vec![EntryIx::new(0); starts[count]];
        let mut roots = Vec::new();
        for ix in session.indices() {
            match parents[ix.get()] {
                Some(parent) => {
                    let at = &mut free[parent.get()];
                    children[*at] = ix;
                    *at += 1;
                }
                None => roots.push(ix),
            }
        }
        let by_time = |list: &mut [EntryIx]| {
            // Entries without a time come before all others, in file order.
            list.sort_by_key(|&ix| (session.entry(ix).at_ms.unwrap_or(i64::MIN), ix));
        };
        for range in starts.windows(2).filter(|range| range[1] - range[0] > 1) {
            by_time(&mut children[range[0]..range[1]]);
        }
        by_time(&mut roots);
        let mut depths = vec![0; count];
        let mut order = Vec::with_capacity(count);
        let mut stack: Vec<EntryIx> = roots.iter().rev().copied().collect();
        while let Some(ix) = stack.pop() {
            order.push(ix);
            let own = &children[starts[ix.get()]..starts[ix.get() + 1]];
            for &child in own {
                depths[child.get()] = depths[ix.get()] + 1;
            }
            stack.extend(own.iter().rev());
        }
        Tree {
            parents,
            children,
            starts,
            roots,
            depths,
            order,
            broken_cycles,
        }
    }

    /// The roots, oldest first.
    pub fn roots(&self) -> &[EntryIx] {
        &self.roots
    }

    /// Entries whose stored parent link was ignored because it closed a cycle.
    pub fn broken_cycles(&self) -> &[EntryIx] {
        &self.broken_cycles
    }

    /// The parent in the tree.
    pub fn parent(&self, ix: EntryIx) -> Option<EntryIx> {
        self.parents[ix.get()]
    }

    /// The children, oldest first.
    pub fn children(&self, ix: EntryIx) -> &[EntryIx] {
        &self.children[self.starts[ix.get()]..self.starts[ix.get() + 1]]
    }

    /// Number of entries above `ix`.
    pub fn depth(&self, ix: EntryIx) -> u32 {
        self.depths[ix.get()]
    }

    /// The path from the root to `ix`, both included.
    pub fn path(&self, ix: EntryIx) -> Vec<EntryIx> {
        let mut path = Vec::with_capacity(self.depth(ix) as usize + 1);
        let mut next = Some(ix);
        while let Some(at) = next {
            path.push(at);
            next = self.parent(at);
        }
        path.reverse();
        path
    }

    /// The deepest entry on both root paths.
    pub fn common_ancestor(&self, a: EntryIx, b: EntryIx) -> Option<EntryIx> {
        let (mut a, mut b) = (Some(a), Some(b));
        while let (Some(left), Some(right)) = (a, b) {
            if left == right {
                return Some(left);
            }
            // The deeper one climbs; the roots of different trees lead to `None`.
            if self.depth(left) >= self.depth(right) {
                a = self.parent(left);
            } else {
                b = self.parent(right);
            }
        }
        None
    }

    /// Entries without children, in file order.
    pub fn leaves(&self) -> Vec<EntryIx> {
        (0..self.parents.len())
            .map(EntryIx::new)
            .filter(|&ix| self.children(ix).is_empty())
            .collect()
    }

    /// Every entry once, parents before children, a branch whole before its next sibling.
    pub fn preorder(&self) -> &[EntryIx] {
        &self.order
    }
}

/// Cuts one link of every cycle and returns the entries that became roots by it.
fn break_cycles(parents: &mut [Option<EntryIx>]) -> Vec<EntryIx> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Unseen,
        OnPath,
        Done,
    }
    let mut marks = vec![Mark::Unseen; parents.len()];
    let mut cut = Vec::new();
    for start in 0..parents.len() {
        let mut path = Vec::new();
        let mut at = start;
        // Every entry is visited once over all starts, since finished paths are marked.
        while marks[at] == Mark::Unseen {
            marks[at] = Mark::OnPath;
            path.push(at);
            match parents[at] {
                Some(parent) if marks[parent.get()] == Mark::OnPath => {
                    // The earliest entry of the cycle becomes the root: later ones named it.
                    let first = path.iter().position(|&i| i == parent.get()).unwrap_or(0);
                    if let Some(&root) = path[first..].iter().min() {
                        parents[root] = None;
                        cut.push(EntryIx::new(root));
                    }
                    break;
                }
                Some(parent) => at = parent.get(),
                None => break,
            }
        }
        for i in path {
            marks[i] = Mark::Done;
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::break_cycles;
    use crate::ids::EntryIx;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_cycle_survives(links in prop::collection::vec(prop::option::of(0usize..40), 1..40)) {
            let count = links.len();
            let mut parents: Vec<Option<EntryIx>> = links
                .iter()
                .map(|link| link.filter(|&i| i < count).map(EntryIx::new))
                .collect();
            break_cycles(&mut parents);
            for start in 0..count {
                let mut steps = 0;
                let mut at = Some(EntryIx::new(start));
                while let Some(ix) = at {
                    at = parents[ix.get()];
                    steps += 1;
                    prop_assert!(steps <= count, "entry {start} is still its own ancestor");
                }
            }
        }
    }
}

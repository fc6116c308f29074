//! Which lane each entry is in, and which column each lane is drawn in.

use super::model::{Lane, LaneKind};
use crate::body::Role;
use crate::entry::EntryKind;
use crate::ids::EntryIx;
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

/// Where a lane begins in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub kind: LaneKind,
    pub from: Option<EntryIx>,
}

/// The lane of each entry, and where the lanes begin; the first lane is the active path.
///
/// A fork with nothing but results of tools on its side is no branch: agents that call several
/// tools at once store each result below its own call.
pub(super) fn lanes(session: &Session, tree: &Tree, on_path: &[bool]) -> (Vec<u32>, Vec<Start>) {
    let order = tree.preorder();
    let count = session.entries.len();
    let (mut talks, mut sizes) = (vec![false; count], vec![1u32; count]);
    for &ix in order.iter().rev() {
        let kind = &session.entry(ix).kind;
        talks[ix.get()] |= matches!(kind, EntryKind::Message(Role::User | Role::Assistant));
        if let Some(parent) = tree.parent(ix) {
            talks[parent.get()] |= talks[ix.get()];
            sizes[parent.get()] += sizes[ix.get()];
        }
    }
    let mut starts = vec![Start {
        kind: LaneKind::Active,
        from: None,
    }];
    let mut lane_of = vec![0; count];
    for &ix in order {
        if on_path[ix.get()] {
            continue;
        }
        let is_sidechain = session.entry(ix).sidechain;
        let joined = tree.parent(ix).filter(|&parent| {
            let begins_aside = is_sidechain && !session.entry(parent).sidechain;
            let goes_on = !on_path[parent.get()]
                && tree
                    .children(parent)
                    .iter()
                    .copied()
                    .max_by_key(|&child| (sizes[child.get()], child))
                    == Some(ix);
            !begins_aside && (goes_on || !talks[ix.get()])
        });
        lane_of[ix.get()] = match joined {
            Some(parent) => lane_of[parent.get()],
            None => {
                let from = tree.parent(ix);
                let kind = match from {
                    _ if is_sidechain => LaneKind::Subagent,
                    Some(_) => LaneKind::Branch,
                    None => LaneKind::Root,
                };
                starts.push(Start { kind, from });
                u32::try_from(starts.len() - 1).unwrap_or(u32::MAX)
            }
        };
    }
    (lane_of, starts)
}

/// Gives each lane a column: the leftmost that is free from the row it leaves to its last one.
pub(super) fn columns(lanes: &mut [Lane]) {
    let mut order: Vec<usize> = (1..lanes.len()).collect();
    let top = |lane: &Lane| lane.from.unwrap_or(lane.first).min(lane.first);
    order.sort_by_key(|&at| (top(&lanes[at]), at));
    // Per column, the last row that is taken.
    let mut taken: Vec<u32> = Vec::new();
    for at in order {
        let start = top(&lanes[at]);
        let free = taken.iter().position(|&last| last < start);
        let column = free.unwrap_or_else(|| {
            taken.push(0);
            taken.len() - 1
        });
        taken[column] = lanes[at].last;
        lanes[at].column = u32::try_from(column + 1).unwrap_or(u32::MAX);
    }
}

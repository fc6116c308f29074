//! The branches of a session as a list: where each leaves, and which entries it has.

use super::lanes::{active_path, lanes};
use super::model::LaneKind;
use super::naming;
use crate::body::Role;
use crate::entry::EntryKind;
use crate::ids::EntryIx;
use crate::session::Session;
use crate::tree::Tree;

/// A branch, or a conversation with a root of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideBranch {
    /// What it is; never a subagent.
    pub kind: LaneKind,
    /// The entry it leaves from; `None` for roots.
    pub from: Option<EntryIx>,
    /// Its entries, in the order of the file.
    pub entries: Vec<EntryIx>,
    /// The deepest of them: the agent would continue there.
    pub tip: EntryIx,
    /// First words of its first prompt, else of its first entry that says something; at most 80
    /// characters.
    pub name: String,
}

impl SideBranch {
    /// The first entry.
    pub fn first(&self) -> EntryIx {
        self.entries.first().copied().unwrap_or(self.tip)
    }
}

/// The branches of a session, in the order of their first entries. Branches of branches follow as
/// their own; a fork with nothing but results of tools on its side is none, as in the picture.
pub fn branches(session: &Session, tree: &Tree) -> Vec<SideBranch> {
    let on_path = active_path(session, tree);
    let (lane_of, starts) = lanes(session, tree, &on_path);
    let mut entries: Vec<Vec<EntryIx>> = vec![Vec::new(); starts.len()];
    for ix in session.indices() {
        if let Some(own) = entries.get_mut(lane_of[ix.get()] as usize) {
            own.push(ix);
        }
    }
    let mut found: Vec<SideBranch> = starts
        .iter()
        .zip(entries)
        .filter(|(start, _)| matches!(start.kind, LaneKind::Branch | LaneKind::Root))
        .filter_map(|(start, entries)| {
            let tip = entries.iter().copied().max_by_key(|&ix| tree.depth(ix))?;
            Some(SideBranch {
                kind: start.kind,
                from: start.from,
                name: name(session, &entries),
                entries,
                tip,
            })
        })
        .collect();
    found.sort_by_key(SideBranch::first);
    found
}

/// The branch with the active leaf, behind the last entry from which one of `others` leaves; `None` in
/// a session without an active leaf.
pub fn active_branch(session: &Session, tree: &Tree, others: &[SideBranch]) -> Option<SideBranch> {
    let tip = session.active_leaf?;
    let path = tree.path(tip);
    let leaves = |ix: &EntryIx| others.iter().any(|branch| branch.from == Some(*ix));
    // What leaves from the leaf itself leaves it no entry of its own.
    let last = path.len().saturating_sub(1);
    let fork = path[..last].iter().rposition(leaves);
    let entries = path[fork.map_or(0, |at| at + 1)..].to_vec();
    Some(SideBranch {
        kind: LaneKind::Active,
        from: fork.map(|at| path[at]),
        name: name(session, &entries),
        entries,
        tip,
    })
}

fn name(session: &Session, entries: &[EntryIx]) -> String {
    let words = |ix: &EntryIx| naming::words(session.entry(*ix));
    let is_prompt = |ix: &&EntryIx| session.entry(**ix).kind == EntryKind::Message(Role::User);
    let prompts = entries.iter().filter(is_prompt).map(words);
    let mut named = prompts.chain(entries.iter().map(words));
    named.find(|words| !words.is_empty()).unwrap_or_default()
}

//! A new compaction over a list without a tree: what is kept, what follows, and the prediction.

use crate::expected::ExpectedItem;
use crate::refusal::Refusal;
use crate::request::{Kept, NewCompaction, Request};
use palimpsest_core::{ContextItem, EntryIx, EntryKind, Role};
use std::collections::HashSet;

/// The entries behind a new summary.
pub(crate) struct Parts {
    /// What stays of the context before it, in the order sent.
    pub kept: Vec<EntryIx>,
    /// What follows on the path to the leaf.
    pub later: Vec<EntryIx>,
}

impl Parts {
    /// The parts that `new` makes of the path of `request`.
    pub fn of(request: &Request<'_>, new: &NewCompaction) -> Result<Parts, Refusal> {
        let session = request.session;
        let name = |ix: EntryIx| session.name_of(ix);
        let path = &request.context.path;
        let Some(place) = path.iter().position(|&ix| ix == new.after) else {
            return Err(Refusal::NotOnPath {
                id: name(new.after),
            });
        };
        let selected = &new.context.selected;
        let is_compaction =
            |ix: &EntryIx| matches!(session.entry(*ix).kind, EntryKind::Compaction(_));
        let kept: Vec<EntryIx> = match &new.kept {
            Kept::Nothing => Vec::new(),
            Kept::From(first) => {
                let tail = selected.iter().copied().skip_while(|ix| ix != first);
                tail.filter(|ix| !is_compaction(ix)).collect()
            }
            Kept::These(entries) => entries.clone(),
        };
        let strange = kept
            .iter()
            .find(|ix| !selected.contains(ix) || is_compaction(ix));
        if let Some(&ix) = strange {
            return Err(Refusal::NotKeepable { id: name(ix) });
        }
        if let (Kept::From(first), true) = (&new.kept, kept.is_empty()) {
            return Err(Refusal::NotKeepable { id: name(*first) });
        }
        let later = &path[place + 1..];
        // What the stored compaction that comes next wrote is replaced with it: its boundary and
        // its summary, and what the agent put between the two.
        let replaced = later.iter().position(is_compaction);
        let told = |ix: &EntryIx| {
            let kind = &session.entry(*ix).kind;
            matches!(kind, EntryKind::Message(Role::User | Role::Assistant))
        };
        let later = match replaced {
            Some(at) if !later[..at].iter().any(told) => &later[at + 1..],
            _ => later,
        };
        if let Some(ix) = later.iter().find(|ix| is_compaction(ix)) {
            return Err(Refusal::LaterCompaction { id: name(*ix) });
        }
        Ok(Parts {
            kept,
            later: later.to_vec(),
        })
    }

    /// The items of the kept entries, then those of the entries that follow.
    pub fn items(&self, request: &Request<'_>, new: &NewCompaction) -> [Vec<ExpectedItem>; 2] {
        let of = |items: &[ContextItem], entries: &[EntryIx]| {
            let wanted: HashSet<EntryIx> = entries.iter().copied().collect();
            let first = |item: &&ContextItem| {
                let first = item.entries.first();
                first.is_some_and(|ix| wanted.contains(ix))
            };
            items
                .iter()
                .filter(first)
                .cloned()
                .map(ExpectedItem::Original)
                .collect()
        };
        [
            of(&new.context.items, &self.kept),
            of(&request.context.items, &self.later),
        ]
    }
}

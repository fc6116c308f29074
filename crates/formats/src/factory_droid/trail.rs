//! Ways into the session read so far: entries by id, the ends of chains, calls by id. It can be made
//! from the session at any time.

use crate::links::WalkLimit;
use palimpsest_core::{Entry, EntryId, EntryIx, EntryKind, Session};
use std::collections::HashMap;

/// What the reader looks up.
#[derive(Debug, Default)]
pub(super) struct Trail {
    ids: HashMap<EntryId, EntryIx>,
    /// For each entry the message that it stands behind: itself, where it is one.
    owners: Vec<EntryIx>,
    /// For each message the last record that stands behind it.
    tips: HashMap<EntryIx, EntryIx>,
    calls: HashMap<Box<str>, (EntryIx, Box<str>)>,
    /// Limit of the searches for what a compaction kept.
    pub walk: WalkLimit,
    /// The last entry that the agent itself would see.
    pub last: Option<EntryIx>,
}

impl Trail {
    /// The ways into `session`.
    pub fn behind(session: &Session) -> Trail {
        let mut trail = Trail::default();
        for ix in session.indices() {
            trail.add(ix, session.entry(ix));
        }
        trail
    }

    /// Adds the newest entry.
    pub fn add(&mut self, ix: EntryIx, entry: &Entry) {
        self.ids.entry(entry.id.clone()).or_insert(ix);
        let above = entry.parent.filter(|_| stands_behind(&entry.kind));
        let owner = above.and_then(|parent| self.owners.get(parent.get()).copied());
        let owner = owner.unwrap_or(ix);
        self.owners.push(owner);
        // Nothing descends from a recovered record by its place.
        if !entry.recovered || owner == ix {
            self.tips.insert(owner, ix);
        }
        for call in &entry.tool_calls {
            let known = (ix, call.name.clone());
            self.calls.insert(call.call_id.clone(), known);
        }
        if !entry.recovered {
            self.last = Some(ix);
        }
    }

    /// The entry with an id.
    pub fn entry(&self, id: &str) -> Option<EntryIx> {
        self.ids.get(&EntryId::from(id)).copied()
    }

    /// The end of the records that stand behind the message of an entry: rows name the message, and
    /// outcomes and compactions between the two name nothing.
    pub fn tip(&self, ix: EntryIx) -> EntryIx {
        let owner = self.owners.get(ix.get()).copied().unwrap_or(ix);
        self.tips.get(&owner).copied().unwrap_or(ix)
    }

    /// The entry of a call, and its tool.
    pub fn call(&self, id: &str) -> Option<(EntryIx, &str)> {
        let (ix, name) = self.calls.get(id)?;
        Some((*ix, name))
    }
}

/// True for a record without a place of its own in the chain of messages.
fn stands_behind(kind: &EntryKind) -> bool {
    matches!(
        kind,
        EntryKind::Compaction(_)
            | EntryKind::Custom { .. }
            | EntryKind::UsageRecord { .. }
            | EntryKind::Opaque { .. }
    )
}

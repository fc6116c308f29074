//! The hits that stand on a page already, so that none is read or shown twice.

use super::found::EntryHit;
use palimpsest_core::Agent;
use palimpsest_store::index::SessionRow;
use std::collections::{HashMap, HashSet};

/// What is the same in the copies of a hit: the agent's names of session and entry, the entry's place in
/// the file, and what is shown of it, because of three copies one may have been edited, and ids can
/// occur twice.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct CopyKey(Agent, String, String, u32, String);

impl CopyKey {
    /// The key of a hit of this session.
    pub(super) fn of(session: &SessionRow, hit: &EntryHit) -> CopyKey {
        CopyKey(
            session.agent,
            session.native_id.clone(),
            hit.entry_id.clone(),
            hit.ix,
            hit.snippet.clone(),
        )
    }
}

/// The hits of one page.
#[derive(Default)]
pub(super) struct OnPage {
    /// The numbers of their entries in the index, and of those of their copies.
    entries: HashSet<i64>,
    /// The session and the place of the one that is shown, by what copies of it have in common.
    copies: HashMap<CopyKey, (String, u32)>,
}

impl OnPage {
    /// True where the entry with this number, or a copy of it, is on the page.
    pub(super) fn has(&self, entry: i64) -> bool {
        self.entries.contains(&entry)
    }

    /// Puts a hit at the end of the page.
    pub(super) fn push(
        &mut self,
        hits: &mut Vec<EntryHit>,
        entry: i64,
        key: CopyKey,
        hit: EntryHit,
    ) {
        self.entries.insert(entry);
        self.copies.insert(key, (hit.session_id.clone(), hit.ix));
        hits.push(hit);
    }

    /// Adds a hit to the copy of it that is on the page, and returns it where there is none. Copies of a
    /// file hold the same records: what one says is said once, of the file whose path is first, however
    /// the index came to be.
    pub(super) fn merged(
        &mut self,
        hits: &mut [EntryHit],
        entry: i64,
        key: &CopyKey,
        mut hit: EntryHit,
    ) -> Option<EntryHit> {
        let Some((session, ix)) = self.copies.get_mut(key) else {
            return Some(hit);
        };
        let mut listed = hits.iter_mut();
        let same = listed.find(|listed| listed.session_id == *session && listed.ix == *ix);
        let Some(same) = same.filter(|same| same.session_id != hit.session_id) else {
            return Some(hit);
        };
        self.entries.insert(entry);
        if hit.path < same.path {
            hit.is_first = same.is_first;
            std::mem::swap(same, &mut hit);
            same.also_in = std::mem::take(&mut hit.also_in);
            (*session, *ix) = (same.session_id.clone(), same.ix);
        }
        same.also_in.push(hit.session_id);
        same.also_in.sort();
        None
    }
}

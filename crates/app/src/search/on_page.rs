//! The hits that stand on a page already, so that none is read or shown twice.

use super::found::EntryHit;
use palimpsest_core::Agent;
use palimpsest_store::index::{EntryRow, SessionRow};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hasher as _};

/// What is the same in the copies of a hit: the agent's names of session and entry, the entry's place in
/// the file, and a hash of its text, because of three copies one may have been edited, and ids can
/// occur twice.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct CopyKey(Agent, String, String, u32, u64);

impl CopyKey {
    /// The key of an entry of this session with this text.
    pub(super) fn of(session: &SessionRow, entry: &EntryRow, text: &str) -> CopyKey {
        let mut hash = DefaultHasher::new();
        hash.write(text.as_bytes());
        CopyKey(
            session.agent,
            session.native_id.clone(),
            entry.entry_id.clone(),
            entry.ix,
            hash.finish(),
        )
    }
}

/// The hits of one page.
#[derive(Default)]
pub(super) struct OnPage {
    /// Index numbers of the entries on the page and of the copies that were merged into them.
    numbers: HashSet<i64>,
    /// The session of the hit that is shown, by its key.
    shown: HashMap<CopyKey, String>,
    merged: u64,
}

impl OnPage {
    /// True where the entry with this number, or a copy of it, is on the page.
    pub(super) fn has(&self, number: i64) -> bool {
        self.numbers.contains(&number)
    }

    /// How many copies were merged into hits of the page.
    pub(super) fn merged(&self) -> u64 {
        self.merged
    }

    /// Puts a hit at the end of the page.
    pub(super) fn push(
        &mut self,
        hits: &mut Vec<EntryHit>,
        number: i64,
        key: CopyKey,
        hit: EntryHit,
    ) {
        self.numbers.insert(number);
        self.shown.insert(key, hit.session_id.clone());
        hits.push(hit);
    }

    /// Merges a hit into its copy on the page; returns the hit if there is no copy. Copies of a file hold
    /// the same records: what one says is said once, of the file whose path is first, whatever the order
    /// in which the files were indexed.
    pub(super) fn merge(
        &mut self,
        hits: &mut [EntryHit],
        number: i64,
        key: &CopyKey,
        mut hit: EntryHit,
    ) -> Option<EntryHit> {
        let Some(session) = self.shown.get_mut(key) else {
            return Some(hit);
        };
        let mut listed = hits.iter_mut();
        let same = listed.find(|own| own.session_id == *session && own.ix == hit.ix);
        let Some(same) = same.filter(|same| same.session_id != hit.session_id) else {
            return Some(hit);
        };
        self.numbers.insert(number);
        self.merged += 1;
        if hit.path < same.path {
            hit.is_first = same.is_first;
            std::mem::swap(same, &mut hit);
            same.also_in = std::mem::take(&mut hit.also_in);
            session.clone_from(&same.session_id);
        }
        same.also_in.push(hit.session_id);
        same.also_in.sort();
        None
    }
}

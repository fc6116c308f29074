//! References between records, resolved as soon as both ends have been read.

use palimpsest_core::{EntryId, EntryIx};
use std::collections::HashMap;

/// What a reference from one entry to another is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    Parent,
    Target,
    FirstKept,
    From,
}

/// A reference whose other end has just become known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resolved {
    pub from: EntryIx,
    pub link: Link,
}

/// How many parents may be walked up in one reading to find cycles of late parents.
///
/// Real files need a few thousand steps. One made for it (30,000 late parents under a chain of
/// 30,000) would need a billion; beyond the limit a cycle is not reported, and the tree, which
/// breaks every cycle, shows its first entry as a root.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WalkLimit(u64);

impl Default for WalkLimit {
    fn default() -> WalkLimit {
        WalkLimit(20_000_000)
    }
}

impl WalkLimit {
    /// So many steps.
    pub fn of(steps: u64) -> WalkLimit {
        WalkLimit(steps)
    }

    /// Steps that are left.
    #[cfg(test)]
    pub fn left(self) -> u64 {
        self.0
    }

    /// Takes a step; false when none is left.
    pub fn step(&mut self) -> bool {
        self.0 = self.0.saturating_sub(1);
        self.0 > 0
    }
}

/// What a reading remembers between records, beside the session itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    ids: HashMap<EntryId, EntryIx>,
    waiting: HashMap<EntryId, Vec<Resolved>>,
    /// The entry of each record read, by the number of the record counted from `first_record`.
    records: Vec<Option<EntryIx>>,
    /// Number of the first record of this reading.
    first_record: u32,
    waiting_records: HashMap<u32, Vec<EntryIx>>,
    /// Limit of the search for cycles.
    pub walk: WalkLimit,
    /// The last entry the agent itself would see.
    pub last: Option<EntryIx>,
    /// First words of the first user message.
    pub first_words: Option<Box<str>>,
}

impl Links {
    /// Begins a reading whose first record has number `first_record`.
    pub fn starting_at(first_record: u32) -> Links {
        Links {
            first_record,
            ..Links::default()
        }
    }

    /// Registers an entry's id; `Err` names the entry that already has it.
    pub fn insert(&mut self, id: &EntryId, ix: EntryIx) -> Result<Vec<Resolved>, EntryIx> {
        if let Some(&earlier) = self.ids.get(id) {
            return Err(earlier);
        }
        self.ids.insert(id.clone(), ix);
        Ok(self.waiting.remove(id).unwrap_or_default())
    }

    /// The entry called `id`, where it has been read.
    pub fn known(&self, id: &EntryId) -> Option<EntryIx> {
        self.ids.get(id).copied()
    }

    /// The entry called `id`, or a promise to report it through [`Links::insert`].
    pub fn find(&mut self, id: &EntryId, from: EntryIx, link: Link) -> Option<EntryIx> {
        if let Some(&ix) = self.ids.get(id) {
            return Some(ix);
        }
        self.waiting
            .entry(id.clone())
            .or_default()
            .push(Resolved { from, link });
        None
    }

    /// Counts a record; returns the entries that wait for it by number.
    pub fn push_record(&mut self, entry: Option<EntryIx>) -> Vec<EntryIx> {
        let number = self.first_record + self.records.len() as u32;
        self.records.push(entry);
        self.waiting_records.remove(&number).unwrap_or_default()
    }

    /// Takes back the count of the last record.
    pub fn pop_record(&mut self) {
        self.records.pop();
    }

    /// The entry of record `number`, or a promise to report it through [`Links::push_record`].
    pub fn find_record(&mut self, number: u32, from: EntryIx) -> Option<EntryIx> {
        let index = number.checked_sub(self.first_record)? as usize;
        match self.records.get(index) {
            Some(entry) => *entry,
            None => {
                self.waiting_records.entry(number).or_default().push(from);
                None
            }
        }
    }
}

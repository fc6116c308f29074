//! Numbers of the entries of a first index: an older group gets lower ones, because hits of common
//! words are ordered by number.

use crate::session::lock;
use palimpsest_store::StoreError;
use palimpsest_store::index::IndexReader;
use std::sync::Mutex;

/// Entries of a first index are numbered down from here, group by group.
const FIRST_BLOCK: i64 = 1 << 40;
/// Numbers set apart for the entries of one group: far more than its bytes can hold.
const BLOCK: i64 = 1 << 28;

/// The numbers of one group.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The next one; none is set apart before the first entry.
    next: Mutex<Option<i64>>,
}

impl Block {
    /// The first of `count` numbers in a row that no entry has.
    ///
    /// `writer` is in the transaction that adds the entries: another run at the same time may have
    /// taken the numbers that follow, and then the group continues in a block below all others.
    pub fn take(&self, count: usize, writer: &IndexReader) -> Result<i64, StoreError> {
        let count = i64::try_from(count).unwrap_or(BLOCK).min(BLOCK);
        let mut next = lock(&self.next);
        let free = match *next {
            Some(at) if !writer.has_entry_numbered(at..at + count)? => Some(at),
            _ => None,
        };
        let first = match free {
            Some(at) => at,
            None => writer.lowest_entry()?.unwrap_or(FIRST_BLOCK) - BLOCK,
        };
        *next = Some(first + count);
        Ok(first)
    }
}

//! What the index knows of the entries of an open session that the entries themselves do not say.

use super::taken_back::first_taken_back;
use super::{hit_query, query::Query};
use crate::App;
use crate::index::FAILED_TEST;
use crate::session::OpenSession;
use palimpsest_core::EntryIx;
use palimpsest_store::index::SessionSet;
use palimpsest_store::{IndexReader, StoreError};
use std::collections::HashSet;

impl App {
    /// The results of commands that show failed tests: a pipe hides the exit status of the tests
    /// (`pytest | tail -3`), so agents do not mark them. Empty where the index cannot be read.
    pub fn failed_tests(&self, open: &OpenSession) -> HashSet<EntryIx> {
        let found = self.look_up(|reader| failed_tests(reader, &open.id));
        let found = found.unwrap_or_default().into_iter();
        // The index may be behind the file.
        let is_there = |ix: &EntryIx| ix.get() < open.session.entries.len();
        found.map(EntryIx).filter(is_there).collect()
    }

    /// The first entry of a session that a later file of its thread goes on without: it and what
    /// follows it were taken back.
    pub fn taken_back_from(&self, open: &OpenSession) -> Option<EntryIx> {
        let found = self.look_up(|reader| first_taken_back(reader, &open.id));
        let found = found.flatten().map(EntryIx);
        // The index may be behind the file.
        found.filter(|ix| ix.get() < open.session.entries.len())
    }

    /// What the index says now. A tree does not wait until an index is filled or made again.
    fn look_up<T>(&self, ask: impl FnOnce(&IndexReader) -> Result<T, StoreError>) -> Option<T> {
        let reader = self.index_db().ok()?.reader().ok()?;
        ask(&reader).ok()
    }
}

/// Their positions in the session.
pub(super) fn failed_tests(reader: &IndexReader, id: &str) -> Result<Vec<u32>, StoreError> {
    let query = Query::parse(&format!("kind:{FAILED_TEST}"));
    let mut filter = query.filter.clone();
    filter.sets.push(SessionSet {
        ids: [id.to_owned()].into(),
        inside: true,
    });
    let mut request = hit_query(&query, filter);
    request.limit = u64::MAX;
    let found = reader.hits(&request)?;
    Ok(found.hits.into_iter().map(|hit| hit.entry.ix).collect())
}

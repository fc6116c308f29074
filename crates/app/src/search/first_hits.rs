//! The first hits of a request, found once and used twice: what is looked through for the words in a row
//! is also what the page begins with.

use palimpsest_store::StoreError;
use palimpsest_store::index::{Found, FoundPlaces, HitQuery, IndexReader};

/// Where the first hits of a request are: as many as it asks for, and some behind them.
pub(super) struct FirstHits {
    pub(super) request: HitQuery,
    pub(super) found: FoundPlaces,
}

impl FirstHits {
    /// True where they are all that a request asks for.
    pub(super) fn hold(&self, request: &HitQuery) -> bool {
        let same = HitQuery {
            limit: self.request.limit,
            ..request.clone()
        };
        // Of words in few entries all places are known.
        let enough = request.limit <= self.request.limit || self.found.total.is_some();
        enough && same == self.request
    }

    /// The first of them with their rows.
    pub(super) fn up_to(&self, reader: &IndexReader, limit: u64) -> Result<Found, StoreError> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let places = &self.found.places;
        let hits = reader.hits_at(&places[..most.min(places.len())])?;
        let total = self.found.total;
        Ok(Found { hits, total })
    }
}

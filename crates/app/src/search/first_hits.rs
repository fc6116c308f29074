//! The first hits of a request, found once and used twice: what is looked through for the words in a row
//! is also what the page begins with.

use palimpsest_store::index::{Found, HitQuery};

/// The first hits of a request, however many of them are asked for.
pub(super) struct FirstHits {
    pub(super) request: HitQuery,
    pub(super) found: Found,
}

impl FirstHits {
    /// True where they are all that a request asks for.
    pub(super) fn hold(&self, request: &HitQuery) -> bool {
        let same = HitQuery {
            limit: self.request.limit,
            ..request.clone()
        };
        request.limit <= self.request.limit && same == self.request
    }

    pub(super) fn up_to(&self, limit: u64) -> Found {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        Found {
            hits: self.found.hits.iter().take(most).cloned().collect(),
            total: self.found.total,
        }
    }
}

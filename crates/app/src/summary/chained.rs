//! The lives of facts over the compactions of a session, as they are kept.

use crate::session::{OpenSession, lock};
use palimpsest_core::EntryIx;
use palimpsest_ledger::chain::Chain;
use std::sync::{Arc, Mutex};

/// A chain with the compactions that it goes over.
pub struct SessionChain {
    /// Session, generation and leaf.
    pub(super) key: String,
    /// The session.
    pub open: Arc<OpenSession>,
    /// The compactions, in the order of the path.
    pub columns: Vec<ChainColumn>,
    /// The lives of the facts.
    pub chain: Chain,
}

/// A compaction of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainColumn {
    /// The entry.
    pub entry: EntryIx,
    /// Size of its summary in tokens, estimated.
    pub summary_tokens: u64,
    /// True where the file holds little of what it summarized.
    pub is_incomplete: bool,
}

/// The chain made last; one of 50,000 entries takes seconds.
#[derive(Default)]
pub(crate) struct LastChain(pub(super) Mutex<Option<Arc<SessionChain>>>);

impl LastChain {
    /// The chain, where one was made.
    pub(crate) fn get(&self) -> Option<Arc<SessionChain>> {
        lock(&self.0).clone()
    }
}

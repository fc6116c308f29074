//! Entries as the wire names them: by id.

use palimpsest_core::{EntryIx, Session};

/// An entry's id.
pub(crate) fn id(session: &Session, ix: EntryIx) -> String {
    session.entry(ix).id.to_string()
}

/// The ids of several entries, in the order given.
pub(crate) fn ids(session: &Session, list: &[EntryIx]) -> Vec<String> {
    list.iter().map(|&ix| id(session, ix)).collect()
}

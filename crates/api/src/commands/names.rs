//! Entries as the wire names them: by id.

use palimpsest_core::{EntryIx, Session};

/// An entry's id.
pub(crate) fn id(session: &Session, ix: EntryIx) -> String {
    session.name_of(ix)
}

/// The ids of several entries, in the order given.
pub(crate) fn ids(session: &Session, list: &[EntryIx]) -> Vec<String> {
    list.iter().map(|&ix| id(session, ix)).collect()
}

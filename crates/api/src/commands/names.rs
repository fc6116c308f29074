//! Entries and sessions as the wire names them.

use crate::wire::SessionName;
use palimpsest_app::search as found;
use palimpsest_core::{EntryIx, Session};
use std::collections::HashMap;

/// A session as a reference to it names it.
pub(crate) fn session(name: &found::SessionName) -> SessionName {
    SessionName {
        session: name.session_id.clone(),
        shown_id: name.shown_id.clone(),
        title: name.title.clone(),
        timestamp: name.at_ms,
    }
}

/// The id that lists show of a session; Palimpsest's own for one that is in no index.
pub(crate) fn shown_id(names: &HashMap<String, found::SessionName>, id: &str) -> String {
    let name = names.get(id);
    name.map_or_else(|| id.to_owned(), |name| name.shown_id.clone())
}

/// An entry's id.
pub(crate) fn id(session: &Session, ix: EntryIx) -> String {
    session.name_of(ix)
}

/// The ids of several entries, in the order given.
pub(crate) fn ids(session: &Session, list: &[EntryIx]) -> Vec<String> {
    list.iter().map(|&ix| id(session, ix)).collect()
}

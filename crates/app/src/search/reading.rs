//! The record behind a hit, read from its source.

use super::opened::Opened;
use crate::index::entry_at;
use palimpsest_core::Entry;
use palimpsest_store::index::{Hit, SessionRow};

/// The text of a hit.
pub(super) fn text_of(session: &SessionRow, hit: &Hit, opened: &mut Opened) -> Option<String> {
    entry_of(session, hit, opened).map(|(_, text)| text)
}

/// The entry of a hit as its record tells of it, and its text.
pub(super) fn entry_of(
    session: &SessionRow,
    hit: &Hit,
    opened: &mut Opened,
) -> Option<(Entry, String)> {
    let entry = &hit.entry;
    entry_at(
        session.agent,
        opened.content(&session.path)?,
        &session.path,
        session.format_version,
        entry.line,
        entry.offset,
        entry.len,
    )
}

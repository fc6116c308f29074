//! The record behind a hit, read from its source.

use super::opened::Opened;
use crate::index::{RecordAt, record_at};
use palimpsest_store::index::{EntryRow, SessionRow};

/// The text of an entry.
pub(super) fn text_of(
    session: &SessionRow,
    entry: &EntryRow,
    opened: &mut Opened,
) -> Option<String> {
    record_of(session, entry, opened).map(|record| record.text())
}

/// The record of an entry.
pub(super) fn record_of(
    session: &SessionRow,
    entry: &EntryRow,
    opened: &mut Opened,
) -> Option<RecordAt> {
    record_at(session, opened.content(&session.path)?, entry)
}

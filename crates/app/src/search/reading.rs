//! The record behind a hit, read from its source.

use super::opened::Opened;
pub(super) use crate::index::record_in;
use crate::index::{RecordAt, raw_at};
use palimpsest_core::{Entry, Role};
use palimpsest_store::index::{EntryRow, SessionRow};

/// The text of an entry.
pub(super) fn text_of(
    session: &SessionRow,
    entry: &EntryRow,
    opened: &mut Opened,
) -> Option<String> {
    record_of(session, entry, opened).map(|record| record.text())
}

/// Who speaks in an entry; of a record that reports on a subagent, in the message of the subagent.
pub(super) fn role_of(entry: &Entry) -> Option<Role> {
    let reported = entry.subagent.as_ref().map(|report| report.role());
    reported.or_else(|| entry.role())
}

/// What an entry says, and before it the task or the subagent that it is of. Of a record without
/// words that is what its row in the outline says.
pub(super) fn with_about(entry: &Entry, text: String, about: Option<&str>) -> String {
    // Of a rejected call what the user said is shown, which is known from its beginning.
    let Some(about) = about.filter(|_| !entry.is_found_as_rejected()) else {
        return text;
    };
    let text = if text.trim().is_empty() {
        &*entry.preview
    } else {
        &*text
    };
    format!("{}: {text}", about.replace('\n', ", "))
}

/// What an entry says, with what it is of.
pub(super) fn text_with(record: &RecordAt, row: &EntryRow) -> String {
    with_about(&record.entry, record.text(), row.about.as_deref())
}

/// The record of an entry.
pub(super) fn record_of(
    session: &SessionRow,
    entry: &EntryRow,
    opened: &mut Opened,
) -> Option<RecordAt> {
    record_in(session, entry, raw_of(session, entry, opened)?)
}

/// The record of an entry as it is stored.
pub(super) fn raw_of(
    session: &SessionRow,
    entry: &EntryRow,
    opened: &mut Opened,
) -> Option<Vec<u8>> {
    raw_at(opened.content(&session.path, session.agent)?, entry)
}

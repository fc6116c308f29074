//! The calls that results answer: one that failed or was rejected is shown before the words of its
//! result.

use super::opened::Opened;
use super::reading::{record_of, text_with};
use crate::index::RecordAt;
use crate::view::calls::{AnsweredCall, headline_in, troubled_id};
use palimpsest_core::Role;
use palimpsest_store::index::{EntryRow, SessionRow};
use palimpsest_store::{IndexReader, StoreError};

/// Records above a result that are looked through for its call.
const MOST_ABOVE: usize = 256;
/// Of these so many are read: results stand close behind their calls.
const MOST_READ: usize = 32;

/// The call that a result answers, in a record above it.
pub(super) fn call_behind(
    reader: &IndexReader,
    session: &SessionRow,
    own: &EntryRow,
    record: &RecordAt,
    opened: &mut Opened,
) -> Result<Option<AnsweredCall>, StoreError> {
    let Some(call_id) = troubled_id(&record.entry, record.body()) else {
        return Ok(None);
    };
    let line = |_: &EntryRow, record: &RecordAt| headline_in(record.body(), &call_id);
    let found = first_above(reader, session, own, opened, line)?;
    Ok(found.map(|(row, headline)| AnsweredCall {
        entry_id: row.entry_id,
        headline,
    }))
}

/// The texts of the calls that the results in a record answer; empty where they are not close above it.
pub(super) fn calls_text(
    reader: &IndexReader,
    session: &SessionRow,
    own: &EntryRow,
    record: &RecordAt,
    opened: &mut Opened,
) -> Result<String, StoreError> {
    let body = record.body();
    let tools = body
        .messages
        .iter()
        .filter_map(|message| message.tool.as_ref());
    let mut all = String::new();
    for tool in tools {
        let text = |row: &EntryRow, record: &RecordAt| {
            headline_in(record.body(), &tool.call_id).map(|_| text_with(record, row))
        };
        if let Some((_, text)) = first_above(reader, session, own, opened, text)? {
            all.push_str(&text);
            all.push('\n');
        }
    }
    Ok(all)
}

/// The first record above an entry that has a call of which `what` gives something, with that.
fn first_above<T>(
    reader: &IndexReader,
    session: &SessionRow,
    own: &EntryRow,
    opened: &mut Opened,
    what: impl Fn(&EntryRow, &RecordAt) -> Option<T>,
) -> Result<Option<(EntryRow, T)>, StoreError> {
    let entry_at = |ix: u32| -> Result<Option<EntryRow>, StoreError> {
        let found = reader.entries(session.num, ix, 1)?;
        Ok(found.into_iter().find(|row| row.ix == ix))
    };
    let (mut next, mut read) = (own.parent_ix, 0);
    for _ in 0..MOST_ABOVE {
        let Some(row) = next.map(entry_at).transpose()?.flatten() else {
            break;
        };
        next = row.parent_ix;
        // Of a subagent only the records that report on one have its calls.
        let is_beside = row.own_name != own.own_name;
        if is_beside || row.tools.is_empty() || row.role == Some(Role::Tool) {
            continue;
        }
        read += 1;
        if read > MOST_READ {
            break;
        }
        let record = record_of(session, &row, opened);
        if let Some(found) = record.and_then(|record| what(&row, &record)) {
            return Ok(Some((row, found)));
        }
    }
    Ok(None)
}

//! The call that a failed or rejected result answers, which is shown before its words.

use super::opened::Opened;
use super::reading::record_of;
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
    opened: &mut Opened,
) -> Result<Option<AnsweredCall>, StoreError> {
    let entry_at = |ix: u32| -> Result<Option<EntryRow>, StoreError> {
        let found = reader.entries(session.num, ix, 1)?;
        Ok(found.into_iter().find(|row| row.ix == ix))
    };
    let record = record_of(session, own, opened);
    let Some(call_id) = record.and_then(|record| troubled_id(&record.entry, &record.body())) else {
        return Ok(None);
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
        let line = record.and_then(|record| headline_in(&record.body(), &call_id));
        if let Some(headline) = line {
            return Ok(Some(AnsweredCall {
                entry_id: row.entry_id,
                headline,
            }));
        }
    }
    Ok(None)
}

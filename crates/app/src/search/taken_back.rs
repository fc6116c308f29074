//! Turns that were taken back by going on in another file.
//!
//! Where a user edits an earlier turn, most agents mark what followed it in the same file. Codex 0.16x
//! writes a new file of the same thread, and only both files together tell which turns were taken back.

use super::kin::{SessionName, continued, parents};
use super::named::{Named, NamedKind, of_session};
use super::opened::Opened;
use super::query::Query;
use super::reading::text_of;
use palimpsest_core::LinkKind;
use palimpsest_core::title::title_of_prompt;
use palimpsest_store::index::{MessageTime, SessionNum, SessionRow, SessionSort};
use palimpsest_store::{IndexReader, StoreError, UserDb};
use std::collections::{HashMap, HashSet};

/// The kind of entries that were taken back.
const UNDONE: &str = "undone";
/// Sessions that are looked through, the newest first.
const MOST: u64 = 200;

/// The sessions of which turns were taken back in another file, for a query that asks for such entries
/// alone: no entry of these files is marked. Each names the first prompt that was taken back.
pub(super) fn continued_without(
    reader: &IndexReader,
    user: Option<&UserDb>,
    query: &Query,
) -> Result<Vec<Named>, StoreError> {
    if !query.asks_for_kind(UNDONE) || !query.words.is_empty() || query.fields.len() > 1 {
        return Ok(Vec::new());
    }
    let mut filter = query.filter_with(user)?;
    filter.has_undone = Some(true);
    let rows = reader
        .sessions(&filter, SessionSort::Updated, 0, MOST)?
        .sessions;
    let titles = user.map(UserDb::titles).transpose()?.unwrap_or_default();
    let parents = parents(reader, &rows, &titles)?;
    let continued = continued(reader, &rows, &titles)?;
    let mut taken_back = taken_back(reader, &rows, &parents, &continued)?;
    // The file that has the turns, not the one that goes on without them.
    let rows = rows
        .into_iter()
        .filter(|row| continued.contains_key(&row.num));
    Ok(rows
        .filter_map(|row| {
            let prompt = taken_back.remove(&row.num)?;
            let next = &continued.get(&row.num)?.shown_id;
            let title = titles.get(&row.id).cloned();
            let mut named = of_session(row);
            named.kind = NamedKind::TakenBack;
            // The turn first: a narrow list cuts the rest.
            named.about = format!(
                "without \u{201c}{prompt}\u{201d}, continued in {next}, {}",
                named.about
            );
            named.title = title.unwrap_or(named.title);
            Some(named)
        })
        .collect())
}

/// For each session that goes on in another file, and for that one, the first prompt that only the
/// earlier file has, where both have a beginning in common: the user edited an earlier turn, and what
/// followed it was taken back (Codex 0.16x writes a file for that). A continuation that copies nothing
/// takes nothing back.
pub(super) fn taken_back(
    reader: &IndexReader,
    rows: &[SessionRow],
    parents: &HashMap<SessionNum, SessionName>,
    continued: &HashMap<SessionNum, SessionName>,
) -> Result<HashMap<SessionNum, String>, StoreError> {
    let mut found = HashMap::new();
    let mut opened = Opened::default();
    for row in rows {
        let next = continued.get(&row.num);
        let continues = row.parent_kind == Some(LinkKind::Continues);
        let before = parents.get(&row.num).filter(|_| continues);
        let Some(other) = next.or(before) else {
            continue;
        };
        let Some(other) = reader.session_by_id(&other.session_id)? else {
            continue;
        };
        // Files of one thread only: a session with an id of its own copies nothing.
        if other.native_id != row.native_id {
            continue;
        }
        let (earlier, later) = if next.is_some() {
            (row, &other)
        } else {
            (&other, row)
        };
        let left = left_behind(reader, earlier, later, &mut opened)?;
        found.extend(left.map(|words| (row.num, words)));
    }
    Ok(found)
}

/// Position of the first prompt of a session that another file of its thread goes on without; `None`
/// where none does.
pub(super) fn first_taken_back(reader: &IndexReader, id: &str) -> Result<Option<u32>, StoreError> {
    let Some(own) = reader.session_by_id(id)? else {
        return Ok(None);
    };
    for other in reader.sessions_by_native_id(own.agent, &own.native_id)? {
        let continues = other.parent_kind == Some(LinkKind::Continues)
            && other.parent_session.as_ref() == Some(&own.native_id);
        if other.num != own.num && continues {
            return first_left(reader, &own, &other);
        }
    }
    Ok(None)
}

/// The first prompt of `earlier` that `later` does not have, where they share a beginning.
fn left_behind(
    reader: &IndexReader,
    earlier: &SessionRow,
    later: &SessionRow,
    opened: &mut Opened,
) -> Result<Option<String>, StoreError> {
    let Some(ix) = first_left(reader, earlier, later)? else {
        return Ok(None);
    };
    let entry = reader.entries(earlier.num, ix, 1)?.into_iter().next();
    let text = entry.and_then(|entry| text_of(earlier, &entry, opened));
    Ok(text.and_then(|text| title_of_prompt(&text)))
}

/// Position of that prompt.
fn first_left(
    reader: &IndexReader,
    earlier: &SessionRow,
    later: &SessionRow,
) -> Result<Option<u32>, StoreError> {
    let kept: HashSet<i64> = reader
        .message_times(later.num)?
        .iter()
        .map(|message| message.at_ms)
        .collect();
    let own = reader.message_times(earlier.num)?;
    let is_kept = |message: &MessageTime| kept.contains(&message.at_ms);
    if !own.iter().any(is_kept) {
        return Ok(None);
    }
    let left = own.iter().find(|own| own.is_prompt && !is_kept(own));
    Ok(left.map(|message| message.ix))
}

//! The sessions that the records of others name as their parents.

use palimpsest_core::Agent;
use palimpsest_store::index::{SessionNum, SessionRow};
use palimpsest_store::{IndexReader, StoreError};
use std::collections::{HashMap, HashSet};

/// A session as a reference to it shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionName {
    /// The session's stable id.
    pub session_id: String,
    /// Its id as lists show it.
    pub shown_id: String,
    /// Its title; empty when it has none.
    pub title: String,
    /// When it was begun, Unix milliseconds; of a session without that its newest entry.
    pub at_ms: Option<i64>,
}

impl SessionName {
    /// The name of a session; `title` is the one the user gave.
    fn of(row: &SessionRow, shown_id: String, title: Option<&String>) -> SessionName {
        let title = title.or(row.title.as_ref()).cloned();
        SessionName {
            session_id: row.id.clone(),
            shown_id,
            title: title.unwrap_or_default(),
            at_ms: row.created_at_ms.or(row.updated_at_ms),
        }
    }
}

/// Palimpsest's id of the session that a record of `agent` names by an id or, with `path`, by a file.
pub(crate) fn session_named(
    reader: &IndexReader,
    agent: Agent,
    native_id: &str,
    path: &str,
) -> Result<Option<String>, StoreError> {
    if let Some(found) = reader.session_named(agent, native_id, path)? {
        return Ok(Some(found));
    }
    // A file that was moved since is known by the id in its name.
    match id_in_name(path) {
        Some(id) => reader.session_named(agent, id, path),
        None => Ok(None),
    }
}

/// The names of sessions by their ids.
pub(crate) fn names_of(
    reader: &IndexReader,
    rows: &[SessionRow],
    titles: &HashMap<String, String>,
) -> Result<HashMap<String, SessionName>, StoreError> {
    let mut shown = reader.shown_ids(rows)?;
    let names = rows.iter().map(|row| {
        let shown = shown.remove(&row.num).unwrap_or_default();
        let name = SessionName::of(row, shown, titles.get(&row.id));
        (row.id.clone(), name)
    });
    Ok(names.collect())
}

/// The parents of sessions, where they are in the index.
pub(super) fn parents(
    reader: &IndexReader,
    rows: &[SessionRow],
    titles: &HashMap<String, String>,
) -> Result<HashMap<SessionNum, SessionName>, StoreError> {
    let mut parents = HashMap::new();
    let mut known: HashMap<String, Option<SessionName>> = HashMap::new();
    for row in rows {
        let Some(parent) = &row.parent_session else {
            continue;
        };
        if !known.contains_key(parent) {
            let id = session_named(reader, row.agent, parent, parent)?;
            let found = id
                .map(|id| reader.session_by_id(&id))
                .transpose()?
                .flatten();
            let found: Vec<SessionRow> = found.into_iter().collect();
            let name = names_of(reader, &found, titles)?.into_values().next();
            known.insert(parent.clone(), name);
        }
        let name = known.get(parent).cloned().flatten();
        parents.extend(
            name.filter(|name| name.session_id != row.id)
                .map(|name| (row.num, name)),
        );
    }
    Ok(parents)
}

/// For each session the first one that continues it, where one does.
pub(super) fn continued(
    reader: &IndexReader,
    rows: &[SessionRow],
    titles: &HashMap<String, String>,
) -> Result<HashMap<SessionNum, SessionName>, StoreError> {
    let mut found = HashMap::new();
    if rows.is_empty() {
        return Ok(found);
    }
    let by_id: HashMap<&str, &SessionRow> = rows.iter().map(|row| (&*row.id, row)).collect();
    let names = |row: &'_ SessionRow| [row.native_id.clone(), row.path.clone()];
    let named: HashSet<String> = rows.iter().flat_map(names).collect();
    for next in reader.continuations()? {
        let Some(parent) = &next.parent_session else {
            continue;
        };
        // Looked up only where it can be one of these: most lists have few of them.
        let id = id_in_name(parent).unwrap_or(parent);
        if !named.contains(parent) && !named.contains(id) {
            continue;
        }
        let parent = session_named(reader, next.agent, parent, parent)?;
        let own = parent.and_then(|id| by_id.get(&*id).copied());
        let Some(own) = own.filter(|own| own.id != next.id && !found.contains_key(&own.num)) else {
            continue;
        };
        let next = names_of(reader, &[next], titles)?.into_values().next();
        found.extend(next.map(|name| (own.num, name)));
    }
    Ok(found)
}

/// The id of a session in the name of its file: behind the time and `_` (pi), else the whole stem.
/// `None` for what is no path.
fn id_in_name(path: &str) -> Option<&str> {
    let (_, file) = path.rsplit_once(['/', '\\'])?;
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let id = stem.rsplit_once('_').map_or(stem, |(_, id)| id);
    (!id.is_empty()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_holds_the_id_of_its_session() {
        let pi = "/home/alice/.pi/sessions/--x--/2026-11-21T02-11-15-123Z_01a1fbf2-3641.jsonl";
        assert_eq!(id_in_name(pi), Some("01a1fbf2-3641"));
        assert_eq!(id_in_name("C:\\sessions\\9b1d.jsonl"), Some("9b1d"));
        assert_eq!(id_in_name("01a1fbf2-3641"), None);
        assert_eq!(id_in_name("/sessions/"), None);
    }
}

//! Table `entries`: one row for each entry of each session, without its text.

use super::{IndexReader, IndexWriter, SessionNum};
use crate::connection::{Columns, int, place_in, uint};
use crate::error::StoreError;
use palimpsest_core::{RecordKind, Role};
use rusqlite::{OptionalExtension, Row, params};
use std::collections::HashSet;
use std::ops::Range;

pub(super) const SCHEMA: &str = "
CREATE TABLE entries (
    num       INTEGER PRIMARY KEY AUTOINCREMENT,  -- the newest is the highest, as far as is known
    session   INTEGER NOT NULL,
    ix        INTEGER NOT NULL,   -- position in the session
    line      INTEGER NOT NULL,
    entry_id  TEXT NOT NULL,
    parent_ix INTEGER,
    kind      INTEGER NOT NULL,   -- its place in RecordKind::ALL
    role      INTEGER,            -- its place in Role::ALL
    at        INTEGER,            -- of one that does not say it that of its neighbour
    offset    INTEGER NOT NULL,
    len       INTEGER NOT NULL,
    estimate  INTEGER NOT NULL,   -- tokens, the agent's own estimate
    reported  INTEGER,            -- tokens of the context, as the provider reported them
    is_error  INTEGER NOT NULL,
    rejected  INTEGER NOT NULL,
    tools     TEXT,               -- called, or with results; one per line
    own_name  TEXT,               -- the agent's name for a record that is of no common kind
    change    TEXT,               -- the models before and behind it, where the model changes
    about     TEXT,               -- the task or the subagent it is of, where its words do not say it
    subagent  TEXT                -- which subagent wrote it
);
-- A session's entries in order; also finds a parent from the end, where parents mostly are.
CREATE UNIQUE INDEX entries_by_session ON entries (session, ix);
";

/// The number of a kind in the table: names would be a twentieth of the index.
pub(super) fn kind_number(kind: RecordKind) -> i64 {
    place_in(&RecordKind::ALL, kind)
}

/// The number of a role in the table.
pub(super) fn role_number(role: Role) -> i64 {
    place_in(&Role::ALL, role)
}

/// Up to this many ids are looked for by one statement.
const FEW_IDS: usize = 4;

/// An entry as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow {
    /// Number inside this index, and in its full-text table.
    pub num: i64,
    /// The session.
    pub session: SessionNum,
    /// Position in the session.
    pub ix: u32,
    /// 0-based physical line.
    pub line: u32,
    /// The entry's id.
    pub entry_id: String,
    /// Position of the parent.
    pub parent_ix: Option<u32>,
    /// What the record is.
    pub kind: RecordKind,
    /// The role, where it has one message.
    pub role: Option<Role>,
    /// When it was written, Unix milliseconds; of one that does not say it the time of its neighbour.
    pub at_ms: Option<i64>,
    /// Byte offset in the source.
    pub offset: u64,
    /// Length in bytes.
    pub len: u32,
    /// Tokens by the agent's own estimate.
    pub estimate: u64,
    /// Size of the context as the provider reported it, in tokens.
    pub reported: Option<u64>,
    /// True for a failed tool result or message; what the user stopped is no failure.
    pub is_error: bool,
    /// True for the result of a call that the user refused.
    pub rejected: bool,
    /// The tools it calls or holds results of.
    pub tools: Vec<String>,
    /// The agent's own name for a record that is of no common kind.
    pub own_name: Option<String>,
    /// The models before and behind it, where the model changes.
    pub change: Option<String>,
    /// The task that it changes, or the subagent that wrote it, where its own words do not say it.
    pub about: Option<String>,
    /// The subagent that wrote it: its names and what it was started for.
    pub subagent: Option<String>,
}

/// An entry to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry<'a> {
    /// Its number, where hits have to come in another order than entries are read in; else the
    /// next one.
    pub num: Option<i64>,
    /// Position in the session.
    pub ix: u32,
    /// 0-based physical line.
    pub line: u32,
    /// The entry's id.
    pub entry_id: &'a str,
    /// Position of the parent.
    pub parent_ix: Option<u32>,
    /// What the record is.
    pub kind: RecordKind,
    /// The role, where it has one message.
    pub role: Option<Role>,
    /// When it was written, Unix milliseconds; of one that does not say it the time of its neighbour.
    pub at_ms: Option<i64>,
    /// Byte offset in the source.
    pub offset: u64,
    /// Length in bytes.
    pub len: u32,
    /// Tokens by the agent's own estimate.
    pub estimate: u64,
    /// Size of the context as the provider reported it, in tokens.
    pub reported: Option<u64>,
    /// True for a failed tool result or message; what the user stopped is no failure.
    pub is_error: bool,
    /// True for the result of a call that the user refused.
    pub rejected: bool,
    /// The tools it calls or holds results of, one per line.
    pub tools: Option<String>,
    /// The agent's own name for a record that is of no common kind.
    pub own_name: Option<&'a str>,
    /// The models before and behind it, where the model changes.
    pub change: Option<String>,
    /// The task that it changes, or the subagent that wrote it, where its own words do not say it.
    pub about: Option<String>,
    /// The subagent that wrote it: its names and what it was started for.
    pub subagent: Option<String>,
    /// What can be searched for; empty for entries without words.
    pub text: &'a str,
    /// What else it can be found by, as [`super::fields::push_field`] wrote it.
    pub fields: &'a str,
}

pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<EntryRow> {
    let mut columns = Columns::of(row);
    Ok(EntryRow {
        num: columns.get()?,
        session: SessionNum(columns.get()?),
        ix: columns.uint32()?,
        line: columns.uint32()?,
        entry_id: columns.get()?,
        parent_ix: columns.uint_opt()?.and_then(|ix| u32::try_from(ix).ok()),
        kind: columns.numbered(&RecordKind::ALL)?,
        role: columns
            .uint_opt()?
            .and_then(|number| Role::ALL.get(usize::try_from(number).ok()?).copied()),
        at_ms: columns.get()?,
        offset: columns.uint()?,
        len: columns.uint32()?,
        estimate: columns.uint()?,
        reported: columns.uint_opt()?,
        is_error: columns.get()?,
        rejected: columns.get()?,
        tools: columns
            .get::<Option<String>>()?
            .map(|names| names.lines().map(str::to_owned).collect())
            .unwrap_or_default(),
        own_name: columns.get()?,
        change: columns.get()?,
        about: columns.get()?,
        subagent: columns.get()?,
    })
}

impl IndexReader {
    /// The entries of a session from position `from` on, in order, at most `limit`.
    pub fn entries(
        &self,
        session: SessionNum,
        from: u32,
        limit: u64,
    ) -> Result<Vec<EntryRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT * FROM entries WHERE session = ? AND ix >= ? ORDER BY ix LIMIT ?",
            )?;
            statement
                .query_map((session.0, from, int(limit)), from_row)?
                .collect()
        })())
    }

    /// The records of a session with this name of the agent, in order.
    pub fn entries_named(
        &self,
        session: SessionNum,
        own_name: &str,
    ) -> Result<Vec<EntryRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT * FROM entries WHERE session = ? AND own_name = ? ORDER BY ix",
            )?;
            statement
                .query_map((session.0, own_name), from_row)?
                .collect()
        })())
    }

    /// The entry with this id that was read last before position `before`.
    pub fn entry_by_id(
        &self,
        session: SessionNum,
        entry_id: &str,
        before: u32,
    ) -> Result<Option<EntryRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT * FROM entries WHERE session = ? AND ix < ? AND entry_id = ? \
                 ORDER BY ix DESC LIMIT 1",
            )?;
            statement
                .query_row((session.0, before, entry_id), from_row)
                .optional()
        })())
    }

    /// The newest entries whose id begins with `prefix`, at most `limit`. Looks at every entry: about
    /// 0.1 µs each.
    pub fn entries_by_prefix(&self, prefix: &str, limit: u64) -> Result<Vec<EntryRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                // Not LIKE: an id may contain `_`, and LIKE ignores case.
                "SELECT * FROM entries WHERE substr(entry_id, 1, length(?1)) = ?1 \
                 ORDER BY at DESC, num DESC LIMIT ?2",
            )?;
            statement
                .query_map((prefix, int(limit)), from_row)?
                .collect()
        })())
    }

    /// The newest message of the user before position `before`, not far from it: a search shows
    /// it beside each of its hits.
    pub fn prompt_before(
        &self,
        session: SessionNum,
        before: u32,
    ) -> Result<Option<EntryRow>, StoreError> {
        const FAR: u32 = 1_000;
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT * FROM entries WHERE session = ? AND ix < ? AND ix >= ? \
                 AND kind = ? AND role = ? ORDER BY ix DESC LIMIT 1",
            )?;
            let (kind, role) = (kind_number(RecordKind::Message), role_number(Role::User));
            let first = before.saturating_sub(FAR);
            statement
                .query_row((session.0, before, first, kind, role), from_row)
                .optional()
        })())
    }

    /// When the last entry of a session was written, Unix milliseconds.
    pub fn last_dated(&self, session: SessionNum) -> Result<Option<i64>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT at FROM entries WHERE session = ? ORDER BY ix DESC LIMIT 1",
            )?;
            let last = statement.query_row([session.0], |row| row.get(0));
            last.optional().map(Option::flatten)
        })())
    }

    /// True when the session has an entry with one of these ids. Looks at every entry of it.
    pub fn has_any_id(&self, session: SessionNum, ids: &HashSet<&str>) -> Result<bool, StoreError> {
        self.db.at((|| {
            // No index is over entry ids, so every entry of the session is looked at. A few ids are
            // compared by SQLite itself: an appended line to 50,000 entries in a third of the time.
            if ids.len() <= FEW_IDS {
                let mut next = ids.iter().copied();
                let [a, b, c, d]: [Option<&str>; FEW_IDS] = std::array::from_fn(|_| next.next());
                let mut statement = self.db.conn.prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM entries WHERE session = ? \
                     AND (entry_id = ? OR entry_id = ? OR entry_id = ? OR entry_id = ?))",
                )?;
                return statement.query_row((session.0, a, b, c, d), |row| row.get(0));
            }
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT entry_id FROM entries WHERE session = ?")?;
            let mut rows = statement.query([session.0])?;
            // One pass instead of a lookup for each id.
            while let Some(row) = rows.next()? {
                if ids.contains(row.get_ref(0)?.as_str()?) {
                    return Ok(true);
                }
            }
            Ok(false)
        })())
    }

    /// True when an entry before position `before` has the one at `ix` as its parent. Looks at
    /// every entry of the session, so ask only for parents that are not the last entry.
    pub fn has_children(
        &self,
        session: SessionNum,
        ix: u32,
        before: u32,
    ) -> Result<bool, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM entries \
                 WHERE session = ? AND ix < ? AND parent_ix = ?)",
            )?;
            statement.query_row((session.0, before, ix), |row| row.get(0))
        })())
    }

    /// The lowest number of an entry; `None` without entries.
    pub fn lowest_entry(&self) -> Result<Option<i64>, StoreError> {
        self.db.at(self
            .db
            .conn
            .query_row("SELECT min(num) FROM entries", [], |row| row.get(0)))
    }

    /// True when an entry has one of these numbers.
    pub fn has_entry_numbered(&self, numbers: Range<i64>) -> Result<bool, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM entries WHERE num >= ? AND num < ?)",
            )?;
            statement.query_row((numbers.start, numbers.end), |row| row.get(0))
        })())
    }

    /// Number of entries of all sessions.
    pub fn entry_count(&self) -> Result<u64, StoreError> {
        self.db.at(self
            .db
            .conn
            .query_row("SELECT count(*) AS n FROM entries", [], |row| {
                uint(row, "n")
            }))
    }
}

impl IndexWriter<'_> {
    /// Adds an entry with its words and returns its number.
    pub fn add_entry(&self, session: SessionNum, entry: &NewEntry<'_>) -> Result<i64, StoreError> {
        let num = self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                // By position: looking parameters up by name shows at 200,000 entries.
                "INSERT INTO entries (num, session, ix, line, entry_id, parent_ix, kind, role, at,
                     offset, len, estimate, reported, is_error, rejected, tools, own_name,
                     change, about, subagent)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?;
            statement.insert(params![
                entry.num,
                session.0,
                entry.ix,
                entry.line,
                entry.entry_id,
                entry.parent_ix,
                kind_number(entry.kind),
                entry.role.map(role_number),
                entry.at_ms,
                int(entry.offset),
                entry.len,
                int(entry.estimate),
                entry.reported.map(int),
                entry.is_error,
                entry.rejected,
                entry.tools,
                entry.own_name,
                entry.change,
                entry.about,
                entry.subagent,
            ])
        })())?;
        if !entry.text.is_empty() || !entry.fields.is_empty() {
            self.hold_words(num, entry.text, entry.fields)?;
        }
        Ok(num)
    }

    /// Gives the entries of a session a time that have none, Unix milliseconds.
    pub fn date_entries(&self, session: SessionNum, at_ms: i64) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("UPDATE entries SET at = ? WHERE session = ? AND at IS NULL")?;
            statement.execute((at_ms, session.0))?;
            Ok(())
        })())
    }

    /// Corrects the parent of an entry, for a parent that comes later in the source.
    pub fn set_parent(
        &self,
        session: SessionNum,
        ix: u32,
        parent_ix: Option<u32>,
    ) -> Result<(), StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("UPDATE entries SET parent_ix = ? WHERE session = ? AND ix = ?")?;
            statement.execute((parent_ix, session.0, ix))?;
            Ok(())
        })())
    }
}

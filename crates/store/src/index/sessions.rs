//! Table `sessions`: one row for each session, with the sums that lists show.

use super::filter::SessionFilter;
use super::{IndexReader, IndexWriter};
use crate::connection::{Columns, int, named, uint};
use crate::error::StoreError;
use palimpsest_core::{Agent, LinkKind, Usage};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, named_params, params_from_iter};
use std::collections::{HashMap, HashSet};

pub(super) const SCHEMA: &str = "
CREATE TABLE sessions (
    num              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT NOT NULL UNIQUE,
    agent            TEXT NOT NULL,
    native_id        TEXT NOT NULL,
    path             TEXT NOT NULL,
    title            TEXT,
    cwd              TEXT,
    project          TEXT NOT NULL,
    root             TEXT,
    worktree         TEXT,
    bytes            INTEGER NOT NULL,
    provider         TEXT,
    model            TEXT,
    parent_session   TEXT,
    parent_kind      TEXT,
    agent_version    TEXT,
    format_version   INTEGER,
    created_at       INTEGER,
    updated_at       INTEGER,
    entries          INTEGER NOT NULL,
    leaves           INTEGER NOT NULL,
    compactions      INTEGER NOT NULL,
    branch_summaries INTEGER NOT NULL,
    warnings         INTEGER NOT NULL,
    errors           INTEGER NOT NULL,
    rejections       INTEGER NOT NULL,
    irregular        INTEGER NOT NULL,
    input            INTEGER NOT NULL,
    output           INTEGER NOT NULL,
    cache_read       INTEGER NOT NULL,
    cache_write      INTEGER NOT NULL,
    total            INTEGER NOT NULL,
    reasoning        INTEGER,
    cost_usd         REAL,
    cost_computed    INTEGER NOT NULL,  -- by the prices of a catalog, the whole or a part
    cost_partial     INTEGER NOT NULL,  -- without models that have no price
    peak_context     INTEGER
);
-- The list as it is first shown: newest first, one page. Without the index a list of 10,000
-- sessions is sorted for every page (8 ms instead of 0.2).
CREATE INDEX sessions_by_time ON sessions (updated_at DESC, num DESC);
-- Links between sessions are by the agent's own ids.
CREATE INDEX sessions_by_native_id ON sessions (native_id);
-- The groups of the list, which are counted for every page: of 10,000 sessions in 2 ms instead of
-- 6. Also tells whether there are sessions of an agent at all.
CREATE INDEX sessions_by_group ON sessions (agent, project, root, worktree, updated_at);
";

/// A session's number inside one index: small, and not stable across a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionNum(pub i64);

/// A session as lists show it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Number inside this index.
    pub num: SessionNum,
    /// The stable id: the same for the same agent, native id and path.
    pub id: String,
    /// The agent that wrote it.
    pub agent: Agent,
    /// The id as the agent wrote it.
    pub native_id: String,
    /// The source file.
    pub path: String,
    /// Its name, or the first words of its first user message.
    pub title: Option<String>,
    /// The directory the agent worked in.
    pub cwd: Option<String>,
    /// The name of the project: the last part of `root`, else of `cwd`; empty when there is none.
    pub project: String,
    /// The folder of the project, by which sessions are grouped: the root of the git repository,
    /// else `cwd`.
    pub root: Option<String>,
    /// The name of the worktree of that repository in which the agent worked.
    pub worktree: Option<String>,
    /// Size of the source in bytes.
    pub bytes: u64,
    /// Provider of the newest request.
    pub provider: Option<String>,
    /// Model of the newest request.
    pub model: Option<String>,
    /// The session this one was forked from, as stored.
    pub parent_session: Option<String>,
    /// What that session is to this one.
    pub parent_kind: Option<LinkKind>,
    /// The newest version of the agent that wrote to it.
    pub agent_version: Option<String>,
    /// Version of the format the file declares.
    pub format_version: Option<u32>,
    /// When it was begun, Unix milliseconds.
    pub created_at_ms: Option<i64>,
    /// When its newest entry was written, Unix milliseconds.
    pub updated_at_ms: Option<i64>,
    /// Number of entries.
    pub entries: u64,
    /// Number of entries without children.
    pub leaves: u64,
    /// Number of compactions.
    pub compactions: u64,
    /// Number of branch summaries.
    pub branch_summaries: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Number of failed tool results and failed or aborted messages.
    pub errors: u64,
    /// Number of calls that the user rejected.
    pub rejections: u64,
    /// True when its tree has orphans, cycles or repeated ids, so that sums over it cannot be
    /// carried on from appended bytes alone.
    pub irregular: bool,
    /// Sum of what providers reported, and the cost.
    pub usage: Usage,
    /// True where the cost, or a part of it, is computed by prices and not stored by the agent.
    pub cost_computed: bool,
    /// True where the cost leaves out models without a price.
    pub cost_partial: bool,
    /// The largest context a provider reported, in tokens.
    pub peak_context: Option<u64>,
}

impl SessionRow {
    /// The row of a session of which nothing is known but its name and its file.
    pub fn blank(id: String, agent: Agent, native_id: String, path: String) -> Self {
        Self {
            num: SessionNum(0),
            id,
            agent,
            native_id,
            path,
            title: None,
            cwd: None,
            project: String::new(),
            root: None,
            worktree: None,
            bytes: 0,
            provider: None,
            model: None,
            parent_session: None,
            parent_kind: None,
            agent_version: None,
            format_version: None,
            created_at_ms: None,
            updated_at_ms: None,
            entries: 0,
            leaves: 0,
            compactions: 0,
            branch_summaries: 0,
            warnings: 0,
            errors: 0,
            rejections: 0,
            irregular: false,
            usage: Usage::default(),
            cost_computed: false,
            cost_partial: false,
            peak_context: None,
        }
    }
}

/// The order of a list. All but the title begin with the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionSort {
    /// Newest entry first.
    #[default]
    Updated,
    /// Last begun first.
    Created,
    /// By title, A to Z.
    Title,
    /// Most entries first.
    Entries,
    /// Largest source first.
    Size,
    /// Most expensive first.
    Cost,
    /// Largest reported context first.
    PeakContext,
    /// Most compactions first.
    Compactions,
    /// Most failed tool results and messages first.
    Errors,
    /// Most rejected calls first.
    Rejections,
}

impl SessionSort {
    fn sql(self) -> &'static str {
        match self {
            SessionSort::Updated => "updated_at DESC, num DESC",
            SessionSort::Created => "created_at DESC, num DESC",
            // Sessions without a title come last; NULL sorts first in SQLite.
            SessionSort::Title => "title IS NULL, title COLLATE NOCASE, num",
            SessionSort::Entries => "entries DESC, num DESC",
            SessionSort::Size => "bytes DESC, num DESC",
            SessionSort::Cost => "cost_usd DESC, num DESC",
            SessionSort::PeakContext => "peak_context DESC, num DESC",
            SessionSort::Errors => "errors DESC, updated_at DESC, num DESC",
            SessionSort::Rejections => "rejections DESC, updated_at DESC, num DESC",
            SessionSort::Compactions => "compactions DESC, updated_at DESC, num DESC",
        }
    }
}

/// What an index holds altogether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Sessions.
    pub sessions: u64,
    /// Their entries.
    pub entries: u64,
    /// Their warnings.
    pub warnings: u64,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionList {
    /// The sessions of the page.
    pub sessions: Vec<SessionRow>,
    /// How many there are on all pages.
    pub total: u64,
}

/// How many sessions of a filtered list fall into a project and agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupCount {
    /// The agent.
    pub agent: Agent,
    /// The project; empty for sessions without a directory.
    pub project: String,
    /// Its folder.
    pub root: Option<String>,
    /// The worktree of it.
    pub worktree: Option<String>,
    /// Number of sessions.
    pub sessions: u64,
    /// When the newest of them was updated, Unix milliseconds.
    pub updated_at_ms: Option<i64>,
}

pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let mut columns = Columns::of(row);
    Ok(SessionRow {
        num: SessionNum(columns.get()?),
        id: columns.get()?,
        agent: columns.named(|name| Some(Agent::from_stored(name)))?,
        native_id: columns.get()?,
        path: columns.get()?,
        title: columns.get()?,
        cwd: columns.get()?,
        project: columns.get()?,
        root: columns.get()?,
        worktree: columns.get()?,
        bytes: columns.uint()?,
        provider: columns.get()?,
        model: columns.get()?,
        parent_session: columns.get()?,
        parent_kind: columns
            .get::<Option<String>>()?
            .and_then(|name| LinkKind::from_name(&name)),
        agent_version: columns.get()?,
        format_version: columns.get()?,
        created_at_ms: columns.get()?,
        updated_at_ms: columns.get()?,
        entries: columns.uint()?,
        leaves: columns.uint()?,
        compactions: columns.uint()?,
        branch_summaries: columns.uint()?,
        warnings: columns.uint()?,
        errors: columns.uint()?,
        rejections: columns.uint()?,
        irregular: columns.get()?,
        usage: Usage {
            input: columns.uint()?,
            output: columns.uint()?,
            cache_read: columns.uint()?,
            cache_write: columns.uint()?,
            cache_write_hour: 0,
            total: columns.uint()?,
            reasoning: columns.uint_opt()?,
            cost_usd: columns.get()?,
        },
        cost_computed: columns.get()?,
        cost_partial: columns.get()?,
        peak_context: columns.uint_opt()?,
    })
}

impl IndexReader {
    /// One page of the sessions that pass `filter`.
    pub fn sessions(
        &self,
        filter: &SessionFilter,
        sort: SessionSort,
        offset: u64,
        limit: u64,
    ) -> Result<SessionList, StoreError> {
        let (condition, mut values) = filter.sql();
        let order = sort.sql();
        self.db.at((|| {
            // Counted apart: the page stops at its limit, and the list shows how many there are
            // in all.
            let count = format!("SELECT count(*) FROM sessions WHERE {condition}");
            let total: i64 = self
                .db
                .conn
                .prepare_cached(&count)?
                .query_row(params_from_iter(&values), |row| row.get(0))?;
            values.extend([Value::from(int(limit)), Value::from(int(offset))]);
            let page = format!(
                "SELECT * FROM sessions WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"
            );
            let mut statement = self.db.conn.prepare_cached(&page)?;
            let sessions: rusqlite::Result<_> = statement
                .query_map(params_from_iter(&values), from_row)?
                .collect();
            Ok(SessionList {
                sessions: sessions?,
                total: u64::try_from(total).unwrap_or(0),
            })
        })())
    }

    /// True when there is a session of the agent.
    pub fn has_agent(&self, agent: Agent) -> Result<bool, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM sessions WHERE agent = ?)")?;
            statement.query_row([agent.name()], |row| row.get(0))
        })())
    }

    /// What the index holds altogether.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        let sql = "SELECT count(*) AS sessions, coalesce(sum(entries), 0) AS entries, \
                   coalesce(sum(warnings), 0) AS warnings FROM sessions";
        self.db.at(self.db.conn.query_row(sql, [], |row| {
            Ok(Totals {
                sessions: uint(row, "sessions")?,
                entries: uint(row, "entries")?,
                warnings: uint(row, "warnings")?,
            })
        }))
    }

    /// How many sessions of an agent have their source at or below `path`, a folder or a file.
    pub fn sessions_below(&self, agent: Agent, path: &str) -> Result<u64, StoreError> {
        let folder = path.trim_end_matches(std::path::MAIN_SEPARATOR);
        let first = format!("{folder}{}", std::path::MAIN_SEPARATOR);
        // As in `sources_under`: a key range, and `#` for the sessions inside one file.
        let after = char::from_u32(u32::from(std::path::MAIN_SEPARATOR) + 1).unwrap_or('0');
        let sql = "SELECT count(*) AS sessions FROM sessions WHERE agent = ?1 AND \
                   (path = ?2 OR (path >= ?3 AND path < ?4) \
                   OR (path >= ?2 || '#' AND path < ?2 || '$'))";
        let values = (agent.to_string(), path, first, format!("{folder}{after}"));
        self.db.at(self
            .db
            .conn
            .query_row(sql, values, |row| uint(row, "sessions")))
    }

    /// How the sessions that pass `filter` spread over projects and agents, newest group first.
    pub fn session_groups(&self, filter: &SessionFilter) -> Result<Vec<GroupCount>, StoreError> {
        let (condition, values) = filter.sql();
        self.db.at((|| {
            let sql = format!(
                "SELECT agent, project, root, worktree, count(*) AS sessions, \
                 max(updated_at) AS updated_at \
                 FROM sessions WHERE {condition} GROUP BY agent, project, root, worktree \
                 ORDER BY max(updated_at) DESC, project"
            );
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            let group = |row: &Row<'_>| {
                Ok(GroupCount {
                    agent: named(row, "agent", |name| Some(Agent::from_stored(name)))?,
                    project: row.get("project")?,
                    root: row.get("root")?,
                    worktree: row.get("worktree")?,
                    sessions: uint(row, "sessions")?,
                    updated_at_ms: row.get("updated_at")?,
                })
            };
            statement
                .query_map(params_from_iter(&values), group)?
                .collect()
        })())
    }

    /// The session with this number.
    pub fn session(&self, num: SessionNum) -> Result<Option<SessionRow>, StoreError> {
        self.one_session("SELECT * FROM sessions WHERE num = ?", Value::from(num.0))
    }

    /// The session with exactly this id.
    pub fn session_by_id(&self, id: &str) -> Result<Option<SessionRow>, StoreError> {
        self.one_session(
            "SELECT * FROM sessions WHERE id = ?",
            Value::from(id.to_owned()),
        )
    }

    /// The sessions of `agent` that it calls `native_id`: more than one where files were copied.
    pub fn sessions_by_native_id(
        &self,
        agent: Agent,
        native_id: &str,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT * FROM sessions WHERE native_id = ? AND agent = ? ORDER BY num",
            )?;
            statement
                .query_map((native_id, agent.name()), from_row)?
                .collect()
        })())
    }

    /// The files that hold a session, by the stable id of each, the newest first; at most `limit`.
    /// Files that name no session hold no common one.
    pub fn files_of(
        &self,
        agent: Agent,
        native_id: &str,
        limit: u64,
    ) -> Result<Vec<String>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT id FROM sessions WHERE native_id = ? AND agent = ? AND native_id <> '' \
                 ORDER BY updated_at DESC, path LIMIT ?",
            )?;
            statement
                .query_map((native_id, agent.name(), int(limit)), |row| row.get(0))?
                .collect()
        })())
    }

    /// Of those of `rows` whose session is in other files as well, one of these by its id: the newest,
    /// or for the newest itself the next. Files that name no session are no copies of each other.
    pub fn copies(&self, rows: &[SessionRow]) -> Result<HashMap<SessionNum, String>, StoreError> {
        self.db.at((|| {
            // Few sessions are in several files: these are looked up in the index of native ids.
            let mut several = self.db.conn.prepare_cached(
                "SELECT native_id FROM sessions WHERE native_id <> '' \
                 GROUP BY native_id HAVING count(*) > 1",
            )?;
            let names: HashSet<String> = several
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            let mut statement = self.db.conn.prepare_cached(
                "SELECT id FROM sessions WHERE native_id = ? AND agent = ? AND num <> ? \
                 ORDER BY updated_at DESC, path LIMIT 1",
            )?;
            let mut copies = HashMap::new();
            for row in rows.iter().filter(|row| names.contains(&row.native_id)) {
                let own = (&row.native_id, row.agent.name(), row.num.0);
                let other = statement.query_row(own, |row| row.get(0)).optional()?;
                copies.extend(other.map(|id: String| (row.num, id)));
            }
            Ok(copies)
        })())
    }

    /// The sessions whose id, or whose agent's own id, begins with `prefix`; at most `limit`.
    pub fn sessions_by_prefix(
        &self,
        prefix: &str,
        limit: u64,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                // Not LIKE: a native id may contain `_`, and LIKE ignores case. An empty text is the
                // beginning of each, and means none of them.
                "SELECT * FROM sessions WHERE ?1 <> '' AND (substr(id, 1, length(?1)) = ?1 \
                 OR substr(native_id, 1, length(?1)) = ?1) ORDER BY num DESC LIMIT ?2",
            )?;
            statement
                .query_map((prefix, int(limit)), from_row)?
                .collect()
        })())
    }

    /// The sessions of `agent` that name the session called `native_id`, or the one in `path`, as
    /// what they were forked from, continue or belong to; the oldest first, at most `limit`.
    pub fn sessions_by_parent(
        &self,
        agent: Agent,
        native_id: &str,
        path: &str,
        limit: u64,
    ) -> Result<Vec<SessionRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                // A file that was moved since is known by the id at the end of its name.
                "SELECT * FROM sessions WHERE agent = ?3 AND (parent_session IN (?1, ?2)
                     OR substr(parent_session, -length(?5)) = ?5)
                 ORDER BY created_at, num LIMIT ?4",
            )?;
            statement
                .query_map(
                    (
                        native_id,
                        path,
                        agent.name(),
                        int(limit),
                        format!("_{native_id}.jsonl"),
                    ),
                    from_row,
                )?
                .collect()
        })())
    }

    /// The sessions that continue another one, the oldest first.
    pub fn continuations(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT * FROM sessions WHERE parent_kind = 'continues'
                 ORDER BY created_at IS NULL, created_at, path",
            )?;
            statement.query_map([], from_row)?.collect()
        })())
    }

    /// Sessions of `agent` in `project` that hold an entry called `entry_id`, without the session
    /// `but`: their ids and their agent's own, in the order they were read, at most `limit`.
    pub fn sessions_with_entry(
        &self,
        agent: Agent,
        project: &str,
        entry_id: &str,
        but: &str,
        limit: u64,
    ) -> Result<Vec<(String, String)>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT id, native_id FROM sessions
                 WHERE agent = ?1 AND project = ?2 AND id <> ?4 AND EXISTS (
                     SELECT 1 FROM entries
                     WHERE entries.session = sessions.num AND entries.entry_id = ?3)
                 ORDER BY num LIMIT ?5",
            )?;
            let found = statement
                .query_map((agent.name(), project, entry_id, but, int(limit)), |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?;
            found.collect()
        })())
    }

    /// The session read from this file.
    pub fn session_by_path(&self, path: &str) -> Result<Option<SessionRow>, StoreError> {
        let sql = "SELECT sessions.* FROM sources JOIN sessions ON sessions.num = sources.session \
                   WHERE sources.path = ?";
        self.one_session(sql, Value::from(path.to_owned()))
    }

    fn one_session(&self, sql: &str, key: Value) -> Result<Option<SessionRow>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(sql)?;
            statement.query_row([key], from_row).optional()
        })())
    }
}

impl IndexWriter<'_> {
    /// Writes a session's row and returns its number: the old one where the id is known
    /// (`session.num` is not looked at).
    pub fn put_session(&self, session: &SessionRow) -> Result<SessionNum, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                // Not INSERT OR REPLACE, which would give the session a new number while its
                // entries have the old one.
                "INSERT INTO sessions (id, agent, native_id, path, title, cwd, project, root, worktree, bytes, provider,
                     model, parent_session, parent_kind, agent_version, format_version, created_at,
                     updated_at, entries, leaves, compactions, branch_summaries, warnings, errors, rejections, irregular, input,
                     output, cache_read, cache_write, total, reasoning, cost_usd,
                     cost_computed, cost_partial, peak_context)
                 VALUES (:id, :agent, :native_id, :path, :title, :cwd, :project, :root, :worktree, :bytes, :provider,
                     :model, :parent_session, :parent_kind, :agent_version, :format_version,
                     :created_at, :updated_at, :entries, :leaves, :compactions, :branch_summaries, :warnings, :errors, :rejections, :irregular,
                     :input, :output, :cache_read, :cache_write, :total, :reasoning, :cost_usd,
                     :cost_computed, :cost_partial, :peak_context)
                 ON CONFLICT (id) DO UPDATE SET agent = excluded.agent,
                     native_id = excluded.native_id, path = excluded.path, title = excluded.title,
                     cwd = excluded.cwd, project = excluded.project, root = excluded.root,
                     worktree = excluded.worktree, bytes = excluded.bytes,
                     provider = excluded.provider,
                     model = excluded.model, parent_session = excluded.parent_session,
                     parent_kind = excluded.parent_kind, agent_version = excluded.agent_version,
                     format_version = excluded.format_version, created_at = excluded.created_at,
                     updated_at = excluded.updated_at, entries = excluded.entries,
                     leaves = excluded.leaves, compactions = excluded.compactions,
                     branch_summaries = excluded.branch_summaries, warnings = excluded.warnings,
                     errors = excluded.errors, rejections = excluded.rejections, irregular = excluded.irregular,
                     input = excluded.input, output = excluded.output,
                     cache_read = excluded.cache_read, cache_write = excluded.cache_write,
                     total = excluded.total, reasoning = excluded.reasoning,
                     cost_usd = excluded.cost_usd,
                     cost_computed = excluded.cost_computed,
                     cost_partial = excluded.cost_partial, peak_context = excluded.peak_context
                 RETURNING num",
            )?;
            let usage = &session.usage;
            let num = statement.query_row(
                named_params! {
                    ":id": session.id,
                    ":agent": session.agent.name(),
                    ":native_id": session.native_id,
                    ":path": session.path,
                    ":title": session.title,
                    ":cwd": session.cwd,
                    ":project": session.project,
                    ":root": session.root,
                    ":worktree": session.worktree,
                    ":bytes": int(session.bytes),
                    ":provider": session.provider,
                    ":model": session.model,
                    ":parent_session": session.parent_session,
                    ":parent_kind": session.parent_kind.map(LinkKind::name),
                    ":agent_version": session.agent_version,
                    ":format_version": session.format_version,
                    ":created_at": session.created_at_ms,
                    ":updated_at": session.updated_at_ms,
                    ":entries": int(session.entries),
                    ":leaves": int(session.leaves),
                    ":compactions": int(session.compactions),
                    ":branch_summaries": int(session.branch_summaries),
                    ":warnings": int(session.warnings),
                    ":errors": int(session.errors),
                    ":rejections": int(session.rejections),
                    ":irregular": session.irregular,
                    ":input": int(usage.input),
                    ":output": int(usage.output),
                    ":cache_read": int(usage.cache_read),
                    ":cache_write": int(usage.cache_write),
                    ":total": int(usage.total),
                    ":reasoning": usage.reasoning.map(int),
                    ":cost_usd": usage.cost_usd,
                    ":cost_computed": session.cost_computed,
                    ":cost_partial": session.cost_partial,
                    ":peak_context": session.peak_context.map(int),
                },
                |row| row.get(0),
            )?;
            Ok(SessionNum(num))
        })())
    }

    /// Deletes what was read from a session, and keeps its row and number.
    pub fn clear_session(&self, num: SessionNum) -> Result<(), StoreError> {
        // Some of what is held back may be of this session.
        self.write_words()?;
        self.db.at((|| {
            // Words before entries: their numbers are found through the entries.
            for sql in [
                "DELETE FROM words WHERE rowid IN (SELECT num FROM entries WHERE session = ?)",
                "DELETE FROM failed_calls WHERE entry IN \
                 (SELECT num FROM entries WHERE session = ?)",
                "DELETE FROM entries WHERE session = ?",
                "DELETE FROM summaries WHERE session = ?",
                "DELETE FROM files WHERE session = ?",
                "DELETE FROM spending WHERE session = ?",
                "DELETE FROM warnings WHERE session = ?",
                "DELETE FROM traits WHERE session = ?",
                "DELETE FROM flagged WHERE session = ?",
                "DELETE FROM open_todos WHERE session = ?",
                "DELETE FROM beginnings WHERE session = ?",
            ] {
                self.db.conn.prepare_cached(sql)?.execute([num.0])?;
            }
            Ok(())
        })())
    }

    /// Deletes a session and what was read from it.
    pub fn remove_session(&self, num: SessionNum) -> Result<(), StoreError> {
        self.clear_session(num)?;
        self.db.at(self
            .db
            .conn
            .execute("DELETE FROM sessions WHERE num = ?", [num.0]))?;
        Ok(())
    }
}

//! How sessions are named: the id that lists show, the ids that records of agents name, and the
//! names of files.

use super::filter::SHORTEST_PART;
use super::{IndexReader, SessionNum, SessionRow};
use crate::error::StoreError;
use palimpsest_core::Agent;
use rusqlite::OptionalExtension as _;
use std::collections::HashMap;

/// The shortest beginning of an id that is shown.
const SHORTEST_SHOWN: usize = 8;
/// Ids up to this length are shown whole.
const LONGEST_WHOLE: usize = 12;
/// Palimpsest's own ids are cut here.
const OWN_SHOWN: usize = 9;
/// For more rows than these all ids are read once instead of the neighbours of each.
const MANY_ROWS: usize = 100;

/// What stands around an id in the order of all ids.
#[derive(Debug, Default)]
struct Around {
    /// Bytes that the id has in common with the nearest other one.
    common: usize,
    /// True where several sessions have the id.
    shared: bool,
}

impl IndexReader {
    /// The id of each session as lists show it and commands take it: the beginning of the agent's own
    /// id, as long as no other session has it, with an ellipsis where it is cut; Palimpsest's where
    /// several files hold one session or the agent has no ids.
    pub fn shown_ids(
        &self,
        rows: &[SessionRow],
    ) -> Result<HashMap<SessionNum, String>, StoreError> {
        let around = if rows.len() > MANY_ROWS {
            self.around_all()?
        } else {
            self.around_each(rows)?
        };
        let shown = rows.iter().map(|row| {
            let known = around.get(&row.native_id);
            (row.num, shown(row, known.unwrap_or(&Around::default())))
        });
        Ok(shown.collect())
    }

    fn around_each(&self, rows: &[SessionRow]) -> Result<HashMap<String, Around>, StoreError> {
        self.db.at((|| {
            let mut before = self.db.conn.prepare_cached(
                "SELECT native_id FROM sessions WHERE native_id < ? ORDER BY native_id DESC LIMIT 1",
            )?;
            let mut after = self.db.conn.prepare_cached(
                "SELECT native_id FROM sessions WHERE native_id > ? ORDER BY native_id LIMIT 1",
            )?;
            let mut count = self.db.conn.prepare_cached(
                "SELECT count(*) FROM (SELECT 1 FROM sessions WHERE native_id = ? LIMIT 2)",
            )?;
            let mut all = HashMap::new();
            for own in rows.iter().map(|row| &row.native_id) {
                let mut common = 0;
                for statement in [&mut before, &mut after] {
                    let other: Option<String> =
                        statement.query_row([own], |row| row.get(0)).optional()?;
                    common = common.max(other.map_or(0, |other| in_common(own, &other)));
                }
                let count: i64 = count.query_row([own], |row| row.get(0))?;
                let shared = count > 1;
                all.insert(own.clone(), Around { common, shared });
            }
            Ok(all)
        })())
    }

    fn around_all(&self) -> Result<HashMap<String, Around>, StoreError> {
        let ids: Vec<String> = self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT native_id FROM sessions ORDER BY native_id")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })())?;
        let mut all: HashMap<String, Around> = HashMap::with_capacity(ids.len());
        for pair in ids.windows(2) {
            let common = in_common(&pair[0], &pair[1]);
            for id in pair {
                let own = all.entry(id.clone()).or_default();
                if pair[0] == pair[1] {
                    own.shared = true;
                } else {
                    own.common = own.common.max(common);
                }
            }
        }
        Ok(all)
    }

    /// The id of the session that lies in `path`, or that one of `agent` calls `native_id`; where
    /// copies share the name the oldest, then the first by path: the order of reading decides nothing.
    pub fn session_named(
        &self,
        agent: Agent,
        native_id: &str,
        path: &str,
    ) -> Result<Option<String>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT id FROM (
                     SELECT 0 AS far, s.id, s.created_at, s.path
                         FROM sources JOIN sessions s ON s.num = sources.session
                         WHERE sources.path = ?3
                     UNION ALL SELECT 1, id, created_at, path FROM sessions
                         WHERE native_id = ?2 AND agent = ?1)
                 ORDER BY far, created_at IS NULL, created_at, path, id LIMIT 1",
            )?;
            statement
                .query_row((agent.name(), native_id, path), |row| row.get(0))
                .optional()
        })())
    }

    /// The sessions whose file is called so, with or without its ending; where there is none, those
    /// whose file has it in its name, from six characters on. At most `limit`.
    pub fn sessions_by_file(
        &self,
        name: &str,
        limit: usize,
    ) -> Result<Vec<SessionRow>, StoreError> {
        if name.is_empty() {
            return Ok(Vec::new());
        }
        // The name is cut out of the path here: SQL has no short way, and all sessions are looked at.
        let with_part: Vec<(i64, String)> = self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT num, path FROM sessions WHERE instr(path, ?) > 0")?;
            let rows = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })())?;
        let is_whole = |(_, path): &(i64, String)| {
            let rest = file_name(path).strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '#']))
        };
        let has_part = |(_, path): &(i64, String)| file_name(path).contains(name);
        let (whole, others): (Vec<_>, Vec<_>) = with_part.into_iter().partition(is_whole);
        let mut found = if !whole.is_empty() {
            whole
        } else if name.chars().count() >= SHORTEST_PART {
            others.into_iter().filter(has_part).collect()
        } else {
            Vec::new()
        };
        found.sort_by(|(_, one), (_, other)| one.cmp(other));
        let rows = found.into_iter().take(limit);
        let rows = rows.map(|(num, _)| self.session(SessionNum(num)));
        // One may be removed between the two questions.
        rows.filter_map(Result::transpose).collect()
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit_once(['/', '\\']).map_or(path, |(_, name)| name)
}

/// The id of a session as it is shown.
fn shown(row: &SessionRow, around: &Around) -> String {
    let native = row.native_id.as_str();
    let is_of_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let has_digit = native.contains(|c: char| c.is_ascii_digit());
    let is_id = native.len() >= SHORTEST_PART && has_digit && native.chars().all(is_of_id);
    if around.shared || !is_id {
        return cut(&row.id, OWN_SHOWN);
    }
    if native.len() <= LONGEST_WHOLE {
        return native.to_owned();
    }
    cut(native, SHORTEST_SHOWN.max(around.common + 1))
}

/// The beginning of an id, which is ASCII, with an ellipsis for the rest.
fn cut(id: &str, len: usize) -> String {
    match id.get(..len) {
        Some(beginning) if len < id.len() => format!("{}…", beginning.trim_end_matches('-')),
        _ => id.to_owned(),
    }
}

fn in_common(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

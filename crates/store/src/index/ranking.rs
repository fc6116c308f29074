//! Hits counted by what they are of: the tool, the command, the project, the agent.

use super::IndexReader;
use super::fulltext::{Hit, HitQuery};
use crate::error::StoreError;
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// What hits are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankBy {
    /// The tools that entries call or hold results of.
    Tool,
    /// The tools of calls that failed or were rejected.
    FailedTool,
    /// The commands of calls that failed or were rejected.
    FailedCommand,
    /// The project of the session.
    Project,
    /// The agent that wrote the session.
    Agent,
}

/// Which of the calls that failed or were rejected are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedCalls {
    /// Those that failed.
    pub failed: bool,
    /// Those that the user rejected.
    pub rejected: bool,
}

/// Hits with one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranked {
    /// The name.
    pub name: String,
    /// How many there are: calls where calls are counted, else entries.
    pub count: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// The newest of them; `None` when it was removed meanwhile.
    pub newest: Option<Hit>,
}

/// Hits counted by name, the most frequent first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranking {
    /// The most frequent names.
    pub rows: Vec<Ranked>,
    /// How many names there are.
    pub names: u64,
    /// How many entries were found.
    pub entries: u64,
    /// How many of these have no such name.
    pub without: u64,
}

/// What is known of a name while hits are read.
#[derive(Default)]
struct Group {
    /// As it was written first: filters of tools ignore case, and agents spell one tool differently.
    spelling: String,
    count: u64,
    sessions: HashSet<i64>,
    newest: Option<(i64, i64)>,
}

impl IndexReader {
    /// Counts the entries with these words by what they are of. Every one of them is looked at: about
    /// 1 µs each.
    pub fn ranking(
        &self,
        query: &HitQuery,
        by: RankBy,
        calls: CountedCalls,
        most: usize,
    ) -> Result<Ranking, StoreError> {
        let Some(expression) = query.expression() else {
            return Ok(Ranking::default());
        };
        let (condition, values) = query.filter.sql();
        let mut arguments: Vec<Value> = vec![expression.into()];
        arguments.extend(values);
        let in_rows = query.in_rows();
        let (name, joined) = match by {
            RankBy::Tool => ("entries.tools", ""),
            RankBy::FailedTool | RankBy::FailedCommand => {
                let name = match by {
                    RankBy::FailedCommand => "failed_calls.command",
                    _ => "failed_calls.tool",
                };
                let joined = match (calls.failed, calls.rejected) {
                    (true, false) => "AND NOT failed_calls.rejected",
                    (false, true) => "AND failed_calls.rejected",
                    _ => "",
                };
                (name, joined)
            }
            RankBy::Project => ("sessions.project", ""),
            RankBy::Agent => ("sessions.agent", ""),
        };
        let join = match by {
            RankBy::FailedTool | RankBy::FailedCommand => {
                format!("LEFT JOIN failed_calls ON failed_calls.entry = entries.num {joined}")
            }
            RankBy::Project | RankBy::Agent => {
                "JOIN sessions ON sessions.num = entries.session".to_owned()
            }
            RankBy::Tool => String::new(),
        };
        let sql = format!(
            "SELECT entries.num, entries.session, entries.at, {name} \
             FROM words JOIN entries ON entries.num = words.rowid {join} \
             WHERE words MATCH ? AND {in_rows} \
             AND entries.session IN (SELECT num FROM sessions WHERE {condition})"
        );
        let mut groups: HashMap<String, Group> = HashMap::new();
        let mut ranking = Ranking::default();
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(&arguments))?;
            // The results of one entry come one after the other.
            let (mut newest, mut named) = (None, true);
            while let Some(row) = rows.next()? {
                let num: i64 = row.get(0)?;
                if newest != Some(num) {
                    ranking.without += u64::from(!named);
                    ranking.entries += 1;
                    (newest, named) = (Some(num), false);
                }
                for name in names(row)?.iter().filter(|name| !name.is_empty()) {
                    named = true;
                    add(&mut groups, name, row, num)?;
                }
            }
            ranking.without += u64::from(!named);
            Ok(())
        })())?;
        ranking.names = groups.len() as u64;
        let mut groups: Vec<(String, Group)> = groups.into_iter().collect();
        groups.sort_by(|(a, one), (b, other)| {
            (Reverse(one.count), a).cmp(&(Reverse(other.count), b))
        });
        groups.truncate(most);
        for (_, group) in groups {
            let newest = group.newest.map(|(_, num)| num);
            ranking.rows.push(Ranked {
                name: group.spelling,
                count: group.count,
                sessions: group.sessions.len() as u64,
                newest: self.hits_of(newest.into_iter())?.pop(),
            });
        }
        Ok(ranking)
    }
}

/// The names of a row: one for each line, each once.
fn names(row: &Row<'_>) -> rusqlite::Result<Vec<String>> {
    let text: Option<String> = row.get(3)?;
    let mut names: Vec<String> = Vec::new();
    for line in text.as_deref().unwrap_or_default().lines() {
        if !names.iter().any(|name| name == line) {
            names.push(line.to_owned());
        }
    }
    Ok(names)
}

fn add(
    groups: &mut HashMap<String, Group>,
    name: &str,
    row: &Row<'_>,
    num: i64,
) -> rusqlite::Result<()> {
    let session: i64 = row.get(1)?;
    let at: Option<i64> = row.get(2)?;
    let group = groups.entry(name.to_lowercase()).or_insert_with(|| Group {
        spelling: name.to_owned(),
        ..Group::default()
    });
    group.count += 1;
    group.sessions.insert(session);
    group.newest = group.newest.max(Some((at.unwrap_or(i64::MIN), num)));
    Ok(())
}

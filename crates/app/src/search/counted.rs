//! Hits counted by what they are of: which tool, which command, which project.

use super::hit_query;
use super::query::Query;
use palimpsest_store::index::{CountedCalls, Field, IndexReader, RankBy, Ranked};
use palimpsest_store::{IndexDb, StoreError, UserDb};
use std::collections::HashMap;
use std::time::Instant;

/// What hits are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountBy {
    /// The tools of their calls; of a query for failed or rejected ones only of these calls.
    Tool,
    /// The commands of their failed and rejected calls.
    Command,
    /// The project of the session.
    Project,
    /// The agent that wrote the session.
    Agent,
}

/// Hits counted by what they are of, the most frequent first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HitCounts {
    /// The most frequent names.
    pub rows: Vec<HitCount>,
    /// How many names there are.
    pub names: u64,
    /// How many entries were found.
    pub hits: u64,
    /// How many of these have no such name.
    pub without: u64,
    /// True where calls are counted and not entries.
    pub counts_calls: bool,
    /// True when the query asks for nothing that entries have.
    pub nothing_asked: bool,
    /// What of the query has another effect than it says, in words.
    pub ignored: Vec<String>,
    /// Filters with a value that makes no sense, in words; then nothing is counted.
    pub not_understood: Vec<String>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// Hits with one name.
#[derive(Debug, Clone, PartialEq)]
pub struct HitCount {
    /// The tool, the command, the project or the agent.
    pub name: String,
    /// How many there are.
    pub count: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// The query that finds them.
    pub query: String,
    /// The newest of them.
    pub newest: Option<NewestHit>,
}

/// The newest hit with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct NewestHit {
    /// The session's stable id.
    pub session_id: String,
    /// Its title; empty when it has none.
    pub title: String,
    /// The entry's id.
    pub entry_id: String,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
}

/// Counts the entries that fit a query, of which `most` names are listed.
pub fn count_hits(
    db: &IndexDb,
    user: Option<&UserDb>,
    text: &str,
    by: CountBy,
    most: u64,
) -> Result<HitCounts, StoreError> {
    let started = Instant::now();
    let query = Query::parse(text);
    let mut counts = HitCounts {
        ignored: query.ignored.clone(),
        not_understood: query.not_understood.clone(),
        ..HitCounts::default()
    };
    if !counts.not_understood.is_empty() {
        return Ok(counts);
    }
    if !query.asks_for_entries() {
        counts.nothing_asked = true;
        let reason = "all filters of the query choose sessions, and entries are counted: \
                      `kind:error` finds what failed";
        counts.ignored.push(reason.to_owned());
        return Ok(counts);
    }
    if has_phrase(&query) {
        let reason = "entries with all words of a phrase are counted, in any order";
        counts.ignored.push(reason.to_owned());
    }
    let asks = |kind: &str| {
        let mut kinds = query.fields.iter().flatten();
        kinds.any(|own| own.field == Field::Kind && own.text == kind)
    };
    let calls = CountedCalls {
        failed: asks("error"),
        rejected: asks("rejected"),
    };
    let (rank, calls) = match (by, calls.failed || calls.rejected) {
        (CountBy::Tool, true) => (RankBy::FailedTool, calls),
        (CountBy::Tool, false) => (RankBy::Tool, calls),
        (CountBy::Command, true) => (RankBy::FailedCommand, calls),
        (CountBy::Command, false) => {
            let reason = "only failed and rejected calls are counted by command";
            counts.ignored.push(reason.to_owned());
            let all = CountedCalls {
                failed: true,
                rejected: true,
            };
            (RankBy::FailedCommand, all)
        }
        (CountBy::Project, _) => (RankBy::Project, calls),
        (CountBy::Agent, _) => (RankBy::Agent, calls),
    };
    counts.counts_calls = matches!(rank, RankBy::FailedTool | RankBy::FailedCommand);
    let reader = db.reader()?;
    let request = hit_query(&query, query.filter_with(user)?);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let ranking = reader.ranking(&request, rank, calls, most)?;
    counts.names = ranking.names;
    counts.hits = ranking.entries;
    counts.without = ranking.without;
    let titles = user.map(UserDb::titles).transpose()?.unwrap_or_default();
    for row in ranking.rows {
        counts.rows.push(HitCount {
            query: narrowed(text, by, &row.name),
            newest: newest(&reader, &titles, &row)?,
            name: row.name,
            count: row.count,
            sessions: row.sessions,
        });
    }
    counts.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(counts)
}

fn has_phrase(query: &Query) -> bool {
    let mut words = query.words.iter().chain(&query.without);
    words.any(|word| word.is_phrase())
}

/// The query with a filter for one name.
fn narrowed(text: &str, by: CountBy, name: &str) -> String {
    let filter = match by {
        CountBy::Tool => "tool",
        CountBy::Command => "cmd",
        CountBy::Project => "project",
        CountBy::Agent => "agent",
    };
    let plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    // A quote cannot stand in a quoted value.
    let name = name.replace('"', " ");
    let value = if name.chars().all(plain) {
        name
    } else {
        format!("\"{name}\"")
    };
    format!("{} {filter}:{value}", text.trim())
}

fn newest(
    reader: &IndexReader,
    titles: &HashMap<String, String>,
    row: &Ranked,
) -> Result<Option<NewestHit>, StoreError> {
    let Some(hit) = &row.newest else {
        return Ok(None);
    };
    let Some(session) = reader.session(hit.entry.session)? else {
        return Ok(None);
    };
    let own = titles.get(&session.id).cloned().or(session.title);
    Ok(Some(NewestHit {
        session_id: session.id,
        title: own.unwrap_or_default(),
        entry_id: hit.entry.entry_id.clone(),
        at_ms: hit.entry.at_ms,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_filter() {
        for (name, by, query) in [
            ("bash", CountBy::Tool, "kind:error tool:bash"),
            (
                "cargo test",
                CountBy::Command,
                "kind:error cmd:\"cargo test\"",
            ),
            (
                "my \"own\" app",
                CountBy::Project,
                "kind:error project:\"my  own  app\"",
            ),
        ] {
            assert_eq!(narrowed("kind:error ", by, name), query);
        }
    }
}

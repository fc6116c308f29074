//! Lists of sessions.

use super::found::SessionPage;
use super::hit_query;
use super::kin::{continued, parents};
use super::matching::Pattern;
use super::opened::Opened;
use super::query::Query;
use super::reading::text_of;
use super::taken::Finds;
use super::taken_back::taken_back;
use super::wider::wider;
use palimpsest_core::title::title_of_prompt;
use palimpsest_store::index::{SessionFilter, SessionNum, SessionRow, SessionSet, SessionSort};
use palimpsest_store::{IndexDb, IndexReader, StoreError, UserDb};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Entries by which sessions are ranked; only counted.
const MOST_COUNTED: u64 = 20_000;

/// What to list of the sessions.
#[derive(Debug, Clone, Copy, Default)]
pub struct ListOptions {
    /// The order.
    pub sort: ListSort,
    /// How many sessions to skip.
    pub offset: u64,
    /// How many to list; all without.
    pub limit: Option<u64>,
    /// True to leave out the sessions of subagents unless the query says `is:`.
    pub hide_subagents: bool,
}

/// The order of a list of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListSort {
    /// By what the index knows.
    By(SessionSort),
    /// Words in title, project or folder first, then the most entries with the words. Such a list
    /// also has the sessions that have the words only in their text.
    Relevance,
}

impl Default for ListSort {
    fn default() -> ListSort {
        ListSort::By(SessionSort::Updated)
    }
}

/// The sessions that fit a query, whose words are looked for in title, project, directory and
/// path, and in the notes, labels and titles in `user`.
pub fn sessions(
    db: &IndexDb,
    user: Option<&UserDb>,
    text: &str,
    options: ListOptions,
) -> Result<SessionPage, StoreError> {
    let mut page = page_of(db, user, text, options)?;
    if page.total + page.hidden == 0 && page.not_understood.is_empty() {
        let counted = ListOptions {
            sort: ListSort::default(),
            offset: 0,
            limit: Some(0),
            ..options
        };
        let finds = |query: &str| {
            let found = page_of(db, user, query, counted)?;
            let count = found.total + found.hidden;
            let understood = found.not_understood.is_empty();
            Ok::<_, StoreError>(understood.then_some(Finds::Count(count)))
        };
        // Titles and paths are not in the vocabulary, which is of entries.
        page.wider = wider(text, finds, |words| Ok(vec![Vec::new(); words.len()]))?;
    }
    Ok(page)
}

fn page_of(
    db: &IndexDb,
    user: Option<&UserDb>,
    text: &str,
    options: ListOptions,
) -> Result<SessionPage, StoreError> {
    let query = Query::parse(text);
    if !query.not_understood.is_empty() {
        return Ok(SessionPage {
            ignored: query.ignored,
            not_understood: query.not_understood,
            ..SessionPage::default()
        });
    }
    let mut filter = query.session_filter(user)?;
    let mut ignored = query.ignored.clone();
    let reader = db.reader()?;
    let titles = user.map(UserDb::titles).transpose()?.unwrap_or_default();
    if !query.without.is_empty() {
        let all = reader.sessions(&filter, SessionSort::Updated, 0, u64::MAX)?;
        let unwanted: Vec<Pattern> = query.without.iter().map(Pattern::new).collect();
        let said = |row: &SessionRow| {
            let text = said_of(row, &titles);
            unwanted.iter().any(|word| word.is_in(&text))
        };
        let ids = all.sessions.into_iter().filter(said).map(|row| row.id);
        filter.sets.push(SessionSet {
            ids: ids.collect(),
            inside: false,
        });
    }
    let mut counts = HashMap::new();
    if options.sort == ListSort::Relevance && query.asks_for_entries() {
        let hits = hit_query(&query, SessionFilter::default());
        let (found, more) = reader.hit_counts(&hits, MOST_COUNTED)?;
        if more {
            ignored.push(format!(
                "sessions are ranked by the newest {MOST_COUNTED} entries with these words"
            ));
        }
        filter.or_hits = found.keys().map(|num| num.0).collect();
        counts = found;
    }
    let copied = palimpsest_formats::formats().iter();
    for format in copied.filter(|format| format.exports_copies()) {
        // A condition reads every row, and most users have no such agent.
        if reader.has_agent(format.agent())? {
            filter.newest_copy_of.push(format.agent());
        }
    }
    let mut hidden = 0;
    if options.hide_subagents && !query.says_is {
        let only = SessionFilter {
            is_subagent: Some(true),
            ..filter.clone()
        };
        hidden = reader.sessions(&only, SessionSort::Updated, 0, 0)?.total;
        filter.is_subagent = Some(false);
    }
    let (offset, limit) = (options.offset, options.limit.unwrap_or(u64::MAX));
    let mut list = match options.sort {
        ListSort::By(sort) if sort != SessionSort::Title || titles.is_empty() => {
            reader.sessions(&filter, sort, offset, limit)?
        }
        own => {
            let mut list = reader.sessions(&filter, SessionSort::Updated, 0, u64::MAX)?;
            if own == ListSort::Relevance {
                let count = |row: &SessionRow| counts.get(&row.num).copied().unwrap_or(0);
                list.sessions
                    .sort_by_cached_key(|row| Reverse((row_has(row, &titles, &query), count(row))));
            } else {
                let title = |row: &SessionRow| {
                    let own = titles.get(&row.id).or(row.title.as_ref());
                    (own.is_none(), own.map(|title| title.to_lowercase()))
                };
                list.sessions.sort_by_cached_key(title);
            }
            let from = usize::try_from(offset).unwrap_or(usize::MAX);
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            list.sessions = list.sessions.into_iter().skip(from).take(most).collect();
            list
        }
    };
    for row in &mut list.sessions {
        if let Some(title) = titles.get(&row.id) {
            row.title = Some(title.clone());
        }
    }
    let parents = parents(&reader, &list.sessions, &titles)?;
    let continued = continued(&reader, &list.sessions, &titles)?;
    let shown = reader.shown_ids(&list.sessions)?;
    let differs = differences(&reader, &list.sessions)?;
    let taken_back = taken_back(&reader, &list.sessions, &parents, &continued)?;
    let copies = reader.copies(&list.sessions)?;
    Ok(SessionPage {
        total: list.total,
        differs,
        taken_back,
        copies,
        shown,
        parents,
        continued,
        numbers: query.numbers(),
        sessions: list.sessions,
        groups: reader.session_groups(&filter)?,
        hidden,
        hits: counts,
        ignored,
        ..SessionPage::default()
    })
}

/// For each session that shares its beginning with others the first prompt of its own.
fn differences(
    reader: &IndexReader,
    rows: &[SessionRow],
) -> Result<HashMap<SessionNum, String>, StoreError> {
    let mut differs = HashMap::new();
    let mut opened = Opened::default();
    for row in rows {
        let Some(ix) = reader.own_from(row.num)? else {
            continue;
        };
        let entry = reader.entries(row.num, ix, 1)?.into_iter().next();
        let text = entry.and_then(|entry| text_of(row, &entry, &mut opened));
        if let Some(words) = text.and_then(|text| title_of_prompt(&text)) {
            differs.insert(row.num, words);
        }
    }
    Ok(differs)
}

/// True when a session's title or project has every word of the query.
fn row_has(row: &SessionRow, titles: &HashMap<String, String>, query: &Query) -> bool {
    let text = said_of(row, titles);
    let mut words = query.words.iter().map(Pattern::new);
    !query.words.is_empty() && words.all(|word| word.is_in(&text))
}

/// Title, project and worktree of a session, one for each line.
fn said_of(row: &SessionRow, titles: &HashMap<String, String>) -> String {
    let title = titles.get(&row.id).or(row.title.as_ref());
    let fields = [title, Some(&row.project), row.worktree.as_ref()];
    let text: Vec<&str> = fields.into_iter().flatten().map(String::as_str).collect();
    text.join("\n")
}

//! Finding sessions and entries.
//!
//! A query is words that must all occur, `"phrases"`, `-exclusions` and filters (see
//! [`query`]). The index knows which words are in which entry; phrases and the text around a
//! match come from the session files themselves, so what is shown is what is there. Hits come in
//! the order in which entries were read, newest first, and are not ranked. Notes and labels of
//! the user that have the words come beside them (see [`marked`]).

mod marked;
mod matching;
pub mod query;

pub use marked::{MarkHit, MarkHits, MarkKind};

use crate::index::text_at;
use crate::source::{Content, Source};
use matching::{Pattern, excerpt};
use palimpsest_core::{Agent, RecordKind, Role};
use palimpsest_store::index::{
    GroupCount, Hit, HitQuery, SessionFilter, SessionNum, SessionRow, SessionSort,
};
use palimpsest_store::{IndexDb, IndexReader, StoreError, UserDb};
use query::{Query, Word};
use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Entries that are looked into for one page when a phrase has to be found in them. A phrase of
/// frequent words that is itself rare would otherwise mean reading every session.
const MOST_LOOKED_INTO: usize = 3_000;
/// How long entries are looked into for one page.
const LONGEST_LOOK: Duration = Duration::from_millis(400);

/// A page of hits, newest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HitPage {
    /// The hits.
    pub hits: Vec<EntryHit>,
    /// The notes and labels with the words; on the first page only.
    pub marks: MarkHits,
    /// True when there are more.
    pub more: bool,
    /// What of the query was not understood or not carried out, in words.
    pub ignored: Vec<String>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// An entry that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryHit {
    /// The session's stable id.
    pub session_id: String,
    /// Its title; empty when it has none.
    pub title: String,
    /// Its project.
    pub project: String,
    /// The agent that wrote it.
    pub agent: Agent,
    /// Its file.
    pub path: String,
    /// The entry's id.
    pub entry_id: String,
    /// Position of the entry in the session.
    pub ix: u32,
    /// 0-based physical line.
    pub line: u32,
    /// What the record is.
    pub kind: RecordKind,
    /// The role, where the entry has one message.
    pub role: Option<Role>,
    /// When it was written, Unix milliseconds.
    pub at_ms: Option<i64>,
    /// The text around the first match, on one line; empty when the source cannot be read.
    pub snippet: String,
    /// The matches in the snippet, in bytes.
    pub ranges: Vec<Range<usize>>,
    /// The same in UTF-16 code units, which JavaScript counts.
    pub ranges_utf16: Vec<Range<usize>>,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionPage {
    /// How many there are on all pages.
    pub total: u64,
    /// The sessions of this page.
    pub sessions: Vec<SessionRow>,
    /// How all of them spread over projects and agents, newest first.
    pub groups: Vec<GroupCount>,
    /// What of the query was not understood, in words.
    pub ignored: Vec<String>,
}

/// The sessions that fit a query, whose words are looked for in title, project, directory and
/// path, and in the notes and labels in `user`. Without a limit: all.
pub fn sessions(
    db: &IndexDb,
    user: Option<&UserDb>,
    query: &str,
    sort: SessionSort,
    offset: u64,
    limit: Option<u64>,
) -> Result<SessionPage, StoreError> {
    let query = Query::parse(query);
    let filter = query.session_filter(user)?;
    let mut ignored = query.ignored;
    for word in query.without {
        ignored.push(format!("-{}: words cannot exclude sessions", word.text));
    }
    let reader = db.reader()?;
    let list = reader.sessions(&filter, sort, offset, limit.unwrap_or(u64::MAX))?;
    let groups = reader.session_groups(&filter)?;
    Ok(SessionPage {
        total: list.total,
        sessions: list.sessions,
        groups,
        ignored,
    })
}

/// The entries that fit a query, newest first, and on the first page the notes and labels in
/// `user` that do.
pub fn search(
    db: &IndexDb,
    user: Option<&UserDb>,
    text: &str,
    offset: u64,
    limit: u64,
) -> Result<HitPage, StoreError> {
    let started = Instant::now();
    let query = Query::parse(text);
    let mut page = HitPage {
        ignored: query.ignored.clone(),
        ..HitPage::default()
    };
    let reader = db.reader()?;
    let filter = query.filter_with(user)?;
    if let Some(user) = user
        && offset == 0
    {
        page.marks = marked::mark_hits(&reader, user, &query, &filter)?;
    }
    if query.words.is_empty() {
        if !text.trim().is_empty() && !query.asks_for_marks() {
            page.ignored
                .push("no word to look for: give at least one besides filters".to_owned());
        }
        page.elapsed_ms = elapsed_ms(started);
        return Ok(page);
    }
    let finder = Finder {
        reader: &reader,
        wanted: query.words.iter().map(Pattern::new).collect(),
        unwanted: query
            .without
            .iter()
            // Single words are excluded by the index; it knows no phrases.
            .filter(|w| w.is_phrase())
            .map(Pattern::new)
            .collect(),
        started,
    };
    finder.fill(&mut page, hit_query(&query, filter), offset, limit)?;
    page.elapsed_ms = elapsed_ms(started);
    Ok(page)
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

struct Finder<'a> {
    reader: &'a IndexReader,
    wanted: Vec<Pattern>,
    unwanted: Vec<Pattern>,
    started: Instant,
}

impl Finder<'_> {
    fn fill(
        &self,
        page: &mut HitPage,
        mut request: HitQuery,
        offset: u64,
        limit: u64,
    ) -> Result<(), StoreError> {
        // Words alone are certain; phrases have to be looked up.
        let certain = !self
            .wanted
            .iter()
            .chain(&self.unwanted)
            .any(Pattern::is_phrase);
        // One more than the page tells whether there are more.
        request.limit = limit.saturating_add(1);
        if certain {
            request.limit = request.limit.saturating_add(offset);
        }
        let mut sessions: HashMap<SessionNum, Option<SessionRow>> = HashMap::new();
        let mut passed = 0;
        let mut looked_into = 0;
        let mut opened = None;
        loop {
            let hits = self.reader.hits(&request)?;
            let last = hits.last().map(|hit| hit.entry.num);
            let was_full = hits.len() as u64 >= request.limit;
            for hit in hits {
                if page.hits.len() as u64 >= limit {
                    page.more = true;
                    return Ok(());
                }
                if certain && passed < offset {
                    passed += 1;
                    continue;
                }
                let num = hit.entry.session;
                let session = match sessions.get(&num) {
                    Some(known) => known,
                    None => {
                        let row = self.reader.session(num)?;
                        sessions.entry(num).or_insert(row)
                    }
                };
                // Removed from the index between the two requests.
                let Some(session) = session else { continue };
                let text = text_of(session, &hit, &mut opened);
                looked_into += 1;
                if !certain {
                    if !text.as_deref().is_some_and(|text| self.fits(text)) {
                        continue;
                    }
                    if passed < offset {
                        passed += 1;
                        continue;
                    }
                }
                page.hits
                    .push(self.shown(session, hit, text.as_deref().unwrap_or_default()));
            }
            let spent = looked_into >= MOST_LOOKED_INTO || self.started.elapsed() >= LONGEST_LOOK;
            if !was_full {
                return Ok(());
            }
            if !certain && spent {
                page.more = true;
                page.ignored.push(format!(
                    "only the newest {looked_into} entries with these words were searched for the \
                     phrase, because the words are common"
                ));
                return Ok(());
            }
            // The next hits continue below the last number; offsets would scan the same words
            // again.
            request.before = last;
        }
    }

    fn fits(&self, text: &str) -> bool {
        self.wanted.iter().all(|pattern| pattern.is_in(text))
            && !self.unwanted.iter().any(|pattern| pattern.is_in(text))
    }

    fn shown(&self, session: &SessionRow, hit: Hit, text: &str) -> EntryHit {
        let excerpt = excerpt(text, &self.wanted);
        let entry = hit.entry;
        EntryHit {
            session_id: session.id.clone(),
            title: session.title.clone().unwrap_or_default(),
            project: session.project.clone(),
            agent: session.agent,
            path: session.path.clone(),
            entry_id: entry.entry_id,
            ix: entry.ix,
            line: entry.line,
            kind: entry.kind,
            role: entry.role,
            at_ms: entry.at_ms,
            ranges_utf16: excerpt.ranges_utf16(),
            ranges: excerpt.ranges,
            snippet: excerpt.text,
        }
    }
}

/// The source opened last, with its address: one hit after the other is often of the same session.
type Opened = Option<(String, Content)>;

fn text_of(session: &SessionRow, hit: &Hit, opened: &mut Opened) -> Option<String> {
    let entry = &hit.entry;
    if opened
        .as_ref()
        .is_none_or(|(path, _)| *path != session.path)
    {
        let source = Source::open(&session.path).ok()?;
        *opened = Some((session.path.clone(), source.content));
    }
    let (_, content) = opened.as_mut()?;
    text_at(
        session.agent,
        content,
        &session.path,
        session.format_version,
        entry.line,
        entry.offset,
        entry.len,
    )
}

/// What the index is asked: phrases by their words.
fn hit_query(query: &Query, filter: SessionFilter) -> HitQuery {
    let plain = |word: &&Word| !word.is_phrase();
    HitQuery {
        all: query.words.iter().map(|word| word.text.clone()).collect(),
        none: query
            .without
            .iter()
            .filter(plain)
            .map(|word| word.text.clone())
            .collect(),
        filter,
        before: None,
        limit: 0,
    }
}

#[cfg(test)]
mod tests;

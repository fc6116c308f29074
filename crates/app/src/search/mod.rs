//! Finding sessions and entries.
//!
//! A query is words that must all occur, `"phrases"`, `-exclusions` and filters (see
//! [`query`]). The index knows which words are in which entry; phrases and the text around a
//! match come from the session files themselves, so what is shown is what is there. Hits come in
//! the order in which entries were read, newest first, or ranked among the newest (see [`rank`]).
//! Notes and labels of the user that have the words come beside them (see [`marked`]).

mod answered;
mod context;
mod counted;
mod explained;
pub mod filters;
mod first_hits;
mod fitting;
mod forms;
mod found;
mod in_session;
mod inside;
mod kin;
mod listed;
mod marked;
mod matching;
mod meaning;
mod meant;
mod named;
mod on_page;
mod opened;
mod plain_text;
pub mod query;
mod rank;
mod reading;
mod repaired;
mod similar;
mod taken;
mod taken_back;
mod together;
mod trouble;
mod values;
mod wider;
mod worded;

pub use context::prompt_above;
pub use counted::{CountBy, HitCount, HitCounts, NewestHit, count_hits};
pub use found::{CompactionAt, EntryHit, HitPage, PlanAnswer, QueuedHit, SessionPage};
pub use inside::{Column, Inside, InsideHit};
pub use kin::SessionName;
pub(crate) use kin::{names_of, session_named};
pub use listed::{ListOptions, ListSort, sessions};
pub use marked::{MarkHit, MarkHits, MarkKind};
pub use named::{Named, NamedKind};
pub use taken::{Change, Wider};

use crate::index::{FAILED_TEST, REREAD, RecordAt, SUBAGENT, is_thinking};
use first_hits::FirstHits;
use matching::{Pattern, excerpt_of, shown_of};
use on_page::{CopyKey, OnPage};
use opened::Opened;
use palimpsest_core::Entry;
use palimpsest_store::index::{
    Field, Hit, HitOrder, HitQuery, SessionFilter, SessionNum, SessionRow, Sought, id_beginning,
};
use palimpsest_store::{IndexDb, IndexReader, StoreError, UserDb};
use query::{Query, Word};
use rank::relevance;
use reading::{raw_of, record_in, record_of, role_of, text_with};
use similar::similar_words;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use taken::Finds;
use trouble::trouble_in;
use wider::{FEW_HITS, wider, with_fewer_words};
use worded::kinds_meant;

/// Entries that are looked into for one page when a phrase has to be found in them. A phrase of
/// frequent words that is itself rare would otherwise mean reading every session.
const MOST_LOOKED_INTO: u64 = 3_000;

/// For a phrase so many times the page is asked for at once. Most entries with its words do not have
/// it, and to ask again is to pass what came before: a fifth of the time of such a search.
const LOOKED_INTO_AT_ONCE: u64 = 4;
/// How long entries are looked into for one page.
const LONGEST_LOOK: Duration = Duration::from_millis(400);
/// Entries that are ranked by relevance: each is read from its file.
const MOST_RANKED: u64 = 300;
/// Entries shown first because the query is the beginning of their id.
const MOST_NAMED: u64 = 10;

/// Hits of a changed search that are looked for where they cannot be counted.
const MOST_CHANGED: u64 = 20;

/// How much work a search for a phrase may be.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Entries that are looked into for one page.
    entries: u64,
    /// How long.
    time: Duration,
}

const BOUNDS: Bounds = Bounds {
    entries: MOST_LOOKED_INTO,
    time: LONGEST_LOOK,
};

/// The order of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HitSort {
    /// Last read first.
    #[default]
    Newest,
    /// First written first.
    Oldest,
    /// Best answer first, among the newest.
    Relevance,
    /// Largest entry first, by the agent's own estimate.
    Size,
}

/// The entries that fit a query, as [`hits`] finds them, and on the first page what to change in a
/// query that finds nothing or little.
pub fn search(
    db: &IndexDb,
    user: Option<&UserDb>,
    text: &str,
    sort: HitSort,
    offset: u64,
    limit: u64,
) -> Result<HitPage, StoreError> {
    let started = Instant::now();
    let mut page = hits(db, user, text, sort, offset, limit)?;
    let is_asked = page.not_understood.is_empty() && Query::parse(text).asks_for_entries();
    if offset == 0 && is_asked {
        let reader = db.reader()?;
        let _snapshot = reader.snapshot()?;
        page.wider = changes(&reader, user, text, &page)?;
        page.elapsed_ms = elapsed_ms(started);
    }
    Ok(page)
}

/// What to change in a query that found nothing or little. To look for it takes longer than to find
/// that nothing is there: each change is a search.
fn changes(
    reader: &IndexReader,
    user: Option<&UserDb>,
    text: &str,
    page: &HitPage,
) -> Result<Wider, StoreError> {
    let finds = |query: &str| finds(reader, user, query);
    let mut found = Wider::default();
    if page.is_empty() {
        let count = |word: &str| indexed(reader, word);
        found = wider(text, finds, |words| similar_words(reader, words, count))?;
    } else if page.together == 0
        && let Some(few) = page.total.filter(|total| *total <= FEW_HITS)
    {
        found = with_fewer_words(text, few, finds)?;
    }
    found.changes.splice(0..0, kinds_meant(text, finds)?);
    Ok(found)
}

/// The entries that fit a query, and on the first page the notes and labels in `user` that do.
pub fn hits(
    db: &IndexDb,
    user: Option<&UserDb>,
    text: &str,
    sort: HitSort,
    offset: u64,
    limit: u64,
) -> Result<HitPage, StoreError> {
    let started = Instant::now();
    let query = Query::parse(text);
    let mut page = HitPage {
        ignored: query.ignored.clone(),
        not_understood: query.not_understood.clone(),
        ..HitPage::default()
    };
    if !page.not_understood.is_empty() {
        return Ok(page);
    }
    let reader = db.reader()?;
    let _snapshot = reader.snapshot()?;
    let filter = query.filter_with(user)?;
    if let Some(user) = user
        && offset == 0
    {
        page.marks = marked::mark_hits(&reader, user, &query, &filter)?;
    }
    if offset == 0 {
        page.named = named::named(&reader, user, &query)?;
        page.named
            .extend(taken_back::continued_without(&reader, user, &query)?);
    }
    if !query.asks_for_entries() {
        page.nothing_asked = !query.asks_for_marks();
        // What was ignored is said already, and chooses nothing.
        if !query.is_empty() && page.nothing_asked {
            page.only_filters = true;
            page.ignored
                .push("these filters choose sessions, so no entry was searched".to_owned());
        }
        page.elapsed_ms = elapsed_ms(started);
        return Ok(page);
    }
    let finder = Finder {
        ranks: sort == HitSort::Relevance,
        sizes: sort == HitSort::Size,
        ..Finder::of(&reader, user, &query)?
    };
    let mut request = hit_query(&query, filter);
    request.order = match sort {
        HitSort::Oldest => HitOrder::Oldest,
        HitSort::Size => HitOrder::Largest,
        HitSort::Newest | HitSort::Relevance => HitOrder::Newest,
    };
    if finder.ranks {
        finder.fill(&mut page, request, 0, MOST_RANKED)?;
        finder.rank(&mut page, offset, limit);
    } else {
        finder.fill_together(&mut page, request, offset, limit)?;
    }
    if offset == 0 {
        finder.named(&mut page, &query)?;
    }
    if offset == 0 && page.is_empty() {
        page.named
            .extend(named::named_by_file(&reader, user, &query)?);
    }
    page.rereads = query.asks_for_kind(REREAD);
    page.plans = query.asks_for_kind("plan");
    page.elapsed_ms = elapsed_ms(started);
    Ok(page)
}

/// How many entries fit a query; `None` for one that asks for none.
fn finds(
    reader: &IndexReader,
    user: Option<&UserDb>,
    text: &str,
) -> Result<Option<Finds>, StoreError> {
    let query = Query::parse(text);
    if !query.not_understood.is_empty() || !query.asks_for_entries() {
        return Ok(None);
    }
    let mut page = HitPage::default();
    let mut request = hit_query(&query, query.filter_with(user)?);
    let finder = Finder::of(reader, user, &query)?;
    // Sessions of which turns were taken back in another file have no such entry.
    let beside = taken_back::continued_without(reader, user, &query)?.len() as u64;
    if beside > 0 {
        request.limit = MOST_CHANGED;
        let found = reader.hits(&request)?.total.unwrap_or(0);
        return Ok(Some(Finds::Count(found + beside)));
    }
    if finder.is_certain() {
        request.limit = 1;
        let found = reader.hits(&request)?;
        return Ok(Some(match found.total {
            Some(total) => Finds::Count(total),
            None if found.hits.is_empty() => Finds::Count(0),
            None => Finds::Some,
        }));
    }
    finder.fill(&mut page, request, 0, MOST_CHANGED)?;
    Ok(Some(match page.total {
        Some(total) => Finds::Count(total),
        None if page.more => Finds::Some,
        None => Finds::Count(page.hits.len() as u64),
    }))
}

/// How many entries of the index have a word.
fn indexed(reader: &IndexReader, word: &str) -> Result<u64, StoreError> {
    let found = finds(reader, None, word)?;
    Ok(found.and_then(Finds::total).unwrap_or(0))
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

struct Finder<'a> {
    reader: &'a IndexReader,
    /// Titles the user gave.
    titles: HashMap<String, String>,
    wanted: Vec<Pattern>,
    /// What must be in a result, whose command is in the text of its call.
    said: Vec<Pattern>,
    /// Commands and files that must be in the call of a result.
    named: Vec<Pattern>,
    unwanted: Vec<Pattern>,
    /// All words in a row, where there are several.
    phrase: Option<Pattern>,
    started: Instant,
    bounds: Bounds,
    /// True when hits are ranked, which needs their texts.
    ranks: bool,
    /// True when hits are ordered by their size, which is shown then.
    sizes: bool,
    /// True when all hits are outputs that show failed tests.
    failed_tests: bool,
    /// True when all hits are of subagents: the calls that started them come first.
    starts_first: bool,
}

impl<'a> Finder<'a> {
    /// What looks for the entries of a query, newest first.
    fn of(
        reader: &'a IndexReader,
        user: Option<&UserDb>,
        query: &Query,
    ) -> Result<Finder<'a>, StoreError> {
        // Single words are excluded by the index; it knows no phrases.
        let phrases = query.without.iter().filter(|word| word.is_phrase());
        Ok(Finder {
            reader,
            titles: user.map(UserDb::titles).transpose()?.unwrap_or_default(),
            wanted: query.in_text().iter().map(Pattern::new).collect(),
            said: query.words.iter().map(Pattern::new).collect(),
            named: query.named_in_calls().iter().map(Pattern::new).collect(),
            unwanted: phrases.map(Pattern::new).collect(),
            phrase: query.as_phrase().as_ref().map(Pattern::new),
            started: Instant::now(),
            bounds: BOUNDS,
            ranks: false,
            sizes: false,
            failed_tests: query.asks_for_kind(FAILED_TEST),
            starts_first: query.asks_for_kind(SUBAGENT),
        })
    }

    /// True where words alone are asked for: phrases have to be looked up.
    fn is_certain(&self) -> bool {
        let mut patterns = self.wanted.iter().chain(&self.unwanted);
        !patterns.any(Pattern::is_phrase)
    }

    fn fill(
        &self,
        page: &mut HitPage,
        request: HitQuery,
        offset: u64,
        limit: u64,
    ) -> Result<(), StoreError> {
        self.fill_from(page, &mut OnPage::default(), request, offset, limit, None)
    }

    /// Fills `page` up to `limit` hits, those already on it included, and skips entries that `on_page`
    /// has. `offset` must be 0 if there are any. `known` holds the first hits of the request if they
    /// were found before.
    fn fill_from(
        &self,
        page: &mut HitPage,
        on_page: &mut OnPage,
        mut request: HitQuery,
        offset: u64,
        limit: u64,
        mut known: Option<&FirstHits>,
    ) -> Result<(), StoreError> {
        let certain = self.is_certain();
        // One more than the page tells whether there are more.
        request.limit = limit.saturating_add(1);
        if certain {
            request.offset = offset;
        } else {
            request.limit = request.limit.saturating_mul(LOOKED_INTO_AT_ONCE);
        }
        // Other orders are not continued behind a hit, so all is looked for at once.
        let goes_on = request.order == HitOrder::Newest;
        if !goes_on && !certain {
            request.limit = self.bounds.entries;
        }
        let mut sessions: HashMap<SessionNum, Option<SessionRow>> = HashMap::new();
        let mut passed = 0;
        let mut looked_into = 0;
        let mut opened = Opened::default();
        loop {
            let first = known.take().filter(|known| known.hold(&request));
            if let Some(first) = first {
                // All that are known, where they are looked through for a phrase.
                request.limit = if certain {
                    request.limit
                } else {
                    request.limit.max(first.request.limit)
                };
            }
            let found = match first {
                Some(first) => first.up_to(self.reader, request.limit)?,
                None => self.reader.hits(&request)?,
            };
            let hits = found.hits;
            if certain && request.before.is_none() {
                let total = found.total;
                page.total = total.map(|total| total.saturating_sub(on_page.merged()));
            }
            let last = hits.last().map(Hit::place);
            let was_full = hits.len() as u64 >= request.limit;
            for hit in hits {
                let number = hit.entry.num;
                if on_page.has(number) {
                    looked_into += 1;
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
                // Removed from the index between two requests that are not of one snapshot.
                let Some(session) = session else { continue };
                let raw = raw_of(session, &hit.entry, &mut opened);
                looked_into += 1;
                let record = raw.and_then(|raw| record_in(session, &hit.entry, raw));
                let text = record.as_ref().map(|own| text_with(own, &hit.entry));
                if !certain {
                    let fits = match record.as_ref().zip(text.as_deref()) {
                        Some((record, text)) => {
                            (self.fits(record, text)
                                || self.fits_with_call(session, &hit, record, text, &mut opened)?)
                                && self.is_of_call(session, &hit, record, &mut opened)?
                        }
                        None => false,
                    };
                    if !fits {
                        continue;
                    }
                    if passed < offset {
                        passed += 1;
                        continue;
                    }
                }
                let key = CopyKey::of(session, &hit.entry, text.as_deref().unwrap_or_default());
                let shown = self.shown(session, hit, record.as_ref(), text.as_deref());
                let Some(shown) = on_page.merge(&mut page.hits, number, &key, shown) else {
                    page.total = page.total.map(|total| total.saturating_sub(1));
                    continue;
                };
                if page.hits.len() as u64 >= limit {
                    page.more = true;
                    return Ok(());
                }
                on_page.push(&mut page.hits, number, key, shown);
                if self.ranks && self.started.elapsed() >= LONGEST_LOOK {
                    page.more = true;
                    return Ok(());
                }
            }
            let spent =
                looked_into >= self.bounds.entries || self.started.elapsed() >= self.bounds.time;
            if !was_full {
                return Ok(());
            }
            if certain && !goes_on {
                page.more = true;
                return Ok(());
            }
            if !certain && (spent || !goes_on) {
                let which = match request.order {
                    HitOrder::Newest => "newest",
                    HitOrder::Oldest => "oldest",
                    HitOrder::Largest => "largest",
                };
                page.more = true;
                page.ignored.push(format!(
                    "only the {which} {looked_into} entries with these words were searched for the \
                     phrase, because the words are common"
                ));
                return Ok(());
            }
            // The next hits continue after the last one; offsets would scan the same words
            // again.
            request.before = last;
            request.offset = 0;
        }
    }

    /// The hits of a request with their texts.
    fn collect(&self, request: &HitQuery) -> Result<Vec<Collected>, StoreError> {
        let mut sessions: HashMap<SessionNum, Option<SessionRow>> = HashMap::new();
        let mut opened = Opened::default();
        let mut out = Vec::new();
        for hit in self.reader.hits(request)?.hits {
            let num = hit.entry.session;
            let session = match sessions.get(&num) {
                Some(known) => known,
                None => {
                    let row = self.reader.session(num)?;
                    sessions.entry(num).or_insert(row)
                }
            };
            let Some(session) = session else { continue };
            if let Some(record) = record_of(session, &hit.entry, &mut opened) {
                let text = text_with(&record, &hit.entry);
                let shown = self.shown(session, hit, Some(&record), Some(&text));
                out.push((shown, text));
            }
        }
        Ok(out)
    }

    /// Puts the best hits first and cuts the page out.
    fn rank(&self, page: &mut HitPage, offset: u64, limit: u64) {
        let count = page.hits.len();
        if page.more {
            page.ignored.push(format!(
                "only the newest {count} entries with these words were ranked"
            ));
        }
        page.hits
            .sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(count);
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        page.hits.drain(..from);
        page.hits.truncate(most);
        page.more = from.saturating_add(most) < count;
    }

    /// Puts the entries first whose id begins with the only word of a query: ids are copied from lists.
    fn named(&self, page: &mut HitPage, query: &Query) -> Result<(), StoreError> {
        let ([word], true) = (&*query.words, query.fields.is_empty()) else {
            return Ok(());
        };
        let Some(id) = id_beginning(&word.text) else {
            return Ok(());
        };
        // A word of many entries, such as `utf8`, is no id, and looking for one costs a look at every
        // entry.
        if page.hits.len() as u64 >= MOST_NAMED {
            return Ok(());
        }
        let mut opened = Opened::default();
        let mut named = Vec::new();
        for entry in self.reader.entries_by_prefix(id, MOST_NAMED)? {
            let is_listed = |hit: &EntryHit| hit.entry_id == entry.entry_id && hit.ix == entry.ix;
            if page.hits.iter().any(is_listed) {
                continue;
            }
            let Some(session) = self.reader.session(entry.session)? else {
                continue;
            };
            let hit = Hit { entry };
            let record = record_of(&session, &hit.entry, &mut opened);
            let text = record.as_ref().map(|own| text_with(own, &hit.entry));
            named.push(self.shown(&session, hit, record.as_ref(), text.as_deref()));
        }
        page.total = page.total.map(|total| total + named.len() as u64);
        page.hits.splice(0..0, named);
        Ok(())
    }

    fn shown(
        &self,
        session: &SessionRow,
        hit: Hit,
        record: Option<&RecordAt>,
        text: Option<&str>,
    ) -> EntryHit {
        let text = text.unwrap_or_default();
        let own = record.map(|record| &record.entry);
        // A record without words is shown by what its row in the outline says.
        let told = own.map(|own| &*own.preview).unwrap_or_default();
        let told = if text.trim().is_empty() { told } else { text };
        let trouble = record.and_then(|record| trouble_in(record, &self.wanted));
        let (call, excerpt) = match trouble {
            Some((call, words)) => (Some(call), excerpt_of(&words, true, &self.wanted)),
            None => {
                let told = shown_of(told, self.failed_tests, &self.wanted);
                (None, excerpt_of(told, hit.entry.rejected, &self.wanted))
            }
        };
        let entry = hit.entry;
        let title = self.titles.get(&session.id).or(session.title.as_ref());
        let mut shown = EntryHit {
            session_id: session.id.clone(),
            title: title.cloned().unwrap_or_default(),
            project: session.project.clone(),
            agent: session.agent,
            path: session.path.clone(),
            entry_id: entry.entry_id,
            ix: entry.ix,
            line: entry.line,
            kind: entry.kind,
            role: own.map_or(entry.role, role_of),
            at_ms: entry.at_ms,
            tools: entry.tools,
            own_name: entry.own_name,
            is_error: entry.is_error,
            is_aborted: own.is_some_and(Entry::is_aborted),
            rejected: entry.rejected,
            in_subagent: own.is_some_and(Entry::is_in_subagent),
            subagent: entry.subagent,
            is_thinking: own.is_some_and(is_thinking),
            is_first: false,
            change: entry.change,
            call,
            queued: None,
            plan: None,
            also_in: Vec::new(),
            shown_id: String::new(),
            after_compaction: None,
            ranges_utf16: excerpt.ranges_utf16(),
            ranges: excerpt.ranges,
            snippet: excerpt.text,
            tokens: self.sizes.then_some(entry.estimate),
            relevance: 0.0,
            prompt: None,
        };
        if self.ranks {
            shown.relevance = relevance(&shown, text, &self.wanted, self.phrase.as_ref());
        }
        shown
    }
}

/// An entry and its text.
type Collected = (EntryHit, String);

/// The newest entries that pass the filters of a query, whatever its words: prompts, replies and
/// summaries, unless the query names kinds.
fn collect(
    db: &IndexDb,
    user: Option<&UserDb>,
    query: &Query,
    most: u64,
) -> Result<Vec<Collected>, StoreError> {
    let reader = db.reader()?;
    let mut request = hit_query(query, query.filter_with(user)?);
    request.all.clear();
    request.none.clear();
    request.limit = most;
    let names_kind = |list: &Vec<Sought>| list.iter().any(|own| own.field == Field::Kind);
    if !request.fields.iter().any(names_kind) {
        let kinds = ["user", "assistant", "summary"].map(|kind| Sought {
            field: Field::Kind,
            text: kind.to_owned(),
        });
        request.fields.push(kinds.to_vec());
    }
    let finder = Finder {
        wanted: query.words.iter().map(Pattern::new).collect(),
        unwanted: Vec::new(),
        ..Finder::of(&reader, user, query)?
    };
    finder.collect(&request)
}

/// What the index is asked: phrases by their words, times of the entries themselves.
fn hit_query(query: &Query, filter: SessionFilter) -> HitQuery {
    let plain = |word: &&Word| !word.is_phrase();
    HitQuery {
        fields: query.fields.clone(),
        no_fields: query.no_fields.clone(),
        after_ms: query.filter.after_ms,
        before_ms: query.filter.before_ms,
        all: query.words.iter().map(|word| word.text.clone()).collect(),
        none: query
            .without
            .iter()
            .filter(plain)
            .map(|word| word.text.clone())
            .collect(),
        filter,
        before: None,
        offset: 0,
        limit: 0,
        order: HitOrder::Newest,
    }
}

#[cfg(test)]
mod tests;

//! Table `words`: which words occur in which entry. The text itself stays in the source.

use super::entries::{self, EntryRow};
use super::fields::Sought;
use super::filter::SessionFilter;
use super::terms::{searchable, terms};
use super::{IndexReader, IndexWriter, SessionNum};
use crate::connection::{Columns, int};
use crate::error::StoreError;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension as _, Row, params_from_iter};
use std::collections::HashMap;

// Chosen by measurement: 200,000 entries of 1,000 sessions, 119 MB of text in 200 MB of source,
// one core, transactions of 32 MB of text; CPU seconds for the insertion alone and file size.
//
//     detail=full,   columnsize=0, hash of 1 MB (default)   4.6 s   50 MB
//     detail=full,   columnsize=0, hash of 32 MB            2.9 s   58 MB
//     detail=column, columnsize=0, hash of 32 MB            2.8 s   49 MB
//     detail=none,   columnsize=0, hash of 1 MB             3.7 s   21 MB
//     detail=none,   columnsize=0, hash of 32 MB            2.3 s   23 MB
//     detail=none,   contentless_delete=1, hash of 32 MB    2.4 s   26 MB
//     detail=none,   contentless_delete=1, hash of 16 MB    2.2 s   26 MB   <- this
//
// The tokenizer unicode61 costs the same as ascii; ascii it is because what it splits at can be
// said exactly, and a query has to be split at the same places (see `terms`). Giving it each word
// of an entry only once costs more outside than it saves inside. Without positions a phrase
// is found by its words and has to be looked up in the source, which the caller does.
// Deletion needs contentless_delete, and that needs the column sizes (3 MB).
pub(super) const SCHEMA: &str = "
CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, detail = none,
    tokenize = 'ascii'
);
INSERT INTO words (words, rank) VALUES ('hashsize', 16000000);
";

/// A question to the full-text table. Words are given to SQLite quoted, so that nothing in them
/// is taken for syntax.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HitQuery {
    /// Words that must all occur; one that ends in `*` is the beginning of a word. What is several
    /// [`terms`](super::terms::terms) counts as several words.
    pub all: Vec<String>,
    /// Words of which none may occur.
    pub none: Vec<String>,
    /// Of each of these lists one value must occur.
    pub fields: Vec<Vec<Sought>>,
    /// Of these values none may occur.
    pub no_fields: Vec<Sought>,
    /// Which sessions to look in.
    pub filter: SessionFilter,
    /// Only entries written at or after this time, Unix milliseconds. One without a time passes.
    pub after_ms: Option<i64>,
    /// Only entries written before this time, Unix milliseconds.
    pub before_ms: Option<i64>,
    /// Only entries that come after this one in the order: the last one of the page before.
    pub before: Option<HitPlace>,
    /// How many of the first hits to leave out.
    pub offset: u64,
    /// Most entries to return.
    pub limit: u64,
    /// The order; [`HitQuery::before`] applies to the newest first only.
    pub order: HitOrder,
}

/// The order of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HitOrder {
    /// The entry written last first; those without a time come last.
    #[default]
    Newest,
    /// The entry written first first; those without a time come last.
    Oldest,
    /// The largest entry first, by the agent's own estimate.
    Largest,
}

impl HitOrder {
    /// The columns to sort by; `None` for the order in which hits are looked for.
    fn columns(self) -> Option<&'static str> {
        match self {
            HitOrder::Newest => None,
            HitOrder::Oldest => Some("entries.at IS NULL, entries.at, entries.num"),
            HitOrder::Largest => Some("entries.estimate DESC, entries.num DESC"),
        }
    }
}

/// Where a hit stands in the order of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HitPlace {
    /// When its entry was written, Unix milliseconds.
    pub at_ms: Option<i64>,
    /// The number of its entry.
    pub num: i64,
}

impl HitPlace {
    /// What hits are ordered by; those without a time come last.
    pub(super) fn key(self) -> (i64, i64) {
        (self.at_ms.unwrap_or(i64::MIN), self.num)
    }
}

/// Where the record of a hit is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredHit {
    /// Its place in the order of hits.
    pub place: HitPlace,
    /// The session of its entry.
    pub session: SessionNum,
    /// Byte offset in the source.
    pub offset: u64,
    /// Length in bytes.
    pub len: u32,
    /// True for an entry that is shown with words of another one: a failed or refused call, what is of
    /// a task or a subagent.
    pub shown_with_more: bool,
}

/// An entry in which the words occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The entry.
    pub entry: EntryRow,
}

impl Hit {
    /// Its place in the order of hits.
    pub fn place(&self) -> HitPlace {
        HitPlace {
            at_ms: self.entry.at_ms,
            num: self.entry.num,
        }
    }
}

/// Up to this many entries with the words are sorted by the time when they were written. Each costs
/// a lookup of its row, about 1 µs, and counting them is paid by every search. Of more the newest
/// are looked for in the newest sessions.
const MOST_SORTED: u64 = 2_000;

/// Texts are held back up to this size.
const MOST_PENDING_BYTES: usize = 16 << 20;

impl IndexWriter<'_> {
    /// Takes the text of an entry; it can be found after the commit.
    pub(super) fn hold_words(&self, num: i64, text: &str, fields: &str) -> Result<(), StoreError> {
        let full = {
            let mut words = self.words.borrow_mut();
            words.bytes += text.len() + fields.len();
            // In one piece of memory: growing a copy of the text would copy it again.
            let mut held = String::with_capacity(text.len() + fields.len());
            held.push_str(&searchable(text));
            held.push_str(fields);
            words.texts.push((num, held));
            words.bytes >= MOST_PENDING_BYTES
        };
        if full { self.write_words() } else { Ok(()) }
    }

    /// Writes the texts that are held back.
    pub(super) fn write_words(&self) -> Result<(), StoreError> {
        let words = self.words.take();
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("INSERT INTO words (rowid, text) VALUES (?, ?)")?;
            for (num, text) in &words.texts {
                statement.execute((num, text))?;
            }
            Ok(())
        })())
    }
}

impl HitQuery {
    /// The expression for `MATCH`; `None` when there is no word to look for.
    pub(super) fn expression(&self) -> Option<String> {
        let any = |words: &[String]| -> Vec<String> {
            words.iter().flat_map(|word| quoted(word)).collect()
        };
        let (mut all, mut none) = (any(&self.all), any(&self.none));
        for one in &self.fields {
            let one: Vec<String> = one.iter().filter_map(Sought::expression).collect();
            if !one.is_empty() {
                all.push(format!("({})", one.join(" OR ")));
            }
        }
        let unwanted = self.no_fields.iter().filter(|own| !own.is_open_todo());
        none.extend(unwanted.filter_map(Sought::expression));
        if all.is_empty() {
            return None;
        }
        let all = all.join(" AND ");
        if none.is_empty() {
            return Some(all);
        }
        Some(format!("({all}) NOT ({})", none.join(" OR ")))
    }
}

impl HitQuery {
    /// The condition on when an entry was written, and on what the full-text table does not have.
    pub(super) fn in_rows(&self) -> String {
        let time = match (self.after_ms, self.before_ms) {
            (None, None) => None,
            (after, before) => Some(format!(
                "coalesce(entries.at >= {} AND entries.at < {}, 1)",
                after.unwrap_or(i64::MIN + 1),
                before.unwrap_or(i64::MAX)
            )),
        };
        let all: Vec<String> = time.into_iter().chain(self.of_open_todos()).collect();
        if all.is_empty() {
            return "1".to_owned();
        }
        all.join(" AND ")
    }

    /// What the query asks of open things to do; `None` where it asks nothing of them.
    fn of_open_todos(&self) -> Option<String> {
        const IS_OPEN: &str = "entries.num IN (SELECT entry FROM open_todos)";
        let lists = self.fields.iter();
        let lists = lists.filter(|list| list.iter().any(Sought::is_open_todo));
        let each = lists.map(|list| {
            let others = list.iter().filter(|own| !own.is_open_todo());
            let others: Vec<String> = others.filter_map(Sought::expression).collect();
            if others.is_empty() {
                return IS_OPEN.to_owned();
            }
            // No term has a quote in it.
            let others = others.join(" OR ").replace('\'', "''");
            format!(
                "({IS_OPEN} OR entries.num IN \
                 (SELECT rowid FROM words WHERE words MATCH '{others}'))"
            )
        });
        let mut all: Vec<String> = each.collect();
        if self.no_fields.iter().any(Sought::is_open_todo) {
            all.push(format!("NOT {IS_OPEN}"));
        }
        (!all.is_empty()).then(|| all.join(" AND "))
    }
}

/// The terms of a word as FTS5 strings. Terms have no quote in them, and one at a time they are
/// never a phrase, which the table cannot look up.
fn quoted(word: &str) -> Vec<String> {
    let mut strings: Vec<String> = terms(word)
        .into_iter()
        .map(|term| format!("\"{term}\""))
        .collect();
    if word.ends_with('*')
        && let Some(last) = strings.last_mut()
    {
        last.push('*');
    }
    strings
}

/// A page of hits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The hits.
    pub hits: Vec<Hit>,
    /// How many there are on all pages from [`HitQuery::before`] on; `None` where the words are in too
    /// many entries to be counted.
    pub total: Option<u64>,
}

/// The places of the first hits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundPlaces {
    /// The places.
    pub places: Vec<HitPlace>,
    /// As of [`Found::total`].
    pub total: Option<u64>,
}

impl IndexReader {
    /// The entries with these words in the order of the query, mostly newest first. Nothing is
    /// ranked: ranking has to look at every entry, and for a word that is in most of them that takes
    /// longer than a page may.
    pub fn hits(&self, query: &HitQuery) -> Result<Found, StoreError> {
        let FoundPlaces { mut places, total } = self.hit_places(query, 0)?;
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        places.truncate(limit);
        let hits = self.hits_at(&places)?;
        Ok(Found { hits, total })
    }

    /// The places of [`IndexReader::hits`] without their rows, and of hits behind them: all where the words are in few
    /// entries, else up to `beyond`, of which some may be left out. Up to a hundred cost next to nothing: so many are
    /// looked at anyway to find the first ones in order.
    pub fn hit_places(&self, query: &HitQuery, beyond: u64) -> Result<FoundPlaces, StoreError> {
        let Some(expression) = query.expression() else {
            return Ok(FoundPlaces::default());
        };
        let in_rows = query.in_rows();
        if let Some(columns) = query.order.columns() {
            return self.sorted_places(query, expression, &in_rows, columns, beyond);
        }
        let is_few = self.has_few(&expression)?;
        let newest = if is_few {
            None
        } else {
            self.newest_places(query, &expression, &in_rows, beyond)?
        };
        let (mut places, total) = match newest {
            Some(places) => (places, None),
            None => {
                let most = (!is_few).then(|| {
                    query
                        .limit
                        .saturating_add(query.offset)
                        .saturating_add(beyond)
                });
                let mut places = self.places(query, expression, &in_rows, most)?;
                let total = is_few.then_some(places.len() as u64);
                places.sort_unstable_by_key(|place| std::cmp::Reverse(place.key()));
                (places, total)
            }
        };
        let offset = usize::try_from(query.offset).unwrap_or(usize::MAX);
        places.drain(..offset.min(places.len()));
        Ok(FoundPlaces { places, total })
    }

    /// The entries at these places, in their order. Of a word in 2,000 entries 50 are shown, so rows are
    /// read only here.
    pub fn hits_at(&self, places: &[HitPlace]) -> Result<Vec<Hit>, StoreError> {
        self.hits_of(places.iter().map(|place| place.num))
    }

    /// Where the records at these places are stored, in their order.
    pub fn stored_at(&self, places: &[HitPlace]) -> Result<Vec<StoredHit>, StoreError> {
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(
                "SELECT session, offset, len, is_error OR rejected OR about IS NOT NULL \
                 FROM entries WHERE num = ?",
            )?;
            let mut stored = Vec::with_capacity(places.len());
            for &place in places {
                let row = statement.query_row([place.num], |row| {
                    let mut columns = Columns::of(row);
                    Ok(StoredHit {
                        place,
                        session: SessionNum(columns.get()?),
                        offset: columns.uint()?,
                        len: columns.uint32()?,
                        shown_with_more: columns.get()?,
                    })
                });
                // One may be removed between the two questions.
                stored.extend(row.optional()?);
            }
            Ok(stored)
        })())
    }

    /// The entries with these words by other columns. Every row with the words is looked at: 1 µs each.
    fn sorted_places(
        &self,
        query: &HitQuery,
        expression: String,
        in_rows: &str,
        columns: &str,
        beyond: u64,
    ) -> Result<FoundPlaces, StoreError> {
        let (condition, values) = query.filter.sql();
        let mut arguments: Vec<Value> = vec![expression.into()];
        arguments.extend(values);
        let most = query.limit.saturating_add(beyond);
        arguments.extend([int(most).into(), int(query.offset).into()]);
        let sql = format!(
            "SELECT entries.at, entries.num FROM words JOIN entries ON entries.num = words.rowid \
             WHERE words MATCH ? AND {in_rows} \
             AND entries.session IN (SELECT num FROM sessions WHERE {condition}) \
             ORDER BY {columns} LIMIT ? OFFSET ?"
        );
        let places = self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            let places = statement.query_map(params_from_iter(&arguments), place_of)?;
            places.collect()
        })())?;
        let total = None;
        Ok(FoundPlaces { places, total })
    }

    /// The entries with these numbers, in their order.
    pub(super) fn hits_of(&self, nums: impl Iterator<Item = i64>) -> Result<Vec<Hit>, StoreError> {
        self.db.at((|| {
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT * FROM entries WHERE num = ?")?;
            let mut hits = Vec::new();
            for num in nums {
                let row = statement.query_row([num], entries::from_row);
                // One may be removed between the two questions.
                hits.extend(row.optional()?.map(|entry| Hit { entry }));
            }
            Ok(hits)
        })())
    }

    /// True when the words are in at most [`MOST_SORTED`] entries.
    fn has_few(&self, expression: &str) -> Result<bool, StoreError> {
        if let Some((asked, few)) = &*self.few.borrow()
            && asked == expression
        {
            return Ok(*few);
        }
        let few = self.db.at((|| {
            // Skipping a row costs half as much as counting it.
            let mut statement = self
                .db
                .conn
                .prepare_cached("SELECT 1 FROM words WHERE words MATCH ? LIMIT 1 OFFSET ?")?;
            let has_more = statement.exists((expression, int(MOST_SORTED)))?;
            Ok(!has_more)
        })())?;
        self.few.replace(Some((expression.to_owned(), few)));
        Ok(few)
    }

    /// The places of the hits: of few all of them, of many the newest up to the end of the page.
    fn places(
        &self,
        query: &HitQuery,
        expression: String,
        in_rows: &str,
        most: Option<u64>,
    ) -> Result<Vec<HitPlace>, StoreError> {
        let (condition, values) = if query.filter.is_empty() {
            (String::new(), Vec::new())
        } else {
            let (condition, values) = query.filter.sql();
            (
                format!("AND entries.session IN (SELECT num FROM sessions WHERE {condition})"),
                values,
            )
        };
        let mut arguments: Vec<Value> = vec![expression.into()];
        arguments.extend(values);
        let page = match query.before {
            Some(place) => {
                let (at, num) = place.key();
                arguments.extend([at.into(), num.into()]);
                "AND (coalesce(entries.at, -9223372036854775808), entries.num) < (?, ?)"
            }
            None => "",
        };
        let newest = match most {
            None => "",
            Some(most) => {
                arguments.push(int(most).into());
                "ORDER BY entries.at DESC, entries.num DESC LIMIT ?"
            }
        };
        let sql = format!(
            "SELECT entries.at, entries.num FROM words JOIN entries ON entries.num = words.rowid \
             WHERE words MATCH ? AND {in_rows} {condition} {page} {newest}"
        );
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(&sql)?;
            let places = statement.query_map(params_from_iter(&arguments), place_of)?;
            places.collect()
        })())
    }

    /// How many of the newest `most` entries with these words each session has, and whether there
    /// are more entries than that.
    pub fn hit_counts(
        &self,
        query: &HitQuery,
        most: u64,
    ) -> Result<(HashMap<SessionNum, u64>, bool), StoreError> {
        let mut counts: HashMap<SessionNum, u64> = HashMap::new();
        let Some(expression) = query.expression() else {
            return Ok((counts, false));
        };
        let in_rows = query.in_rows();
        self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(&format!(
                "SELECT entries.session FROM words JOIN entries ON entries.num = words.rowid \
                 WHERE words MATCH ? AND {in_rows} ORDER BY words.rowid DESC LIMIT ?",
            ))?;
            let mut rows = statement.query((expression, int(most)))?;
            let mut seen = 0;
            while let Some(row) = rows.next()? {
                *counts.entry(SessionNum(row.get(0)?)).or_default() += 1;
                seen += 1;
            }
            Ok((counts, seen >= most))
        })())
    }
}

pub(super) fn place_of(row: &Row<'_>) -> rusqlite::Result<HitPlace> {
    Ok(HitPlace {
        at_ms: row.get(0)?,
        num: row.get(1)?,
    })
}

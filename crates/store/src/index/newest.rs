//! The newest entries with words that are in many: looked for in the newest sessions first.

use super::fulltext::{HitPlace, HitQuery, place_of};
use super::{IndexReader, SessionNum};
use crate::connection::int;
use crate::error::StoreError;
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};
use std::ops::RangeInclusive;

/// Up to this many groups of sessions are looked into, at a cost of 50 to 300 µs each.
const MOST_GROUPS: u32 = 300;

/// Entries of a session are stored in the order of its file. So many more than a page are looked at
/// where that is not the order of time: branches, results that come late.
const OUT_OF_ORDER: u64 = 100;

/// Sessions whose entries lie within so many are looked into at once: finding the last entry with a
/// word takes as long as reading some hundred of them.
const AT_ONCE_ENTRIES: u64 = 512;

/// A session and the numbers between which its entries lie.
struct Span {
    session: SessionNum,
    /// When its newest entry was written, Unix milliseconds.
    newest: i64,
    nums: RangeInclusive<i64>,
}

impl Span {
    /// `None` for a session without entries.
    fn of(row: &Row<'_>) -> rusqlite::Result<Option<Span>> {
        let nums: Option<(i64, i64)> = Option::zip(row.get(2)?, row.get(3)?);
        let (session, newest): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
        Ok(nums.map(|(first, last)| Span {
            session: SessionNum(session),
            newest: newest.unwrap_or(i64::MIN),
            nums: first..=last,
        }))
    }
}

/// Sessions that are looked into at once.
struct Group {
    sessions: Vec<SessionNum>,
    nums: RangeInclusive<i64>,
}

impl Group {
    fn of(span: &Span) -> Group {
        Group {
            sessions: vec![span.session],
            nums: span.nums.clone(),
        }
    }

    /// Takes one more session in where all entries stay close together; false where they do not.
    fn takes(&mut self, span: &Span) -> bool {
        let first = *self.nums.start().min(span.nums.start());
        let last = *self.nums.end().max(span.nums.end());
        let fits = last.abs_diff(first) < AT_ONCE_ENTRIES;
        if fits {
            self.sessions.push(span.session);
            self.nums = first..=last;
        }
        fits
    }
}

impl IndexReader {
    /// The places of the newest hits of words that are in many entries, up to the end of the page:
    /// looked for in the newest sessions first, until none can hold a newer entry than the page. `None`
    /// where the hits are spread over more than [`MOST_GROUPS`] groups of sessions.
    pub(super) fn newest_places(
        &self,
        query: &HitQuery,
        expression: &str,
        in_rows: &str,
        beyond: u64,
    ) -> Result<Option<Vec<HitPlace>>, StoreError> {
        let wanted = query.limit.saturating_add(query.offset);
        let limit = usize::try_from(wanted).unwrap_or(usize::MAX);
        let kept = usize::try_from(wanted.saturating_add(beyond)).unwrap_or(usize::MAX);
        let most = int(wanted.saturating_add(beyond.max(OUT_OF_ORDER)));
        let (condition, values) = query.filter.sql();
        let page = match query.before {
            Some(_) => "(coalesce(entries.at, -9223372036854775808), entries.num) < (?6, ?7)",
            None => "1",
        };
        let sessions = format!(
            "SELECT num, updated_at, \
             (SELECT num FROM entries WHERE session = sessions.num ORDER BY ix LIMIT 1), \
             (SELECT num FROM entries WHERE session = sessions.num ORDER BY ix DESC LIMIT 1) \
             FROM sessions WHERE {condition} ORDER BY updated_at DESC, num DESC"
        );
        let inside = format!(
            "SELECT entries.at, entries.num, entries.session \
             FROM words JOIN entries ON entries.num = words.rowid \
             WHERE words MATCH ?1 AND words.rowid BETWEEN ?2 AND ?3 \
             AND (?4 IS NULL OR entries.session = ?4) \
             AND {in_rows} AND {page} ORDER BY words.rowid DESC LIMIT ?5"
        );
        let mut places: Vec<HitPlace> = Vec::new();
        let done = self.db.at((|| {
            let mut statement = self.db.conn.prepare_cached(&sessions)?;
            let mut rows = statement.query(params_from_iter(&values))?;
            let mut next_span = || loop {
                let Some(row) = rows.next()? else {
                    return Ok::<_, rusqlite::Error>(None);
                };
                if let Some(span) = Span::of(row)? {
                    return Ok(Some(span));
                }
            };
            let mut looked_into = 0;
            let mut next = next_span()?;
            while let Some(span) = next {
                let last = limit.checked_sub(1).and_then(|last| places.get(last));
                let oldest = last.map(|place| place.key().0);
                if places.len() >= limit && oldest > Some(span.newest) {
                    return Ok(true);
                }
                let mut group = Group::of(&span);
                next = next_span()?;
                while let Some(span) = &next
                    && group.takes(span)
                {
                    next = next_span()?;
                }
                looked_into += 1;
                if looked_into > MOST_GROUPS {
                    return Ok(false);
                }
                // Of one session the last entries are enough. Entries of several are mixed, so all in
                // the range are read.
                let (only, most) = match *group.sessions {
                    [SessionNum(only)] => (Value::Integer(only), most),
                    _ => (Value::Null, int(AT_ONCE_ENTRIES)),
                };
                let mut arguments: Vec<Value> = vec![
                    expression.to_owned().into(),
                    Value::Integer(*group.nums.start()),
                    Value::Integer(*group.nums.end()),
                    only,
                    most.into(),
                ];
                if let Some(place) = query.before {
                    let (at, num) = place.key();
                    arguments.extend([at.into(), num.into()]);
                }
                let mut statement = self.db.conn.prepare_cached(&inside)?;
                let found = statement.query_map(params_from_iter(&arguments), |row| {
                    Ok((place_of(row)?, SessionNum(row.get(2)?)))
                })?;
                for found in found {
                    let (place, session) = found?;
                    // Sessions that do not pass the filter may lie between.
                    if group.sessions.contains(&session) {
                        places.push(place);
                    }
                }
                places.sort_unstable_by_key(|place| std::cmp::Reverse(place.key()));
                places.truncate(kept);
            }
            Ok(true)
        })())?;
        Ok(done.then_some(places))
    }
}

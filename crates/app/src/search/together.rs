//! Hits that come before the others: those that have the words of a query next to each other, because a
//! remembered sentence is rarely typed with its quotes, and the calls that started subagents before what
//! these wrote.

use super::first_hits::FirstHits;
use super::found::{EntryHit, HitPage};
use super::matching::Pattern;
use super::on_page::OnPage;
use super::opened::Opened;
use super::{Bounds, Finder};
use crate::index::{SUBAGENT_START, kind_term};
use palimpsest_core::Role;
use palimpsest_store::StoreError;
use palimpsest_store::index::{
    Field, FoundPlaces, HitOrder, HitPlace, HitQuery, SessionNum, SessionRow, Sought,
};
use std::time::{Duration, Instant};

/// So many hits are found in order: a page of the window (60), and more to tell that there are more.
const PAGE: u64 = 64;
/// Up to so many hits behind them are looked through as well where the words are in many entries.
const BEYOND: u64 = 100;
/// Most hits that are looked through, of words in few entries, and how much work it is to look into what is close: a
/// page of words alone has 30 ms.
const BOUNDS: Bounds = Bounds {
    entries: 240,
    time: Duration::from_millis(6),
};
/// Most bytes of records in which the words are looked for.
const LOOKED_BYTES: u64 = 16 << 20;
/// So many come first.
const MOST: u64 = 20;

impl Finder<'_> {
    /// Fills a page like [`Finder::fill`], with the hits first that have the words next to each other,
    /// then the calls that started the subagents that are asked for.
    pub(super) fn fill_together(
        &self,
        page: &mut HitPage,
        request: HitQuery,
        offset: u64,
        limit: u64,
    ) -> Result<(), StoreError> {
        let mut on_page = OnPage::default();
        let (mut first, known) = self.with_phrase(&request, &mut on_page)?;
        let together = first.len();
        if self.starts_first && request.order == HitOrder::Newest {
            let is_start = |hit: &EntryHit| !hit.in_subagent && hit.role != Some(Role::Tool);
            // What a subagent wrote follows its call, which is older.
            first.sort_by_key(|hit| !is_start(hit));
            first = self.with_starts(first, &request, &mut on_page)?;
        }
        if first.is_empty() {
            return self.fill_from(page, &mut on_page, request, offset, limit, known.as_ref());
        }
        page.hits = first;
        page.hits.iter_mut().for_each(|hit| hit.is_first = true);
        let end = offset.saturating_add(limit);
        self.fill_from(page, &mut on_page, request, 0, end, known.as_ref())?;
        let (offset, limit) = (
            usize::try_from(offset).unwrap_or(usize::MAX),
            usize::try_from(limit).unwrap_or(usize::MAX),
        );
        page.more |= page.hits.len() > offset.saturating_add(limit);
        let passed = offset.min(page.hits.len());
        page.hits.drain(..passed);
        page.hits.truncate(limit);
        page.together = together.saturating_sub(passed).min(page.hits.len()) as u64;
        Ok(())
    }

    /// The first hits that have the words next to each other, and the hits that were looked through
    /// for them.
    fn with_phrase(
        &self,
        request: &HitQuery,
        on_page: &mut OnPage,
    ) -> Result<(Vec<EntryHit>, Option<FirstHits>), StoreError> {
        let Some(phrase) = self.phrase.as_ref().filter(|_| !self.sizes) else {
            return Ok((Vec::new(), None));
        };
        let mut request = request.clone();
        request.limit = PAGE;
        let found = self.reader.hit_places(&request, BEYOND)?;
        let looked_through = usize::try_from(BOUNDS.entries).unwrap_or(usize::MAX);
        let first = &found.places[..found.places.len().min(looked_through)];
        let close = FirstHits {
            found: FoundPlaces {
                places: self.close_places(first, phrase)?,
                total: None,
            },
            request: HitQuery {
                limit: BOUNDS.entries,
                ..request.clone()
            },
        };
        // The phrase first: that an entry has the words is known.
        let with_phrase = |own: &[Pattern]| [phrase].into_iter().chain(own).cloned().collect();
        let together = Finder {
            wanted: with_phrase(&self.wanted),
            said: with_phrase(&self.said),
            named: self.named.clone(),
            unwanted: self.unwanted.clone(),
            phrase: None,
            titles: self.titles.clone(),
            started: Instant::now(),
            bounds: BOUNDS,
            ..*self
        };
        let mut first = HitPage::default();
        if !close.found.places.is_empty() {
            let request = close.request.clone();
            together.fill_from(&mut first, on_page, request, 0, MOST, Some(&close))?;
        }
        Ok((first.hits, Some(FirstHits { request, found })))
    }

    /// Of the first hits those whose stored record has the words close together, and those that are shown
    /// with words of another entry, which may have them too. Most have not, and need no row.
    fn close_places(
        &self,
        places: &[HitPlace],
        phrase: &Pattern,
    ) -> Result<Vec<HitPlace>, StoreError> {
        let mut stored = self.reader.stored_at(places)?;
        let mut bytes: u64 = 0;
        stored.retain(|hit| {
            let fits = bytes + u64::from(hit.len) <= LOOKED_BYTES;
            bytes += if fits { u64::from(hit.len) } else { 0 };
            fits
        });
        // Hits in the order of time change between sessions; records of one stand beside each other.
        let mut order: Vec<usize> = (0..stored.len()).collect();
        order.sort_by_key(|&at| (stored[at].session.0, std::cmp::Reverse(stored[at].offset)));
        let mut opened = Opened::default();
        let mut session: Option<(SessionNum, Option<SessionRow>)> = None;
        let mut is_close = vec![false; stored.len()];
        for at in order {
            let hit = &stored[at];
            if session.as_ref().is_none_or(|(num, _)| *num != hit.session) {
                session = Some((hit.session, self.reader.session(hit.session)?));
            }
            // Removed from the index between the two requests.
            let Some((_, Some(session))) = &session else {
                continue;
            };
            is_close[at] = hit.shown_with_more
                || opened.is_in_record((&session.path, session.agent), hit, |raw| {
                    phrase.may_be_in(raw)
                });
        }
        let close = stored.iter().zip(is_close).filter(|(_, close)| *close);
        Ok(close.map(|(hit, _)| hit.place).collect())
    }

    /// These hits, and behind them the newest that started subagents.
    fn with_starts(
        &self,
        hits: Vec<EntryHit>,
        request: &HitQuery,
        on_page: &mut OnPage,
    ) -> Result<Vec<EntryHit>, StoreError> {
        let mut request = request.clone();
        request.fields.push(vec![Sought {
            field: Field::Kind,
            text: kind_term(SUBAGENT_START).into_owned(),
        }]);
        let most = MOST.saturating_add(hits.len() as u64);
        let mut page = HitPage {
            hits,
            ..HitPage::default()
        };
        self.fill_from(&mut page, on_page, request, 0, most, None)?;
        Ok(page.hits)
    }
}

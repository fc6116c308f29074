//! Hits that come before the others: those that have the words of a query next to each other, because a
//! remembered sentence is rarely typed with its quotes, and the calls that started subagents before what
//! these wrote.

use super::found::{EntryHit, HitPage};
use super::matching::Pattern;
use super::{Bounds, Finder, LOOKED_INTO_AT_ONCE};
use crate::index::{SUBAGENT_START, kind_term};
use palimpsest_core::Role;
use palimpsest_store::index::{Field, HitOrder, HitQuery, Sought};
use palimpsest_store::{IndexDb, StoreError};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

/// How much work it is to find them: as long as the page itself takes, beside which they are found.
const BOUNDS: Bounds = Bounds {
    entries: (MOST + 1) * LOOKED_INTO_AT_ONCE,
    time: Duration::from_millis(6),
};
/// So many come first.
const MOST: u64 = 20;

/// What finds the hits with all words next to each other, beside the page and with a reader of its own.
struct InARow {
    phrase: Pattern,
    wanted: Vec<Pattern>,
    said: Vec<Pattern>,
    named: Vec<Pattern>,
    unwanted: Vec<Pattern>,
    titles: HashMap<String, String>,
    failed_tests: bool,
}

impl InARow {
    /// The first hits that have the words next to each other.
    fn first_hits(self, db: &IndexDb, request: HitQuery) -> Result<Vec<EntryHit>, StoreError> {
        let started = Instant::now();
        let reader = db.reader()?;
        let finder = Finder {
            reader: &reader,
            titles: self.titles,
            wanted: self.wanted,
            said: self.said,
            named: self.named,
            unwanted: self.unwanted,
            phrase: None,
            close: Some(self.phrase),
            started,
            bounds: BOUNDS,
            ranks: false,
            sizes: false,
            failed_tests: self.failed_tests,
            starts_first: false,
        };
        let mut first = HitPage::default();
        finder.fill(&mut first, request, 0, MOST)?;
        Ok(first.hits)
    }
}

impl Finder<'_> {
    /// Fills a page like [`Finder::fill`], with the hits first that have the words next to each other,
    /// then the calls that started the subagents that are asked for.
    pub(super) fn fill_together(
        &self,
        db: &IndexDb,
        page: &mut HitPage,
        request: HitQuery,
        offset: u64,
        limit: u64,
    ) -> Result<(), StoreError> {
        let mut first = Vec::new();
        let mut is_filled = false;
        if let Some(in_a_row) = self.in_a_row() {
            first = std::thread::scope(|threads| {
                let asked = request.clone();
                let beside = threads.spawn(|| in_a_row.first_hits(db, asked));
                // The hits of the first page are the same whatever comes before them.
                if offset == 0 {
                    self.fill(page, request.clone(), 0, limit)?;
                    is_filled = true;
                }
                let first = beside.join();
                first.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })?;
        }
        let together = first.len();
        if self.starts_first && request.order == HitOrder::Newest {
            let is_start = |hit: &EntryHit| !hit.in_subagent && hit.role != Some(Role::Tool);
            // What a subagent wrote follows its call, which is older.
            first.sort_by_key(|hit| !is_start(hit));
            let starts = self.starts(&request)?.into_iter();
            let listed = places(&first);
            first.extend(starts.filter(|hit| !listed.contains(&place(hit))));
        }
        if !is_filled {
            let (from, most) = if first.is_empty() {
                (offset, limit)
            } else {
                (0, offset.saturating_add(limit))
            };
            self.fill(page, request, from, most)?;
        }
        if first.is_empty() {
            return Ok(());
        }
        let listed = places(&first);
        let rest = std::mem::take(&mut page.hits).into_iter();
        let rest = rest.filter(|hit| !listed.contains(&place(hit)));
        page.hits = first;
        page.hits.iter_mut().for_each(|hit| hit.is_first = true);
        page.hits.extend(rest);
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

    /// What finds the hits with the words in a row; `None` for a single word, and where hits are ordered
    /// by their size.
    fn in_a_row(&self) -> Option<InARow> {
        let phrase = self.phrase.as_ref().filter(|_| !self.sizes)?;
        // The phrase first: that an entry has the words is known.
        let with_phrase = |own: &[Pattern]| [phrase].into_iter().chain(own).cloned().collect();
        Some(InARow {
            phrase: phrase.clone(),
            wanted: with_phrase(&self.wanted),
            said: with_phrase(&self.said),
            named: self.named.clone(),
            unwanted: self.unwanted.clone(),
            titles: self.titles.clone(),
            failed_tests: self.failed_tests,
        })
    }

    /// The newest hits that started subagents.
    fn starts(&self, request: &HitQuery) -> Result<Vec<EntryHit>, StoreError> {
        let mut request = request.clone();
        request.fields.push(vec![Sought {
            field: Field::Kind,
            text: kind_term(SUBAGENT_START).into_owned(),
        }]);
        let mut starts = HitPage::default();
        self.fill(&mut starts, request, 0, MOST)?;
        Ok(starts.hits)
    }
}

/// Where a hit is.
fn place(hit: &EntryHit) -> (String, u32) {
    (hit.session_id.clone(), hit.ix)
}

fn places(hits: &[EntryHit]) -> HashSet<(String, u32)> {
    hits.iter().map(place).collect()
}

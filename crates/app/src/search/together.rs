//! Hits that have the words of a query next to each other, which come before the others: a remembered
//! sentence is rarely typed with its quotes.

use super::found::HitPage;
use super::matching::Pattern;
use super::{Bounds, Finder};
use palimpsest_store::StoreError;
use palimpsest_store::index::HitQuery;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How much work it is to find them: a page of words alone has 30 ms.
const BOUNDS: Bounds = Bounds {
    entries: 300,
    time: Duration::from_millis(6),
};
/// So many come first.
const MOST: u64 = 20;

impl Finder<'_> {
    /// Fills a page like [`Finder::fill`], with the hits first that have the words next to each other.
    pub(super) fn fill_together(
        &self,
        page: &mut HitPage,
        request: HitQuery,
        offset: u64,
        limit: u64,
    ) -> Result<(), StoreError> {
        let Some(phrase) = self.phrase.as_ref().filter(|_| !self.sizes) else {
            return self.fill(page, request, offset, limit);
        };
        let with_phrase = |own: &[Pattern]| own.iter().chain([phrase]).cloned().collect();
        let mut first = HitPage::default();
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
        together.fill(&mut first, request.clone(), 0, MOST)?;
        if first.hits.is_empty() {
            return self.fill(page, request, offset, limit);
        }
        let known: HashSet<(String, u32)> = first
            .hits
            .iter()
            .map(|hit| (hit.session_id.clone(), hit.ix))
            .collect();
        self.fill(page, request, 0, offset.saturating_add(limit))?;
        let rest = std::mem::take(&mut page.hits).into_iter();
        let rest = rest.filter(|hit| !known.contains(&(hit.session_id.clone(), hit.ix)));
        page.hits = first.hits;
        let together = page.hits.len();
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
}

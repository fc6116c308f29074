//! A search taken apart, and changes of it.

use super::query::pieces::written;
use std::time::{Duration, Instant};

/// Longer searches are not taken apart: each part is a search of its own.
const MOST_PIECES: usize = 12;
/// How long a search is taken apart.
const LONGEST: Duration = Duration::from_millis(500);

/// From so many pieces on those are kept that stand together.
const MANY_PIECES: usize = 4;

/// How much a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finds {
    /// So many.
    Count(u64),
    /// Some; they are not counted.
    Some,
}

impl Finds {
    pub(super) fn total(self) -> Option<u64> {
        match self {
            Finds::Count(count) => Some(count),
            Finds::Some => None,
        }
    }

    pub(super) fn nothing(self) -> bool {
        self == Finds::Count(0)
    }

    /// True where it is more than `other`.
    pub(super) fn more_than(self, other: Option<Finds>) -> bool {
        match (self, other) {
            (Finds::Count(own), None) => own > 0,
            (Finds::Some, None) => true,
            (Finds::Count(own), Some(Finds::Count(other))) => own > other,
            (Finds::Some, Some(Finds::Count(_))) => true,
            (_, Some(Finds::Some)) => false,
        }
    }
}

/// A change of a search after which it finds something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The word or filter, as it is written.
    pub piece: String,
    /// What stands in its place; `None` where it is left out.
    pub instead: Option<String>,
    /// The search with the change.
    pub query: String,
    /// How many it finds; `None` where they are not counted.
    pub total: Option<u64>,
}

/// What to change in a search that finds nothing, or little.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wider {
    /// Changes of one word or filter: what may stand for one first, each in the order of the search.
    pub changes: Vec<Change>,
    /// Words and filters that find nothing by themselves, where no single change helps.
    pub absent: Vec<String>,
}

/// The parts of a search, as they are written.
pub(super) struct Taken<'t> {
    pub(super) pieces: Vec<&'t str>,
    pub(super) started: Instant,
}

impl<'t> Taken<'t> {
    /// `None` for a search with nothing in it, and for one with too many parts.
    pub(super) fn apart(text: &'t str) -> Option<Taken<'t>> {
        let pieces = written(text);
        let fits = !pieces.is_empty() && pieces.len() <= MOST_PIECES;
        fits.then(|| Taken {
            pieces,
            started: Instant::now(),
        })
    }

    pub(super) fn is_late(&self) -> bool {
        self.started.elapsed() > LONGEST
    }

    /// The search with something else in the place of a piece, or without it.
    pub(super) fn with(&self, at: usize, instead: Option<&str>) -> String {
        let parts = self.pieces.iter().enumerate();
        let parts = parts.filter_map(|(own, part)| if own == at { instead } else { Some(part) });
        parts.collect::<Vec<&str>>().join(" ")
    }

    /// The search with some of its pieces.
    pub(super) fn only(&self, pieces: &[usize]) -> String {
        let pieces: Vec<&str> = pieces.iter().map(|&at| self.pieces[at]).collect();
        pieces.join(" ")
    }

    /// A change of a piece after which so much is found.
    pub(super) fn change(&self, at: usize, instead: Option<String>, found: Finds) -> Change {
        Change {
            piece: self.pieces[at].to_owned(),
            query: self.with(at, instead.as_deref()),
            instead,
            total: found.total(),
        }
    }

    /// What stands at each place of the search.
    pub(super) fn slots(&self) -> Vec<Option<String>> {
        let pieces = self.pieces.iter();
        pieces.map(|piece| Some((*piece).to_owned())).collect()
    }

    /// The change after which these stand at the places of the pieces, and nothing at some of them.
    pub(super) fn changed(&self, slots: &[Option<String>], found: Finds) -> Change {
        let both = self.pieces.iter().zip(slots);
        let changed: Vec<(&&str, &Option<String>)> = both
            .filter(|(piece, slot)| slot.as_deref() != Some(**piece))
            .collect();
        let pieces: Vec<&str> = changed.iter().map(|(piece, _)| **piece).collect();
        let instead: Vec<&str> = changed
            .iter()
            .filter_map(|(_, slot)| slot.as_deref())
            .collect();
        Change {
            piece: pieces.join(" "),
            instead: (!instead.is_empty()).then(|| instead.join(" ")),
            query: query_of(slots),
            total: found.total(),
        }
    }

    /// As many of the pieces as there is an entry with all of them, filters first, then the rarest
    /// words; `None` where fewer than two words are left.
    pub(super) fn rarest_together<E>(
        &self,
        finds: &mut impl FnMut(&str) -> Result<Option<Finds>, E>,
    ) -> Result<Option<(Vec<usize>, Finds)>, E> {
        if self.pieces.len() < MANY_PIECES {
            return Ok(None);
        }
        let mut order: Vec<(bool, u64, usize)> = Vec::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            let found = finds(piece)?;
            // A filter of sessions is not counted alone.
            if !found.is_some_and(Finds::nothing) {
                let total = found.and_then(Finds::total).unwrap_or(u64::MAX);
                order.push((!piece.contains(':'), total, at));
            }
        }
        order.sort_unstable();
        let mut kept: Vec<usize> = Vec::new();
        let mut best = None;
        for (_, _, at) in order {
            if self.is_late() {
                break;
            }
            let mut more = kept.clone();
            more.push(at);
            more.sort_unstable();
            match finds(&self.only(&more))? {
                Some(found) if found.nothing() => {}
                found => {
                    best = found.or(best);
                    kept = more;
                }
            }
        }
        let is_word = |at: &&usize| !self.pieces[**at].contains(':');
        let words = kept.iter().filter(is_word).count();
        Ok(best.filter(|_| words >= 2).map(|found| (kept, found)))
    }
}

/// The search of what stands at its places.
pub(super) fn query_of(slots: &[Option<String>]) -> String {
    let left: Vec<&str> = slots.iter().filter_map(Option::as_deref).collect();
    left.join(" ")
}

//! From an entry to what a mark stores of it, and back.

use palimpsest_core::{EntryIx, Session};
use palimpsest_store::Target;
use palimpsest_store::user::Label;
use std::collections::{HashMap, HashSet};

/// A mark with the entry it is on.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed<T> {
    /// The mark.
    pub mark: T,
    /// The entry; `None` for the session itself and for an entry that is no longer in it.
    pub ix: Option<EntryIx>,
}

/// Entries by id and occurrence.
pub(super) type MarkPlaces<'a> = HashMap<(&'a str, u32), EntryIx>;

/// What a mark on the entry at `ix` stores.
pub(super) fn target(session_id: &str, session: &Session, ix: EntryIx) -> Target {
    let id = &session.entry(ix).id;
    // Counted from the beginning: appended entries do not change the number of an earlier one.
    let up_to_it = &session.entries[..=ix.get()];
    let occurrence = up_to_it.iter().filter(|entry| entry.id == *id).count();
    let occurrence = u32::try_from(occurrence).unwrap_or(u32::MAX);
    Target::entry(session_id, id.as_str(), occurrence)
}

/// Where the entries of `targets` are, found by reading the session once.
pub(super) fn places<'s, 't>(
    session: &'s Session,
    targets: impl Iterator<Item = &'t Target>,
) -> MarkPlaces<'s> {
    let wanted: HashSet<&str> = targets
        .filter_map(|target| target.entry_id.as_deref())
        .collect();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let mut places = HashMap::new();
    if wanted.is_empty() {
        return places;
    }
    for ix in session.indices() {
        let id = session.entry(ix).id.as_str();
        if wanted.contains(id) {
            let occurrence = seen.entry(id).or_default();
            *occurrence += 1;
            places.insert((id, *occurrence), ix);
        }
    }
    places
}

fn place_of(target: &Target, places: &MarkPlaces<'_>) -> Option<EntryIx> {
    let id = target.entry_id.as_deref()?;
    places.get(&(id, target.occurrence)).copied()
}

/// Marks with their entries: those on the session first, then in its order, then those whose
/// entry is gone. Marks of one entry stay in the order given.
pub(super) fn placed<T>(
    marks: Vec<T>,
    target: impl Fn(&T) -> &Target,
    places: &MarkPlaces<'_>,
) -> Vec<Placed<T>> {
    let mut placed: Vec<Placed<T>> = marks
        .into_iter()
        .map(|mark| {
            let ix = place_of(target(&mark), places);
            Placed { mark, ix }
        })
        .collect();
    placed.sort_by_key(|Placed { mark, ix }| match ix {
        _ if target(mark).entry_id.is_none() => (0, None),
        Some(ix) => (1, Some(*ix)),
        None => (2, None),
    });
    placed
}

/// The entries with a label of the user.
pub(super) fn labelled(session: &Session, labels: &[Label]) -> HashSet<EntryIx> {
    let places = places(session, labels.iter().map(|label| &label.target));
    let targets = labels.iter().map(|label| &label.target);
    targets
        .filter_map(|target| place_of(target, &places))
        .collect()
}

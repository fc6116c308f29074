//! Where entries stand in a list.

use crate::ids::EntryIx;

/// The place of each entry in a list of entries, such as a path.
///
/// A table over the entries of a session: it is made and asked for with every plan, and with 50,000
/// entries a hash map takes longer than all the rest of a simple plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPlaces(Vec<u32>);

/// Stands for an entry that is not in the list.
const NOWHERE: u32 = u32::MAX;

impl EntryPlaces {
    /// The places in `list`, from 0; of an entry that is there twice it is the last. Entries are
    /// those of a session of `entries` entries; others have no place.
    pub fn of(entries: usize, list: impl IntoIterator<Item = EntryIx>) -> EntryPlaces {
        let mut places = vec![NOWHERE; entries];
        // The range ends before `NOWHERE`, which means not in the list.
        for (entry, at) in list.into_iter().zip(0..NOWHERE) {
            if let Some(place) = places.get_mut(entry.get()) {
                *place = at;
            }
        }
        EntryPlaces(places)
    }

    /// The place of an entry; nothing when it is not in the list.
    pub fn get(&self, entry: EntryIx) -> Option<usize> {
        let place = self.0.get(entry.get()).copied();
        place
            .filter(|&place| place != NOWHERE)
            .map(|place| place as usize)
    }

    /// True when the entry is in the list.
    pub fn holds(&self, entry: EntryIx) -> bool {
        self.get(entry).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_counts_and_strangers_have_none() {
        let places = EntryPlaces::of(4, [3, 1, 3, 9].map(EntryIx));
        assert_eq!(places.get(EntryIx(3)), Some(2));
        assert_eq!(places.get(EntryIx(1)), Some(1));
        assert!(!places.holds(EntryIx(0)));
        assert!(!places.holds(EntryIx(9)));
    }
}

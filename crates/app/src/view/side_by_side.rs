//! Two contexts side by side, item by item.

use super::context::{item_message, message_text};
use crate::error::Result;
use crate::fnv::fnv_of;
use crate::session::OpenSession;
use palimpsest_core::{ContextItem, EntryIx};
use palimpsest_formats::MeasuredContext;
use std::collections::HashMap;
use std::hash::Hash;

/// A context of an open session.
pub struct Side<'a> {
    /// The session.
    pub open: &'a OpenSession,
    /// Its items with their sizes.
    pub sized: MeasuredContext,
}

impl<'a> Side<'a> {
    /// The context at `at`, without what is not in the file; `None` is the one before the first
    /// entry.
    pub fn at(open: &'a OpenSession, at: Option<EntryIx>) -> Side<'a> {
        Side {
            open,
            sized: open.measured_context(at),
        }
    }
}

/// A stretch of two contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// Items that both have: how many, and their tokens in the second.
    Both {
        /// Number of items.
        count: usize,
        /// Their tokens.
        tokens: u64,
    },
    /// The position of an item that only the first has.
    Before(usize),
    /// The position of an item that only the second has.
    After(usize),
}

/// How two contexts differ, in the order sent. Within a session, items are the same when they come
/// from the same message in the same form; in two sessions, when the model gets the same from both.
///
/// Errors: an item's text cannot be read.
pub fn side_by_side(before: &Side<'_>, after: &Side<'_>) -> Result<Vec<Stretch>> {
    let (left, right) = (&before.sized.context.items, &after.sized.context.items);
    if std::ptr::eq(before.open, after.open) {
        let key = |item: &ContextItem| {
            let of = (item.entries.clone(), item.message_index, item.edited_by);
            (of, item.kind)
        };
        let keys = |items: &[ContextItem]| items.iter().map(key).collect::<Vec<_>>();
        return Ok(stretches(&keys(left), &keys(right), &after.sized.items));
    }
    let keys = |side: &Side<'_>| {
        let items = side.sized.context.items.iter();
        items
            .map(|item| told(side.open, item))
            .collect::<Result<Vec<_>>>()
    };
    Ok(stretches(&keys(before)?, &keys(after)?, &after.sized.items))
}

/// What the model gets from an item, as a number.
fn told(open: &OpenSession, item: &ContextItem) -> Result<u64> {
    let text = message_text(&item_message(open, item)?);
    Ok(fnv_of([item.native_role.as_bytes(), text.as_bytes()]))
}

fn stretches<K: Eq + Hash>(left: &[K], right: &[K], tokens: &[u64]) -> Vec<Stretch> {
    let mut found = Vec::new();
    let (mut l, mut r) = (0, 0);
    for (at_left, at_right) in common(left, right)
        .into_iter()
        .chain([(left.len(), right.len())])
    {
        found.extend((l..at_left).map(Stretch::Before));
        found.extend((r..at_right).map(Stretch::After));
        if let Some(&own) = tokens.get(at_right) {
            match found.last_mut() {
                Some(Stretch::Both { count, tokens }) => {
                    *count += 1;
                    *tokens += own;
                }
                _ => found.push(Stretch::Both {
                    count: 1,
                    tokens: own,
                }),
            }
        }
        (l, r) = (at_left + 1, at_right + 1);
    }
    found
}

/// The longest list of equal pairs that is in the order of both sides, where each key is matched
/// with its next place on the left: contexts hardly ever hold an item twice.
fn common<K: Eq + Hash>(left: &[K], right: &[K]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&K, Vec<usize>> = HashMap::new();
    for (at, key) in left.iter().enumerate().rev() {
        places.entry(key).or_default().push(at);
    }
    // The longest rising sequence of places on the left; `ends[n]` is the pair that ends the one
    // of length n + 1 with the smallest place.
    let mut pairs: Vec<(usize, usize, Option<usize>)> = Vec::new();
    let mut ends: Vec<usize> = Vec::new();
    for (at_right, key) in right.iter().enumerate() {
        let Some(at_left) = places.get_mut(key).and_then(Vec::pop) else {
            continue;
        };
        let length = ends.partition_point(|&end| pairs[end].0 < at_left);
        let before = length.checked_sub(1).map(|length| ends[length]);
        pairs.push((at_left, at_right, before));
        let own = pairs.len() - 1;
        match ends.get_mut(length) {
            Some(end) => *end = own,
            None => ends.push(own),
        }
    }
    let mut found = Vec::new();
    let mut at = ends.last().copied();
    while let Some(pair) = at {
        let (left, right, before) = pairs[pair];
        found.push((left, right));
        at = before;
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::{Stretch, stretches};

    #[test]
    fn what_both_have_is_folded_and_the_rest_stands_in_its_order() {
        let both = |count, tokens| Stretch::Both { count, tokens };
        let left = ["system", "old", "older", "kept", "last"];
        let right = ["system", "summary", "kept", "last", "new"];
        assert_eq!(
            stretches(&left, &right, &[1, 2, 4, 8, 16]),
            [
                both(1, 1),
                Stretch::Before(1),
                Stretch::Before(2),
                Stretch::After(1),
                both(2, 12),
                Stretch::After(4),
            ]
        );
        // Moved items are not the same place twice, and an item can stand twice.
        let moved = stretches(&["a", "b", "b"], &["b", "b", "a"], &[1, 1, 1]);
        assert_eq!(moved, [Stretch::Before(0), both(2, 2), Stretch::After(2)]);
        assert_eq!(stretches::<u8>(&[], &[], &[]), []);
    }
}

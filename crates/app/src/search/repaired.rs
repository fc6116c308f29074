//! A search of which several words are misspelled or only begun: all of them are repaired at once.

use super::forms::{forms_of, similar_pieces, words_of};
use super::taken::{Change, Finds, Taken, query_of};
use std::collections::HashMap;

/// Near spellings of one word that are tried.
const MOST_SPELLINGS: usize = 3;
/// Changes that leave out a word beside the repaired ones.
const MOST_LEFT_OUT: usize = 3;

/// The search with all its words repaired; where that finds nothing either, with the unknown ones
/// repaired and without some of the others. `similar` has what may have been meant by the words that
/// are in no entry.
pub(super) fn repaired<E>(
    taken: &Taken<'_>,
    similar: &HashMap<String, Vec<String>>,
    finds: &mut impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Vec<Change>, E> {
    if taken.pieces.len() < 2 {
        return Ok(Vec::new());
    }
    let is_unknown = |piece: &&str| words_of(piece).iter().any(|own| similar.contains_key(own));
    let unknown: Vec<bool> = taken.pieces.iter().map(is_unknown).collect();
    let mut spellings: Vec<Vec<String>> = Vec::new();
    for (piece, unknown) in taken.pieces.iter().zip(&unknown) {
        let mut own = Vec::new();
        if *unknown {
            let near = similar_pieces(piece, similar).into_iter();
            for other in forms_of(piece).into_iter().chain(near.take(MOST_SPELLINGS)) {
                if !taken.is_late() && finds(&other)?.is_some_and(|found| !found.nothing()) {
                    own.push(other);
                }
            }
        } else if !words_of(piece).is_empty() {
            own = forms_of(piece);
        }
        spellings.push(own);
    }
    // A word that nothing stands for is left out.
    let mut base = taken.slots();
    for (at, slot) in base.iter_mut().enumerate().filter(|(at, _)| unknown[*at]) {
        *slot = spellings[at].first().cloned();
    }
    if base.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let repairs = |at: usize| unknown[at] && !spellings[at].is_empty();
    let repairs = (0..unknown.len()).any(repairs);
    if !repairs && unknown.contains(&true) {
        return Ok(Vec::new());
    }
    if repairs {
        for slots in choices(&base, &unknown, &spellings) {
            if taken.is_late() {
                return Ok(Vec::new());
            }
            if let Some(found) = some(finds(&query_of(&slots))?) {
                return Ok(vec![taken.changed(&slots, found)]);
            }
        }
    }
    let changes = widened(taken, &base, &unknown, &spellings, finds)?;
    if !changes.is_empty() {
        return Ok(changes);
    }
    if !repairs {
        return Ok(Vec::new());
    }
    without_one(taken, &base, &unknown, finds)
}

/// The repaired search, and for each unknown word the same with its next spellings.
fn choices(
    base: &[Option<String>],
    unknown: &[bool],
    spellings: &[Vec<String>],
) -> Vec<Vec<Option<String>>> {
    let mut all = vec![base.to_vec()];
    for at in (0..base.len()).filter(|at| unknown[*at]) {
        for other in spellings[at].iter().skip(1) {
            let mut slots = base.to_vec();
            slots[at] = Some(other.clone());
            all.push(slots);
        }
    }
    all
}

/// The repaired search with other forms of the known words as well: of as few of them as needed, and
/// of all of them where that finds more.
fn widened<E>(
    taken: &Taken<'_>,
    base: &[Option<String>],
    unknown: &[bool],
    spellings: &[Vec<String>],
    finds: &mut impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Vec<Change>, E> {
    let known: Vec<usize> = (0..base.len())
        .filter(|at| !unknown[*at] && !spellings[*at].is_empty())
        .collect();
    // The beginnings of the words themselves, then of their stems.
    for pick in [
        |own: &[String]| own.first().cloned(),
        |own: &[String]| own.last().cloned(),
    ] {
        let mut slots = base.to_vec();
        for &at in &known {
            slots[at] = pick(&spellings[at]);
        }
        if taken.is_late() || slots == base {
            continue;
        }
        let Some(mut best) = some(finds(&query_of(&slots))?) else {
            continue;
        };
        let (all, found_by_all) = (slots.clone(), best);
        for &at in &known {
            if taken.is_late() {
                break;
            }
            let wide = std::mem::replace(&mut slots[at], base[at].clone());
            match some(finds(&query_of(&slots))?) {
                Some(found) => best = found,
                None => slots[at] = wide,
            }
        }
        let mut changes = vec![taken.changed(&slots, best)];
        if found_by_all.total() > best.total() {
            changes.push(taken.changed(&all, found_by_all));
        }
        return Ok(changes);
    }
    Ok(Vec::new())
}

/// The repaired search without one of the known pieces, what finds least first; else with as many
/// pieces as stand together.
fn without_one<E>(
    taken: &Taken<'_>,
    base: &[Option<String>],
    unknown: &[bool],
    finds: &mut impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Vec<Change>, E> {
    let mut changes = Vec::new();
    let known: Vec<usize> = (0..base.len()).filter(|at| !unknown[*at]).collect();
    for &at in known.iter().filter(|_| base.iter().flatten().count() > 1) {
        if taken.is_late() {
            break;
        }
        let mut slots = base.to_vec();
        slots[at] = None;
        if let Some(found) = some(finds(&query_of(&slots))?) {
            changes.push(taken.changed(&slots, found));
        }
    }
    changes.sort_by_key(|change| change.total.unwrap_or(u64::MAX));
    changes.truncate(MOST_LEFT_OUT);
    if changes.is_empty() {
        let places: Vec<usize> = (0..base.len()).filter(|at| base[*at].is_some()).collect();
        let pieces = base.iter().flatten().map(String::as_str).collect();
        let repaired = Taken {
            pieces,
            started: taken.started,
        };
        if let Some((kept, found)) = repaired.rarest_together(finds)? {
            let kept: Vec<usize> = kept.into_iter().map(|at| places[at]).collect();
            let slots = base.iter().enumerate();
            let slots = slots.map(|(at, own)| own.clone().filter(|_| kept.contains(&at)));
            changes.push(taken.changed(&slots.collect::<Vec<_>>(), found));
        }
    }
    Ok(changes)
}

/// What a search finds, where that is something.
fn some(found: Option<Finds>) -> Option<Finds> {
    found.filter(|found| !found.nothing())
}

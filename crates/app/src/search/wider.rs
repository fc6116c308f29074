//! What to change in a search that finds nothing: the word or filter without which something is
//! found, or what stands for it.

use super::forms::{filter_of, forms_of, joined, parted, similar_pieces, words_of};
use super::repaired::repaired;
use super::taken::{Change, Finds, Taken, Wider, query_of};
use std::collections::HashMap;

/// Pairs of pieces without which something is found that are listed.
const MOST_PAIRS: usize = 4;
/// Changes that are listed, those that leave a piece out being half of them.
const MOST_CHANGES: usize = 6;
/// Words that are listed for one that is in no entry.
const MOST_SIMILAR: usize = 3;
/// A search with at most so many hits is told which word to leave out.
pub(super) const FEW_HITS: u64 = 10;
/// ...where it has at least so many words.
const MANY_WORDS: usize = 3;

/// Looks for changes of a search that found nothing. `finds` tells how much a search finds, and
/// `None` for one that asks for nothing that is counted here; `similar` gives for each of several
/// words those of the index that may have been meant, the nearest first.
pub(super) fn wider<E>(
    text: &str,
    mut finds: impl FnMut(&str) -> Result<Option<Finds>, E>,
    similar: impl FnOnce(&[String]) -> Result<Vec<Vec<String>>, E>,
) -> Result<Wider, E> {
    let mut wider = Wider::default();
    let Some(taken) = Taken::apart(text) else {
        return Ok(wider);
    };
    let pieces = &taken.pieces;
    let mut sought: Vec<String> = Vec::new();
    // Words of filters that are in some entry: only longer names stand for them.
    let mut known: Vec<String> = Vec::new();
    for word in pieces.iter().flat_map(|piece| words_of(piece)) {
        let is_unknown = finds(&word)?.is_some_and(Finds::nothing);
        if !sought.contains(&word) && (is_unknown || filter_of(&word).is_some()) {
            known.extend((!is_unknown).then(|| word.clone()));
            sought.push(word);
        }
    }
    let mut near = if sought.is_empty() {
        Vec::new()
    } else {
        similar(&sought)?
    };
    for (word, near) in sought.iter().zip(&mut near) {
        if let Some((_, _, own)) = filter_of(word).filter(|_| known.contains(word)) {
            near.retain(|other| other.contains(own));
        }
    }
    let similar: HashMap<String, Vec<String>> = sought.into_iter().zip(near).collect();
    let mut left_out: Vec<Change> = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        let before = wider.changes.len();
        let mut best = None;
        for form in forms_of(piece) {
            if taken.is_late() {
                return Ok(wider);
            }
            let found = finds(&taken.with(at, Some(&form)))?;
            if let Some(found) = found.filter(|found| found.more_than(best)) {
                best = Some(found);
                wider.changes.push(taken.change(at, Some(form), found));
            }
        }
        for other in similar_pieces(piece, &similar) {
            if taken.is_late() || wider.changes.len() - before >= MOST_SIMILAR {
                break;
            }
            let found = finds(&taken.with(at, Some(&other)))?;
            if let Some(found) = found.filter(|found| !found.nothing()) {
                wider.changes.push(taken.change(at, Some(other), found));
            }
        }
        // A near spelling that finds as much as a shortened form is what was meant.
        let own = &mut wider.changes[before..];
        let word = piece.to_lowercase();
        let is_spelling = |change: &Change| {
            let instead = change.instead.as_deref().unwrap_or_default();
            !instead.ends_with('*') && !instead.contains(&word)
        };
        if let Some(at) = own.iter().position(is_spelling)
            && own[..at].iter().all(|form| form.total <= own[at].total)
        {
            own[..=at].rotate_right(1);
        }
        if wider.changes.len() == before {
            wider.changes.extend(parted_word(&taken, at, &mut finds)?);
        }
        // Without its only piece a search asks for nothing. Another form of a word may be another word
        // (`option*` finds `optional`), so leaving it out is said as well.
        if pieces.len() > 1 && !taken.is_late() {
            let found = finds(&taken.with(at, None))?;
            if let Some(found) = found.filter(|found| !found.nothing()) {
                left_out.push(taken.change(at, None, found));
            }
        }
    }
    for at in 1..pieces.len() {
        if let Some(word) = joined(pieces[at - 1], pieces[at]).filter(|_| !taken.is_late()) {
            let mut slots = taken.slots();
            (slots[at - 1], slots[at]) = (Some(word), None);
            let found = finds(&query_of(&slots))?;
            if let Some(found) = found.filter(|found| !found.nothing()) {
                wider.changes.push(taken.changed(&slots, found));
            }
        }
    }
    // No single one helps: all at once.
    if wider.changes.is_empty() {
        let mut unknown = similar;
        unknown.retain(|word, _| !known.contains(word));
        wider.changes = repaired(&taken, &unknown, &mut finds)?;
    }
    // What stands for a word is nearer to what was asked than the search without it, and of these one
    // that finds little has the telling words.
    left_out.sort_by_key(|change| change.total.unwrap_or(u64::MAX));
    left_out.truncate((MOST_CHANGES / 2).max(MOST_CHANGES.saturating_sub(wider.changes.len())));
    wider
        .changes
        .truncate(MOST_CHANGES - left_out.len().min(MOST_CHANGES));
    wider.changes.extend(left_out);
    if wider.changes.is_empty() && pieces.len() > 1 {
        for piece in pieces {
            if taken.is_late() {
                break;
            }
            if finds(piece)?.is_some_and(Finds::nothing)
                && !wider.absent.iter().any(|own| own == piece)
            {
                wider.absent.push((*piece).to_owned());
            }
        }
    }
    // Each finds something, and no two of them together do.
    if wider.changes.is_empty() && wider.absent.is_empty() && pieces.len() > 2 {
        for (first, second) in pairs(pieces.len()) {
            if taken.is_late() || wider.changes.len() >= MOST_PAIRS {
                break;
            }
            let left = pieces.iter().enumerate();
            let left = left.filter(|(at, _)| *at != first && *at != second);
            let query = left.map(|(_, part)| *part).collect::<Vec<_>>().join(" ");
            if let Some(found) = finds(&query)?.filter(|found| !found.nothing()) {
                wider.changes.push(Change {
                    piece: format!("{} {}", pieces[first], pieces[second]),
                    instead: None,
                    query,
                    total: found.total(),
                });
            }
        }
    }
    // No one or two words are too many: the rarest that stand together in something are kept.
    if wider.changes.is_empty()
        && let Some((kept, found)) = taken.rarest_together(&mut finds)?
    {
        let slots = pieces.iter().enumerate();
        let slots = slots.map(|(at, own)| kept.contains(&at).then(|| (*own).to_owned()));
        wider
            .changes
            .push(taken.changed(&slots.collect::<Vec<_>>(), found));
    }
    Ok(wider)
}

/// A word as two that stand next to each other somewhere (`statemachine`, `"state machine"`).
fn parted_word<E>(
    taken: &Taken<'_>,
    at: usize,
    finds: &mut impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Option<Change>, E> {
    for words in parted(taken.pieces[at]) {
        if taken.is_late() {
            break;
        }
        // Words alone are counted at once; a phrase is looked up in the entries that have its words.
        if finds(&taken.with(at, Some(&words)))?.is_none_or(Finds::nothing) {
            continue;
        }
        let phrase = format!("\"{words}\"");
        let found = finds(&taken.with(at, Some(&phrase)))?;
        if let Some(found) = found.filter(|found| !found.nothing()) {
            return Ok(Some(taken.change(at, Some(phrase), found)));
        }
    }
    Ok(None)
}

/// Of a search of several words that found little, the words without which it finds more, the one
/// that adds least first: what it finds is nearest to what was asked.
pub(super) fn with_fewer_words<E>(
    text: &str,
    found: u64,
    mut finds: impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Wider, E> {
    let mut wider = Wider::default();
    let Some(taken) = Taken::apart(text) else {
        return Ok(wider);
    };
    let is_word = |piece: &&str| !piece.starts_with('-') && !piece.contains(':');
    let words = taken.pieces.iter().filter(|piece| is_word(piece)).count();
    if words < MANY_WORDS {
        return Ok(wider);
    }
    for (at, _) in taken
        .pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| is_word(piece))
    {
        if taken.is_late() {
            break;
        }
        let without = finds(&taken.with(at, None))?;
        if let Some(without) = without.filter(|own| own.more_than(Some(Finds::Count(found)))) {
            wider.changes.push(taken.change(at, None, without));
        }
    }
    let order = |change: &Change| change.total.unwrap_or(u64::MAX);
    wider.changes.sort_by_key(order);
    wider.changes.truncate(MOST_SIMILAR);
    Ok(wider)
}

/// The pairs of so many pieces, in order.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Searches over texts, of which each needs all words; a word may end in `*`.
    fn over(texts: &[&str], query: &str) -> Wider {
        let finds = |query: &str| {
            let has = |text: &&&str| {
                query.split(' ').all(|word| {
                    text.split(' ').any(|own| match word.strip_suffix('*') {
                        Some(begin) => own.starts_with(begin),
                        None => own == word,
                    })
                })
            };
            let count = texts.iter().filter(has).count() as u64;
            Ok::<_, Infallible>(Some(Finds::Count(count)))
        };
        let similar = |words: &[String]| {
            let of = |word: &String| match word.as_str() {
                "lobotomized" => vec!["lobotimized".to_owned()],
                _ => Vec::new(),
            };
            Ok(words.iter().map(of).collect())
        };
        let Ok(found) = wider(query, finds, similar);
        found
    }

    fn change(piece: &str, instead: Option<&str>, query: &str, total: u64) -> Change {
        Change {
            piece: piece.to_owned(),
            instead: instead.map(str::to_owned),
            query: query.to_owned(),
            total: Some(total),
        }
    }

    #[test]
    fn the_piece_to_leave_out_is_named() {
        let texts = [
            "date parser tool:edit",
            "date reader",
            "date reader tool:bash",
        ];
        assert_eq!(
            over(&texts, "date reader tool:edit").changes,
            [
                change("reader", None, "date tool:edit", 1),
                change("tool:edit", None, "date reader", 2),
            ]
        );
    }

    #[test]
    fn another_form_of_a_word_goes_before_leaving_it_out() {
        let texts = ["the parser stands", "one timeout"];
        assert_eq!(
            over(&texts, "parsing").changes,
            [change("parsing", Some("pars*"), "pars*", 1)]
        );
        assert_eq!(
            over(&texts, "one timeouts").changes,
            [
                change("timeouts", Some("timeout*"), "one timeout*", 1),
                change("timeouts", None, "one", 1),
            ]
        );
    }

    #[test]
    fn similar_words_stand_for_one_that_is_nowhere() {
        let texts = ["was it lobotimized", "a mail"];
        assert_eq!(
            over(&texts, "lobotomized it").changes,
            [
                change("lobotomized", Some("lobotimized"), "lobotimized it", 1),
                change("lobotomized", None, "it", 1),
            ]
        );
    }

    #[test]
    fn a_near_spelling_that_finds_as_much_as_a_shortened_form_goes_first() {
        let finds = |query: &str| {
            let is_found = matches!(query, "permis*" | "permission" | "renam*" | "rename");
            let count = u64::from(is_found) + u64::from(query == "renam*");
            Ok::<_, Infallible>(Some(Finds::Count(count)))
        };
        let similar = |words: &[String]| {
            let of = |word: &String| match word.as_str() {
                "permision" => vec!["permission".to_owned()],
                _ => vec!["rename".to_owned()],
            };
            Ok(words.iter().map(of).collect())
        };
        for (query, expected) in [
            ("permision", ["permission", "permis*"]),
            ("renam", ["renam*", "rename"]),
        ] {
            let Ok(found) = wider(query, finds, similar);
            let queries: Vec<&str> = found.changes.iter().map(|own| &*own.query).collect();
            assert_eq!(queries, expected);
        }
    }

    #[test]
    fn a_wider_form_is_named_where_it_finds_more() {
        let texts = ["a migration", "we migrated", "to migrate"];
        let changes = over(&texts, "migrate a").changes;
        assert_eq!(
            changes,
            [
                change("migrate", Some("migrat*"), "migrat* a", 1),
                change("migrate", None, "a", 1),
                change("a", None, "migrate", 1),
            ]
        );
    }

    #[test]
    fn a_word_too_many_is_left_out_though_another_form_of_it_is_found() {
        let texts = [
            "the nuclear button",
            "nuclear and optional",
            "an option",
            "option",
        ];
        assert_eq!(
            over(&texts, "nuclear option").changes,
            [
                change("option", Some("option*"), "nuclear option*", 1),
                change("nuclear", None, "option", 2),
                change("option", None, "nuclear", 2),
            ]
        );
    }

    #[test]
    fn all_words_that_can_be_repaired_are_repaired_at_once() {
        let texts = [
            "renamed the checkpoint compatibility",
            "renaming backwards",
            "checkpoint",
        ];
        assert_eq!(
            over(&texts, "renam checkpoint compat").changes,
            [change(
                "renam compat",
                Some("renam* compat*"),
                "renam* checkpoint compat*",
                1
            )]
        );
        let texts = [
            "it was lobotimized twice",
            "renamed twice",
            "it skipped",
            "renamed lobotimized",
        ];
        assert_eq!(
            over(&texts, "lobotomized renam").changes,
            [change(
                "lobotomized renam",
                Some("lobotimized renam*"),
                "lobotimized renam*",
                1
            )]
        );
    }

    #[test]
    fn a_repaired_word_is_offered_without_the_words_that_are_too_many() {
        let texts = ["it was lobotimized twice", "it skipped", "quite skipped"];
        assert_eq!(
            over(&texts, "lobotomized skipped twice").changes,
            [change(
                "lobotomized skipped",
                Some("lobotimized"),
                "lobotimized twice",
                1
            )]
        );
    }

    #[test]
    fn two_words_are_found_as_one() {
        let texts = ["the statemachine stops", "state of it"];
        assert_eq!(
            over(&texts, "state machine stops").changes[0],
            change(
                "state machine",
                Some("statemachine"),
                "statemachine stops",
                1
            )
        );
    }

    #[test]
    fn a_word_is_found_as_two_next_to_each_other() {
        let finds = |query: &str| {
            let count = u64::from(matches!(
                &*query.replace("State Machine", "state machine"),
                "state machine kind:call"
                    | "\"state machine\" kind:call"
                    | "kind:call"
                    | "statem achine kind:call"
            ));
            Ok::<_, Infallible>(Some(Finds::Count(count)))
        };
        for word in ["statemachine", "StateMachine"] {
            let query = format!("{word} kind:call");
            let Ok(found) = wider(&query, finds, |words| Ok(vec![Vec::new(); words.len()]));
            assert_eq!(
                found.changes[0]
                    .instead
                    .as_deref()
                    .map(str::to_lowercase)
                    .as_deref(),
                Some("\"state machine\""),
                "{word}"
            );
        }
    }

    #[test]
    fn of_many_words_the_rarest_that_stand_together_are_kept() {
        let texts = [
            "kill entire then create new interactive mode",
            "file from the scratch",
            "file write from the mode",
            "file write kill the",
        ];
        assert_eq!(
            over(&texts, "kill file write interactive mode from scratch").changes,
            [change(
                "file write from scratch",
                None,
                "kill interactive mode",
                1
            )]
        );
    }

    #[test]
    fn a_search_of_many_words_is_told_which_finds_more_without_it() {
        let finds = |query: &str| {
            let count = if query.contains("rare") { 2 } else { 9 };
            Ok::<_, Infallible>(Some(Finds::Count(count)))
        };
        let Ok(found) = with_fewer_words("one two rare kind:user", 2, finds);
        assert_eq!(
            found.changes,
            [change("rare", None, "one two kind:user", 9)]
        );
        let Ok(found) = with_fewer_words("two rare", 2, finds);
        assert_eq!(found, Wider::default());
    }

    #[test]
    fn what_is_nowhere_is_named_where_no_single_change_helps() {
        let found = over(&["date parser", "mail"], "alpha date bravo");
        assert_eq!(found.changes, []);
        assert_eq!(found.absent, ["alpha", "bravo"]);
    }

    #[test]
    fn two_pieces_are_left_out_where_each_of_three_excludes_the_others() {
        let texts = ["alpha echo", "bravo echo", "gamma"];
        let found = over(&texts, "alpha bravo gamma");
        assert_eq!(
            found.changes,
            [
                change("alpha bravo", None, "gamma", 1),
                change("alpha gamma", None, "bravo", 1),
                change("bravo gamma", None, "alpha", 1),
            ]
        );
    }
}

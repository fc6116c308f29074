//! What to change in a search that finds nothing: the word or filter without which something is
//! found, or what stands for it.

use super::query::pieces::written;
use super::values::kind;
use palimpsest_store::index::terms::{each_term, terms};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Longer searches are not taken apart: each part is a search of its own.
const MOST_PIECES: usize = 12;
/// Pairs of pieces without which something is found that are listed.
const MOST_PAIRS: usize = 4;
/// Changes that are listed, those that leave a piece out being half of them.
const MOST_CHANGES: usize = 6;
/// Words that are listed for one that is in no entry.
const MOST_SIMILAR: usize = 3;
/// How long a search is taken apart.
const LONGEST: Duration = Duration::from_millis(500);
/// The shortest beginning of a word that is worth a search.
const SHORTEST_STEM: usize = 4;
/// Endings of the forms of an English word, the longest first.
const ENDINGS: [&str; 21] = [
    "ations", "ation", "ators", "ments", "ator", "ings", "ment", "able", "ing", "ies", "ied",
    "ion", "ers", "ors", "ed", "er", "es", "or", "ly", "e", "s",
];
/// A search with at most so many hits is told which word to leave out.
pub(super) const FEW_HITS: u64 = 10;
/// ...where it has at least so many words.
const MANY_WORDS: usize = 3;

/// How much a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finds {
    /// So many.
    Count(u64),
    /// Some; they are not counted.
    Some,
}

impl Finds {
    fn total(self) -> Option<u64> {
        match self {
            Finds::Count(count) => Some(count),
            Finds::Some => None,
        }
    }

    fn nothing(self) -> bool {
        self == Finds::Count(0)
    }

    /// True where it is more than `other`.
    fn more_than(self, other: Option<Finds>) -> bool {
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
struct Taken<'t> {
    pieces: Vec<&'t str>,
    started: Instant,
}

impl<'t> Taken<'t> {
    /// `None` for a search with nothing in it, and for one with too many parts.
    fn apart(text: &'t str) -> Option<Taken<'t>> {
        let pieces = written(text);
        let fits = !pieces.is_empty() && pieces.len() <= MOST_PIECES;
        fits.then(|| Taken {
            pieces,
            started: Instant::now(),
        })
    }

    fn is_late(&self) -> bool {
        self.started.elapsed() > LONGEST
    }

    /// The search with something else in the place of a piece, or without it.
    fn with(&self, at: usize, instead: Option<&str>) -> String {
        let parts = self.pieces.iter().enumerate();
        let parts = parts.filter_map(|(own, part)| if own == at { instead } else { Some(part) });
        parts.collect::<Vec<&str>>().join(" ")
    }

    /// The search with some of its pieces.
    fn only(&self, pieces: &[usize]) -> String {
        let pieces: Vec<&str> = pieces.iter().map(|&at| self.pieces[at]).collect();
        pieces.join(" ")
    }

    /// A change of a piece after which so much is found.
    fn change(&self, at: usize, instead: Option<String>, found: Finds) -> Change {
        Change {
            piece: self.pieces[at].to_owned(),
            query: self.with(at, instead.as_deref()),
            instead,
            total: found.total(),
        }
    }
}

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
    let mut unknown: Vec<String> = Vec::new();
    for word in pieces.iter().flat_map(|piece| words_of(piece)) {
        if !unknown.contains(&word) && finds(&word)?.is_some_and(Finds::nothing) {
            unknown.push(word);
        }
    }
    let known = if unknown.is_empty() {
        Vec::new()
    } else {
        similar(&unknown)?
    };
    let similar: HashMap<String, Vec<String>> = unknown.into_iter().zip(known).collect();
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
        // Without its only piece a search asks for nothing. Another form of a word may be another word
        // (`option*` finds `optional`), so leaving it out is said as well.
        if pieces.len() > 1 && !taken.is_late() {
            let found = finds(&taken.with(at, None))?;
            if let Some(found) = found.filter(|found| !found.nothing()) {
                left_out.push(taken.change(at, None, found));
            }
        }
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
    if wider.changes.is_empty() && pieces.len() > 3 {
        wider.changes.extend(rarest_together(&taken, &mut finds)?);
    }
    Ok(wider)
}

/// The filters that two words next to each other may have meant (`open todo`, `model changed`), where
/// they find something.
pub(super) fn kinds_meant<E>(
    text: &str,
    mut finds: impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Vec<Change>, E> {
    let Some(taken) = Taken::apart(text) else {
        return Ok(Vec::new());
    };
    let is_word = |piece: &str| piece.chars().all(char::is_alphabetic);
    for (at, pair) in taken.pieces.windows(2).enumerate() {
        let &[first, second] = pair else { continue };
        if !is_word(first) || !is_word(second) {
            continue;
        }
        // "changed" is of "change".
        let forms = [second, second.strip_suffix('d').unwrap_or(second)];
        let named = |own: &&str| kind(&format!("{first}_{own}")).is_ok();
        let Some(own) = forms.iter().find(|own| named(own)) else {
            continue;
        };
        let filter = format!("kind:{first}-{own}").to_lowercase();
        let mut pieces = taken.pieces.clone();
        pieces.splice(at..at + 2, [&*filter]);
        let query = pieces.join(" ");
        if let Some(found) = finds(&query)?.filter(|found| !found.nothing()) {
            return Ok(vec![Change {
                piece: format!("{first} {second}"),
                instead: Some(filter),
                query,
                total: found.total(),
            }]);
        }
    }
    Ok(Vec::new())
}

/// The search with as many of its pieces as there is an entry with all of them, filters first, then the
/// rarest words.
fn rarest_together<E>(
    taken: &Taken<'_>,
    finds: &mut impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Option<Change>, E> {
    let mut order: Vec<(bool, u64, usize)> = Vec::new();
    for (at, piece) in taken.pieces.iter().enumerate() {
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
        if taken.is_late() {
            break;
        }
        let mut more = kept.clone();
        more.push(at);
        more.sort_unstable();
        match finds(&taken.only(&more))? {
            Some(found) if found.nothing() => {}
            found => {
                best = found.or(best);
                kept = more;
            }
        }
    }
    let words = kept
        .iter()
        .filter(|&&at| !taken.pieces[at].contains(':'))
        .count();
    let Some(found) = best.filter(|_| words >= 2) else {
        return Ok(None);
    };
    let left: Vec<usize> = (0..taken.pieces.len())
        .filter(|at| !kept.contains(at))
        .collect();
    Ok(Some(Change {
        piece: taken.only(&left),
        instead: None,
        query: taken.only(&kept),
        total: found.total(),
    }))
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

/// The words of a piece that may be misspelled: those of text that must be there.
fn words_of(piece: &str) -> Vec<String> {
    if piece.starts_with(['-', '"']) || piece.ends_with('*') || piece.contains(':') {
        return Vec::new();
    }
    terms(piece)
}

/// A piece with another word in the place of one of its own that is in no entry.
fn similar_pieces(piece: &str, similar: &HashMap<String, Vec<String>>) -> Vec<String> {
    let mut all = Vec::new();
    if words_of(piece).is_empty() {
        return all;
    }
    each_term(piece, |place, term| {
        for other in similar.get(term).into_iter().flatten() {
            let (before, after) = (&piece[..place.start], &piece[place.end..]);
            all.push(format!("{before}{other}{after}"));
        }
        ControlFlow::Continue(())
    });
    all
}

/// The pairs of so many pieces, in order.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

/// What may stand for a piece, the nearest first: other forms of a word, the words of a phrase, what
/// agents do not mark as an error.
fn forms_of(piece: &str) -> Vec<String> {
    if piece.starts_with('-') {
        return Vec::new();
    }
    match piece.to_lowercase().as_str() {
        "kind:error" | "kind:errors" => return vec!["kind:failed-test".to_owned()],
        "has:error" | "has:errors" => return vec!["has:failed-test".to_owned()],
        _ => {}
    }
    if let Some(phrase) = piece.strip_prefix('"') {
        let words = phrase.trim_end_matches('"').trim();
        let plain = words
            .split_whitespace()
            .all(|word| !word.contains(':') && !word.starts_with('-'));
        let several = terms(words).len() > 1 && words.contains(char::is_whitespace) && plain;
        return Vec::from_iter(several.then(|| words.to_owned()));
    }
    let is_word = piece.chars().all(char::is_alphanumeric) && terms(piece).len() == 1;
    if !is_word || piece.chars().count() < SHORTEST_STEM {
        return Vec::new();
    }
    let mut forms = vec![format!("{piece}*")];
    let lower = piece.to_lowercase();
    let ending = ENDINGS.iter().find(|ending| lower.ends_with(**ending));
    if let Some(ending) = ending
        && lower.len() - ending.len() >= SHORTEST_STEM
    {
        // The same letters end the lower case and the piece: endings are ASCII.
        let stem = &piece[..piece.len() - ending.len()];
        forms.push(format!("{}*", undoubled(stem)));
    }
    forms
}

/// A stem without the last of two equal consonants: `committ` of `committed` is `commit`.
fn undoubled(stem: &str) -> &str {
    let mut last = stem.chars().rev();
    let (Some(one), Some(other)) = (last.next(), last.next()) else {
        return stem;
    };
    let is_consonant = one.is_ascii_alphabetic() && !"aeiou".contains(one.to_ascii_lowercase());
    let shorter = &stem[..stem.len() - one.len_utf8()];
    if is_consonant && one == other && shorter.len() >= SHORTEST_STEM {
        shorter
    } else {
        stem
    }
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
    fn words_that_name_a_kind_lead_to_its_filter() {
        let meant = |query: &str| {
            let finds = |query: &str| {
                let count = u64::from(query.contains("kind:"));
                Ok::<_, Infallible>(Some(Finds::Count(count)))
            };
            let Ok(found) = kinds_meant(query, finds);
            found
                .into_iter()
                .map(|change| change.query)
                .collect::<Vec<_>>()
        };
        assert_eq!(meant("open todos"), ["kind:open-todos"]);
        assert_eq!(meant("model changed sonnet"), ["kind:model-change sonnet"]);
        assert_eq!(meant("which Failed test"), ["which kind:failed-test"]);
        assert_eq!(meant("open door"), [""; 0]);
        assert_eq!(meant("-open todo"), [""; 0]);
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

    #[test]
    fn what_stands_for_a_piece() {
        for (piece, expected) in [
            ("decided", vec!["decided*", "decid*"]),
            ("migrate", vec!["migrate*", "migrat*"]),
            ("committed", vec!["committed*", "commit*"]),
            ("uses", vec!["uses*"]),
            ("\"retry queue\"", vec!["retry queue"]),
            ("\"retry\"", vec![]),
            ("kind:error", vec!["kind:failed-test"]),
            ("-draft", vec![]),
            ("src/a.rs", vec![]),
            ("log", vec![]),
            ("ÄNDERUNGEN", vec!["ÄNDERUNGEN*"]),
        ] {
            assert_eq!(forms_of(piece), expected, "{piece}");
        }
    }
}

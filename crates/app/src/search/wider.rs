//! What to change in a search that finds nothing: the word or filter without which something is
//! found, or what stands for it.

use super::query::pieces::written;
use palimpsest_store::index::terms::terms;
use std::time::{Duration, Instant};

/// Longer searches are not taken apart: each part is a search of its own.
const MOST_PIECES: usize = 8;
/// Pairs of pieces without which something is found that are listed.
const MOST_PAIRS: usize = 4;
/// How long a search is taken apart.
const LONGEST: Duration = Duration::from_millis(500);
/// The shortest beginning of a word that is worth a search.
const SHORTEST_STEM: usize = 4;
/// Endings of the forms of an English word, the longest first.
const ENDINGS: [&str; 11] = [
    "ations", "ation", "ings", "ing", "ies", "ied", "ion", "ers", "ed", "es", "s",
];

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

/// What to change in a search that finds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wider {
    /// Changes of one word or filter, in the order of the search.
    pub changes: Vec<Change>,
    /// Words and filters that find nothing by themselves, where no single change helps.
    pub absent: Vec<String>,
}

/// Looks for changes of a search that found nothing. `finds` tells how much a search finds, and
/// `None` for one that asks for nothing that is counted here.
pub(super) fn wider<E>(
    text: &str,
    mut finds: impl FnMut(&str) -> Result<Option<Finds>, E>,
) -> Result<Wider, E> {
    let started = Instant::now();
    let pieces = written(text);
    let mut wider = Wider::default();
    if pieces.is_empty() || pieces.len() > MOST_PIECES {
        return Ok(wider);
    }
    for (at, piece) in pieces.iter().enumerate() {
        let with = |instead: Option<&str>| {
            let parts = pieces.iter().enumerate();
            let parts =
                parts.filter_map(|(own, part)| if own == at { instead } else { Some(part) });
            parts.collect::<Vec<&str>>().join(" ")
        };
        let mut found = None;
        for instead in instead_of(piece)
            .iter()
            .map(|other| Some(other.as_str()))
            .chain([None])
        {
            if started.elapsed() > LONGEST {
                return Ok(wider);
            }
            // Without its only piece a search asks for nothing.
            if instead.is_none() && pieces.len() == 1 {
                break;
            }
            let query = with(instead);
            if let Some(count) = finds(&query)?.filter(|count| !count.nothing()) {
                found = Some((instead.map(str::to_owned), query, count.total()));
                break;
            }
        }
        wider
            .changes
            .extend(found.map(|(instead, query, total)| Change {
                piece: (*piece).to_owned(),
                instead,
                query,
                total,
            }));
    }
    if wider.changes.is_empty() && pieces.len() > 1 {
        for piece in &pieces {
            if started.elapsed() > LONGEST {
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
            if started.elapsed() > LONGEST || wider.changes.len() >= MOST_PAIRS {
                break;
            }
            let left = pieces.iter().enumerate();
            let left = left.filter(|(at, _)| *at != first && *at != second);
            let query = left.map(|(_, part)| *part).collect::<Vec<_>>().join(" ");
            if let Some(count) = finds(&query)?.filter(|count| !count.nothing()) {
                wider.changes.push(Change {
                    piece: format!("{} {}", pieces[first], pieces[second]),
                    instead: None,
                    query,
                    total: count.total(),
                });
            }
        }
    }
    Ok(wider)
}

/// The pairs of so many pieces, in order.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)))
}

/// What may stand for a piece, the nearest first: other forms of a word, the words of a phrase, what
/// agents do not mark as an error.
fn instead_of(piece: &str) -> Vec<String> {
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
        forms.push(format!("{}*", &piece[..piece.len() - ending.len()]));
    }
    forms
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
        let Ok(found) = wider(query, finds);
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
            [change("timeouts", Some("timeout*"), "one timeout*", 1)]
        );
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
            ("uses", vec!["uses*"]),
            ("\"retry queue\"", vec!["retry queue"]),
            ("\"retry\"", vec![]),
            ("kind:error", vec!["kind:failed-test"]),
            ("-draft", vec![]),
            ("src/a.rs", vec![]),
            ("log", vec![]),
            ("ÄNDERUNGEN", vec!["ÄNDERUNGEN*"]),
        ] {
            assert_eq!(instead_of(piece), expected, "{piece}");
        }
    }
}

//! What a summary shows of a sentence: its verb and what it names, in other words, in part, or
//! with another meaning.

use crate::candidate::role_weight;
use crate::clauses::{bare, binding, chosen, essences, step, unlabelled, without_place};
use crate::content::{Content, ContentWord};
use crate::extract::Candidate;
use crate::meaning;
use crate::segments::{Found, Segment, Segments, squash, stem};
use crate::{identifiers, labels, words};
use palimpsest_core::ledger::{FactKind, FactStatus};
use std::borrow::Cow;
use std::ops::Range;

/// Share of the plain words that must be near when all names are there.
const WORDS_BESIDE_NAMES: f64 = 0.2;

/// Letters of a name that stands for more than a word ("cli" stands in every other line).
const TELLING_LETTERS: usize = 4;

/// Share of the words of a sentence without names that must be there to be mentioned.
const MENTIONED: f64 = 0.5;

/// Share of words and names from which a sentence is there although a name is missing.
const MOST: f64 = 0.7;

/// Share of words and names from which a sentence is partly there.
const PARTIAL: f64 = 0.45;

/// How many neighbouring lines of a summary may tell one sentence together.
const WINDOW: usize = 2;

/// Most wordings of a fact that are looked for.
const MAX_WORDINGS: usize = 4;

/// Most words named as missing.
const MAX_MISSING: usize = 6;

/// Words that tell what is done with a name, or what it is: the name tells the rest.
#[rustfmt::skip]
const KINDS_OF_CODE: &[&str] = &[
    "add", "class", "create", "creat", "field", "flag", "function", "funct", "getter", "gett", "implement",
    "interfac", "method", "modul", "parameter", "paramet", "property", "propert", "setter", "sett", "struct",
    "type", "typ", "variabl",
];

/// What `text` shows of the sentence of a fact, beyond its exact words; `None` if nothing.
///
/// All names and a fifth of the other words in up to two neighbouring lines are a mention, as are
/// half of the words of a sentence without names, and 70 % of names and words together; 45 % of both
/// is a part, and what is missing is told. (Of thresholds from 0.2 to 0.8 these agree best with
/// people on eight summaries, by one or two in a hundred.) The main clause stands for the sentence. A mention whose meaning differs (see
/// [`meaning::differs`]) is a change.
///
/// Of several wordings the one that is told best counts.
pub(crate) fn find(text: &str, segments: &Segments, fact: &Candidate) -> Option<Found> {
    let told = fact.surfaces.iter().take(MAX_WORDINGS);
    let found = told.filter_map(|sentence| find_wording(text, segments, fact, sentence));
    found.min_by_key(|found| found.status)
}

fn find_wording(
    text: &str,
    segments: &Segments,
    fact: &Candidate,
    sentence: &str,
) -> Option<Found> {
    let message = if fact.kind == FactKind::Error {
        without_place(sentence)
    } else {
        sentence
    };
    // Most facts have one wording, their text.
    let own = if message == fact.text {
        Cow::Borrowed(fact.content())
    } else {
        Cow::Owned(Content::of(message))
    };
    let content = match (&fact.details.answers, own.len() <= 1) {
        (Some(question), true) => Cow::Owned(Content::of(question)),
        _ => own,
    };
    // Short messages are made of words that stand anywhere.
    let least = if fact.kind == FactKind::Error { 3 } else { 2 };
    // The words of a question of two words stand everywhere.
    let asks = fact.kind == FactKind::UserRequest && message.trim_end().ends_with('?');
    if content.len() < least + usize::from(asks) {
        return None;
    }
    let asked = is_of_user(fact);
    let mut best = seek(segments, &content, fact.kind, asked);
    // What is left of a row without its ids may be short.
    let fewest = if bare(message).len() < message.len() {
        2
    } else {
        3
    };
    // The last of them may be the whole, which was looked for.
    let whole = unlabelled(message);
    let clauses = essences(message)
        .into_iter()
        .filter(|clause| *clause != whole);
    let mut clauses = clauses.map(Content::of);
    let main = clauses.find(|main| main.len() >= fewest);
    // What is chosen may be one name.
    let chosen = chosen(message)
        .map(Content::of)
        .filter(|chosen| !chosen.names.is_empty());
    let binding = (fact.kind == FactKind::Constraint)
        .then(|| binding(message))
        .flatten()
        .map(Content::of)
        .filter(|binding| binding.len() >= fewest);
    for part in [main, chosen, binding].into_iter().flatten() {
        if part.len() >= content.len() {
            continue;
        }
        let found = seek(segments, &part, fact.kind, asked);
        if let Some((score, found)) = found
            && best.as_ref().is_none_or(|(known, _)| *known < score)
        {
            best = Some((score, found));
        }
    }
    if best
        .as_ref()
        .is_none_or(|(_, found)| found.status == FactStatus::Partial)
        && fact.kind == FactKind::Decision
        && let Some(range) = segments.drawn.shows_move(sentence)
    {
        best = Some((1.0, mention(range)));
    }
    if best.is_none()
        && let Some(range) = by_commit(segments, &content)
    {
        best = Some((0.0, mention(range)));
    }
    if best
        .as_ref()
        .is_none_or(|(_, found)| found.status == FactStatus::Partial)
        && let Some(found) = step(&fact.text).and_then(|step| by_step(segments, &content, &step))
    {
        best = Some((0.0, found));
    }
    let (_, mut found) =
        best.filter(|(_, found)| !labels::differ(sentence, &text[found.range.clone()]))?;
    if let Some(there) = meaning::differs(fact, sentence, &text[found.range.clone()]) {
        found.status = FactStatus::Changed;
        found.difference = Some((words::one_line(sentence, 300), words::one_line(there, 300)));
    }
    if found.status != FactStatus::Partial {
        found.missing.clear();
    }
    Some(found)
}

/// A sentence that is told there.
fn mention(range: Range<usize>) -> Found {
    Found {
        status: FactStatus::Mentioned,
        range,
        missing: Vec::new(),
        difference: None,
    }
}

/// Most words of a line that tells by a commit what was done.
const COMMIT_WORDS: usize = 6;

/// Stems of what every commit is said to do.
const OF_COMMITS: &[&str] = &[
    "add", "fix", "address", "comm", "commit", "updat", "upd", "chang", "clos",
];

/// A short line with the hash of a commit and a word of the sentence stands for it ("Constants (1a2b3c4)").
fn by_commit(segments: &Segments, content: &Content) -> Option<Range<usize>> {
    let hashes = content
        .names
        .iter()
        .filter(|name| identifiers::is_hash(name));
    let hashes: Vec<&String> = hashes.collect();
    let mut told = segments.all.iter().filter(|segment| {
        !segment.quotes_user
            && segment.stems.len() <= COMMIT_WORDS
            && hashes
                .iter()
                .any(|hash| segment.lower.contains(hash.as_str()))
            && content.words.iter().any(|word| {
                word.text.len() > 3
                    && !OF_COMMITS.contains(&word.stem.as_str())
                    && segment.stems.contains(&word.stem)
            })
    });
    told.next().map(|segment| segment.range.clone())
}

/// A step that a line names with one of its words is told there.
fn by_step(segments: &Segments, content: &Content, step: &str) -> Option<Found> {
    let has_step = |lower: &str| {
        lower.match_indices(step).any(|(at, _)| {
            let next = lower[at + step.len()..].chars().next();
            !next.is_some_and(|c| c.is_alphanumeric())
        })
    };
    let segment = segments.all.iter().find(|segment| {
        has_step(&segment.lower)
            && !segment.quotes_user
            && (content
                .words
                .iter()
                .any(|word| segment.stems.contains(&word.stem))
                || content
                    .names
                    .iter()
                    .any(|name| segment.lower.contains(name.as_str())))
    })?;
    // "#5" with a word of it stands for an item and leaves out what it was.
    let status = if step.starts_with('#') {
        FactStatus::Partial
    } else {
        FactStatus::Mentioned
    };
    Some(Found {
        status,
        range: segment.range.clone(),
        missing: content
            .words
            .iter()
            .map(|word| word.text.clone())
            .filter(|word| !segment.lower.contains(word.as_str()))
            .take(MAX_MISSING)
            .collect(),
        difference: None,
    })
}

/// Words that a hyphen joins to a name without making another name of it ("redis-backed").
#[rustfmt::skip]
const JOINED: &[&str] = &[
    "aware", "backed", "based", "compatible", "driven", "flavored", "level", "like", "only", "related", "side", "specific", "style",
];

/// True for a segment that names something, however it spells it. A name of letters alone is also part of longer names
/// that are none of it: `courier` in `courier-sys/src/lib.rs`.
fn names(segment: &Segment, name: &str) -> bool {
    let stands = if name.bytes().all(|b| b.is_ascii_lowercase()) {
        segment.lower.match_indices(name).any(|(at, _)| {
            let goes_on = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            let before = segment.lower[..at].bytes().next_back();
            let behind = &segment.lower[at + name.len()..];
            let is_part = behind.strip_prefix('-').is_some_and(|rest| {
                rest.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && !JOINED.iter().any(|word| rest.starts_with(word))
            });
            !before.is_some_and(|b| goes_on(b) || b == b'-')
                && !behind.bytes().next().is_some_and(goes_on)
                && !is_part
        })
    } else {
        segment.lower.contains(name)
    };
    stands || is_spelled(&segment.squashed, name)
}

/// Fewest letters of a name that is found however it is spelled.
const SPELLED_LETTERS: usize = 9;

/// True when a text without its spaces has the letters of a name: the class of a file
/// (`AgentSession` for `agent-session.ts`), the words of a symbol.
fn is_spelled(squashed: &str, name: &str) -> bool {
    let bare = match name.rsplit_once('.') {
        Some((stem, end)) if end.len() <= 4 && !stem.is_empty() => stem,
        _ => name,
    };
    let letters = squash(bare);
    letters.len() >= SPELLED_LETTERS && squashed.contains(&letters)
}

/// True for what a quoted message of the user may tell: what the user said, and errors, which users
/// paste.
pub(crate) fn is_of_user(fact: &Candidate) -> bool {
    fact.role >= role_weight::USER
        || matches!(
            fact.kind,
            FactKind::UserRequest | FactKind::Constraint | FactKind::Error
        )
}

/// The lines that show most of what a sentence names and says, with how much; messages of the user
/// that the text quotes only where the fact is the user's.
fn seek(
    segments: &Segments,
    content: &Content,
    kind: FactKind,
    of_user: bool,
) -> Option<(f64, Found)> {
    let stems: Vec<String> = content
        .words
        .iter()
        .map(|word| word.stem.clone())
        .chain(content.names.iter().flat_map(|name| {
            words::words(name)
                .map(|word| stem(&word.text))
                .collect::<Vec<_>>()
        }))
        .collect();
    let weight_of: Vec<f64> = content
        .words
        .iter()
        .map(|word| segments.weight(&word.stem))
        .collect();
    let words_weight: f64 = weight_of.iter().sum();
    let whole = words_weight + content.names.len() as f64;
    // Lines about different failures share too many words to tell one together.
    let widest = if kind == FactKind::Error { 1 } else { WINDOW };
    // Of what the model says, half of the words without a name tell something else as often.
    let wished = matches!(kind, FactKind::UserRequest | FactKind::Constraint);
    let mut best: Option<(f64, Found)> = None;
    for at in segments.nearest(&stems, content.words.len(), 6) {
        for width in 1..=widest {
            let windows = at.saturating_sub(width - 1)..=at;
            for first in windows {
                let Some(window) = segments.all.get(first..first + width) else {
                    continue;
                };
                // Two items of a list tell one thing together where both name some of it.
                let names_some =
                    |segment: &Segment| content.names.iter().any(|name| names(segment, name));
                let joined = window.windows(2).all(|pair| pair[0].goes_on_with(&pair[1]))
                    || window.iter().all(names_some);
                if !joined || (!of_user && window.iter().any(|segment| segment.quotes_user)) {
                    continue;
                }
                let has_word_of =
                    |word: &ContentWord| window.iter().any(|line| word.stands_in(line));
                let has_name = |name: &String| window.iter().any(|segment| names(segment, name));
                let named = content.names.iter().filter(|name| has_name(name)).count();
                let told = content
                    .words
                    .iter()
                    .filter(|word| has_word_of(word))
                    .count();
                let told_weight: f64 = content
                    .words
                    .iter()
                    .zip(&weight_of)
                    .filter(|(word, _)| has_word_of(word))
                    .map(|(_, weight)| weight)
                    .sum();
                let share = (named as f64 + told_weight) / whole;
                let words_share = told_weight / words_weight.max(f64::MIN_POSITIVE);
                let all_names = named == content.names.len();
                // "Add the method `reload_rows`": the name as a word of its own is all it says.
                let only_names = all_names
                    && content.names.iter().all(|name| name.len() >= 6)
                    && content
                        .words
                        .iter()
                        .all(|word| KINDS_OF_CODE.contains(&word.stem.as_str()))
                    && content.names.iter().all(|name| {
                        window
                            .iter()
                            .any(|segment| words::has_word(&segment.lower, name))
                    });
                let is_mention = if only_names && named > 0 {
                    true
                } else if content.names.is_empty() {
                    words_share >= MENTIONED && told >= 2
                } else {
                    let beside = if content
                        .names
                        .iter()
                        .any(|name| name.len() >= TELLING_LETTERS)
                    {
                        WORDS_BESIDE_NAMES
                    } else {
                        MENTIONED
                    };
                    all_names
                        && (words_share >= beside || content.words.len() <= 1)
                        && named + told >= 2
                        || share >= MOST
                };
                let status = if is_mention {
                    FactStatus::Mentioned
                } else if share >= PARTIAL && (named > 0 || wished) && named + told >= 2 {
                    FactStatus::Partial
                } else {
                    continue;
                };
                // Fewer lines tell it better.
                let score = share - 0.05 * (width - 1) as f64
                    + if status == FactStatus::Mentioned {
                        1.0
                    } else {
                        0.0
                    };
                if best.as_ref().is_some_and(|(known, _)| *known >= score) {
                    continue;
                }
                let missing = content
                    .names
                    .iter()
                    .filter(|name| !has_name(name))
                    .cloned()
                    .chain(
                        content
                            .words
                            .iter()
                            .filter(|word| !has_word_of(word))
                            .map(|word| word.text.clone()),
                    )
                    .take(MAX_MISSING)
                    .collect();
                let range = window[0].range.start..window[width - 1].range.end;
                best = Some((
                    score,
                    Found {
                        status,
                        range,
                        missing,
                        difference: None,
                    },
                ));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, sentence: &str) -> Option<FactStatus> {
        let segments = Segments::new(text);
        let content = Content::of(sentence);
        seek(&segments, &content, FactKind::Finding, false).map(|(_, found)| found.status)
    }

    #[test]
    fn a_short_name_says_little() {
        let text = "- Asked to make summaries with types of the CLI\n- Other rows of the table";
        assert_eq!(
            shown(
                text,
                "It uses hidden types from `cli` for readers and tables"
            ),
            None
        );
        let text = "- `RowReader` types are hidden\n- Other rows of the table";
        assert_eq!(
            shown(
                text,
                "It uses hidden types from `RowReader` for plain tables"
            ),
            Some(FactStatus::Mentioned)
        );
    }

    #[test]
    fn a_commit_stands_for_what_it_did() {
        let told = |text: &str| {
            let content = Content::of("Fixed in 1a2b3c4 - joined both constants for the rows.");
            by_commit(&Segments::new(text), &content).is_some()
        };
        assert!(told("- Double constants (1a2b3c4)"));
        assert!(!told("- Fixed all of them (1a2b3c4)"));
        assert!(!told("- Double constants (9a2b3c4)"));
    }

    #[test]
    fn types_name_what_is_looked_for() {
        let names = Content::of("Leave them as `interface{}` in all rows").names;
        assert_eq!(names, ["interface{}"]);
        assert!(is_spelled(
            &squash("| WP2 | AgentSession basics |"),
            "agent-session.ts"
        ));
        assert!(!is_spelled(&squash("rows of the index"), "index.ts"));
    }

    #[test]
    fn a_name_of_letters_stands_by_itself() {
        let named = |text: &str| names(&Segments::new(text).all[0], "courier");
        for text in [
            "the courier reads",
            "a courier-based reader",
            "读取courier模块",
            "`courier`: reads",
        ] {
            assert!(named(text), "{text}");
        }
        for text in ["crates/courier-sys/src", "couriers wait", "old_courier"] {
            assert!(!named(text), "{text}");
        }
    }
}

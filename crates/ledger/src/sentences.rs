//! What a summary shows of a sentence: its verb and what it names, in other words, in part, or
//! with another meaning.

use crate::candidate::role_weight;
use crate::extract::Candidate;
use crate::meaning;
use crate::segments::{Found, Segment, Segments, squash, stem};
use crate::{identifiers, words};
use palimpsest_core::ledger::{FactKind, FactStatus};
use std::ops::Range;

/// Share of the plain words that must be near when all names are there.
const WORDS_BESIDE_NAMES: f64 = 0.2;

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

/// A sentence taken apart.
#[derive(Debug)]
struct Content {
    /// What it names: files by their last part, symbols, figures; in lower case.
    names: Vec<String>,
    /// The stems of its other content words with the words themselves.
    words: Vec<(String, String)>,
}

/// Words that tell what is done with a name, or what it is: the name tells the rest.
#[rustfmt::skip]
const KINDS_OF_CODE: &[&str] = &[
    "add", "class", "create", "creat", "field", "flag", "function", "funct", "getter", "gett", "implement",
    "interfac", "method", "modul", "parameter", "paramet", "property", "propert", "setter", "sett", "struct",
    "type", "typ", "variabl",
];

/// Words of speech that tell nothing by themselves.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "able", "actually", "ah", "already", "alright", "anything", "aren", "around", "basically", "bit", "btw",
    "couldn", "crap", "damn", "didn", "doesn", "don", "else", "even", "feel", "feeling", "guess", "hmm",
    "idea", "iirc", "imo", "isn", "kind", "kinda", "lets", "like", "look", "looks", "make", "makes",
    "maybe", "nice", "not", "perhaps", "please", "prefers", "probably", "really", "shit", "shitty", "shouldn", "simply",
    "something", "sort", "still", "stuff", "sure", "thing", "things", "think", "user", "want", "wants", "wasn",
    "way", "won", "wouldn", "yeah",
];

/// A sentence without the label in front of it (`**Design decision:** text`).
fn unlabelled(sentence: &str) -> &str {
    let Some((label, rest)) = sentence
        .strip_prefix("**")
        .and_then(|rest| rest.split_once("**"))
    else {
        return sentence;
    };
    let rest = rest.trim_start_matches([':', ' ', '-', '–', '—']);
    let is_label = label.trim_end().ends_with(':') && label.split_whitespace().count() <= 4;
    if is_label && rest.split_whitespace().count() >= 3 {
        rest
    } else {
        sentence
    }
}

impl Content {
    fn of(sentence: &str) -> Content {
        let sentence = unlabelled(sentence);
        let found = identifiers::scan(sentence);
        let mut names: Vec<String> = Vec::new();
        for name in &found {
            let text = match name.kind {
                FactKind::Path => identifiers::basename(&name.key).to_owned(),
                FactKind::Number => name
                    .key
                    .trim_start_matches("port ")
                    .split(' ')
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
                _ => name.key.clone(),
            };
            let text = text.to_lowercase();
            if text.len() >= 2 && !names.contains(&text) {
                names.push(text);
            }
        }
        // A type in backticks is a name as well (`interface{}`, `Vec<Row>`).
        for span in sentence.split('`').skip(1).step_by(2) {
            let name = span.to_lowercase();
            let is_name = (4..=30).contains(&span.len())
                && span.contains(['{', '[', '<'])
                && !span.contains([' ', '/', ':'])
                && !names.iter().any(|known| name.contains(known.as_str()));
            if is_name {
                names.push(name);
            }
        }
        // Tickets (`ABC-12`) and long numbers name things as well.
        let mut tickets: Vec<Range<usize>> = Vec::new();
        for (at, word) in
            crate::words::raw_words(sentence).map(|range| (range.clone(), &sentence[range]))
        {
            let digits = word.bytes().all(|b| b.is_ascii_digit());
            let before = &sentence[..at.start];
            let prefix = before.strip_suffix('-').map_or("", |rest| {
                let start = rest.len()
                    - rest
                        .bytes()
                        .rev()
                        .take_while(u8::is_ascii_uppercase)
                        .count();
                &rest[start..]
            });
            if digits && (prefix.len() >= 2 || word.len() >= 5) {
                let start = at.start
                    - if prefix.len() >= 2 {
                        prefix.len() + 1
                    } else {
                        0
                    };
                let name = sentence[start..at.end].to_lowercase();
                if !names.contains(&name) {
                    names.push(name);
                }
                tickets.push(start..at.end);
            }
        }
        let in_name = |range: &Range<usize>| {
            tickets
                .iter()
                .any(|name| name.start <= range.start && range.end <= name.end)
                || found
                    .iter()
                    .any(|name| name.range.start <= range.start && range.end <= name.range.end)
        };
        let mut stems: Vec<(String, String)> = Vec::new();
        for word in words::words(sentence) {
            if word.text.len() < 2
                || words::is_stop_word(&word.text)
                || FILLERS.binary_search(&word.text.as_str()).is_ok()
                || in_name(&word.range)
            {
                continue;
            }
            let stem = stem(&word.text);
            if !stems.iter().any(|(known, _)| *known == stem) {
                stems.push((stem, word.text));
            }
        }
        Content {
            names,
            words: stems,
        }
    }

    fn len(&self) -> usize {
        self.names.len() + self.words.len()
    }
}

/// Openings that lead up to what a sentence says.
#[rustfmt::skip]
const LEADS: &[&str] = &[
    "now let me ", "let me ", "now ", "i need to ", "i'll ", "i see - ", "i see, ", "the issue is that ", "the problem is that ",
    "the issue is ", "the problem is ", "the fix is to ", "the cause is that ", "the test is failing because ", "so ", "ah, ", "yes! ", "found it. ",
    "there's a ", "there is a ", "note: ", "btw, ", "okay, ", "ok, ", "alright, ", "actually, ", "won't fix - ", "already fixed - ",
    "can we ", "can you ", "could you ", "please ", "let's ", "i want you to ",
];

/// Leads behind which stands what is chosen.
#[rustfmt::skip]
const CHOOSING: &[&str] = &["i'd lean toward ", "i'd lean towards ", "i'd go with ", "i'd suggest ", "i'd recommend ", "i'll go with ", "going with ", "let's go with "];

/// True for a sentence that begins with such a lead.
fn chooses(sentence: &str) -> bool {
    let lower = sentence.to_lowercase().replace('’', "'");
    CHOOSING.iter().any(|lead| lower.starts_with(lead))
}

/// What begins a clause that explains what stands in front of it.
#[rustfmt::skip]
const CLAUSES: &[&str] = &[
    ", because ", " because ", ", since ", " instead of ", " rather than ", ", so ", ", which ", " so that ", " - it's ",
    " in order to ", " to eliminate ", " to avoid ", " by setting ", ", but ", " (", ", then ", "; ", ", otherwise ", " - ", " — ",
];

/// An item without its number, its ids and its place: the longest cell of a row, what stands behind
/// `[123]`, `Fix #2 (123): `, `Comment 123 (a.go:4) - ` and `src/a.go:4 - `, and in front of
/// ` at line 5`.
fn bare(item: &str) -> &str {
    let cells = item.split(" | ");
    let count = |cell: &&str| {
        let ids = |word: &&str| word.bytes().any(|b| b.is_ascii_alphabetic()) && !is_place(word);
        cell.split_whitespace().filter(ids).count()
    };
    let mut rest = cells.max_by_key(count).unwrap_or(item).trim();
    if let Some((id, told)) = rest
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        && id.bytes().all(|b| b.is_ascii_digit())
    {
        rest = told;
    }
    for mark in [": ", " - ", " – "] {
        if let Some((label, told)) = rest.split_once(mark)
            && label.split_whitespace().count() <= 4
            && (is_place(label) || label.contains('#') || label.ends_with(')'))
            && label.bytes().any(|b| b.is_ascii_digit())
            && told.split_whitespace().count() >= 2
        {
            rest = told;
        }
    }
    let ends = [
        " at line",
        " at lines",
        " - line",
        " - need to",
        " (line",
        " (duplicate",
        " (same as",
    ];
    let end = ends.iter().filter_map(|end| rest.find(end)).min();
    rest[..end.unwrap_or(rest.len())].trim()
}

/// True for `src/a.go:4`.
fn is_place(word: &str) -> bool {
    word.rsplit_once(':').is_some_and(|(file, row)| {
        file.contains('.')
            && !row.is_empty()
            && row.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    })
}

/// The main clause of a sentence: without what leads up to it and what explains it.
fn essence(sentence: &str) -> &str {
    let mut rest = bare(unlabelled(sentence)).trim_start_matches(['*', ' ', '`']);
    // "Fixed in 1a2b3c4 - text": the reply to a comment.
    if let Some((verdict, told)) = rest.split_once(" - ")
        && verdict.split_whitespace().count() <= 4
        && verdict.bytes().any(|b| b.is_ascii_digit())
        && told.split_whitespace().count() >= 3
    {
        rest = told;
    }
    while let Some(lead) = LEADS.iter().chain(CHOOSING).find(|lead| {
        rest.get(..lead.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(lead))
    }) {
        rest = &rest[lead.len()..];
    }
    let end = CLAUSES
        .iter()
        .filter_map(|clause| rest.find(clause))
        .filter(|&at| rest[..at].split_whitespace().count() >= 4)
        .min();
    &rest[..end.unwrap_or(rest.len())]
}

/// A message without the place in front of it (`src/a.go:3:1: text`): the summary tells of what was
/// wrong, not where.
fn without_place(message: &str) -> &str {
    match message.split_once(": ") {
        Some((place, said))
            if place.contains([':', '('])
                && !place.contains(' ')
                && said.split_whitespace().count() >= 2 =>
        {
            said
        }
        _ => message,
    }
}

/// The name of a step in front of what it is (`WP3: text`, `Step 2: text`), in lower case.
fn step(sentence: &str) -> Option<String> {
    let (name, rest) = sentence.split_once([':', '.'])?;
    let name = name.trim_start_matches(['*', '#', ' ']);
    let numbered = name.ends_with(|c: char| c.is_ascii_digit())
        && name.len() <= 12
        && name.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
        && name.split_whitespace().count() <= 2;
    (numbered && !rest.trim().is_empty()).then(|| {
        if name.bytes().all(|b| b.is_ascii_digit()) {
            format!("#{name}")
        } else {
            name.to_lowercase()
        }
    })
}

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
    let own = Content::of(message);
    let content = match (&fact.details.answers, own.len() <= 1) {
        (Some(question), true) => Content::of(question),
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
    let main = Content::of(essence(message));
    // What is left of a row without its ids may be short, and what is chosen may be one name.
    let fewest = if chooses(message) && !main.names.is_empty() {
        1
    } else if bare(message).len() < message.len() {
        2
    } else {
        3
    };
    if main.len() >= fewest && main.len() < content.len() {
        let found = seek(segments, &main, fact.kind, asked);
        if let Some((score, found)) = found
            && best.as_ref().is_none_or(|(known, _)| *known < score)
        {
            best = Some((score, found));
        }
    }
    if best
        .as_ref()
        .is_none_or(|(_, found)| found.status == FactStatus::Partial)
        && let Some(found) = step(&fact.text).and_then(|step| by_step(segments, &content, &step))
    {
        best = Some((0.0, found));
    }
    let (_, mut found) = best?;
    if let Some(there) = meaning::differs(fact, sentence, &text[found.range.clone()]) {
        found.status = FactStatus::Changed;
        found.difference = Some((words::one_line(sentence, 300), words::one_line(there, 300)));
    }
    if found.status != FactStatus::Partial {
        found.missing.clear();
    }
    Some(found)
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
                .any(|(stem, _)| segment.stems.contains(stem))
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
            .map(|(_, word)| word.clone())
            .filter(|word| !segment.lower.contains(word.as_str()))
            .take(MAX_MISSING)
            .collect(),
        difference: None,
    })
}

/// True for a segment that names something, however it spells it.
fn names(segment: &Segment, name: &str) -> bool {
    segment.lower.contains(name) || is_spelled(&segment.squashed, name)
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

/// True when `name` stands in `text` and no letter or digit continues it.
fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        outside(text[..at].chars().next_back()) && outside(text[at + name.len()..].chars().next())
    })
}

/// True for what a quoted message of the user may tell: what the user said, and errors, which users
/// paste.
fn is_of_user(fact: &Candidate) -> bool {
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
        .map(|(stem, _)| stem.clone())
        .chain(content.names.iter().flat_map(|name| {
            words::words(name)
                .map(|word| stem(&word.text))
                .collect::<Vec<_>>()
        }))
        .collect();
    let weight_of: Vec<f64> = content
        .words
        .iter()
        .map(|(stem, _)| segments.weight(stem))
        .collect();
    let words_weight: f64 = weight_of.iter().sum();
    let whole = words_weight + content.names.len() as f64;
    // Lines about different failures share too many words to tell one together.
    let widest = if kind == FactKind::Error { 1 } else { WINDOW };
    // Of what the model says, half of the words without a name tell something else as often.
    let wished = matches!(kind, FactKind::UserRequest | FactKind::Constraint);
    let mut best: Option<(f64, Found)> = None;
    for at in segments.nearest(&stems, 6) {
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
                let has_stem =
                    |stem: &String| window.iter().any(|segment| segment.stems.contains(stem));
                let has_name = |name: &String| window.iter().any(|segment| names(segment, name));
                let named = content.names.iter().filter(|name| has_name(name)).count();
                let told = content
                    .words
                    .iter()
                    .filter(|(stem, _)| has_stem(stem))
                    .count();
                let told_weight: f64 = content
                    .words
                    .iter()
                    .zip(&weight_of)
                    .filter(|((stem, _), _)| has_stem(stem))
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
                        .all(|(stem, _)| KINDS_OF_CODE.contains(&stem.as_str()))
                    && content
                        .names
                        .iter()
                        .all(|name| window.iter().any(|segment| has_word(&segment.lower, name)));
                let is_mention = if only_names && named > 0 {
                    true
                } else if content.names.is_empty() {
                    words_share >= MENTIONED && told >= 2
                } else {
                    all_names
                        && (words_share >= WORDS_BESIDE_NAMES || content.words.len() <= 1)
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
                            .filter(|(stem, _)| !has_stem(stem))
                            .map(|(_, word)| word.clone()),
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

    #[test]
    fn labels_and_fillers_say_nothing() {
        assert!(FILLERS.is_sorted());
        let words = |sentence| -> Vec<String> {
            Content::of(sentence)
                .words
                .into_iter()
                .map(|(_, word)| word)
                .collect()
        };
        assert_eq!(
            words("**Design decision:** Keep one table for rows"),
            ["keep", "one", "table", "rows"]
        );
        assert_eq!(
            words("btw, I think we actually want one table"),
            ["one", "table"]
        );
    }

    #[test]
    fn the_main_clause_stands_for_a_sentence() {
        for (sentence, main) in [
            (
                "The loader passes `rows` but not `index`, so `save` returns early.",
                "The loader passes `rows` but not `index`",
            ),
            (
                "Fixed in 1a2b3c4 - sorted rows by their end.",
                "sorted rows by their end.",
            ),
            (
                "Now let me move `load` out of the loop:",
                "move `load` out of the loop:",
            ),
            (
                "Drop the unused column of rows (always empty)",
                "Drop the unused column of rows",
            ),
        ] {
            assert_eq!(essence(sentence), main);
        }
        for (item, told) in [
            (
                "5. 27346 | a.go:48 | Slow search in `find_rows`",
                "Slow search in `find_rows`",
            ),
            (
                "[27346] src/a.go:48 - Rows are sorted twice",
                "Rows are sorted twice",
            ),
            (
                "Fix #2 (27346): Log the failure of `load` at line 5",
                "Log the failure of `load`",
            ),
            (
                "Keep one table - it is bounded",
                "Keep one table - it is bounded",
            ),
        ] {
            assert_eq!(bare(item), told);
        }
        assert_eq!(without_place("src/a.go:3:1: x is unused"), "x is unused");
        assert_eq!(without_place("error: x is unused"), "error: x is unused");
    }

    #[test]
    fn choices_and_types_name_what_is_looked_for() {
        assert!(chooses("I'd lean toward `--apply` - it is known from git."));
        assert_eq!(
            essence("I'd lean toward `--apply` - it is known from git, and short"),
            "`--apply` - it is known from git, and short"
        );
        let names = Content::of("Leave them as `interface{}` in all rows").names;
        assert_eq!(names, ["interface{}"]);
        assert!(is_spelled(
            &squash("| WP2 | AgentSession basics |"),
            "agent-session.ts"
        ));
        assert!(!is_spelled(&squash("rows of the index"), "index.ts"));
    }

    #[test]
    fn steps_have_names() {
        for (text, name) in [
            ("WP3: Add the reader", Some("wp3")),
            ("Step 2: Sort rows", Some("step 2")),
            ("5. Missing check", Some("#5")),
            ("The rows: all of them", None),
        ] {
            assert_eq!(step(text).as_deref(), name, "for {text}");
        }
    }
}

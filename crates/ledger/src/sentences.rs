//! What a summary shows of a sentence: its verb and what it names, in other words, in part, or
//! with another meaning.

use crate::extract::Candidate;
use crate::meaning;
use crate::segments::{Found, Segments, stem};
use crate::{identifiers, words};
use palimpsest_core::ledger::{FactKind, FactStatus};
use std::ops::Range;

/// Share of the plain words that must be near when all names are there.
const WORDS_BESIDE_NAMES: f64 = 0.3;

/// Share of the words of a sentence without names that must be there to be mentioned.
const MENTIONED: f64 = 0.65;

/// Share of words and names from which a sentence is partly there.
const PARTIAL: f64 = 0.45;

/// How many neighbouring lines of a summary may tell one sentence together.
const WINDOW: usize = 2;

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

impl Content {
    fn of(sentence: &str) -> Content {
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
            if word.text.len() < 2 || words::is_stop_word(&word.text) || in_name(&word.range) {
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

/// What `text` shows of the sentence of a fact, beyond its exact words; `None` if nothing.
///
/// All names and a third of the other words in up to two neighbouring lines are a mention, as are
/// 65 % of the words of a sentence without names; 45 % of both is a part, and what is missing is
/// told. A mention whose meaning differs (see [`meaning::differs`]) is a change.
pub(crate) fn find(text: &str, segments: &Segments, fact: &Candidate) -> Option<Found> {
    let sentence = fact.surfaces.first()?;
    let own = Content::of(sentence);
    let content = match (&fact.details.answers, own.len() <= 1) {
        (Some(question), true) => Content::of(question),
        _ => own,
    };
    if content.len() < 2 {
        return None;
    }
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
    let mut best: Option<(f64, Found)> = None;
    for at in segments.nearest(&stems, 6) {
        // Lines about different failures share too many words to tell one together.
        let widest = if fact.kind == FactKind::Error {
            1
        } else {
            WINDOW
        };
        for width in 1..=widest {
            let windows = at.saturating_sub(width - 1)..=at;
            for first in windows {
                let Some(window) = segments.all.get(first..first + width) else {
                    continue;
                };
                let has_stem =
                    |stem: &String| window.iter().any(|segment| segment.stems.contains(stem));
                let has_name = |name: &String| {
                    window
                        .iter()
                        .any(|segment| segment.lower.contains(name.as_str()))
                };
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
                let is_mention = if content.names.is_empty() {
                    words_share >= MENTIONED && told >= 2
                } else {
                    all_names
                        && (words_share >= WORDS_BESIDE_NAMES || content.words.len() <= 1)
                        && named + told >= 2
                        || share >= 0.8
                };
                let status = if is_mention {
                    FactStatus::Mentioned
                } else if share >= PARTIAL && named + told >= 2 {
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

//! Values that another took the place of: in a line of a file, or in what the user said.

use crate::claims::told::{any_of, plain_words};
use crate::claims::verdict::{Decided, Verdict};
use crate::span::{PartKind, Span};
use crate::{meaning, pasted, words};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{FactKind, Introduced};
use rustc_hash::FxHashSet as HashSet;

/// A value that another took the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replaced {
    /// The words beside it, in lower case.
    pub beside: Vec<String>,
    pub old: String,
    pub new: String,
    pub entry: EntryIx,
}

/// What an edit takes out and brings in.
pub(super) type Change = (String, String);

/// The changes that the arguments of an edit hold.
pub(super) fn changes(arguments: &str) -> Vec<Change> {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(arguments) else {
        return Vec::new();
    };
    let all = match value.get("edits").and_then(|edits| edits.as_array()) {
        Some(edits) => edits.iter().collect(),
        None => vec![&value],
    };
    let text = |own: &serde_json::Value, keys: [&str; 4]| {
        keys.iter()
            .find_map(|key| own.get(*key)?.as_str())
            .map(str::to_owned)
    };
    all.into_iter()
        .filter_map(|own| {
            let old = text(own, ["oldText", "old_string", "old_str", "oldString"])?;
            let new = text(own, ["newText", "new_string", "new_str", "newString"])?;
            Some((old, new))
        })
        .collect()
}

/// The content words that a change brings in.
pub(super) fn brought((old, new): &Change) -> Vec<String> {
    let known: HashSet<String> = words::content_words(old).into_iter().collect();
    let all = words::content_words(new).into_iter();
    all.filter(|word| !known.contains(word)).collect()
}

/// The words of a line with its figures.
fn tokens(line: &str) -> Vec<String> {
    let split = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-')));
    split
        .map(|token| token.trim_matches(['.', '-']).to_lowercase())
        .filter(|token| !token.is_empty())
        .collect()
}

fn is_value(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
        || token
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The lines of a change in which nothing but one value differs.
pub(super) fn replaced((old, new): &Change, entry: EntryIx) -> Vec<Replaced> {
    if old.lines().count() != new.lines().count() {
        return Vec::new();
    }
    let pairs = old.lines().zip(new.lines());
    pairs
        .filter_map(|(old, new)| {
            let (old, new) = (tokens(old), tokens(new));
            let differing: Vec<usize> = (0..old.len().min(new.len()))
                .filter(|&at| old[at] != new[at])
                .collect();
            let [at] = differing.as_slice() else {
                return None;
            };
            let both = old.len() == new.len() && is_value(&old[*at]) && is_value(&new[*at]);
            let beside: Vec<String> = old
                .iter()
                .filter(|token| !is_value(token) && token.len() >= 3)
                .flat_map(|token| token.split(['_', '-']))
                .map(str::to_owned)
                .collect();
            (both && !beside.is_empty()).then(|| Replaced {
                beside,
                old: old[*at].clone(),
                new: new[*at].clone(),
                entry,
            })
        })
        .collect()
}

/// Values of one name that the user said twice: "Node 20" and later "Node 22".
pub(super) fn said_again(span: &Span<'_>) -> Vec<Replaced> {
    let mut said: Vec<(String, String, EntryIx)> = Vec::new();
    for part in span.parts().filter(|part| part.kind == PartKind::UserText) {
        for range in pasted::own_words(part.text) {
            let all = tokens(&part.text[range]);
            for two in all.windows(2) {
                let [name, value] = two else { continue };
                let named = name.len() >= 3
                    && name.chars().all(char::is_alphabetic)
                    && !words::is_stop_word(name);
                if named && is_value(value) && !COUNTING.contains(&name.as_str()) {
                    said.push((name.clone(), value.clone(), part.entry));
                }
            }
        }
    }
    let mut out = Vec::new();
    for (at, (name, old, first)) in said.iter().enumerate() {
        let later = said[at + 1..]
            .iter()
            .rev()
            .find(|(own, _, entry)| own == name && entry > first);
        if let Some((_, new, entry)) = later.filter(|(_, new, _)| new != old) {
            out.push(Replaced {
                beside: vec![name.clone()],
                old: old.clone(),
                new: new.clone(),
                entry: *entry,
            });
        }
    }
    out
}

/// Names behind which figures count or number things, and set nothing.
const COUNTING: &[&str] = &[
    "step", "task", "phase", "option", "line", "lines", "item", "number", "issue", "point", "page",
    "part", "question", "comment", "pull", "request", "section", "chapter", "test", "case",
    "first", "last", "batch", "commit", "row", "column", "top", "least", "most", "about", "only",
    "all", "exit", "code", "wp",
];

/// Words with which a sentence tells of a change.
const CHANGING: &[&str] = &[
    "from",
    "was",
    "were",
    "replaced",
    "bumped",
    "upgraded",
    "downgraded",
    "earlier",
    "before",
    "old",
    "previous",
    "previously",
    "instead",
    "no",
    "not",
    "changed",
    "increased",
    "reduced",
    "raised",
    "lowered",
    "initially",
    "originally",
    "until",
];

/// A sentence that tells a value as it was, where another took its place.
pub(super) fn outdated(sentence: &str, all: &[Replaced]) -> Option<Decided> {
    let own = tokens(sentence);
    if any_of(&plain_words(sentence), CHANGING) {
        return None;
    }
    let told = all.iter().rev().find(|replaced| {
        // It may have been set back.
        let back = all.iter().any(|other| {
            other.entry > replaced.entry
                && other.new == replaced.old
                && other.beside == replaced.beside
        });
        // What begins a sentence is its subject: it tells of the value itself.
        let place = own.iter().position(|token| *token == replaced.old);
        let near = |at: usize| {
            let from = at.saturating_sub(4);
            own[from..at]
                .iter()
                .any(|token| replaced.beside.iter().any(|beside| beside == token))
        };
        !back && !own.contains(&replaced.new) && place.is_some_and(|at| at >= 2 && near(at))
    })?;
    let reason = format!("it is {} since", told.new);
    Some((Verdict::Stale, vec![told.entry], reason))
}

/// Share of a source's content words that a sentence must have for their figures to be of one thing.
const SAME_THING: f64 = 0.75;

/// A figure that no source has, in a sentence that a source says with another figure.
pub(super) fn other_figure(
    sentence: &str,
    introduced: &[&Introduced],
    span: &Span<'_>,
) -> Option<Decided> {
    if !introduced.iter().any(|own| own.kind == FactKind::Number) {
        return None;
    }
    let own: HashSet<String> = words::content_words(sentence).into_iter().collect();
    let mut found = None;
    for part in span.parts() {
        if !matches!(part.kind, PartKind::UserText | PartKind::AssistantText) {
            continue;
        }
        for range in words::sentences(part.text) {
            let source = &part.text[range];
            let plain = words::content_words(source);
            let matter: Vec<&String> = plain
                .iter()
                .filter(|word| !word.bytes().any(|b| b.is_ascii_digit()))
                .collect();
            let shared = matter.iter().filter(|word| own.contains(**word)).count();
            if matter.len() >= 2
                && shared as f64 >= SAME_THING * matter.len() as f64
                && meaning::other_figure(source, sentence)
            {
                found = Some((part.entry, words::one_line(source, 160)));
            }
        }
    }
    let (entry, source) = found?;
    Some((
        Verdict::Contradicted,
        vec![entry],
        format!("the source says: {source}"),
    ))
}

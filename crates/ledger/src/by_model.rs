//! Facts that a model found, beside those that rules found: the same fact is one.

use crate::candidate::{Candidate, Standing, TextRead, role_weight, weight};
use crate::identifiers;
use crate::span::{Part, PartKind, Span};
use crate::words::{self, Normalized};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{FactDetails, FactKind, FoundBy, SourcePlace};
use std::ops::Range;

/// A fact that a model found, with the entries that bear it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFact {
    /// What kind of thing it is.
    pub kind: FactKind,
    /// The fact in the model's words.
    pub text: String,
    /// The entries, that of the quote first.
    pub entries: Vec<EntryIx>,
    /// Words of one of these entries that say it.
    pub quote: Option<String>,
}

/// Longest text of a fact for display, in bytes.
const MAX_TEXT_BYTES: usize = 400;

/// Share of the shorter of two places that both have where they say the same.
const SAME_PLACE: f64 = 0.5;

/// The same for facts of different kinds, as a share of the longer: a request may hold a limit.
const SAME_SENTENCE: f64 = 0.7;

/// Marks those of `candidates` that a model found as well, and gives the others that it found in the
/// span, in order. What does not stand in the span is left out.
pub(crate) fn take(
    candidates: &mut [Candidate],
    span: &Span<'_>,
    found: &[ModelFact],
) -> Vec<Candidate> {
    if found.is_empty() {
        return Vec::new();
    }
    let parts: Vec<Part<'_>> = span.parts().collect();
    let mut own: Vec<Candidate> = Vec::new();
    for fact in found {
        let Some((part, range)) = place(&parts, fact) else {
            continue;
        };
        let made = candidate(fact, part, range, span.items.len());
        let known = candidates.iter_mut().find(|known| is_same(known, &made));
        match known {
            Some(known) => known.details.found_by = FoundBy::Both,
            None if own.iter().any(|known| is_same(known, &made)) => {}
            None => own.push(made),
        }
    }
    own.sort_by_key(|fact| {
        let first = &fact.places[0];
        (
            fact.first_item,
            first.message,
            first.block,
            first.range.start,
        )
    });
    own
}

/// Where the quote of a fact stands, or without one its first name.
fn place<'a, 'b>(parts: &'b [Part<'a>], fact: &ModelFact) -> Option<(&'b Part<'a>, Range<usize>)> {
    let wanted = match &fact.quote {
        Some(quote) => vec![words::normalize(quote)],
        None => identifiers::scan(&fact.text)
            .into_iter()
            .map(|name| words::normalize(&fact.text[name.range]))
            .collect(),
    };
    for entry in &fact.entries {
        for part in parts.iter().filter(|part| part.entry == *entry) {
            let text = Normalized::new(part.text);
            let found = wanted.iter().filter(|wanted| !wanted.is_empty());
            let mut found =
                found.filter_map(|wanted| Some((text.text.find(wanted.as_str())?, wanted)));
            if let Some((at, wanted)) = found.next() {
                return Some((part, text.original(at..at + wanted.len(), part.text)));
            }
        }
    }
    None
}

fn candidate(fact: &ModelFact, part: &Part<'_>, range: Range<usize>, items: usize) -> Candidate {
    let text = words::one_line(&fact.text, MAX_TEXT_BYTES);
    let quoted = part.text[range.clone()].to_owned();
    let half_life = (items as f64 / 2.0).max(10.0);
    let distance = items.saturating_sub(1).saturating_sub(part.item) as f64;
    let role = match part.kind {
        PartKind::UserText => role_weight::USER,
        _ => role_weight::EDIT,
    };
    // A name alone is no wording of the fact.
    let quoted = fact.quote.is_some().then_some(quoted);
    let mut surfaces = vec![text.clone()];
    surfaces.extend(quoted.filter(|quoted| *quoted != text));
    Candidate {
        kind: fact.kind,
        key: words::normalize(&text),
        surfaces,
        places: vec![part.place(range.clone())],
        count: 1,
        taken_from: Some((
            part.entry,
            part.message,
            part.block,
            part.base + range.start,
        )),
        said: 1,
        worked: 0,
        standing: Standing::Said,
        weight: weight(fact.kind, 0, 1, 0.5_f64.powf(distance / half_life), role),
        first_item: part.item,
        last_item: part.item,
        role,
        lighter: 0,
        aliases: Vec::new(),
        is_endpoint: false,
        lead: None,
        details: FactDetails {
            found_by: FoundBy::Model,
            ..FactDetails::default()
        },
        read: TextRead::default(),
        text,
    }
}

/// The kinds whose text is a sentence, in two groups: what the user wants, and what was found or
/// chosen.
fn group(kind: FactKind) -> Option<u8> {
    match kind {
        FactKind::Constraint | FactKind::UserRequest => Some(0),
        FactKind::Decision | FactKind::Finding | FactKind::Todo => Some(1),
        _ => None,
    }
}

/// Whether two facts say the same: in the same words, or at the same place.
fn is_same(known: &Candidate, made: &Candidate) -> bool {
    let Some(own) = group(known.kind) else {
        return false;
    };
    if group(made.kind) != Some(own) {
        return false;
    }
    let worded = |text: &String| words::normalize(text) == made.key;
    if known.key == made.key || known.surfaces.iter().any(worded) {
        return true;
    }
    let same_kind = known.kind == made.kind;
    let overlaps = |place: &SourcePlace| overlap(place, &made.places[0], same_kind);
    known.places.iter().any(overlaps)
}

fn overlap(one: &SourcePlace, other: &SourcePlace, same_kind: bool) -> bool {
    let at = |place: &SourcePlace| (place.entry, place.message, place.block);
    if at(one) != at(other) {
        return false;
    }
    let start = one.range.start.max(other.range.start);
    let end = one.range.end.min(other.range.end);
    let shared = end.saturating_sub(start) as f64;
    let (one, other) = (one.range.len(), other.range.len());
    if same_kind {
        shared >= SAME_PLACE * one.min(other).max(1) as f64
    } else {
        shared >= SAME_SENTENCE * one.max(other).max(1) as f64
    }
}

//! The sentences of a summary held against what they tell of: supported, contradicted, stale, or
//! without a source.
//!
//! Only rules decide, and they decide only what they can tell: exit states of commands, what was
//! committed, pushed, merged or installed, verdicts of checks and counts of tests, states of tasks,
//! files that were written, removed or set back, branches, values that were replaced, limits that are
//! turned around, the user's words quoted the other way round, names that no source has. What they cannot
//! tell stays unchecked. A rule that would call something contradicted needs the command, the task
//! or the limit itself in the sentence, and does not apply to words that speak of the past, of a plan
//! or of a condition.

mod files;
mod log;
mod outcomes;
mod quotes;
mod rules;
mod tasks;
mod told;
mod values;
mod verdict;

pub use verdict::{Claim, Verdict};

use crate::claims::log::Log;
use crate::claims::quotes::Said;
use crate::claims::rules::Limit;
use crate::claims::verdict::Place;
use crate::span::Span;
use crate::{introduced, words};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactStatus, Introduced, Ledger};
use std::ops::Range;

/// Most entries named for a claim.
const MOST_ENTRIES: usize = 5;

/// Checks the sentences of `summary` against `span`; `ledger` is the summary's ledger of the span.
pub fn check(summary: &str, span: &Span<'_>, ledger: &Ledger) -> Vec<Claim> {
    // Rules decide, so what only a model found has no part in it.
    let ledger = &*ledger.by_rules();
    let log = log::read(span);
    let said = quotes::Said::of(summary, span);
    let limits = rules::limits(&ledger.facts);
    let fixed = introduced::fixed_texts(summary);
    let mut claims = Vec::new();
    let mut heading = String::new();
    let mut fenced = false;
    for line in words::lines(summary) {
        let text = &summary[line.clone()];
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if let Some(title) = heading_of(text) {
            heading = title;
            continue;
        }
        let quoted = fixed.iter().any(|own| own.contains(&line.start));
        if fenced || quoted || text.trim_start().starts_with('<') {
            continue;
        }
        for sentence in words::sentences(text) {
            let range = line.start + sentence.start..line.start + sentence.end;
            if words::content_words(&summary[range.clone()]).is_empty() {
                continue;
            }
            let place = Place {
                line: text,
                heading: &heading,
            };
            claims.push(claim(
                summary,
                range,
                &place,
                (&log, &said, &limits),
                (span, ledger),
            ));
        }
    }
    claims
}

/// The title of a heading line in lower case.
fn heading_of(line: &str) -> Option<String> {
    let line = line.trim();
    let title = match line.strip_prefix('#') {
        Some(rest) => rest.trim_start_matches('#'),
        None => line
            .strip_prefix("**")
            .and_then(|rest| rest.strip_suffix("**").or(rest.strip_suffix("**:")))
            .filter(|title| title.split_whitespace().count() <= 4)?,
    };
    Some(title.trim().trim_end_matches(':').to_lowercase())
}

fn claim(
    summary: &str,
    range: Range<usize>,
    place: &Place<'_>,
    (log, said, limits): (&Log, &Said<'_>, &[Limit<'_>]),
    (span, ledger): (&Span<'_>, &Ledger),
) -> Claim {
    let sentence = &summary[range.clone()];
    let shows = |fact: &&Fact| {
        let meets = |own: &Range<usize>| own.start < range.end && range.start < own.end;
        fact.evidence.iter().any(meets)
    };
    let facts: Vec<&Fact> = ledger.facts.iter().filter(shows).collect();
    let own = |introduced: &&Introduced| {
        introduced.range.start >= range.start && introduced.range.end <= range.end
    };
    let added: Vec<&Introduced> = ledger.introduced.iter().filter(own).collect();
    let decided = rules::turned_around(sentence, &facts)
        .or_else(|| rules::denied(sentence, limits))
        .or_else(|| rules::swapped(sentence, &ledger.facts))
        .or_else(|| quotes::misquoted(sentence, place.line, said))
        .or_else(|| tasks::task(sentence, place, &facts))
        .or_else(|| tasks::committed(sentence, place, log))
        .or_else(|| outcomes::exit_state(sentence, log))
        .or_else(|| outcomes::count(sentence, log))
        .or_else(|| outcomes::check(sentence, log))
        .or_else(|| outcomes::deed(sentence, log))
        .or_else(|| files::file(sentence, place, log))
        .or_else(|| files::branch(sentence, log))
        .or_else(|| values::outdated(sentence, &log.replaced))
        .or_else(|| values::other_figure(sentence, &added, span));
    if let Some((verdict, entries, reason)) = decided {
        return Claim {
            range,
            verdict,
            entries,
            reason,
        };
    }
    let added: Vec<&str> = added.iter().map(|own| own.text.as_str()).collect();
    let is_kept =
        |fact: &&&Fact| matches!(fact.status, FactStatus::Verbatim | FactStatus::Mentioned);
    let mut entries: Vec<EntryIx> = facts
        .iter()
        .filter(is_kept)
        .filter_map(|fact| fact.places.first().map(|place| place.entry))
        .collect();
    entries.sort_unstable();
    entries.dedup();
    entries.truncate(MOST_ENTRIES);
    let (verdict, reason) = match (entries.is_empty(), added.is_empty()) {
        (true, false) => (
            Verdict::WithoutSource,
            format!("no source has {}", added.join(", ")),
        ),
        (false, true) => (Verdict::Supported, String::new()),
        _ => (Verdict::Unchecked, String::new()),
    };
    Claim {
        range,
        verdict,
        entries,
        reason,
    }
}

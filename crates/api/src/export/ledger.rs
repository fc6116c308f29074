//! A ledger, and several side by side, as documents.

use super::document::{Document, Part};
use crate::numbers::{percent, tokens};
use crate::wire::CompareAllView;
use palimpsest_app::summary::{ShelvedLedger, concern};
use palimpsest_core::EntryIx;
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::ledger::{
    Concern, Fact, FactStatus, FileRole, FoundBy, Ledger, ToldOtherwise,
};
use palimpsest_core::words::thousands;
use std::cmp::Ordering;

/// Words of a fact that a table shows; the whole text of a long output would hide the others.
const MOST_CHARACTERS: usize = 600;

/// A ledger: what is lost under the three questions, everything else, and the summary with its
/// evidence.
pub(crate) fn ledger(shelved: &ShelvedLedger) -> Document {
    let (material, ledger) = (&shelved.material, &shelved.ledger);
    let mut out = Document::new(format!("Facts of the {}", material.title));
    let totals = &ledger.totals;
    let retained = totals.retention;
    out.fields([
        (
            "Retained, by weight",
            Some(retained.map_or("not measured".to_owned(), percent)),
        ),
        ("Facts", Some(ledger.facts.len().to_string())),
        ("Summarized", Some(tokens(material.span_tokens()))),
        ("Summary", Some(tokens(text_tokens(&material.summary)))),
        (
            "Words copied from the source",
            Some(percent(totals.coverage)),
        ),
        (
            "Source",
            material.incomplete.map(|size| {
                format!(
                    "incomplete: the agent recorded {size} tokens, and the file holds far fewer"
                )
            }),
        ),
    ]);
    for which in Concern::ALL {
        let mut facts: Vec<&Fact> = ledger
            .facts
            .iter()
            .filter(|fact| concern(fact) == which)
            .collect();
        if facts.is_empty() {
            continue;
        }
        facts.sort_by(|a, b| heaviest_first(a, b));
        out.heading(2, format!("{} ({})", which.title(), facts.len()));
        out.parts.push(table(shelved, &facts));
    }
    if !ledger.introduced.is_empty() {
        out.heading(2, format!("Introduced ({})", ledger.introduced.len()));
        out.text("Statements of the summary that the summarized span does not contain.");
        let items = ledger.introduced.iter();
        let items = items.map(|added| format!("{}: {}", added.kind.in_words(), added.text));
        out.parts.push(Part::List(items.collect()));
    }
    out.heading(2, "The summary");
    out.parts
        .push(Part::Marked(material.summary.clone(), marks(ledger)));
    out
}

fn heaviest_first(a: &Fact, b: &Fact) -> Ordering {
    let lost = |fact: &Fact| u8::from(fact.status >= FactStatus::Changed);
    let order = lost(b).cmp(&lost(a));
    order.then(b.weight.total_cmp(&a.weight))
}

fn table(shelved: &ShelvedLedger, facts: &[&Fact]) -> Part {
    let name = |ix: &EntryIx| brief(&shelved.open.session.name_of(*ix));
    let rows = facts.iter().map(|fact| {
        let first = fact.places.first().map(|place| name(&place.entry));
        let mut needed: Vec<String> = fact.needed_later.iter().map(name).collect();
        needed.dedup();
        let more = needed.len().saturating_sub(3);
        needed.truncate(3);
        let mut later = needed.join(", ");
        if more > 0 {
            later += &format!(" and {more} more");
        }
        vec![
            fact.kind.in_words().to_owned(),
            status(fact.status).to_owned(),
            said(fact),
            in_summary(fact, &shelved.material.summary),
            first.unwrap_or_default(),
            later,
        ]
    });
    let head = [
        "Kind",
        "Status",
        "Fact",
        "In the summary",
        "First entry",
        "Needed later",
    ];
    Part::Table {
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        right: Vec::new(),
    }
}

/// The words of a fact with what else is known of it.
fn said(fact: &Fact) -> String {
    let mut text = short(&fact.text);
    let role = match fact.details.file_role {
        Some(FileRole::Edited) => ", edited",
        Some(FileRole::Read) => ", read",
        Some(FileRole::Searched) => ", searched",
        Some(FileRole::Named) => ", named",
        None => "",
    };
    text += role;
    let is_shown = fact.details.own_words.is_some();
    if let Some(question) = fact.details.answers.as_ref().filter(|_| !is_shown) {
        text += &format!(" (answers: {})", short(question));
    }
    match fact.details.found_by {
        FoundBy::Rules => {}
        FoundBy::Model => text += " (by model)",
        FoundBy::Both => text += " (by rules and by model)",
    }
    match fact.details.told_otherwise {
        Some(ToldOtherwise::Words(_)) => text += " (may be told in other words)",
        Some(ToldOtherwise::Outcome) => text += " (its outcome is told)",
        Some(ToldOtherwise::Language) => text += " (the summary is in another language)",
        None => {}
    }
    if fact.in_kept_tail {
        text += " (still in the kept tail)";
    }
    text
}

/// What the summary says of a fact.
fn in_summary(fact: &Fact, summary: &str) -> String {
    if let Some((_, now)) = &fact.details.difference {
        return short(now);
    }
    let first = fact.evidence.first();
    let shown = first.and_then(|range| summary.get(range.clone()));
    let mut text = short(shown.unwrap_or_default());
    if !fact.details.missing.is_empty() {
        text += &format!(" (missing: {})", fact.details.missing.join(", "));
    }
    text
}

fn marks(ledger: &Ledger) -> Vec<(std::ops::Range<usize>, &'static str)> {
    let facts = ledger.facts.iter().flat_map(|fact| {
        let ranges = fact.evidence.iter();
        ranges.map(|range| (range.clone(), status(fact.status)))
    });
    let added = ledger.introduced.iter();
    facts
        .chain(added.map(|added| (added.range.clone(), "introduced")))
        .collect()
}

/// Several summaries of one session side by side, facts as rows.
pub(crate) fn comparison(view: &CompareAllView) -> Document {
    let mut out = Document::new(format!("Comparison of {} summaries", view.sides.len()));
    let letters: Vec<String> = (0..view.sides.len()).map(letter).collect();
    let share = |share: Option<f64>| share.map_or("not measured".to_owned(), percent);
    let rows = view.sides.iter().zip(&letters).map(|(side, letter)| {
        vec![
            letter.clone(),
            side.title.clone(),
            share(side.score.overall.as_ref().map(|own| own.score)),
            share(side.score.needed_later.share),
            share(side.totals.retention),
            side.score.changed.to_string(),
            side.score.introduced.to_string(),
            thousands(side.score.summary_tokens),
            thousands(side.score.next_tokens),
        ]
    });
    let head = [
        "",
        "Summary",
        "Overall score",
        "Needed later, still held",
        "Retained",
        "Changed",
        "Introduced",
        "Summary tokens",
        "Tokens of the next request",
    ];
    out.parts.push(Part::Table {
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        right: (2..9).collect(),
    });
    if view.cuts.len() > 1 {
        out.text("The summaries are of different contexts. Figures of different contexts cannot be compared.");
    }
    let title = format!("Facts with different statuses ({})", view.facts.len());
    out.heading(2, title);
    out.text(format!(
        "{} facts have the same status in all summaries that stand for them.",
        view.same_fate
    ));
    let mut head = vec!["Kind".to_owned(), "Fact".to_owned()];
    head.extend(letters.iter().cloned());
    head.push("Needed later".to_owned());
    let rows = view.facts.iter().map(|fact| {
        let mut row = vec![fact.kind.in_words().to_owned(), short(&fact.text)];
        let fates = fact.fates.iter().zip(&fact.in_tail);
        row.extend(fates.map(|(fate, in_tail)| match fate {
            Some(fate) if *in_tail => format!("{}, in the kept tail", status(*fate)),
            Some(fate) => status(*fate).to_owned(),
            None => "-".to_owned(),
        }));
        row.push(if fact.needed_later { "yes" } else { "" }.to_owned());
        row
    });
    out.parts.push(Part::Table {
        head,
        rows: rows.collect(),
        right: Vec::new(),
    });
    for (side, letter) in view.sides.iter().zip(&letters) {
        out.heading(2, format!("{letter}: {}", side.title));
        out.parts.push(Part::Verbatim(side.summary.clone()));
    }
    out
}

pub(crate) fn letter(at: usize) -> String {
    match u8::try_from(at) {
        Ok(at) if at < 26 => char::from(b'A' + at).to_string(),
        _ => (at + 1).to_string(),
    }
}

pub(crate) fn status(status: FactStatus) -> &'static str {
    match status {
        FactStatus::Verbatim => "verbatim",
        FactStatus::Mentioned => "reworded",
        FactStatus::Changed => "changed",
        FactStatus::Partial => "partial",
        FactStatus::Dropped => "dropped",
    }
}

/// The beginning of an id, by which every command finds the entry.
pub(crate) fn brief(id: &str) -> String {
    const ENOUGH: usize = 8;
    if id.len() > 12 && id.is_ascii() && !id.contains(':') {
        id[..ENOUGH].to_owned()
    } else {
        id.to_owned()
    }
}

pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

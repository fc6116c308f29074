//! The life of each fact over all compactions as a document.

use super::document::{Document, Part};
use super::ledger::{short, status};
use crate::numbers::percent;
use crate::wire::{ChainFact, ChainView, FactStatus};
use palimpsest_core::words::thousands;

/// Facts that a document has, those that were needed and lost first; JSON has all.
const MOST_FACTS: usize = 2_000;

/// A chain: the compactions, then a row for each fact.
pub(crate) fn chain(view: &ChainView) -> Document {
    let compactions = view.compactions.len();
    let mut out = Document::new(format!("Facts over {compactions} compactions"));
    if view.compactions.is_empty() {
        out.text("The path has no compaction.");
        return out;
    }
    let rows = view.compactions.iter().zip(1..).map(|(own, number)| {
        vec![
            format!("{number}"),
            own.entry_id.clone(),
            thousands(own.summary_tokens),
            thousands(own.born),
            thousands(own.carried),
            thousands(own.died),
            thousands(own.needed),
            if own.incomplete {
                "source incomplete".to_owned()
            } else {
                percent(own.first_share)
            },
        ]
    });
    let head = [
        "Compaction",
        "Entry",
        "Summary tokens",
        "Said first",
        "Carried",
        "Lost",
        "Needed later",
        "Of the first span",
    ];
    out.parts.push(Part::Table {
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        right: vec![0, 2, 3, 4, 5, 6, 7],
    });
    out.heading(2, format!("Facts ({})", thousands(view.total)));
    let mut head = vec![
        "Kind".to_owned(),
        "Fact".to_owned(),
        "First entry".to_owned(),
    ];
    head.extend((1..=compactions).map(|number| number.to_string()));
    let rows = view.facts.iter().take(MOST_FACTS);
    out.parts.push(Part::Table {
        head,
        rows: rows.map(|fact| row(fact, compactions)).collect(),
        right: Vec::new(),
    });
    let more = view.facts.len().saturating_sub(MOST_FACTS);
    if more > 0 {
        out.text(format!("{more} more facts are left out."));
    }
    out
}

fn row(fact: &ChainFact, compactions: usize) -> Vec<String> {
    let mut row = vec![
        fact.kind.in_words().to_owned(),
        short(&fact.text),
        fact.entry_id.clone().unwrap_or_default(),
    ];
    let born = usize::try_from(fact.born).unwrap_or(compactions);
    for at in 0..compactions {
        let cell = at.checked_sub(born).and_then(|own| fact.cells.get(own));
        row.push(match cell {
            None => String::new(),
            Some(cell) => {
                let mut text = match cell.status {
                    FactStatus::Dropped if cell.in_kept_tail => "in the kept tail".to_owned(),
                    own => status(own).to_owned(),
                };
                if cell.said && at > born {
                    text = format!("said again, {text}");
                }
                if !cell.needed_later.is_empty() {
                    text += ", needed later";
                }
                text
            }
        });
    }
    row
}

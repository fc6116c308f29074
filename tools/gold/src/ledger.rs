//! The facts that the program finds in a labelled compaction.

use crate::error::GoldError;
use crate::labels::Labelled;
use crate::matching::Found;
use palimpsest_app::OpenSession;
use palimpsest_app::summary::{Material, SummaryCut};
use palimpsest_ledger::concern::concern;
use serde::Serialize;
use std::ops::Range;

/// The facts of the ledger of a labelled compaction.
///
/// # Errors
/// When the sample cannot be read or has no compaction on that line.
pub fn ledger_of(labelled: &Labelled) -> Result<Vec<Found>, GoldError> {
    let open = OpenSession::read(&labelled.path)?;
    let material = if labelled.uncompacted {
        unsummarized(&open, labelled.summary_line)?
    } else {
        // Names of entries count lines from 0.
        let name = format!("line:{}", labelled.summary_line.saturating_sub(1));
        Material::of_compaction(&open, Some(&name))?
    };
    let ledger = material.ledger();
    let line = |ix: palimpsest_core::EntryIx| open.session.entry(ix).source.line as usize + 1;
    let facts = ledger.facts.iter().map(|fact| Found {
        kind: word(&fact.kind),
        text: fact.text.clone(),
        own_words: fact.own_words().to_owned(),
        lines: fact.places.iter().map(|place| line(place.entry)).collect(),
        weight: fact.weight,
        status: word(&fact.status),
        needed: !fact.needed_later.is_empty(),
        needed_at: fact.needed_later.iter().map(|&ix| line(ix)).collect(),
        in_tail: fact.in_kept_tail,
        shown: fact
            .evidence
            .first()
            .map_or_else(String::new, |range| line_of(&material.summary, range)),
        concern: concern(fact),
    });
    Ok(facts.collect())
}

/// The line of the summary that shows a fact.
fn line_of(summary: &str, range: &Range<usize>) -> String {
    let start = summary[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = summary[range.end..]
        .find('\n')
        .map_or(summary.len(), |at| range.end + at);
    summary[start..end].to_owned()
}

/// The active path up to a line, with an empty summary.
fn unsummarized(open: &OpenSession, last_line: usize) -> Result<Material, GoldError> {
    let path = open.session.active_leaf.map(|leaf| open.tree.path(leaf));
    let mut summarized = path.unwrap_or_default();
    summarized.retain(|ix| (open.session.entry(*ix).source.line as usize) < last_line);
    let cut = SummaryCut {
        summarized,
        ..SummaryCut::default()
    };
    let title = "no summary".to_owned();
    Ok(Material::new(open, title, String::new(), cut, None)?)
}

/// The name that the wire has for a word.
fn word(word: &impl Serialize) -> String {
    let value = serde_json::to_value(word).unwrap_or_default();
    value.as_str().map(str::to_owned).unwrap_or_default()
}

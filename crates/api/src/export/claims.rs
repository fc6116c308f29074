//! What a model said of the claims of a summary, as a part of an exported ledger.

use super::document::{Document, Part};
use super::ledger::{brief, letter, short, status};
use crate::commands::claims as made;
use crate::numbers::percent;
use crate::wire::{ClaimVerdict, CompareAllView, FactVerdict};
use palimpsest_app::summary::ShelvedLedger;

/// Adds the verdicts of a model on sentences and facts, where one was asked, each beside that of rules.
pub(super) fn by_model(out: &mut Document, shelved: &ShelvedLedger) {
    let (material, ledger) = (&shelved.material, &shelved.ledger);
    let Some(judged) = &material.judged_claims else {
        return;
    };
    let sums = made::judged(judged);
    out.heading(2, "Claims by model");
    out.text(
        "A model checked the sentences of the summary in the summarized span, and facts of the span in \
         the summary and the kept tail. Its verdicts are in no other figure.",
    );
    let (claims, facts) = (sums.claims, sums.facts);
    let share = |share: Option<f64>| share.map_or("not measured".to_owned(), percent);
    out.fields([
        ("Statements supported", Some(share(claims.precision))),
        ("Contradicted", Some(claims.contradicted.to_string())),
        ("Stale", Some(claims.stale.to_string())),
        ("Without a source", Some(claims.without_source.to_string())),
        ("Statements not checked", Some(claims.unchecked.to_string())),
        ("Facts kept", Some(share(facts.recall))),
        ("Facts dropped", Some(facts.dropped.to_string())),
        ("Facts not checked", Some(facts.unchecked.to_string())),
    ]);
    let rules = material.claims(&material.summary, ledger);
    let views = made::views(&shelved.open, &material.summary, &rules, Some(judged));
    let rows = views.iter().filter_map(|own| {
        let found = own.by_model.as_ref()?;
        let first = found.statements.iter().find(|own| own.quote.is_some());
        let entry = first.and_then(|own| own.entry_ids.first());
        let why = found.statements.iter().find_map(|own| own.reason.clone());
        let quote = first.and_then(|own| own.quote.clone());
        Some(vec![
            claim_verdict(found.verdict).to_owned(),
            claim_verdict(own.verdict).to_owned(),
            short(&own.text),
            short(&quote.or(why).unwrap_or_default()),
            entry.map(|id| brief(id)).unwrap_or_default(),
        ])
    });
    let head = ["By model", "By rules", "Sentence", "Shown by", "Entry"];
    out.parts.push(Part::Table {
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        right: Vec::new(),
    });
    out.heading(2, "Facts by model");
    let rows = ledger.facts.iter().filter_map(|fact| {
        let found = made::of_fact(fact, Some(judged))?;
        Some(vec![
            fact_verdict(found.verdict).to_owned(),
            status(fact.status).to_owned(),
            fact.kind.in_words().to_owned(),
            short(&fact.text),
            short(&found.quote.or(found.reason).unwrap_or_default()),
            found.entry_id.map(|id| brief(&id)).unwrap_or_default(),
        ])
    });
    let head = [
        "By model",
        "Status by rules",
        "Kind",
        "Fact",
        "Shown by",
        "Entry of the kept tail",
    ];
    out.parts.push(Part::Table {
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        right: Vec::new(),
    });
}

/// Adds the sums of a model to a comparison, where one was asked about a side.
pub(super) fn compared(out: &mut Document, view: &CompareAllView) {
    let share = |share: Option<f64>| share.map_or("not measured".to_owned(), percent);
    let sides = view.sides.iter().enumerate();
    let rows: Vec<Vec<String>> = sides
        .filter_map(|(at, side)| {
            let judged = side.judged_claims.as_ref()?;
            Some(vec![
                letter(at),
                share(judged.claims.precision),
                judged.claims.contradicted.to_string(),
                judged.claims.stale.to_string(),
                judged.claims.without_source.to_string(),
                share(judged.facts.recall),
            ])
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    out.heading(2, "Claims by model");
    let head = [
        "",
        "Statements supported",
        "Contradicted",
        "Stale",
        "Without a source",
        "Facts kept",
    ];
    out.parts.push(Part::Table {
        head: head.map(str::to_owned).to_vec(),
        rows,
        right: (1..6).collect(),
    });
}

fn claim_verdict(verdict: ClaimVerdict) -> &'static str {
    match verdict {
        ClaimVerdict::Supported => "supported",
        ClaimVerdict::Contradicted => "contradicted",
        ClaimVerdict::Stale => "stale",
        ClaimVerdict::WithoutSource => "without a source",
        ClaimVerdict::Unchecked => "not checked",
    }
}

fn fact_verdict(verdict: FactVerdict) -> &'static str {
    match verdict {
        FactVerdict::Kept => "kept",
        FactVerdict::Partly => "partly kept",
        FactVerdict::Changed => "changed",
        FactVerdict::Dropped => "dropped",
        FactVerdict::Unchecked => "not checked",
    }
}

//! The figures of an experiment's cells, all cells of a cut on the same facts.

use super::cuts::StoredCut;
use crate::comparing::{ComparedSide, ComparedSides};
use crate::error::Result;
use crate::workspace::App;
use palimpsest_core::ledger::{FactKind, Ledger};
use palimpsest_lab::Metric;
use palimpsest_ledger::HeldFacts;
use palimpsest_ledger::claims::Verdict;
use std::collections::BTreeMap;

/// The figures of a summary by name.
pub(super) type Figures = BTreeMap<Metric, f64>;

impl App {
    /// The figures of the runs `runs` at a cut, and of the session's own summary where it holds
    /// one.
    pub(super) fn figures_at(
        &self,
        cut: &StoredCut,
        runs: &[&str],
    ) -> Result<(Vec<Figures>, Option<Figures>)> {
        let open = self.open(&cut.session)?;
        let mut names: Vec<String> = runs.iter().map(|&run| run.to_owned()).collect();
        if cut.stored {
            names.push(format!("entry:{}", cut.entry));
        }
        if names.is_empty() {
            return Ok((Vec::new(), None));
        }
        let all = self.compare_summaries(&open, &names)?;
        let mut found = by_side(&all);
        let own = if cut.stored { found.pop() } else { None };
        Ok((found, own))
    }
}

/// The figures of each side, in the order of the sides.
fn by_side(all: &ComparedSides) -> Vec<Figures> {
    let mut found = vec![Figures::new(); all.sides.len()];
    for cut in &all.cuts {
        for (at, &side) in cut.sides.iter().enumerate() {
            let mut own = sizes(&all.sides[side]);
            let count = |verdict| {
                let told = cut.claims[at].iter();
                told.filter(|claim| claim.verdict == verdict).count() as f64
            };
            if let Some(score) = &cut.scores[at] {
                own.insert("score".to_owned(), score.overall);
                let parts = score.parts.iter();
                own.extend(parts.map(|(part, share)| (format!("score.{}", part.name()), *share)));
            }
            if cut.is_whole() {
                own.extend(of_source(&cut.ledgers[at], &cut.held[at]));
                own.insert("contradicted".to_owned(), count(Verdict::Contradicted));
                own.insert("stale".to_owned(), count(Verdict::Stale));
                own.insert("without_source".to_owned(), count(Verdict::WithoutSource));
            }
            found[side] = own;
        }
    }
    found
}

/// What a run costs and how large its summary is.
fn sizes(side: &ComparedSide) -> Figures {
    let mut figures = Figures::from([
        ("summary_tokens".to_owned(), side.tokens as f64),
        ("next_tokens".to_owned(), side.next_tokens as f64),
    ]);
    if let Some(run) = &side.run {
        figures.insert("calls".to_owned(), run.calls.len() as f64);
        figures.insert("elapsed_ms".to_owned(), run.details.elapsed_ms as f64);
        if let Some(cost) = run.row.usage.cost_usd {
            figures.insert("cost_usd".to_owned(), cost);
        }
    }
    figures
}

/// What was kept of the source.
fn of_source(ledger: &Ledger, held: &HeldFacts) -> Figures {
    let mut figures = Figures::from([
        ("changed".to_owned(), held.changed as f64),
        ("introduced".to_owned(), ledger.introduced.len() as f64),
    ]);
    // A share of nothing is left out: it is neither a win nor a loss.
    if let Some(share) = held.needed_later.share() {
        figures.insert("needed_later".to_owned(), share);
    }
    for (kind, held) in &held.by_kind {
        if let Some(share) = held.share() {
            figures.insert(format!("retention.{}", kind_name(*kind)), share);
        }
    }
    figures
}

/// The name of a kind in figures: that of the wire.
fn kind_name(kind: FactKind) -> String {
    let name = serde_json::to_value(kind).ok();
    let name = name.as_ref().and_then(serde_json::Value::as_str);
    name.unwrap_or_default().to_owned()
}

//! The overall score with its parts (D19).

use super::line::{Amount, FigureLine, Measured};
use crate::claims::{self, Verdict};
use crate::input::LedgerInput;
use crate::score::Scale;
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::Ledger;
use palimpsest_core::score::ScorePart;

/// D19: the score, its parts, and the statements that take off from it.
pub(super) fn overall(input: &LedgerInput<'_>, ledger: &Ledger) -> Measured {
    let claims = claims::check(input.summary, &input.span, ledger);
    let score = Scale::of(&input.span).score(input, ledger, &claims);
    let mut out = Measured::new(Figure::Overall);
    out.value("Score", Amount::Share(score.overall));
    for part in ScorePart::ALL {
        if let Some(share) = score.parts.get(&part) {
            out.noted(part.title(), Amount::Share(*share), part.definition());
        }
    }
    let wrong = claims
        .iter()
        .filter(|claim| matches!(claim.verdict, Verdict::Contradicted | Verdict::Stale));
    let wrong = wrong.map(|claim| FigureLine {
        text: input.summary[claim.range.clone()].trim().to_owned(),
        note: claim.reason.clone(),
        entry: claim.entries.first().copied(),
        range: Some(claim.range.clone()),
        ..FigureLine::default()
    });
    out.lines.extend(wrong);
    let introduced = ledger.introduced.iter().map(|own| FigureLine {
        text: own.text.clone(),
        note: "introduced".to_owned(),
        range: Some(own.range.clone()),
        ..FigureLine::default()
    });
    out.lines.extend(introduced);
    out
}

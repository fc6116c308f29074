//! Passages of the summary that are copied from the span (D9).

use super::line::{Amount, FigureLine, Measured};
use super::shared::SharedWords;
use crate::grusky;
use crate::input::LedgerInput;
use crate::introduced::decoded;
use palimpsest_core::figure::Figure;

/// Fewest words of a passage that is listed: shorter ones are met by chance.
const LISTED: usize = 4;

/// D9: coverage, density, compression in words.
pub(super) fn copied(input: &LedgerInput<'_>, words: &SharedWords) -> Measured {
    let total = words.summary.len();
    if total == 0 || words.span.is_empty() {
        return Measured::absent(
            Figure::Extractive,
            "The span or the summary contains no words.",
        );
    }
    let texts: Vec<_> = input
        .span
        .parts()
        .map(|part| decoded(part.kind, part.text))
        .collect();
    let mut found = grusky::fragments(texts.iter().map(AsRef::as_ref), input.summary);
    let covered: usize = found.iter().map(|(_, words)| words).sum();
    let squared: usize = found.iter().map(|(_, words)| words * words).sum();
    let mut out = Measured::new(Figure::Extractive);
    let total = total as f64;
    out.value("Coverage", Amount::Share(covered as f64 / total));
    out.value("Density", Amount::Number(squared as f64 / total));
    let compression = words.span.len() as f64 / total;
    out.value("Compression in words", Amount::Number(compression));
    found.retain(|(_, words)| *words >= LISTED);
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.start.cmp(&b.0.start)));
    let lines = found.into_iter().map(|(range, words)| FigureLine {
        text: input.summary[range.clone()].to_owned(),
        note: format!("{words} words"),
        range: Some(range),
        ..FigureLine::default()
    });
    out.lines = lines.collect();
    out
}

//! The figures of a summary that need no model, each with the lines that it counts.
//!
//! What a figure is called and what it means is in [`palimpsest_core::figure`]. Figures over
//! several compactions or runs, and those of records, are made where these are known.

mod composition;
mod copied;
mod files;
mod identifiers;
mod later;
mod line;
mod overall;
mod sections;
mod shared;
mod stability;

pub use files::ListedFiles;
pub use line::{Amount, FigureLine, FigureValue, Measured};
pub use stability::stability;

use crate::input::LedgerInput;
use palimpsest_core::ledger::Ledger;

/// What the figures are made from besides a ledger and its input.
#[derive(Debug, Clone, Copy, Default)]
pub struct MeasuredBy<'a> {
    /// The section titles that the strategy asks for, without `#`; none for a prompt without a
    /// template.
    pub headings: &'a [String],
    /// The files that the agent's record of the compaction lists; `None` where it lists none.
    pub listed: Option<ListedFiles<'a>>,
}

/// The figures of the summary of `input`, whose ledger is `ledger`.
pub fn measure(input: &LedgerInput<'_>, ledger: &Ledger, by: MeasuredBy<'_>) -> Vec<Measured> {
    let words = shared::SharedWords::of(input);
    vec![
        overall::overall(input, ledger),
        identifiers::recall(ledger),
        identifiers::weighted(ledger),
        identifiers::introduced(input.summary, ledger),
        identifiers::constraints(ledger),
        files::files(ledger, by.listed),
        sections::sections(input.summary, by.headings),
        shared::rouge(input, &words),
        copied::copied(input, &words),
        identifiers::position(input, ledger),
        later::regret(ledger, &input.later),
        later::used_later(ledger, &input.later),
        shared::redundancy(input),
        composition::composition(&input.span),
    ]
}

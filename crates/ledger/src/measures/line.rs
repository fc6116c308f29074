//! A figure with its values and the lines that it counts.

use palimpsest_core::EntryIx;
use palimpsest_core::figure::Figure;
use palimpsest_core::ledger::{Fact, FactStatus};
use palimpsest_core::words::{noun, thousands};
use std::ops::Range;

/// A value with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A share, 0 to 1.
    Share(f64),
    /// So many of so many.
    Of(u64, u64),
    /// A number of things.
    Count(u64),
    /// Tokens, estimated.
    Tokens(u64),
    /// A plain number: a ratio, a mean.
    Number(f64),
    /// Milliseconds.
    Millis(u64),
    /// US dollars.
    Usd(f64),
}

/// One value of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureValue {
    /// What it is of.
    pub name: String,
    /// The value.
    pub amount: Amount,
    /// What else is known, in a few words; may be empty.
    pub note: String,
}

/// A line that a figure counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FigureLine {
    /// The line.
    pub text: String,
    /// How it is counted, in a few words; may be empty.
    pub note: String,
    /// Its fact, by its position in the ledger.
    pub fact: Option<usize>,
    /// The entry that shows it.
    pub entry: Option<EntryIx>,
    /// Where it stands in the summary, in bytes.
    pub range: Option<Range<usize>>,
}

/// A figure of a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Which.
    pub figure: Figure,
    /// Its values, the one to show first; none where it was not measured.
    pub values: Vec<FigureValue>,
    /// The lines that it counts.
    pub lines: Vec<FigureLine>,
    /// Why it was not measured.
    pub absent: Option<String>,
}

impl Measured {
    /// A figure without values so far.
    pub fn new(figure: Figure) -> Measured {
        Measured {
            figure,
            values: Vec::new(),
            lines: Vec::new(),
            absent: None,
        }
    }

    /// A figure that was not measured.
    pub fn absent(figure: Figure, reason: impl Into<String>) -> Measured {
        Measured {
            absent: Some(reason.into()),
            ..Measured::new(figure)
        }
    }

    /// Adds a value.
    pub fn value(&mut self, name: impl Into<String>, amount: Amount) {
        self.noted(name, amount, "");
    }

    /// Adds a value with what else is known of it.
    pub fn noted(&mut self, name: impl Into<String>, amount: Amount, note: impl Into<String>) {
        self.values.push(FigureValue {
            name: name.into(),
            amount,
            note: note.into(),
        });
    }
}

/// A fact as a line of a figure; it leads to the entry that says it first.
pub(super) fn of_fact(at: usize, fact: &Fact, note: impl Into<String>) -> FigureLine {
    FigureLine {
        text: fact.text.clone(),
        note: note.into(),
        fact: Some(at),
        entry: fact.places.first().map(|place| place.entry),
        range: fact.evidence.first().cloned(),
    }
}

/// True for a fact that the summary has in full.
pub(super) fn is_kept(fact: &Fact) -> bool {
    matches!(fact.status, FactStatus::Verbatim | FactStatus::Mentioned)
}

/// What became of a fact, in words.
pub(super) fn fate(fact: &Fact) -> &'static str {
    match fact.status {
        FactStatus::Verbatim => "verbatim",
        FactStatus::Mentioned => "reworded",
        _ if fact.in_kept_tail => "only in the kept tail",
        FactStatus::Changed => "changed",
        FactStatus::Partial => "partly kept",
        FactStatus::Dropped => "dropped",
    }
}

/// How much a fate hurts: what is lost first.
pub(super) fn by_loss(fact: &Fact) -> u8 {
    match fact.status {
        FactStatus::Dropped if !fact.in_kept_tail => 0,
        FactStatus::Changed | FactStatus::Partial if !fact.in_kept_tail => 1,
        FactStatus::Dropped | FactStatus::Changed | FactStatus::Partial => 2,
        FactStatus::Mentioned => 3,
        FactStatus::Verbatim => 4,
    }
}

/// `part` of `whole`, 0 to 1; 1 where there was nothing to keep.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// So many of so many.
pub(super) fn of(part: usize, whole: usize) -> Amount {
    Amount::Of(part as u64, whole as u64)
}

/// `8,100 tokens`.
pub(super) fn in_tokens(tokens: u64) -> String {
    format!("{} {}", thousands(tokens), noun(tokens, "token", "tokens"))
}

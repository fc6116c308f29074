//! The figures of a summary.

use super::{Figure, TextRange};

wire! {
    /// Asks for the figures of a summary.
    #[derive(Default)]
    pub struct FiguresRequest {
        /// The session.
        pub session: String,
        /// The summary: `entry:ID` or a run; the newest compaction when empty.
        #[serde(default)]
        pub of: String,
    }
}

wire! {
    /// The figures of a summary.
    pub struct FiguresView {
        /// All of them: those that are computed, then those that a model has to give.
        pub figures: Vec<FigureView>,
    }
}

wire! {
    /// A figure with the lines that it counts.
    pub struct FigureView {
        /// Which.
        pub figure: Figure,
        /// Its short name: `D1`.
        pub code: String,
        /// What it is called.
        pub title: String,
        /// What it measures, in one sentence.
        pub definition: String,
        /// Whether more or less of it is better, in one or two sentences.
        pub reading: String,
        /// Its values, the one to show first; none where it was not measured.
        pub values: Vec<FigureValueView>,
        /// The lines that it counts.
        pub lines: Vec<FigureLineView>,
        /// How many there are in all.
        pub total_lines: u64,
        /// Why it was not measured.
        pub absent: Option<String>,
    }
}

wire! {
    /// A value of a figure.
    pub struct FigureValueView {
        /// What it is of.
        pub name: String,
        /// The value in words.
        pub text: String,
        /// The number.
        pub number: f64,
        /// Of how many, for a number of things among others.
        pub of: Option<u64>,
        /// What the number is.
        pub unit: FigureUnit,
        /// What else is known, in a few words.
        pub note: String,
    }
}

wire! {
    /// What the number of a figure is.
    #[derive(Copy, Eq)]
    #[serde(rename_all = "snake_case")]
    pub enum FigureUnit {
        /// A share, 0 to 1.
        Share,
        /// A number of things.
        Count,
        /// Tokens.
        Tokens,
        /// A plain number.
        Number,
        /// Milliseconds.
        Milliseconds,
        /// US dollars.
        Usd,
    }
}

wire! {
    /// A line that a figure counts.
    pub struct FigureLineView {
        /// The line.
        pub text: String,
        /// How it is counted, in a few words.
        pub note: String,
        /// Its fact in the ledger.
        pub fact_id: Option<String>,
        /// The entry that shows it.
        pub entry_id: Option<String>,
        /// Where it stands in the summary.
        pub range: Option<TextRange>,
    }
}

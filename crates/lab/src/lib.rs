//! Experiments over several cuts: what is run, and what its figures say.
//!
//! An [`Experiment`] names cuts, rows (a strategy with its settings, prompts, provider and model) and
//! repeats. Whoever runs it gives a [`Cell`] for each row, cut and repeat; [`Table::of`] makes means,
//! spreads and paired differences of them, with intervals ([`interval`]), and holds them against the
//! experiment's thresholds. [`calibration`] repeats simulated experiments, whose true difference is
//! known, and counts how often the intervals are right.
//!
//! Everything is pure: the same cells and the same seed give the same table.

pub mod calibration;
pub mod experiment;
pub mod interval;
mod random;
pub mod table;

pub use experiment::{CutSpec, Cuts, Experiment, ExperimentError, RowSpec, Threshold};
pub use table::{Cell, Difference, Metric, RowFigures, Spread, Table, Verdict};

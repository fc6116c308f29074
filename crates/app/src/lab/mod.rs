//! Experiments over several cuts: priced, run, resumed, measured.
//!
//! An experiment is known by its name, cuts, rows and repeats: run again after it was cut off, it goes
//! on where it stopped. The id of a cell's run is stored before anything is sent, and the run stores
//! each request before it is sent and each reply when it came (`run/stored_calls.rs`).

mod claim;
mod cuts;
mod outcome;
mod pricing;
mod progress;
mod running;
mod scoring;
mod sets;
mod wrong;

pub use cuts::{CutSet, StoredCut};
pub use outcome::{LabCell, LabListed, LabOutcome, LabReplay};
pub use palimpsest_lab::calibration::{Calibration, Size as CalibrationSize, calibrate};
pub use palimpsest_lab::{
    CutSpec, Cuts, Difference, Experiment, ExperimentError, RowFigures, RowSpec, Spread, Table,
    Threshold, Verdict,
};
pub use pricing::{LabPlan, RowPrice};
pub use progress::{LabCellProgress, LabCellState, LabProgress};
pub use running::LabSpec;

use crate::error::{AppError, Result};
use palimpsest_core::Failure as _;
use palimpsest_core::unreadable::json_text;

fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| AppError::Internal(error.to_string()))
}

impl crate::workspace::App {
    /// Reads an experiment from TOML, or from JSON of the same fields.
    pub fn read_experiment(&self, text: &str) -> Result<Experiment> {
        let read = if text.trim_start().starts_with('{') {
            serde_json::from_str::<Experiment>(text)
                .map_err(|error| ExperimentError::Unreadable(json_text(&error)))
        } else {
            Experiment::from_toml(text)
        };
        let read = read.map_err(|error| AppError::BadRequest(error.problem()))?;
        self.checked_experiment(read)
    }

    /// The experiment, if it can be run: its parts fit, and there are the strategies of its rows.
    pub fn checked_experiment(&self, experiment: Experiment) -> Result<Experiment> {
        let checked = experiment.checked();
        let checked = checked.map_err(|error| AppError::BadRequest(error.problem()))?;
        // A wrong name is told before anything is run, and not by each cell.
        for row in &checked.rows {
            self.preset(&row.strategy)
                .map_err(|error| wrong::of_row(row, error))?;
        }
        Ok(checked)
    }
}

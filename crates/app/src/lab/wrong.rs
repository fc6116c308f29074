//! Errors about the rows of an experiment.

use crate::error::AppError;
use palimpsest_core::failure::{Failure as _, Problem};
use palimpsest_lab::RowSpec;

/// What is wrong with one of the rows.
pub(super) fn of_row(row: &RowSpec, error: AppError) -> AppError {
    AppError::BadRequest(Problem {
        message: format!("{} cannot be run: {error}", row.named()),
        next: error.next(),
    })
}

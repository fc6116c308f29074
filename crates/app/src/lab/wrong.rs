//! Errors about the rows of an experiment.

use crate::error::AppError;
use palimpsest_core::failure::{Failure as _, Problem};
use palimpsest_lab::RowSpec;

/// What is wrong with one of the rows; an error of a session, a file or a provider stays what it is.
pub(super) fn of_row(row: &RowSpec, error: AppError) -> AppError {
    let of_its_words = matches!(
        error,
        AppError::BadRequest(_)
            | AppError::Usage(_)
            | AppError::NotFound { .. }
            | AppError::NeedsModel { .. }
            | AppError::Param { .. }
            | AppError::AboveLimit { .. }
    );
    if !of_its_words {
        return error;
    }
    AppError::BadRequest(Problem {
        message: format!("{} cannot be run: {error}", row.named()),
        next: error.next(),
    })
}

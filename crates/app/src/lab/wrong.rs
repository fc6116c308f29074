//! Errors about the rows of an experiment.

use crate::error::AppError;
use palimpsest_core::failure::{Failure as _, Problem};
use palimpsest_lab::RowSpec;

/// What is wrong with one of the rows; an error of a session, a file or a provider stays what it is.
pub(super) fn of_row(row: &RowSpec, error: AppError) -> AppError {
    let of_something_else = matches!(
        error,
        AppError::NoSuchSession(_)
            | AppError::AmbiguousSession { .. }
            | AppError::SeveralFiles { .. }
            | AppError::NoSuchEntry { .. }
            | AppError::EmptyFile { .. }
            | AppError::Folder { .. }
            | AppError::NotASession { .. }
            | AppError::Deleted { .. }
            | AppError::Read { .. }
            | AppError::Write { .. }
            | AppError::Body(_)
            | AppError::Store(_)
            | AppError::Provider(_)
            | AppError::Cancelled
            | AppError::Internal(_)
    );
    if of_something_else {
        return error;
    }
    AppError::BadRequest(Problem {
        message: format!("{} cannot be run: {error}", row.named()),
        next: error.next(),
    })
}

//! Errors as the wire has them.

use crate::wire::{ErrorCode, WireError};
use palimpsest_app::AppError;

impl WireError {
    /// A mistake of this program.
    pub fn internal(detail: &str) -> WireError {
        WireError {
            code: ErrorCode::Internal,
            message: format!("internal error: {detail}"),
            hint: Some("this is a mistake in the program, please report it".into()),
            field: None,
        }
    }
}

/// Sorts an error by what the user can do about it; the hint is the part of the message after its
/// semicolon, because every message ends in the next step.
pub(crate) fn to_wire(error: &AppError) -> WireError {
    let code = match error {
        AppError::BadRequest(_) => ErrorCode::BadRequest,
        AppError::Usage(_) => ErrorCode::Usage,
        AppError::NoSuchSession(_)
        | AppError::AmbiguousSession { .. }
        | AppError::NoSuchEntry { .. }
        | AppError::NotFound { .. } => ErrorCode::NotFound,
        AppError::EmptyFile { .. }
        | AppError::NotASession { .. }
        | AppError::Catalog(_)
        | AppError::Plan(_)
        | AppError::NeedsModel { .. }
        | AppError::ProgramNotSetUp { .. }
        | AppError::Param { .. } => ErrorCode::UserFixable,
        AppError::Read { .. } | AppError::Write { .. } | AppError::Body(_) | AppError::Store(_) => {
            ErrorCode::Io
        }
        AppError::Provider { .. } => ErrorCode::Provider,
        AppError::Cancelled => ErrorCode::Cancelled,
        AppError::Internal(_) => ErrorCode::Internal,
    };
    let field = match error {
        AppError::Param { name, .. } => Some(name.clone()),
        _ => None,
    };
    let text = error.to_string();
    match text.rsplit_once("; ") {
        Some((message, hint)) => WireError {
            code,
            message: message.to_owned(),
            hint: Some(hint.to_owned()),
            field,
        },
        None => WireError {
            code,
            message: text,
            hint: None,
            field,
        },
    }
}

//! Errors as the wire has them.

use crate::wire::{ErrorCode, WireError};
use palimpsest_app::AppError;
use palimpsest_core::words::without_codes;
use palimpsest_core::{Failure, NextStep};

impl WireError {
    /// An error with what the user can do about it.
    pub fn new(code: ErrorCode, message: impl Into<String>, next: NextStep) -> WireError {
        WireError {
            code,
            message: without_codes(&message.into()),
            // Both: the sentence for hosts without words of their own, the step for those that
            // have them.
            hint: Some(next.to_string()),
            next: Some(Box::new(next.into())),
            field: None,
        }
    }

    /// An error that the user can do nothing about.
    pub fn alone(code: ErrorCode, message: impl Into<String>) -> WireError {
        WireError {
            code,
            message: without_codes(&message.into()),
            hint: None,
            next: None,
            field: None,
        }
    }

    /// A mistake of this program.
    pub fn internal(detail: &str) -> WireError {
        let message = format!("internal error: {detail}");
        WireError::new(ErrorCode::Internal, message, NextStep::Report)
    }
}

/// Sorts an error by what the user can do about it. The hint is the next step in words that hold
/// in every host; a host that knows a better way to say it has the step itself.
pub(crate) fn to_wire(error: &AppError) -> WireError {
    let next = error.next();
    WireError {
        code: code(error),
        message: without_codes(&error.to_string()),
        hint: next.as_ref().map(ToString::to_string),
        next: next.map(|step| Box::new(step.into())),
        // Only this error is about one field of a form.
        field: match error {
            AppError::Param { name, .. } => Some(name.clone()),
            _ => None,
        },
    }
}

fn code(error: &AppError) -> ErrorCode {
    match error {
        AppError::BadRequest(_) => ErrorCode::BadRequest,
        AppError::Usage(_) => ErrorCode::Usage,
        AppError::NoSuchSession(_)
        | AppError::AmbiguousSession { .. }
        | AppError::SeveralFiles { .. }
        | AppError::NoSuchEntry { .. }
        | AppError::Deleted { .. }
        | AppError::NotFound { .. } => ErrorCode::NotFound,
        AppError::EmptyFile { .. }
        | AppError::Folder { .. }
        | AppError::NotASession { .. }
        | AppError::Catalog(_)
        | AppError::Plan(_)
        | AppError::NeedsModel { .. }
        | AppError::PlanChanged(_)
        | AppError::ProgramNotSetUp { .. }
        | AppError::Param { .. } => ErrorCode::UserFixable,
        AppError::Read { .. }
        | AppError::Write { .. }
        | AppError::Body(_)
        | AppError::Store(_)
        | AppError::Unflagged(_) => ErrorCode::Io,
        AppError::Writing(palimpsest_app::writing::WriteError::Io { .. }) => ErrorCode::Io,
        AppError::Writing(_) => ErrorCode::UserFixable,
        AppError::AboveLimit { .. } => ErrorCode::AboveLimit,
        AppError::Provider(_) => ErrorCode::Provider,
        AppError::Cancelled => ErrorCode::Cancelled,
        AppError::Internal(_) => ErrorCode::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::NextStepView;
    use palimpsest_app::AppError;
    use palimpsest_core::session::ResolveError;
    use palimpsest_core::{BodyError, Problem};
    use palimpsest_testkit::failure::{assert_apart, assert_path_last};

    fn path() -> String {
        "/home/ada/session.jsonl".to_owned()
    }

    fn io(kind: std::io::ErrorKind) -> std::io::Error {
        kind.into()
    }

    /// One error of every variant that is of the use cases themselves; each library has a test for
    /// its own.
    fn every() -> Vec<AppError> {
        let problem = || Problem::new("the reason", NextStep::TryAgain);
        vec![
            AppError::BadRequest(problem()),
            AppError::Usage(problem()),
            AppError::NoSuchSession("abc".into()),
            AppError::AmbiguousSession {
                name: "abc".into(),
                sessions: vec!["abcd (a.jsonl)".into(), "abce (b.jsonl)".into()],
                in_files: false,
            },
            AppError::SeveralFiles {
                name: "abc".into(),
                files: vec!["10d69ba7e (a.jsonl)".into(), "929c7f32b (b.jsonl)".into()],
                ids: vec!["10d69ba7e".into(), "929c7f32b".into()],
            },
            AppError::NoSuchEntry {
                reason: ResolveError::Unknown("abc".into()),
                path: path(),
            },
            AppError::NotFound { problem: problem() },
            AppError::EmptyFile { path: path() },
            AppError::Folder { path: path() },
            AppError::NotASession {
                path: path(),
                detail: "it is not text".into(),
            },
            AppError::Deleted { path: path() },
            AppError::Read {
                path: path(),
                source: io(std::io::ErrorKind::NotFound),
            },
            AppError::Write {
                path: path(),
                source: io(std::io::ErrorKind::StorageFull),
            },
            AppError::Body(BodyError::Changed {
                line: 3,
                path: path(),
            }),
            AppError::Plan(problem()),
            AppError::PlanChanged(palimpsest_app::run::PlanChange::Entry {
                id: "abc".into(),
                path: path(),
            }),
            AppError::Writing(palimpsest_app::writing::WriteError::Changed { path: path() }),
            AppError::Param {
                name: "keep_share".into(),
                problem: problem(),
            },
            AppError::AboveLimit {
                most_usd: Some(2.0),
                limit_usd: 1.0,
            },
            AppError::Provider(problem()),
            AppError::ProgramNotSetUp {
                name: "summarize".into(),
                presets: "/home/ada/presets".into(),
            },
            AppError::Cancelled,
            AppError::Internal("a plan without calls".into()),
        ]
    }

    #[test]
    fn every_error_has_its_step_beside_its_message() {
        for error in every() {
            let wire = to_wire(&error);
            assert_eq!(wire.hint.is_some(), wire.next.is_some(), "{error:?}");
            let cancelled = matches!(error, AppError::Cancelled);
            assert_eq!(wire.next.is_none(), cancelled, "{error:?}");
            let hint = wire.hint.unwrap_or_default();
            assert!(cancelled || hint.starts_with(char::is_uppercase), "{hint}");
            assert_apart(&[&error]);
            assert_path_last(&[&error], &path());
        }
    }

    /// The page's tests word every step of this file.
    #[test]
    fn export_next_steps() {
        let steps = NextStep::examples().into_iter().map(NextStepView::from);
        let steps: Vec<NextStepView> = steps.collect();
        let text = serde_json::to_string_pretty(&steps).unwrap() + "\n";
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/tests");
        std::fs::write(folder.join("next_steps.json"), text).unwrap();
        assert!(steps.len() > 40, "{}", steps.len());
    }
}

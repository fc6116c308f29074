//! What can go wrong in a use case, sorted by who can do something about it.

use palimpsest_core::BodyError;
use palimpsest_core::failure::{Failure, Input, NextStep, Problem};
use palimpsest_core::session::ResolveError;

/// A use case that failed. `Display` says what happened; [`Failure::next`] what to do.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The request makes no sense.
    #[error("{0}")]
    BadRequest(Problem),
    /// Options that do not go together, or one that would have no effect.
    #[error("{0}")]
    Usage(Problem),
    /// No such session.
    #[error("there is no session '{0}'")]
    NoSuchSession(String),
    /// The prefix fits several sessions.
    #[error("several sessions have an id that begins with '{name}', such as {}", sessions.join(" and "))]
    AmbiguousSession {
        /// What was asked for.
        name: String,
        /// Those it fits, each with what tells it apart.
        sessions: Vec<String>,
        /// Whether one of them is in several files, of which no id tells one.
        in_files: bool,
    },
    /// Several files hold the session with this id.
    #[error("several files hold the session '{name}': {}", files.join(" and "))]
    SeveralFiles {
        /// What was asked for.
        name: String,
        /// The files, each with what tells it apart.
        files: Vec<String>,
        /// The ids that name one file each.
        ids: Vec<String>,
    },
    /// No such entry in the session.
    #[error("{reason} in the session {path}")]
    NoSuchEntry {
        /// Why the name leads nowhere.
        #[source]
        reason: ResolveError,
        /// The session's source.
        path: String,
    },
    /// Something else that was named does not exist.
    #[error("{problem}")]
    NotFound {
        /// What was asked for and what to do.
        problem: Problem,
    },
    /// The file holds nothing.
    #[error(
        "the file is empty (an agent that has just started writes its first message later): {path}"
    )]
    EmptyFile {
        /// The file.
        path: String,
    },
    /// The address is a folder.
    #[error("this is a folder and not a session: {path}")]
    Folder {
        /// The folder.
        path: String,
    },
    /// The file is of no known agent.
    #[error("this is not a session of a known agent ({detail}): {path}")]
    NotASession {
        /// The file.
        path: String,
        /// What its beginning looks like.
        detail: String,
    },
    /// A session in the index whose file is gone.
    #[error("the session was deleted or moved since the session folders were read: {path}")]
    Deleted {
        /// Where it was.
        path: String,
    },
    /// A file could not be read.
    #[error("{}: {path}", unread(source))]
    Read {
        /// The file.
        path: String,
        /// The operating system's message.
        #[source]
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("the file cannot be written ({source}): {path}")]
    Write {
        /// The file.
        path: String,
        /// The operating system's message.
        #[source]
        source: std::io::Error,
    },
    /// The text of an entry could not be read.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A database failed.
    #[error(transparent)]
    Store(#[from] palimpsest_store::StoreError),
    /// The catalog of models is not usable.
    #[error(transparent)]
    Catalog(#[from] palimpsest_tokens::CatalogError),
    /// A strategy cannot plan.
    #[error("{0}")]
    Plan(Problem),
    /// The strategy needs a model, and the offline summarizer is chosen.
    #[error("the strategy {strategy} needs a model and cannot run offline")]
    NeedsModel {
        /// The strategy.
        strategy: String,
    },
    /// The plan that was shown is not carried out.
    #[error(transparent)]
    PlanChanged(#[from] crate::run::PlanChange),
    /// A session was not written.
    #[error(transparent)]
    Writing(#[from] crate::writing::WriteError),
    /// A parameter of a strategy is wrong.
    #[error("{problem}")]
    Param {
        /// The parameter, as it was named.
        name: String,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A plan may cost more than the limit of the settings, and the user did not agree to that.
    #[error("{}", above_limit(*most_usd, *limit_usd))]
    AboveLimit {
        /// What it may cost in dollars; `None` where a price is unknown.
        most_usd: Option<f64>,
        /// The limit in dollars.
        limit_usd: f64,
    },
    /// A provider failed or refused.
    #[error("{0}")]
    Provider(Problem),
    /// A search asks for flags that the index cannot take.
    #[error("{0}")]
    Unflagged(Problem),
    /// A program was named that may not be started by who asks.
    #[error("the program is not set up on this machine, so it is not started: {name}")]
    ProgramNotSetUp {
        /// The program, without its arguments.
        name: String,
        /// Folder of the custom presets.
        presets: String,
    },
    /// The user cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A mistake of this program.
    #[error("internal error: {0}")]
    Internal(String),
}

impl Failure for AppError {
    fn next(&self) -> Option<NextStep> {
        match self {
            AppError::BadRequest(problem)
            | AppError::Usage(problem)
            | AppError::Plan(problem)
            | AppError::Param { problem, .. }
            | AppError::NotFound { problem }
            | AppError::Provider(problem)
            | AppError::Unflagged(problem) => problem.next(),
            AppError::NoSuchSession(_)
            | AppError::NotASession { .. }
            | AppError::AmbiguousSession { in_files: true, .. } => Some(NextStep::Give {
                what: Input::Session,
            }),
            AppError::AmbiguousSession { .. } => Some(NextStep::GiveLongerId),
            AppError::SeveralFiles { ids, .. } => Some(NextStep::UseId { ids: ids.clone() }),
            AppError::PlanChanged(_) => Some(NextStep::PlanAgain),
            AppError::AboveLimit { .. } => Some(NextStep::ChangeParameter {
                name: "cost limit".to_owned(),
            }),
            AppError::Writing(error) => error.next(),
            AppError::NeedsModel { .. } => Some(NextStep::Give {
                what: Input::Provider,
            }),
            AppError::NoSuchEntry { reason, .. } => reason.next(),
            AppError::EmptyFile { .. } => Some(NextStep::TryLater),
            AppError::Folder { path } => Some(NextStep::IndexFolder { path: path.clone() }),
            AppError::Deleted { .. } => Some(NextStep::Rescan),
            AppError::Read { .. } => Some(NextStep::CheckFile),
            AppError::Write { source, .. } => Some(match source.kind() {
                std::io::ErrorKind::StorageFull => NextStep::FreeSpace,
                _ => NextStep::CheckFolder,
            }),
            AppError::Body(error) => error.next(),
            AppError::Store(error) => error.next(),
            AppError::Catalog(error) => error.next(),
            AppError::ProgramNotSetUp { presets, .. } => Some(NextStep::SetUpProgram {
                presets: presets.clone(),
            }),
            AppError::Cancelled => None,
            AppError::Internal(_) => Some(NextStep::Report),
        }
    }
}

/// The error for a path that cannot be read; of a link that leads nowhere it tells where to.
pub(crate) fn unreadable(path: &std::path::Path, source: std::io::Error) -> AppError {
    let target = std::fs::read_link(path);
    let source = match target {
        Ok(target) if source.kind() == std::io::ErrorKind::NotFound => {
            let target = target.display();
            let reason = format!("the symbolic link leads to {target}, which does not exist");
            std::io::Error::new(source.kind(), reason)
        }
        _ => source,
    };
    AppError::Read {
        path: path.display().to_string(),
        source,
    }
}

/// Why a file or folder could not be read.
fn unread(source: &std::io::Error) -> String {
    match source.kind() {
        // Of a link that leads nowhere.
        std::io::ErrorKind::NotFound if source.get_ref().is_some() => source.to_string(),
        std::io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        _ => format!("the file cannot be read ({source})"),
    }
}

fn above_limit(most_usd: Option<f64>, limit_usd: f64) -> String {
    let limit = format!("above the cost limit of ${limit_usd}");
    match most_usd {
        Some(most) => format!("the plan may cost ${most:.4}, which is {limit}"),
        None => format!("the price of the model is unknown, so the plan may be {limit}"),
    }
}

impl AppError {
    /// A request that makes no sense, and what to do.
    pub fn bad_request(message: impl Into<String>, next: NextStep) -> AppError {
        AppError::BadRequest(Problem::new(message, next))
    }

    /// Something that was named and does not exist, and what to do.
    pub fn not_found(message: impl Into<String>, next: NextStep) -> AppError {
        AppError::NotFound {
            problem: Problem::new(message, next),
        }
    }

    /// A plan that cannot be made, and what to do.
    pub(crate) fn plan(message: impl Into<String>, next: NextStep) -> AppError {
        AppError::Plan(Problem::new(message, next))
    }
}

/// The result of a use case.
pub type Result<T> = std::result::Result<T, AppError>;

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_named_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        let gone = folder.path().join("gone");
        std::os::unix::fs::symlink(&gone, &link).unwrap();
        let told = |path: &std::path::Path| {
            unreadable(path, std::fs::metadata(path).unwrap_err()).to_string()
        };
        let (to, at) = (gone.display(), link.display());
        let expected = format!("the symbolic link leads to {to}, which does not exist: {at}");
        assert_eq!(told(&link), expected);
        assert_eq!(
            told(&gone),
            format!("there is no such file or folder: {to}")
        );
    }
}

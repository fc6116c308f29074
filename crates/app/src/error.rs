//! What can go wrong in a use case, sorted by who can do something about it.

use palimpsest_core::BodyError;
use palimpsest_core::session::ResolveError;

/// A use case that failed.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The request makes no sense.
    #[error("{0}")]
    BadRequest(String),
    /// Options that do not go together, or one that would have no effect.
    #[error("{0}")]
    Usage(String),
    /// No such session.
    #[error(
        "no session '{0}'; give the path of a session file, or an id (or a unique beginning of one) \
         that `palimpsest sessions` lists"
    )]
    NoSuchSession(String),
    /// The prefix fits several sessions.
    #[error("'{name}' fits several sessions ({first}, {second}...); give more of the id")]
    AmbiguousSession {
        /// What was asked for.
        name: String,
        /// One it fits.
        first: String,
        /// Another.
        second: String,
    },
    /// No such entry in the session.
    #[error("{reason}, in {path}")]
    NoSuchEntry {
        /// Why the name leads nowhere.
        #[source]
        reason: ResolveError,
        /// The session's source.
        path: String,
    },
    /// Something else that was named does not exist.
    #[error("no {what} '{name}'; {hint}")]
    NotFound {
        /// What kind of thing.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What to do next.
        hint: String,
    },
    /// The file holds nothing.
    #[error(
        "the file is empty: {path}; an agent writes it with the first message, so look again later"
    )]
    EmptyFile {
        /// The file.
        path: String,
    },
    /// The file is of no known agent.
    #[error("not a session file of a known agent: {path}; {detail}")]
    NotASession {
        /// The file.
        path: String,
        /// What its beginning looks like and what was expected.
        detail: String,
    },
    /// A file could not be read.
    #[error("cannot read {path}: {source}; check that it exists and that you may read it")]
    Read {
        /// The file.
        path: String,
        /// The operating system's message.
        #[source]
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {source}; check free space and rights of the folder")]
    Write {
        /// The file.
        path: String,
        /// The operating system's message.
        #[source]
        source: std::io::Error,
    },
    /// The text of an entry could not be had.
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
    Plan(String),
    /// The strategy needs a model, and the offline summarizer is chosen.
    #[error(
        "the strategy {strategy} needs a model and cannot run offline; choose a provider with a \
         model"
    )]
    NeedsModel {
        /// The strategy.
        strategy: String,
    },
    /// A parameter of a strategy is wrong.
    #[error("{message}")]
    Param {
        /// The parameter, as it was named.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// A provider failed or refused.
    #[error("{message}")]
    Provider {
        /// What happened, to which provider, and what to do next.
        message: String,
    },
    /// A program was named that may not be started by who asks.
    #[error(
        "the program {name} is not set up on this machine, and a served interface starts no \
         other; set it up in the desktop window or in a preset file in {presets}, or start \
         `palimpsest serve --allow-programs`"
    )]
    ProgramNotSetUp {
        /// The program, without its arguments.
        name: String,
        /// Folder of the user's presets.
        presets: String,
    },
    /// The user cancelled.
    #[error("cancelled")]
    Cancelled,
    /// A mistake of this program.
    #[error("internal error: {0}; this is a mistake in the program, please report it")]
    Internal(String),
}

/// The result of a use case.
pub type Result<T> = std::result::Result<T, AppError>;

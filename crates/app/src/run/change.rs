//! Why a plan that was shown is not executed.

/// The change since a plan was shown that prevents its run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanChange {
    /// An entry that the plan uses has other bytes now.
    #[error("the entry {id} that the plan uses has changed: {path}")]
    Entry {
        /// The entry.
        id: String,
        /// The session's source.
        path: String,
    },
    /// An entry that the plan uses is gone.
    #[error("the entry {id} that the plan uses is gone: {path}")]
    Gone {
        /// The entry.
        id: String,
        /// The session's source.
        path: String,
    },
    /// The same request makes another plan now, and no entry is known to be the cause.
    #[error(
        "the plan is no longer the one that was shown: its settings, prompts or preset changed"
    )]
    Other,
}

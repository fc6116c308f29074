//! Why a session is not written.

use palimpsest_core::failure::{Failure, Input, NextStep};
use palimpsest_core::{Agent, BodyError};

/// What an agent could not resume, found before anything is written.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Refusal {
    /// Nobody can write sessions of this agent.
    #[error("Palimpsest cannot write sessions of {agent}")]
    Agent {
        /// The agent.
        agent: Agent,
    },
    /// The conversation is that of a subagent.
    #[error("the conversation is that of a subagent, which {agent} does not resume")]
    Subagent {
        /// The agent.
        agent: Agent,
    },
    /// The agent's file has one branch only.
    #[error("Palimpsest cannot append to a session of {agent}")]
    NoAppend {
        /// The agent.
        agent: Agent,
    },
    /// The file is of a version that the agent's program does not resume.
    #[error("the session has version {version} of its format, which {agent} does not resume")]
    Version {
        /// The agent.
        agent: Agent,
        /// The version.
        version: u32,
    },
    /// Version 1 and 2 of pi's file are rewritten by pi when it opens them.
    #[error(
        "the session has version {version} of pi's format, which pi rewrites when it opens the file"
    )]
    OldVersion {
        /// The version.
        version: u32,
    },
    /// The path has entries with equal ids.
    #[error(
        "several entries of the session have the id '{id}', so a new one could follow the wrong one"
    )]
    RepeatedId {
        /// The id.
        id: String,
    },
    /// The new leaf is before the first entry.
    #[error("the new leaf is before the first entry, so the session would be empty")]
    Empty,
    /// A summary without text.
    #[error("the summary is empty")]
    EmptySummary,
    /// The session continues from a summary that only the provider can read.
    #[error("the entry {id} is a compaction that only the provider can read")]
    Opaque {
        /// The compaction.
        id: String,
    },
    /// The place of the summary is not on the path to the leaf.
    #[error("the entry {id} is not on the path to the new leaf")]
    NotOnPath {
        /// The entry.
        id: String,
    },
    /// What is to be undone is no compaction.
    #[error(
        "the entry {id} is not a compaction, and only a compaction can be undone{}",
        if *.none { ". The session has none" } else { "" }
    )]
    NoCompaction {
        /// The entry.
        id: String,
        /// True where the session has no compaction.
        none: bool,
    },
    /// The entry holds no summary.
    #[error("the entry {id} is not a compaction or branch summary")]
    NoSummary {
        /// The entry.
        id: String,
    },
    /// A compaction nearer to the leaf has its own summary.
    #[error("the compaction {id} follows, so the agent would not send the new summary")]
    LaterCompaction {
        /// The later compaction.
        id: String,
    },
    /// The strategy keeps what is no message of its own, or what is not in the context.
    #[error("the entry {id} cannot be kept beside a new summary")]
    NotKeepable {
        /// The entry.
        id: String,
    },
    /// A record is not JSON as the agent writes it.
    #[error("the record on line {} cannot be copied: {reason}", line + 1)]
    Record {
        /// 0-based physical line.
        line: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// The original could not be read.
    #[error(transparent)]
    Body(#[from] BodyError),
}

/// Refuses a summary without text.
pub(crate) fn check_summary(text: &str) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::EmptySummary);
    }
    Ok(())
}

impl Failure for Refusal {
    fn next(&self) -> Option<NextStep> {
        match self {
            Refusal::Agent { .. } | Refusal::Subagent { .. } | Refusal::Version { .. } => {
                Some(NextStep::Give {
                    what: Input::Session,
                })
            }
            Refusal::NoAppend { .. } | Refusal::OldVersion { .. } | Refusal::RepeatedId { .. } => {
                Some(NextStep::WriteNew)
            }
            Refusal::EmptySummary => Some(NextStep::Give {
                what: Input::Summary,
            }),
            Refusal::Empty | Refusal::Opaque { .. } | Refusal::NotOnPath { .. } => {
                Some(NextStep::ChooseTarget)
            }
            Refusal::NoCompaction { none: true, .. } => Some(NextStep::Give {
                what: Input::Session,
            }),
            Refusal::NoSummary { .. } | Refusal::NoCompaction { .. } => Some(NextStep::Give {
                what: Input::Compaction,
            }),
            Refusal::LaterCompaction { .. } => Some(NextStep::ChooseTarget),
            Refusal::NotKeepable { .. } => Some(NextStep::ChangeStrategy),
            Refusal::Record { .. } => Some(NextStep::CheckFile),
            Refusal::Body(error) => error.next(),
        }
    }
}

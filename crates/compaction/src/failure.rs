//! What a user can do about each error of this crate.

use crate::execution::outcome::{RunFailure, Writer};
use crate::policy::error::PolicyError;
use crate::vocabulary::error::{AssembleError, PlanError, PresetError};
use crate::vocabulary::params::ParamError;
use palimpsest_core::failure::{Failure, Input, Listed, NextStep};

impl Failure for ParamError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            ParamError::Unknown { name, known, .. } => {
                NextStep::choose(Listed::Parameters, name, known.clone())
            }
            ParamError::Value { name, .. } => NextStep::ChangeParameter { name: name.clone() },
            ParamError::Ambiguous { meant, .. } => NextStep::GiveWholeName {
                known: meant.clone(),
            },
        })
    }
}

impl Failure for PresetError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            PresetError::OutOfRange { param, .. } => NextStep::ChangeParameter {
                name: param.clone(),
            },
            PresetError::Unreadable { .. }
            | PresetError::NoBase { .. }
            | PresetError::Clash { .. }
            | PresetError::NoPrompt { .. }
            | PresetError::NoPlace { .. }
            | PresetError::Prompt { .. } => NextStep::CorrectFile,
        })
    }
}

impl Failure for PlanError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            PlanError::Body(error) => return error.next(),
            PlanError::Params(error) => return error.next(),
            PlanError::Preset(error) => return error.next(),
            PlanError::OverBudget { .. } => NextStep::SummarizeLess,
            PlanError::Fallback { .. } => NextStep::CorrectFile,
            PlanError::NoVectors { .. } => NextStep::Give {
                what: Input::Embeddings,
            },
            PlanError::NoInstructions { .. } => NextStep::Give {
                what: Input::Instructions,
            },
            PlanError::NoSummary { .. } => NextStep::ChangeStrategy,
            PlanError::UnknownStrategy { name, known } => {
                NextStep::choose(Listed::Strategies, name, known.clone())
            }
        })
    }
}

impl Failure for PolicyError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            PolicyError::Unknown { name, known } => {
                NextStep::choose(Listed::Policies, name, known.clone())
            }
            PolicyError::NoParam { name, known, .. } => {
                NextStep::choose(Listed::PolicyParameters, name, known.clone())
            }
            PolicyError::Ambiguous { places, .. } => NextStep::GiveWholeName {
                known: places.clone(),
            },
            PolicyError::Value { policy, name, .. } => NextStep::ChangeParameter {
                name: format!("{policy}.{name}"),
            },
            PolicyError::Unreadable { .. } => NextStep::CorrectFile,
        })
    }
}

impl Failure for AssembleError {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            // Only a mistake of this program leads here.
            AssembleError::Count { .. } => NextStep::Report,
            AssembleError::Form { .. } => NextStep::ChangeModel,
        })
    }
}

impl Failure for RunFailure {
    fn next(&self) -> Option<NextStep> {
        Some(match self {
            RunFailure::Cancelled => return None,
            RunFailure::Failed { problem, .. } | RunFailure::Overflow { problem, .. } => {
                return problem.next();
            }
            RunFailure::Incomplete { limit, .. } => NextStep::AllowMoreOutput { limit: *limit },
            RunFailure::Refused { .. } | RunFailure::NotASummary { .. } => {
                NextStep::ChangeModelOrInstructions
            }
            // The user's program wrote it, so another model would not help.
            RunFailure::Empty {
                writer: Writer::Program,
                ..
            }
            | RunFailure::Form {
                writer: Writer::Program,
                ..
            } => NextStep::CorrectProgram,
            RunFailure::ToolCall { .. } | RunFailure::Empty { .. } | RunFailure::Form { .. } => {
                NextStep::ChangeModel
            }
            RunFailure::TooLarge { .. } => NextStep::ChangeModelOrInstructions,
            RunFailure::Inflated { .. } => NextStep::SummarizeMore,
            RunFailure::NoProgram { .. } => NextStep::Give {
                what: Input::Command,
            },
            // Plans are made by this program, so the mistake is its own.
            RunFailure::Circular => NextStep::Report,
            RunFailure::Assemble(error) => return error.next(),
        })
    }
}

#[cfg(test)]
mod tests;

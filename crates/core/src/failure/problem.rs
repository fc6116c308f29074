//! What happened and what to do next, as two fields.

use super::step::NextStep;
use serde::{Deserialize, Serialize};

/// An error that knows what its user can do about it.
pub trait Failure: std::error::Error {
    /// What to do next; `None` where nothing can be done, or nothing need be.
    fn next(&self) -> Option<NextStep>;

    /// The two parts of it.
    fn problem(&self) -> Problem {
        Problem {
            message: self.to_string(),
            next: self.next(),
        }
    }
}

/// What happened and what to do next, apart from the error's type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    /// What happened, to which file.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NextStep>,
}

impl Problem {
    /// A problem that the user can do something about.
    pub fn new(message: impl Into<String>, next: NextStep) -> Problem {
        Problem {
            message: message.into(),
            next: Some(next),
        }
    }

    /// A problem without a next step.
    pub fn alone(message: impl Into<String>) -> Problem {
        Problem {
            message: message.into(),
            next: None,
        }
    }
}

impl Failure for Problem {
    fn next(&self) -> Option<NextStep> {
        self.next.clone()
    }
}

impl From<&str> for Problem {
    fn from(message: &str) -> Problem {
        Problem::alone(message)
    }
}

impl From<String> for Problem {
    fn from(message: String) -> Problem {
        Problem::alone(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_its_message_and_its_step() {
        let problem = Problem::new("the disk is full", NextStep::FreeSpace);
        assert_eq!(problem.to_string(), "the disk is full");
        assert_eq!(problem.problem(), problem);
        assert_eq!(Problem::from("cancelled").next(), None);
    }
}

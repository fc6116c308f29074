//! What goes to a marked place of a prompt or a summary.

use serde::Serialize;

/// What goes to a marked place of a prompt or a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fill {
    /// A reply as it is.
    #[default]
    Reply,
    /// One of the questions that a reply asks; rounds and questions count from 0.
    Question {
        /// The round of reflection.
        round: usize,
        /// Which question.
        question: usize,
    },
    /// The records that are retrieved for one of the questions.
    Records {
        /// The round of reflection.
        round: usize,
        /// Which question.
        question: usize,
    },
    /// The insights of the rounds before this one.
    Insights {
        /// The round of reflection.
        round: usize,
    },
    /// All insights, checked.
    Reflections,
    /// What is retrieved by the importance that replies give.
    Memories,
}

/// The replies so far, by the number of their call.
pub type Replies<'a> = dyn Fn(usize) -> Option<String> + 'a;

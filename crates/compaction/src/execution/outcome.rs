//! The result of a run, and why it failed.

use crate::execution::not_a_summary::NotASummary;
use crate::plan::planned::Plan;
use crate::vocabulary::cause::Cause;
use crate::vocabulary::error::{AssembleError, FormError};
use palimpsest_core::call::ModelReply;
use palimpsest_core::words::thousands;
use palimpsest_core::{Problem, Usage};
use std::fmt;

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The summary.
    pub summary: String,
    /// The replies, in the order of the plan's calls.
    pub replies: Vec<ModelReply>,
    /// The sum of their usage, of that of replies which were refused before them, and of that of
    /// `attempts`.
    pub usage: Usage,
    /// The plan as it was carried out, when calls had to be made smaller or a fallback took over:
    /// replaying needs this one.
    pub adapted: Option<Box<Plan>>,
    /// What was tried before and failed, in its order.
    pub attempts: Vec<Attempt>,
    /// Estimated tokens of the context with the summary in place.
    pub tokens_after: u64,
}

/// A failed attempt that was followed by a fallback.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// What led to the fallback.
    pub cause: Cause,
    /// Why it failed, in a sentence.
    pub reason: String,
    /// The fallback used, in a few words.
    pub then: String,
    /// The accepted replies by the number of their call: they have been paid for.
    pub replies: Vec<(usize, ModelReply)>,
}

/// Why a run failed; what was answered before that is kept, as it has been paid for.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct RunError {
    /// What happened.
    pub reason: RunFailure,
    /// The accepted replies by the number of their call, in that order.
    pub replies: Vec<(usize, ModelReply)>,
    /// What was tried before and failed as well, in its order.
    pub attempts: Vec<Attempt>,
}

impl RunError {
    pub(crate) fn new(reason: RunFailure, replies: Vec<(usize, ModelReply)>) -> RunError {
        RunError {
            reason,
            replies,
            attempts: Vec::new(),
        }
    }
}

/// What can go wrong in a run. `call` is the call in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunFailure {
    /// The user stopped it.
    #[error("the run was cancelled before it had a summary")]
    Cancelled,
    /// A call failed.
    #[error("the call for {call} failed: {problem}")]
    Failed {
        /// Which call.
        call: String,
        /// What happened and what to do.
        // In a box, so that results with this error stay small.
        problem: Box<Problem>,
    },
    /// A call does not fit the model's window, and nothing more can be left out of it.
    #[error("the call for {call} failed: {problem}")]
    Overflow {
        /// Which call.
        call: String,
        /// What the provider said and what to do.
        problem: Box<Problem>,
    },
    /// A reply ended at the output limit (refused since pi 0.84.3).
    #[error("{call} is incomplete, because the reply reached the limit of output tokens")]
    Incomplete {
        /// Which call.
        call: String,
        /// The limit that was set, in tokens; `None` where the provider has its own.
        limit: Option<u64>,
    },
    /// A reply called a tool instead of answering.
    #[error("the model called a tool instead of writing {call}")]
    ToolCall {
        /// Which call.
        call: String,
    },
    /// The model refused.
    #[error("{call} was refused by the model{said}")]
    Refused {
        /// Which call.
        call: String,
        /// Who refused it in which words.
        said: Box<Said>,
    },
    /// A reply is something else than a summary: a question, an echo of the conversation, a line.
    #[error("{call} cannot be used: {what}{said}")]
    NotASummary {
        /// Which call.
        call: String,
        /// What the reply is.
        what: NotASummary,
        /// Who wrote it, and how it begins.
        said: Box<Said>,
    },
    /// A reply without text.
    #[error("{call} has no text")]
    Empty {
        /// Which call.
        call: String,
        /// Who was to write it.
        writer: Writer,
    },
    /// A reply does not have the form that was asked for.
    #[error("{call} cannot be used: {reason}")]
    Form {
        /// Which call.
        call: String,
        /// Who was to write it.
        writer: Writer,
        /// What is wrong with it.
        reason: FormError,
    },
    /// A reply is larger than it may be (GitHub Copilot Chat).
    #[error(
        "{call} is too large: {} tokens where {} are allowed",
        thousands(*tokens),
        thousands(*limit)
    )]
    TooLarge {
        /// Which call.
        call: String,
        /// Its size in tokens.
        tokens: u64,
        /// The most it may have.
        limit: u64,
    },
    /// The context would be larger with the summary than it was (Gemini CLI).
    #[error(
        "the summary makes the context larger: {} tokens where there were {}",
        thousands(*after),
        thousands(*before)
    )]
    Inflated {
        /// Tokens before.
        before: u64,
        /// Tokens it would have.
        after: u64,
    },
    /// A program is to answer, but none is named.
    #[error("{call} is written by an external program, and its command is not set")]
    NoProgram {
        /// Which call.
        call: String,
    },
    /// The calls wait for each other.
    #[error("the plan's calls wait for each other")]
    Circular,
    /// The replies do not fit the plan.
    #[error(transparent)]
    Assemble(#[from] AssembleError),
}

impl RunFailure {
    /// What a fallback may be for; `None` where no other way would help.
    pub fn cause(&self) -> Option<Cause> {
        Some(match self {
            RunFailure::Overflow { .. } => Cause::Overflow,
            RunFailure::Failed { .. } => Cause::Failed,
            RunFailure::Incomplete { .. }
            | RunFailure::ToolCall { .. }
            | RunFailure::Refused { .. }
            | RunFailure::NotASummary { .. }
            | RunFailure::Empty { .. }
            | RunFailure::Form { .. }
            | RunFailure::TooLarge { .. } => Cause::Unusable,
            RunFailure::Inflated { .. } => Cause::Inflated,
            RunFailure::Cancelled
            | RunFailure::NoProgram { .. }
            | RunFailure::Circular
            | RunFailure::Assemble(_) => return None,
        })
    }
}

/// Who wrote a reply that cannot be used, and its first words: they often say why.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// The model, where the provider names it.
    pub model: Option<String>,
    /// The beginning of the reply on one line; empty where it has no text.
    pub words: String,
}

impl Said {
    /// What is shown of a reply.
    pub(crate) fn of(reply: &ModelReply) -> Box<Said> {
        /// Two lines of a terminal.
        const MOST: usize = 160;
        let mut words = String::new();
        for word in reply.text.split_whitespace() {
            if words.chars().count() + word.chars().count() >= MOST {
                let left = MOST.saturating_sub(words.chars().count());
                words.extend(word.chars().take(left.min(MOST / 4)));
                words.truncate(words.trim_end().len());
                words.push('…');
                break;
            }
            words.push_str(word);
            words.push(' ');
        }
        Box::new(Said {
            model: reply.model.clone(),
            words: words.trim_end().to_owned(),
        })
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.model, self.words.as_str()) {
            (None, "") => Ok(()),
            (Some(model), "") => write!(f, " ({model})"),
            (None, words) => write!(f, " (“{words}”)"),
            (Some(model), words) => write!(f, " ({model}: “{words}”)"),
        }
    }
}

/// Who was to answer a call, for the advice when the answer cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// A model, or the program that stands in for one.
    Model,
    /// An external program, which gets the plan.
    Program,
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::call::StopReason;

    fn said(text: &str, model: Option<&str>) -> String {
        let reply = ModelReply {
            text: text.to_owned(),
            block_starts: Vec::new(),
            stop: StopReason::Refusal,
            usage: Usage::default(),
            model: model.map(str::to_owned),
        };
        let call = "the summary".to_owned();
        let said = Said::of(&reply);
        RunFailure::Refused { call, said }.to_string()
    }

    #[test]
    fn a_refusal_names_the_model_and_its_first_words() {
        assert_eq!(
            said("I cannot\n\nhelp with that.", Some("m-1")),
            "the summary was refused by the model (m-1: “I cannot help with that.”)"
        );
        assert_eq!(said("", None), "the summary was refused by the model");
        let long = said(&"word ".repeat(200), None);
        assert!(
            long.ends_with("word…”)") && long.chars().count() < 220,
            "{long}"
        );
        let unbroken = said(&"é".repeat(900), None);
        assert!(unbroken.ends_with("é…”)"), "{unbroken}");
        assert!(unbroken.chars().count() < 220, "{unbroken}");
    }
}

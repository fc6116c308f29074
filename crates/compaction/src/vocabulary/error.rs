//! Why no plan can be made, why a preset cannot be used, and why replies make no summary.

use crate::vocabulary::params::ParamError;
use palimpsest_core::BodyError;
use palimpsest_core::words::thousands;

/// Why no plan can be made.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PlanError {
    /// A text cannot be had.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A parameter is wrong.
    #[error(transparent)]
    Params(#[from] ParamError),
    /// A preset cannot be used.
    #[error(transparent)]
    Preset(#[from] PresetError),
    /// A call would be larger than what may be sent, whatever is left out of it.
    #[error(
        "{call} needs {} tokens, and at most {} may be sent",
        thousands(*tokens),
        thousands(*limit)
    )]
    OverBudget {
        /// Which call, in words.
        call: String,
        /// Its size in tokens.
        tokens: u64,
        /// The limit in tokens.
        limit: u64,
    },
    /// A fallback of a preset cannot be made.
    #[error("the fallback of the preset {preset} ({meaning}) cannot be made: {reason}")]
    Fallback {
        /// The preset.
        preset: String,
        /// What the fallback is for.
        meaning: String,
        /// What is wrong.
        reason: Box<ParamError>,
    },
    /// Texts are to be compared by their vectors, which have not been computed.
    #[error("the strategy compares {} texts by an embedding model, and none is set up", texts.len())]
    NoVectors {
        /// The texts, each once.
        texts: Vec<String>,
    },
    /// The strategy needs the user's custom instructions.
    #[error(
        "the strategy {strategy} needs custom instructions that say what its summary is for \
         ('require_instructions' is true)"
    )]
    NoInstructions {
        /// The strategy.
        strategy: String,
    },
    /// A branch is to be summarized by a strategy that makes no summary of what it takes.
    #[error("the strategy {strategy} writes no summary, and a branch summary needs one")]
    NoSummary {
        /// The strategy.
        strategy: String,
    },
    /// No strategy of that name.
    #[error("there is no strategy '{name}'")]
    UnknownStrategy {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
}

/// Why a preset cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    /// It is not what a preset looks like.
    #[error("the preset {name} cannot be read: {reason}")]
    Unreadable {
        /// Its name, or how it was called.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// It extends a missing preset.
    #[error("the preset {name} extends '{base}', which is not a built-in preset")]
    NoBase {
        /// Its name.
        name: String,
        /// What it extends.
        base: String,
    },
    /// A parameter is a number that it may not be.
    #[error("the parameter '{param}' of the preset {name} is {value} and must be {wanted}")]
    OutOfRange {
        /// The preset.
        name: String,
        /// The parameter's place.
        param: String,
        /// What it is.
        value: String,
        /// What it may be, in words.
        wanted: String,
    },
    /// Two parameters contradict each other.
    #[error("the parameters of the preset {name} contradict each other: {reason}")]
    Clash {
        /// The preset.
        name: String,
        /// Which two, and what must hold.
        reason: String,
    },
    /// A prompt is missing.
    #[error("the preset {name} has no prompt '{prompt}', which its stages need")]
    NoPrompt {
        /// Its name.
        name: String,
        /// The prompt.
        prompt: &'static str,
    },
    /// A prompt lacks a place that must be filled in.
    #[error(
        "the prompt '{prompt}' of the strategy {name} must hold the placeholder '{{{{{place}}}}}'"
    )]
    NoPlace {
        /// The preset.
        name: String,
        /// The prompt.
        prompt: &'static str,
        /// The place.
        place: &'static str,
    },
    /// A prompt is no template.
    #[error("the prompt '{prompt}' of the preset {name}: {reason}")]
    Prompt {
        /// The preset.
        name: String,
        /// The prompt.
        prompt: String,
        /// What is wrong.
        reason: TemplateError,
    },
}

/// Why a text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A place that is not known.
    #[error("'{{{{{name}}}}}' is not a placeholder (there are {known})")]
    UnknownPlace {
        /// What was written.
        name: String,
        /// What there is.
        known: String,
    },
    /// Braces without their counterpart.
    #[error("missing closing braces after '{before}'")]
    Unclosed {
        /// The text before them, at most its last 40 characters.
        before: String,
    },
    /// A section ends that did not begin.
    #[error("the section '{name}' is closed but not opened")]
    NotOpened {
        /// Its name.
        name: String,
    },
    /// A section has no end, or not before the end of the one around it.
    #[error("the section '{name}' is opened but not closed")]
    NotClosed {
        /// Its name.
        name: String,
    },
}

/// Why replies do not make a summary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// Not one reply per call.
    #[error("the plan has {calls} calls but {replies} replies were given")]
    Count {
        /// Calls of the plan.
        calls: usize,
        /// Replies given.
        replies: usize,
    },
    /// A reply does not have the form it must have.
    #[error("the reply of {call} cannot be used: {reason}")]
    Form {
        /// Which call, in words.
        call: String,
        /// What is wrong.
        reason: FormError,
    },
}

/// Why a reply does not have its form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// It is no JSON, or JSON of another kind.
    #[error("expected {wanted}, but it begins with '{found}'")]
    Other {
        /// What was wanted.
        wanted: &'static str,
        /// The first characters of the reply.
        found: String,
    },
    /// Fields are missing.
    #[error("missing fields: {missing}")]
    Missing {
        /// Their names.
        missing: String,
    },
    /// Texts that it must have are not in it.
    #[error("missing sections: {missing}")]
    Lacks {
        /// The texts.
        missing: String,
    },
    /// None of the messages it names was shown.
    #[error("it names unknown messages ({named})")]
    Unknown {
        /// The first of them.
        named: String,
    },
}

//! The third stage: how the summary is written, as calls to a summarizer and the texts between
//! their replies.

mod attention;
mod digest;
pub(crate) mod external;
pub(crate) mod fallback;
mod fixed;
mod handles;
mod lines;
mod map_reduce;
mod open_calls;
pub(crate) mod pack;
mod pairs;
mod rate;
mod reflect;
mod single;
mod slices;

pub use attention::Attention;
pub use digest::Digest;
pub use external::External;
pub use fallback::Fallback;
pub use fixed::Fixed;
pub use map_reduce::MapReduce;
pub use pack::{Deletions, GroupBy, Order, Oversize, Pack};
pub use pairs::Pairs;
pub use reflect::Reflect;
pub use single::{Single, TurnCalls};
pub use slices::{Cuts, Similarity, SliceMode, Slices};

pub use crate::plan::cleaning::{Clean, ReplyRules};
pub use crate::plan::overflow::{CutMiddle, KeepMore, Overflow, ShortenMessages, Smaller};
pub use crate::vocabulary::cause::Cause;
pub use crate::vocabulary::error::FormError;
pub use crate::vocabulary::form::ReplyForm;
pub use crate::vocabulary::request::{BlockKind, RequestBlock, RequestForm, RequestMessage};
pub use crate::workpiece::job::{Job, Outline};
pub use crate::workpiece::transcript::{
    BRANCH_INTRO, COMPACTION_INTRO, Labelled, PiTranscript, RoleBlocks, Speakers, ToolBlocks,
    Transcript, Written, serialize,
};

use crate::stages::summarize::pairs::pairs_only;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::vocabulary::selection::Selection;
use crate::workpiece::sized_context::SizedContext;
use serde::{Deserialize, Serialize};

/// How a summary is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summarize {
    /// Which calls are made.
    pub method: Method,
    /// In which form calls of the method `single` give the conversation.
    #[serde(default)]
    pub request: RequestForm,
    /// How messages are written out in them.
    #[serde(default)]
    pub transcript: Transcript,
    /// Tokens the agent keeps free for the reply; limits of replies may be shares of it (pi's
    /// default since 0.18).
    #[serde(default = "default_reserve")]
    pub reserve_tokens: u64,
    /// Most tokens of a call's prompts; what is too much is left out by the rule for overflow.
    /// 0 is no limit.
    #[serde(default)]
    pub max_input_tokens: u64,
    /// How many times `max_input_tokens` a call may have (GitHub Copilot Chat: 1.05 in the variant
    /// that keeps to the prompt cache, 1 else).
    #[serde(default = "whole")]
    pub max_input_factor: f64,
    /// What a model is asked to be as free as in choosing words, 0 the least (GitHub Copilot Chat 0);
    /// null leaves it to the provider. Where a model takes none, it is asked again without.
    #[serde(default)]
    pub temperature: Option<f64>,
    /// The model's window. Where it is known, a limit of replies is lowered to the room that the
    /// context and the request leave in it, if there is any (Coder's newest code); 0 is not known.
    #[serde(default)]
    pub model_window_tokens: u64,
    /// Most calls at the same time; 0 is no limit.
    #[serde(default = "default_concurrency")]
    pub max_concurrent: u64,
    /// What is done with replies.
    #[serde(default)]
    pub replies: ReplyRules,
    /// What is left out of a call that is too large.
    #[serde(default)]
    pub overflow: Overflow,
    /// How often a call is made that fails, or whose reply is refused, with the same prompt
    /// (LangChain 1.5.0: 3). What a provider's own client tries again after a fault of the network
    /// or a limit of its rate is not counted. 0 and 1 are once.
    #[serde(default = "once")]
    pub attempts: u64,
    /// Seconds that one request of a call may take, however often a provider's client makes it
    /// again (Coder before its newest version: 90); 0 leaves it to the provider's own limits,
    /// which hold in any case.
    // Not `timeout_seconds`: a program has that, and a short name must mean one parameter.
    #[serde(default)]
    pub call_timeout_seconds: u64,
    /// Whether it is refused to plan without the user's custom instructions (Amp: the goal of a
    /// hand-over).
    #[serde(default)]
    pub require_instructions: bool,
    /// The model, of the same provider, that calls for a weaker one are sent to first (aider: its
    /// weak model); empty is the chosen one.
    #[serde(default)]
    pub weak_model: String,
    /// What takes over when a run fails; the first that fits, then those behind it.
    #[serde(default)]
    pub fallbacks: Vec<Fallback>,
}

fn whole() -> f64 {
    1.0
}

fn once() -> u64 {
    1
}

fn default_reserve() -> u64 {
    16_384
}

/// Our choice: enough to be worth it, few enough for the limits of a small account.
fn default_concurrency() -> u64 {
    4
}

impl Summarize {
    /// Most tokens of a call's prompts; 0 is no limit.
    pub(crate) fn most_input(&self) -> u64 {
        (self.max_input_tokens as f64 * self.max_input_factor).round() as u64
    }

    /// How long a summary should be, in words: as many as fit into a limit given in tokens, at 1.3
    /// tokens a word, else 2,000 (Mux).
    pub(crate) fn words(&self) -> u64 {
        let limit = match &self.method {
            Method::Single(own) => own.max_output_tokens.for_history(self.reserve_tokens),
            _ => None,
        };
        limit.map_or(2_000, |tokens| (tokens as f64 / 1.3).round() as u64)
    }

    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::word(
            "request",
            RequestForm::WORDS,
            "send the history as one transcript, or as the messages of the session followed by \
             the request; the second only with the method single",
        ),
        ParamDoc::tokens(
            "reserve_tokens",
            "tokens of the context window left free, mainly for the reply",
        ),
        ParamDoc::tokens(
            "max_input_tokens",
            "input limit of a call; 0 means no limit",
        ),
        ParamDoc::new(
            "max_input_factor",
            ParamType::Number,
            "factor applied to that limit",
        )
        .within(0.5, 2.0),
        ParamDoc::new(
            "temperature",
            ParamType::Number,
            "sampling temperature, 0 is the least random; not set means the default of the \
             provider",
        )
        .within(0.0, 2.0),
        ParamDoc::tokens(
            "model_window_tokens",
            "context window of the model, which limits the reply; 0 means unknown",
        ),
        ParamDoc::new(
            "max_concurrent",
            ParamType::Integer,
            "maximum number of concurrent calls; 0 means no limit",
        )
        .unit("calls"),
        ParamDoc::new(
            "attempts",
            ParamType::Integer,
            "maximum number of attempts of a call that fails or whose reply is refused",
        )
        .at_least(1.0)
        .unit("attempts"),
        ParamDoc::new(
            "call_timeout_seconds",
            ParamType::Integer,
            "time limit of a request; 0 means the limit of the provider",
        )
        .unit("seconds"),
        ParamDoc::yes_no(
            "require_instructions",
            "require custom instructions, such as the goal of a handoff",
        ),
        ParamDoc::new(
            "weak_model",
            ParamType::Text,
            "weak model of the provider, called first where the strategy uses one; empty means \
             the chosen model",
        ),
    ];
}

/// Which calls are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Method {
    /// None: a fixed text stands for what is gone.
    Fixed(Fixed),
    /// None: what happened is listed by fixed rules.
    Digest(Digest),
    /// One call, or one more for a split turn, or one more that looks the summary over.
    Single(Single),
    /// One call for each of several segments.
    Slices(Slices),
    /// One call for each of two halves or more equal segments, and one that puts them together.
    MapReduce(MapReduce),
    /// None, or one for each chunk: the files are packed by priority.
    Pack(Pack),
    /// Rounds of questions, with insights that answer them.
    Reflect(Reflect),
    /// One call that names the messages that stay.
    Attention(Attention),
    /// One call for each tool call with its result.
    Pairs(Pairs),
    /// A program of the user.
    External(External),
}

impl Method {
    /// Makes the calls; where a model says how important exchanges are, those that ask it as well.
    /// Fails when a text cannot be had, or its vector.
    pub fn outline(&self, job: &Job<'_>) -> Result<Outline, PlanError> {
        let mut outline = self.calls(job)?;
        if let Some(stream) = job.memory {
            stream.ask_for_ratings(job, &mut outline)?;
        }
        Ok(outline)
    }

    fn calls(&self, job: &Job<'_>) -> Result<Outline, PlanError> {
        match self {
            Method::Fixed(own) => Ok(own.outline(job)),
            Method::Digest(own) => Ok(own.outline(job)?),
            Method::Single(own) => Ok(own.outline(job)?),
            Method::Slices(own) => own.outline(job),
            Method::MapReduce(own) => own.outline(job),
            Method::Pack(own) => Ok(own.outline(job)?),
            Method::Reflect(own) => own.outline(job),
            Method::Attention(own) => Ok(own.outline(job)?),
            Method::Pairs(own) => Ok(own.outline(job)?),
            Method::External(own) => Ok(own.outline(job)?),
        }
    }

    /// What of a choice its calls tell of, where that is not all: the rest stays.
    pub(crate) fn covered(&self, sized: &SizedContext<'_>, chosen: &Selection) -> Selection {
        match self {
            Method::Pairs(_) => pairs_only(sized, chosen),
            _ => chosen.clone(),
        }
    }

    /// Which two of its parameters contradict each other, and what must hold.
    pub fn clash(&self) -> Option<String> {
        match self {
            Method::Slices(own) => own.clash(),
            _ => None,
        }
    }

    /// Most bytes of the conversation in a call, where it has such a limit.
    pub fn budget_bytes(&self) -> Option<u64> {
        match self {
            Method::MapReduce(own) => Some(own.budget_bytes()),
            _ => None,
        }
    }

    /// Most tokens that may be sent to the model by its own parameter of that name, where it has
    /// one.
    pub(crate) fn capacity_tokens(&self) -> Option<u64> {
        match self {
            Method::MapReduce(own) => Some(own.capacity_tokens),
            _ => None,
        }
    }

    /// Its parameters.
    pub fn docs(&self) -> &'static [ParamDoc] {
        match self {
            Method::Fixed(_) => Fixed::DOCS,
            Method::Digest(_) => Digest::DOCS,
            Method::Single(_) => Single::DOCS,
            Method::Slices(_) => Slices::DOCS,
            Method::MapReduce(_) => MapReduce::DOCS,
            Method::Pack(_) => Pack::DOCS,
            Method::Reflect(_) => Reflect::DOCS,
            Method::Attention(_) => Attention::DOCS,
            Method::Pairs(_) => &[],
            Method::External(_) => External::DOCS,
        }
    }

    /// The prompts it needs, with the places they must have.
    pub fn needed(&self) -> Vec<Needed> {
        match self {
            Method::Fixed(_) => vec![("left_out", &[])],
            Method::Digest(_) => Vec::new(),
            Method::Pack(own) => own.needed(),
            Method::Attention(_) => vec![("system", &[]), ("first", &["conversation"])],
            Method::Pairs(_) => vec![("system", &[]), ("pair", &["conversation"])],
            Method::External(_) => external::external_call().needed(),
            Method::Single(own) => own.needed(),
            Method::Slices(own) => own.needed(),
            Method::MapReduce(own) => own.needed(),
            Method::Reflect(own) => own.needed(),
        }
    }
}

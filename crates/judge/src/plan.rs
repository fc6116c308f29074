//! A judgement as it would be made, and its result.

use crate::call::Call;
use crate::claims::{self, ClaimInput, ClaimTask, ClaimsChecked};
use crate::facts::{self, FactLimits, FactsFound};
use crate::pair::{self, Preference};
use crate::probes::{self, Probe, ProbeScores};
use crate::reply::ReplyError;
use palimpsest_core::EntryIx;
use palimpsest_ledger::Span;
use serde::{Deserialize, Serialize};

/// What a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// Decisions, findings and constraints of a summarized span.
    Facts,
    /// Which of two summaries of one cut is better.
    Pair,
    /// Questions with known answers, from the next context alone.
    Probes,
    /// Statements of a summary in its span, and facts of the span in the next context.
    Claims,
}

impl What {
    /// The name in requests and records.
    pub fn name(self) -> &'static str {
        match self {
            What::Facts => "facts",
            What::Pair => "pair",
            What::Probes => "probes",
            What::Claims => "claims",
        }
    }

    /// The question called `name`.
    pub fn from_name(name: &str) -> Option<What> {
        What::ALL.into_iter().find(|what| what.name() == name)
    }

    /// All of them.
    pub const ALL: [What; 4] = [What::Facts, What::Pair, What::Probes, What::Claims];
}

/// What the replies of a plan are read as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Task {
    /// Facts.
    Facts,
    /// A preference.
    Pair,
    /// Answers to questions.
    Probes {
        /// The questions with the answers that rules know.
        probes: Vec<Probe>,
    },
    /// Verdicts on statements and facts.
    Claims(ClaimTask),
}

/// A judgement as it would be made: the calls, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// What the replies are read as.
    pub task: Task,
    /// The calls; none waits for another.
    pub calls: Vec<Call>,
}

/// The result of a judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Outcome {
    /// Facts.
    Facts(FactsFound),
    /// A preference.
    Pair(Preference),
    /// Answers to questions.
    Probes(ProbeScores),
    /// Verdicts on statements and facts.
    Claims(ClaimsChecked),
}

impl Plan {
    /// Asks for the facts of a span; `name` gives the name of an entry in its session.
    pub fn facts(span: &Span<'_>, name: &dyn Fn(EntryIx) -> String, limits: FactLimits) -> Plan {
        Plan {
            task: Task::Facts,
            calls: facts::calls(span, name, limits),
        }
    }

    /// Asks which of two summaries of a span is better; `window` is the model's, in tokens.
    pub fn pair(
        span: &Span<'_>,
        name: &dyn Fn(EntryIx) -> String,
        summaries: [&str; 2],
        window: u64,
    ) -> Plan {
        Plan {
            task: Task::Pair,
            calls: pair::calls(span, name, summaries, window),
        }
    }

    /// Asks `probes` of a model that gets a summary and the kept tail.
    pub fn probes(
        summary: &str,
        kept: &Span<'_>,
        name: &dyn Fn(EntryIx) -> String,
        probes: Vec<Probe>,
        window: u64,
    ) -> Plan {
        Plan {
            calls: probes::calls(summary, kept, name, &probes, window),
            task: Task::Probes { probes },
        }
    }

    /// Asks about the statements of a summary and the facts of its span; `name` gives the name of an
    /// entry in its session.
    pub fn claims(
        input: &ClaimInput<'_>,
        name: &dyn Fn(EntryIx) -> String,
        limits: FactLimits,
    ) -> Plan {
        let (task, calls) = claims::planned(input, name, limits);
        Plan {
            task: Task::Claims(task),
            calls,
        }
    }

    /// What is asked.
    pub fn what(&self) -> What {
        match self.task {
            Task::Facts => What::Facts,
            Task::Pair => What::Pair,
            Task::Probes { .. } => What::Probes,
            Task::Claims(_) => What::Claims,
        }
    }

    /// Whether a reply to a call of this plan can be used.
    pub fn check(&self, call: usize, reply: &str) -> Result<(), ReplyError> {
        match &self.task {
            Task::Facts => facts::reads(reply),
            Task::Pair => pair::reads(reply),
            Task::Probes { .. } => probes::reads(reply),
            Task::Claims(task) => claims::reads(task.batches.get(call), reply),
        }
    }

    /// The result of the replies, one for each call in their order.
    pub fn outcome(&self, replies: &[String]) -> Result<Outcome, ReplyError> {
        Ok(match &self.task {
            Task::Facts => Outcome::Facts(facts::found(&self.calls, replies)?),
            Task::Pair => Outcome::Pair(pair::preference(replies)?),
            Task::Probes { probes } => Outcome::Probes(probes::scored(probes, replies)?),
            Task::Claims(task) => Outcome::Claims(claims::checked(task, &self.calls, replies)?),
        })
    }
}

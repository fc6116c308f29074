//! Reflections (Generative Agents, arXiv 2304.03442): questions about the newest memories,
//! insights that answer them from what is retrieved, each with the records it rests on.
//!
//! What a later call is asked depends on earlier replies. A plan therefore holds the records and
//! the rules of retrieval as data, and its calls have places, each with a [`Fill`]; what goes
//! there is a pure function of the plan and the replies, so that the same replies give the same
//! bytes. Whether insights rest on what they cite is looked at here as well, without a model.

mod check;
mod read;
mod retrieve;
mod write;

pub use check::Unsupported;
pub use read::{StoredInsight, read_insights};

use crate::memory::{Kind, Relevance};
use crate::rate::Ratings;
use check::{Insight, checked};
use serde::Serialize;
use std::ops::Range;

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

/// What reflections are made from.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Reflection {
    /// What was observed, oldest first; insights of a previous summary come before all others.
    pub records: Vec<Record>,
    /// The rounds of reflection, in order.
    pub rounds: Vec<Round>,
    /// Questions of a round.
    pub questions: usize,
    /// Most insights for a question.
    pub insights: usize,
    /// What is asked where a reply has too few questions.
    pub default_questions: Vec<String>,
    /// The rules of retrieval.
    pub retrieval: Retrieval,
    /// Share of an insight's words, in percent, that its evidence must have where they name no
    /// file or identifier in common.
    pub min_shared_percent: u64,
    /// The calls that rate records, where a model gives their importance.
    #[serde(default)]
    pub ratings: Option<Ratings>,
}

/// A memory that can be retrieved and cited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Record {
    /// What it is cited by: a beginning of the entry's id that no other entry of the session has,
    /// or the id of an insight.
    pub handle: String,
    /// The whole id of its entry; that of an insight is its handle.
    pub id: String,
    /// What kind of thing it is.
    pub kind: Kind,
    /// What it says, on one line.
    pub text: String,
}

/// One round of reflection.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Round {
    /// Its number in the ids of its insights; goes on from those of a previous summary.
    pub number: usize,
    /// Only records before this position were there.
    pub end: usize,
    /// The age of each of them at that time, then that of the insights of each earlier round.
    pub ages: Vec<f64>,
    /// The call that asks for questions.
    pub question_call: usize,
    /// The calls that ask for insights, one for each question.
    pub insight_calls: Range<usize>,
}

/// How records are chosen for a question.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Retrieval {
    /// Most records.
    pub top_n: usize,
    /// Most tokens of them.
    pub tokens: u64,
    /// What recency is multiplied with for each unit of age.
    pub decay: f64,
    /// Weights of recency, importance and relevance.
    pub weights: [f64; 3],
    /// What texts are compared by; embeddings are taken as `tfidf`, as a question is not known
    /// while planning.
    pub relevance: Relevance,
    /// The importance of kinds.
    pub importance: crate::memory::ImportanceTable,
}

/// The round that goes on from the insights of a previous summary; 1 where it has none.
pub(crate) fn next_round(previous: &str) -> usize {
    let insights = read_insights(previous);
    let rounds = insights.iter().filter_map(|own| read::round_of(&own.id));
    rounds.max().map_or(1, |last| last + 1)
}

/// Tokens a question is taken to have while it is not asked (our guess).
const QUESTION_TOKENS: u64 = 40;

/// The replies so far, by the number of their call.
pub type Replies<'a> = dyn Fn(usize) -> Option<String> + 'a;

impl Reflection {
    /// What goes to a place; `None` while a reply that it needs is missing.
    pub fn text(&self, fill: Fill, replies: &Replies<'_>) -> Option<String> {
        match fill {
            Fill::Reply | Fill::Memories => None,
            Fill::Question { round, question } => self.question(round, question, replies),
            Fill::Records { round, question } => self.retrieved(round, question, replies),
            Fill::Insights { round } => {
                let insights = self.insights_before(round, replies)?;
                let lines = insights
                    .iter()
                    .map(|own| format!("[{}] {}", own.id, own.text));
                Some(lines.collect::<Vec<_>>().join("\n"))
            }
            Fill::Reflections => self.written(replies),
        }
    }

    /// Tokens that go to a place at most; `lengths` are those replies may have, by call.
    pub(crate) fn expected_tokens(&self, fill: Fill, lengths: &[u64]) -> u64 {
        match fill {
            Fill::Reply | Fill::Reflections | Fill::Memories => 0,
            Fill::Question { .. } => QUESTION_TOKENS,
            Fill::Records { .. } => self.retrieval.tokens,
            Fill::Insights { round } => {
                let rounds = self.rounds.iter().take(round);
                let calls = rounds.flat_map(|own| own.insight_calls.clone());
                calls.filter_map(|call| lengths.get(call)).sum()
            }
        }
    }

    /// A question as it is asked: from the reply, or the default of its number.
    fn question(&self, round: usize, question: usize, replies: &Replies<'_>) -> Option<String> {
        let reply = replies(self.rounds.get(round)?.question_call)?;
        let asked = read::questions(&reply, self.questions).into_iter();
        let own = asked.into_iter().nth(question);
        own.or_else(|| {
            let count = self.default_questions.len().max(1);
            self.default_questions.get(question % count).cloned()
        })
        .or_else(|| Some(String::new()))
    }

    /// The insights of the rounds before `round`, checked.
    fn insights_before(&self, round: usize, replies: &Replies<'_>) -> Option<Vec<Insight>> {
        let mut insights: Vec<Insight> = Vec::new();
        for (at, own) in self.rounds.iter().enumerate().take(round) {
            let mut found = Vec::new();
            for (question, call) in own.insight_calls.clone().enumerate() {
                let known = |name: &str| self.records.iter().any(|own| own.handle == name);
                let lines = read::insights(&replies(call)?, self.insights, &known);
                for (number, line) in lines.into_iter().enumerate() {
                    let id = format!("i{}.{}.{}", own.number, question + 1, number + 1);
                    let round = at;
                    found.push(checked(self, round, question, id, line, &insights));
                }
            }
            insights.extend(found);
        }
        Some(insights)
    }
}

//! What reflections are made from.

use crate::memory::importance::Kind;
use crate::memory::relevance::Relevance;
use crate::plan::rate::Ratings;
use serde::Serialize;
use std::ops::Range;

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

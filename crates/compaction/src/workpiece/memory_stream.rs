//! By what memories of a session are scored.

use crate::memory::importance::ImportanceTable;
use crate::memory::recency::{Recency, RecencyRule};
use crate::memory::relevance::{Relevance, by_ranking};
use crate::memory::score::Memory;
use crate::vocabulary::error::PlanError;
use crate::vocabulary::needs::Needed;
use crate::vocabulary::params::{ParamDoc, ParamType};
use crate::workpiece::observe::{Observation, Stream};
use crate::workpiece::sized_context::SizedContext;
use crate::workpiece::vectors::by_vectors;
use serde::{Deserialize, Serialize};

/// Parameters of the choice; the decay and the weights are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryStream {
    /// Tokens that stay (our choice; the paper fills the window).
    pub budget_tokens: u64,
    /// Most exchanges that stay beside the last (30 in the reference code).
    pub top_exchanges: u64,
    /// What recency is multiplied with for each unit of age (0.99 in the paper's first version).
    pub decay: f64,
    /// What age is counted in (paper: hours; reference code: rank).
    pub recency_rule: RecencyRule,
    /// Whether age counts from the oldest, as the reference code does by mistake.
    pub recency_reversed: bool,
    /// Whether an exchange counts as looked at again when a later one names one of its files or
    /// identifiers (the paper: when it is retrieved).
    pub update_access: bool,
    /// What texts are compared by (paper: embeddings).
    pub relevance: Relevance,
    /// Importance of each kind of exchange, 1 to 10 (the paper asks a model).
    pub importance: ImportanceTable,
    /// Who says how important an exchange is (paper: a model). With a model it is not known while
    /// planning what stays, so that it is part of the summary, verbatim.
    pub importance_source: ImportanceSource,
    /// Exchanges that one call rates (our choice; the paper asks for each by itself).
    pub rated_at_once: u64,
    /// Weight of recency (paper 1, reference code 0.5).
    pub recency_weight: f64,
    /// Weight of importance (paper 1, reference code 2).
    pub importance_weight: f64,
    /// Weight of relevance (paper 1, reference code 3).
    pub relevance_weight: f64,
}

/// Who says how important an exchange is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportanceSource {
    /// The table of kinds.
    #[default]
    Heuristic,
    /// A model, once for each exchange; the table where its reply does not say.
    Llm,
}

impl Default for MemoryStream {
    fn default() -> Self {
        MemoryStream {
            budget_tokens: 20_000,
            top_exchanges: 30,
            decay: 0.99,
            recency_rule: RecencyRule::Hours,
            recency_reversed: false,
            update_access: true,
            relevance: Relevance::Tfidf,
            importance: ImportanceTable::default(),
            importance_source: ImportanceSource::Heuristic,
            rated_at_once: 50,
            recency_weight: 1.0,
            importance_weight: 1.0,
            relevance_weight: 1.0,
        }
    }
}

impl MemoryStream {
    pub(crate) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens("budget_tokens", "tokens of the conversation to keep"),
        ParamDoc::new(
            "top_exchanges",
            ParamType::Integer,
            "maximum number of kept exchanges, in addition to the last request and the last \
             exchange",
        )
        .unit("exchanges"),
        ParamDoc::new(
            "decay",
            ParamType::Number,
            "decay factor of recency per unit of age",
        )
        .within(0.0, 1.0)
        .unit("factor"),
        ParamDoc::word(
            "recency_rule",
            &["hours", "rank", "entry_distance"],
            "unit of age: hours, rank by last access, or entries",
        ),
        ParamDoc::yes_no(
            "recency_reversed",
            "count age from the oldest, like the bug in the reference code",
        ),
        ParamDoc::yes_no(
            "update_access",
            "a later exchange with the same file or identifier counts as access",
        ),
        ParamDoc::word(
            "relevance",
            &["tfidf", "bm25", "embedding"],
            "compare texts by TF-IDF, BM25 or embeddings",
        ),
        ParamDoc::new(
            "importance",
            ParamType::Texts,
            "importance per kind of exchange, as kind=number from 1 to 10; other kinds keep \
             their default",
        ),
        ParamDoc::word(
            "importance_source",
            &["heuristic", "llm"],
            "source of importance: the table of kinds, or ratings by a model",
        ),
        ParamDoc::new(
            "rated_at_once",
            ParamType::Integer,
            "number of exchanges per rating call",
        )
        .at_least(1.0)
        .unit("exchanges"),
        ParamDoc::new("recency_weight", ParamType::Number, "weight of recency"),
        ParamDoc::new(
            "importance_weight",
            ParamType::Number,
            "weight of importance",
        ),
        ParamDoc::new("relevance_weight", ParamType::Number, "weight of relevance"),
    ];

    /// The prompts that it needs.
    pub(crate) fn needed(&self) -> Vec<Needed> {
        match self.importance_source {
            ImportanceSource::Heuristic => Vec::new(),
            ImportanceSource::Llm => vec![("rate_system", &[]), ("rate", &["records"])],
        }
    }

    /// The weights of recency, importance and relevance.
    pub(crate) fn weights(&self) -> [f64; 3] {
        [
            self.recency_weight,
            self.importance_weight,
            self.relevance_weight,
        ]
    }

    /// What each observation is scored by; those that `asks` marks are what is asked, with the
    /// user's custom instructions.
    pub(crate) fn memories(
        &self,
        sized: &SizedContext<'_>,
        stream: &Stream,
        asks: &[bool],
    ) -> Result<Vec<Memory>, PlanError> {
        let observations = &stream.observations;
        let texts: Vec<&str> = observations.iter().map(|own| own.text.as_str()).collect();
        let asked = texts.iter().zip(asks);
        let query: Vec<&str> = asked
            .filter_map(|(text, asked)| asked.then_some(*text))
            .chain(sized.input.instructions.given())
            .collect();
        let relevance = match self.relevance {
            Relevance::Embedding => by_vectors(sized.input, &texts, &query)?,
            rule => by_ranking(rule, &*stream.ranking(sized.input.messages)?, &query),
        };
        let Some(now) = observations.last() else {
            return Ok(Vec::new());
        };
        let recency = Recency {
            rule: self.recency_rule,
            reversed: self.recency_reversed,
        };
        let ages = recency.ages(
            &stream.last_seen(observations.iter(), self.update_access),
            now.written,
        );
        let memory = |((own, relevance), age): ((&Observation, f64), f64)| Memory {
            age,
            importance: self.importance.of(own.kind),
            relevance,
        };
        let all = observations.iter().zip(relevance).zip(ages);
        Ok(all.map(memory).collect())
    }
}

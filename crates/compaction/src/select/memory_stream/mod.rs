//! What matters most for the last request stays, chosen by recency, importance and relevance
//! (Generative Agents, arXiv 2304.03442, applied to a session).

mod importance;
mod score;

use super::{Fate, Scene, Selection};
use crate::lexical::{Lexicon, cosine};
use crate::params::{ParamDoc, ParamType};
use importance::Exchange;
use palimpsest_core::entry::FileAccess;
use palimpsest_core::{Block, BodyError, Role};
use score::Memory;
use serde::{Deserialize, Serialize};
use std::ops::Range;

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
    /// What age is counted in.
    pub age_unit: AgeUnit,
    /// Weight of recency (paper 1, reference code 0.5).
    pub recency_weight: f64,
    /// Weight of importance (paper 1, reference code 2).
    pub importance_weight: f64,
    /// Weight of relevance (paper 1, reference code 3).
    pub relevance_weight: f64,
}

/// What age is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgeUnit {
    /// Hours (the paper).
    Hours,
    /// Entries, as sessions are short.
    Entries,
}

impl Default for MemoryStream {
    fn default() -> Self {
        MemoryStream {
            budget_tokens: 20_000,
            top_exchanges: 30,
            decay: 0.99,
            age_unit: AgeUnit::Hours,
            recency_weight: 1.0,
            importance_weight: 1.0,
            relevance_weight: 1.0,
        }
    }
}

/// Characters of an observation that are compared.
const HEAD_CHARS: usize = 500;

const MS_PER_HOUR: f64 = 3_600_000.0;

impl MemoryStream {
    pub(super) const DOCS: &'static [ParamDoc] = &[
        ParamDoc::tokens("budget_tokens", "how much of the conversation stays"),
        ParamDoc::new(
            "top_exchanges",
            ParamType::Integer,
            "how many exchanges stay at most, beside the last request and the last exchange",
        )
        .unit("exchanges"),
        ParamDoc::new(
            "decay",
            ParamType::Number,
            "what recency is multiplied with for each unit of age",
        )
        .unit("factor, 0 to 1"),
        ParamDoc::word(
            "age_unit",
            &["hours", "entries"],
            "count age in hours or in entries",
        ),
        ParamDoc::new("recency_weight", ParamType::Number, "weight of recency"),
        ParamDoc::new(
            "importance_weight",
            ParamType::Number,
            "weight of importance",
        ),
        ParamDoc::new("relevance_weight", ParamType::Number, "weight of relevance"),
    ];

    /// Exchanges stay by score while they fit; the last request and the last exchange are what is
    /// being continued, so they stay in any case. What does not stay is left out.
    pub(super) fn select(&self, scene: &Scene<'_>) -> Result<Selection, BodyError> {
        let start = scene.start();
        let exchanges = exchanges(scene, start);
        let texts = texts(scene, &exchanges)?;
        let size = |own: &Range<usize>| -> u64 { own.clone().map(|at| scene.tokens(at)).sum() };
        let asked = exchanges.iter().rposition(|own| scene.is_prompt(own.start));
        let mut stays = vec![false; exchanges.len()];
        let last = exchanges.len().checked_sub(1);
        asked
            .into_iter()
            .chain(last)
            .for_each(|at| stays[at] = true);
        let mut left = self.budget_tokens;
        for (own, _) in exchanges.iter().zip(&stays).filter(|own| *own.1) {
            left = left.saturating_sub(size(own));
        }
        let memories = self.memories(scene, &exchanges, &texts, &stays);
        let weights = [
            self.recency_weight,
            self.importance_weight,
            self.relevance_weight,
        ];
        let scores = score::scores(&memories, self.decay, weights);
        let mut order: Vec<usize> = (0..exchanges.len()).filter(|&at| !stays[at]).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(b.cmp(&a)));
        for at in order.into_iter().take(self.top_exchanges as usize) {
            let own = size(&exchanges[at]);
            if own <= left {
                left -= own;
                stays[at] = true;
            }
        }
        let is_kept = |position: usize| {
            let at = exchanges.partition_point(|own| own.end <= position);
            stays.get(at).copied().unwrap_or(true)
        };
        Ok(scene.with_fates(|position| match position {
            _ if position < start => Fate::Dropped,
            _ if is_kept(position) => Fate::Kept,
            _ => Fate::Summarized,
        }))
    }

    /// What each exchange is scored by; the texts of `query` are what is asked.
    fn memories(
        &self,
        scene: &Scene<'_>,
        exchanges: &[Range<usize>],
        texts: &[Told],
        query: &[bool],
    ) -> Vec<Memory> {
        let session = scene.input.session;
        let asked: Vec<&str> = texts
            .iter()
            .zip(query)
            .filter_map(|(told, asked)| asked.then_some(told.text.as_str()))
            .chain(scene.input.instructions.given())
            .collect();
        let asked = asked.join("\n");
        let heads = texts.iter().map(|told| told.text.as_str());
        let lexicon = Lexicon::new(heads.chain([asked.as_str()]));
        let wanted = lexicon.vector(texts.len()..texts.len() + 1);
        let calls = |at: usize| {
            let positions = exchanges[at].clone();
            positions.flat_map(|at| &session.entry(scene.entries[at].entry).tool_calls)
        };
        let accesses = last_accesses(exchanges.len(), &|at| {
            let named = calls(at).filter_map(|call| Some((call.path.as_deref()?, call.access?)));
            named.collect()
        });
        let time = |at: usize| {
            session
                .entry(scene.entries[exchanges[at].start].entry)
                .at_ms
        };
        let now = exchanges.len().checked_sub(1);
        let memory = |at: usize| {
            let (seen_at, edited_later) = accesses[at];
            let entries = now.map_or(0, |now| exchanges[now].start - exchanges[seen_at].start);
            let hours = now
                .and_then(|now| Some((time(now)? - time(seen_at)?) as f64 / MS_PER_HOUR))
                .map_or(0.0, |hours| hours.max(0.0));
            let text = texts[at].text.to_lowercase();
            let exchange = Exchange {
                is_prompt: scene.is_prompt(exchanges[at].start),
                text: &text,
                calls: calls(at).collect(),
                failed: texts[at].failed,
                edited_later,
            };
            Memory {
                age: match self.age_unit {
                    AgeUnit::Hours => hours,
                    AgeUnit::Entries => entries as f64,
                },
                importance: exchange.importance(),
                relevance: cosine(&lexicon.vector(at..at + 1), &wanted),
            }
        };
        (0..exchanges.len()).map(memory).collect()
    }
}

/// A message with the results that follow it, as positions of entries.
fn exchanges(scene: &Scene<'_>, start: usize) -> Vec<Range<usize>> {
    let mut exchanges: Vec<Range<usize>> = Vec::new();
    for position in start..scene.len() {
        let continues = scene.entries[position].items.is_empty() || !scene.may_cut_before(position);
        match exchanges.last_mut() {
            Some(last) if continues => last.end = position + 1,
            _ => exchanges.push(position..position + 1),
        }
    }
    exchanges
}

/// What an exchange says.
struct Told {
    /// Its beginning.
    text: String,
    /// True when a tool failed.
    failed: bool,
}

fn texts(scene: &Scene<'_>, exchanges: &[Range<usize>]) -> Result<Vec<Told>, BodyError> {
    let mut texts = Vec::with_capacity(exchanges.len());
    for exchange in exchanges {
        let mut told = Told {
            text: String::new(),
            failed: false,
        };
        let items = exchange
            .clone()
            .flat_map(|at| scene.entries[at].items.clone());
        for item in items {
            let message = scene
                .input
                .messages
                .message(&scene.input.context.items[item])?;
            for block in &message.blocks {
                match block {
                    Block::Text(text) => told.text.push_str(text),
                    Block::ToolCall { arguments, .. } => told.text.push_str(arguments),
                    _ => continue,
                }
                told.text.push('\n');
            }
            told.failed |= message.role == Role::Tool
                && message.tool.as_ref().is_some_and(|tool| tool.is_error);
        }
        let end = told.text.char_indices().nth(HEAD_CHARS).map(|(at, _)| at);
        told.text.truncate(end.unwrap_or(told.text.len()));
        texts.push(told);
    }
    Ok(texts)
}

/// For each exchange the latest one that touches one of its files, which may be itself, and whether
/// one of its files is changed after it.
fn last_accesses<'a>(
    count: usize,
    files: &dyn Fn(usize) -> Vec<(&'a str, FileAccess)>,
) -> Vec<(usize, bool)> {
    let mut seen: std::collections::BTreeMap<&str, (usize, bool)> = Default::default();
    let mut accesses = vec![(0, false); count];
    for at in (0..count).rev() {
        let own = files(at);
        let later = own.iter().filter_map(|(path, _)| seen.get(path).copied());
        accesses[at] = later.fold((at, false), |(last, edited), (other, changed)| {
            (last.max(other), edited || changed)
        });
        for (path, access) in own {
            let known = seen.entry(path).or_insert((at, false));
            known.1 |= access != FileAccess::Read;
        }
    }
    accesses
}

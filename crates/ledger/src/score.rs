//! The overall score of a summary: what somebody needs of it who goes on from it.
//!
//! Two shares of what the next request holds count alike: what is new at the end of the span, and the
//! facts. Facts alone would favour an outdated summary, because most facts of a long span are old, and a
//! text of quotes, because the rules that find facts are those by which sentences are chosen. Quotes
//! and wrong statements take off from the mean.

use crate::claims::{Claim, Verdict};
use crate::held::Holding;
use crate::input::LedgerInput;
use crate::introduced::decoded;
use crate::span::{Part, PartKind, Span};
use crate::{grusky, words};
use palimpsest_core::ledger::{Fact, FactStatus, Ledger};
use palimpsest_core::score::{Score, ScorePart};
use std::collections::{BTreeMap, HashSet};

/// Distinct content words that make up the end of a span: two or three messages of usual length.
const WORDS: usize = 150;

/// The share of what was said in a span that is no longer new at its end.
const EARLY: f64 = 0.6;

/// Fewest new words by which the end is measured; with fewer all its words count.
const FEWEST_NEW: usize = 10;

/// Fewest words of a copied passage: shorter ones are names, commands and turns of phrase.
const COPIED: usize = 8;

/// What a text that consists of quotes loses of its score.
const QUOTES_COST: f64 = 1.0 / 3.0;

/// What each wrong statement takes off.
const WRONG_COSTS: f64 = 0.02;

/// What wrong statements take off at most.
const WRONG_COST_AT_MOST: f64 = 0.5;

/// What the summaries of a span are held against, made once for all of them.
pub struct Scale {
    /// The words that are new at the end of the span.
    state: HashSet<String>,
}

impl Scale {
    /// The scale of `span`.
    pub fn of(span: &Span<'_>) -> Scale {
        Scale {
            state: new_at_the_end(span),
        }
    }

    /// The score of the summary of `input`, whose ledger is `ledger`; of `input` the span, the summary
    /// and the kept tail count.
    pub fn score(&self, input: &LedgerInput<'_>, ledger: &Ledger, claims: &[Claim]) -> Score {
        let mut held = word_set(input.summary);
        for part in input.kept_tail.parts() {
            held.extend(word_set(part.text));
        }
        let had = self.state.iter().filter(|word| held.contains(*word));
        let state = share(had.count() as f64, self.state.len() as f64);
        let shares = [(ScorePart::State, state), (ScorePart::Facts, facts(ledger))];
        let mut parts: BTreeMap<ScorePart, f64> = shares
            .into_iter()
            .filter_map(|(part, share)| Some((part, share?)))
            .collect();
        let mean = parts.values().sum::<f64>() / parts.len().max(1) as f64;
        let own_words = own_words(input);
        let correctness = correctness(ledger, claims);
        parts.insert(ScorePart::OwnWords, own_words);
        parts.insert(ScorePart::Correctness, correctness);
        Score {
            overall: mean * (1.0 - QUOTES_COST * (1.0 - own_words)) * correctness,
            parts,
        }
    }
}

fn share(part: f64, of: f64) -> Option<f64> {
    (of > 0.0).then(|| part / of)
}

/// The content words of a text.
fn word_set(text: &str) -> HashSet<String> {
    words::content_words(text).into_iter().collect()
}

fn is_said(part: &Part<'_>) -> bool {
    matches!(part.kind, PartKind::UserText | PartKind::AssistantText)
}

/// The words at the end of a span that neither an earlier summary nor what was said before has.
fn new_at_the_end(span: &Span<'_>) -> HashSet<String> {
    let said: Vec<Part<'_>> = span.parts().filter(is_said).collect();
    let all: usize = said.iter().map(|part| part.text.len()).sum();
    let mut early: HashSet<String> = HashSet::new();
    for part in span.parts().filter(|part| part.kind == PartKind::Summary) {
        early.extend(word_set(part.text));
    }
    let mut before = 0;
    for part in &said {
        before += part.text.len();
        if before as f64 > EARLY * all as f64 {
            break;
        }
        early.extend(word_set(part.text));
    }
    let mut end: HashSet<String> = HashSet::new();
    for part in said.iter().rev() {
        if end.len() >= WORDS {
            break;
        }
        end.extend(word_set(part.text));
    }
    let new: HashSet<String> = end.difference(&early).cloned().collect();
    if new.len() < FEWEST_NEW { end } else { new }
}

/// The share of the facts by weight that the next request holds.
fn facts(ledger: &Ledger) -> Option<f64> {
    let counted = ledger.facts_by_rules().map(|(_, fact)| fact);
    let counted = counted.filter(|fact| !fact.details.minor);
    let (mut had, mut all) = (0.0, 0.0);
    for fact in counted {
        all += fact.weight;
        had += held(fact) * fact.weight;
    }
    share(had, all)
}

fn held(fact: &Fact) -> f64 {
    match Holding::of(fact) {
        Holding::Summary | Holding::Tail => 1.0,
        Holding::Partial | Holding::Changed => 0.5,
        Holding::Lost => 0.0,
    }
}

/// The share of the summary's words outside of copied passages.
fn own_words(input: &LedgerInput<'_>) -> f64 {
    let parts = input.span.parts();
    let texts: Vec<_> = parts.map(|part| decoded(part.kind, part.text)).collect();
    let passages = grusky::fragments(texts.iter().map(AsRef::as_ref), input.summary);
    let copied = passages.iter().map(|(_, length)| *length);
    let copied: usize = copied.filter(|length| *length >= COPIED).sum();
    let all = words::raw_words(input.summary).count();
    share(copied as f64, all as f64).map_or(1.0, |copied| 1.0 - copied)
}

/// How far wrong statements leave the summary of use.
fn correctness(ledger: &Ledger, claims: &[Claim]) -> f64 {
    let is_wrong = |claim: &&Claim| matches!(claim.verdict, Verdict::Contradicted | Verdict::Stale);
    let changed = ledger.facts_by_rules();
    let changed = changed.filter(|(_, fact)| fact.status == FactStatus::Changed);
    let wrong = claims.iter().filter(is_wrong).count() + changed.count() + ledger.introduced.len();
    1.0 - (WRONG_COSTS * wrong as f64).min(WRONG_COST_AT_MOST)
}

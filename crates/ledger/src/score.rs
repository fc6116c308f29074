//! The overall score of a summary: what somebody needs of it who goes on from it.
//!
//! Two shares of what the next request holds count alike: the subject of the end of the span, and the
//! facts. Facts alone would favour an outdated summary, because most facts of a long span are old, and a
//! text of quotes, because the rules that find facts are those by which sentences are chosen. The mean is
//! multiplied by what wrong statements leave of it. Copied passages lower only what the summary adds to the kept
//! tail: a text that adds nothing is never better than one that adds something.
//!
//! No text gains by words that hold nothing: copied words are counted, not their share, so that a text is
//! not better for further words beside its quotes.

use crate::claims::{Claim, Verdict};
use crate::held::Holding;
use crate::input::LedgerInput;
use crate::introduced::decoded;
use crate::span::{Part, PartKind, Span};
use crate::{grusky, words};
use palimpsest_core::ledger::{Fact, FactStatus, Ledger};
use palimpsest_core::score::{Score, ScorePart};
use rustc_hash::FxHashSet as HashSet;
use std::collections::BTreeMap;

/// Distinct content words that make up the end of a span: some messages of usual length.
const WORDS: usize = 300;

/// The share of what was said in a span that is no longer new at its end.
const EARLY: f64 = 0.6;

/// Fewest new words by which the end is measured; with fewer all its words count.
const FEWEST_NEW: usize = 10;

/// Fewest words of a copied passage: shorter ones are names, commands and turns of phrase.
const COPIED: usize = 8;

/// Copied words that leave half of the score: about as many as an offline summary of 2,000 tokens has.
const COPIED_HALVE: f64 = 500.0;

/// What each wrong statement takes off.
const WRONG_COSTS: f64 = 0.05;

/// What wrong statements take off at most.
const WRONG_COST_AT_MOST: f64 = 0.5;

/// What the summaries of a span are held against, made once for all of them.
pub struct Scale {
    /// The words that are new at the end of the span, with their weights.
    state: BTreeMap<String, f64>,
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
        let mut held: HashSet<String> = HashSet::default();
        for part in input.kept_tail.parts() {
            held.extend(word_set(part.text));
        }
        let state_in_tail = self.state_in(&held);
        held.extend(word_set(input.summary));
        let facts_in_tail = facts(ledger, |fact| f64::from(fact.in_kept_tail));
        // What the tail alone holds of the state, and of the facts.
        let in_tail = mean([state_in_tail, facts_in_tail]);
        let shares = [
            (ScorePart::State, self.state_in(&held)),
            (ScorePart::Facts, facts(ledger, held_of)),
        ];
        let all = mean(shares.map(|(_, share)| share));
        let mut parts: BTreeMap<ScorePart, f64> = shares
            .into_iter()
            .filter_map(|(part, share)| Some((part, share?)))
            .collect();
        let own_words = own_words(input);
        let correctness = correctness(ledger, claims);
        parts.insert(ScorePart::OwnWords, own_words);
        parts.insert(ScorePart::Correctness, correctness);
        Score {
            overall: (in_tail + (all - in_tail).max(0.0) * own_words) * correctness,
            parts,
        }
    }

    /// The share of the words of the state that are among `held`.
    fn state_in(&self, held: &HashSet<String>) -> Option<f64> {
        let had = self.state.iter().filter(|(word, _)| held.contains(*word));
        // The sum of nothing is -0.
        let had: f64 = had.map(|(_, weight)| weight).sum::<f64>() + 0.0;
        share(had, self.state.values().sum())
    }
}

/// The mean of the shares that there are.
fn mean(shares: [Option<f64>; 2]) -> f64 {
    let there = shares.iter().flatten().count().max(1);
    shares.into_iter().flatten().sum::<f64>() / there as f64
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

/// The words at the end of a span that neither an earlier summary nor what was said before has, each
/// weighted by how many of the last messages and calls have it: what the end is about comes up again and
/// again, and a turn of phrase once.
fn new_at_the_end(span: &Span<'_>) -> BTreeMap<String, f64> {
    let parts: Vec<Part<'_>> = span.parts().collect();
    let said = || parts.iter().filter(|part| is_said(part));
    let all: usize = said().map(|part| part.text.len()).sum();
    let mut early: HashSet<String> = HashSet::default();
    for part in parts.iter().filter(|part| part.kind == PartKind::Summary) {
        early.extend(word_set(part.text));
    }
    let (mut before, mut late) = (0, parts.len());
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| is_said(part)) {
        before += part.text.len();
        if before as f64 > EARLY * all as f64 {
            late = at;
            break;
        }
        early.extend(word_set(part.text));
    }
    let mut end: HashSet<String> = HashSet::default();
    for part in said().rev() {
        if end.len() >= WORDS {
            break;
        }
        end.extend(word_set(part.text));
    }
    let new: HashSet<String> = end.difference(&early).cloned().collect();
    let words = if new.len() < FEWEST_NEW { end } else { new };
    let mut parts_with: BTreeMap<String, u32> = words.into_iter().map(|word| (word, 0)).collect();
    let counted = |part: &&Part<'_>| is_said(part) || part.kind == PartKind::ToolCall;
    for part in parts[late..].iter().filter(counted) {
        for word in words::content_words(&decoded(part.kind, part.text)) {
            if let Some(count) = parts_with.get_mut(&word) {
                *count += 1;
            }
        }
    }
    let weighted = parts_with.into_iter();
    weighted
        // Where the end reaches further back than the last messages, its words stand once at least.
        .map(|(word, count)| (word, f64::from(count.max(1)).ln_1p()))
        .collect()
}

/// The share of the facts by weight that the next request holds.
fn facts(ledger: &Ledger, held: impl Fn(&Fact) -> f64) -> Option<f64> {
    let counted = ledger.facts_by_rules().map(|(_, fact)| fact);
    let counted = counted.filter(|fact| !fact.details.minor);
    let (mut had, mut all) = (0.0, 0.0);
    for fact in counted {
        all += fact.weight;
        had += held(fact) * fact.weight;
    }
    share(had, all)
}

fn held_of(fact: &Fact) -> f64 {
    match Holding::of(fact) {
        Holding::Summary | Holding::Tail => 1.0,
        Holding::Partial | Holding::Changed => 0.5,
        // What came of it is there, or many of its telling words.
        Holding::Lost if fact.details.told_otherwise.is_some() => 0.5,
        Holding::Lost => 0.0,
    }
}

/// What copied passages leave of the score.
fn own_words(input: &LedgerInput<'_>) -> f64 {
    let parts = input.span.parts();
    let texts: Vec<_> = parts.map(|part| decoded(part.kind, part.text)).collect();
    let passages = grusky::fragments(texts.iter().map(AsRef::as_ref), input.summary);
    let copied = passages.iter().map(|(_, length)| *length);
    let copied: usize = copied.filter(|length| *length >= COPIED).sum();
    COPIED_HALVE / (COPIED_HALVE + copied as f64)
}

/// How far wrong statements leave the summary of use.
fn correctness(ledger: &Ledger, claims: &[Claim]) -> f64 {
    let is_wrong = |claim: &&Claim| matches!(claim.verdict, Verdict::Contradicted | Verdict::Stale);
    let changed = ledger.facts_by_rules();
    let changed = changed.filter(|(_, fact)| fact.status == FactStatus::Changed);
    let wrong = claims.iter().filter(is_wrong).count() + changed.count() + ledger.introduced.len();
    1.0 - (WRONG_COSTS * wrong as f64).min(WRONG_COST_AT_MOST)
}

//! What is asked about a summary: its sentences, and facts of its span.

use crate::claims::outcome::{FactVerdict, shown};
use palimpsest_core::EntryIx;
use palimpsest_core::ledger::{Fact, FactKind, FoundBy, Ledger};
use palimpsest_ledger::claims::{Claim, Verdict};
use palimpsest_ledger::{Holding, Span};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::Range;

/// Most facts of a span that are asked about: the heaviest (our guess).
const MOST_FACTS: usize = 60;

/// What a judgement of claims is made from.
pub struct ClaimInput<'a> {
    /// The summary.
    pub summary: &'a str,
    /// What it stands for.
    pub span: Span<'a>,
    /// What is kept beside it.
    pub kept_tail: Span<'a>,
    /// Its sentences with the verdicts of rules.
    pub claims: &'a [Claim],
    /// Its ledger, with the facts that models found.
    pub ledger: &'a Ledger,
}

/// A sentence of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// Where it stands: byte range in the summary.
    pub range: Range<usize>,
    /// The sentence.
    pub text: String,
    /// The heading above it; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// What rules said of it when the judgement was planned.
    pub rule: Verdict,
}

/// A fact of a span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedFact {
    /// Its id in the ledger.
    pub id: String,
    /// What kind of thing it is.
    pub kind: FactKind,
    /// The thing.
    pub text: String,
    /// True for a fact that only a model found.
    #[serde(default)]
    pub by_model: bool,
    /// What rules said of it when the judgement was planned.
    pub rule: FactVerdict,
}

/// What one call asks about, by positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Batch {
    /// Sentences.
    Sentences(Range<usize>),
    /// Facts.
    Facts(Range<usize>),
}

/// How much of the session is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sent {
    /// Estimated tokens of the span.
    pub span: u64,
    /// Those of its passages that at least one call has.
    pub of_span: u64,
    /// Estimated tokens of the kept tail.
    pub tail: u64,
    /// Those of its passages that at least one call has.
    pub of_tail: u64,
    /// True where the summary is too long for the model's window and is sent without its middle.
    #[serde(default)]
    pub summary_cut: bool,
}

/// What a judgement of claims asks, and of which call each answer is expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimTask {
    /// The sentences of the summary, in order.
    pub sentences: Vec<Sentence>,
    /// The facts, the heaviest first.
    pub facts: Vec<AskedFact>,
    /// What each call asks about.
    pub batches: Vec<Batch>,
    /// How much of the session the calls have.
    pub sent: Sent,
}

impl ClaimInput<'_> {
    /// The sentences with the entries that rules name for each.
    pub(super) fn sentences(&self) -> Vec<(Sentence, Vec<EntryIx>)> {
        let claims = self.claims.iter();
        let all = claims.map(|claim| {
            let sentence = Sentence {
                text: self.summary[claim.range.clone()].to_owned(),
                heading: self.heading(claim.range.start),
                range: claim.range.clone(),
                rule: claim.verdict,
            };
            (sentence, claim.entries.clone())
        });
        all.collect()
    }

    /// The heading above a place of the summary, or the name of the element around it, such as a list
    /// of files that the agent appends.
    fn heading(&self, at: usize) -> String {
        let mut closed = 0_u32;
        for line in self.summary[..at].lines().rev().map(str::trim) {
            let element = line
                .strip_prefix('<')
                .and_then(|rest| rest.strip_suffix('>'));
            match (element, line.strip_prefix('#')) {
                (Some(name), _) if name.starts_with('/') => closed += 1,
                (Some(_), _) if closed > 0 => closed -= 1,
                (Some(name), _) => return name.to_owned(),
                (None, Some(rest)) => return rest.trim_start_matches('#').trim().to_owned(),
                (None, None) => {}
            }
        }
        String::new()
    }

    /// The heaviest facts that a summary should have, and those that only a model found.
    pub(super) fn facts(&self) -> Vec<AskedFact> {
        let mut facts: Vec<&Fact> = self.ledger.facts.iter().collect();
        facts.retain(|fact| !fact.details.minor);
        // A stable order: of equal ones the first of the span.
        facts.sort_by(|a, b| by_model(b).cmp(&by_model(a)).then(heavier(a, b)));
        facts.truncate(MOST_FACTS);
        facts.sort_by(|a, b| heavier(a, b));
        let asked = facts.into_iter().map(|fact| AskedFact {
            id: fact.id.clone(),
            kind: fact.kind,
            text: shown(fact),
            by_model: by_model(fact),
            rule: FactVerdict::of_rules(Holding::of(fact)),
        });
        asked.collect()
    }
}

fn by_model(fact: &Fact) -> bool {
    fact.details.found_by == FoundBy::Model
}

fn heavier(a: &Fact, b: &Fact) -> Ordering {
    b.weight.total_cmp(&a.weight)
}

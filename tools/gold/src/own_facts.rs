//! The ledger's own facts as people judged them: of the heaviest and of those the window shows first as
//! dropped, which ones are facts and which ones are noise.
//!
//! Labels of stretches cannot tell this, because people do not write down every fact of a stretch: of
//! fifteen unlabelled facts among the heaviest, eleven were facts all the same. So the facts themselves
//! are put before people who see neither weight nor status, in an order that tells nothing.

use crate::error::GoldError;
use crate::labels::{Half, fnv};
use crate::matching::Found;
use crate::report::{Share, fate_of};
use crate::{labels::Fate, report::FIRST, report::HEAVIEST};
use palimpsest_core::ledger::Concern;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The judged facts of one compaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnFacts {
    /// The sample, below `samples` of the shared folder.
    pub source: String,
    /// 1-based line of the summary.
    pub summary_line: usize,
    /// Which part of the sessions it belongs to.
    pub half: Half,
    /// The judgements.
    pub facts: Vec<JudgedFact>,
}

/// What people say of one fact of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedFact {
    /// Its kind as the wire names it.
    pub kind: String,
    /// 1-based line of the record where it stands first.
    pub line: usize,
    /// Hash of its text; see [`hash_of`].
    pub hash: String,
    /// True where it is a fact: true of the span, of this kind, understandable and worth a line.
    pub fact: bool,
    /// Why it is none, in a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The judgement of a second person, who did not see the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<bool>,
    /// For facts shown as dropped: true where the summary does not have it in any words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<bool>,
}

/// One fact as a judge sees it.
#[derive(Debug, Serialize)]
pub struct Question<'a> {
    /// Its kind as the wire names it.
    pub kind: &'a str,
    /// 1-based line of the record where it stands first.
    pub line: usize,
    /// Hash of its text.
    pub hash: String,
    /// Its text.
    pub text: &'a str,
    /// True where the ledger shows it among the first that were dropped.
    pub shown_as_lost: bool,
}

/// The hash by which a judged fact is found again: of its words, whatever stands between them.
pub fn hash_of(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    fnv(words.join(" ").as_bytes())
}

/// Positions of the thirty heaviest facts.
pub fn heaviest(found: &[Found]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    // Stable, so that facts of one weight keep the order of the ledger.
    order.sort_by(|&a, &b| found[b].weight.total_cmp(&found[a].weight));
    order.truncate(HEAVIEST);
    order
}

/// Positions of the ten dropped facts that the window shows first without unfolding.
pub fn first_lost(found: &[Found]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|&a, &b| found[b].weight.total_cmp(&found[a].weight));
    order.retain(|&at| fate_of(&found[at]) == Fate::Dropped && found[at].concern < Concern::Rest);
    order.sort_by_key(|&at| found[at].concern);
    order.truncate(FIRST);
    order
}

/// The facts to be judged that are not in `known`, ordered by their hashes.
pub fn questions<'a>(found: &'a [Found], known: &OwnFacts) -> Vec<Question<'a>> {
    let (heavy, lost) = (heaviest(found), first_lost(found));
    let is_lost = |at: &usize| lost.contains(at);
    let mut all: Vec<usize> = heavy.iter().chain(&lost).copied().collect();
    all.sort_unstable();
    all.dedup();
    let known = known.by_key();
    let mut out: Vec<Question<'_>> = all
        .iter()
        .filter(|&at| {
            let judged = known.get(&key(&found[*at]));
            judged.is_none_or(|judged| is_lost(at) && judged.fact && judged.lost.is_none())
        })
        .map(|&at| Question {
            kind: &found[at].kind,
            line: found[at].lines.first().copied().unwrap_or_default(),
            hash: hash_of(&found[at].text),
            text: &found[at].text,
            shown_as_lost: is_lost(&at),
        })
        .collect();
    out.sort_by(|a, b| a.hash.cmp(&b.hash));
    out
}

type Key = (String, usize, String);

fn key(fact: &Found) -> Key {
    let line = fact.lines.first().copied().unwrap_or_default();
    (fact.kind.clone(), line, hash_of(&fact.text))
}

impl OwnFacts {
    fn by_key(&self) -> HashMap<Key, &JudgedFact> {
        let keyed = self.facts.iter();
        keyed
            .map(|own| ((own.kind.clone(), own.line, own.hash.clone()), own))
            .collect()
    }
}

/// How right the ledger is about what it puts first.
#[derive(Debug, Clone, Default)]
pub struct OwnReport {
    /// Of the thirty heaviest facts of each ledger those that are facts.
    pub heaviest: Share,
    /// Of the ten dropped facts shown first those that are noise: no facts.
    pub noise: Share,
    /// The same, or facts that the summary has after all.
    pub noise_or_kept: Share,
    /// Facts of both lists that nobody has judged.
    pub unjudged: usize,
    /// Of the facts that two people judged those on which they agree.
    pub agreement: Share,
}

impl OwnReport {
    /// Adds one compaction.
    pub fn add(&mut self, known: &OwnFacts, found: &[Found]) {
        let judged = known.by_key();
        for at in heaviest(found) {
            match judged.get(&key(&found[at])) {
                Some(own) => self.heaviest.add(own.fact),
                None => self.unjudged += 1,
            }
        }
        for at in first_lost(found) {
            match judged.get(&key(&found[at])) {
                Some(own) => {
                    self.noise.add(!own.fact);
                    self.noise_or_kept.add(!own.fact || own.lost == Some(false));
                }
                None => self.unjudged += 1,
            }
        }
        for own in &known.facts {
            if let Some(second) = own.second {
                self.agreement.add(second == own.fact);
            }
        }
    }
}

impl fmt::Display for OwnReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  own heaviest, facts      {}", self.heaviest)?;
        writeln!(f, "  own first ten, noise     {}", self.noise)?;
        writeln!(f, "  the same, or not lost    {}", self.noise_or_kept)?;
        writeln!(f, "  two judges agree         {}", self.agreement)?;
        write!(f, "  not judged               {:3}", self.unjudged)
    }
}

/// The file that holds the judgements of a compaction.
pub fn file_of(folder: &Path, source: &str, summary_line: usize) -> PathBuf {
    let name = source.trim_end_matches(".jsonl").replace('/', "-");
    folder.join(format!("{name}-{summary_line}.json"))
}

/// Reads the judgements of a compaction; none where there is no file.
///
/// # Errors
/// A file that is no record of judged facts.
pub fn read(
    folder: &Path,
    source: &str,
    summary_line: usize,
    half: Half,
) -> Result<OwnFacts, GoldError> {
    let path = file_of(folder, source, summary_line);
    let Ok(text) = std::fs::read(&path) else {
        return Ok(OwnFacts {
            source: source.to_owned(),
            summary_line,
            half,
            facts: Vec::new(),
        });
    };
    serde_json::from_slice(&text).map_err(|error| GoldError::Labels {
        path,
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, weight: f64, status: &str) -> Found {
        Found {
            kind: "user_request".to_owned(),
            text: text.to_owned(),
            own_words: text.to_owned(),
            lines: vec![3],
            weight,
            status: status.to_owned(),
            needed: false,
            needed_at: Vec::new(),
            in_tail: false,
            concern: Concern::Own,
            shown: String::new(),
        }
    }

    fn judged(text: &str, fact: bool) -> JudgedFact {
        JudgedFact {
            kind: "user_request".to_owned(),
            line: 3,
            hash: hash_of(text),
            fact,
            why: None,
            second: None,
            lost: None,
        }
    }

    fn known(facts: Vec<JudgedFact>) -> OwnFacts {
        OwnFacts {
            source: "a.jsonl".to_owned(),
            summary_line: 9,
            half: Half::Work,
            facts,
        }
    }

    #[test]
    fn what_was_judged_counts_and_the_rest_is_asked() {
        let facts = [
            found("add a search box", 9.0, "dropped"),
            found("hello  there", 8.0, "verbatim"),
            found("keep the old rows", 7.0, "verbatim"),
        ];
        let known = known(vec![
            judged("add a search box", true),
            judged("hello there", false),
        ]);
        let mut report = OwnReport::default();
        report.add(&known, &facts);
        assert_eq!(report.heaviest, Share { right: 1, of: 2 });
        assert_eq!(report.noise, Share { right: 0, of: 1 });
        assert_eq!(report.unjudged, 1);
        let asked = questions(&facts, &known);
        let texts: Vec<&str> = asked.iter().map(|own| own.text).collect();
        // Whether the first is lost was not judged yet.
        assert_eq!(asked.len(), 2, "{texts:?}");
        assert!(!texts.contains(&"hello  there"));
    }
}

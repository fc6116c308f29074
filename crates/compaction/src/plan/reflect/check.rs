//! Whether an insight rests on what it cites, without a model.

use crate::plan::reflect::data::{Record, Reflection};
use crate::plan::reflect::read::Said;
use crate::text::lexical::{identifiers, terms};

/// An insight, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Insight {
    /// What it is cited by.
    pub id: String,
    /// Its round, from 0.
    pub round: usize,
    /// Its question in the round, from 0.
    pub question: usize,
    /// What it says, on one line.
    pub text: String,
    /// Handles of the records and insights it cites, each once.
    pub evidence: Vec<String>,
    /// Why it is not supported.
    pub unsupported: Option<Unsupported>,
}

/// Why an insight is not supported by what it cites.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// It cites nothing.
    #[error("cites nothing")]
    NothingCited,
    /// It cites what is not in the span.
    #[error("cites {}, not in the span", .0.join(" and "))]
    NotThere(Vec<String>),
    /// It has too little in common with what it cites.
    #[error("shares too little with its evidence")]
    NothingShared,
}

/// `said` as an insight: every id must be there, and it must share a name of a file or an
/// identifier with its evidence, or the part of its words that is asked for.
pub(crate) fn checked(
    reflection: &Reflection,
    round: usize,
    question: usize,
    id: String,
    said: Said,
    earlier: &[Insight],
) -> Insight {
    let mut evidence: Vec<String> = Vec::new();
    let mut texts = String::new();
    let mut missing: Vec<String> = Vec::new();
    for cited in &said.cited {
        let record = find(&reflection.records, cited).map(|own| (&own.handle, &own.text));
        let insight = || {
            let found = earlier.iter().find(|own| own.id == *cited);
            found.map(|own| (&own.id, &own.text))
        };
        match record.or_else(insight) {
            Some((handle, _)) if evidence.contains(handle) => {}
            Some((handle, text)) => {
                evidence.push(handle.clone());
                texts.push_str(text);
                texts.push('\n');
            }
            None if missing.contains(cited) => {}
            None => missing.push(cited.clone()),
        }
    }
    let unsupported = if !missing.is_empty() {
        Some(Unsupported::NotThere(missing))
    } else if evidence.is_empty() {
        Some(Unsupported::NothingCited)
    } else if !shares(&said.text, &texts, reflection.min_shared_percent) {
        Some(Unsupported::NothingShared)
    } else {
        None
    };
    Insight {
        id,
        round,
        question,
        text: said.text,
        evidence,
        unsupported,
    }
}

/// The record that is meant: by its handle, its whole id, or a beginning of the id that goes on
/// from the handle.
fn find<'a>(records: &'a [Record], cited: &str) -> Option<&'a Record> {
    records.iter().find(|own| {
        own.handle == cited || cited.starts_with(&own.handle) && own.id.starts_with(cited)
    })
}

/// True when the texts name a file or identifier in common, or when `percent` of the terms of
/// `insight` are in `evidence`.
fn shares(insight: &str, evidence: &str, percent: u64) -> bool {
    if !identifiers(insight).is_disjoint(&identifiers(evidence)) {
        return true;
    }
    let (own, theirs) = (terms(insight), terms(evidence));
    let shared = own.intersection(&theirs).count() as u64;
    // With 0 percent as well something must be shared.
    shared > 0 && shared * 100 >= percent * own.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_name_or_enough_shared_words_support() {
        let evidence = "{\"path\":\"src/gears.rs\"} the gears turn, gearWheel too";
        assert!(shares("All of it is in gears.rs now", evidence, 100));
        assert!(shares("gear_wheel", evidence, 100));
        // gear of gear, slow, quiet, stop.
        assert!(shares("gears slow, quiet, stop", evidence, 25));
        assert!(!shares("gears slow, quiet, stop", evidence, 26));
        assert!(!shares("something else", evidence, 0));
    }
}

//! What a text shows of a set of facts: exactly, in another spelling, in part, or not at all.

use crate::extract::Candidate;
use crate::identifiers;
use crate::matching::{NeedleSet, OverlapIndex, is_bounded};
use crate::{commands, errors, test_counts, words};
use palimpsest_core::ledger::{FactKind, FactStatus};
use std::collections::HashMap;
use std::ops::Range;

/// Share of a sentence's content words that one line must have for the sentence to count as
/// mentioned there.
pub const MENTIONED_OVERLAP: f64 = 0.7;

/// Share from which the sentence counts as partly there.
pub const PARTIAL_OVERLAP: f64 = 0.4;

/// Most ranges kept per fact.
pub const MAX_EVIDENCE: usize = 20;

/// Lines longer than this, in bytes, are compared sentence by sentence.
const MAX_SEGMENT_BYTES: usize = 400;

/// What a text shows of one fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The best that was found.
    pub status: FactStatus,
    /// Where: byte ranges in the text on character boundaries, in order, not overlapping.
    pub ranges: Vec<Range<usize>>,
}

impl Evidence {
    fn offer(&mut self, status: FactStatus, range: Range<usize>) {
        if status > self.status {
            return;
        }
        if status < self.status {
            self.status = status;
            self.ranges.clear();
        }
        if self.ranges.len() < 4 * MAX_EVIDENCE {
            self.ranges.push(range);
        }
    }

    fn settle(&mut self) {
        self.ranges
            .sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let mut end = 0;
        self.ranges.retain(|range| {
            let keep = range.start >= end && !range.is_empty();
            if keep {
                end = range.end;
            }
            keep
        });
        self.ranges.truncate(MAX_EVIDENCE);
    }
}

/// Looks for every fact in `text`, in this order of preference: the exact words; the words with
/// white space, case, quotes and backticks evened out; for paths the end of the path or a basename
/// only one fact has, for numbers the same figure and unit, for qualified names their last part;
/// for sentences, commands and errors the content words of one line ([`MENTIONED_OVERLAP`],
/// [`PARTIAL_OVERLAP`]), for errors their code, for commands program and subcommand.
pub fn find(text: &str, facts: &[Candidate]) -> Vec<Evidence> {
    let mut out = vec![
        Evidence {
            status: FactStatus::Dropped,
            ranges: Vec::new()
        };
        facts.len()
    ];
    if text.is_empty() || facts.is_empty() {
        return out;
    }
    exact(text, facts, &mut out);
    normalized(text, facts, &mut out);
    identifiers_in(text, facts, &mut out);
    fuzzy(text, facts, &mut out);
    out.iter_mut().for_each(Evidence::settle);
    out
}

fn exact(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let mut needles = NeedleSet::default();
    for (index, fact) in facts.iter().enumerate() {
        for surface in &fact.surfaces {
            needles.add(index, trim_end(surface));
        }
    }
    let Some(needles) = needles.build() else {
        return;
    };
    needles.find(text, |index, range| {
        let fact = &facts[index];
        if is_bounded(text, &range, fact.kind) {
            // A name that is an English word as well may be meant as the word.
            let is_word = fact.kind == FactKind::Symbol
                && identifiers::is_plain_word(&fact.key)
                && !identifiers::is_marked(text, &range);
            let status = if is_word {
                FactStatus::Mentioned
            } else {
                FactStatus::Verbatim
            };
            out[index].offer(status, range);
        }
    });
}

/// The full stop of a sentence is not part of what it says.
fn trim_end(surface: &str) -> &str {
    let trimmed = surface.trim_end_matches(['.', '!', '?', ':', ';', ',']);
    if trimmed.len() < 2 { surface } else { trimmed }
}

fn normalized(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let mut needles = NeedleSet::default();
    for (index, fact) in facts.iter().enumerate() {
        if out[index].status == FactStatus::Dropped {
            for surface in fact.surfaces.iter().chain([&fact.key]) {
                needles.add(index, &words::normalize(trim_end(surface)));
            }
        }
    }
    let Some(needles) = needles.build() else {
        return;
    };
    let haystack = words::Normalized::new(text);
    needles.find(&haystack.text, |index, range| {
        if is_bounded(&haystack.text, &range, facts[index].kind) {
            out[index].offer(FactStatus::Mentioned, haystack.original(range, text));
        }
    });
}

fn identifiers_in(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let mut paths: HashMap<String, Vec<(String, Range<usize>)>> = HashMap::new();
    let mut numbers: HashMap<String, Vec<Range<usize>>> = HashMap::new();
    for found in identifiers::scan(text) {
        match found.kind {
            FactKind::Path => {
                let name = identifiers::basename(&found.key).to_owned();
                paths
                    .entry(name)
                    .or_default()
                    .push((found.key, found.range));
            }
            FactKind::Number => numbers.entry(found.key).or_default().push(found.range),
            _ => {}
        }
    }
    let mut sharing: HashMap<&str, usize> = HashMap::new();
    let mut last_parts: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, fact) in facts.iter().enumerate() {
        if fact.kind == FactKind::Path {
            *sharing.entry(identifiers::basename(&fact.key)).or_default() += 1;
        }
        if fact.kind == FactKind::Symbol && out[index].status == FactStatus::Dropped {
            let last = fact.key.rsplit(['.', ':', '#']).next().unwrap_or_default();
            if last.len() >= 4 && last.len() < fact.key.len() {
                last_parts.entry(last).or_default().push(index);
            }
        }
    }
    let told = told(text);
    for (fact, evidence) in facts.iter().zip(out.iter_mut()) {
        if evidence.status != FactStatus::Dropped {
            continue;
        }
        match fact.kind {
            FactKind::Path => {
                let name = identifiers::basename(&fact.key);
                for (key, range) in paths.get(name).into_iter().flatten() {
                    let is_end = fact
                        .key
                        .strip_suffix(key.as_str())
                        .is_some_and(|r| r.ends_with('/'));
                    if is_end && (key.contains('/') || sharing[name] == 1) {
                        evidence.offer(FactStatus::Mentioned, range.clone());
                    } else if is_end {
                        evidence.offer(FactStatus::Partial, range.clone());
                    }
                }
            }
            FactKind::Number => {
                for range in numbers.get(&fact.key).into_iter().flatten() {
                    evidence.offer(FactStatus::Mentioned, range.clone());
                }
                if let Some((figure, passed)) = test_counts::read_key(&fact.key) {
                    let told = if passed { &told.passed } else { &told.failed };
                    for range in told.get(figure).into_iter().flatten() {
                        evidence.offer(FactStatus::Mentioned, range.clone());
                    }
                }
            }
            _ => {}
        }
    }
    if !last_parts.is_empty() {
        for range in words::raw_words(text) {
            for &index in last_parts.get(&text[range.clone()]).into_iter().flatten() {
                out[index].offer(FactStatus::Mentioned, range.clone());
            }
        }
    }
}

/// Where a text tells counts of tests in words of its own ("all 14 importer tests pass"): figures
/// in lines that speak of passing, and of failing.
#[derive(Default)]
struct Told<'a> {
    passed: HashMap<&'a str, Vec<Range<usize>>>,
    failed: HashMap<&'a str, Vec<Range<usize>>>,
}

fn told(text: &str) -> Told<'_> {
    let mut out = Told::default();
    for line in words::lines(text) {
        let lower = text[line.clone()].to_lowercase();
        let passed = ["pass", "green", "succeed"]
            .iter()
            .any(|cue| lower.contains(cue));
        let failed = lower.contains("fail");
        if !passed && !failed {
            continue;
        }
        for word in words::raw_words(&text[line.clone()]) {
            let range = line.start + word.start..line.start + word.end;
            let figure = &text[range.clone()];
            if !figure.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            if passed {
                out.passed.entry(figure).or_default().push(range.clone());
            }
            if failed {
                out.failed.entry(figure).or_default().push(range);
            }
        }
    }
    out
}

fn fuzzy(text: &str, facts: &[Candidate], out: &mut [Evidence]) {
    let is_fuzzy = |fact: &Candidate| {
        !matches!(
            fact.kind,
            FactKind::Path | FactKind::Symbol | FactKind::Number
        )
    };
    if !facts
        .iter()
        .zip(out.iter())
        .any(|(fact, e)| is_fuzzy(fact) && e.status == FactStatus::Dropped)
    {
        return;
    }
    let segments = segments(text);
    let mut index = OverlapIndex::default();
    for segment in &segments {
        index.add(&text[segment.clone()]);
    }
    let lower = text.to_lowercase();
    for (fact, evidence) in facts.iter().zip(out.iter_mut()) {
        if !is_fuzzy(fact) || evidence.status != FactStatus::Dropped {
            continue;
        }
        let content = words::content_words(&fact.surfaces[0]);
        // One word in common says nothing about a sentence.
        if content.len() >= 2 {
            for (segment, share) in index.find(&content, PARTIAL_OVERLAP).into_iter().take(3) {
                let status = if share >= MENTIONED_OVERLAP {
                    FactStatus::Mentioned
                } else {
                    FactStatus::Partial
                };
                evidence.offer(status, segments[segment].clone());
            }
        }
        if evidence.status != FactStatus::Dropped {
            continue;
        }
        let sign = match fact.kind {
            FactKind::Error => errors::error_code(&fact.surfaces[0]).map(str::to_owned),
            FactKind::Command if !commands::only_looks(&fact.surfaces[0]) => {
                Some(commands::head(&fact.surfaces[0])).filter(|head| head.contains(' '))
            }
            _ => None,
        };
        let Some(sign) = sign.map(|sign| sign.to_lowercase()) else {
            continue;
        };
        // Lowering may move bytes in rare scripts; then no range is shown rather than a wrong one.
        for (at, _) in lower.match_indices(&sign).take(MAX_EVIDENCE) {
            let range = at..at + sign.len();
            let shown = text
                .get(range.clone())
                .is_some_and(|there| there.eq_ignore_ascii_case(&sign));
            if shown && is_bounded(text, &range, fact.kind) {
                evidence.offer(FactStatus::Partial, range);
            }
        }
    }
}

/// The lines of a text, long ones by sentence.
pub fn segments(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    for line in words::lines(text) {
        if line.len() <= MAX_SEGMENT_BYTES {
            let line = words::trim(text, line);
            if !line.is_empty() {
                out.push(line);
            }
        } else {
            let inner = words::sentences(&text[line.clone()]);
            out.extend(
                inner
                    .into_iter()
                    .map(|r| line.start + r.start..line.start + r.end),
            );
        }
    }
    out
}

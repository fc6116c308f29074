//! Counting what is equal and keeping what is not.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// Most differences kept per file and topic.
const KEPT: usize = 3;
/// Longest shown value in characters.
const SHOWN: usize = 300;

/// How one file compares.
#[derive(Debug, Default)]
pub struct Tally {
    topics: BTreeMap<&'static str, Topic>,
    skipped: usize,
    notes: Vec<String>,
    explained: BTreeMap<&'static str, usize>,
}

/// How one topic of a file compares.
#[derive(Debug, Default, Clone)]
pub struct Topic {
    /// Number of equal cases.
    pub equal: usize,
    /// Number of cases.
    pub cases: usize,
    /// The first differences, in words.
    pub differences: Vec<String>,
}

/// The checks of one case.
#[derive(Debug)]
pub struct Case {
    name: String,
    differences: Vec<String>,
}

impl Case {
    /// Begins a case that is told by `name` if something differs.
    pub fn new(name: String) -> Case {
        Case {
            name,
            differences: Vec::new(),
        }
    }

    /// A case about an entry that we did not read.
    pub fn missing(line: u32) -> Case {
        let mut case = Case::new(format!("line {line}"));
        case.differs("entry", "not read by us");
        case
    }

    /// Checks one value.
    pub fn same<T: PartialEq<U> + Debug, U: Debug>(&mut self, what: &str, ours: &T, theirs: &U) {
        if ours != theirs {
            let detail = format!("ours {}, pi's {}", shown(ours), shown(theirs));
            self.differs(what, &detail);
        }
    }

    /// What differs, in words.
    pub fn differences(&self) -> &[String] {
        &self.differences
    }

    /// Notes a difference.
    pub fn differs(&mut self, what: &str, detail: &str) {
        self.differences
            .push(format!("{}: {what}: {detail}", self.name));
    }
}

/// A value in words, cut where it is long.
pub(crate) fn shown(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

impl Tally {
    /// Counts a finished case under `topic`.
    pub fn add(&mut self, topic: &'static str, case: Case) {
        let counted = self.topics.entry(topic).or_default();
        counted.cases += 1;
        if case.differences.is_empty() {
            counted.equal += 1;
        } else if counted.differences.len() < KEPT {
            counted
                .differences
                .extend(case.differences.into_iter().take(KEPT));
        }
    }

    /// Notes cases in which the reference has no answer, because pi itself failed.
    pub fn skip(&mut self, cases: usize) {
        self.skipped += cases;
    }

    /// Counts a case that differs only by what no file of the session can hold, for this reason.
    pub fn explain(&mut self, reason: &'static str) {
        *self.explained.entry(reason).or_default() += 1;
    }

    /// The cases that differ only by what no file can hold: their number, by reason.
    pub fn explained(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.explained
            .iter()
            .map(|(reason, cases)| (*reason, *cases))
    }

    /// Notes what could not be compared, in words.
    pub fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// What could not be compared.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds another file's counts to these.
    pub fn merge(&mut self, other: &Tally) {
        for (name, topic) in &other.topics {
            let counted = self.topics.entry(name).or_default();
            counted.cases += topic.cases;
            counted.equal += topic.equal;
        }
        self.skipped += other.skipped;
        for (reason, cases) in other.explained() {
            *self.explained.entry(reason).or_default() += cases;
        }
    }

    /// The topics by name.
    pub fn topics(&self) -> impl Iterator<Item = (&'static str, &Topic)> {
        self.topics.iter().map(|(name, topic)| (*name, topic))
    }

    /// True when every case is equal.
    pub fn is_equal(&self) -> bool {
        self.topics.values().all(|topic| topic.equal == topic.cases)
    }

    /// The counts on one line.
    pub fn line(&self) -> String {
        let mut parts: Vec<String> = self
            .topics()
            .map(|(name, topic)| format!("{name} {}/{}", topic.equal, topic.cases))
            .collect();
        if self.skipped > 0 {
            parts.push(format!("no answer by pi {}", self.skipped));
        }
        for (reason, cases) in self.explained() {
            parts.push(format!("explained {cases} ({reason})"));
        }
        parts.join(", ")
    }
}

//! The ledger's vocabulary: facts of a summarized span and their status in a summary.

use crate::ids::EntryIx;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;

/// What kind of thing a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// Something the user asked for.
    UserRequest,
    /// A limit the user set (must, never, only, instead...).
    Constraint,
    /// A file or directory.
    Path,
    /// An identifier of the code.
    Symbol,
    /// A command that was run.
    Command,
    /// A message of something that failed.
    Error,
    /// A choice that was made, with its reason where given.
    Decision,
    /// What turned out: a cause, a state of things, an item of a list that the user went on to
    /// speak of.
    Finding,
    /// A number with a meaning: port, version, limit, measurement.
    Number,
    /// Something left to do.
    Todo,
}

impl FactKind {
    /// The kind as texts for people name it, in the singular.
    pub fn in_words(self) -> &'static str {
        match self {
            FactKind::UserRequest => "request",
            FactKind::Constraint => "constraint",
            FactKind::Path => "file",
            FactKind::Symbol => "symbol",
            FactKind::Command => "command",
            FactKind::Error => "error",
            FactKind::Decision => "decision",
            FactKind::Finding => "finding",
            FactKind::Number => "number",
            FactKind::Todo => "to do",
        }
    }
}

/// What became of a fact in the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(rename = "Fate", export_to = "wire.ts")
)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    /// Present verbatim.
    Verbatim,
    /// Present in another spelling (normalized, basename, suffix).
    Mentioned,
    /// Present with another meaning: a weaker modal word, a rounded figure, a lost negation.
    Changed,
    /// Part of it is there.
    Partial,
    /// Missing in the summary.
    Dropped,
}

/// What was done with a file; of several the first in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// It was changed, written or removed.
    Edited,
    /// It was read.
    Read,
    /// It was searched or listed.
    Searched,
    /// Somebody spoke of it.
    Named,
}

/// The last state of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Still to do, or being done.
    Open,
    /// Finished or given up.
    Closed,
}

/// Who found a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// Rules.
    #[default]
    Rules,
    /// A model that was asked.
    Model,
    /// Both.
    Both,
}

impl FoundBy {
    /// True where no model was needed to find it.
    pub fn by_rules(&self) -> bool {
        *self != FoundBy::Model
    }

    /// True where only rules found it.
    pub fn by_rules_alone(&self) -> bool {
        *self == FoundBy::Rules
    }
}

/// A place in an entry's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// The entry.
    pub entry: EntryIx,
    /// Which message of the entry.
    pub message: usize,
    /// Which block of the message.
    pub block: usize,
    /// Byte range in the block's text (a tool call's compact arguments count as its text).
    pub range: Range<usize>,
}

/// The question that a fact answers on the first screen of a summary. One fact can answer several:
/// the first in this order counts. What only a model found stands apart.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export_to = "wire.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// What of the user's is gone: requests and constraints that are dropped or changed.
    Own,
    /// What it cost: facts that were dropped and then needed.
    Missed,
    /// What could still hurt: decisions, errors, edited files and open tasks that are lost and were
    /// not needed so far.
    Risk,
    /// What only a model found; it is in no figure.
    Model,
    /// Everything else.
    #[default]
    Rest,
}

impl Concern {
    /// Every question, in their order.
    pub const ALL: [Concern; 5] = [
        Concern::Own,
        Concern::Missed,
        Concern::Risk,
        Concern::Model,
        Concern::Rest,
    ];

    /// The heading of the facts that answer it.
    pub fn title(self) -> &'static str {
        match self {
            Concern::Own => "Requests and constraints of the user: dropped or changed",
            Concern::Missed => "Dropped and needed later",
            Concern::Risk => {
                "Decisions, open errors, edited files, open tasks: dropped, no later need found"
            }
            Concern::Model => "Found only by a model",
            Concern::Rest => "All other facts",
        }
    }
}

/// What a fact is besides its text, as far as its kind has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactDetails {
    /// For a path: what was done with the file.
    pub file_role: Option<FileRole>,
    /// For a thing to do: its last state.
    pub task: Option<TaskState>,
    /// How many earlier summaries carried it: 0 for what the span itself says.
    pub generation: u32,
    /// For a short prompt: the question of the model that it answers.
    pub answers: Option<String>,
    /// Its own words, where its text shows them with what they lean on: a question, a sentence before, the lead of
    /// a list.
    pub own_words: Option<String>,
    /// For a partly kept fact: what the summary lacks.
    pub missing: Vec<String>,
    /// For a changed fact: what the source says and what the summary says instead.
    pub difference: Option<(String, String)>,
    /// Who found it.
    pub found_by: FoundBy,
    /// True where it was only seen or said in passing, so that no share counts it.
    pub minor: bool,
    /// True where it stands in the last seventh of the span, or came again.
    pub is_late: bool,
    /// For a dropped saying or error: how the summary may tell it otherwise, so that it is not among the first losses.
    pub told_otherwise: Option<ToldOtherwise>,
}

/// How a summary may tell what no line of it says in the same words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToldOtherwise {
    /// In other words: the bytes of the lines that have many of its telling words.
    Words(std::ops::Range<usize>),
    /// By what came of it: the summary has half of the facts of the turn that a request began.
    Outcome,
    /// In another language, in which words cannot be compared: an English summary of Chinese messages.
    Language,
}

/// An atomic thing in the summarized span worth keeping.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// Stable within one ledger: `f` and a number in order of first appearance.
    pub id: String,
    /// What kind of thing it is.
    pub kind: FactKind,
    /// The thing itself, normalized for display.
    pub text: String,
    /// Where it stands in the span, first appearance first; at most 50 places are kept.
    pub places: Vec<SourcePlace>,
    /// How often it stands there in all.
    pub count: usize,
    /// Its weight: by kind first, wishes of the user heaviest and figures lightest, and within a
    /// kind by how often and how lately who said it; below 40.
    pub weight: f64,
    /// What became of it.
    pub status: FactStatus,
    /// Where the summary shows it: byte ranges in the summary.
    pub evidence: Vec<Range<usize>>,
    /// True when the kept tail still shows it, so that dropping it lost nothing yet.
    pub in_kept_tail: bool,
    /// Entries after the compaction that use it again.
    pub needed_later: Vec<EntryIx>,
    /// What else is known of it.
    pub details: FactDetails,
}

impl Fact {
    /// What was said or done, without what is shown beside it so that it can be understood.
    pub fn own_words(&self) -> &str {
        self.details.own_words.as_deref().unwrap_or(&self.text)
    }
}

/// Something the summary states that its sources do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Introduced {
    /// What kind of thing it is.
    pub kind: FactKind,
    /// The thing itself.
    pub text: String,
    /// Where it stands: byte range in the summary.
    pub range: Range<usize>,
}

/// Facts of a span held against a summary.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    /// Facts in order of first appearance; those that only a model found are among them, and in no
    /// sum.
    pub facts: Vec<Fact>,
    /// What the summary adds.
    pub introduced: Vec<Introduced>,
    /// Sums over the facts.
    pub totals: Totals,
}

impl Ledger {
    /// The facts that rules found, with their numbers. Figures count these: they say the same of a
    /// summary whether or not a model was asked.
    pub fn facts_by_rules(&self) -> impl Iterator<Item = (usize, &Fact)> {
        let facts = self.facts.iter().enumerate();
        facts.filter(|(_, fact)| fact.details.found_by.by_rules())
    }

    /// The same ledger without the facts that only a model found.
    pub fn by_rules(&self) -> Cow<'_, Ledger> {
        if self
            .facts
            .iter()
            .all(|fact| fact.details.found_by.by_rules())
        {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Ledger {
            facts: self
                .facts_by_rules()
                .map(|(_, fact)| fact.clone())
                .collect(),
            ..self.clone()
        })
    }
}

/// The facts that retention counts: all but the minor ones, which were only seen or said in passing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Counted {
    /// How many there are.
    pub facts: usize,
    /// Those that are verbatim or reworded.
    pub kept: usize,
    /// Those that are partly kept or changed.
    pub half: usize,
    /// Their weight.
    pub weight: f64,
    /// The weight that is kept.
    pub kept_weight: f64,
}

/// Sums over a ledger.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Per kind: verbatim, mentioned, partial, dropped.
    pub by_kind: Vec<(FactKind, [usize; 4])>,
    /// Changed facts per kind, which `by_kind` does not count; absent in older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<(FactKind, usize)>,
    /// Share of the facts' weight that is kept, a partial or changed fact counting half and a
    /// minor one not at all; 0 to 1, and 1 when there is no fact. `None` when the span is empty or
    /// incomplete: a summary of nothing is not measured.
    pub retention: Option<f64>,
    /// The facts behind `retention`; absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<Counted>,
    /// Summary size over span size, in tokens by the estimate; 0 when the span is empty.
    pub compression_ratio: f64,
    /// Extractive coverage (Grusky et al. 2018): share of the summary's words inside fragments
    /// shared with the span.
    pub coverage: f64,
    /// Extractive density (same source): mean squared fragment length over the summary's words.
    pub density: f64,
    /// Number of dropped facts that were needed later.
    pub needed_later: usize,
    /// True where no entry follows that could need a fact; absent in older records.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nothing_after: bool,
}

impl Totals {
    /// The dropped facts that were needed later. `None` where that was not measured: no entry follows that could
    /// need one, or the source is incomplete and shows none.
    pub fn needed_measured(&self) -> Option<usize> {
        let shows_none = self.retention.is_none() && self.needed_later == 0;
        (!self.nothing_after && !shows_none).then_some(self.needed_later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_later_is_measured_where_entries_follow_and_the_source_shows_facts() {
        let totals = |retention, needed_later, nothing_after| Totals {
            retention,
            needed_later,
            nothing_after,
            ..Totals::default()
        };
        assert_eq!(totals(Some(0.5), 0, false).needed_measured(), Some(0));
        assert_eq!(totals(Some(0.5), 0, true).needed_measured(), None);
        // Of an incomplete source the facts that are known count.
        assert_eq!(totals(None, 0, false).needed_measured(), None);
        assert_eq!(totals(None, 2, false).needed_measured(), Some(2));
    }
}

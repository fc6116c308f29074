//! What a model says of the statements of a summary and of the facts of its span, beside what rules
//! say.

use palimpsest_core::ledger::{Fact, FactKind};
use palimpsest_ledger::Holding;
use palimpsest_ledger::claims::Verdict;
use palimpsest_ledger::words::one_line;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Longest text of a fact in bytes.
const MOST_TEXT: usize = 600;

/// How much a partly kept or changed fact counts, as in the ledger's retention.
const HALF: f64 = 0.5;

/// Why there is no verdict on something that a model was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotChecked {
    /// The reply leaves it out.
    LeftOut,
    /// The verdict is none of those asked for.
    Verdict,
    /// It cites no entry of the prompt.
    NoEntry,
    /// Its quote does not stand in what it cites.
    NotQuoted,
    /// It judges a name that the sentence does not have.
    Names,
}

impl NotChecked {
    /// The reason in words.
    pub fn in_words(self) -> &'static str {
        match self {
            NotChecked::LeftOut => "the reply leaves it out",
            NotChecked::Verdict => "the verdict is none of those asked for",
            NotChecked::NoEntry => "cites no entry of the prompt",
            NotChecked::NotQuoted => "the quote is not in the cited text",
            NotChecked::Names => "judges a name that the sentence does not have",
        }
    }
}

/// A single statement of a sentence with the verdict of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementChecked {
    /// The statement in the model's words.
    pub text: String,
    /// What the model says, as far as its citation bears it out.
    pub verdict: Verdict,
    /// The entries that it cites, that of the quote first, by their names in the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// Words of one of these entries, as the session has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_checked: Option<NotChecked>,
}

/// A sentence of a summary with the verdicts of rules and of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentenceChecked {
    /// Where it stands: byte range in the summary.
    pub range: Range<usize>,
    /// The sentence.
    pub text: String,
    /// What rules said of it when the judgement was planned.
    pub rule: Verdict,
    /// What the model says of its statements together.
    pub verdict: Verdict,
    /// Its statements; one without a verdict where the reply has none.
    pub statements: Vec<StatementChecked>,
}

impl SentenceChecked {
    /// True where both have a verdict, and not the same; `rule` is that of rules.
    pub fn differs_from(&self, rule: Verdict) -> bool {
        let both = rule != Verdict::Unchecked && self.verdict != Verdict::Unchecked;
        both && rule != self.verdict
    }
}

/// What of its statements makes the verdict on a sentence: the worst.
pub(super) fn together(statements: &[StatementChecked]) -> Verdict {
    const WORST_FIRST: [Verdict; 4] = [
        Verdict::Contradicted,
        Verdict::Stale,
        Verdict::WithoutSource,
        Verdict::Supported,
    ];
    let has = |verdict: &Verdict| statements.iter().any(|own| own.verdict == *verdict);
    let worst = WORST_FIRST.into_iter().find(has);
    worst.unwrap_or(Verdict::Unchecked)
}

/// Whether the agent still has a fact, in the summary or in the kept tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactVerdict {
    /// All that matters of it.
    Kept,
    /// A part of it.
    Partly,
    /// With another meaning.
    Changed,
    /// Nothing of it.
    Dropped,
    /// There is no verdict.
    Unchecked,
}

impl FactVerdict {
    /// What rules say, in the same words.
    pub fn of_rules(holding: Holding) -> FactVerdict {
        match holding {
            Holding::Summary | Holding::Tail => FactVerdict::Kept,
            Holding::Partial => FactVerdict::Partly,
            Holding::Changed => FactVerdict::Changed,
            Holding::Lost => FactVerdict::Dropped,
        }
    }
}

/// A fact as it is shown to a model.
pub(super) fn shown(fact: &Fact) -> String {
    one_line(&fact.text, MOST_TEXT)
}

/// A fact of a span with the verdicts of rules and of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactChecked {
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
    /// What the model says, as far as its quote bears it out.
    pub verdict: FactVerdict,
    /// Words of the summary or of the kept tail that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The entry of the kept tail that has the quote; absent where the summary has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Why there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_checked: Option<NotChecked>,
}

impl FactChecked {
    /// True where it is this fact of a ledger.
    pub fn is_of(&self, fact: &Fact) -> bool {
        self.kind == fact.kind && self.text == shown(fact)
    }

    /// True where rules and the model do not say the same.
    pub fn differs(&self) -> bool {
        self.verdict != FactVerdict::Unchecked && self.rule != self.verdict
    }
}

/// Everything that the replies say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClaimsChecked {
    /// The sentences of the summary, in order.
    pub sentences: Vec<SentenceChecked>,
    /// The facts that were asked about, the heaviest first.
    pub facts: Vec<FactChecked>,
    /// Verdicts of the replies on ids that were not asked about.
    pub unknown: usize,
}

/// Statements by the verdict of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClaimSums {
    /// Supported.
    pub supported: usize,
    /// Contradicted.
    pub contradicted: usize,
    /// Stale.
    pub stale: usize,
    /// Without a source.
    pub without_source: usize,
    /// Those without a verdict.
    pub unchecked: usize,
    /// Sentences on which rules and the model differ.
    pub differ: usize,
}

impl ClaimSums {
    /// Precision: the share of the checked statements that is supported; `None` where none was checked.
    pub fn precision(&self) -> Option<f64> {
        let checked = self.supported + self.contradicted + self.stale + self.without_source;
        (checked > 0).then(|| self.supported as f64 / checked as f64)
    }
}

/// Facts by the verdict of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FactSums {
    /// Kept.
    pub kept: usize,
    /// Partly kept.
    pub partly: usize,
    /// Changed.
    pub changed: usize,
    /// Dropped.
    pub dropped: usize,
    /// Those without a verdict.
    pub unchecked: usize,
    /// Facts on which rules and the model differ.
    pub differ: usize,
}

impl FactSums {
    /// Recall: the share of the checked facts that is kept, where a partly kept or changed one counts
    /// half; `None` where none was checked.
    pub fn recall(&self) -> Option<f64> {
        let checked = self.kept + self.partly + self.changed + self.dropped;
        let held = self.kept as f64 + HALF * (self.partly + self.changed) as f64;
        (checked > 0).then(|| held / checked as f64)
    }
}

impl ClaimsChecked {
    /// The statements of the summary, counted.
    pub fn claim_sums(&self) -> ClaimSums {
        let mut sums = ClaimSums::default();
        for sentence in &self.sentences {
            sums.differ += usize::from(sentence.differs_from(sentence.rule));
            for statement in &sentence.statements {
                *match statement.verdict {
                    Verdict::Supported => &mut sums.supported,
                    Verdict::Contradicted => &mut sums.contradicted,
                    Verdict::Stale => &mut sums.stale,
                    Verdict::WithoutSource => &mut sums.without_source,
                    Verdict::Unchecked => &mut sums.unchecked,
                } += 1;
            }
        }
        sums
    }

    /// The facts of the span, counted.
    pub fn fact_sums(&self) -> FactSums {
        let mut sums = FactSums::default();
        for fact in &self.facts {
            sums.differ += usize::from(fact.differs());
            *match fact.verdict {
                FactVerdict::Kept => &mut sums.kept,
                FactVerdict::Partly => &mut sums.partly,
                FactVerdict::Changed => &mut sums.changed,
                FactVerdict::Dropped => &mut sums.dropped,
                FactVerdict::Unchecked => &mut sums.unchecked,
            } += 1;
        }
        sums
    }
}

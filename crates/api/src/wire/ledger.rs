//! The ledger: what a summary kept and what it dropped.

use super::{
    Again, ClaimByModel, ClaimVerdict, Concern, DiffKind, FactByModel, FactKind, FactStatus,
    FileRole, Flag, FoundBy, JudgedClaims, OverallScore, Role, TaskState,
};
use std::collections::BTreeMap;

wire! {
    /// Asks for a ledger. Exactly one of `compaction`, `run` and `summary` is given; without any
    /// the newest compaction on the path to the active leaf is taken.
    #[derive(Default)]
    pub struct LedgerRequest {
        /// The session.
        pub session: String,
        /// A compaction entry of the session.
        #[serde(default)]
        pub compaction: Option<String>,
        /// A run.
        #[serde(default)]
        pub run: Option<String>,
        /// A summary given as text, held against what a compaction at `at` would summarize.
        #[serde(default)]
        pub summary: Option<String>,
        /// Where, for `summary`.
        #[serde(default)]
        pub at: Option<String>,
    }
}

wire! {
    /// A ledger with both its sides.
    pub struct LedgerView {
        /// Names this ledger in [`LedgerSourceRequest`].
        pub ledger_id: String,
        /// The facts, in order of first appearance.
        pub facts: Vec<FactView>,
        /// What the summary adds.
        pub introduced: Vec<IntroducedView>,
        /// Sums.
        pub totals: LedgerTotals,
        /// How many facts answer each question of the first screen.
        pub concerns: ConcernCounts,
        /// The overall score; absent where it was not measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub score: Option<OverallScore>,
        /// The summary.
        pub summary: String,
        /// Its size in tokens, estimated.
        pub summary_tokens: u64,
        /// The same for a stored compaction as a share of what the provider reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub summary_size: Option<u64>,
        /// Size of the span in tokens, estimated.
        pub span_tokens: u64,
        /// The same as a share of what the provider reported; absent where it reported nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub span_size: Option<u64>,
        /// Number of items on the source side.
        pub source_items: u64,
        /// The summary it built on.
        pub previous_summary: Option<String>,
        /// Previous summary against this one, line by line.
        pub previous_diff: Vec<DiffRow>,
        /// What the ledger is of, in words.
        pub title: String,
        /// First kept entry of the cut.
        pub first_kept_id: Option<String>,
        /// The summary's sections, in order.
        pub sections: Vec<SectionView>,
        /// Context size in tokens that the agent recorded, where the file holds far less of it.
        pub incomplete: Option<u64>,
        /// Number of entries with a message after the summary, up to the next compaction, in which
        /// later needs are looked for.
        pub later_entries: u64,
        /// Number of messages of the user that stay in the context beside the summary.
        pub kept_prompts: u64,
        /// The summary's sentences by what their sources say of them, in order.
        pub claims: Vec<ClaimView>,
        /// The sums of what a model said of the claims and facts, where one was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub judged_claims: Option<JudgedClaims>,
        /// What is unusual about the compaction.
        pub flags: Vec<FlagView>,
        /// What the agent did until its first edit after the compaction; absent without an edit.
        pub reorientation: Option<ReorientationView>,
        /// What it cost that dropped facts were needed, by how the session came back to them.
        pub costs: Vec<CostView>,
        /// Files that the summary names and that were read again all the same; they are not among `costs`.
        pub named_and_read_again: Option<CostView>,
    }
}

wire! {
    /// How many facts answer each question of the first screen. Each fact counts once, except in
    /// `said`.
    #[derive(Copy)]
    pub struct ConcernCounts {
        /// What the user asked for or ruled out in the span itself, whatever became of it.
        pub said: u64,
        /// Those of it that are lost or changed.
        pub own: u64,
        /// Dropped and needed later.
        pub missed: u64,
        /// Lost, and later work may need it.
        pub risk: u64,
        /// Found only by a model.
        pub model: u64,
        /// All others.
        pub rest: u64,
    }
}

wire! {
    /// What it cost to come back to dropped facts in one way.
    pub struct CostView {
        /// In which way.
        pub how: Again,
        /// The facts.
        pub fact_ids: Vec<String>,
        /// The entries that came back to them.
        pub entry_ids: Vec<String>,
        /// Calls made for it.
        pub calls: u64,
        /// Estimated tokens of these calls with their results, and of what was said again.
        pub tokens: u64,
    }
}

wire! {
    /// A sentence of a summary by what its sources say of it.
    pub struct ClaimView {
        /// Where it starts in the summary, in UTF-16 units.
        pub start: u64,
        /// One past its end.
        pub end: u64,
        /// What the sources say.
        pub verdict: ClaimVerdict,
        /// The entries that say so.
        pub entry_ids: Vec<String>,
        /// The sentence.
        pub text: String,
        /// Why, in a few words; empty for what is supported or unchecked.
        pub reason: String,
        /// What a model said of it, where one was asked; it is in no count of rules.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub by_model: Option<ClaimByModel>,
    }
}

wire! {
    /// Something unusual about a compaction.
    pub struct FlagView {
        /// What.
        pub flag: Flag,
        /// When a compaction has it.
        pub rule: String,
        /// What was found here.
        pub detail: String,
        /// The entries that show it.
        pub entry_ids: Vec<String>,
    }
}

wire! {
    /// A section of a summary.
    pub struct SectionView {
        /// Its heading.
        pub title: String,
        /// 1 to 6.
        pub level: u8,
        /// Where it starts in the summary.
        pub start: u64,
        /// True when nothing but "(none)" stands in it.
        pub empty: bool,
    }
}

wire! {
    /// A fact and its status.
    pub struct FactView {
        /// Stable within the ledger.
        pub id: String,
        /// What kind of thing it is.
        pub kind: FactKind,
        /// The thing itself.
        pub text: String,
        /// Entries it stands in, first appearance first.
        pub entry_ids: Vec<String>,
        /// What became of it.
        pub status: FactStatus,
        /// Where the summary shows it.
        pub evidence: Vec<TextRange>,
        /// Entries after the compaction that use it again.
        pub needed_later: Vec<String>,
        /// True where it was dropped, is in no kept tail and was needed later, and weighs enough to count.
        pub missed: bool,
        /// How often it stands in the span.
        pub count: u64,
        /// Its weight.
        pub weight: f64,
        /// True when the kept tail still shows it.
        pub in_kept_tail: bool,
        /// The question of the first screen that it answers.
        pub concern: Concern,
        /// Position of the first item on the source side that shows it.
        pub first_item: u64,
        /// For a path: what was done with the file.
        pub file_role: Option<FileRole>,
        /// For a thing to do: its last state.
        pub task: Option<TaskState>,
        /// How many earlier summaries carried it; 0 for what the span itself says.
        pub generation: u32,
        /// For a short prompt: the question of the model that it answers.
        pub answers: Option<String>,
        /// For a partly kept fact: what the summary lacks.
        pub missing: Vec<String>,
        /// For a changed fact: both sentences.
        pub difference: Option<DifferenceView>,
        /// Who found it; absent for what only rules found. What only a model found is in no sum.
        #[serde(default, skip_serializing_if = "FoundBy::by_rules_alone")]
        #[ts(as = "Option<FoundBy>", optional)]
        pub found_by: FoundBy,
        /// True where it was only seen or said in passing, so that no share counts it.
        pub minor: bool,
        /// True for a dropped saying or error that the summary may tell otherwise: in other words, by what came of
        /// it, or in another language.
        pub may_be_told: bool,
        /// Where it may be told in other words.
        pub may_be_told_at: Option<TextRange>,
        /// True where the summary is written in another language, so that words cannot be compared.
        pub in_another_language: bool,
        /// What a model said of it, where one was asked; it is in no sum.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub by_model: Option<FactByModel>,
    }
}

wire! {
    /// What the source says, and what the summary says instead.
    pub struct DifferenceView {
        /// The sentence or figure of the source.
        pub source: String,
        /// The one of the summary.
        pub summary: String,
    }
}

wire! {
    /// A range of a text in UTF-16 units.
    #[derive(Copy)]
    pub struct TextRange {
        /// First unit.
        pub start: u64,
        /// One past the last.
        pub end: u64,
    }
}

wire! {
    /// Something the summary states that its sources do not have.
    pub struct IntroducedView {
        /// What kind of thing it is.
        pub kind: FactKind,
        /// The thing itself.
        pub text: String,
        /// Where it starts in the summary.
        pub start: u64,
        /// One past its end.
        pub end: u64,
    }
}

wire! {
    /// Sums over a ledger.
    #[derive(Default)]
    pub struct LedgerTotals {
        /// Per kind.
        pub by_kind: BTreeMap<FactKind, FateCounts>,
        /// Share of the facts' weight that is kept, 0 to 1; absent when nothing is summarized.
        // A run that only clears is no summary without losses.
        pub retention: Option<f64>,
        /// The facts behind it; absent in runs of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub counted: Option<CountedFacts>,
        /// Summary size over span size.
        pub compression_ratio: f64,
        /// Extractive coverage (Grusky 2018), 0 to 1.
        pub coverage: f64,
        /// Extractive density (Grusky 2018).
        pub density: f64,
        /// Dropped facts that were needed later; null where that was not measured.
        pub needed_later: Option<u64>,
        /// True where no entry follows, so that no fact could be needed later; absent otherwise.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        pub nothing_after: bool,
        /// Facts in all.
        pub facts: u64,
        /// Things the summary adds.
        pub introduced: u64,
    }
}

wire! {
    /// The facts that retention counts: all but the minor ones, which were only seen or said in passing.
    #[derive(Copy)]
    pub struct CountedFacts {
        /// How many there are.
        pub facts: u64,
        /// Those that are verbatim or reworded.
        pub kept: u64,
        /// Those that are partly kept or changed.
        pub half: u64,
        /// Their weight.
        pub weight: f64,
        /// The weight that is kept.
        pub kept_weight: f64,
    }
}

wire! {
    /// What an agent did after a compaction until it edited a file again.
    #[derive(Copy)]
    pub struct ReorientationFigures {
        /// Calls before the edit.
        pub calls: u64,
        /// Those of them that read, search or list.
        pub looks: u64,
        /// Prompts of the user before the edit.
        pub prompts: u64,
        /// Estimated tokens until the edit.
        pub tokens: u64,
        /// Time from the compaction to the edit, where both have one.
        pub elapsed_ms: Option<i64>,
        /// Median of the calls between two edits before the compaction.
        pub usual: Option<u64>,
    }
}

wire! {
    /// The same, with the entry of the edit.
    pub struct ReorientationView {
        /// The figures.
        pub figures: ReorientationFigures,
        /// The entry that edits.
        pub entry_id: String,
    }
}

wire! {
    /// Facts of a kind by status.
    #[derive(Default, Copy)]
    pub struct FateCounts {
        /// Present verbatim.
        pub verbatim: u64,
        /// Present in another spelling.
        pub mentioned: u64,
        /// Present with another meaning.
        #[serde(default)]
        pub changed: u64,
        /// Part of it is there.
        pub partial: u64,
        /// Missing in the summary.
        pub dropped: u64,
    }
}

wire! {
    /// Asks for the source side of a ledger, page by page.
    pub struct LedgerSourceRequest {
        /// The ledger, as named by [`LedgerView::ledger_id`].
        pub ledger_id: String,
        /// Number of items to skip.
        #[serde(default)]
        pub offset: u64,
        /// How many items to return.
        pub limit: u64,
    }
}

wire! {
    /// A page of the source side.
    pub struct LedgerSourcePage {
        /// Items in all.
        pub total: u64,
        /// Position of the first item of this page.
        pub offset: u64,
        /// The items.
        pub items: Vec<SourceItem>,
    }
}

wire! {
    /// An item of the summarized span with its facts marked.
    pub struct SourceItem {
        /// The entry.
        pub entry_id: String,
        /// Who speaks in it.
        pub role: Role,
        /// The tool, for a call or its result.
        pub tool_name: Option<String>,
        /// True for a failed tool or a failed or aborted message.
        pub is_error: bool,
        /// True for the result of a call that the user rejected.
        pub rejected: bool,
        /// The text; long stretches without facts are left out and said so.
        pub text: String,
        /// The facts in it, in order, not overlapping.
        pub marks: Vec<FactMark>,
        /// Size in tokens, estimated.
        pub tokens: u64,
    }
}

wire! {
    /// A marked range.
    pub struct FactMark {
        /// First UTF-16 unit.
        pub start: u64,
        /// One past the last.
        pub end: u64,
        /// The fact.
        pub fact_id: String,
        /// Its status.
        pub status: FactStatus,
    }
}

wire! {
    /// A row of a side-by-side difference.
    pub struct DiffRow {
        /// What it shows.
        pub kind: DiffKind,
        /// The left line.
        pub left: Option<DiffLine>,
        /// The right line.
        pub right: Option<DiffLine>,
    }
}

wire! {
    /// A line of a difference.
    pub struct DiffLine {
        /// 1-based line number.
        pub number: u64,
        /// The line without its end.
        pub text: String,
        /// What changed within it.
        pub ranges: Vec<TextRange>,
        /// The number of the line that it is on the other side, where it was moved.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub moved: Option<u64>,
    }
}

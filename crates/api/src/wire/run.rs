//! Runs: executed plans.

use super::{
    ClaimView, DiffRow, DifferingSetting, EditedView, FactKind, FactStatus, FileLists, FoundBy,
    JudgeWhat, JudgedClaims, LedgerTotals, MdBlock, NextStepView, PlanRequest, PlanView, Purpose,
    RunSettingView, RunStatus, ScorePart, SummaryKind, UsageView, WireError,
};
use std::collections::BTreeMap;

wire! {
    /// Asks to plan and run a compaction, or the summary of a branch.
    #[derive(Default)]
    pub struct CompactRequest {
        /// What to plan.
        #[serde(flatten)]
        pub plan: PlanRequest,
        /// The hash of the plan that was shown: the run executes that plan, or fails when an entry
        /// of it has changed. Without a hash the run plans now.
        #[serde(default)]
        #[ts(optional)]
        pub plan_hash: Option<String>,
        /// A name the caller chose, under which it gets the events and can cancel.
        #[serde(default)]
        pub stream: Option<String>,
        /// True where the user agreed to a cost above the limit of the settings.
        #[serde(default)]
        #[ts(optional)]
        pub above_limit: Option<bool>,
    }
}

wire! {
    /// Asks to cancel what runs under a name.
    pub struct CancelRequest {
        /// The name given when it was started.
        pub stream: String,
    }
}

wire! {
    /// A run in the table.
    pub struct RunRow {
        /// The run's id.
        pub run_id: String,
        /// What it made.
        pub kind: SummaryKind,
        /// The session.
        pub session: String,
        /// The id of the session as lists show it; in a list.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub shown_session: Option<String>,
        /// The entry it was planned at; of a branch's summary the one under which it would stand.
        pub at: Option<String>,
        /// How it ended.
        pub status: RunStatus,
        /// What went wrong.
        pub error: Option<String>,
        /// What to do about it, in words that hold in every host.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub hint: Option<String>,
        /// What to do about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub next: Option<NextStepView>,
        /// Partial output of a failed or cancelled run; absent when there is none, and for a
        /// finished run.
        // Shown by the row itself, so that its run need not be asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub partial: Option<String>,
        /// The strategy.
        pub strategy: String,
        /// What was done instead of what was planned, and why; absent when all went as planned.
        // Without it such a run would look like any other in a table.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub fell_back: Option<RunAttempt>,
        /// The provider.
        pub provider: String,
        /// The model.
        pub model: Option<String>,
        /// Custom instructions.
        pub instructions: Option<String>,
        /// When it was started.
        pub started_at: i64,
        /// How long it took.
        pub elapsed_ms: u64,
        /// Size of the summary in tokens, estimated; 0 when nothing is summarized.
        pub summary_tokens: u64,
        /// Tokens used.
        pub usage: UsageView,
        /// The overall score; absent where it was not measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub score: Option<OverallScore>,
        /// Share of the facts' weight that is kept, 0 to 1; absent when nothing is summarized.
        // A run that only clears is no summary without losses.
        pub retention: Option<f64>,
        /// Dropped facts that were needed later; absent where nothing is summarized, and where no entry
        /// follows that could need one.
        pub needed_later: Option<u64>,
        /// Why the run is in memory only, until the program ends; absent when it is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub unkept: Option<WireError>,
        /// What the user edited; absent unless the summary was edited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub edited: Option<EditedView>,
        /// What the user calls it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub name: Option<String>,
        /// A note of the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub note: Option<String>,
        /// The summary of the session that it writes again; in lists of one session only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub again: Option<String>,
        /// The settings in which it differs from the other runs of its cut in the same list.
        #[serde(default)]
        pub differs: Vec<RunSettingView>,
    }
}

wire! {
    /// A run, whole.
    pub struct RunView {
        /// The row as in the table.
        pub row: RunRow,
        /// What it made (also in `row`).
        pub kind: SummaryKind,
        /// The deepest entry on both paths, of a branch's summary.
        pub common_ancestor_id: Option<String>,
        /// The run's id (also in `row`).
        pub run_id: String,
        /// The plan it executed.
        pub plan: PlanView,
        /// The summary, or the partial output of a failed or cancelled run; empty when nothing is
        /// summarized.
        pub summary: String,
        /// The summary as markdown.
        pub blocks: Vec<MdBlock>,
        /// The calls made.
        pub calls: Vec<RunCall>,
        /// Sum of the calls' usage.
        pub usage: UsageView,
        /// Cost of all calls, where the price is known.
        pub cost_usd: Option<f64>,
        /// How long it took.
        pub elapsed_ms: u64,
        /// Sums of its ledger; absent for a run without a whole summary, and when nothing
        /// is summarized.
        pub ledger: Option<LedgerTotals>,
        /// Files that the summary lists.
        pub files: FileLists,
        /// Failed attempts before this one: the reason, and the fallback used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub attempts: Option<Vec<RunAttempt>>,
    }
}

wire! {
    /// A failed attempt of a run.
    pub struct RunAttempt {
        /// Why it failed.
        pub reason: String,
        /// The fallback used.
        pub then: String,
    }
}

wire! {
    /// A call as it was made.
    pub struct RunCall {
        /// What it was for.
        pub purpose: Purpose,
        /// Its usage.
        pub usage: UsageView,
        /// How long it took, waits included.
        pub elapsed_ms: u64,
        /// Why the model stopped: `stop`, `length`, `tool_call`, `refusal`, or another reason as
        /// the provider spells it.
        pub stop_reason: String,
        /// The reply as it came.
        pub reply: String,
        /// How often it was tried again.
        pub retries: u32,
        /// True when its attempt failed or the call was repeated, so that the summary has nothing
        /// of this reply; absent otherwise.
        // Replaying must not take a refused reply for the one that was used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub superseded: Option<bool>,
    }
}

wire! {
    /// Asks for runs.
    pub struct RunsRequest {
        /// Only of this session.
        #[serde(default)]
        pub session: Option<String>,
    }
}

wire! {
    /// Names a run.
    pub struct RunRequest {
        /// The run's id or a unique prefix.
        pub run: String,
    }
}

wire! {
    /// What replaying a run came to: its summary made again from its recorded replies.
    pub struct ReplayView {
        /// The run.
        pub run_id: String,
        /// True when the summary is the kept one, byte for byte.
        pub same: bool,
        /// Where the first difference is, in bytes.
        pub differs_at: Option<u64>,
        /// Number of calls whose replies were used.
        pub calls: u64,
        /// True when recovery from overflow had made calls smaller than planned.
        pub adapted: bool,
        /// Whether planning again gives the very prompts; absent when it cannot be planned again.
        pub same_prompts: Option<bool>,
        /// The summary made again; of a judgement its result as JSON.
        pub summary: String,
        /// What was judged, where it is a judgement and no run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub judged: Option<JudgeWhat>,
    }
}

wire! {
    /// Asks to compare two summaries of one span: each a run's id, or `entry:ID` for a summary
    /// that the session itself holds.
    pub struct CompareRequest {
        /// The session.
        pub session: String,
        /// One summary.
        pub left: String,
        /// The other.
        pub right: String,
    }
}

wire! {
    /// Two summaries side by side.
    pub struct CompareView {
        /// One.
        pub left: ComparedSummary,
        /// The other.
        pub right: ComparedSummary,
        /// Their difference, line by line.
        pub rows: Vec<DiffRow>,
        /// Facts whose status differs, weightiest first.
        pub facts: Vec<ComparedFact>,
        /// Number of facts with the same status in both.
        pub same_fate: u64,
        /// True when both cut the same context. Otherwise no figure of one says anything about the
        /// other, and no fact is compared.
        pub same_cut: bool,
    }
}

wire! {
    /// One of two compared summaries.
    pub struct ComparedSummary {
        /// What it is, in words: strategy and model, or that it is the session's own.
        pub title: String,
        /// The run, unless it is the session's own.
        pub run: Option<RunRow>,
        /// The summary.
        pub summary: String,
        /// Its size in tokens, estimated.
        pub tokens: u64,
        /// Sums of its ledger, on the facts of its cut.
        pub totals: LedgerTotals,
        /// Its cut, as a position in [`CompareAllView::cuts`].
        pub cut: u64,
        /// What it is worth, on the facts of its cut.
        pub score: SummaryScore,
        /// Its sentences by what their sources say of them, in order.
        pub claims: Vec<ClaimView>,
        /// The sums of what a model said of its claims and facts, where one was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub judged_claims: Option<JudgedClaims>,
        /// Position of an earlier summary from which it differs in prompts only, which the offline
        /// summarizer does not read: a comparison of the two says nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub same_as: Option<u64>,
    }
}

wire! {
    /// What a summary is worth: figures over what the next request would hold, the summary and the
    /// kept tail. Summaries can be compared by them if they have the same cut.
    pub struct SummaryScore {
        /// The overall score with its parts: the headline; absent where the file holds far less than
        /// the context.
        pub overall: Option<OverallScore>,
        /// Of the facts that were really used again later.
        pub needed_later: HeldCounts,
        /// Facts by kind.
        pub by_kind: BTreeMap<FactKind, HeldCounts>,
        /// Facts that the summary states with another meaning.
        pub changed: u64,
        /// Identifiers of the summary that its sources do not have.
        pub introduced: u64,
        /// Sentences of the summary by what the sources say of them; absent where they were not
        /// checked.
        pub claims: Option<ClaimCounts>,
        /// Size of the summary in tokens, estimated.
        pub summary_tokens: u64,
        /// Size of the whole next request in tokens.
        pub next_tokens: u64,
        /// Calls made; absent for a summary that the session holds.
        pub calls: Option<u64>,
        /// Cost in dollars; absent where it is unknown.
        pub cost_usd: Option<f64>,
        /// How long the run took; absent for a summary that the session holds.
        pub elapsed_ms: Option<u64>,
    }
}

wire! {
    /// The overall score of a summary with its parts, each 0 to 1.
    pub struct OverallScore {
        /// The score.
        pub score: f64,
        /// The parts that could be measured.
        pub parts: BTreeMap<ScorePart, f64>,
    }
}

wire! {
    /// Facts by where the next request holds them.
    #[derive(Default, Copy)]
    pub struct HeldCounts {
        /// All.
        pub facts: u64,
        /// Those that the summary has in full.
        pub in_summary: u64,
        /// Those that only the kept tail has.
        pub in_tail: u64,
        /// Those of which the summary has a part, and the tail nothing.
        pub partial: u64,
        /// Those that the summary has with another meaning and the tail does not have.
        pub changed: u64,
        /// Those that neither has.
        pub lost: u64,
        /// The share still held, 0 to 1, where a partly kept or changed fact counts half; absent
        /// where there is no fact.
        pub share: Option<f64>,
    }
}

wire! {
    /// Sentences of a summary by what its sources say of them.
    #[derive(Default, Copy)]
    pub struct ClaimCounts {
        /// The sources say the same.
        pub supported: u64,
        /// The sources say the opposite.
        pub contradicted: u64,
        /// It was so once and changed later in the span.
        pub stale: u64,
        /// The sources have nothing of it.
        pub without_source: u64,
        /// The rules cannot tell.
        pub unchecked: u64,
    }
}

wire! {
    /// A context that summaries of a comparison cut.
    pub struct ComparedCut {
        /// The entry whose context it is; absent before the first entry.
        pub at: Option<String>,
        /// Positions of its summaries in [`CompareAllView::sides`].
        pub sides: Vec<u64>,
        /// Entries whose facts count: those that at least one of its summaries takes out.
        pub entries: u64,
        /// Their facts.
        pub facts: u64,
        /// Facts among them that were used again later.
        pub needed_later: u64,
        /// Context size in tokens that the agent recorded, where the file holds far less of it.
        pub incomplete: Option<u64>,
    }
}

wire! {
    /// A fact and its status in two summaries.
    pub struct ComparedFact {
        /// What kind of thing it is.
        pub kind: FactKind,
        /// The thing.
        pub text: String,
        /// Its status in one.
        pub left: FactStatus,
        /// Its status in the other.
        pub right: FactStatus,
        /// Who found it; absent for what only rules found. What only a model found is in no sum.
        #[serde(default, skip_serializing_if = "FoundBy::by_rules_alone")]
        #[ts(as = "Option<FoundBy>", optional)]
        pub found_by: FoundBy,
        /// True when it was needed later.
        pub needed_later: bool,
        /// Where it first stands.
        pub entry_id: Option<String>,
    }
}

wire! {
    /// Asks to compare several summaries of one session: each a run's id, or `entry:ID` for a
    /// summary that the session itself holds.
    pub struct CompareAllRequest {
        /// The session.
        pub session: String,
        /// The summaries, two or more.
        pub sides: Vec<String>,
    }
}

wire! {
    /// Several summaries side by side.
    pub struct CompareAllView {
        /// The summaries, in the order asked for.
        pub sides: Vec<ComparedSummary>,
        /// Facts whose status differs, weightiest first.
        pub facts: Vec<FatesView>,
        /// Number of facts with the same status in all that summarize them.
        pub same_fate: u64,
        /// The contexts that the summaries cut. Summaries can be ranked only where it is one.
        pub cuts: Vec<ComparedCut>,
        /// The settings in which the runs among them differ, the most important first.
        pub settings: Vec<DifferingSetting>,
    }
}

wire! {
    /// A fact and its status in several summaries.
    pub struct FatesView {
        /// What kind of thing it is.
        pub kind: FactKind,
        /// The thing.
        pub text: String,
        /// Its status in each; absent where the summary is of another cut.
        pub fates: Vec<Option<FactStatus>>,
        /// True for each summary whose kept tail has it.
        pub in_tail: Vec<bool>,
        /// Who found it; absent for what only rules found. What only a model found is in no sum.
        #[serde(default, skip_serializing_if = "FoundBy::by_rules_alone")]
        #[ts(as = "Option<FoundBy>", optional)]
        pub found_by: FoundBy,
        /// True when it was needed later.
        pub needed_later: bool,
        /// Where it first stands.
        pub entry_id: Option<String>,
    }
}

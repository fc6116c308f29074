//! The answers there are; as JSON they are what the command line promises programs.

use super::cost::SessionCost;
use super::figures::LedgerFigures;
use palimpsest_api::wire::*;
use palimpsest_api::{BenchReport, Empty};
use serde::Serialize;

/// The answer to a command. As JSON it is what the command line promises programs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one answer in the life of the program"
)]
pub enum Answer {
    /// To `index`.
    Index(IndexReport),
    /// To `sessions`; programs get the rows alone.
    Sessions(#[serde(serialize_with = "rows")] SessionPage),
    /// The same, where words or filters left none.
    NoMatch(#[serde(serialize_with = "rows")] SessionPage),
    /// To `tree`.
    Tree(TreeView),
    /// To `cost`.
    Cost(Box<SessionCost>),
    /// To `entry`.
    Entry(EntryTextView),
    /// To `context`.
    Context(ContextView),
    /// To `plan`.
    Plan(PlanView),
    /// To `compact` and `branch-summary`.
    Run(RunView),
    /// To `ledger`.
    Ledger(LedgerView),
    /// To `ledger --figures` and `ledger --figure`.
    Figures(LedgerFigures),
    /// To `judge`.
    Judgements(Vec<JudgementView>),
    /// To `judge --dry-run`.
    JudgePlan(JudgePlanView),
    /// To `judge --what` and `judge --show`.
    Judgement(JudgementView),
    /// To `judge --delete`.
    JudgementDeleted(Empty),
    /// To `chain`.
    Chain(ChainView),
    /// To `export`; programs get the document itself.
    Export(#[serde(serialize_with = "exported")] ExportView),
    /// To `policy`.
    Policy(PolicyReport),
    /// To `policy --list`.
    Policies(PolicyList),
    /// To `note SESSION` and `label SESSION`.
    Marks(MarksView),
    /// To `star`.
    Star(StarView),
    /// To `note`.
    Note(NoteSaved),
    /// To `label`.
    Labels(LabelsView),
    /// To `search`.
    Search(SearchPage),
    /// To `search` with filters that choose sessions alone; programs get the rows beside the page.
    SearchedSessions {
        /// The page, with notes and labels.
        #[serde(flatten)]
        page: SearchPage,
        /// The sessions.
        #[serde(serialize_with = "rows")]
        sessions: SessionPage,
    },
    /// To `search --by`.
    Counts(CountView),
    /// To `find`.
    Find(FindView),
    /// To `rename`.
    Renamed(RenameView),
    /// To `strategies`.
    Strategies(Vec<StrategyInfo>),
    /// To `models`.
    Models(Vec<ModelRow>),
    /// To `models --provider`.
    ProviderModels(ProviderModels),
    /// To `models --local`.
    LocalServers(Vec<LocalServer>),
    /// To `coder`, and to `coder add` and `coder remove`, which change the list.
    CoderServers(Vec<CoderServer>),
    /// To `coder read`.
    CoderRead(CoderReading),
    /// To `limit`.
    Limit(CostLimit),
    /// To `replay`.
    Replay(ReplayView),
    /// To `runs`.
    Runs(Vec<RunRow>),
    /// To `prompts`.
    Prompts(Vec<PromptRow>),
    /// To `prompts show`.
    Prompt(PromptRow),
    /// To `prompts find`, and to `prompts import --installed --dry-run`.
    InstalledPrompts(InstalledPromptsView),
    /// To `prompts label`.
    PromptLabelled(PromptRow),
    /// To `prompts rename`.
    PromptRenamed(Empty),
    /// To `prompts save`.
    PromptSaved(PromptRow),
    /// To `prompts delete`.
    PromptDeleted(Empty),
    /// To `prompts import`.
    PromptsImport(PromptImportView),
    /// To `branches`.
    Branches(BranchesView),
    /// To `branches` with an entry.
    BranchCompare(Box<BranchCompareView>),
    /// To `put-back`.
    PutBack(PutBackView),
    /// To `navigate`.
    Navigate(Box<NavigateView>),
    /// To `apply --dry-run`.
    WritePlan(WritePlanView),
    /// To `apply`, `navigate --write` and `written undo`.
    Written(Box<WrittenView>),
    /// To `written`.
    AllWritten(Vec<WrittenView>),
    /// To `lab run --dry-run`.
    LabPlan(LabPlanView),
    /// To `lab run` and `lab show`.
    Lab(LabView),
    /// To `lab list`.
    Labs(Vec<LabListRow>),
    /// To `lab replay`.
    LabReplay(LabReplayView),
    /// To `lab calibrate`.
    LabCalibration(LabCalibration),
    /// To `lab delete`.
    LabDeleted(Empty),
    /// To `lab cuts`.
    CutSets(Vec<CutSetView>),
    /// To `lab cuts NAME --query`.
    CutSet(CutSetView),
    /// To `lab delete-cuts`.
    CutSetDeleted(Empty),
    /// To `bench`.
    Bench(BenchReport),
}

/// The cost above which nothing is run unless the user agrees.
#[derive(Debug, Serialize)]
pub struct CostLimit {
    /// In dollars; `null` is no limit.
    pub limit_usd: Option<f64>,
}

fn rows<S: serde::Serializer>(page: &SessionPage, serializer: S) -> Result<S::Ok, S::Error> {
    page.sessions.serialize(serializer)
}

fn exported<S: serde::Serializer>(view: &ExportView, serializer: S) -> Result<S::Ok, S::Error> {
    match &view.path {
        Some(path) => serde_json::json!({ "path": path }).serialize(serializer),
        None => {
            let document: serde_json::Value =
                serde_json::from_str(&view.text).map_err(serde::ser::Error::custom)?;
            document.serialize(serializer)
        }
    }
}

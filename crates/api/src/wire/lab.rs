//! Experiments over several cuts.

use super::LabCellState;
use std::collections::BTreeMap;

wire! {
    /// Asks to plan or run an experiment, which one of three fields describes.
    #[derive(Default)]
    pub struct LabRequest {
        /// The experiment as TOML, or as JSON of the same fields: name, cuts (query and limit, list,
        /// or set), rows, repeats, budget_usd, concurrent, seed, thresholds.
        #[serde(default)]
        pub experiment: Option<String>,
        /// The experiment by its parts, over a stored set of cuts.
        #[serde(default)]
        pub parts: Option<LabParts>,
        /// The id of one that was begun, to go on with it.
        #[serde(default)]
        pub lab: Option<String>,
        /// With `lab`: another budget.
        #[serde(default)]
        pub budget_usd: Option<f64>,
        /// A name the caller chose, under which it can be cancelled; else its id is that.
        #[serde(default)]
        pub stream: Option<String>,
        /// Runs cells again whose run failed.
        #[serde(default)]
        pub retry_failed: bool,
        /// True where the user agreed to a cost above the limit of the settings.
        #[serde(default)]
        pub above_limit: bool,
    }
}

wire! {
    /// The parts of an experiment.
    pub struct LabParts {
        /// Its name.
        pub name: String,
        /// The name of the stored set of cuts; absent for one whose cuts were described otherwise.
        #[serde(default)]
        pub set: Option<String>,
        /// Its rows. Differences are taken against the first one.
        pub rows: Vec<LabRowSpec>,
        /// Most that it may cost in dollars; absent where that is not limited.
        #[serde(default)]
        pub budget_usd: Option<f64>,
        /// Runs made at the same time.
        pub concurrent: u64,
    }
}

wire! {
    /// How a row makes its summaries.
    pub struct LabRowSpec {
        /// Its name.
        pub name: String,
        /// The strategy.
        pub strategy: String,
        /// Parameters by their places, prompts included.
        #[serde(default)]
        pub set: BTreeMap<String, serde_json::Value>,
        /// Custom instructions.
        #[serde(default)]
        pub instructions: Option<String>,
        /// Whether they replace the prompt.
        #[serde(default)]
        pub replace_prompt: bool,
        /// The provider; absent for the offline summarizer.
        #[serde(default)]
        pub provider: Option<String>,
        /// The model.
        #[serde(default)]
        pub model: Option<String>,
        /// How often it is run at each cut.
        pub repeats: u64,
    }
}

wire! {
    /// Names an experiment that was begun.
    pub struct LabShowRequest {
        /// Its id, the beginning of it, or its name.
        pub lab: String,
    }
}

wire! {
    /// A cell that began or ended.
    #[derive(Copy)]
    pub struct LabCellProgress {
        /// Which row, from 0.
        pub row: u64,
        /// Which cut, from 0.
        pub cut: u64,
        /// Which repeat, from 0.
        pub repeat: u64,
        /// How far it is.
        pub state: LabCellState,
    }
}

wire! {
    /// Asks for the cuts that a query gives. Nothing is stored.
    pub struct CutsRequest {
        /// Words and filters of sessions: each summary on their active paths is a cut.
        pub query: String,
        /// Most cuts.
        pub limit: u64,
    }
}

wire! {
    /// Names cuts of a set.
    pub struct CutSetCutsRequest {
        /// The set; where cuts are added, it is made if there is none.
        pub name: String,
        /// The cuts.
        pub cuts: Vec<CutRef>,
    }
}

wire! {
    /// What changed in a set of cuts since it was stored.
    pub struct CutSetChanges {
        /// For each cut why it is not what it was; null for one that did not change.
        pub changed: Vec<Option<String>>,
    }
}

wire! {
    /// Asks to save a set of cuts.
    #[derive(Default)]
    pub struct CutSetSaveRequest {
        /// Its name; a set of the same name is replaced.
        pub name: String,
        /// A query of sessions: each summary on their active paths is a cut.
        #[serde(default)]
        pub query: Option<String>,
        /// Most cuts that the query gives.
        #[serde(default)]
        pub limit: Option<u64>,
        /// The cuts one by one, without a query.
        #[serde(default)]
        pub cuts: Vec<CutRef>,
    }
}

wire! {
    /// A place where a context is cut.
    pub struct CutRef {
        /// The session: a file or an id.
        pub session: String,
        /// The entry: a summary that is made again, or an entry to compact at.
        pub entry: String,
        /// For a branch summary the target entry; `entry` is the start entry.
        #[serde(default)]
        pub to: Option<String>,
    }
}

wire! {
    /// Names a set of cuts.
    pub struct CutSetRequest {
        /// Its name.
        pub name: String,
    }
}

wire! {
    /// A stored set of cuts.
    pub struct CutSetView {
        /// Its name.
        pub name: String,
        /// The query that chose them.
        pub query: Option<String>,
        /// The cuts.
        pub cuts: Vec<CutView>,
        /// When it was saved.
        pub made_at: i64,
    }
}

wire! {
    /// A cut as it was stored.
    pub struct CutView {
        /// The session's file or address.
        pub session: String,
        /// The session's id; empty in a set of an earlier version.
        pub session_id: String,
        /// Its title.
        pub title: String,
        /// Its agent.
        pub agent: String,
        /// The entry.
        pub entry: String,
        /// The target entry, of a branch summary.
        pub to: Option<String>,
        /// True for a summary that the session holds: it takes part in the comparison.
        pub stored: bool,
        /// Hash of the records that the context is made of.
        pub hash: String,
    }
}

wire! {
    /// What an experiment would do.
    pub struct LabPlanView {
        /// Its id.
        pub lab_id: String,
        /// Its name.
        pub name: String,
        /// Its cuts.
        pub cuts: Vec<CutView>,
        /// Its rows.
        pub rows: Vec<LabRowPrice>,
        /// Cells in all.
        pub cells: u64,
        /// Cells that have ended before.
        pub ended: u64,
        /// Calls to models of all cells.
        pub calls: u64,
        /// Estimated cost of the cells that have not ended; absent where a price is unknown.
        pub cost_usd: Option<f64>,
        /// What they may cost when every attempt is made and every fallback is used.
        pub most_usd: Option<f64>,
        /// True where a price that the user entered was used.
        pub user_prices: bool,
        /// Most that it may cost.
        pub budget_usd: Option<f64>,
    }
}

wire! {
    /// What a row would do at all cuts.
    pub struct LabRowPrice {
        /// Its name.
        pub name: String,
        /// Calls, repeats included.
        pub calls: u64,
        /// Estimated cost, repeats included; absent where the price is unknown.
        pub cost_usd: Option<f64>,
        /// Cuts at which it cannot be run.
        pub without_plan: u64,
        /// Why, the most frequent reason first.
        pub without_plan_reasons: Vec<LabCannot>,
    }
}

wire! {
    /// A reason why a row cannot be run at some cuts.
    pub struct LabCannot {
        /// What is missing.
        pub reason: String,
        /// At how many cuts.
        pub cuts: u64,
    }
}

wire! {
    /// An experiment in a list.
    pub struct LabListRow {
        /// Its id.
        pub lab_id: String,
        /// Its name.
        pub name: String,
        /// Cells in all.
        pub cells: u64,
        /// Cells that have ended.
        pub ended: u64,
        /// Cells among them that failed.
        pub failed: u64,
        /// True while a process runs it.
        pub running: bool,
        /// When it was begun.
        pub started_at: i64,
        /// When its last cell ended.
        pub finished_at: Option<i64>,
    }
}

wire! {
    /// What came of an experiment.
    pub struct LabView {
        /// Its id.
        pub lab_id: String,
        /// Its name.
        pub name: String,
        /// Its parts.
        pub parts: LabParts,
        /// True while a process runs it.
        pub running: bool,
        /// True when every cell has ended.
        pub complete: bool,
        /// Its cuts.
        pub cuts: Vec<CutView>,
        /// Its rows, and last the row `agent` where sessions hold summaries of their own.
        pub rows: Vec<LabRowView>,
        /// Every row against the first one.
        pub differences: Vec<LabDifference>,
        /// The thresholds.
        pub verdicts: Vec<LabVerdict>,
        /// True when every threshold was met, or there is none.
        pub met: bool,
        /// The cells, by cut, row and repeat.
        pub cells: Vec<LabCellView>,
        /// Requests sent.
        pub sent: u64,
        /// Requests whose reply was lost, because the program ended before it came; each was sent
        /// again.
        pub lost: u64,
        /// What the runs cost, as far as prices are known.
        pub spent_usd: f64,
        /// When it was begun.
        pub started_at: i64,
        /// When its last cell ended.
        pub finished_at: Option<i64>,
    }
}

wire! {
    /// The figures of a row.
    pub struct LabRowView {
        /// Its name.
        pub name: String,
        /// The strategy; absent for the row `agent`.
        pub strategy: Option<String>,
        /// Cells with figures.
        pub done: u64,
        /// Cells whose run failed.
        pub failed: u64,
        /// Each figure by its name, such as `needed_later` or `retention.constraint`.
        pub figures: BTreeMap<String, LabSpread>,
    }
}

wire! {
    /// A figure of a row over all cuts.
    #[derive(Copy)]
    pub struct LabSpread {
        /// Cuts that have it.
        pub cuts: u64,
        /// The mean over cuts, each with the mean of its repeats.
        pub mean: f64,
        /// Standard deviation over cuts.
        pub deviation: f64,
        /// Standard deviation over the repeats of a cut; absent without repeats.
        pub repeat_deviation: Option<f64>,
    }
}

wire! {
    /// A row minus another, cut by cut.
    pub struct LabDifference {
        /// The row.
        pub row: String,
        /// The row that is taken off.
        pub versus: String,
        /// The figure.
        pub metric: String,
        /// Cuts at which both have it.
        pub cuts: u64,
        /// The mean difference.
        pub mean: f64,
        /// The lower end of its 95 % interval; absent for fewer than three cuts.
        pub low: Option<f64>,
        /// The upper end.
        pub high: Option<f64>,
    }
}

wire! {
    /// A threshold and whether it was met.
    pub struct LabVerdict {
        /// The row.
        pub row: String,
        /// The row that is taken off.
        pub versus: Option<String>,
        /// The figure.
        pub metric: String,
        /// The least it may be.
        pub at_least: Option<f64>,
        /// The most it may be.
        pub at_most: Option<f64>,
        /// The figure held against it; absent where no cell has it.
        pub found: Option<f64>,
        /// True when it was met.
        pub met: bool,
    }
}

wire! {
    /// A cell: one row at one cut in one repeat.
    pub struct LabCellView {
        /// Which row, from 0.
        pub row: u64,
        /// Which cut, from 0.
        pub cut: u64,
        /// Which repeat, from 0.
        pub repeat: u64,
        /// How far it came.
        pub state: LabCellState,
        /// Its run, whose ledger can be opened; absent before it ends.
        pub run_id: Option<String>,
        /// Why it failed.
        pub error: Option<String>,
        /// Requests sent.
        pub sent: u64,
        /// Requests whose reply was lost.
        pub lost: u64,
        /// Its figures.
        pub figures: BTreeMap<String, f64>,
    }
}

wire! {
    /// What replaying an experiment came to.
    pub struct LabReplayView {
        /// Runs replayed.
        pub runs: u64,
        /// Those whose summary is the stored one, byte for byte.
        pub same: u64,
    }
}

wire! {
    /// Asks how often the intervals are right on simulated experiments.
    #[derive(Default)]
    pub struct LabCalibrateRequest {
        /// The seed of the first.
        #[serde(default)]
        pub seed: u64,
    }
}

wire! {
    /// How often the intervals are right.
    pub struct LabCalibration {
        /// Cuts of an experiment.
        pub cuts: u64,
        /// Repeats of each row at each cut.
        pub repeats: u64,
        /// Experiments with a planted difference.
        pub planted: u64,
        /// Those whose interval is on its side of zero.
        pub found: u64,
        /// Experiments without a difference.
        pub equal: u64,
        /// Those whose interval holds zero.
        pub hold_zero: u64,
        /// True when 90 % of the planted ones are found and 92 to 98 % of the others hold zero.
        pub right: bool,
    }
}

//! Running the cells of an experiment that have not ended.

use super::cuts::StoredCut;
use super::outcome::LabOutcome;
use super::pricing::{LabPlan, spec_of};
use super::progress::{LabCellProgress, LabCellState, LabProgress};
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::run::{RunSpec, run_id};
use crate::session::lock;
use crate::workspace::{App, AppEvent};
use futures::StreamExt as _;
use palimpsest_core::failure::NextStep;
use palimpsest_lab::Experiment;
use palimpsest_store::user::{LabCellRow, LabRow, RunStatus};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// What to run.
#[derive(Debug, Clone, PartialEq)]
pub struct LabSpec {
    /// The experiment.
    pub experiment: Experiment,
    /// The name under which it can be cancelled.
    pub stream: Option<String>,
    /// Runs cells again whose run failed; replies that are stored are used.
    pub retry_failed: bool,
    /// True where the user agreed to a cost above the limit of the settings.
    pub above_limit: bool,
}

/// What is spent, and what the cells on their way may cost.
#[derive(Default)]
struct Purse {
    spent: f64,
    reserved: f64,
}

/// What the cells of one experiment share while they run.
struct Bench {
    plan: LabPlan,
    purse: Mutex<Purse>,
    ended: AtomicU64,
    cancel: CancellationToken,
}

impl App {
    /// Runs an experiment, or what is left of it, and measures it.
    ///
    /// Errors: as of [`App::plan_lab`]; an estimate above the budget, before anything is sent; and
    /// a budget where a price is unknown.
    pub async fn run_lab(self: &Arc<Self>, spec: LabSpec) -> Result<LabOutcome> {
        let app = Arc::clone(self);
        let experiment = spec.experiment.clone();
        let retry = spec.retry_failed;
        let above_limit = spec.above_limit;
        let (plan, claim, pending, ended) = crate::run::blocking(move || {
            let plan = app.plan_lab(experiment)?;
            let claim = app.claim_lab(&plan.id, &plan.experiment.name)?;
            let known = app.user_db()?.lab_cells(&plan.id)?;
            app.check_budget(&plan, &known)?;
            if !above_limit {
                app.check_cost_limit(plan.most_usd)?;
            }
            app.user_db()?.save_lab(&LabRow {
                id: plan.id.clone(),
                name: plan.experiment.name.clone(),
                experiment: super::to_json(&plan.experiment)?,
                cuts: super::to_json(&plan.cuts)?,
                started_at_ms: match app.user_db()?.lab(&plan.id)? {
                    Some(row) => row.started_at_ms,
                    None => now_ms(),
                },
                finished_at_ms: None,
            })?;
            let pending = app.pending(&plan, &known, retry)?;
            let ended = app.user_db()?.lab_cells(&plan.id)?.into_iter();
            let ended = ended.filter(|cell| cell.ended).count() as u64;
            Ok((plan, claim, pending, ended))
        })
        .await?;
        let stream = spec.stream.clone().unwrap_or_else(|| plan.id.clone());
        let bench = Bench {
            purse: Mutex::new(Purse {
                spent: self.spent_on(&plan.id)?,
                reserved: 0.0,
            }),
            ended: AtomicU64::new(ended),
            cancel: self.begin(&stream),
            plan,
        };
        self.tell_progress(&bench, None, true);
        let cells = futures::stream::iter(pending);
        let results: Vec<Result<()>> = cells
            .map(|cell| self.run_cell(&bench, cell))
            .buffer_unordered(bench.plan.experiment.concurrent.max(1))
            .collect()
            .await;
        self.end(&stream);
        let (app, id) = (Arc::clone(self), bench.plan.id.clone());
        let outcome = match results.into_iter().collect::<Result<Vec<()>>>() {
            Ok(_) => crate::run::blocking(move || app.finish_lab(&id)).await,
            Err(error) => Err(error),
        };
        drop(claim);
        self.tell_progress(&bench, None, false);
        outcome.map(|outcome| LabOutcome {
            running: false,
            ..outcome
        })
    }

    /// Notes that an experiment is complete, where it is.
    fn finish_lab(&self, id: &str) -> Result<LabOutcome> {
        let mut outcome = self.lab(id)?;
        if let Some(mut row) = self.user_db()?.lab(id)?
            && outcome.is_complete()
        {
            row.finished_at_ms = Some(now_ms());
            self.user_db()?.save_lab(&row)?;
            outcome.finished_at_ms = row.finished_at_ms;
        }
        Ok(outcome)
    }

    fn tell_progress(&self, bench: &Bench, cell: Option<LabCellProgress>, running: bool) {
        self.tell(AppEvent::LabProgress(LabProgress {
            lab: bench.plan.id.clone(),
            cells: bench.plan.cells,
            ended: bench.ended.load(Ordering::Relaxed),
            running,
            cell,
        }));
    }

    fn check_budget(&self, plan: &LabPlan, known: &[LabCellRow]) -> Result<()> {
        let Some(budget) = plan.experiment.budget_usd else {
            return Ok(());
        };
        let raise = || NextStep::ChangeParameter {
            name: "budget_usd".to_owned(),
        };
        let Some(estimate) = plan.cost_usd else {
            let unknown = plan.rows.iter().find(|row| row.cost_usd.is_none());
            let name = unknown.map(|row| row.name.as_str()).unwrap_or_default();
            return Err(AppError::bad_request(
                format!(
                    "the price of the model of the row '{name}' is unknown, so the budget cannot be kept"
                ),
                raise(),
            ));
        };
        let spent = if known.is_empty() {
            0.0
        } else {
            self.spent_on(&plan.id)?
        };
        if spent + estimate > budget {
            return Err(AppError::bad_request(
                format!(
                    "the experiment is estimated at ${:.4}, and the budget is ${budget:.4}",
                    spent + estimate
                ),
                raise(),
            ));
        }
        Ok(())
    }

    /// The cells that have not ended, each with the id of its run stored before anything is sent.
    fn pending(
        &self,
        plan: &LabPlan,
        known: &[LabCellRow],
        retry_failed: bool,
    ) -> Result<Vec<LabCellRow>> {
        let known: HashMap<(u64, u64, u64), &LabCellRow> = known
            .iter()
            .map(|cell| ((cell.cut, cell.row, cell.repeat), cell))
            .collect();
        let mut pending = Vec::new();
        for (cut, place) in plan.cuts.iter().enumerate() {
            let changed = self.changed_cut(place);
            for row in 0..plan.experiment.rows.len() {
                for repeat in 0..plan.experiment.repeats_of(row) {
                    let at = (cut as u64, row as u64, repeat as u64);
                    let mut cell = match known.get(&at) {
                        Some(cell) if cell.ended && !(retry_failed && self.failed(cell)) => {
                            continue;
                        }
                        Some(cell) => (*cell).clone(),
                        None => LabCellRow {
                            row: at.1,
                            cut: at.0,
                            repeat: at.2,
                            run_id: run_id()?,
                            ..LabCellRow::default()
                        },
                    };
                    cell.error.clone_from(&changed);
                    cell.ended = false;
                    self.user_db()?.save_lab_cell(&plan.id, &cell)?;
                    if changed.is_none() {
                        pending.push(cell);
                    }
                }
            }
        }
        Ok(pending)
    }

    fn failed(&self, cell: &LabCellRow) -> bool {
        let run = self.run_named(&cell.run_id);
        run.map_or(true, |run| run.row.status != RunStatus::Done)
    }

    async fn run_cell(self: &Arc<Self>, bench: &Bench, mut cell: LabCellRow) -> Result<()> {
        let plan = &bench.plan;
        if bench.cancel.is_cancelled() {
            return Ok(());
        }
        let (row, cut) = (cell.row as usize, cell.cut as usize);
        let estimate = plan.rows[row].by_cut[cut].unwrap_or(0.0);
        {
            let mut purse = lock(&bench.purse);
            let after = purse.spent + purse.reserved + estimate;
            // Real costs can be above their estimates.
            if plan.experiment.budget_usd.is_some_and(|most| after > most) {
                return Ok(());
            }
            purse.reserved += estimate;
        }
        let at = LabCellProgress {
            row: cell.row,
            cut: cell.cut,
            repeat: cell.repeat,
            state: LabCellState::Running,
        };
        self.tell_progress(bench, Some(at), true);
        let place: &StoredCut = &plan.cuts[cut];
        let run = RunSpec {
            plan: spec_of(&plan.experiment.rows[row], place),
            plan_hash: None,
            stream: None,
            // Checked for the experiment as a whole.
            above_limit: true,
            stored_as: Some(cell.run_id.clone()),
        };
        let made = self.compact(run);
        tokio::pin!(made);
        let made = tokio::select! {
            made = &mut made => made,
            () = bench.cancel.cancelled() => {
                self.cancel(&cell.run_id);
                made.await
            }
        };
        let mut cost = 0.0;
        let mut is_done = false;
        match made {
            Ok(run) => {
                is_done = run.row.status == RunStatus::Done;
                cost = run.row.usage.cost_usd.unwrap_or(0.0);
                // A cancelled run goes on with the experiment.
                cell.ended = run.row.status != RunStatus::Cancelled;
            }
            // Nothing to do at this cut: trying again changes nothing.
            Err(AppError::Plan(problem)) => {
                cell.ended = true;
                cell.error = Some(problem.message);
            }
            Err(error) => cell.error = Some(error.to_string()),
        }
        {
            let mut purse = lock(&bench.purse);
            purse.reserved -= estimate;
            purse.spent += cost;
        }
        self.user_db()?.save_lab_cell(&plan.id, &cell)?;
        let state = match (cell.ended, is_done) {
            (false, _) => LabCellState::Waiting,
            (true, true) => LabCellState::Done,
            (true, false) => LabCellState::Failed,
        };
        bench
            .ended
            .fetch_add(u64::from(cell.ended), Ordering::Relaxed);
        self.tell_progress(bench, Some(LabCellProgress { state, ..at }), true);
        Ok(())
    }

    /// What the kept runs of an experiment cost in dollars, as far as prices are known.
    pub(super) fn spent_on(&self, lab: &str) -> Result<f64> {
        let cells = self.user_db()?.lab_cells(lab)?;
        let runs = cells.iter().filter_map(|cell| {
            let run = self.run_named(&cell.run_id).ok()?;
            run.row.usage.cost_usd
        });
        Ok(runs.sum())
    }
}

//! Running the cells of an experiment that have not ended.

use super::cuts::StoredCut;
use super::outcome::LabOutcome;
use super::pricing::{LabPlan, spec_of};
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::run::{RunSpec, run_id};
use crate::session::lock;
use crate::workspace::App;
use futures::StreamExt as _;
use palimpsest_core::failure::NextStep;
use palimpsest_lab::Experiment;
use palimpsest_store::user::{LabCellRow, LabRow, RunStatus};
use std::collections::HashMap;
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
}

/// What is spent, and what the cells on their way may cost.
#[derive(Default)]
struct Purse {
    spent: f64,
    reserved: f64,
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
        let (plan, pending) = crate::run::blocking(move || {
            let plan = app.plan_lab(experiment)?;
            let known = app.user_db()?.lab_cells(&plan.id)?;
            app.check_budget(&plan, &known)?;
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
            Ok((plan, pending))
        })
        .await?;
        let stream = spec.stream.clone().unwrap_or_else(|| plan.id.clone());
        let cancel = self.begin(&stream);
        let spent = self.spent_on(&plan.id)?;
        let purse = Mutex::new(Purse {
            spent,
            reserved: 0.0,
        });
        let at_once = plan.experiment.concurrent.max(1);
        let cells = futures::stream::iter(pending);
        let plan = Arc::new(plan);
        let results: Vec<Result<()>> = cells
            .map(|cell| self.run_cell(&plan, cell, &purse, &cancel))
            .buffer_unordered(at_once)
            .collect()
            .await;
        self.end(&stream);
        results.into_iter().collect::<Result<Vec<()>>>()?;
        let (app, id) = (Arc::clone(self), plan.id.clone());
        crate::run::blocking(move || {
            let outcome = app.lab(&id)?;
            if let Some(mut row) = app.user_db()?.lab(&id)?
                && outcome.is_complete()
            {
                row.finished_at_ms = Some(now_ms());
                app.user_db()?.save_lab(&row)?;
            }
            app.lab(&id)
        })
        .await
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

    async fn run_cell(
        self: &Arc<Self>,
        plan: &Arc<LabPlan>,
        mut cell: LabCellRow,
        purse: &Mutex<Purse>,
        cancel: &CancellationToken,
    ) -> Result<()> {
        if cancel.is_cancelled() {
            return Ok(());
        }
        let (row, cut) = (cell.row as usize, cell.cut as usize);
        let estimate = plan.rows[row].by_cut[cut].unwrap_or(0.0);
        {
            let mut purse = lock(purse);
            let after = purse.spent + purse.reserved + estimate;
            // Real costs can be above their estimates.
            if plan.experiment.budget_usd.is_some_and(|most| after > most) {
                return Ok(());
            }
            purse.reserved += estimate;
        }
        let place: &StoredCut = &plan.cuts[cut];
        let run = RunSpec {
            plan: spec_of(&plan.experiment.rows[row], place),
            plan_hash: None,
            stream: None,
            stored_as: Some(cell.run_id.clone()),
        };
        let made = self.compact(run);
        tokio::pin!(made);
        let made = tokio::select! {
            made = &mut made => made,
            () = cancel.cancelled() => {
                self.cancel(&cell.run_id);
                made.await
            }
        };
        let mut cost = 0.0;
        match made {
            Ok(run) => {
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
            let mut purse = lock(purse);
            purse.reserved -= estimate;
            purse.spent += cost;
        }
        self.user_db()?.save_lab_cell(&plan.id, &cell)?;
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

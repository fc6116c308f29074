//! What came of an experiment.

use super::cuts::StoredCut;
use super::progress::LabCellState;
use super::scoring::Figures;
use crate::error::{AppError, Result};
use crate::workspace::App;
use palimpsest_core::failure::{Listed, NextStep};
use palimpsest_lab::{Cell, Experiment, Table};
use palimpsest_store::user::{LabCallState, LabRow, RunStatus};
use std::collections::HashMap;

/// The name of the row that holds the summaries of the sessions themselves.
const AGENT: &str = "agent";

/// A cell of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct LabCell {
    /// Which row, from 0.
    pub row: usize,
    /// Which cut, from 0.
    pub cut: usize,
    /// Which repeat, from 0.
    pub repeat: usize,
    /// How far it came.
    pub state: LabCellState,
    /// Its run, whose ledger can be opened; `None` before it is kept.
    pub run_id: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
    /// Requests sent.
    pub sent: u64,
    /// Requests among them whose reply was lost, because the program ended before it came.
    pub lost: u64,
    /// Its figures.
    pub figures: Figures,
}

/// What came of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct LabOutcome {
    /// Its id.
    pub id: String,
    /// The experiment.
    pub experiment: Experiment,
    /// Its cuts.
    pub cuts: Vec<StoredCut>,
    /// Its cells, by cut, row and repeat.
    pub cells: Vec<LabCell>,
    /// The names of the table's rows: those of the experiment, then `agent` where sessions hold
    /// summaries of their own.
    pub names: Vec<String>,
    /// The figures.
    pub table: Table,
    /// What the runs cost in dollars, as far as prices are known.
    pub spent_usd: f64,
    /// True while a process runs it.
    pub running: bool,
    /// When it was begun, Unix milliseconds.
    pub started_at_ms: i64,
    /// When its last cell ended, Unix milliseconds.
    pub finished_at_ms: Option<i64>,
}

impl LabOutcome {
    /// True when every cell has ended.
    pub fn is_complete(&self) -> bool {
        self.cells.iter().all(|cell| cell.state.has_ended())
    }
}

/// An experiment in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabListed {
    /// Its row.
    pub row: LabRow,
    /// Cells in all.
    pub cells: usize,
    /// Cells that have ended.
    pub ended: usize,
    /// Cells among them that failed.
    pub failed: usize,
    /// True while a process runs it.
    pub running: bool,
}

/// What replaying an experiment came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabReplay {
    /// Runs replayed.
    pub runs: usize,
    /// Those whose summary is the stored one, byte for byte.
    pub same: usize,
}

impl App {
    /// The experiments that were begun, newest first.
    pub fn labs(&self) -> Result<Vec<LabRow>> {
        Ok(self.user_db()?.labs()?)
    }

    /// The same, each with how far it is.
    pub fn labs_listed(&self) -> Result<Vec<LabListed>> {
        let user = self.user_db()?;
        let listed = self.labs()?.into_iter().map(|row| -> Result<LabListed> {
            let ended = user.lab_cells(&row.id)?;
            let ended = ended.into_iter().filter(|cell| cell.ended).count();
            // One that a newer program wrote is listed without its size.
            let cells = read_lab(&row).map_or(ended, |(experiment, cuts)| {
                let rows = 0..experiment.rows.len();
                rows.map(|row| experiment.repeats_of(row)).sum::<usize>() * cuts.len()
            });
            Ok(LabListed {
                running: self.lab_is_running(&row.id),
                failed: user.lab_failed(&row.id)? as usize,
                cells,
                ended,
                row,
            })
        });
        listed.collect()
    }

    /// The description of the experiment with this id.
    pub fn lab_experiment(&self, id: &str) -> Result<Experiment> {
        Ok(read_lab(&self.lab_row(id)?)?.0)
    }

    /// What came of the experiment with this id.
    pub fn lab(&self, id: &str) -> Result<LabOutcome> {
        let row = self.lab_row(id)?;
        let (experiment, cuts) = read_lab(&row)?;
        let mut cells = self.lab_cells(&row.id, &experiment, &cuts)?;
        let agent = self.measure(&cuts, &mut cells)?;
        let mut figures: Vec<Cell> = cells
            .iter()
            .filter(|cell| cell.state.has_ended())
            .map(|cell| Cell {
                row: cell.row,
                cut: cell.cut,
                repeat: cell.repeat,
                figures: cell.figures.clone(),
            })
            .collect();
        let mut names = experiment.names();
        if !agent.is_empty() {
            figures.extend(agent.into_iter().map(|(cut, figures)| Cell {
                row: names.len(),
                cut,
                repeat: 0,
                figures,
            }));
            names.push(AGENT.to_owned());
        }
        let table = Table::of(&figures, &names, &experiment.thresholds, experiment.seed);
        Ok(LabOutcome {
            spent_usd: self.spent_on(&row.id)?,
            running: self.lab_is_running(&row.id),
            id: row.id,
            experiment,
            cuts,
            cells,
            names,
            table,
            started_at_ms: row.started_at_ms,
            finished_at_ms: row.finished_at_ms,
        })
    }

    fn lab_row(&self, id: &str) -> Result<LabRow> {
        let all = self.labs()?;
        // An empty text is the beginning of each id, and means none of them.
        let begins = |lab: &LabRow| !id.is_empty() && lab.id.starts_with(id);
        let mut fitting = all.iter().filter(|lab| begins(lab) || lab.name == id);
        if let Some(found) = fitting.next() {
            return Ok(found.clone());
        }
        let known = all.iter().map(|lab| lab.name.clone()).collect();
        Err(AppError::not_found(
            format!("there is no experiment '{id}'"),
            NextStep::choose(Listed::Experiments, id, known),
        ))
    }

    /// Every cell of an experiment as far as it came, without figures.
    fn lab_cells(
        &self,
        id: &str,
        experiment: &Experiment,
        cuts: &[StoredCut],
    ) -> Result<Vec<LabCell>> {
        let user = self.user_db()?;
        let begun = user.lab_cells(id)?;
        let begun: HashMap<(usize, usize, usize), _> = begun
            .into_iter()
            .map(|cell| {
                let place = (cell.cut as usize, cell.row as usize, cell.repeat as usize);
                (place, cell)
            })
            .collect();
        let mut cells = Vec::new();
        for cut in 0..cuts.len() {
            for row in 0..experiment.rows.len() {
                for repeat in 0..experiment.repeats_of(row) {
                    let mut cell = LabCell {
                        row,
                        cut,
                        repeat,
                        state: LabCellState::Waiting,
                        run_id: None,
                        error: None,
                        sent: 0,
                        lost: 0,
                        figures: Figures::new(),
                    };
                    if let Some(stored) = begun.get(&(cut, row, repeat)) {
                        let calls = user.lab_calls(&stored.run_id)?;
                        cell.sent = calls.len() as u64;
                        let under_way = self.is_being_made(&stored.run_id);
                        let lost = |state| match state {
                            LabCallState::Lost => true,
                            // Nobody waits for the reply any more.
                            LabCallState::Sent => !under_way,
                            LabCallState::Replied | LabCallState::Failed => false,
                        };
                        cell.lost = calls.iter().filter(|call| lost(call.state)).count() as u64;
                        cell.error.clone_from(&stored.error);
                        let run = self.run_named(&stored.run_id).ok();
                        cell.state = match &run {
                            _ if !stored.ended && under_way => LabCellState::Running,
                            _ if !stored.ended => LabCellState::Waiting,
                            Some(run) if run.row.status == RunStatus::Done => LabCellState::Done,
                            _ => LabCellState::Failed,
                        };
                        // A run that was cut off goes on under its id, which names no result yet.
                        if let Some(run) = run.filter(|_| stored.ended) {
                            cell.error = cell.error.or(run.row.error);
                            cell.run_id = Some(run.row.id);
                        }
                    }
                    cells.push(cell);
                }
            }
        }
        Ok(cells)
    }

    /// Gives the cells that are done their figures, and those of the sessions' own summaries by
    /// cut.
    fn measure(&self, cuts: &[StoredCut], cells: &mut [LabCell]) -> Result<Vec<(usize, Figures)>> {
        let mut agent = Vec::new();
        for (number, cut) in cuts.iter().enumerate() {
            let is_own = |cell: &&mut LabCell| {
                cell.cut == number && cell.state == LabCellState::Done && cell.run_id.is_some()
            };
            let mut own: Vec<&mut LabCell> = cells.iter_mut().filter(is_own).collect();
            let runs: Vec<String> = own.iter().filter_map(|cell| cell.run_id.clone()).collect();
            if runs.is_empty() {
                continue;
            }
            let names: Vec<&str> = runs.iter().map(String::as_str).collect();
            match self.figures_at(cut, &names) {
                Ok((figures, of_agent)) => {
                    for (cell, figures) in own.iter_mut().zip(figures) {
                        cell.figures = figures;
                    }
                    agent.extend(of_agent.map(|figures| (number, figures)));
                }
                // A session that is gone must not hide the other cuts.
                Err(error) => {
                    for cell in own {
                        cell.state = LabCellState::Failed;
                        cell.error = Some(error.to_string());
                    }
                }
            }
        }
        Ok(agent)
    }

    /// Deletes an experiment with its cells and stored replies; its runs stay. The cuts of its set
    /// stay as well.
    ///
    /// Errors: no such experiment, and one that runs.
    pub fn delete_lab(&self, id: &str) -> Result<()> {
        let row = self.lab_row(id)?;
        if self.lab_is_running(&row.id) {
            return Err(AppError::bad_request(
                format!("the experiment '{}' is running", row.name),
                NextStep::TryLater,
            ));
        }
        self.user_db()?.delete_lab(&row.id)?;
        Ok(())
    }

    /// Replays the runs of an experiment from their stored replies.
    pub fn replay_lab(&self, id: &str) -> Result<LabReplay> {
        let row = self.lab_row(id)?;
        let mut replayed = LabReplay::default();
        for cell in self.user_db()?.lab_cells(&row.id)? {
            let is_done = |run: &crate::run::RunRecord| run.row.status == RunStatus::Done;
            if !self.run_named(&cell.run_id).is_ok_and(|run| is_done(&run)) {
                continue;
            }
            replayed.runs += 1;
            replayed.same += usize::from(self.replay(&cell.run_id)?.same);
        }
        Ok(replayed)
    }
}

/// The description and the cuts of an experiment as they were stored.
fn read_lab(row: &LabRow) -> Result<(Experiment, Vec<StoredCut>)> {
    let unreadable = |error: serde_json::Error| {
        AppError::bad_request(
            format!("the experiment {} cannot be read ({error})", row.id),
            NextStep::RunAgain,
        )
    };
    let experiment = serde_json::from_str(&row.experiment).map_err(unreadable)?;
    Ok((
        experiment,
        serde_json::from_str(&row.cuts).map_err(unreadable)?,
    ))
}

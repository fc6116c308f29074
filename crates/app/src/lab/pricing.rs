//! What an experiment would send and cost, before anything is sent.

use super::cuts::StoredCut;
use super::wrong::of_row;
use crate::error::{AppError, Result};
use crate::run::{PlanSpec, check_prompt_is_read};
use crate::workspace::App;
use palimpsest_core::failure::{Input, NextStep};
use palimpsest_lab::{Experiment, RowSpec};
use sha2::{Digest as _, Sha256};

/// Hexadecimal digits of an experiment's id.
const ID_DIGITS: usize = 12;

/// What an experiment would do.
#[derive(Debug, Clone, PartialEq)]
pub struct LabPlan {
    /// Its id: a hash of its name, cuts, rows and repeats.
    pub id: String,
    /// The experiment.
    pub experiment: Experiment,
    /// Its cuts.
    pub cuts: Vec<StoredCut>,
    /// Its rows.
    pub rows: Vec<RowPrice>,
    /// Cells in all.
    pub cells: u64,
    /// Cells that have ended before.
    pub ended: u64,
    /// Calls to models of all cells.
    pub calls: u64,
    /// Estimated cost of the cells that have not ended, in dollars; `None` where a price is unknown.
    pub cost_usd: Option<f64>,
    /// What they may cost when every attempt is made and every fallback is used.
    pub most_usd: Option<f64>,
    /// True where a price that the user entered was used.
    pub user_prices: bool,
}

/// What a row would do at all cuts.
#[derive(Debug, Clone, PartialEq)]
pub struct RowPrice {
    /// Its name.
    pub name: String,
    /// Calls, repeats included.
    pub calls: u64,
    /// Estimated cost in dollars, repeats included; `None` where the price is unknown.
    pub cost_usd: Option<f64>,
    /// Cuts at which it has nothing to do or cannot plan.
    pub without_plan: u64,
    /// Why, each reason with its number of cuts, the most frequent first.
    pub reasons: Vec<(String, u64)>,
    /// Estimated cost of one run at each cut.
    pub by_cut: Vec<Option<f64>>,
}

impl RowPrice {
    /// Counts a cut at which the row has no plan.
    fn cannot(&mut self, reason: String) {
        self.without_plan += 1;
        self.by_cut.push(Some(0.0));
        match self.reasons.iter_mut().find(|(own, _)| *own == reason) {
            Some((_, cuts)) => *cuts += 1,
            None => self.reasons.push((reason, 1)),
        }
    }
}

impl App {
    /// Plans an experiment: every row at every cut. Nothing is sent or stored.
    ///
    /// Errors: cuts that are not found, and rows that give the offline summarizer the same input at
    /// every cut: it reads no prompts.
    pub fn plan_lab(&self, experiment: Experiment) -> Result<LabPlan> {
        let id = id_of(&experiment)?;
        let known = self.user_db()?.lab(&id)?;
        let cuts = match known.and_then(|row| serde_json::from_str(&row.cuts).ok()) {
            // What was begun goes on with its cuts, whatever the query would find now.
            Some(cuts) => cuts,
            None => self.find_cuts(&experiment.cuts)?,
        };
        let ended = self.user_db()?.lab_cells(&id)?;
        let ended: Vec<_> = ended.into_iter().filter(|cell| cell.ended).collect();
        let mut rows = Vec::new();
        // What each row gives the offline summarizer, by cut.
        let mut offline: Vec<(&str, Vec<Option<String>>)> = Vec::new();
        let mut cost = Some(0.0);
        let mut most = Some(0.0);
        let mut user_prices = false;
        for (number, row) in experiment.rows.iter().enumerate() {
            let repeats = experiment.repeats_of(number) as u64;
            let mut price = RowPrice {
                name: row.name.clone(),
                calls: 0,
                cost_usd: Some(0.0),
                without_plan: 0,
                reasons: Vec::new(),
                by_cut: Vec::new(),
            };
            let mut keys = vec![None; cuts.len()];
            for (at, cut) in cuts.iter().enumerate() {
                let spec = PlanSpec {
                    brief: true,
                    ..spec_of(row, cut)
                };
                let planned = match self.plan(&spec) {
                    Ok(planned) if planned.plan.is_some() => planned,
                    // What is wrong with a row is wrong at every cut; a cut alone is only skipped.
                    Err(error) if at == 0 && !matches!(error, AppError::Plan(_)) => {
                        return Err(of_row(row, error));
                    }
                    Ok(planned) => {
                        price.cannot(planned.record.reason.clone().unwrap_or_default());
                        continue;
                    }
                    Err(error) => {
                        price.cannot(error.to_string());
                        continue;
                    }
                };
                keys[at].clone_from(&planned.record.offline_key);
                if let Err(error) = check_prompt_is_read(&planned) {
                    return Err(of_row(row, error));
                }
                let one = planned.record.estimated_cost_usd;
                if planned.record.offline_key.is_none() {
                    price.calls += planned.record.calls.len() as u64 * repeats;
                }
                price.cost_usd = sum(price.cost_usd, one.map(|one| one * repeats as f64));
                let is_own = |cell: &&palimpsest_store::user::LabCellRow| {
                    cell.row as usize == number && cell.cut as usize == at
                };
                let left = repeats - (ended.iter().filter(is_own).count() as u64).min(repeats);
                cost = sum(cost, one.map(|one| one * left as f64));
                let may = planned.record.most_cost_usd;
                most = sum(most, may.map(|may| may * left as f64));
                user_prices |= planned.record.user_prices;
                price.by_cut.push(one);
            }
            price
                .reasons
                .sort_by_key(|(_, cuts)| std::cmp::Reverse(*cuts));
            // At a single cut two rows may happen to cut at the same entry.
            if keys.iter().any(Option::is_some)
                && let Some((other, _)) = offline.iter().find(|(_, own)| *own == keys)
            {
                return Err(same_offline(other, &row.name));
            }
            offline.push((&row.name, keys));
            rows.push(price);
        }
        let repeats = (0..experiment.rows.len()).map(|row| experiment.repeats_of(row));
        Ok(LabPlan {
            cells: (repeats.sum::<usize>() * cuts.len()) as u64,
            ended: ended.len() as u64,
            calls: rows.iter().map(|row| row.calls).sum(),
            cost_usd: cost,
            most_usd: most,
            user_prices,
            id,
            cuts,
            rows,
            experiment,
        })
    }
}

fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    Some(one? + other?)
}

fn same_offline(one: &str, other: &str) -> AppError {
    AppError::bad_request(
        format!(
            "the rows '{one}' and '{other}' give the offline summarizer the same input at every cut, \
             so both would have the same summaries; it reads no prompts"
        ),
        NextStep::Give {
            what: Input::Provider,
        },
    )
}

/// What is planned for `row` at `cut`.
pub(super) fn spec_of(row: &RowSpec, cut: &StoredCut) -> PlanSpec {
    let entry = Some(cut.entry.clone());
    let is_branch = cut.to.is_some();
    PlanSpec {
        session: cut.session.clone(),
        at: entry.clone().filter(|_| !is_branch),
        from: entry.filter(|_| is_branch),
        to: cut.to.clone(),
        redo: cut.stored,
        strategy: Some(row.strategy.clone()),
        set: row.set.clone(),
        instructions: row.instructions.clone(),
        replace_prompt: row.replace_prompt,
        prompts: row
            .prompts
            .iter()
            .filter_map(|(place, name)| Some((place.clone(), name.as_str()?.to_owned())))
            .collect(),
        provider: row.provider.clone(),
        model: row.model.clone(),
        base_url: row.base_url.clone(),
        ..PlanSpec::default()
    }
}

/// The id of an experiment: thresholds, budget, seed and concurrency can change between two parts of
/// one.
fn id_of(experiment: &Experiment) -> Result<String> {
    let repeats: Vec<usize> = (0..experiment.rows.len())
        .map(|row| experiment.repeats_of(row))
        .collect();
    let text = super::to_json(&(
        &experiment.name,
        &experiment.cuts,
        &experiment.rows,
        &repeats,
    ))?;
    let digest = Sha256::digest(text.as_bytes());
    let mut id: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    id.truncate(ID_DIGITS);
    Ok(id)
}

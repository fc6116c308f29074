//! Experiments over several cuts.

use super::Empty;
use crate::wire::*;
use palimpsest_app::lab::{
    CalibrationSize, CutSet, CutSpec, Cuts, Experiment, LabOutcome, LabPlan, LabSpec, RowSpec,
    StoredCut, calibrate,
};
use palimpsest_app::{App, AppError, AppResult};
use palimpsest_core::failure::NextStep;
use std::sync::Arc;

/// Plans an experiment and prices it. Nothing is sent.
pub(crate) fn lab_plan(app: &App, request: LabRequest) -> AppResult<LabPlanView> {
    Ok(plan_view(app.plan_lab(described(app, &request)?)?))
}

/// Runs an experiment, or what is left of it.
pub(crate) async fn lab_run(app: &Arc<App>, request: LabRequest) -> AppResult<LabView> {
    let spec = LabSpec {
        experiment: described(app, &request)?,
        stream: request.stream,
        retry_failed: request.retry_failed,
        above_limit: request.above_limit,
    };
    Ok(view(&app.run_lab(spec).await?))
}

/// The experiment that a request describes in one of three ways.
fn described(app: &App, request: &LabRequest) -> AppResult<Experiment> {
    match (&request.experiment, &request.parts, &request.lab) {
        (Some(text), None, None) => app.read_experiment(text),
        (None, Some(parts), None) => app.checked_experiment(whole(parts)),
        (None, None, Some(lab)) => {
            let begun = app.lab_experiment(lab)?;
            Ok(Experiment {
                budget_usd: request.budget_usd.or(begun.budget_usd),
                ..begun
            })
        }
        _ => Err(AppError::bad_request(
            "an experiment is described by a text, by its parts, or by its id",
            NextStep::CorrectFile,
        )),
    }
}

fn whole(parts: &LabParts) -> Experiment {
    let rows = parts.rows.iter().map(|row| RowSpec {
        name: row.name.clone(),
        strategy: row.strategy.clone(),
        set: row.set.clone().into_iter().collect(),
        instructions: row.instructions.clone(),
        replace_prompt: row.replace_prompt,
        provider: row.provider.clone(),
        model: row.model.clone(),
        repeats: usize::try_from(row.repeats).ok(),
        ..RowSpec::default()
    });
    Experiment {
        name: parts.name.clone(),
        cuts: Cuts {
            set: parts.set.clone(),
            ..Cuts::default()
        },
        rows: rows.collect(),
        repeats: 1,
        budget_usd: parts.budget_usd,
        concurrent: usize::try_from(parts.concurrent).unwrap_or(1),
        seed: 0,
        thresholds: Vec::new(),
    }
}

fn parts(experiment: &Experiment) -> LabParts {
    let rows = experiment.rows.iter().enumerate().map(|(number, row)| {
        let mut set = row.set.clone();
        let prompts = row.prompts.iter();
        set.extend(prompts.map(|(place, name)| (format!("prompts.{place}"), name.clone())));
        LabRowSpec {
            name: row.name.clone(),
            strategy: row.strategy.clone(),
            set: set.into_iter().collect(),
            instructions: row.instructions.clone(),
            replace_prompt: row.replace_prompt,
            provider: row.provider.clone(),
            model: row.model.clone(),
            repeats: experiment.repeats_of(number) as u64,
        }
    });
    LabParts {
        name: experiment.name.clone(),
        set: experiment.cuts.set.clone(),
        rows: rows.collect(),
        budget_usd: experiment.budget_usd,
        concurrent: experiment.concurrent as u64,
    }
}

/// What came of an experiment so far.
pub(crate) fn lab_show(app: &App, request: LabShowRequest) -> AppResult<LabView> {
    Ok(view(&app.lab(&request.lab)?))
}

/// The experiments that were begun, newest first.
pub(crate) fn labs(app: &App, _: Empty) -> AppResult<Vec<LabListRow>> {
    let rows = app.labs_listed()?.into_iter().map(|listed| LabListRow {
        lab_id: listed.row.id,
        name: listed.row.name,
        cells: listed.cells as u64,
        ended: listed.ended as u64,
        failed: listed.failed as u64,
        running: listed.running,
        started_at: listed.row.started_at_ms,
        finished_at: listed.row.finished_at_ms,
    });
    Ok(rows.collect())
}

/// Deletes an experiment; its runs stay.
pub(crate) fn lab_delete(app: &App, request: LabShowRequest) -> AppResult<Empty> {
    app.delete_lab(&request.lab)?;
    Ok(Empty {})
}

/// Replays the runs of an experiment.
pub(crate) fn lab_replay(app: &App, request: LabShowRequest) -> AppResult<LabReplayView> {
    let replayed = app.replay_lab(&request.lab)?;
    Ok(LabReplayView {
        runs: replayed.runs as u64,
        same: replayed.same as u64,
    })
}

/// Repeats simulated experiments.
pub(crate) fn lab_calibrate(_: &App, request: LabCalibrateRequest) -> AppResult<LabCalibration> {
    let found = calibrate(CalibrationSize::default(), request.seed);
    Ok(LabCalibration {
        cuts: found.size.cuts as u64,
        repeats: found.size.repeats as u64,
        planted: found.size.planted as u64,
        found: found.found as u64,
        equal: found.size.equal as u64,
        hold_zero: found.hold_zero as u64,
        right: found.is_right(),
    })
}

/// The stored sets of cuts.
pub(crate) fn cut_sets(app: &App, _: Empty) -> AppResult<Vec<CutSetView>> {
    Ok(app.cut_sets()?.into_iter().map(set_view).collect())
}

/// Saves a set of cuts.
pub(crate) fn cut_set_save(app: &App, request: CutSetSaveRequest) -> AppResult<CutSetView> {
    let cuts = Cuts {
        query: request.query,
        limit: request.limit.and_then(|most| usize::try_from(most).ok()),
        list: specs(request.cuts),
        set: None,
    };
    Ok(set_view(app.save_cut_set(&request.name, &cuts)?))
}

/// The cuts that a query gives. Nothing is stored.
pub(crate) fn cuts(app: &App, request: CutsRequest) -> AppResult<Vec<CutView>> {
    let cuts = Cuts {
        query: Some(request.query),
        limit: usize::try_from(request.limit).ok(),
        ..Cuts::default()
    };
    Ok(app.find_cuts(&cuts)?.iter().map(cut_view).collect())
}

/// Adds cuts to a set, or makes it.
pub(crate) fn cut_set_add(app: &App, request: CutSetCutsRequest) -> AppResult<CutSetView> {
    let cuts = specs(request.cuts);
    Ok(set_view(app.add_cuts(&request.name, &cuts)?))
}

/// Takes cuts out of a set.
pub(crate) fn cut_set_remove(app: &App, request: CutSetCutsRequest) -> AppResult<CutSetView> {
    let cuts = specs(request.cuts);
    Ok(set_view(app.remove_cuts(&request.name, &cuts)?))
}

/// What changed in a set of cuts since it was stored.
pub(crate) fn cut_set_changes(app: &App, request: CutSetRequest) -> AppResult<CutSetChanges> {
    let changed = app.changed_cuts(&request.name)?;
    Ok(CutSetChanges { changed })
}

fn specs(cuts: Vec<CutRef>) -> Vec<CutSpec> {
    let specs = cuts.into_iter().map(|cut| CutSpec {
        session: cut.session,
        entry: cut.entry,
        to: cut.to,
    });
    specs.collect()
}

/// Deletes a set of cuts.
pub(crate) fn cut_set_delete(app: &App, request: CutSetRequest) -> AppResult<Empty> {
    app.delete_cut_set(&request.name)?;
    Ok(Empty {})
}

fn set_view(set: CutSet) -> CutSetView {
    CutSetView {
        name: set.name,
        query: set.query,
        cuts: set.cuts.iter().map(cut_view).collect(),
        made_at: set.made_at_ms,
    }
}

fn cut_view(cut: &StoredCut) -> CutView {
    CutView {
        session: cut.session.clone(),
        session_id: cut.session_id.clone(),
        title: cut.title.clone(),
        agent: cut.agent.clone(),
        entry: cut.entry.clone(),
        to: cut.to.clone(),
        stored: cut.stored,
        hash: cut.hash.clone(),
    }
}

fn plan_view(plan: LabPlan) -> LabPlanView {
    let rows = plan.rows.into_iter().map(|row| LabRowPrice {
        name: row.name,
        calls: row.calls,
        cost_usd: row.cost_usd,
        without_plan: row.without_plan,
        without_plan_reasons: row
            .reasons
            .into_iter()
            .map(|(reason, cuts)| LabCannot { reason, cuts })
            .collect(),
    });
    LabPlanView {
        lab_id: plan.id,
        name: plan.experiment.name.clone(),
        cuts: plan.cuts.iter().map(cut_view).collect(),
        rows: rows.collect(),
        cells: plan.cells,
        ended: plan.ended,
        calls: plan.calls,
        cost_usd: plan.cost_usd,
        most_usd: plan.most_usd,
        user_prices: plan.user_prices,
        budget_usd: plan.experiment.budget_usd,
    }
}

fn view(lab: &LabOutcome) -> LabView {
    let name = |row: usize| lab.names.get(row).cloned().unwrap_or_default();
    let rows = lab.table.rows.iter().enumerate().map(|(number, row)| {
        let spec = lab.experiment.rows.get(number);
        let figures = row.figures.iter().map(|(metric, spread)| {
            let spread = LabSpread {
                cuts: spread.cuts as u64,
                mean: spread.mean,
                deviation: spread.deviation,
                repeat_deviation: spread.repeat_deviation,
            };
            (metric.clone(), spread)
        });
        LabRowView {
            name: name(number),
            strategy: spec.map(|spec| spec.strategy.clone()),
            done: row.done as u64,
            failed: row.failed as u64,
            figures: figures.collect(),
        }
    });
    let differences = lab.table.differences.iter().map(|found| LabDifference {
        row: name(found.row),
        versus: name(found.versus),
        metric: found.metric.clone(),
        cuts: found.cuts as u64,
        mean: found.mean,
        low: found.low,
        high: found.high,
    });
    let verdicts = lab.table.verdicts.iter().map(verdict);
    let cells = lab.cells.iter().map(|cell| LabCellView {
        row: cell.row as u64,
        cut: cell.cut as u64,
        repeat: cell.repeat as u64,
        state: cell.state.into(),
        run_id: cell.run_id.clone(),
        error: cell.error.clone(),
        sent: cell.sent,
        lost: cell.lost,
        figures: cell.figures.clone(),
    });
    LabView {
        lab_id: lab.id.clone(),
        name: lab.experiment.name.clone(),
        parts: parts(&lab.experiment),
        running: lab.running,
        complete: lab.is_complete(),
        cuts: lab.cuts.iter().map(cut_view).collect(),
        rows: rows.collect(),
        differences: differences.collect(),
        verdicts: verdicts.collect(),
        met: lab.table.all_met(),
        cells: cells.collect(),
        sent: lab.cells.iter().map(|cell| cell.sent).sum(),
        lost: lab.cells.iter().map(|cell| cell.lost).sum(),
        spent_usd: lab.spent_usd,
        started_at: lab.started_at_ms,
        finished_at: lab.finished_at_ms,
    }
}

fn verdict(found: &palimpsest_app::lab::Verdict) -> LabVerdict {
    let threshold = &found.threshold;
    LabVerdict {
        row: threshold.row.clone(),
        versus: threshold.versus.clone(),
        metric: threshold.metric.clone(),
        at_least: threshold.at_least,
        at_most: threshold.at_most,
        found: found.found,
        met: found.met,
    }
}

//! Experiments over several cuts.

use super::table::{Table, counted};
use palimpsest_api::wire::{
    CutSetView, LabCalibration, LabCellState, LabCellView, LabListRow, LabPlanView, LabReplayView,
    LabView,
};

/// What an experiment would do.
pub fn plan(plan: &LabPlanView) -> String {
    let mut table = Table::new(["row", "calls", "cost", "cannot be run"]);
    table.right(&[1, 2, 3]);
    for row in &plan.rows {
        table.row([
            row.name.clone(),
            row.calls.to_string(),
            dollars(row.cost_usd),
            row.without_plan.to_string(),
        ]);
    }
    let mut why = String::new();
    for row in &plan.rows {
        for own in &row.without_plan_reasons {
            let cuts = counted(own.cuts, "cut", "cuts");
            why.push_str(&format!(
                "{}: cannot be run at {cuts}: {}\n",
                row.name, own.reason
            ));
        }
    }
    format!(
        "{} ({}): {} at {}, {} ended before\n{table}\n{why}left: {} of {}\n",
        plan.name,
        plan.lab_id,
        counted(plan.cells, "run", "runs"),
        counted(plan.cuts.len() as u64, "cut", "cuts"),
        plan.ended,
        if plan.user_prices {
            format!("{} by your prices", dollars(plan.cost_usd))
        } else {
            dollars(plan.cost_usd)
        },
        plan.budget_usd
            .map_or("no budget".to_owned(), |most| format!("${most:.4}")),
    )
}

fn dollars(cost: Option<f64>) -> String {
    cost.map_or("price unknown".to_owned(), |cost| format!("${cost:.4}"))
}

/// The figures of an experiment.
pub fn outcome(lab: &LabView) -> String {
    let state = if lab.complete {
        "complete"
    } else {
        "not complete"
    };
    let is_failed = |cell: &&LabCellView| cell.state == LabCellState::Failed;
    let failed = match lab.cells.iter().filter(is_failed).count() {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    let mut text = format!(
        "{} ({}), {state}{failed}: {} at {}, {} sent, {} lost, ${:.4} spent\n",
        lab.name,
        lab.lab_id,
        counted(lab.cells.len() as u64, "run", "runs"),
        counted(lab.cuts.len() as u64, "cut", "cuts"),
        counted(lab.sent, "request", "requests"),
        counted(lab.lost, "reply", "replies"),
        // A sum of nothing can be a negative zero.
        lab.spent_usd.max(0.0),
    );
    let mut table = Table::new([
        "row",
        "figure",
        "cuts",
        "mean",
        "deviation",
        "between repeats",
    ]);
    table.right(&[2, 3, 4, 5]);
    for (number, row) in lab.rows.iter().enumerate() {
        let mut figures: Vec<_> = row.figures.iter().collect();
        // The overall score is what a reader looks for.
        figures.sort_by_key(|(metric, _)| !is_score(metric));
        for (metric, spread) in figures {
            table.row([
                row.name.clone(),
                metric.clone(),
                spread.cuts.to_string(),
                format!("{:.3}", spread.mean),
                format!("{:.3}", spread.deviation),
                spread
                    .repeat_deviation
                    .map_or("-".to_owned(), |own| format!("{own:.3}")),
            ]);
        }
        if row.failed > 0 {
            let failed = counted(row.failed, "run", "runs");
            text.push_str(&format!("{}: {failed} failed\n", row.name));
            let cells = lab.cells.iter().filter(|cell| cell.row == number as u64);
            for (reason, cells) in reasons(cells) {
                text.push_str(&format!("  {cells}: {reason}\n"));
            }
        }
    }
    text.push_str(&table.to_string());
    let mut table = Table::new([
        "row",
        "against",
        "figure",
        "cuts",
        "difference",
        "95 % interval",
    ]);
    table.right(&[3, 4, 5]);
    let mut differences: Vec<_> = lab.differences.iter().collect();
    differences.sort_by_key(|own| !is_score(&own.metric));
    for found in differences {
        let interval = match (found.low, found.high) {
            (Some(low), Some(high)) => format!("{low:+.3} to {high:+.3}"),
            _ => "too few cuts".to_owned(),
        };
        table.row([
            found.row.clone(),
            found.versus.clone(),
            found.metric.clone(),
            found.cuts.to_string(),
            format!("{:+.3}", found.mean),
            interval,
        ]);
    }
    text.push_str(&format!("\n{table}"));
    for verdict in &lab.verdicts {
        let found = verdict
            .found
            .map_or("no figure".to_owned(), |found| format!("{found:.3}"));
        let versus = verdict.versus.as_ref();
        text.push_str(&format!(
            "\n{}: {} of {}{}, found {found}",
            if verdict.met { "met" } else { "missed" },
            verdict.metric,
            verdict.row,
            versus.map_or(String::new(), |other| format!(" minus {other}")),
        ));
    }
    text
}

/// True for the overall score and its parts.
fn is_score(metric: &str) -> bool {
    metric.starts_with("score")
}

/// Why cells failed, each reason with its number of cells, the most frequent first.
fn reasons<'lab>(cells: impl Iterator<Item = &'lab LabCellView>) -> Vec<(&'lab str, usize)> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for cell in cells.filter(|cell| cell.state == LabCellState::Failed) {
        let reason = cell.error.as_deref().unwrap_or("no reason was recorded");
        match found.iter_mut().find(|(own, _)| *own == reason) {
            Some((_, count)) => *count += 1,
            None => found.push((reason, 1)),
        }
    }
    found.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    found
}

/// The experiments that were begun.
pub fn all(rows: &[LabListRow]) -> String {
    if rows.is_empty() {
        return "no experiments".to_owned();
    }
    let mut table = Table::new(["id", "name", "state", "done", "failed", "left"]);
    table.right(&[3, 4, 5]);
    for row in rows {
        let state = row.finished_at.map_or("not complete", |_| "complete");
        table.row([
            row.lab_id.clone(),
            row.name.clone(),
            state.to_owned(),
            row.ended.saturating_sub(row.failed).to_string(),
            row.failed.to_string(),
            row.cells.saturating_sub(row.ended).to_string(),
        ]);
    }
    table.to_string()
}

/// What replaying came to.
pub fn replayed(replayed: &LabReplayView) -> String {
    format!(
        "{} replayed, {} the same byte for byte",
        counted(replayed.runs, "run", "runs"),
        replayed.same
    )
}

/// How often the intervals are right.
pub fn calibration(found: &LabCalibration) -> String {
    format!(
        "{} cuts, 2 rows, {} repeats\nplanted difference: {} of {} intervals are on its side of \
         zero\nno difference: {} of {} intervals hold zero\n{}",
        found.cuts,
        found.repeats,
        found.found,
        found.planted,
        found.hold_zero,
        found.equal,
        if found.right { "right" } else { "wrong" },
    )
}

/// Sets of cuts.
pub fn sets(sets: &[CutSetView]) -> String {
    if sets.is_empty() {
        return "no sets of cuts".to_owned();
    }
    let mut text = String::new();
    for set in sets {
        let query = set.query.as_deref().unwrap_or("chosen one by one");
        let count = counted(set.cuts.len() as u64, "cut", "cuts");
        text.push_str(&format!("{}: {count} ({query})\n", set.name));
        for cut in &set.cuts {
            text.push_str(&format!("  {} {} {}\n", cut.agent, cut.entry, cut.title));
        }
    }
    text
}

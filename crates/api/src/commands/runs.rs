//! Runs: made, cancelled, listed, compared.

use super::entry::usage_view;
use super::ledger::{diff_rows, estimate, totals};
use super::{Empty, names, plan};
use crate::render::markdown;
use crate::wire::*;
use palimpsest_app::run::{AttemptRecord, RunRecord, RunSpec};
use palimpsest_app::summary::Material;
use palimpsest_app::{App, AppResult, OpenSession};
use palimpsest_core::ledger::{Fact, FactKind, Ledger};
use std::collections::HashMap;
use std::sync::Arc;

/// Plans and runs a compaction, or the summary of a branch.
pub(crate) async fn compact(app: &Arc<App>, request: CompactRequest) -> AppResult<RunView> {
    let spec = RunSpec {
        plan: plan::spec(request.plan),
        stream: request.stream,
    };
    Ok(view(&app.compact(spec).await?))
}

/// Cancels what runs under a name. What has already ended cannot be cancelled, and that is fine.
pub(crate) fn cancel(app: &App, request: CancelRequest) -> AppResult<Empty> {
    app.cancel(&request.stream);
    Ok(Empty {})
}

/// The runs kept, newest first.
pub(crate) fn runs(app: &App, request: RunsRequest) -> AppResult<Vec<RunRow>> {
    Ok(app
        .runs(request.session.as_deref())?
        .iter()
        .map(row)
        .collect())
}

/// One run, whole.
pub(crate) fn run(app: &App, request: RunRequest) -> AppResult<RunView> {
    Ok(view(&app.run_named(&request.run)?))
}

/// Makes a run's summary again from what was kept.
pub(crate) fn replay(app: &App, request: RunRequest) -> AppResult<ReplayView> {
    let replayed = app.replay(&request.run)?;
    Ok(ReplayView {
        run_id: replayed.run_id,
        same: replayed.same,
        differs_at: replayed.differs_at.map(|at| at as u64),
        calls: replayed.calls as u64,
        adapted: replayed.adapted,
        same_prompts: replayed.same_prompts,
        summary: replayed.summary,
    })
}

/// Deletes a run.
pub(crate) fn run_delete(app: &App, request: RunRequest) -> AppResult<Empty> {
    app.delete_run(&request.run)?;
    Ok(Empty {})
}

fn row(record: &RunRecord) -> RunRow {
    let row = &record.row;
    let sums = record.details.totals.as_ref();
    RunRow {
        run_id: row.id.clone(),
        kind: row.kind,
        session: row.session_id.clone(),
        at: row.at_entry_id.clone(),
        status: row.status.into(),
        error: row.error.clone(),
        hint: record.details.next.as_ref().map(ToString::to_string),
        next: record.details.next.clone().map(Into::into),
        partial: record.partial().map(str::to_owned),
        strategy: row.strategy.clone(),
        fell_back: record.details.attempts.last().map(attempt),
        provider: row.provider.clone(),
        model: (!row.model.is_empty()).then(|| row.model.clone()),
        instructions: row.instructions.clone(),
        started_at: row.started_at_ms,
        elapsed_ms: record.details.elapsed_ms,
        summary_tokens: record.own_summary().map_or(0, estimate),
        usage: usage_view(&row.usage),
        retention: sums.and_then(|sums| sums.retention),
        needed_later: sums.map(|sums| sums.needed_later as u64),
    }
}

fn attempt(record: &AttemptRecord) -> RunAttempt {
    RunAttempt {
        reason: record.reason.clone(),
        then: record.then.clone(),
    }
}

fn view(record: &RunRecord) -> RunView {
    let summary = record.own_summary().unwrap_or_default().to_owned();
    RunView {
        row: row(record),
        kind: record.row.kind,
        common_ancestor_id: record
            .plan
            .branch
            .as_ref()
            .and_then(|branch| branch.common_ancestor_id.clone()),
        run_id: record.row.id.clone(),
        plan: plan::view(&record.plan),
        blocks: markdown(&summary),
        summary,
        calls: record
            .calls
            .iter()
            .map(|call| RunCall {
                purpose: call.purpose.into(),
                usage: usage_view(&call.usage),
                elapsed_ms: call.elapsed_ms,
                stop_reason: call.stop_reason.clone(),
                reply: call.reply.clone(),
                retries: call.retries,
                superseded: call.superseded.then_some(true),
            })
            .collect(),
        usage: usage_view(&record.row.usage),
        cost_usd: record.row.usage.cost_usd,
        elapsed_ms: record.details.elapsed_ms,
        ledger: record
            .details
            .totals
            .as_ref()
            .map(|sums| super::ledger::sums(sums, record.details.facts, record.details.introduced)),
        files: FileLists {
            read: record.plan.read_files.clone(),
            modified: record.plan.modified_files.clone(),
        },
        attempts: {
            let attempts = record.details.attempts.iter().map(attempt);
            Some(attempts.collect::<Vec<_>>()).filter(|all| !all.is_empty())
        },
    }
}

/// Two summaries of one span side by side.
pub(crate) fn compare(app: &App, request: CompareRequest) -> AppResult<CompareView> {
    let open = app.open(&request.session)?;
    let (left, left_ledger) = side(app, &open, &request.left)?;
    let (right, right_ledger) = side(app, &open, &request.right)?;
    let (facts, same_fate) = fates(&open, &left_ledger, &right_ledger);
    Ok(CompareView {
        rows: diff_rows(&left.summary, &right.summary),
        left,
        right,
        facts,
        same_fate,
    })
}

/// Several summaries side by side.
pub(crate) fn compare_all(app: &App, request: CompareAllRequest) -> AppResult<CompareAllView> {
    let open = app.open(&request.session)?;
    let mut sides = Vec::new();
    let mut ledgers = Vec::new();
    for name in &request.sides {
        let (side, ledger) = side(app, &open, name)?;
        sides.push(side);
        ledgers.push(ledger);
    }
    let (facts, same_fate) = all_fates(&open, &ledgers);
    Ok(CompareAllView {
        sides,
        facts,
        same_fate,
    })
}

/// Facts that at least two of the ledgers have with different fates, weightiest first, and how many
/// have one fate in all that have them. A fact that only one span has is not compared: nothing was
/// promised about it on the other sides.
fn all_fates(open: &OpenSession, ledgers: &[Ledger]) -> (Vec<FatesView>, u64) {
    let mut order: Vec<(FactKind, &str)> = Vec::new();
    let mut found: HashMap<(FactKind, &str), Vec<Option<&Fact>>> = HashMap::new();
    for (at, ledger) in ledgers.iter().enumerate() {
        for fact in &ledger.facts {
            let key = (fact.kind, fact.text.as_str());
            let sides = found.entry(key).or_insert_with(|| {
                order.push(key);
                vec![None; ledgers.len()]
            });
            sides[at] = Some(fact);
        }
    }
    let mut same = 0;
    let mut differing: Vec<(f64, FatesView)> = Vec::new();
    for key in order {
        let sides = &found[&key];
        let known: Vec<&Fact> = sides.iter().flatten().copied().collect();
        let [first, others @ ..] = known.as_slice() else {
            continue;
        };
        if others.is_empty() {
            continue;
        }
        if others.iter().all(|fact| fact.fate == first.fate) {
            same += 1;
            continue;
        }
        let weight = known.iter().map(|fact| fact.weight).fold(0.0, f64::max);
        let view = FatesView {
            kind: first.kind,
            text: first.text.clone(),
            fates: sides
                .iter()
                .map(|fact| fact.map(|fact| fact.fate))
                .collect(),
            needed_later: known.iter().any(|fact| !fact.needed_later.is_empty()),
            entry_id: first
                .places
                .first()
                .map(|place| names::id(&open.session, place.entry)),
        };
        differing.push((weight, view));
    }
    differing.sort_by(|a, b| b.0.total_cmp(&a.0));
    (differing.into_iter().map(|(_, fact)| fact).collect(), same)
}

fn side(app: &App, open: &OpenSession, name: &str) -> AppResult<(ComparedSummary, Ledger)> {
    let (material, run) = match name.strip_prefix("entry:") {
        Some(entry) => (Material::of_compaction(open, Some(entry))?, None),
        None => (
            app.material_of_run(open, name)?,
            Some(row(&app.run_named(name)?)),
        ),
    };
    let ledger = material.ledger();
    let compared = ComparedSummary {
        title: material.title.clone(),
        run,
        tokens: estimate(&material.summary),
        summary: material.summary,
        totals: totals(&ledger),
    };
    Ok((compared, ledger))
}

/// Facts of the two ledgers whose fates differ, weightiest first, and how many agree. A fact that
/// only one span has is not compared: nothing was promised about it on the other side.
fn fates(open: &OpenSession, left: &Ledger, right: &Ledger) -> (Vec<ComparedFact>, u64) {
    let of_right: HashMap<_, &Fact> = right
        .facts
        .iter()
        .map(|fact| ((fact.kind, fact.text.as_str()), fact))
        .collect();
    let mut same = 0;
    let mut differing: Vec<(f64, ComparedFact)> = Vec::new();
    for fact in &left.facts {
        let Some(other) = of_right.get(&(fact.kind, fact.text.as_str())) else {
            continue;
        };
        if fact.fate == other.fate {
            same += 1;
            continue;
        }
        let compared = ComparedFact {
            kind: fact.kind,
            text: fact.text.clone(),
            left: fact.fate,
            right: other.fate,
            needed_later: !fact.needed_later.is_empty() || !other.needed_later.is_empty(),
            entry_id: fact
                .places
                .first()
                .map(|place| names::id(&open.session, place.entry)),
        };
        differing.push((fact.weight, compared));
    }
    differing.sort_by(|a, b| b.0.total_cmp(&a.0));
    (differing.into_iter().map(|(_, fact)| fact).collect(), same)
}

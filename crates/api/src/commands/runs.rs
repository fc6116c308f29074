//! Runs: made, cancelled, listed, compared.

use super::ledger::{diff_rows, totals};
use super::spending::usage_view;
use super::{Empty, names, plan};
use crate::render::markdown;
use crate::wire::*;
use palimpsest_app::run::{AttemptRecord, RunRecord, RunSpec};
use palimpsest_app::summary::{ComparedLedgers, DifferingFact, Material};
use palimpsest_app::{App, AppResult, OpenSession};
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::failure::Problem;
use palimpsest_core::ledger::Ledger;
use std::sync::Arc;

/// Plans and runs a compaction, or the summary of a branch.
pub(crate) async fn compact(app: &Arc<App>, request: CompactRequest) -> AppResult<RunView> {
    let spec = RunSpec {
        plan: plan::spec(request.plan),
        plan_hash: request.plan_hash,
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
        // The last attempt that failed is the one before what was done.
        fell_back: record.details.attempts.last().map(attempt),
        provider: row.provider.clone(),
        // The offline summarizer has none, and the table stores an empty text.
        model: (!row.model.is_empty()).then(|| row.model.clone()),
        instructions: row.instructions.clone(),
        started_at: row.started_at_ms,
        elapsed_ms: record.details.elapsed_ms,
        summary_tokens: record.own_summary().map_or(0, text_tokens),
        usage: usage_view(&row.usage),
        retention: sums.and_then(|sums| sums.retention),
        needed_later: sums.map(|sums| sums.needed_later as u64),
        unkept: record.unkept.as_ref().map(unkept),
    }
}

fn unkept(reason: &Problem) -> WireError {
    WireError {
        hint: reason.next.as_ref().map(ToString::to_string),
        next: reason.next.clone().map(|next| Box::new(next.into())),
        ..WireError::alone(ErrorCode::Io, reason.message.clone())
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
                // Left out when false, as with nearly all calls.
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
    let compared = ComparedLedgers::of(&[&left_ledger, &right_ledger]);
    let facts = compared.differing.iter().filter_map(|fact| {
        // Of two sides, both have what differs.
        let [Some(left), Some(right)] = fact.statuses[..] else {
            return None;
        };
        Some(ComparedFact {
            kind: fact.kind,
            text: fact.text.clone(),
            left,
            right,
            needed_later: fact.needed_later,
            entry_id: entry_id(&open, fact),
        })
    });
    let facts = facts.collect();
    Ok(CompareView {
        rows: diff_rows(&left.summary, &right.summary),
        left,
        right,
        facts,
        same_fate: compared.same,
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
    let compared = ComparedLedgers::of(&ledgers.iter().collect::<Vec<_>>());
    let facts = compared.differing.iter().map(|fact| FatesView {
        kind: fact.kind,
        text: fact.text.clone(),
        fates: fact.statuses.clone(),
        needed_later: fact.needed_later,
        entry_id: entry_id(&open, fact),
    });
    Ok(CompareAllView {
        sides,
        facts: facts.collect(),
        same_fate: compared.same,
    })
}

fn entry_id(open: &OpenSession, fact: &DifferingFact) -> Option<String> {
    fact.entry.map(|entry| names::id(&open.session, entry))
}

fn side(app: &App, open: &OpenSession, name: &str) -> AppResult<(ComparedSummary, Ledger)> {
    // Ids of runs have no colon, so the prefix is free for the recorded summary.
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
        tokens: text_tokens(&material.summary),
        summary: material.summary,
        totals: totals(&ledger),
    };
    Ok((compared, ledger))
}

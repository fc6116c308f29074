//! Runs: made, cancelled, listed, compared.

use super::ledger::{totals, view_rows};
use super::score::overall;
use super::spending::usage_view;
use super::workbench;
use super::{Empty, names, plan};
use crate::render::markdown;
use crate::wire::*;
use palimpsest_app::run::{AttemptRecord, RunRecord, RunSpec, differing_by_cut};
use palimpsest_app::summary::DifferingFact;
use palimpsest_app::{
    App, AppError, AppResult, ComparedSide, ComparedSides, Held, HeldFacts, OpenSession, diff,
};
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::failure::Problem;
use palimpsest_core::ledger::Ledger;

use palimpsest_core::{EntryIx, EntryKind, SummaryKind};
use std::sync::Arc;

/// Plans and runs a compaction, or the summary of a branch.
pub(crate) async fn compact(app: &Arc<App>, request: CompactRequest) -> AppResult<RunView> {
    let spec = RunSpec {
        plan: plan::spec(request.plan),
        plan_hash: request.plan_hash,
        stream: request.stream,
        above_limit: request.above_limit.unwrap_or_default(),
        stored_as: None,
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
    let records = app.runs(request.session.as_deref())?;
    let differing = differing_by_cut(&records);
    let shown = app.session_names(records.iter().map(|record| &*record.row.session_id));
    // The file of a session may be gone while its runs are listed.
    let open = request.session.and_then(|name| app.open(&name).ok());
    let rows = records
        .iter()
        .zip(differing)
        .map(|(record, differs)| RunRow {
            again: open.as_ref().and_then(|open| summary_again(open, record)),
            differs: differs.into_iter().map(workbench::setting).collect(),
            shown_session: Some(names::shown_id(&shown, &record.row.session_id)),
            ..row(record)
        });
    Ok(rows.collect())
}

/// One run, whole.
pub(crate) fn run(app: &App, request: RunRequest) -> AppResult<RunView> {
    Ok(view(&app.run_named(&request.run)?))
}

/// Makes a run's summary again from what was kept, or the result of a judgement.
pub(crate) fn replay(app: &App, request: RunRequest) -> AppResult<ReplayView> {
    let (judged, replayed) = match app.replay(&request.run) {
        Ok(replayed) => (None, replayed),
        Err(missing @ AppError::NotFound { .. }) => match app.replay_judgement(&request.run) {
            Ok((what, replayed)) => (Some(what.into()), replayed),
            // It is neither; what the list of runs lacks is said as for a run.
            Err(AppError::NotFound { .. }) => return Err(missing),
            Err(other) => return Err(other),
        },
        Err(other) => return Err(other),
    };
    Ok(ReplayView {
        judged,
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

/// The summary of the session that a run writes again: it stands behind the entry that the run was
/// planned at.
fn summary_again(open: &OpenSession, record: &RunRecord) -> Option<String> {
    let session = &open.session;
    let at = record.row.at_entry_id.as_deref();
    let is_again = |ix: EntryIx| {
        let is_of_kind = match session.entry(ix).kind {
            EntryKind::Compaction(_) => record.row.kind == SummaryKind::Compaction,
            EntryKind::BranchSummary(_) => record.row.kind == SummaryKind::BranchSummary,
            _ => false,
        };
        let parent = || {
            open.tree
                .parent(ix)
                .map(|parent| names::id(session, parent))
        };
        is_of_kind && parent().as_deref() == at
    };
    let found = session.indices().find(|&ix| is_again(ix));
    found.map(|ix| names::id(session, ix))
}

fn row(record: &RunRecord) -> RunRow {
    let row = &record.row;
    let sums = record.details.totals.as_ref();
    RunRow {
        run_id: row.id.clone(),
        kind: row.kind,
        session: row.session_id.clone(),
        shown_session: None,
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
        score: record.details.score.as_ref().map(overall),
        retention: sums.and_then(|sums| sums.retention),
        needed_later: sums
            .and_then(|sums| sums.needed_measured())
            .map(|facts| facts as u64),
        unkept: record.unkept.as_ref().map(unkept),
        edited: record.details.edited.as_ref().map(|edited| EditedView {
            run: edited.run.clone(),
            entry: edited.entry.clone(),
        }),
        name: record.note.name.clone(),
        note: record.note.note.clone(),
        again: None,
        differs: Vec::new(),
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

pub(crate) fn view(record: &RunRecord) -> RunView {
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

/// Two summaries side by side.
pub(crate) fn compare(app: &App, request: CompareRequest) -> AppResult<CompareView> {
    let open = app.open(&request.session)?;
    let all = app.compare_summaries(&open, &[request.left, request.right])?;
    let same_cut = all.cuts.len() == 1;
    let facts = all.compared.iter().flat_map(|cut| &cut.differing);
    let facts = facts.filter_map(|fact| {
        // Of two sides of one cut, both have what differs.
        let [Some(left), Some(right)] = fact.statuses[..] else {
            return None;
        };
        Some(ComparedFact {
            kind: fact.kind,
            text: fact.text.clone(),
            left,
            right,
            found_by: fact.found_by,
            needed_later: fact.needed_later,
            entry_id: entry_id(&open, fact),
        })
    });
    let facts = facts.collect();
    let [left, right] = <[ComparedSummary; 2]>::try_from(summaries(&open, &all))
        .map_err(|_| AppError::Internal("a comparison lost one of its sides".to_owned()))?;
    Ok(CompareView {
        rows: view_rows(&diff::by_section(&left.summary, &right.summary)),
        left,
        right,
        facts,
        same_fate: all.compared.iter().map(|cut| cut.same).sum(),
        same_cut,
    })
}

/// Several summaries side by side.
pub(crate) fn compare_all(app: &App, request: CompareAllRequest) -> AppResult<CompareAllView> {
    let open = app.open(&request.session)?;
    let all = app.compare_summaries(&open, &request.sides)?;
    let mut facts = Vec::new();
    for (cut, compared) in all.cuts.iter().zip(&all.compared) {
        for fact in &compared.differing {
            let mut fates = vec![None; all.sides.len()];
            let mut in_tail = vec![false; all.sides.len()];
            for (at, &side) in cut.sides.iter().enumerate() {
                fates[side] = fact.statuses[at];
                in_tail[side] = fact.in_tail[at];
            }
            facts.push(FatesView {
                kind: fact.kind,
                text: fact.text.clone(),
                fates,
                in_tail,
                found_by: fact.found_by,
                needed_later: fact.needed_later,
                entry_id: entry_id(&open, fact),
            });
        }
    }
    let cuts = all.cuts.iter().map(|cut| {
        let first = cut.ledgers.first();
        ComparedCut {
            at: cut.at.map(|ix| names::id(&open.session, ix)),
            sides: cut.sides.iter().map(|&side| side as u64).collect(),
            entries: cut.entries.len() as u64,
            facts: first.map_or(0, |ledger| ledger.facts_by_rules().count() as u64),
            needed_later: cut
                .held
                .first()
                .map_or(0, |held| held.needed_later.facts as u64),
            incomplete: cut.incomplete,
        }
    });
    // What one has and another lost comes first.
    facts.sort_by_key(|fact| !is_kept_by_one_and_lost_by_another(fact));
    let runs: Vec<Option<&RunRecord>> = all.sides.iter().map(|side| side.run.as_ref()).collect();
    Ok(CompareAllView {
        settings: workbench::differing(app, &runs)?,
        sides: summaries(&open, &all),
        cuts: cuts.collect(),
        facts,
        same_fate: all.compared.iter().map(|cut| cut.same).sum(),
    })
}

/// Whether the next request after one summary has a fact whole, and that after another nothing.
fn is_kept_by_one_and_lost_by_another(fact: &FatesView) -> bool {
    let mut kept = false;
    let mut lost = false;
    for (fate, in_tail) in fact.fates.iter().zip(&fact.in_tail) {
        match fate {
            _ if *in_tail => kept = true,
            Some(FactStatus::Verbatim | FactStatus::Mentioned) => kept = true,
            Some(FactStatus::Dropped) => lost = true,
            _ => {}
        }
    }
    kept && lost
}

fn entry_id(open: &OpenSession, fact: &DifferingFact) -> Option<String> {
    fact.entry.map(|entry| names::id(&open.session, entry))
}

/// The sides of a comparison in the order asked for.
fn summaries(open: &OpenSession, all: &ComparedSides) -> Vec<ComparedSummary> {
    let mut found: Vec<(usize, ComparedSummary)> = Vec::new();
    for (number, cut) in all.cuts.iter().enumerate() {
        for (place, &at) in cut.sides.iter().enumerate() {
            let (side, ledger) = (&all.sides[at], &cut.ledgers[place]);
            let (held, claims) = (&cut.held[place], &cut.claims[place]);
            let summary = ComparedSummary {
                title: side.material.title.clone(),
                run: side.run.as_ref().map(row),
                tokens: side.tokens,
                summary: side.material.summary.clone(),
                totals: totals(ledger),
                claims: super::claims::views(
                    open,
                    &side.material.summary,
                    claims,
                    side.material.judged_claims.as_ref(),
                ),
                judged_claims: side
                    .material
                    .judged_claims
                    .as_ref()
                    .map(super::claims::judged),
                cut: number as u64,
                score: SummaryScore {
                    overall: cut.scores[place].as_ref().map(overall),
                    claims: Some(super::ledger::claim_counts(claims)),
                    ..score(side, ledger, held)
                },
                same_as: all.same_offline(at).map(|earlier| earlier as u64),
            };
            found.push((at, summary));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, summary)| summary).collect()
}

fn score(side: &ComparedSide, ledger: &Ledger, held: &HeldFacts) -> SummaryScore {
    let run = side.run.as_ref();
    let kinds = held.by_kind.iter();
    SummaryScore {
        overall: None,
        needed_later: held_counts(&held.needed_later),
        by_kind: kinds
            .map(|(kind, held)| (*kind, held_counts(held)))
            .collect(),
        changed: held.changed as u64,
        introduced: ledger.introduced.len() as u64,
        claims: None,
        summary_tokens: side.tokens,
        next_tokens: side.next_tokens,
        calls: run.map(|run| run.calls.len() as u64),
        cost_usd: run.and_then(|run| run.row.usage.cost_usd),
        elapsed_ms: run.map(|run| run.details.elapsed_ms),
    }
}

fn held_counts(held: &Held) -> HeldCounts {
    HeldCounts {
        facts: held.facts as u64,
        in_summary: held.in_summary as u64,
        in_tail: held.in_tail as u64,
        partial: held.partial as u64,
        changed: held.changed as u64,
        lost: held.lost as u64,
        share: held.share(),
    }
}

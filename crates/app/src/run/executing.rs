//! Executing a plan: calls made, text streamed, everything kept, whatever the end.

use super::cut::cut_of_plan;
use super::kept::{RunDetails, RunRecord};
use super::messages::SessionMessages;
use super::needs::asks_a_model;
use super::planning::{PlanSpec, Planned, blocking};
use super::program::{PROGRAM, WithPrograms, program_of};
use super::record::{AttemptRecord, CallRecord, MadeCall, PlanRecord};
use super::summarizer::{ProviderSummarizer, within};
use super::telling::Told;
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::summary::Material;
use crate::workspace::{App, AppEvent};
use palimpsest_compaction::execute::{
    Attempt, CallMessages, Recipe, RunError, RunFailure, RunOutcome, execute,
};
use palimpsest_compaction::{OfflineSummarizer, Plan};
use palimpsest_core::failure::{Failure as _, NextStep, Problem};
use palimpsest_core::{SummaryKind, Usage};
use palimpsest_llm::{ProviderConfig, ProviderKind};
use palimpsest_store::user::{RunRow, RunStatus};
use palimpsest_tokens::cost_usd;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// What to run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSpec {
    /// What to plan.
    pub plan: PlanSpec,
    /// The name under which events are told and the run can be cancelled.
    pub stream: Option<String>,
}

/// The error of a cancelled run with partial output.
const CANCELLED_WITH_TEXT: &str =
    "the run was cancelled, and its partial output is kept with the run";

/// How a run ended.
struct Ended {
    status: RunStatus,
    summary: Option<String>,
    error: Option<Problem>,
    calls: Vec<MadeCall>,
    usage: Usage,
    /// The plan as it was carried out, when that was another than planned.
    adapted: Option<Box<Plan>>,
    /// Failed attempts before this one.
    attempts: Vec<Attempt>,
}

impl App {
    /// Plans and runs. A failed or cancelled run is stored too, with its partial output; an error
    /// is returned only when nothing was run.
    pub async fn compact(self: &Arc<Self>, spec: RunSpec) -> Result<RunRecord> {
        let id = run_id()?;
        let stream = spec.stream.clone().unwrap_or_else(|| id.clone());
        let cancel = self.begin(&stream);
        let done = self.run(&spec, &id, &stream, &cancel).await;
        self.end(&stream);
        let record = done?;
        let status = record.row.status;
        self.tell(AppEvent::RunFinished {
            stream,
            run_id: id,
            status,
        });
        Ok(record)
    }

    async fn run(
        self: &Arc<Self>,
        spec: &RunSpec,
        id: &str,
        stream: &str,
        cancel: &CancellationToken,
    ) -> Result<RunRecord> {
        // What is sent must be there, whoever asked for a plan without it.
        let whole = PlanSpec {
            brief: false,
            ..spec.plan.clone()
        };
        let mut planned = self.plan_with_vectors(&whole, cancel).await?;
        let app = Arc::clone(self);
        let mut planned = blocking(move || {
            let strategy = planned.record.strategy.clone();
            let prompts = &mut planned.record.prompts;
            app.keep_prompts(&strategy, &planned.set, &planned.instructions, prompts)?;
            Ok(planned)
        })
        .await?;
        let Some(plan) = &planned.plan else {
            let reason = planned.record.reason.clone().unwrap_or_default();
            return Err(AppError::Plan(Problem {
                message: format!("there is nothing to summarize: {reason}"),
                next: planned.record.next_step.clone(),
            }));
        };
        if let Some(program) = program_of(plan) {
            self.check_program(&program.command)?;
        }
        let config = planned.provider.config.clone();
        let open = Arc::clone(&planned.open);
        let (for_load, context) = (plan.clone(), planned.context.clone());
        let material = blocking(move || {
            let messages = SessionMessages(&open);
            Ok(CallMessages::load(
                &for_load,
                &open.session,
                &context,
                &messages,
            )?)
        })
        .await?;
        let started_at_ms = now_ms();
        let told = Told::new(self, stream, &config);
        let started = Instant::now();
        let ended = self
            .carry_out(plan, &material, &config, &planned, &told, cancel)
            .await?;
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let details = details(plan, &ended, elapsed_ms);
        if let Some(carried_out) = &ended.adapted {
            let record = PlanRecord::of_plan(&planned.open, carried_out, true);
            planned.record.cut_as(record);
            planned.plan = Some(carried_out.clone());
        }
        let row = row(id, &planned, &config, ended, started_at_ms, elapsed_ms)?;
        let app = Arc::clone(self);
        blocking(move || app.keep(row, planned, details)).await
    }

    async fn carry_out(
        &self,
        plan: &Plan,
        material: &CallMessages,
        config: &ProviderConfig,
        planned: &Planned,
        told: &Told,
        cancel: &CancellationToken,
    ) -> Result<Ended> {
        let partial = told.partials();
        if config.kind == ProviderKind::Offline || !asks_a_model(plan) {
            let summarizer = WithPrograms::new(self, &OfflineSummarizer, &planned.record, partial);
            let outcome = execute(plan, material, &summarizer, told, cancel).await;
            return Ok(self.ended(outcome, told, config, None));
        }
        // A program may well know its model by itself.
        let named = planned.model.clone();
        let model = match config.kind {
            ProviderKind::Command => named.unwrap_or_default(),
            _ => named.ok_or_else(|| {
                AppError::bad_request(
                    format!("no model of the provider {} is chosen", config.name),
                    NextStep::ChooseModel {
                        provider: config.name.clone(),
                    },
                )
            })?,
        };
        let client = self.client(&within(config, plan.call_timeout_seconds))?;
        let gate = self.gate(config);
        let summarizer = ProviderSummarizer::new(client, model.clone(), gate, partial);
        let all = WithPrograms::new(self, &summarizer, &planned.record, partial);
        let outcome = execute(plan, material, &all, told, cancel).await;
        Ok(self.ended(outcome, told, config, Some(&model)))
    }

    fn ended(
        &self,
        outcome: std::result::Result<RunOutcome, RunError>,
        told: &Told,
        config: &ProviderConfig,
        model: Option<&str>,
    ) -> Ended {
        told.flush();
        let calls = told.made();
        let mut usage = Usage::default();
        calls.iter().for_each(|call| usage.add(&call.usage));
        usage.cost_usd = match model {
            None => Some(0.0),
            Some(model) => self.cost_of(&calls, config, model),
        };
        match outcome {
            Ok(outcome) => Ended {
                status: RunStatus::Done,
                summary: Some(outcome.summary),
                error: None,
                calls,
                usage,
                adapted: outcome.adapted,
                attempts: outcome.attempts,
            },
            Err(RunError {
                reason, attempts, ..
            }) => {
                let cancelled = reason == RunFailure::Cancelled;
                let came = told.came().join("\n\n");
                let error = match (cancelled, came.is_empty()) {
                    (true, false) => Problem::alone(CANCELLED_WITH_TEXT),
                    _ => reason.problem(),
                };
                Ended {
                    status: if cancelled {
                        RunStatus::Cancelled
                    } else {
                        RunStatus::Failed
                    },
                    summary: (!came.is_empty()).then_some(came),
                    error: Some(error),
                    calls,
                    usage,
                    adapted: None,
                    attempts,
                }
            }
        }
    }

    /// What the calls cost at the price of the model each was sent to; `model` is the run's.
    fn cost_of(&self, calls: &[MadeCall], config: &ProviderConfig, model: &str) -> Option<f64> {
        let mut by_model: BTreeMap<&str, Usage> = BTreeMap::from([(model, Usage::default())]);
        for call in calls {
            let sent_to = call.model.as_deref().unwrap_or(model);
            by_model.entry(sent_to).or_default().add(&call.usage);
        }
        let costs = by_model.into_iter().map(|(model, usage)| {
            let prices = self.prices(config, model)?;
            Some(cost_usd(&usage, &prices))
        });
        costs.sum()
    }

    /// Writes the run in one statement, with the sums of its ledger when it has a whole summary.
    fn keep(
        &self,
        mut row: RunRow,
        planned: Planned,
        mut details: RunDetails,
    ) -> Result<RunRecord> {
        if let (RunStatus::Done, Some(summary), Some(plan)) =
            (row.status, &row.summary, &planned.plan)
        {
            let cut = cut_of_plan(&planned, plan);
            details.span_tokens = cut.span_tokens;
            let instructions = row.instructions.clone();
            let title = String::new();
            let material = Material::new(&planned.open, title, summary.clone(), cut, instructions)?;
            let ledger = material.ledger();
            details.facts = ledger.facts.len();
            details.introduced = ledger.introduced.len();
            details.totals = Some(ledger.totals);
        }
        row.details = Some(to_json(&details)?);
        self.user_db()?.save_run(&row)?;
        RunRecord::from_row(row)
    }
}

/// What replaying the run needs, taken from the plan as it was carried out.
fn details(planned: &Plan, ended: &Ended, elapsed_ms: u64) -> RunDetails {
    let carried_out = ended.adapted.as_deref().unwrap_or(planned);
    let done = ended.status == RunStatus::Done;
    let calls = |plan: &Plan| plan.calls.iter().map(CallRecord::of).collect();
    RunDetails {
        elapsed_ms,
        recipe: done.then(|| Recipe::of(carried_out)),
        adapted: ended.adapted.as_deref().map(calls),
        attempts: ended.attempts.iter().map(AttemptRecord::of).collect(),
        next: ended.error.as_ref().and_then(|error| error.next.clone()),
        ..RunDetails::default()
    }
}

fn row(
    id: &str,
    planned: &Planned,
    config: &ProviderConfig,
    ended: Ended,
    started_at_ms: i64,
    elapsed_ms: u64,
) -> Result<RunRow> {
    let meta = &planned.open.session.meta;
    let record = &planned.record;
    let Some(plan) = &planned.plan else {
        return Err(AppError::Internal("a run without a plan".into()));
    };
    let offline = config.kind == ProviderKind::Offline;
    Ok(RunRow {
        id: id.to_owned(),
        kind: match plan.branch {
            Some(_) => SummaryKind::BranchSummary,
            None => SummaryKind::Compaction,
        },
        status: ended.status,
        session_id: planned.open.id.clone(),
        session_path: meta.path.clone(),
        agent: meta.agent,
        at_entry_id: record.at.clone(),
        strategy: record.strategy.clone(),
        params: to_json(&record.params)?,
        instructions: plan.instructions.given().map(str::to_owned),
        replaces_prompt: plan.instructions.replace,
        provider: match program_of(plan) {
            Some(_) => PROGRAM.to_owned(),
            None => config.name.clone(),
        },
        model: planned
            .model
            .clone()
            .filter(|_| !offline)
            .unwrap_or_default(),
        plan: to_json(record)?,
        calls: to_json(&ended.calls)?,
        summary: ended.summary,
        details: None,
        usage: ended.usage,
        error: ended.error.map(|error| error.message),
        started_at_ms,
        finished_at_ms: Some(started_at_ms + i64::try_from(elapsed_ms).unwrap_or(0)),
    })
}

fn to_json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| AppError::Internal(error.to_string()))
}

/// 12 hex digits, random from the first on, so that a short prefix is enough to name a run.
fn run_id() -> Result<String> {
    let mut bytes = [0_u8; 6];
    getrandom::fill(&mut bytes).map_err(|error| AppError::Internal(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

//! Executing a plan: calls made, text streamed, everything kept, whatever the end.

use super::cut::cut_of_plan;
use super::kept::{RunDetails, RunRecord};
use super::limit::check_prompt_is_read;
use super::messages::SessionMessages;
use super::needs::asks_a_model;
use super::planned::{PlanSpec, Planned};
use super::planning::blocking;
use super::program::{PROGRAM, WithPrograms, program_of};
use super::record::{AttemptRecord, CallRecord, MadeCall, PlanRecord};
use super::started::Started;
use super::stored_calls::StoredCalls;
use super::summarizer::{ProviderSummarizer, within};
use super::telling::Told;
use super::under_way::UnderWay;
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
use palimpsest_store::user::{RunNote, RunRow, RunStatus};
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
    /// The hash of the plan that was shown: the run executes that plan or fails. Without a hash it
    /// plans now.
    pub plan_hash: Option<String>,
    /// The name under which events are told and the run can be cancelled.
    pub stream: Option<String>,
    /// True where the user agreed to a cost above the limit of the settings.
    pub above_limit: bool,
    /// The id of the run, where its replies are stored one by one: a run of this id that was cut off
    /// goes on from them, and none of them is requested again.
    pub stored_as: Option<String>,
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

impl Ended {
    /// A run that has only begun.
    fn not_yet() -> Ended {
        Ended {
            status: RunStatus::Running,
            summary: None,
            error: None,
            calls: Vec::new(),
            usage: Usage::default(),
            adapted: None,
            attempts: Vec::new(),
        }
    }
}

impl App {
    /// Plans and runs. A failed or cancelled run is stored too, with its partial output; an error
    /// is returned only when nothing was run.
    pub async fn compact(self: &Arc<Self>, spec: RunSpec) -> Result<RunRecord> {
        let id = match &spec.stored_as {
            Some(id) => id.clone(),
            None => run_id()?,
        };
        let stream = spec.stream.clone().unwrap_or_else(|| id.clone());
        let cancel = self.begin(&stream);
        let done = self.run(&spec, &id, &stream, &cancel).await;
        // Before the error is returned: a name that stays would count as a run under way.
        self.end(&stream);
        self.under_way.unlist(&stream);
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
        let hash = spec.plan_hash.as_deref();
        let planned = self.plan_to_run(&spec.plan, hash, cancel).await?;
        let Some(plan) = &planned.plan else {
            let reason = planned.record.reason.clone().unwrap_or_default();
            return Err(AppError::Plan(Problem {
                message: format!("there is nothing to summarize: {reason}"),
                next: planned.record.next_step.clone(),
            }));
        };
        // Before anything is stored or sent.
        check_prompt_is_read(&planned)?;
        if !spec.above_limit {
            self.check_cost_limit(planned.record.most_cost_usd)?;
        }
        if let Some(program) = program_of(plan) {
            self.check_program(&program.command)?;
        }
        let config = planned.provider.config.clone();
        let (app, own) = (Arc::clone(self), Arc::clone(&planned));
        let for_load = Arc::clone(plan);
        // Prompts are saved before anything is sent, so that the stored run can name their
        // versions.
        let (mut record, material) = blocking(move || {
            let record = app.with_prompts_kept(&own)?;
            let (session, messages) = (&own.open.session, SessionMessages(&own.open));
            // All texts that a retry may need are read now: the file can change while calls are
            // made.
            let material = CallMessages::load(&for_load, session, &own.context, &messages)?;
            Ok((record, material))
        })
        .await?;
        let started_at_ms = now_ms();
        let progress = self.under_way.list(UnderWay {
            stream: stream.to_owned(),
            session: planned.open.id.clone(),
            provider: config.name.clone(),
            model: planned.model.clone().unwrap_or_default(),
            instructions: planned.instructions.given().map(str::to_owned),
            plan: Arc::clone(&record),
            started_at_ms,
            heard_at_ms: started_at_ms,
            texts: BTreeMap::new(),
            failures: Vec::new(),
        });
        let told = Told::new(self, stream, &config, progress);
        // Held until the end, however it comes: other processes list the run by it.
        let _started = self.note_started(id, &planned, plan, &record, started_at_ms);
        let started = Instant::now();
        let ended = self
            .carry_out(plan, &material, (&config, spec), &planned, &told, cancel)
            .await?;
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let details = details(plan, &ended, elapsed_ms);
        let mut carried_out = Arc::clone(plan);
        let mut ended = ended;
        if let Some(adapted) = ended.adapted.take() {
            let cut = PlanRecord::of_plan(&planned.open, &adapted, true);
            // Copied only now: the record is shared with the plan on the screen.
            Arc::make_mut(&mut record).cut_as(cut);
            carried_out = Arc::from(adapted);
        }
        let calls = std::mem::take(&mut ended.calls);
        let row = Row {
            id,
            planned: &planned,
            plan: &carried_out,
            record: &record,
            calls: &calls,
            config: &config,
        };
        let row = row.written(ended, started_at_ms, elapsed_ms)?;
        let app = Arc::clone(self);
        let kept = RunRecord {
            row,
            plan: record,
            calls,
            details,
            unkept: None,
            note: RunNote::default(),
        };
        // Before it is measured: a reply that was paid for outlives whatever happens then.
        let first = Arc::clone(&app);
        let mut kept = blocking(move || first.keep(kept)).await?;
        let measured = kept.clone();
        let measured = blocking(move || app.measured(measured, &planned, &carried_out)).await;
        match measured {
            Ok(measured) => kept = measured,
            Err(error) => self.notice(&format!(
                "the run {id} is kept without its ledger, because {error}"
            )),
        }
        kept.unkept = self.unkept.reason(id);
        Ok(kept)
    }

    async fn carry_out(
        &self,
        plan: &Plan,
        material: &CallMessages,
        (config, spec): (&ProviderConfig, &RunSpec),
        planned: &Planned,
        told: &Told,
        cancel: &CancellationToken,
    ) -> Result<Ended> {
        let partial = told.partials();
        // A plan without calls to a model needs neither a key nor a model.
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
        let outcome = match &spec.stored_as {
            None => execute(plan, material, &all, told, cancel).await,
            Some(run) => {
                let asked = [config.name.as_str(), &config.base_url, &model].join("\n");
                let stored = StoredCalls::new(self, run, asked, &all)?;
                execute(plan, material, &stored, told, cancel).await
            }
        };
        Ok(self.ended(outcome, told, config, Some(&model)))
    }

    fn ended(
        &self,
        outcome: std::result::Result<RunOutcome, RunError>,
        told: &Told,
        config: &ProviderConfig,
        model: Option<&str>,
    ) -> Ended {
        // The last bundle of text may still wait for its time.
        told.flush();
        let calls = told.made();
        let mut usage = Usage::default();
        calls.iter().for_each(|call| usage.add(&call.usage));
        // By the price of the catalog, also where a provider reports a cost.
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
            // One unknown price makes the sum unknown: a part of a cost would be read as the
            // whole.
            let prices = self.prices(config, model)?;
            Some(cost_usd(&usage, &prices))
        });
        costs.sum()
    }

    /// Writes the row of a run that begins, for other processes and for later ones.
    fn note_started(
        self: &Arc<Self>,
        id: &str,
        planned: &Planned,
        plan: &Plan,
        record: &PlanRecord,
        started_at_ms: i64,
    ) -> Started {
        let begun = Row {
            id,
            planned,
            plan,
            record,
            calls: &[],
            config: &planned.provider.config,
        };
        let row = begun.written(Ended::not_yet(), started_at_ms, 0).ok();
        Started::note(
            self,
            id,
            row.map(|row| RunRow {
                finished_at_ms: None,
                ..row
            }),
        )
    }

    /// The record of a plan that runs: the user's prompts in it are saved, so that it can name
    /// their versions.
    fn with_prompts_kept(&self, planned: &Planned) -> Result<Arc<PlanRecord>> {
        let mut record = Arc::clone(&planned.record);
        let mut prompts = record.prompts.clone();
        let (strategy, set) = (&record.strategy, &planned.set);
        self.keep_prompts(strategy, set, &planned.instructions, &mut prompts)?;
        if prompts != record.prompts {
            Arc::make_mut(&mut record).prompts = prompts;
        }
        Ok(record)
    }

    /// Writes the run as it ended, in one statement.
    fn keep(&self, mut run: RunRecord) -> Result<RunRecord> {
        run.row.details = Some(to_json(&run.details)?);
        self.keep_row(&run.row);
        Ok(run.into_shown())
    }

    /// Writes the run again, with the sums of its ledger, when it has a whole summary.
    fn measured(&self, mut run: RunRecord, planned: &Planned, plan: &Plan) -> Result<RunRecord> {
        let (row, details) = (&mut run.row, &mut run.details);
        // A partial summary has no ledger: what it lacks may only not have been written yet.
        let (RunStatus::Done, Some(summary)) = (row.status, &row.summary) else {
            return Ok(run);
        };
        let cut = cut_of_plan(planned, plan);
        details.span_tokens = cut.span_tokens;
        let instructions = row.instructions.clone();
        let title = String::new();
        let material = Material::new(&planned.open, title, summary.clone(), cut, instructions)?;
        let ledger = material.ledger();
        details.facts = ledger.facts.len();
        details.introduced = ledger.introduced.len();
        details.score = material.score(&material.summary, &ledger);
        details.totals = Some(ledger.totals);
        row.details = Some(to_json(&*details)?);
        self.keep_row(row);
        Ok(run.into_shown())
    }
}

/// What replaying the run needs, taken from the plan as it was carried out.
fn details(planned: &Plan, ended: &Ended, elapsed_ms: u64) -> RunDetails {
    let carried_out = ended.adapted.as_deref().unwrap_or(planned);
    let done = ended.status == RunStatus::Done;
    let calls = |plan: &Plan| plan.calls.iter().map(CallRecord::of).collect();
    RunDetails {
        elapsed_ms,
        // Stored with the run, so that a later version of a strategy cannot change the replay.
        recipe: done.then(|| Recipe::of(carried_out)),
        adapted: ended.adapted.as_deref().map(calls),
        attempts: ended.attempts.iter().map(AttemptRecord::of).collect(),
        next: ended.error.as_ref().and_then(|error| error.next.clone()),
        ..RunDetails::default()
    }
}

/// What the row of a run is written from.
struct Row<'a> {
    id: &'a str,
    planned: &'a Planned,
    /// The plan as it was carried out.
    plan: &'a Plan,
    record: &'a PlanRecord,
    calls: &'a [MadeCall],
    config: &'a ProviderConfig,
}

impl Row<'_> {
    fn written(&self, ended: Ended, started_at_ms: i64, elapsed_ms: u64) -> Result<RunRow> {
        let meta = &self.planned.open.session.meta;
        let (record, plan) = (self.record, self.plan);
        let offline = self.config.kind == ProviderKind::Offline;
        let model = self.planned.model.clone();
        Ok(RunRow {
            id: self.id.to_owned(),
            kind: match plan.branch {
                Some(_) => SummaryKind::BranchSummary,
                None => SummaryKind::Compaction,
            },
            status: ended.status,
            session_id: self.planned.open.id.clone(),
            session_path: meta.path.clone(),
            agent: meta.agent,
            at_entry_id: record.at.clone(),
            strategy: record.strategy.clone(),
            params: to_json(&record.params)?,
            instructions: plan.instructions.given().map(str::to_owned),
            replaces_prompt: plan.instructions.replace,
            provider: match program_of(plan) {
                Some(_) => PROGRAM.to_owned(),
                None => self.config.name.clone(),
            },
            model: model.filter(|_| !offline).unwrap_or_default(),
            plan: to_json(record)?,
            calls: to_json(self.calls)?,
            summary: ended.summary,
            details: None,
            usage: ended.usage,
            error: ended.error.map(|error| error.message),
            started_at_ms,
            finished_at_ms: Some(started_at_ms + i64::try_from(elapsed_ms).unwrap_or(0)),
        })
    }
}

pub(super) fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| AppError::Internal(error.to_string()))
}

/// 12 hex digits, random from the first on, so that a short prefix is enough to name a run.
pub(crate) fn run_id() -> Result<String> {
    let mut bytes = [0_u8; 6];
    getrandom::fill(&mut bytes).map_err(|error| AppError::Internal(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

//! Asking: the calls of a planned judgement, each reply checked and stored as it comes.

use super::kept::{JudgedCall, Judgement};
use super::planning::{ATTEMPTS, JudgeSpec, PlannedJudgement};
use crate::clock::now_ms;
use crate::error::{AppError, Result};
use crate::process;
use crate::run::{blocking, run_id, stop_name};
use crate::session::lock;
use crate::workspace::{App, AppEvent};
use futures::StreamExt as _;
use palimpsest_core::call::{ModelReply, ModelRequest, StopReason};
use palimpsest_core::failure::{Failure as _, NextStep, Problem};
use palimpsest_core::{Usage, words::thousands};
use palimpsest_judge::Call;
use palimpsest_llm::{Fault, LlmError, ModelClient, StreamEvent};
use palimpsest_store::user::{JudgementRow, RunStatus};
use palimpsest_tokens::cost_usd;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Most calls on their way at the same time.
const AT_ONCE: usize = 4;

/// Why a judgement has no result.
enum Stopped {
    Cancelled,
    Failed(Problem),
}

/// What the calls of one judgement share.
struct Asking<'a> {
    app: &'a Arc<App>,
    planned: &'a PlannedJudgement,
    client: Box<dyn ModelClient>,
    gate: Option<Arc<Semaphore>>,
    stream: &'a str,
    row: Mutex<JudgementRow>,
    made: Mutex<Vec<JudgedCall>>,
    /// Replies that earlier judgements without a result have paid for, by request.
    paid: HashMap<(String, String), (String, JudgedCall)>,
    stop: CancellationToken,
}

impl App {
    /// Plans and asks. A judgement that fails or is cancelled is stored too, with its replies; an
    /// error is returned only when nothing was sent.
    pub async fn judge(self: &Arc<Self>, spec: JudgeSpec) -> Result<Judgement> {
        let id = run_id()?;
        let stream = spec.stream.clone().unwrap_or_else(|| id.clone());
        let cancel = self.begin(&stream);
        let done = self.ask_judge(&spec, &id, &stream, &cancel).await;
        // Before the error is returned: a name that stays would count as work under way.
        self.end(&stream);
        done
    }

    async fn ask_judge(
        self: &Arc<Self>,
        spec: &JudgeSpec,
        id: &str,
        stream: &str,
        cancel: &CancellationToken,
    ) -> Result<Judgement> {
        let (app, own) = (Arc::clone(self), spec.clone());
        let planned = blocking(move || app.plan_judgement(&own)).await?;
        if !spec.above_limit {
            self.check_cost_limit(planned.most_usd)?;
        }
        let row = row_of(id, &planned)?;
        let paid = self.paid_replies(&row)?;
        let client = self.client(&planned.provider.config)?;
        let user = self.user_db()?;
        // Other processes tell by it what is under way.
        user.claim(id, process::own(), process::is_live)?;
        user.save_judgement(&row)?;
        let asking = Asking {
            app: self,
            client,
            gate: self.gate(&planned.provider.config),
            stream,
            row: Mutex::new(row),
            made: Mutex::default(),
            paid,
            planned: &planned,
            stop: cancel.child_token(),
        };
        let ended = asking.all().await;
        let settled = asking.settled(ended);
        let saved = match &settled {
            Ok((row, _)) => user.save_judgement(row),
            Err(_) => Ok(()),
        };
        let _ = user.release(id);
        let (row, next) = settled?;
        saved?;
        let judgement = Judgement::from_row(row)?;
        Ok(Judgement { next, ..judgement })
    }

    /// Usable replies of judgements of this session that did not end well, by system prompt and
    /// prompt. They went to the same model.
    fn paid_replies(
        &self,
        row: &JudgementRow,
    ) -> Result<HashMap<(String, String), (String, JudgedCall)>> {
        let mut paid = HashMap::new();
        for earlier in self.user_db()?.judgements_of(&row.session_id)? {
            let same = earlier.provider == row.provider && earlier.model == row.model;
            if !same || earlier.status == RunStatus::Done {
                continue;
            }
            // One of another version is of no use.
            let Ok(earlier) = Judgement::from_row(earlier) else {
                continue;
            };
            for call in earlier
                .calls
                .into_iter()
                .filter(|call| call.refused.is_none())
            {
                if let Some(sent) = earlier.plan.calls.get(call.number) {
                    let key = (sent.system.clone(), sent.prompt.clone());
                    let from = call.from.clone().unwrap_or_else(|| earlier.row.id.clone());
                    paid.insert(key, (from, call));
                }
            }
        }
        Ok(paid)
    }
}

impl Asking<'_> {
    /// Makes all calls; the first that fails ends the others.
    async fn all(&self) -> std::result::Result<(), Stopped> {
        let calls = 0..self.planned.plan.calls.len();
        let mut answers =
            futures::stream::iter(calls.map(|number| self.one(number))).buffer_unordered(AT_ONCE);
        let mut ended = Ok(());
        while let Some(answer) = answers.next().await {
            if answer.is_err() && ended.is_ok() {
                ended = answer;
                // What is on its way ends; nothing more is sent.
                self.stop.cancel();
            }
        }
        ended
    }

    async fn one(&self, number: usize) -> std::result::Result<(), Stopped> {
        let call = &self.planned.plan.calls[number];
        let key = (call.system.clone(), call.prompt.clone());
        if let Some((from, earlier)) = self.paid.get(&key)
            && self.planned.plan.check(number, &earlier.reply).is_ok()
        {
            return self.keep(JudgedCall {
                number,
                usage: Usage::default(),
                elapsed_ms: 0,
                retries: 0,
                from: Some(from.clone()),
                ..earlier.clone()
            });
        }
        let mut reason = String::new();
        for attempt in 1..=ATTEMPTS {
            let began = Instant::now();
            let (reply, retries) = self.sent(call).await?;
            let refused = match reply.stop {
                StopReason::Refusal => Some("the model refused".to_owned()),
                _ => {
                    let checked = self.planned.plan.check(number, &reply.text);
                    checked.err().map(|error| error.to_string())
                }
            };
            self.keep(JudgedCall {
                number,
                stop_reason: stop_name(&reply.stop).to_owned(),
                usage: reply.usage,
                elapsed_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
                retries,
                refused: refused.clone(),
                from: None,
                reply: reply.text,
            })?;
            let Some(why) = refused else {
                return Ok(());
            };
            if attempt < ATTEMPTS {
                self.app.tell(AppEvent::RunRetry {
                    stream: self.stream.to_owned(),
                    attempt: attempt + 1,
                    of: ATTEMPTS,
                    wait_ms: 0,
                    reason: why.clone(),
                });
            }
            reason = why;
        }
        Err(Stopped::Failed(Problem::new(
            format!(
                "the call '{}' failed {ATTEMPTS} times: {reason}",
                call.label
            ),
            NextStep::RunAgain,
        )))
    }

    async fn sent(&self, call: &Call) -> std::result::Result<(ModelReply, u32), Stopped> {
        let request = ModelRequest {
            model: self.planned.model.clone(),
            system: call.system.clone(),
            prompt: call.prompt.clone(),
            messages: Vec::new(),
            max_output_tokens: Some(call.max_output_tokens),
            // Judgements should be the same again; a model that takes none is asked without.
            temperature: Some(0.0),
        };
        let mut retries = 0;
        let mut sink = |event: StreamEvent| {
            if let StreamEvent::Retrying {
                attempt,
                of,
                wait_ms,
                reason,
                ..
            } = event
            {
                retries += 1;
                self.app.tell(AppEvent::RunRetry {
                    stream: self.stream.to_owned(),
                    attempt,
                    of,
                    wait_ms,
                    reason,
                });
            }
        };
        // Held until the call ends: dropping it lets the next call in.
        let _place = match &self.gate {
            None => None,
            Some(gate) => tokio::select! {
                biased;
                () = self.stop.cancelled() => return Err(Stopped::Cancelled),
                // The gate is never closed.
                place = gate.acquire() => place.ok(),
            },
        };
        if self.stop.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let answer = self.client.complete(&request, &mut sink, &self.stop).await;
        answer
            .map(|reply| (reply, retries))
            .map_err(|error| stopped(&error))
    }

    /// Keeps what came back, before it is judged: it was paid for.
    fn keep(&self, call: JudgedCall) -> std::result::Result<(), Stopped> {
        let calls = {
            let mut made = lock(&self.made);
            made.push(call);
            serde_json::to_string(&*made)
        };
        let failed = |error: String| Stopped::Failed(Problem::alone(error));
        let calls = calls.map_err(|error| failed(error.to_string()))?;
        let row = {
            let mut row = lock(&self.row);
            row.calls = calls;
            row.clone()
        };
        let saved = self
            .app
            .user_db()
            .and_then(|user| Ok(user.save_judgement(&row)?));
        saved.map_err(|error| {
            Stopped::Failed(Problem {
                message: error.to_string(),
                next: error.next(),
            })
        })
    }

    /// The row at the end, with the result of the replies.
    fn settled(
        &self,
        ended: std::result::Result<(), Stopped>,
    ) -> Result<(JudgementRow, Option<NextStep>)> {
        let mut made = lock(&self.made).clone();
        // Calls end in any order; the record has that of the plan.
        made.sort_by_key(|call| call.number);
        let mut row = lock(&self.row).clone();
        row.calls = to_json(&made)?;
        row.finished_at_ms = Some(now_ms());
        let mut usage = Usage::default();
        made.iter().for_each(|call| usage.add(&call.usage));
        let prices = self
            .app
            .prices(&self.planned.provider.config, &self.planned.model);
        row.cost_usd = prices.map(|prices| cost_usd(&usage, &prices));
        let mut next = None;
        match ended {
            Ok(()) => {
                let judgement = Judgement::from_row(row.clone())?;
                let outcome = self.planned.plan.outcome(&judgement.replies());
                let outcome = outcome.map_err(|error| AppError::Internal(error.to_string()))?;
                row.result = Some(to_json(&outcome)?);
                row.status = RunStatus::Done;
            }
            Err(Stopped::Cancelled) => {
                row.status = RunStatus::Cancelled;
                row.error = Some(format!(
                    "the judgement was cancelled after {} of {} calls",
                    thousands(made.len() as u64),
                    thousands(self.planned.plan.calls.len() as u64)
                ));
            }
            Err(Stopped::Failed(problem)) => {
                row.status = RunStatus::Failed;
                row.error = Some(problem.message);
                next = problem.next;
            }
        }
        Ok((row, next))
    }
}

fn stopped(error: &LlmError) -> Stopped {
    match error.fault {
        Fault::Cancelled => Stopped::Cancelled,
        _ => Stopped::Failed(error.problem()),
    }
}

fn row_of(id: &str, planned: &PlannedJudgement) -> Result<JudgementRow> {
    Ok(JudgementRow {
        id: id.to_owned(),
        what: planned.spec.what.name().to_owned(),
        status: RunStatus::Running,
        session_id: planned.open.id.clone(),
        session_path: planned.open.session.meta.path.clone(),
        spec: to_json(&planned.spec)?,
        provider: planned.provider.config.name.clone(),
        model: planned.model.clone(),
        plan: to_json(&planned.plan)?,
        calls: "[]".to_owned(),
        result: None,
        cost_usd: None,
        error: None,
        started_at_ms: now_ms(),
        finished_at_ms: None,
    })
}

pub(super) fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|error| AppError::Internal(error.to_string()))
}

//! A model as judge: planned, asked, listed, deleted.

use super::Empty;
use super::spending::usage_view;
use crate::wire::*;
use palimpsest_app::judge::{JudgeSpec, Judgement, Outcome};
use palimpsest_app::{App, AppResult};
use palimpsest_core::Usage;
use std::sync::Arc;

/// What a judgement would ask and cost.
pub(crate) fn plan(app: &App, request: JudgeRequest) -> AppResult<JudgePlanView> {
    let brief = request.brief;
    let planned = app.plan_judgement(&spec(request))?;
    let text = |text: &String| if brief { String::new() } else { text.clone() };
    let calls = planned.plan.calls.iter().map(|call| JudgeCallView {
        label: call.label.clone(),
        system: text(&call.system),
        prompt: text(&call.prompt),
        input_tokens: call.input_tokens,
        max_output_tokens: call.max_output_tokens,
    });
    Ok(JudgePlanView {
        what: planned.plan.what().into(),
        title: planned.title,
        provider: planned.provider.config.name,
        model: planned.model,
        calls: calls.collect(),
        input_tokens: planned.input_tokens,
        output_tokens: planned.output_tokens,
        estimated_cost_usd: planned.cost_usd,
        most_cost_usd: planned.most_usd,
        destination: planned.destination,
        notes: planned.notes,
    })
}

/// Asks the model.
pub(crate) async fn judge(app: &Arc<App>, request: JudgeRequest) -> AppResult<JudgementView> {
    Ok(view(&app.judge(spec(request)).await?))
}

/// The judgements of a session, newest first, without their replies.
pub(crate) fn judgements(app: &App, request: SessionRequest) -> AppResult<Vec<JudgementView>> {
    let all = app.judgements(&request.session)?;
    let views = all.iter().map(|judgement| JudgementView {
        calls: Vec::new(),
        ..view(judgement)
    });
    Ok(views.collect())
}

/// One judgement, whole.
pub(crate) fn judgement(app: &App, request: JudgementRequest) -> AppResult<JudgementView> {
    Ok(view(&app.judgement(&request.judgement)?))
}

/// Deletes a judgement, and with it its facts in ledgers.
pub(crate) fn judgement_delete(app: &App, request: JudgementRequest) -> AppResult<Empty> {
    app.delete_judgement(&request.judgement)?;
    Ok(Empty {})
}

fn spec(request: JudgeRequest) -> JudgeSpec {
    JudgeSpec {
        session: request.session,
        what: request.what.into(),
        of: request.of,
        provider: request.provider,
        model: request.model,
        base_url: request.base_url,
        window: request.window,
        chunk: request.chunk,
        stream: request.stream,
        above_limit: request.above_limit,
    }
}

fn view(judgement: &Judgement) -> JudgementView {
    let row = &judgement.row;
    let mut usage = Usage::default();
    judgement
        .calls
        .iter()
        .for_each(|call| usage.add(&call.usage));
    usage.cost_usd = row.cost_usd;
    let label = |number: usize| {
        let call = judgement.plan.calls.get(number);
        call.map(|call| call.label.clone()).unwrap_or_default()
    };
    JudgementView {
        judgement_id: row.id.clone(),
        what: judgement.spec.what.into(),
        session: row.session_id.clone(),
        of: judgement.spec.of.clone(),
        status: row.status.into(),
        error: row.error.clone(),
        hint: judgement.next.as_ref().map(ToString::to_string),
        next: judgement.next.clone().map(Into::into),
        provider: row.provider.clone(),
        model: row.model.clone(),
        started_at: row.started_at_ms,
        elapsed_ms: row.finished_at_ms.map(|end| end - row.started_at_ms),
        usage: usage_view(&usage),
        cost_usd: row.cost_usd,
        calls: judgement
            .calls
            .iter()
            .map(|call| JudgedCallView {
                label: label(call.number),
                reply: call.reply.clone(),
                stop_reason: call.stop_reason.clone(),
                usage: usage_view(&call.usage),
                elapsed_ms: call.elapsed_ms,
                retries: call.retries,
                refused: call.refused.clone(),
                from: call.from.clone(),
            })
            .collect(),
        result: judgement.outcome.as_ref().map(result),
    }
}

fn result(outcome: &Outcome) -> JudgeResult {
    match outcome {
        Outcome::Pair(preference) => JudgeResult::Pair {
            better: preference.better.map(|side| side as u64),
            disagree: preference.disagree,
            verdicts: preference
                .verdicts
                .iter()
                .map(|verdict| PairVerdictView {
                    better: verdict.better.map(|side| side as u64),
                    reason: verdict.reason.clone(),
                })
                .collect(),
        },
        Outcome::Probes(scores) => JudgeResult::Probes {
            share: scores.share,
            probes: scores
                .probes
                .iter()
                .map(|probe| ProbeView {
                    kind: probe.kind.into(),
                    question: probe.kind.question().to_owned(),
                    expected: probe.expected.clone(),
                    found: probe.found.clone(),
                    wrong: probe.wrong.clone(),
                })
                .collect(),
        },
        Outcome::Claims(checked) => super::claims::result(checked),
        Outcome::Facts(found) => JudgeResult::Facts {
            facts: found
                .facts
                .iter()
                .map(|fact| JudgedFactView {
                    kind: fact.kind,
                    text: fact.text.clone(),
                    entry_ids: fact.entries.clone(),
                    quote: fact.quote.clone(),
                })
                .collect(),
            rejected: found
                .rejected
                .iter()
                .map(|rejected| RejectedFactView {
                    why: rejected.why.into(),
                    reason: rejected.why.in_words().to_owned(),
                    text: rejected.text.clone(),
                })
                .collect(),
        },
    }
}

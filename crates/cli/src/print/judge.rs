//! What a model was asked as judge, for people.

use super::table::{Table, counted, short, time};
use palimpsest_api::wire::{JudgePlanView, JudgeResult, JudgementView, written};

/// What would be asked.
pub fn plan(plan: &JudgePlanView) -> String {
    let mut out = format!("{} of {}\n", written(plan.what), plan.title);
    for call in &plan.calls {
        out += &format!(
            "call for {}: about {} input, at most {} output\n",
            call.label,
            counted(call.input_tokens, "token", "tokens"),
            counted(call.max_output_tokens, "token", "tokens"),
        );
    }
    for note in &plan.notes {
        out += &format!("{note}\n");
    }
    let cost = match plan.estimated_cost_usd {
        Some(cost) => format!("Cost: about ${cost:.4}."),
        None => "Cost: unknown.".to_owned(),
    };
    format!(
        "{out}In all {}, about {} input and {} output.\n{} {cost}",
        counted(plan.calls.len() as u64, "call", "calls"),
        counted(plan.input_tokens, "token", "tokens"),
        counted(plan.output_tokens, "token", "tokens"),
        plan.destination,
    )
}

/// The judgements of a session.
pub fn all(all: &[JudgementView]) -> String {
    if all.is_empty() {
        return "no model was asked about this session".to_owned();
    }
    let mut table = Table::new([
        "judgement",
        "question",
        "model",
        "status",
        "started",
        "result",
    ]);
    for one in all {
        table.row([
            one.judgement_id.clone(),
            written(one.what),
            one.model.clone(),
            written(one.status),
            time(Some(one.started_at)),
            one.result.as_ref().map(brief).unwrap_or_default(),
        ]);
    }
    table.to_string()
}

fn brief(result: &JudgeResult) -> String {
    match result {
        JudgeResult::Facts { facts, rejected } => format!(
            "{}, {} rejected",
            counted(facts.len() as u64, "fact", "facts"),
            rejected.len()
        ),
        JudgeResult::Pair {
            better: Some(side), ..
        } => format!("summary {} is preferred in both orders", side + 1),
        JudgeResult::Pair { disagree: true, .. } => "tie: the two orders disagree".to_owned(),
        JudgeResult::Pair { .. } => "tie: neither is preferred".to_owned(),
        JudgeResult::Probes { share, probes } => format!(
            "{:.0} % of {} answered",
            share * 100.0,
            counted(probes.len() as u64, "probe", "probes")
        ),
    }
}

/// One judgement.
pub fn judgement(one: &JudgementView) -> String {
    let cost = match one.cost_usd {
        Some(cost) => format!("${cost:.4}"),
        None => "cost unknown".to_owned(),
    };
    let mut out = format!(
        "{} {} by {} {}: {}, {}, {cost}\n",
        written(one.what),
        one.judgement_id,
        one.provider,
        one.model,
        written(one.status),
        counted(one.calls.len() as u64, "reply", "replies"),
    );
    for call in &one.calls {
        if let Some(why) = &call.refused {
            out += &format!("not used     {}: {why}\n", call.label);
        }
    }
    if let Some(result) = &one.result {
        out += &format!("{}\n", brief(result));
        out += &whole(result);
    }
    out
}

fn whole(result: &JudgeResult) -> String {
    let mut out = String::new();
    match result {
        JudgeResult::Pair { verdicts, .. } => {
            for (order, verdict) in ["as named", "swapped"].iter().zip(verdicts) {
                let better = verdict
                    .better
                    .map_or("neither".to_owned(), |side| format!("summary {}", side + 1));
                out += &format!("{order:<10}{better:<11}{}\n", verdict.reason);
            }
        }
        JudgeResult::Probes { probes, .. } => {
            for probe in probes {
                out += &format!(
                    "{} of {}: {}\n",
                    probe.found.len(),
                    probe.expected.len(),
                    probe.question
                );
                for missing in probe
                    .expected
                    .iter()
                    .filter(|own| !probe.found.contains(own))
                {
                    out += &format!("  missing  {missing}\n");
                }
                for wrong in &probe.wrong {
                    out += &format!("  wrong    {}\n", short(wrong, 90));
                }
            }
        }
        JudgeResult::Facts { facts, rejected } => {
            for fact in facts {
                let entry = fact.entry_ids.first().map(|id| short(id, 12));
                out += &format!(
                    "{:<13}{} [{}]\n",
                    written(fact.kind),
                    fact.text,
                    entry.unwrap_or_default()
                );
            }
            for fact in rejected {
                out += &format!("rejected     {} ({})\n", short(&fact.text, 90), fact.reason);
            }
        }
    }
    out
}

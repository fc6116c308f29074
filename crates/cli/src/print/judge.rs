//! What a model was asked as judge, for people.

use super::table::{Table, counted, short, time};
use palimpsest_api::wire::{
    ClaimVerdict, FactVerdict, JudgePlanView, JudgeResult, JudgedClaimFact, JudgedSentence,
    JudgementView, written,
};

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
        JudgeResult::Claims {
            claims, fact_sums, ..
        } => format!(
            "{} of the statements supported, {} of the facts kept",
            share(claims.precision),
            share(fact_sums.recall)
        ),
    }
}

fn share(share: Option<f64>) -> String {
    share.map_or("unknown share".to_owned(), |share| {
        format!("{:.0} %", share * 100.0)
    })
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
        JudgeResult::Claims {
            claims,
            fact_sums,
            sentences,
            facts,
            unknown,
        } => {
            out += &format!(
                "statements: {} supported, {} contradicted, {} stale, {} without a source, {} not \
                 checked; rules differ on {}\n",
                claims.supported,
                claims.contradicted,
                claims.stale,
                claims.without_source,
                claims.unchecked,
                counted(claims.differ, "sentence", "sentences"),
            );
            sentences.iter().for_each(|own| out += &sentence_lines(own));
            out += &format!(
                "facts: {} kept, {} partly, {} changed, {} dropped, {} not checked; rules differ on {}\n",
                fact_sums.kept,
                fact_sums.partly,
                fact_sums.changed,
                fact_sums.dropped,
                fact_sums.unchecked,
                counted(fact_sums.differ, "fact", "facts"),
            );
            facts.iter().for_each(|own| out += &fact_lines(own));
            if *unknown > 0 {
                out += &format!(
                    "{} on ids that were not asked about\n",
                    counted(*unknown, "verdict", "verdicts")
                );
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

/// A sentence with the verdict of the model, and that of rules where it is another. Its statements
/// follow, except for one that is the sentence and supported.
fn sentence_lines(own: &JudgedSentence) -> String {
    let found = &own.by_model;
    let mut out = verdict_line(&claim_verdict(found.verdict), &own.text);
    if found.differs {
        out += &format!("  by rules     {}\n", claim_verdict(own.rule));
    }
    for statement in &found.statements {
        if found.statements.len() > 1 {
            let verdict = claim_verdict(statement.verdict);
            out += &format!("  {verdict:<13}{}\n", short(&statement.text, 90));
        }
        out += &shown(
            statement.quote.as_deref(),
            statement.entry_ids.first(),
            statement.reason.as_deref(),
        );
    }
    out
}

fn fact_lines(own: &JudgedClaimFact) -> String {
    let found = &own.by_model;
    let text = format!("{}: {}", written(own.kind), own.text);
    let mut out = verdict_line(&fact_verdict(found.verdict), &text);
    if found.differs {
        out += &format!("  by rules     {}\n", fact_verdict(own.rule));
    }
    let quote = found.quote.as_deref();
    out + &shown(quote, found.entry_id.as_ref(), found.reason.as_deref())
}

fn verdict_line(verdict: &str, text: &str) -> String {
    format!("{verdict:<15}{}\n", short(text, 120))
}

/// What shows a verdict, or why there is none.
fn shown(quote: Option<&str>, entry: Option<&String>, reason: Option<&str>) -> String {
    let entry = entry.map(|id| format!(" [{}]", short(id, 12)));
    match (quote, reason) {
        (Some(quote), _) => format!(
            "    \"{}\"{}\n",
            short(quote, 90),
            entry.unwrap_or_default()
        ),
        (None, Some(reason)) => format!("    {reason}\n"),
        (None, None) => String::new(),
    }
}

fn claim_verdict(verdict: ClaimVerdict) -> String {
    match verdict {
        ClaimVerdict::Unchecked => "not checked".to_owned(),
        ClaimVerdict::WithoutSource => "without source".to_owned(),
        _ => written(verdict),
    }
}

fn fact_verdict(verdict: FactVerdict) -> String {
    match verdict {
        FactVerdict::Unchecked => "not checked".to_owned(),
        _ => written(verdict),
    }
}

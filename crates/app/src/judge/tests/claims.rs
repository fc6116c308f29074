//! Claims of a summary judged by a model: beside the verdicts of rules, and in none of their sums.

use super::{Bench, CHOICE, QUIET, facts, label};
use crate::claims::Verdict;
use crate::judge::{ClaimsChecked, FactVerdict, JudgeSpec, Judgement, NotChecked, Outcome, What};
use crate::setup::SettingsChange;
use crate::summary::Material;
use palimpsest_core::ledger::FoundBy;
use palimpsest_store::user::RunStatus;
use palimpsest_testkit::llm_server::{Reply as Scripted, SeenRequest};
use serde_json::{Value, json};
use std::sync::Arc;

fn spec(bench: &Bench) -> JudgeSpec {
    JudgeSpec {
        what: What::Claims,
        ..bench.spec(24_000)
    }
}

fn checked(judgement: &Judgement) -> &ClaimsChecked {
    match &judgement.outcome {
        Some(Outcome::Claims(checked)) => checked,
        _ => panic!("{judgement:?}"),
    }
}

/// The lines of a list whose ids begin with `c` or `f`.
fn listed(prompt: &str) -> Vec<(String, String)> {
    let start = prompt.find("<statements>\n").unwrap();
    let end = prompt.find("\n</statements>").unwrap();
    let lines = prompt[start..end].lines().skip(1);
    let lines = lines.filter_map(|line| line.split_once(": "));
    lines
        .map(|(id, text)| {
            let id = id.split(' ').next().unwrap_or_default();
            (id.to_owned(), text.to_owned())
        })
        .collect()
}

/// What a model says that supports one sentence, invents a quote for the others, and finds every fact
/// dropped but those on Kafka.
fn judged(seen: &SeenRequest) -> String {
    let prompt = seen.prompt();
    if prompt.contains("<context>") {
        let facts = listed(&prompt).into_iter().map(|(id, text)| {
            let kept = text.contains("Kafka");
            json!({ "fact": id, "verdict": if kept { "kept" } else { "dropped" },
                "quote": if kept { "Kafka stays out of src/relay.rs" } else { "" } })
        });
        return json!({ "facts": facts.collect::<Vec<Value>>() }).to_string();
    }
    let verdicts = listed(&prompt).into_iter().map(|(id, text)| {
        if text.contains("queue") {
            let entry = label(&prompt, CHOICE).unwrap();
            return json!({ "claim": id, "statement": "The relay uses a queue", "verdict": "supported",
                "entries": [entry], "quote": CHOICE });
        }
        json!({ "claim": id, "verdict": "contradicted", "entries": ["e1"], "quote": "it is written in Go" })
    });
    json!({ "verdicts": verdicts.collect::<Vec<Value>>() }).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_are_planned_asked_checked_shown_and_replayed() {
    let bench = Bench::new();
    bench.server.answer_with(judged);
    let planned = bench.app.plan_judgement(&spec(&bench)).unwrap();
    assert_eq!(planned.plan.calls.len(), 2);
    assert!(
        planned
            .notes
            .iter()
            .any(|note| note.starts_with("The whole summarized span ("))
    );
    assert!(bench.server.requests().is_empty(), "a plan sends nothing");
    let before = bench.ledger();
    let judgement = bench.app.judge(spec(&bench)).await.unwrap();
    let row = &judgement.row;
    assert_eq!(row.status, RunStatus::Done, "{:?}", row.error);
    let sent = bench.server.requests();
    // Calls are made side by side, in any order.
    let planned = &planned.plan.calls[0].prompt;
    assert!(sent.iter().any(|own| own.prompt() == *planned));
    let found = checked(&judgement);
    // The last is a file of the list that the agent appends.
    assert_eq!(found.sentences.len(), 3);
    assert!(
        sent.iter()
            .any(|own| own.prompt().contains("[modified-files]\nc3: src/relay.rs"))
    );
    assert_eq!(found.sentences[0].verdict, Verdict::Supported);
    assert_eq!(found.sentences[1].verdict, Verdict::Unchecked);
    let why = found.sentences[1].statements[0].not_checked;
    assert_eq!(why, Some(NotChecked::NotQuoted));
    let sums = found.claim_sums();
    assert_eq!(
        (sums.supported, sums.unchecked, sums.precision()),
        (1, 2, Some(1.0))
    );
    assert!(found.fact_sums().dropped > 0);
    let limit = found
        .facts
        .iter()
        .find(|own| own.text.contains("id column"))
        .unwrap();
    assert_eq!(limit.verdict, FactVerdict::Dropped);

    // Beside the verdicts of rules, and in no sum of theirs.
    assert_eq!(bench.ledger(), before);
    let open = bench.app.open(&bench.session).unwrap();
    let material = Material::of_compaction(&open, None).unwrap();
    let ledger = material.ledger();
    let by_rules = material.claims(&material.summary, &ledger);
    let material = bench.app.with_judged(&open, material);
    assert_eq!(material.claims(&material.summary, &ledger), by_rules);
    let kept = material.judged_claims.unwrap();
    assert_eq!((&kept.judgement, &kept.checked), (&row.id, found));
    assert!(bench.app.judged_key(&open).contains(&row.id));

    let (what, replayed) = bench.app.replay_judgement(&row.id).unwrap();
    assert_eq!(what, What::Claims);
    assert!(
        replayed.same && replayed.same_prompts == Some(true),
        "{replayed:?}"
    );
    bench.app.delete_judgement(&row.id).unwrap();
    let material = Material::of_compaction(&open, None).unwrap();
    let material = bench.app.with_judged(&open, material);
    assert_eq!(material.judged_claims, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_are_of_one_summary_and_facts_of_models_are_asked_about() {
    let bench = Bench::new();
    bench.server.answer_with(facts);
    bench.judge(24_000).await;
    assert_eq!(bench.found_by(FoundBy::Model).len(), 1);
    let text = "The relay uses a queue. It is fast.";
    let run = bench.app.keep_edited(&bench.session, "", text).unwrap();
    bench.server.answer_with(judged);
    // A prefix names the run as well, and its ledger still finds the verdicts.
    let of_run = JudgeSpec {
        of: vec![run.row.id[..8].to_owned()],
        ..spec(&bench)
    };
    let judgement = bench.app.judge(of_run).await.unwrap();
    assert_eq!(judgement.spec.of, std::slice::from_ref(&run.row.id));
    let by_model = checked(&judgement).facts.iter().filter(|own| own.by_model);
    let by_model: Vec<&str> = by_model.map(|own| own.text.as_str()).collect();
    assert_eq!(by_model.len(), 1, "{by_model:?}");
    assert!(by_model[0].contains("Kafka"));
    // The edited summary no longer says it: an invented quote is no evidence.
    let kafka = checked(&judgement)
        .facts
        .iter()
        .find(|own| own.by_model)
        .unwrap();
    assert_eq!(kafka.not_checked, Some(NotChecked::NotQuoted), "{QUIET}");
    let open = bench.app.open(&bench.session).unwrap();
    let of_run = bench.app.material_named(&open, &run.row.id).unwrap();
    let own = Material::of_compaction(&open, None).unwrap();
    assert!(bench.app.with_judged(&open, of_run).judged_claims.is_some());
    assert!(bench.app.with_judged(&open, own).judged_claims.is_none());
    // The newest counts.
    bench.server.answer_with(|seen| {
        let prompt = seen.prompt();
        let empty = if prompt.contains("<context>") {
            "facts"
        } else {
            "verdicts"
        };
        json!({ empty: [] }).to_string()
    });
    let again = JudgeSpec {
        of: vec![run.row.id.clone()],
        ..spec(&bench)
    };
    let newest = bench.app.judge(again).await.unwrap();
    let of_run = bench.app.material_named(&open, &run.row.id).unwrap();
    let kept = bench.app.with_judged(&open, of_run).judged_claims.unwrap();
    assert_eq!(kept.judgement, newest.row.id);
    assert_eq!(kept.checked.claim_sums().precision(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_a_long_span_is_sent_and_the_plan_says_how_much() {
    let bench = Bench::new();
    let small = JudgeSpec {
        window: Some(4_000),
        ..spec(&bench)
    };
    let planned = bench.app.plan_judgement(&small).unwrap();
    let note = planned
        .notes
        .iter()
        .find(|note| note.starts_with("Of the summarized span"));
    let note = note.unwrap_or_else(|| panic!("{:?}", planned.notes));
    assert!(note.contains(" tokens are sent ("), "{note}");
    for call in &planned.plan.calls {
        assert!(call.input_tokens + call.max_output_tokens <= 4_000);
    }
    let sentences = &planned.plan.calls[0].prompt;
    assert!(sentences.contains(CHOICE) && sentences.contains(QUIET));
    bench.server.answer_with(judged);
    let judgement = bench.app.judge(small).await.unwrap();
    assert_eq!(
        judgement.row.status,
        RunStatus::Done,
        "{:?}",
        judgement.row.error
    );
    assert!(
        bench
            .app
            .replay_judgement(&judgement.row.id)
            .unwrap()
            .1
            .same
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_a_cancelled_judgement_and_the_cost_limit_hold_for_claims() {
    let bench = Bench::new();
    bench
        .server
        .push(Scripted::error(500, "server_error", "No."));
    bench.server.push(Scripted::error(
        401,
        "authentication_error",
        "This key is not accepted.",
    ));
    bench.server.push(Scripted::error(
        401,
        "authentication_error",
        "This key is not accepted.",
    ));
    let failed = bench.app.judge(spec(&bench)).await.unwrap();
    assert_eq!(failed.row.status, RunStatus::Failed);
    let refused = Bench::new();
    refused
        .server
        .answer_with(|_| "I would rather not.".to_owned());
    let failed = refused.app.judge(spec(&refused)).await.unwrap();
    assert_eq!(failed.row.status, RunStatus::Failed);
    assert!(failed.row.error.unwrap().contains("failed 2 times"));
    assert!(failed.calls.len() >= 2, "what was paid for is kept");

    let bench = Bench::new();
    bench.server.push(Scripted::Silence);
    bench.server.push(Scripted::Silence);
    let (app, own) = (Arc::clone(&bench.app), spec(&bench));
    let asked = tokio::spawn(async move { app.judge(own).await });
    while bench.server.requests().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert!(bench.app.cancel("here"));
    let cancelled = asked.await.unwrap().unwrap();
    assert_eq!(cancelled.row.status, RunStatus::Cancelled);
    let open = bench.app.open(&bench.session).unwrap();
    let material = Material::of_compaction(&open, None).unwrap();
    assert!(
        bench
            .app
            .with_judged(&open, material)
            .judged_claims
            .is_none()
    );

    let sent = bench.server.requests().len();
    let change = SettingsChange {
        ask_above_usd: Some(0.5),
        ..SettingsChange::default()
    };
    bench.app.change_settings(change).unwrap();
    assert!(bench.app.judge(spec(&bench)).await.is_err());
    assert_eq!(bench.server.requests().len(), sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_usable_reply_of_a_failed_judgement_is_not_requested_again() {
    let bench = Bench::new();
    bench.server.answer_with(|seen| {
        let prompt = seen.prompt();
        if prompt.contains("<context>") {
            "no".to_owned()
        } else {
            judged(seen)
        }
    });
    let failed = bench.app.judge(spec(&bench)).await.unwrap();
    assert_eq!(failed.row.status, RunStatus::Failed);
    let before = bench.server.requests().len();
    bench.server.answer_with(judged);
    let done = bench.app.judge(spec(&bench)).await.unwrap();
    assert_eq!(done.row.status, RunStatus::Done);
    let taken = done.calls.iter().filter(|call| call.from.is_some()).count();
    assert_eq!(bench.server.requests().len() - before, 2 - taken);
    assert!(bench.app.replay_judgement(&done.row.id).unwrap().1.same);
}

//! Sizes before and after a plan, on one basis.

use super::presets::sample;
use super::{Bench, object};
use crate::run::kept::RunDetails;
use crate::run::{PlanRecord, RunRecord, Sizes};
use palimpsest_core::ledger::Totals;
use palimpsest_ledger::Span;
use palimpsest_ledger::span::estimate_text;
use palimpsest_llm::ProviderKind;
use serde_json::{Value, json};

fn sizes(reported: u64, estimated: Option<u64>, after: u64) -> Sizes {
    let record = PlanRecord {
        tokens_before: reported,
        estimated_tokens_before: estimated,
        estimated_tokens_after: after,
        ..PlanRecord::default()
    };
    record.sizes()
}

#[test]
fn what_no_estimate_sees_is_in_both() {
    let of = |before, after, unseen| Sizes {
        before,
        after,
        unseen,
    };
    let seen = sizes(41_000, Some(30_000), 12_000);
    assert_eq!(seen, of(41_000, 23_000, 11_000));
    assert_eq!(
        sizes(20_000, Some(30_000), 12_000),
        of(30_000, 12_000, 0),
        "an estimate above the report is held against an estimate"
    );
    assert_eq!(
        sizes(41_000, None, 12_000),
        of(41_000, 12_000, 0),
        "a record of an earlier version"
    );
}

#[test]
fn a_plan_gains_what_its_estimates_differ_by() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let record = bench.app.plan(&bench.spec("pi").plan).unwrap().record;
    let sizes = record.sizes();
    let before = record.estimated_tokens_before.unwrap();
    assert!(record.tokens_before > 0 && before > record.estimated_tokens_after);
    assert_eq!(
        sizes.before - sizes.after,
        before - record.estimated_tokens_after
    );
    assert_eq!(sizes.before, before.max(record.tokens_before));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_only_clears_has_no_summary_of_its_own_and_no_retention() {
    let mut bench = Bench::new(ProviderKind::OpenAi);
    bench.session = sample(&bench, "01-coding-task.jsonl");
    let mut spec = bench.spec("opencode-prune");
    spec.plan.set = object(json!({ "protect_tokens": 2_000, "more_than_tokens": 0 }));
    spec.plan.provider = None;
    let run = bench.app.compact(spec).await.unwrap();
    assert!(!run.plan.changes.is_empty());
    assert_eq!((run.own_summary(), &run.details.totals), (None, &None));
    let open = bench.app.open(&bench.session).unwrap();
    let material = bench.app.material_of_run(&open, &run.row.id).unwrap();
    assert_eq!(material.summary, "");
    assert_eq!(material.ledger().totals.retention, None);

    // As an earlier version kept it.
    let mut row = run.row;
    let totals = Totals {
        retention: Some(1.0),
        ..Totals::default()
    };
    let details = RunDetails {
        totals: Some(totals),
        ..run.details
    };
    row.details = Some(serde_json::to_string(&details).unwrap());
    assert_eq!(RunRecord::from_row(row).unwrap().details.totals, None);
}

/// What the agent puts in unseen is no fact to keep, and is sent and summarized all the same.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_summary_is_held_against_is_as_large_as_in_the_plan() {
    let mut bench = Bench::new(ProviderKind::OpenAi);
    let mut text = String::new();
    let mut above = Value::Null;
    let mut line = |kind: &str, rest: Value| {
        let id = format!("00000000-0000-4000-8000-{:012}", text.lines().count());
        let mut record = json!({
            "type": kind, "uuid": id, "parentUuid": above, "sessionId": "s", "cwd": "/w",
            "version": "2.1.0", "isSidechain": false, "timestamp": "2026-01-01T00:00:00.000Z",
        });
        let object = record.as_object_mut().unwrap();
        object.extend(rest.as_object().unwrap().clone());
        above = json!(id);
        text += &format!("{record}\n");
    };
    for turn in 0..12 {
        let asked = format!("Please fix src/part{turn}.rs.");
        line(
            "user",
            json!({"message": {"role": "user", "content": asked}}),
        );
        let told = format!(
            "<system-reminder>{}</system-reminder>",
            "Mind the rules. ".repeat(50)
        );
        let meta = json!({"isMeta": true, "message": {"role": "user", "content": told}});
        line("user", meta);
        let reply = json!([{"type": "text", "text": "I looked and fixed it. ".repeat(9)}]);
        let message = json!({"id": format!("m{turn}"), "role": "assistant", "content": reply});
        line("assistant", json!({"message": message}));
    }
    let path = bench
        .home
        .add_file("unseen.jsonl", text.as_bytes())
        .unwrap();
    bench.session = path.display().to_string();
    let mut spec = bench.spec("pi");
    spec.plan.provider = None;
    let run = bench.app.compact(spec).await.unwrap();
    let summarized = |fate: &str| matches!(fate, "summarized" | "turn_prefix");
    let shares = run.plan.shares.iter().filter(|own| summarized(&own.fate));
    let planned: u64 = shares.map(|own| own.tokens).sum();
    assert!(planned > 0);
    let open = bench.app.open(&bench.session).unwrap();
    let material = bench.app.material_of_run(&open, &run.row.id).unwrap();
    assert_eq!(material.span_tokens(), planned);
    let items = material.span.items();
    assert!(
        Span::new(&items).estimate() < planned,
        "the unseen is in the plan's only"
    );
    let summary = estimate_text(run.own_summary().unwrap());
    let ratio = run.details.totals.unwrap().compression_ratio;
    assert!((ratio - summary as f64 / planned as f64).abs() < 1e-12);
}

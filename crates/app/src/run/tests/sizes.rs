//! Sizes before and after a plan, on one basis.

use super::presets::sample;
use super::{Bench, object};
use crate::run::kept::RunDetails;
use crate::run::{PlanRecord, PlanSpec, RunRecord, Sizes};
use crate::view::context::context_at;
use crate::view::timeline::timeline;
use palimpsest_compaction::select::Fate;
use palimpsest_core::ItemKind;
use palimpsest_core::estimate::text_tokens;
use palimpsest_core::ledger::Totals;
use palimpsest_ledger::Span;
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
fn what_estimates_miss_of_the_messages_goes_with_them() {
    let of = |reported, after, fixed| {
        let record = PlanRecord {
            tokens_before: reported,
            estimated_tokens_before: Some(30_000),
            fixed_tokens: Some(fixed),
            estimated_tokens_after: after,
            ..PlanRecord::default()
        };
        let Sizes {
            before,
            after,
            unseen,
        } = record.sizes();
        (before, after, unseen)
    };
    assert_eq!(
        of(50_000, 12_000, 5_000),
        (50_000, 5_000 + 12_000 * 45 / 30, 5_000)
    );
    assert_eq!(
        of(50_000, 30_000, 5_000),
        (50_000, 50_000, 5_000),
        "as large as before"
    );
    assert_eq!(
        of(50_000, 12_000, 20_000),
        (50_000, 32_000, 20_000),
        "estimates that miss nothing"
    );
    assert_eq!(
        of(32_000, 12_000, 8_000),
        (32_000, 8_000 + 12_000 * 24 / 30, 8_000),
        "estimates that are too large"
    );
    assert_eq!(
        of(30_000, 12_000, 5_000),
        (35_000, 17_000, 5_000),
        "only an estimate before"
    );
    assert_eq!(of(20_000, 12_000, 0), (30_000, 12_000, 0));
    assert_eq!(of(u64::MAX, 12_000, u64::MAX).1, u64::MAX);
}

/// A session of pi: two turns, of which the compaction keeps the second, and a third after it.
/// Texts are of 400 characters, 100 tokens by pi's estimate.
fn compacted(bench: &Bench) -> String {
    let told = "word".repeat(100);
    let said = |role: &str, total: u64| match total {
        0 => json!({ "role": role, "content": told }),
        _ => json!({
            "role": role, "content": [{ "type": "text", "text": told }],
            "api": "openai-completions", "provider": "openai", "model": "m", "stopReason": "stop",
            "usage": {
                "input": total - 100, "output": 100, "cacheRead": 0, "cacheWrite": 0,
                "totalTokens": total,
            },
        }),
    };
    let message = |role, total| json!({ "type": "message", "message": said(role, total) });
    let records = [
        message("user", 0),
        message("assistant", 3_200),
        message("user", 0),
        message("assistant", 9_000),
        json!({
            "type": "compaction", "summary": told, "firstKeptEntryId": "e2", "tokensBefore": 9_000,
        }),
        message("user", 0),
        message("assistant", 3_900),
    ];
    let mut text = json!({
        "type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z",
        "cwd": "/w",
    })
    .to_string();
    for (number, mut record) in records.into_iter().enumerate() {
        record["id"] = json!(format!("e{number}"));
        record["parentId"] = json!(number.checked_sub(1).map(|above| format!("e{above}")));
        record["timestamp"] = json!("2026-01-01T00:00:00.000Z");
        text += &format!("\n{record}");
    }
    let path = bench.home.add_file("compacted.jsonl", text.as_bytes());
    path.unwrap().display().to_string()
}

/// The last reply before a compaction is kept by it, and what it was asked with is not.
#[test]
fn a_usage_from_before_a_compaction_is_not_the_size_after_it() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let open = bench.app.open(&compacted(&bench)).unwrap();
    let sizes = |id: &str| {
        let at = open.resolve(id).unwrap();
        let context = context_at(&open, Some(at)).context;
        let held = context.items.iter();
        let held = held.filter(|item| item.kind == ItemKind::NotRecorded);
        let (points, _) = timeline(&open, Some(at));
        (
            context.reported.map(|size| size.tokens),
            held.map(|item| item.estimate).sum::<u64>(),
            context.estimated,
            points.last().unwrap().tokens,
        )
    };
    assert_eq!(sizes("e3"), (Some(9_000), 8_600, 400, 9_000));
    let (reported, fixed, estimated, shown) = sizes("e4");
    assert_eq!(
        (reported, fixed),
        (None, 3_000),
        "what the first reply told"
    );
    assert_eq!(
        shown, 3_700,
        "what the next request reported, without the prompt"
    );
    let (reported, fixed, after, shown) = sizes("e5");
    assert_eq!((reported, fixed, after), (None, 3_000, estimated + 100));
    assert_eq!(shown, 3_800, "the request has this prompt too");
    assert_eq!(sizes("e6").0, Some(3_900), "a reply after it counts again");
}

/// Of the 3,800 tokens of the request behind the compaction the items are 400, and 3,000 were sent with
/// the first request: 400 more are sent again.
#[test]
fn what_is_sent_again_after_a_compaction_is_no_part_of_the_messages() {
    let mut bench = Bench::new(ProviderKind::OpenAi);
    bench.session = compacted(&bench);
    let mut spec = bench.spec("pi");
    spec.plan.set = object(json!({ "keep_recent_tokens": 50 }));
    let record = bench.app.plan(&spec.plan).unwrap().record;
    assert_eq!(record.fixed_tokens, Some(3_400));
    assert_eq!(record.sizes().unseen, 3_400);
}

#[test]
fn a_plan_gains_its_share_of_what_its_estimates_differ_by() {
    let bench = Bench::new(ProviderKind::OpenAi);
    let record = bench.app.plan(&bench.spec("pi").plan).unwrap().record;
    let sizes = record.sizes();
    let before = record.estimated_tokens_before.unwrap();
    assert!(record.tokens_before > 0 && before > record.estimated_tokens_after);
    let fixed = record.fixed_tokens.unwrap();
    assert_eq!(sizes.before, before.max(record.tokens_before));
    let share = (sizes.before - fixed) * record.estimated_tokens_after / before;
    assert_eq!(sizes.after, fixed + share);
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
    let summarized = |fate: Fate| matches!(fate, Fate::Summarized | Fate::TurnPrefix);
    let shares = run.plan.shares.iter().filter(|own| summarized(own.fate));
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
    let summary = text_tokens(run.own_summary().unwrap());
    let ratio = run.details.totals.unwrap().compression_ratio;
    assert!((ratio - summary as f64 / planned as f64).abs() < 1e-12);
}

#[test]
fn what_an_earlier_compaction_summarized_is_in_no_stretch() {
    let bench = Bench::new(ProviderKind::Command);
    let said = |role: &str, text: &str| {
        let kind = if role == "user" {
            "input_text"
        } else {
            "output_text"
        };
        json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] })
    };
    let item = |payload: Value| json!({ "type": "response_item", "payload": payload });
    let (first, second) = (said("user", "Look at a.rs."), said("user", "Look at b.rs."));
    let summary = said("user", "Another language model looked at a.rs and b.rs.");
    let history = [first.clone(), second.clone(), summary];
    let records = [
        json!({ "type": "session_meta", "payload": {
            "id": "01a1fbe2-0000-7000-8000-000000000001", "timestamp": "2026-01-05T10:00:00Z",
            "cwd": "/work", "cli_version": "0.169.0", "originator": "codex_cli_rs" } }),
        item(first),
        item(said(
            "assistant",
            "It holds the queue, and nothing is wrong with it.",
        )),
        item(second),
        item(said(
            "assistant",
            "It holds the worker, and its loop never ends.",
        )),
        json!({ "type": "compacted", "payload": {
            "message": "Another language model looked at a.rs and b.rs.",
            "replacement_history": history } }),
        item(said("user", "Mend the loop.")),
        item(said("assistant", "The loop ends now.")),
    ];
    let lines = records.map(|mut record| {
        record["timestamp"] = json!("2026-01-05T10:00:00Z");
        format!("{record}\n")
    });
    let name = ".codex/sessions/2026/01/05/rollout-2026-01-05T10-00-00-01a1fbe2-0000-7000-8000-000000000001.jsonl";
    let path = bench
        .home
        .add_file(name, lines.concat().as_bytes())
        .unwrap();
    let plan = bench
        .app
        .plan(&PlanSpec {
            session: path.display().to_string(),
            strategy: Some("codex".to_owned()),
            ..PlanSpec::default()
        })
        .unwrap();
    let bands = plan.record.bands.iter();
    let found: Vec<_> = bands.map(|own| (own.fate, own.first, own.last)).collect();
    let summarized = Fate::Summarized;
    assert_eq!(
        found,
        [
            (summarized, 1, 1),
            (summarized, 3, 3),
            (Fate::Carried, 5, 5),
            (summarized, 6, 7)
        ]
    );
}
